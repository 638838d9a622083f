// Kernels and arguments for tests of calls and caches.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tilewright/compile.h>
#include <tilewright/host_array.h>

#include "driver/faults.h"

namespace tilewright {

/// C = A B, in two launches with a temporary between them: C = 2 (A B).
inline constexpr const char* kTwoLaunches = R"(
program twice_product(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  temp T: f32[M, N]
  parallel i in M, j in N {
    acc[] = 0.0
    serial k in K {
      acc[] = acc + A[i, k] * B[k, j]
    }
    T[i, j] = acc
  }
  parallel i in M, j in N {
    C[i, j] = T[i, j] * 2.0
  }
}
)";

inline Program program_of(const char* text) {
  auto program = Program::parse(text);
  if (!program) ADD_FAILURE() << render(program.error());
  return std::move(program).value();
}
inline Program named_program(const std::string& name) {
  auto program = Program::load(name);
  if (!program) ADD_FAILURE() << render(program.error());
  return std::move(program).value();
}
inline Kernel compiled(const Program& program, const Bindings& bindings, const CompileOptions& options = {}) {
  auto kernel = compile(program, bindings, options);
  if (!kernel) ADD_FAILURE() << render(kernel.error());
  return std::move(kernel).value();
}

/// Matrices of a product, filled with numbers that differ everywhere.
struct Product {
  std::int64_t M, N, K;
  HostArray a, b, c;

  explicit Product(std::int64_t m, std::int64_t n, std::int64_t k)
      : M(m), N(n), K(k), a(make({m, k})), b(make({k, n})), c(make({m, n})) {
    fill(a, 1);
    fill(b, 2);
  }
  Bindings bindings() const { return {.numbers = {{"M", M}, {"N", N}, {"K", K}}, .types = {}}; }
  Arguments arguments() const { return {{"A", a.view()}, {"B", b.view()}, {"C", c.view()}}; }
  std::vector<float> result() const { return {c.values<float>().begin(), c.values<float>().end()}; }
  void clear() const { std::memset(c.data(), 0xee, static_cast<std::size_t>(c.elements()) * 4); }

  static HostArray make(std::vector<std::int64_t> extents) {
    return HostArray::make(DataType::F32, std::move(extents)).value();
  }
  static void fill(const HostArray& array, std::uint32_t seed) {
    std::uint32_t state = seed;
    for (float& x : array.values<float>()) {
      state = state * 1664525u + 1013904223u;
      x = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
    }
  }
};

/// What Kernel::run() gives.
inline std::vector<float> plain_result(const Kernel& kernel, const Product& product) {
  product.clear();
  const auto done = kernel.run(product.arguments(), {.threads = 1});
  if (!done) ADD_FAILURE() << render(done.error());
  return product.result();
}

}  // namespace tilewright
