// The innermost loops of mma over dense panels: a[rows][depth], b[depth][columns], results [rows][columns].
//
// Each result is one ascending chain over the depth, so that no vector width or blocking changes a bit of it.
#pragma once

#include <cstdint>

namespace tilewright::tile {

struct PanelSize {
  std::int64_t rows = 0, columns = 0, depth = 0;
};

/// sum += a * b and magnitude += |a * b|, product and sum rounded apart.
void accumulate_products(PanelSize size, const double* a, const double* b, double* sum, double* magnitude);

/// The same, and error += |a| eb + |b| ea + ea eb, for operands with bounds ea and eb.
void accumulate_bounded_products(PanelSize size, const double* a, const double* a_bound, const double* b,
                                 const double* b_bound, double* sum, double* magnitude, double* error);

/// sum = fma(a, b, sum).
void accumulate_fused(PanelSize size, const float* a, const float* b, float* sum);

}  // namespace tilewright::tile
