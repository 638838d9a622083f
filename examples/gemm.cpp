// Matrix product: written in C++, printed as text, compiled for the CPU, run and checked.
#include "example.h"
#include "programs.h"

int main() {
  tilewright::dsl::Draft draft("gemm", examples::kGemmComment);
  examples::write_gemm(draft);
  const tilewright::Program program = examples::finish_and_print(draft);

  const std::int64_t M = 150, N = 90, K = 70;
  const tilewright::HostArray a = examples::numbers({M, K}, 1), b = examples::numbers({K, N}, 2);
  const tilewright::HostArray c = examples::zeros({M, N});
  examples::run(program, {.numbers = {{"M", M}, {"N", N}, {"K", K}}},
                {{"A", a.view()}, {"B", b.view()}, {"C", c.view()}});

  std::vector<double> expected(static_cast<std::size_t>(M * N), 0.0);
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t k = 0; k < K; ++k)
      for (std::int64_t j = 0; j < N; ++j)
        expected[i * N + j] += static_cast<double>(a.values<float>()[i * K + k]) * b.values<float>()[k * N + j];
  return examples::report("gemm 150 x 90 x 70", c.values<float>(), expected, 1e-4);
}
