// What the output of a problem has to be, in FP64, and whether an output is that.
//
// An output of rows x columns is compared by probes. A probe is one element, or, where a product is too large to be
// computed whole in FP64, the sum of up to 64 neighbours in a row with drawn signs, which costs a 64th: every element
// is in one probe, and one that is wrong changes it. Where the rows of an attention or of a product with an epilogue
// are too many, one in several is compared; of the others every element must be finite, hence written.
//
// The tolerance of a product is 16 u |a_i| |b_j| (u = 2^-24, norms of a row and a column): inputs are uniform in [-1,
// 1), so that rounding errors add up as a random walk, far below it, while operands narrowed to TF32 or bf16 lie far
// above.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/operands.h"
#include "bench/problem.h"

namespace tilewright::bench {

struct Verdict {
  bool ok = true;
  std::string fault;  ///< the first wrong probe: where, expected, found, tolerance
};

class Reference {
 public:
  /// `budget` bounds the multiply-adds in FP64.
  static Reference make(const Problem& problem, const Operands& operands, double budget = 0x1p33);

  /// Premise: one value an element of the output.
  Verdict check(std::span<const float> output) const;
  /// "every element", "every element, in signed sums of 64", "every 8th row".
  const std::string& extent() const { return extent_; }

 private:
  friend class ReferenceMaker;

  Verdict check_row(std::int64_t row, std::span<const float> values) const;
  Verdict check_unsampled(std::int64_t row, std::span<const float> values) const;

  std::int64_t rows_ = 0, columns_ = 0;
  std::int64_t width_ = 1;     ///< elements a probe
  std::int64_t row_step_ = 1;  ///< rows that are compared
  std::vector<double> signs_;  ///< one a column; empty: a probe is one element
  std::vector<double> expected_;
  std::vector<float> tolerance_;
  std::string extent_;
};

}  // namespace tilewright::bench
