// The recursion from an index expression to its affine form. Every operation is first checked for overflow over the
// ranges of its operands; only then are the forms of the operands combined.
#include <algorithm>

#include "analysis/affine.h"
#include "support/checked_math.h"

namespace tilewright::analysis {

using tile::IndexId;
using tile::IndexKind;
using tile::IndexNode;
using tile::IndexRange;

namespace {

constexpr std::size_t kMaxFactors = 4;
constexpr std::size_t kMaxTerms = 256;

/// A subexpression: its range, and its form when it has one, or else why not.
struct Part {
  IndexRange range;
  std::optional<AffineForm> form;
  AffineFault why = {};
};
using PartResult = std::expected<Part, AffineFault>;

AffineForm number(std::int64_t value) { return {value, {}}; }

/// The product of two terms, when it is still a term.
std::optional<Term> multiply(const Term& a, const Term& b) {
  Term product;
  std::merge(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
             std::back_inserter(product.factors));
  const auto varying =
      std::count_if(product.factors.begin(), product.factors.end(), [](const Leaf& leaf) { return leaf.varies(); });
  const auto coefficient = checked_mul(a.coefficient, b.coefficient);
  if (varying > 1 || product.factors.size() > kMaxFactors || !coefficient) return std::nullopt;
  product.coefficient = *coefficient;
  return product;
}

std::optional<AffineForm> multiply(const AffineForm& a, const AffineForm& b) {
  if (a.terms.size() * b.terms.size() > kMaxTerms) return std::nullopt;
  std::optional<AffineForm> sum = add_scaled(number(0), a, b.constant);
  const AffineForm b_terms{0, b.terms};
  if (sum) sum = add_scaled(*sum, b_terms, a.constant);
  for (const Term& left : a.terms)
    for (const Term& right : b.terms) {
      const auto product = multiply(left, right);
      if (!sum || !product) return std::nullopt;
      sum = add_scaled(*sum, AffineForm{0, {*product}}, 1);
    }
  return sum;
}

/// The range of one operation from the ranges of its operands, as IndexArena::range_over knows it.
class OperationRanges {
 public:
  std::optional<IndexRange> of(IndexKind kind, IndexRange a, IndexRange b) {
    const IndexId lhs = arena_.axis(tile::AxisId{0});
    const IndexId rhs = arena_.axis(tile::AxisId{1});
    return arena_.range_over(arena_.make(kind, lhs, rhs), [&](const IndexNode& leaf) {
      return std::optional<IndexRange>(leaf.axis() == tile::AxisId{0} ? a : b);
    });
  }

 private:
  tile::IndexArena arena_;
};

class Affine {
 public:
  Affine(const tile::Program& program, const LeafRanges& ranges) : index_(program.index()), ranges_(ranges) {}

  std::expected<AffineForm, AffineFault> run(IndexId expr) {
    PartResult part = visit(expr);
    if (!part) return std::unexpected(part.error());
    if (!part->form) return std::unexpected(part->why);
    return *std::move(part->form);
  }

 private:
  PartResult visit(IndexId id) {
    const IndexNode& node = index_[id];
    if (tile::is_index_leaf(node.kind)) return leaf(id, node);
    PartResult a = visit(node.lhs);
    if (!a) return a;
    PartResult b = visit(node.rhs);
    if (!b) return b;
    const auto range = operation_ranges_.of(node.kind, a->range, b->range);
    if (!range) return std::unexpected(AffineFault{why_no_range(node.kind, a->range, b->range), id});
    Part part{*range, std::nullopt};
    if (!a->form || !b->form)
      part.why = a->form ? b->why : a->why;
    else if (part.form = combine(node.kind, *a, *b); part.form && part.form->terms.size() > kMaxTerms)
      part.form.reset();
    if (!part.form && range->low == range->high) part.form = number(range->low);
    if (!part.form && a->form && b->form) part.why = {why_no_form(node.kind, *a->form, *b->form), id};
    return part;
  }

  PartResult leaf(IndexId id, const IndexNode& node) const {
    const auto range = ranges_.of(node);
    if (!range) return std::unexpected(AffineFault{AffineReason::UnknownRange, id});
    if (node.kind == IndexKind::Constant) return Part{*range, number(node.value)};
    return Part{*range, AffineForm{0, {Term{{Leaf{node.kind, static_cast<std::uint32_t>(node.value)}}, 1}}}};
  }

  static AffineReason why_no_range(IndexKind kind, IndexRange a, IndexRange b) {
    const bool divides = kind == IndexKind::FloorDiv || kind == IndexKind::CeilDiv || kind == IndexKind::Mod;
    if (divides && b.low <= 0 && b.high >= 0) return AffineReason::DivisorMayBeZero;
    const bool shifts = kind == IndexKind::ShiftLeft || kind == IndexKind::ShiftRight;
    const bool bits = kind == IndexKind::BitAnd || kind == IndexKind::BitXor;
    if ((shifts || bits) && (a.low < 0 || b.low < 0 || (shifts && b.high > 63))) return AffineReason::UnknownRange;
    return AffineReason::MayOverflow;
  }

  /// Sums and multiples always have a form, unless a coefficient is too large.
  static AffineReason why_no_form(IndexKind kind, const AffineForm& a, const AffineForm& b) {
    const bool sum = kind == IndexKind::Add || kind == IndexKind::Sub;
    const bool multiple = kind == IndexKind::Mul && (a.is_constant() || b.is_constant());
    const bool too_long = a.terms.size() + b.terms.size() > kMaxTerms;
    return (sum || multiple) && !too_long ? AffineReason::MayOverflow : AffineReason::NonAffine;
  }

  std::optional<AffineForm> combine(IndexKind kind, const Part& a, const Part& b) const {
    switch (kind) {
      case IndexKind::Add:
        return add_scaled(*a.form, *b.form, 1);
      case IndexKind::Sub:
        return add_scaled(*a.form, *b.form, -1);
      case IndexKind::Mul:
        return multiply(*a.form, *b.form);
      case IndexKind::FloorDiv:
      case IndexKind::CeilDiv:
      case IndexKind::Mod:
        return b.form->is_constant() ? divide(kind, *a.form, b.form->constant) : std::nullopt;
      case IndexKind::Min:
      case IndexKind::Max:
        return pick(kind, a, b);
      case IndexKind::BitAnd:
      case IndexKind::BitXor:
      case IndexKind::ShiftLeft:
      case IndexKind::ShiftRight:
        return combine_bits(kind, a, b);
      case IndexKind::Constant:
      case IndexKind::Symbol:
      case IndexKind::Param:
      case IndexKind::Coord:
      case IndexKind::Axis:
        break;
    }
    TW_CHECK(!"leaf kinds are not operations");
    return std::nullopt;
  }

  /// One side, when it surely is the smaller (larger) one.
  std::optional<AffineForm> pick(IndexKind kind, const Part& a, const Part& b) const {
    IndexRange difference{0, 0};  // of which only the signs of the ends count
    if (a.range.high <= b.range.low || b.range.high <= a.range.low) {
      difference = a.range.high <= b.range.low ? IndexRange{-1, 0} : IndexRange{0, 1};
    } else {
      const auto form = add_scaled(*a.form, *b.form, -1);
      const auto range = form ? over_range_of(*form, ranges_) : std::nullopt;
      if (!range) return std::nullopt;
      difference = *range;
    }
    if (difference.high <= 0) return kind == IndexKind::Min ? a.form : b.form;
    if (difference.low >= 0) return kind == IndexKind::Min ? b.form : a.form;
    return std::nullopt;
  }

  /// floor((d X + R) / d) = X + floor(R / d), where the second quotient is one number q over the whole range of R; the
  /// same for the ceiling; and the remainder is then R - d q.
  std::optional<AffineForm> divide(IndexKind kind, const AffineForm& form, std::int64_t divisor) const {
    AffineForm multiples, rest{form.constant, {}};
    for (const Term& term : form.terms) {
      const auto remainder = checked_mod(term.coefficient, divisor);
      const auto quotient = checked_floordiv(term.coefficient, divisor);
      if (remainder == 0 && quotient)
        multiples.terms.push_back({term.factors, *quotient});
      else
        rest.terms.push_back(term);
    }
    const auto range = over_range_of(rest, ranges_);
    if (!range) return std::nullopt;
    const IndexKind rounding = kind == IndexKind::CeilDiv ? IndexKind::CeilDiv : IndexKind::FloorDiv;
    const auto low = tile::apply_index_op(rounding, range->low, divisor);
    const auto high = tile::apply_index_op(rounding, range->high, divisor);
    if (!low || low != high) return std::nullopt;
    if (kind == IndexKind::Mod) {
      const auto whole = checked_mul(divisor, *low);
      return whole ? add_scaled(rest, number(*whole), -1) : std::nullopt;
    }
    return add_scaled(multiples, number(*low), 1);
  }

  /// Bits of numbers that are not negative.
  std::optional<AffineForm> combine_bits(IndexKind kind, const Part& a, const Part& b) const {
    if (a.range.low < 0 || b.range.low < 0) return std::nullopt;
    if (kind == IndexKind::BitAnd && a.form->is_constant() && !b.form->is_constant()) return combine_bits(kind, b, a);
    if (kind == IndexKind::BitXor && a.form->is_constant() && a.form->constant == 0) return b.form;
    if (!b.form->is_constant()) return std::nullopt;
    const std::int64_t bits = b.form->constant;
    if (kind == IndexKind::BitXor) return bits == 0 ? a.form : std::nullopt;
    if (kind == IndexKind::BitAnd) {
      if (bits == INT64_MAX || (bits & (bits + 1)) != 0) return std::nullopt;
      return divide(IndexKind::Mod, *a.form, bits + 1);
    }
    if (bits > 62) return std::nullopt;
    const std::int64_t power = std::int64_t{1} << bits;
    if (kind == IndexKind::ShiftLeft) return add_scaled(number(0), *a.form, power);
    return divide(IndexKind::FloorDiv, *a.form, power);
  }

  const tile::IndexArena& index_;
  const LeafRanges& ranges_;
  OperationRanges operation_ranges_;
};

}  // namespace

std::expected<AffineForm, AffineFault> affine_form(const tile::Program& program, IndexId expr,
                                                   const LeafRanges& ranges) {
  return Affine(program, ranges).run(expr);
}

}  // namespace tilewright::analysis
