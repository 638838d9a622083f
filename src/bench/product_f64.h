// A matrix product in FP64 that shares nothing with what is measured.
#pragma once

#include <cstdint>

namespace tilewright::bench {

/// c[i, j] = sum of a[i, p] b[p, j] in FP64; a is m x k with row stride `a_stride`, b k x n and c m x n, dense. The
/// products of two floats are exact; sums are in ascending order of p.
void product_f64(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_stride, const double* b,
                 double* c);

}  // namespace tilewright::bench
