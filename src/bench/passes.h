// Vectorised passes over rows, for what a library has no call for: the separate pass after its product, and the copy
// that programs of rows are measured against. Threaded over rows.
#pragma once

#include <cstdint>
#include <functional>

namespace tilewright::bench {

/// Rows [first, end) of a matrix with that many columns, dense.
struct RowRange {
  std::int64_t first = 0, end = 0;
};

/// c = gelu(c + bias), the tanh form.
void bias_gelu_rows(float* c, const float* bias, std::int64_t columns, RowRange rows);
/// y = softmax(scale x) over the first `seen` columns of each row, 0 beyond; `seen` grows by `seen_step` a row and is
/// that of row 0. x and y may be the same.
void softmax_rows(const float* x, float* y, std::int64_t columns, float scale, std::int64_t seen,
                  std::int64_t seen_step, RowRange rows);
/// y = x / sqrt(mean(x^2) + 1e-5) gain.
void rmsnorm_rows(const float* x, const float* gain, float* y, std::int64_t columns, RowRange rows);

/// Calls work(range) for parts of [0, rows) on that many threads; in this one alone for one thread.
void for_row_parts(int threads, std::int64_t rows, const std::function<void(RowRange)>& work);

}  // namespace tilewright::bench
