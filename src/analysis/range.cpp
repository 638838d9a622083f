#include "analysis/range.h"

#include <algorithm>

namespace tilewright::analysis {

using tile::IndexId;
using tile::IndexKind;
using tile::IndexNode;
using tile::IndexRange;

namespace {

class RangeFinder {
 public:
  RangeFinder(const tile::Program& program, const OverDomain& domain, const LeafRanges& ranges)
      : program_(program),
        domain_(domain),
        ranges_(ranges),
        full_box_(domain.is_exact() && domain.is_constant_box() && !domain.surely_empty()) {}

  Range find(IndexId expr) const {
    const IndexRange bounds = *over_range_of(program_, expr, ranges_);
    if (const auto form = affine_form(program_, expr, ranges_)) return of_form(*form, bounds);
    if (const auto range = monotone(expr)) return *range;
    return {bounds.low, bounds.high, full_box_ && bounds.low == bounds.high};
  }

 private:
  Range of_form(const AffineForm& form, IndexRange bounds) const {
    // Open products may have a wider range of their own than the expression has, or none.
    const auto own = over_range_of(form, ranges_).value_or(bounds);
    const IndexRange range{std::max(own.low, bounds.low), std::min(own.high, bounds.high)};
    const bool independent = form.is_linear() && std::all_of(form.terms.begin(), form.terms.end(), [&](const Term& t) {
                               return takes_both_ends(t.factors[0]);
                             });
    return {range.low, range.high, full_box_ && independent};
  }

  bool takes_both_ends(const Leaf& leaf) const {
    const IndexNode node{leaf.kind, leaf.index, {}, {}};
    if (leaf.kind == IndexKind::Coord && domain_.find(node.coord()) != nullptr) return true;
    if (leaf.kind == IndexKind::Axis && domain_.find(node.axis()) != nullptr) return true;
    const auto range = ranges_.of(node);
    return range && range->low == range->high;
  }

  /// A function of one varying operand that never turns around takes its ends at the ends of the operand. (A divisor
  /// does not pass zero, or there would be no range.)
  std::optional<Range> monotone(IndexId expr) const {
    const IndexNode& node = program_.index()[expr];
    if (!never_turns(node.kind)) return std::nullopt;
    const Range a = find(node.lhs), b = find(node.rhs);
    if (b.low != b.high && a.low != a.high) return std::nullopt;
    std::optional<Range> range;
    for (std::int64_t x : {a.low, a.high})
      for (std::int64_t y : {b.low, b.high}) {
        const auto value = tile::apply_index_op(node.kind, x, y);
        if (!value) return std::nullopt;
        if (!range) range = Range{*value, *value, a.exact && b.exact};
        range->low = std::min(range->low, *value);
        range->high = std::max(range->high, *value);
      }
    return range;
  }

  static bool never_turns(IndexKind kind) {
    return kind == IndexKind::Add || kind == IndexKind::Sub || kind == IndexKind::Mul || kind == IndexKind::FloorDiv ||
           kind == IndexKind::CeilDiv || kind == IndexKind::Min || kind == IndexKind::Max;
  }

  const tile::Program& program_;
  const OverDomain& domain_;
  const LeafRanges& ranges_;
  bool full_box_;
};

}  // namespace

std::expected<Range, AffineFault> over_range(const tile::Program& program, IndexId expr, const OverDomain& domain,
                                             const LeafRanges& ranges) {
  const auto form = affine_form(program, expr, ranges);
  const auto bounds = over_range_of(program, expr, ranges);
  if (domain.surely_empty()) return Range{};
  if (!bounds) return std::unexpected(form ? AffineFault{AffineReason::MayOverflow, expr} : form.error());
  return RangeFinder(program, domain, ranges).find(expr);
}

}  // namespace tilewright::analysis
