// The hand-vectorised passes and what is composed of them compute what their programs mean.
#include "bench/passes.h"

#include <atomic>

#include <gtest/gtest.h>

#include "bench/composition.h"
#include "bench/reference.h"

namespace tilewright::bench {
namespace {

Result<ProductCall> plain_product(const MatrixProduct& p) {
  return [p](const float* a, const float* b, float* c) {
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) {
        float sum = 0;
        for (std::int64_t q = 0; q < p.k; ++q)
          sum += a[i * p.a_stride + q] * (p.b_transposed ? b[j * p.b_stride + q] : b[q * p.b_stride + j]);
        c[i * p.c_stride + j] = sum;
      }
  };
}

void expect_right(const Problem& problem, const Operands& operands, const BoundCall& bound) {
  SCOPED_TRACE(std::string(bench_program_name(problem.program)) + " " + shape_text(problem));
  operands.poison();
  bound.call();
  const Verdict verdict = Reference::make(problem, operands).check(operands.output_values());
  EXPECT_TRUE(verdict.ok) << verdict.fault;
  EXPECT_EQ(operands.harmed_guard_bytes(), 0);
}

TEST(Passes, RowProgramsAreRight) {
  for (const BenchProgram program : {BenchProgram::Softmax, BenchProgram::Rmsnorm})
    for (const Shape shape : {Shape{1, 1, 1}, {3, 15, 1}, {5, 16, 1}, {7, 17, 1}, {2, 1000, 1}})
      for (const int threads : {1, 3}) {
        const Problem problem{program, shape};
        const auto operands = Operands::make(problem);
        const auto library = open_passes({"", threads});
        ASSERT_TRUE(operands && library);
        const auto bound = (*library)->bind(0, problem, *operands, {});
        ASSERT_TRUE(bound.has_value());
        expect_right(problem, *operands, *bound);
      }
}

TEST(Passes, CompositionsAreRight) {
  const std::vector<Problem> problems = {{BenchProgram::Gemm, {4, 9, 5}},
                                         {BenchProgram::GemmBiasGelu, {5, 33, 17}},
                                         {BenchProgram::Attention, {2, 19, 8}},
                                         {BenchProgram::AttentionCausal, {2, 19, 8}},
                                         {BenchProgram::AttentionCausal, {1, 1, 3}}};
  for (const Problem& problem : problems) {
    const auto operands = Operands::make(problem);
    ASSERT_TRUE(operands.has_value());
    const auto bound = compose(problem, *operands, 2, plain_product);
    ASSERT_TRUE(bound.has_value());
    expect_right(problem, *operands, *bound);
  }
}

TEST(Passes, ALibraryOfProductsHasNoProgramOfRows) {
  const Problem problem{BenchProgram::Softmax, {2, 2, 1}};
  const auto operands = Operands::make(problem);
  ASSERT_TRUE(operands.has_value());
  const auto bound = compose(problem, *operands, 1, plain_product);
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error()[0].code, DiagCode::Unsupported);
}

TEST(Passes, PartsCoverEveryRowOnce) {
  for (const int threads : {1, 2, 5})
    for (const std::int64_t rows : {1, 4, 7, 100}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(rows));
      for_row_parts(threads, rows, [&](RowRange range) {
        for (std::int64_t i = range.first; i < range.end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& count : seen) EXPECT_EQ(count.load(), 1);
    }
}

TEST(Peak, CountsItsWork) {
  const auto library = open_peak({"", 1});
  if (!library) GTEST_SKIP() << library.error()[0].message;
  const Problem problem{BenchProgram::Gemm, {1, 1, 1}};
  const auto operands = Operands::make(problem);
  const auto bound = (*library)->bind(0, problem, *operands, {});
  ASSERT_TRUE(bound.has_value());
  EXPECT_GT(bound->multiply_adds, 1e5);
  bound->call();
}

}  // namespace
}  // namespace tilewright::bench
