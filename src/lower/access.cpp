#include "lower/access.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::lower {

namespace {

using kernel::CompareKind;

/// Adds factor * form to sum; false when a factor does not fit.
bool add_scaled(LinearForm& sum, const LinearForm& form, std::int64_t factor) {
  for (const auto& [axis, by] : form.factors) {
    const auto product = checked_mul(by, factor);
    const auto total = product ? checked_add(sum.factors[axis], *product) : product;
    if (!total) return false;
    sum.factors[axis] = *total;
  }
  for (const auto& [by, term] : form.terms) {
    const auto product = checked_mul(by, factor);
    if (!product) return false;
    sum.terms.emplace_back(*product, term);
  }
  const auto product = checked_mul(form.constant, factor);
  const auto total = product ? checked_add(sum.constant, *product) : product;
  if (total) sum.constant = *total;
  return total.has_value();
}

std::optional<LinearForm> linear_address(const tile::Program& program, const ObjectPlace& place,
                                         const std::vector<tile::IndexId>& coords) {
  if (place.layout.valid()) return std::nullopt;
  LinearForm sum;
  sum.constant = place.offset;
  for (std::size_t d = 0; d < coords.size(); ++d) {
    const auto form = linear_form(program.index(), coords[d]);
    if (!form || !add_scaled(sum, *form, place.strides[d])) return std::nullopt;
  }
  std::erase_if(sum.factors, [](const auto& entry) { return entry.second == 0; });
  return sum;
}

}  // namespace

bool ObjectPlace::empty() const {
  return std::any_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent == 0; });
}

Access AccessEmitter::analyze(const ObjectPlace& place, const std::vector<tile::IndexId>& coords,
                              tile::BoundsPolicy bounds) const {
  Access access;
  access.place = &place;
  for (std::size_t d = 0; d < coords.size(); ++d)
    access.dimensions.push_back(analyze_dimension(coords[d], place.extents[d], bounds));
  access.address = linear_address(program_, place, coords);
  return access;
}

Dimension AccessEmitter::analyze_dimension(tile::IndexId coord, std::int64_t extent, tile::BoundsPolicy bounds) const {
  Dimension dimension;
  dimension.coord = coord;
  dimension.extent = extent;
  const auto range = index_.range(coord);
  dimension.may_be_negative = !range || range->low < 0;
  dimension.may_be_beyond = !range || range->high >= extent;
  if (bounds == tile::BoundsPolicy::Assume || (!dimension.may_be_negative && !dimension.may_be_beyond)) {
    dimension.check = RangeCheck::None;
    return dimension;
  }
  const auto form = linear_form(program_.index(), coord);
  if (!form) return dimension;
  for (const auto& [axis, factor] : form->factors) {
    const std::int64_t last = std::max<std::int64_t>(tile::bound_extent(program_, axis), 1) - 1;
    const auto reach = checked_mul(factor, last);
    const auto size = reach ? checked_sub(0, *reach) : reach;
    const auto span = size ? checked_add(dimension.span, std::max(*reach, *size)) : size;
    if (!span) return dimension;
    dimension.span = *span;
    if (*reach < 0) dimension.lowest += *reach;
  }
  dimension.check = RangeCheck::Linear;
  dimension.form = *form;
  return dimension;
}

// ---- Conditions ----------------------------------------------------------------------------------------------------

kernel::ValueId AccessEmitter::both(kernel::ValueId condition, kernel::ValueId more) {
  if (!condition.valid()) return more;
  if (!more.valid()) return condition;
  for (const auto& [known, other] : {std::pair{condition, more}, std::pair{more, condition}})
    if (const auto value = b_.constant(known)) return *value != 0 ? other : known;
  return b_.logical_and(condition, more);
}

bool AccessEmitter::has_linear(const Access& access) const {
  return std::any_of(access.dimensions.begin(), access.dimensions.end(),
                     [](const Dimension& d) { return d.check == RangeCheck::Linear; });
}

kernel::ValueId AccessEmitter::whole_in_range(const std::vector<const Access*>& accesses) {
  kernel::ValueId condition;
  for (const Access* access : accesses) {
    for (const Dimension& dimension : access->dimensions) {
      if (dimension.check != RangeCheck::Linear) continue;
      // The least coordinate against both ends: the greatest one might wrap.
      const kernel::ValueId least = b_.add(index_.emit_invariant(dimension.form), dimension.lowest);
      const std::int64_t last_start = dimension.extent - 1 - dimension.span;
      if (dimension.may_be_negative) condition = both(condition, b_.compare(CompareKind::Ge, least, b_.const_i64(0)));
      if (dimension.may_be_beyond)
        condition = both(condition, b_.compare(CompareKind::Le, least, b_.const_i64(last_start)));
      if (last_start < 0) condition = b_.const_bool(false);
    }
  }
  return condition;
}

kernel::ValueId AccessEmitter::dimension_in_range(const Dimension& dimension, kernel::ValueId coord) {
  kernel::ValueId condition;
  if (dimension.may_be_negative) condition = b_.compare(CompareKind::Ge, coord, b_.const_i64(0));
  if (!dimension.may_be_beyond) return condition;
  return both(condition, b_.compare(CompareKind::Lt, coord, b_.const_i64(dimension.extent)));
}

kernel::ValueId AccessEmitter::in_range(const Access& access, const Point& at, bool linear_known) {
  kernel::ValueId condition;
  for (const Dimension& dimension : access.dimensions) {
    if (dimension.check == RangeCheck::None) continue;
    if (dimension.check == RangeCheck::Linear &&
        (linear_known || index_.surely_inside(dimension.form, at, dimension.extent)))
      continue;
    const CoordinateTest test{index_.emit(dimension.coord, at), &dimension};
    const bool is_assumed =
        std::any_of(assumed_.begin(), assumed_.end(), [&](const CoordinateTest& known) { return known.same_as(test); });
    if (!is_assumed) condition = both(condition, dimension_in_range(dimension, test.coord));
  }
  return condition;
}

std::vector<CoordinateTest> AccessEmitter::tests(const Access& access, const Point& at) {
  std::vector<CoordinateTest> tests;
  for (const Dimension& dimension : access.dimensions)
    if (dimension.check != RangeCheck::None) tests.push_back({index_.emit(dimension.coord, at), &dimension});
  return tests;
}

std::vector<CoordinateTest> AccessEmitter::common(const std::vector<CoordinateTest>& a,
                                                  const std::vector<CoordinateTest>& b) {
  std::vector<CoordinateTest> both;
  std::copy_if(a.begin(), a.end(), std::back_inserter(both), [&](const CoordinateTest& test) {
    return std::any_of(b.begin(), b.end(), [&](const CoordinateTest& other) { return other.same_as(test); });
  });
  return both;
}

// ---- Addresses -----------------------------------------------------------------------------------------------------

kernel::ValueId AccessEmitter::base(const Access& access) { return index_.emit_invariant(*access.address); }

void AccessEmitter::hoist(const Access& access) {
  if (access.address) base(access);
}

kernel::ValueId AccessEmitter::address(const Access& access, const Point& at) {
  if (access.address) return index_.emit_linear(*access.address, at);
  const ObjectPlace& place = *access.place;
  if (place.layout.valid()) {
    Point coordinates;
    for (std::size_t d = 0; d < access.dimensions.size(); ++d)
      coordinates.set(place.layout_axes[d], index_.emit(access.dimensions[d].coord, at));
    return index_.emit(place.layout, coordinates);
  }
  kernel::ValueId sum = b_.const_i64(place.offset);
  for (std::size_t d = 0; d < access.dimensions.size(); ++d)
    sum = b_.add(sum, scaled(b_, index_.emit(access.dimensions[d].coord, at), place.strides[d]));
  return sum;
}

bool touches_each_place_once(const tile::Program& program, const Access& access,
                             const std::vector<tile::AxisId>& axes) {
  std::set<tile::AxisId> alone;
  for (const Dimension& dimension : access.dimensions)
    if (const auto form = linear_form(program.index(), dimension.coord); form && form->factors.size() == 1)
      alone.insert(form->factors.begin()->first);
  return std::ranges::all_of(
      axes, [&](tile::AxisId axis) { return tile::bound_extent(program, axis) <= 1 || alone.contains(axis); });
}

}  // namespace tilewright::lower
