#include "analysis/affine.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/checked_math.h"
#include "tile/printer.h"

namespace tilewright::analysis {

using tile::IndexKind;
using tile::IndexNode;
using tile::IndexRange;

namespace {

__extension__ typedef __int128 Wide;

std::optional<Wide> wide_add(Wide a, Wide b) {
  Wide sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<Wide> wide_mul(Wide a, Wide b) {
  Wide product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<std::int64_t> narrow(Wide value) {
  if (value < INT64_MIN || value > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

struct WideRange {
  Wide low = 0, high = 0;
};

std::optional<WideRange> wide_product(const WideRange& a, const WideRange& b) {
  std::optional<WideRange> range;
  for (Wide x : {a.low, a.high})
    for (Wide y : {b.low, b.high}) {
      const auto product = wide_mul(x, y);
      if (!product) return std::nullopt;
      if (!range) range = WideRange{*product, *product};
      range->low = std::min(range->low, *product);
      range->high = std::max(range->high, *product);
    }
  return range;
}

std::optional<WideRange> term_range(const Term& term, const LeafRanges& ranges) {
  std::optional<WideRange> product = WideRange{term.coefficient, term.coefficient};
  for (const Leaf& leaf : term.factors) {
    const auto range = ranges.of(IndexNode{leaf.kind, leaf.index, {}, {}});
    if (!range) return std::nullopt;
    product = wide_product(*product, {range->low, range->high});
    if (!product) return std::nullopt;
  }
  return product;
}

std::string leaf_text(const tile::Program& program, const Leaf& leaf) {
  const IndexNode node{leaf.kind, leaf.index, {}, {}};
  if (leaf.kind == IndexKind::Symbol) return program.symbols()[node.symbol()].name;
  if (leaf.kind == IndexKind::Param) return program.params()[node.param()].name;
  if (leaf.kind == IndexKind::Coord) return program.coords()[node.coord()].name;
  return program.axes()[node.axis()].label;
}

/// |value| in digits; also of INT64_MIN.
std::string magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return std::to_string(value < 0 ? ~bits + 1 : bits);
}

}  // namespace

std::int64_t AffineForm::coefficient(Leaf leaf) const {
  for (const Term& term : terms)
    if (term.factors.size() == 1 && term.factors[0] == leaf) return term.coefficient;
  return 0;
}

bool AffineForm::involves(Leaf leaf) const {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
    return std::find(term.factors.begin(), term.factors.end(), leaf) != term.factors.end();
  });
}

bool AffineForm::is_linear() const {
  return std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.factors.size() == 1; });
}

std::vector<Leaf> AffineForm::varying() const {
  std::vector<Leaf> leaves;
  for (const Term& term : terms)
    for (const Leaf& leaf : term.factors)
      if (leaf.varies()) leaves.push_back(leaf);
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

std::optional<AffineForm> add_scaled(const AffineForm& a, const AffineForm& b, std::int64_t factor) {
  auto sum = [&](std::int64_t x, std::int64_t y) -> std::optional<std::int64_t> {
    const auto scaled = checked_mul(y, factor);
    return scaled ? checked_add(x, *scaled) : std::nullopt;
  };
  const auto constant = sum(a.constant, b.constant);
  if (!constant) return std::nullopt;
  AffineForm result{*constant, {}};
  auto left = a.terms.begin();
  auto right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    const bool take_left = right == b.terms.end() || (left != a.terms.end() && left->factors <= right->factors);
    const bool take_right = left == a.terms.end() || (right != b.terms.end() && right->factors <= left->factors);
    const auto coefficient = sum(take_left ? left->coefficient : 0, take_right ? right->coefficient : 0);
    if (!coefficient) return std::nullopt;
    if (*coefficient != 0) result.terms.push_back({take_left ? left->factors : right->factors, *coefficient});
    if (take_left) ++left;
    if (take_right) ++right;
  }
  return result;
}

AffineForm without(const AffineForm& form, Leaf leaf) {
  AffineForm rest = form;
  std::erase_if(rest.terms, [&](const Term& term) { return term.factors.size() == 1 && term.factors[0] == leaf; });
  return rest;
}

std::optional<std::int64_t> evaluate(const AffineForm& form,
                                     const std::function<std::optional<std::int64_t>(Leaf)>& value) {
  std::optional<Wide> sum = form.constant;
  for (const Term& term : form.terms) {
    std::optional<Wide> product = term.coefficient;
    for (const Leaf& leaf : term.factors) {
      const auto number = value(leaf);
      if (!number || !product) return std::nullopt;
      product = wide_mul(*product, *number);
    }
    if (!product) return std::nullopt;
    sum = wide_add(*sum, *product);
    if (!sum) return std::nullopt;
  }
  return narrow(*sum);
}

std::optional<IndexRange> over_range_of(const AffineForm& form, const LeafRanges& ranges) {
  std::optional<Wide> low = form.constant, high = form.constant;
  for (const Term& term : form.terms) {
    const auto range = term_range(term, ranges);
    if (!range) return std::nullopt;
    low = wide_add(*low, range->low);
    high = wide_add(*high, range->high);
    if (!low || !high) return std::nullopt;
  }
  const auto narrow_low = narrow(*low), narrow_high = narrow(*high);
  if (!narrow_low || !narrow_high) return std::nullopt;
  return IndexRange{*narrow_low, *narrow_high};
}

std::string to_text(const tile::Program& program, const AffineForm& form) {
  std::string text;
  auto add = [&](bool negative, const std::string& part) {
    if (text.empty())
      text = (negative ? "-" : "") + part;
    else
      text += (negative ? " - " : " + ") + part;
  };
  for (const Term& term : form.terms) {
    std::string product = term.coefficient == 1 || term.coefficient == -1 ? "" : magnitude(term.coefficient);
    for (const Leaf& leaf : term.factors) product += (product.empty() ? "" : "*") + leaf_text(program, leaf);
    add(term.coefficient < 0, product);
  }
  if (form.constant != 0 || text.empty()) add(form.constant < 0, magnitude(form.constant));
  return text;
}

std::string to_text(const tile::Program& program, const AffineFault& fault) {
  const std::string where = tile::print_index(program, fault.where);
  switch (fault.reason) {
    case AffineReason::NonAffine:
      return fmt::format("'{}' is not affine", where);
    case AffineReason::MayOverflow:
      return fmt::format("'{}' may leave 64 bits", where);
    case AffineReason::DivisorMayBeZero:
      return fmt::format("the divisor of '{}' may be zero", where);
    case AffineReason::UnknownRange:
      return fmt::format("nothing bounds '{}'", where);
  }
  return {};
}

}  // namespace tilewright::analysis
