// How a contraction runs on one processor core: the register rectangle of cpu.vector and what is packed and fetched
// around it.
//
// The columns of the product are the lanes of vectors. V = ceil(N / lanes) vectors are dealt out to ceil(V / vectors)
// panels as evenly as possible, the panels to ceil(panels / group) groups and the M rows to ceil(M / rows) tiles
// likewise, so that every panel has `vectors` or one vector less, and so on. Tasks are (batch, group, tile), tiles
// fastest; a worker takes a range of them, copies the panels of a group once, and lets each tile run through all of
// them. A rectangle of rows x vectors accumulators stays in registers for the whole depth.
#pragma once

#include <cstdint>

namespace tilewright::realize {

struct VectorMapping {
  std::int64_t lanes = 1;    ///< of a vector of f32
  std::int64_t rows = 1;     ///< of the register rectangle
  std::int64_t vectors = 1;  ///< columns of it
  std::int64_t unroll = 1;   ///< steps of the depth in one iteration
  bool swaps = false;        ///< rows of the product are the lanes: the transposed product is computed
  /// Lanes are steps of the depth: a rectangle of rows x `vectors` single columns has one vector of partial sums each,
  /// folded at the end. Both operands run along the depth, the order of the sum is free, and nothing is packed.
  bool depth_lanes = false;
  bool packs = false;      ///< panels of b are copied to storage of the worker; else read in place
  std::int64_t group = 1;  ///< panels that are packed together
  /// Steps of the depth in one pass, a multiple of `unroll`; 0: all. With passes, partial sums wait in storage of the
  /// worker, which is read and written once a pass, and panels hold one pass.
  std::int64_t pass = 0;
  std::int64_t fetch_ahead = 0;  ///< steps of the depth by which the rows of a are fetched ahead; 0: not at all
  bool operator==(const VectorMapping&) const = default;

  /// Columns of one of the `vectors`.
  constexpr std::int64_t columns_each() const { return depth_lanes ? 1 : lanes; }
  constexpr std::int64_t pass_of(std::int64_t depth) const { return pass == 0 || pass > depth ? depth : pass; }
  static constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a == 0 ? 0 : (a - 1) / b + 1; }
};

/// `count` things dealt out to ceil(count / most) parts: the first `large` have `size`, the others size - 1.
struct EvenParts {
  std::int64_t parts = 0, size = 0, large = 0;

  EvenParts(std::int64_t count, std::int64_t most) : parts(VectorMapping::ceil_div(count, most)) {
    size = VectorMapping::ceil_div(count, parts == 0 ? 1 : parts);
    large = count - parts * (size - 1);
  }
  bool are_equal() const { return large == parts; }
};

}  // namespace tilewright::realize
