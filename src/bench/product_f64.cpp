#include "bench/product_f64.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/vector_widths.h"

namespace tilewright::bench {

namespace {

constexpr std::int64_t kColumns = 16, kRows = 4;
using Lanes = double __attribute__((vector_size(64)));

/// Four rows of a against one panel of 16 columns of b, padded with zeros.
[[gnu::always_inline]] inline void four_rows(std::int64_t k, const float* const* a, const double* panel,
                                             double (*sums)[kColumns]) {
  Lanes low[kRows] = {}, high[kRows] = {};
  for (std::int64_t p = 0; p < k; ++p) {
    Lanes left, right;
    std::memcpy(&left, panel + p * kColumns, sizeof left);
    std::memcpy(&right, panel + p * kColumns + 8, sizeof right);
    for (std::int64_t r = 0; r < kRows; ++r) {
      const auto factor = static_cast<double>(a[r][p]);
      low[r] += factor * left;
      high[r] += factor * right;
    }
  }
  for (std::int64_t r = 0; r < kRows; ++r) {
    std::memcpy(sums[r], &low[r], sizeof low[r]);
    std::memcpy(sums[r] + 8, &high[r], sizeof high[r]);
  }
}

TW_FOR_WIDTHS(four_rows_best, four_rows,
              (std::int64_t k, const float* const* a, const double* panel, double (*sums)[kColumns]),
              (k, a, panel, sums))

}  // namespace

void product_f64(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_stride, const double* b,
                 double* c) {
  std::vector<double> panel(static_cast<std::size_t>(k * kColumns));
  for (std::int64_t j = 0; j < n; j += kColumns) {
    const std::int64_t width = std::min(kColumns, n - j);
    for (std::int64_t p = 0; p < k; ++p) std::copy_n(b + p * n + j, width, panel.data() + p * kColumns);
    for (std::int64_t i = 0; i < m; i += kRows) {
      const float* rows[kRows];
      double sums[kRows][kColumns];
      for (std::int64_t r = 0; r < kRows; ++r) rows[r] = a + std::min(i + r, m - 1) * a_stride;
      four_rows_best(k, rows, panel.data(), sums);
      for (std::int64_t r = 0; r < std::min(kRows, m - i); ++r) std::copy_n(sums[r], width, c + (i + r) * n + j);
    }
  }
}

}  // namespace tilewright::bench
