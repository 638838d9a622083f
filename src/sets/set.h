// Sets: the integer points that satisfy affine conditions, for all values of the parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sets/function.h"
#include "sets/space.h"

namespace tilewright::sets {

namespace detail {
struct SetBody;
}

/// For each value of the parameters a set of points: with parameters p, { x : (p, x) satisfies the conditions }. A set
/// in a space of rank 0 is a condition on the parameters.
///
/// Questions are about all parameter values at once: is_empty() is Yes if there is no point for any value. To ask under
/// an assumption on the parameters, intersect with it.
class Set {
 public:
  static Set universe(const Space& space);
  static Set empty(const Space& space);
  /// 0 <= x_i < extents[i]; empty if one of them is <= 0. Premise: extents.size() == space.rank().
  static Set box(const Space& space, std::span<const std::int64_t> extents);
  /// The same for extents that are functions over `space`, of its parameters or of other dimensions.
  static Set box(const Space& space, std::span<const Function> extents);
  /// Exactly this point, with its parameter values. Premise: the point has the lengths of the space.
  static Set of_point(const Space& space, const Point& point);

  const Space& space() const;
  bool lost() const;

  Set unite(const Set& other) const;
  Set intersect(const Set& other) const;
  Set subtract(const Set& other) const;
  /// The points of the space that are not in this set.
  Set complement() const;
  /// The points whose parameters satisfy the condition. Premise: condition.space().rank() == 0.
  Set where(const Set& condition) const;
  /// { the other dimensions : there are values of these }, e.g. {0, 2} leaves dimension 1. Premises: distinct, in
  /// range.
  Set project_out(std::span<const std::size_t> dimensions) const;
  /// The parameter values for which there is a point, as a set of rank 0.
  Set parameter_condition() const;
  /// With a parameter of known value; it stays in the space. Premise: the space has it.
  Set fix(std::string_view parameter, std::int64_t value) const;
  /// Premise: index < rank.
  Set fix_dimension(std::size_t index, std::int64_t value) const;
  /// A set with fewer conditions, where possible, that agrees with this one on all points of `known`.
  Set gist(const Set& known) const;

  Truth is_empty() const;
  Truth is_subset_of(const Set& other) const;
  Truth is_equal(const Set& other) const;
  Truth is_disjoint_from(const Set& other) const;
  /// Finite for each value of the parameters.
  Truth is_bounded() const;
  /// Premise: the point has the lengths of the space.
  Truth contains(const Point& point) const;

  /// Some point, with parameter values that it belongs to. Nothing: empty, lost, quota, or a coordinate beyond int64.
  std::optional<Point> sample() const;
  /// The lexicographically least (greatest) point at the parameter values of sample(); fix() the parameters to choose
  /// them. Nothing: empty, not bounded, lost, quota, or a coordinate beyond int64.
  std::optional<Point> lexmin() const;
  std::optional<Point> lexmax() const;
  /// The number of pairs of parameter values and points, exact; for a set without open parameters, of points. Boxes,
  /// and what isl cuts into boxes, have a formula; otherwise points are visited, at most kCountLimit of them. Nothing:
  /// more of those, infinite, lost, quota, a side of a box beyond int64, or a sum beyond uint64.
  std::optional<std::uint64_t> count() const;
  static constexpr std::uint64_t kCountLimit = std::uint64_t{1} << 16;
  /// All pairs of parameter values and points, in lexicographic order. Nothing: more than `limit`, infinite, lost,
  /// quota, or a coordinate beyond int64. Each point that is visited, here and in count(), adds a few operations to the
  /// quota of its query, so that the limit ends an enumeration and the quota a search among few points.
  std::optional<std::vector<Point>> points(std::uint64_t limit = kCountLimit) const;

  /// The exact least (greatest) value of f over all points of this set and all parameter values where f is defined.
  /// Nothing: no such point, unbounded, lost, quota, or beyond int64.
  std::optional<std::int64_t> minimum_of(const Function& f) const;
  std::optional<std::int64_t> maximum_of(const Function& f) const;

  /// In isl's notation; "(lost)".
  std::string text() const;

 private:
  friend class detail::Access;
  Set() = default;
  std::shared_ptr<const detail::SetBody> body_;
};

/// The points where both functions are defined and compare so. Premise: equal rank.
Set less(const Function& a, const Function& b);
Set less_equal(const Function& a, const Function& b);
Set greater(const Function& a, const Function& b);
Set greater_equal(const Function& a, const Function& b);
Set equal(const Function& a, const Function& b);
Set not_equal(const Function& a, const Function& b);

}  // namespace tilewright::sets
