// Shared by the examples: arrays with numbers in them, and the end of a program that cannot go on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/compile.h>
#include <tilewright/dsl.h>
#include <tilewright/host_array.h>

namespace examples {

/// The value, or the end of the program with the diagnostics.
template <class T>
T value_or_exit(tilewright::Result<T> result) {
  if (result) return std::move(*result);
  std::fputs(tilewright::render(result.error()).c_str(), stderr);
  std::exit(1);
}

inline tilewright::HostArray zeros(std::vector<std::int64_t> extents) {
  return value_or_exit(tilewright::HostArray::make(tilewright::DataType::F32, std::move(extents)));
}

/// An array of numbers between -1 and 1, the same at every run.
inline tilewright::HostArray numbers(std::vector<std::int64_t> extents, std::uint32_t seed) {
  tilewright::HostArray array = zeros(std::move(extents));
  std::uint32_t state = seed;
  for (float& x : array.values<float>()) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return array;
}

/// The finished program, printed.
inline tilewright::Program finish_and_print(tilewright::dsl::Draft& draft) {
  tilewright::Program program = value_or_exit(draft.finish());
  std::printf("%s\n", program.text().c_str());
  return program;
}

/// Compiles for the CPU and runs.
inline void run(const tilewright::Program& program, const tilewright::Bindings& bindings,
                const tilewright::Arguments& arguments) {
  const tilewright::Kernel kernel = value_or_exit(tilewright::compile(program, bindings));
  const tilewright::Result<void> done = kernel.run(arguments);
  if (done) return;
  std::fputs(tilewright::render(done.error()).c_str(), stderr);
  std::exit(1);
}

/// Prints the verdict and gives the exit status.
inline int report(const std::string& what, std::span<const float> found, const std::vector<double>& expected,
                  double tolerance) {
  double worst = 0.0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double error = std::fabs(static_cast<double>(found[k]) - expected[k]);
    worst = error <= worst ? worst : error;  // a NaN becomes the worst
  }
  const bool ok = found.size() == expected.size() && worst <= tolerance;
  std::printf("%s on the CPU: %zu elements, largest error %.2g, %s.\n", what.c_str(), found.size(), worst,
              ok ? "as a plain loop computes it" : "WRONG");
  return ok ? 0 : 1;
}

}  // namespace examples
