// Internal to the families map.*: a map rewritten over variables in which it is affine as far as it can be.
//
// Each input is split into mixed-radix digits where its expressions divide it: d0 in 64 under d0 / 8 and d0 % 8
// becomes 8*v1 + v0 with v1 in 8 and v0 in 8. Over the digits the rows are affine. `exact`: the box of the variables
// is the domain; otherwise (a divisor that does not divide the extent) it holds the domain and more points.
//
// The rewriting cancels terms, so it is valid only where every part of every expression has a value: the caller has
// shown that (map.total_in_bounds, or the ranges) before it trusts a row.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/map_points.h"
#include "tile/index.h"

namespace tilewright::proof {

struct MapVariable {
  std::size_t input = 0;
  std::int64_t weight = 1, extent = 1;
};

struct AffineRow {
  std::vector<std::int64_t> coefficients;  ///< one a variable
  std::int64_t constant = 0;
};

struct MapRow {
  std::optional<AffineRow> affine;
  std::vector<bool> uses;  ///< which variables the row may depend on
};

enum class Digits : std::uint8_t {
  Exact,     ///< split only by divisors of an extent
  Covering,  ///< split by any divisor; the box may be larger than the domain
};

struct MapSystem {
  std::vector<MapVariable> variables;
  bool exact = true;
  std::vector<MapRow> rows;  ///< one a root

  /// The point of the domain (of a box around it, unless exact) that has these variables.
  MapPoint point(const std::vector<std::int64_t>& values, std::size_t inputs) const;
  std::vector<std::int64_t> extents() const;
};

MapSystem make_map_system(const IndexMap& map, const std::vector<tile::IndexId>& roots, Digits digits);

/// Inclusive range of an affine row over the box of the variables; exact, at corners.
struct WideRange {
  __int128_t low = 0, high = 0;
};
WideRange affine_range(const AffineRow& row, const std::vector<MapVariable>& variables);

/// Rows that share variables, directly or through others, and those variables. Every variable and row is in exactly
/// one.
struct MapComponent {
  std::vector<std::size_t> variables, rows;
};
std::vector<MapComponent> split_components(const MapSystem& system);

/// True when the affine rows alone tell all points of the box of the variables apart: rows whose coefficients dominate
/// (|a_i| > sum over smaller |a_k|(n_k-1)) determine their variables, which then drop out; the rest has full column
/// rank modulo 2^31-1.
bool affine_rows_separate(const MapSystem& system);

/// For a row whose values are consecutive, each once: the first and last of them.
std::optional<WideRange> consecutive_range(const AffineRow& row, const std::vector<MapVariable>& variables);

/// A number in 0 .. extent-1 that the row never takes (ends of its range, a common divisor, a gap between radices).
std::optional<std::int64_t> unreached_by_row(const AffineRow& row, const std::vector<MapVariable>& variables,
                                             std::int64_t extent);

/// Two different values of the variables with equal rows, where the affine rows show one cheaply.
struct VariablePair {
  std::vector<std::int64_t> first, second;
};
std::optional<VariablePair> affine_collision(const MapSystem& system);

}  // namespace tilewright::proof
