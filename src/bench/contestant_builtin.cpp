// Contestants that are yardsticks: hand-vectorised programs of rows, a copy, and one that is wrong on purpose.
#include <signal.h>

#include <cstring>
#include <memory>
#include <utility>

#include "bench/library.h"
#include "bench/passes.h"

namespace tilewright::bench {

namespace {

class Builtin : public Library {
 public:
  using Binder = Result<BoundCall> (*)(const Problem&, const Operands&, int threads);

  Builtin(Binder binder, int threads) : binder_(binder), threads_(threads) {}

  LibraryIdentity identity() const override { return {"", "", {""}}; }
  Result<BoundCall> bind(std::size_t, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    return binder_(problem, operands, threads_);
  }

 private:
  Binder binder_;
  int threads_;
};

Result<BoundCall> bind_pass(const Problem& problem, const Operands& operands, int threads) {
  const auto [m, n, k] = problem.shape;
  const float *x = operands.input(0), *gain = operands.input(operands.input_count() - 1);
  float* const y = operands.output();
  if (problem.program == BenchProgram::Softmax)
    return BoundCall{
        [=, n = n, m = m] { for_row_parts(threads, m, [=](RowRange rows) { softmax_rows(x, y, n, 1, n, 0, rows); }); }};
  if (problem.program == BenchProgram::Rmsnorm)
    return BoundCall{
        [=, n = n, m = m] { for_row_parts(threads, m, [=](RowRange rows) { rmsnorm_rows(x, gain, y, n, rows); }); }};
  return not_offered("it has programs of rows only");
}

Result<BoundCall> bind_copy(const Problem& problem, const Operands& operands, int threads) {
  if (!is_row_program(problem.program)) return not_offered("a copy is the yardstick of programs of rows");
  const auto [m, n, k] = problem.shape;
  const float* const x = operands.input(0);
  float* const y = operands.output();
  return BoundCall{[=, n = n, m = m] {
    for_row_parts(threads, m, [=](RowRange rows) {
      std::memcpy(y + rows.first * n, x + rows.first * n, static_cast<std::size_t>((rows.end - rows.first) * n) * 4);
    });
  }};
}

/// A contestant whose variants fail in one way each.
class Broken : public Library {
 public:
  LibraryIdentity identity() const override { return {"", "", {"wrong", "beside", "dies"}}; }

  Result<BoundCall> bind(std::size_t variant, const Problem& problem, const Operands& operands,
                         const CandidateSettings&) override {
    if (problem.program != BenchProgram::Gemm) return not_offered("it has gemm only");
    return BoundCall{[variant, &operands, shape = problem.shape] {
      const auto [m, n, k] = shape;
      float* const c = operands.output();
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (std::int64_t p = 0; p < k; ++p) sum += operands.input(0)[i * k + p] * operands.input(1)[p * n + j];
          c[i * n + j] = sum;
        }
      if (variant == 0) c[m * n - 1] += 0.5F;
      if (variant == 1) c[m * n] = 0;
      if (variant == 2) ::raise(SIGKILL);
    }};
  }
};

}  // namespace

Result<std::unique_ptr<Library>> open_passes(const LibraryPlace& place) {
  return std::make_unique<Builtin>(bind_pass, place.threads);
}

Result<std::unique_ptr<Library>> open_copy(const LibraryPlace& place) {
  return std::make_unique<Builtin>(bind_copy, place.threads);
}

Result<std::unique_ptr<Library>> open_broken(const LibraryPlace&) { return std::make_unique<Broken>(); }

}  // namespace tilewright::bench
