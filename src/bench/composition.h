// Programs put together from the matrix product of a library and the passes of this folder: what a user of the library
// would write.
#pragma once

#include <functional>

#include "bench/library.h"

namespace tilewright::bench {

/// c = a b, or a times the transpose of b; strides count elements from row to row.
struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
  bool b_transposed = false;
};

using ProductCall = std::function<void(const float* a, const float* b, float* c)>;
/// Makes ready for one product. Unsupported: the library does not have it.
using ProductBinder = std::function<Result<ProductCall>(const MatrixProduct&)>;

/// gemm is one product. gemm_bias_gelu adds a pass over the output, attention does product, softmax, product for each
/// head. Unsupported for programs without a product.
Result<BoundCall> compose(const Problem& problem, const Operands& operands, int threads, const ProductBinder& bind);

}  // namespace tilewright::bench
