#include "bench/composition.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bench/passes.h"

namespace tilewright::bench {

namespace {

Result<BoundCall> compose_product(const Problem& problem, const Operands& operands, int threads,
                                  const ProductBinder& bind) {
  const auto [m, n, k] = problem.shape;
  TW_TRY(const ProductCall product, bind({m, n, k, k, n, n, false}));
  const float *a = operands.input(0), *b = operands.input(1);
  float* const c = operands.output();
  if (problem.program == BenchProgram::Gemm) return BoundCall{[=] { product(a, b, c); }};
  const float* const bias = operands.input(2);
  return BoundCall{[=] {
    product(a, b, c);
    for_row_parts(threads, m, [=](RowRange rows) { bias_gelu_rows(c, bias, n, rows); });
  }};
}

Result<BoundCall> compose_attention(const Problem& problem, const Operands& operands, int threads,
                                    const ProductBinder& bind) {
  const auto [heads, length, depth] = problem.shape;
  TW_TRY(const ProductCall scores, bind({length, length, depth, depth, depth, length, true}));
  TW_TRY(const ProductCall mix, bind({length, depth, length, length, depth, depth, false}));
  const auto weights = std::make_shared<std::vector<float>>(static_cast<std::size_t>(length * length));
  const bool causal = problem.program == BenchProgram::AttentionCausal;
  const float scale = 1 / std::sqrt(static_cast<float>(depth));
  return BoundCall{[=, heads = heads, length = length, depth = depth, q = operands.input(0), k = operands.input(1),
                    v = operands.input(2), o = operands.output()] {
    float* const w = weights->data();
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t at = head * length * depth;
      scores(q + at, k + at, w);
      for_row_parts(threads, length, [=](RowRange rows) {
        softmax_rows(w, w, length, scale, causal ? 1 : length, causal ? 1 : 0, rows);
      });
      mix(w, v + at, o + at);
    }
  }};
}

}  // namespace

Result<BoundCall> compose(const Problem& problem, const Operands& operands, int threads, const ProductBinder& bind) {
  if (is_row_program(problem.program))
    return not_offered("it has no " + std::string(bench_program_name(problem.program)));
  if (is_attention(problem.program)) return compose_attention(problem, operands, threads, bind);
  return compose_product(problem, operands, threads, bind);
}

}  // namespace tilewright::bench
