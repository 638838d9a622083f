// A layer of a network, compiled once and called many times, with no check and no allocation in between.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <tilewright/cache.h>
#include <tilewright/compile.h>
#include <tilewright/host_array.h>
#include <tilewright/run.h>

namespace {

template <class T>
T value_or_exit(tilewright::Result<T> result) {
  if (result) return std::move(*result);
  std::fputs(tilewright::render(result.error()).c_str(), stderr);
  std::exit(1);
}

tilewright::HostArray matrix(std::int64_t rows, std::int64_t columns) {
  auto array = value_or_exit(tilewright::HostArray::make(tilewright::DataType::F32, {rows, columns}));
  std::int64_t i = 0;
  for (float& x : array.values<float>()) x = static_cast<float>(i++ * 7 % 13 - 6) / 8;
  return array;
}

}  // namespace

int main() {
  constexpr std::int64_t M = 48, N = 40, K = 56;
  const auto program = value_or_exit(tilewright::Program::load("gemm"));
  // In memory alone; with a folder, the next process finds the code too.
  tilewright::CompileOptions options;
  options.cache = value_or_exit(tilewright::KernelCache::open());
  const auto kernel = value_or_exit(tilewright::compile(program, {{{"M", M}, {"N", N}, {"K", K}}, {}}, options));

  const auto a = matrix(M, K), b = matrix(K, N), c = matrix(M, N);
  // Every check is made here, once.
  auto call = value_or_exit(tilewright::Call::bind(kernel, {{"A", a.view()}, {"B", b.view()}, {"C", c.view()}}));
  for (int repeat = 0; repeat < 100; ++repeat) call();

  double worst = 0;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < K; ++k) sum += a.values<float>()[i * K + k] * b.values<float>()[k * N + j];
      worst = std::fmax(worst, std::fabs(sum - c.values<float>()[i * N + j]));
    }
  std::printf("gemm %d x %d x %d, called 100 times: largest error %.2g\n", 48, 40, 56, worst);
  return worst < 1e-4 ? 0 : 1;
}
