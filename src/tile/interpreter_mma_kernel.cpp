#include "tile/interpreter_mma_kernel.h"

#include <cmath>
#include <type_traits>

namespace tilewright::tile {

namespace {

constexpr std::int64_t kWidth = 8;  // columns whose results stay in registers over the depth

// block(row, column, width) for every row and block of columns. The width of a full block is a constant, which is what
// lets the compiler turn the loops over it into vectors.
template <class Block>
[[gnu::always_inline]] inline void for_each_block(PanelSize size, Block block) {
  std::int64_t column = 0;
  for (; column + kWidth <= size.columns; column += kWidth)
    for (std::int64_t row = 0; row < size.rows; ++row) block(row, column, std::integral_constant<int, kWidth>{});
  for (; column < size.columns; ++column)
    for (std::int64_t row = 0; row < size.rows; ++row) block(row, column, std::integral_constant<int, 1>{});
}

[[gnu::always_inline]] inline void products(PanelSize size, const double* a, const double* b, double* sum,
                                            double* magnitude) {
  for_each_block(size, [=](std::int64_t row, std::int64_t column, auto width) __attribute__((always_inline)) {
    double* const sums = sum + row * size.columns + column;
    double* const magnitudes = magnitude + row * size.columns + column;
    double s[width], m[width];
    for (int l = 0; l < width; ++l) s[l] = sums[l];
    for (int l = 0; l < width; ++l) m[l] = magnitudes[l];
    for (std::int64_t k = 0; k < size.depth; ++k) {
      const double left = a[row * size.depth + k];
      const double* const right = b + k * size.columns + column;
      for (int l = 0; l < width; ++l) {
        const double product = left * right[l];
        s[l] += product;
        m[l] += std::fabs(product);
      }
    }
    for (int l = 0; l < width; ++l) sums[l] = s[l];
    for (int l = 0; l < width; ++l) magnitudes[l] = m[l];
  });
}

[[gnu::always_inline]] inline void errors(PanelSize size, const double* a, const double* a_bound, const double* b,
                                          const double* b_bound, double* error) {
  for_each_block(size, [=](std::int64_t row, std::int64_t column, auto width) __attribute__((always_inline)) {
    double* const results = error + row * size.columns + column;
    double e[width];
    for (int l = 0; l < width; ++l) e[l] = results[l];
    for (std::int64_t k = 0; k < size.depth; ++k) {
      const double left_bound = a_bound[row * size.depth + k];
      const double left_reach = std::fabs(a[row * size.depth + k]) + left_bound;
      const double* const right = b + k * size.columns + column;
      const double* const right_bound = b_bound + k * size.columns + column;
      for (int l = 0; l < width; ++l) e[l] += left_reach * right_bound[l] + left_bound * std::fabs(right[l]);
    }
    for (int l = 0; l < width; ++l) results[l] = e[l];
  });
}

[[gnu::always_inline]] inline void fused(PanelSize size, const float* a, const float* b, float* sum) {
  for_each_block(size, [=](std::int64_t row, std::int64_t column, auto width) __attribute__((always_inline)) {
    float* const sums = sum + row * size.columns + column;
    float s[width];
    for (int l = 0; l < width; ++l) s[l] = sums[l];
    for (std::int64_t k = 0; k < size.depth; ++k) {
      const float left = a[row * size.depth + k];
      const float* const right = b + k * size.columns + column;
      for (int l = 0; l < width; ++l) s[l] = __builtin_fmaf(left, right[l], s[l]);
    }
    for (int l = 0; l < width; ++l) sums[l] = s[l];
  });
}

}  // namespace

// The same source for the baseline and for wide vectors: the results do not depend on which one runs.
#if defined(__x86_64__)
namespace {

bool has_wide_vectors() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

[[gnu::target("avx2,fma")]] void wide_products(PanelSize size, const double* a, const double* b, double* sum,
                                               double* magnitude) {
  products(size, a, b, sum, magnitude);
}
[[gnu::target("avx2,fma")]] void wide_errors(PanelSize size, const double* a, const double* a_bound, const double* b,
                                             const double* b_bound, double* error) {
  errors(size, a, a_bound, b, b_bound, error);
}
[[gnu::target("avx2,fma")]] void wide_fused(PanelSize size, const float* a, const float* b, float* sum) {
  fused(size, a, b, sum);
}

}  // namespace
#endif

void accumulate_products(PanelSize size, const double* a, const double* b, double* sum, double* magnitude) {
#if defined(__x86_64__)
  if (has_wide_vectors()) return wide_products(size, a, b, sum, magnitude);
#endif
  products(size, a, b, sum, magnitude);
}

void accumulate_bounded_products(PanelSize size, const double* a, const double* a_bound, const double* b,
                                 const double* b_bound, double* sum, double* magnitude, double* error) {
  accumulate_products(size, a, b, sum, magnitude);
#if defined(__x86_64__)
  if (has_wide_vectors()) return wide_errors(size, a, a_bound, b, b_bound, error);
#endif
  errors(size, a, a_bound, b, b_bound, error);
}

void accumulate_fused(PanelSize size, const float* a, const float* b, float* sum) {
#if defined(__x86_64__)
  if (has_wide_vectors()) return wide_fused(size, a, b, sum);
#endif
  fused(size, a, b, sum);
}

}  // namespace tilewright::tile
