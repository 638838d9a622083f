// Affine forms of index expressions: constant + sum of coefficient * term.
//
// A term is one leaf (coordinate, axis, symbol, parameter) or a product of a few leaves of which at most one is a
// coordinate or axis (i * BM of an open family). Cancellation is trusted only after every subexpression of the original
// expression is known to be free of overflow and of division by zero for all values of its leaves within their ranges;
// otherwise there is a reason and no form. Within those ranges the form equals the expression exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/leaf_ranges.h"
#include "tile/program.h"

namespace tilewright::analysis {

struct Leaf {
  tile::IndexKind kind = tile::IndexKind::Symbol;  ///< Symbol, Param, Coord or Axis
  std::uint32_t index = 0;

  static Leaf of(tile::SymbolId id) { return {tile::IndexKind::Symbol, id.index}; }
  static Leaf of(tile::ParamId id) { return {tile::IndexKind::Param, id.index}; }
  static Leaf of(tile::CoordId id) { return {tile::IndexKind::Coord, id.index}; }
  static Leaf of(tile::AxisId id) { return {tile::IndexKind::Axis, id.index}; }
  bool varies() const { return kind == tile::IndexKind::Coord || kind == tile::IndexKind::Axis; }
  auto operator<=>(const Leaf&) const = default;
};

struct Term {
  std::vector<Leaf> factors;  ///< sorted, at least one; a square stands twice
  std::int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

/// Canonical: terms sorted by factors, each product once, no coefficient 0. Equal forms are equal functions.
struct AffineForm {
  std::int64_t constant = 0;
  std::vector<Term> terms;

  bool is_constant() const { return terms.empty(); }
  /// Of the term that is this leaf alone.
  std::int64_t coefficient(Leaf leaf) const;
  /// Whether the leaf is a factor of any term.
  bool involves(Leaf leaf) const;
  /// Every term is a single leaf: no open product.
  bool is_linear() const;
  /// Coordinates and axes of the terms, each once, sorted.
  std::vector<Leaf> varying() const;
  bool operator==(const AffineForm&) const = default;
};

enum class AffineReason : std::uint8_t {
  NonAffine,         ///< the expression has values, but no form was found
  MayOverflow,       ///< a subexpression, or a coefficient, may leave 64 bits
  DivisorMayBeZero,  ///< of a division or modulus
  UnknownRange,      ///< a leaf or bit operation without a range
};

struct AffineFault {
  AffineReason reason{};
  tile::IndexId where;  ///< the subexpression
  bool operator==(const AffineFault&) const = default;
};

std::expected<AffineForm, AffineFault> affine_form(const tile::Program& program, tile::IndexId expr,
                                                   const LeafRanges& ranges);

/// a + factor * b, or nothing when a coefficient leaves 64 bits.
std::optional<AffineForm> add_scaled(const AffineForm& a, const AffineForm& b, std::int64_t factor);
/// The form without its term in this leaf alone.
AffineForm without(const AffineForm& form, Leaf leaf);
/// `value(leaf)` for every leaf; nothing when one has no value or the sum is not a 64-bit number.
std::optional<std::int64_t> evaluate(const AffineForm& form,
                                     const std::function<std::optional<std::int64_t>(Leaf)>& value);
/// Surely contains every value. Both ends are values at some corner of the ranges when the form is linear.
std::optional<tile::IndexRange> over_range_of(const AffineForm& form, const LeafRanges& ranges);

/// "2*i + m - 3", with the labels of the program.
std::string to_text(const tile::Program& program, const AffineForm& form);
/// A sentence: what stands in the way, and in which subexpression.
std::string to_text(const tile::Program& program, const AffineFault& fault);

}  // namespace tilewright::analysis
