// Softmax of each row: written in C++, printed as text, compiled for the CPU, run and checked.
#include "example.h"
#include "programs.h"

int main() {
  tilewright::dsl::Draft draft("softmax", examples::kSoftmaxComment);
  examples::write_softmax(draft);
  const tilewright::Program program = examples::finish_and_print(draft);

  const std::int64_t N = 33, C = 300;
  const tilewright::HostArray x = examples::numbers({N, C}, 3), y = examples::zeros({N, C});
  examples::run(program, {.numbers = {{"N", N}, {"C", C}}}, {{"X", x.view()}, {"Y", y.view()}});

  std::vector<double> expected;
  for (std::int64_t i = 0; i < N; ++i) {
    const std::span<const float> row = x.values<float>().subspan(i * C, C);
    const double best = *std::max_element(row.begin(), row.end());
    double total = 0.0;
    for (float v : row) total += std::exp(v - best);
    for (float v : row) expected.push_back(std::exp(v - best) / total);
  }
  return examples::report("softmax of 33 rows of 300", y.values<float>(), expected, 1e-6);
}
