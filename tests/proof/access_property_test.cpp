// access.in_bounds, guard.equivalent, map.exact_cover of stores and store.bounded_prefix: verdicts about random small
// programs, bound and open, against plain loops. Certificates re-check; a witness violates; nothing is unknown that the
// family can decide.
#include <set>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/access_cases.h"
#include "proof/access_in_bounds.h"
#include "proof/check/check_access.h"
#include "proof/check/check_cover.h"
#include "proof/check/check_matrix.h"
#include "proof/guard_equivalent.h"
#include "proof/store_bounded_prefix.h"
#include "proof/store_cover.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::access_property_test {
namespace {

using Kind = Finding::Kind;

constexpr AccessCheckLimits kAccessLimits{2000, 6000, 64};

struct OneCase {
  AccessCase made;
  tile::Program program;
  tile::OpId op;
  Subject subject;
  OperationPlace place;

  explicit OneCase(AccessCase from)
      : made(std::move(from)),
        program(made.program()),
        op(made.op(program)),
        subject(make_subject(program)),
        place(program, op) {}
  OneCase(const OneCase&) = delete;
  OneCase& operator=(const OneCase&) = delete;

  /// f(point, executes) at every point of every trial, until it says no.
  void at_all_points(const std::function<bool(const NamedPoint&, bool)>& f) const {
    bool on = true;
    for (const NamedPoint& sizes : made.trials(program))
      if (on) place.visit(sizes, [&](const NamedPoint& point, bool executes) { return on = f(point, executes); });
  }
};

std::string case_text(std::uint64_t seed, const AccessCase& made) {
  return "seed " + std::to_string(seed) + ", M = " + std::to_string(made.size) + "\n" + made.text;
}

/// How one coordinate moves with the axes, by moving each axis from every point on.
struct Movement {
  std::optional<std::string> axis;  ///< the one that moves it; without a unit the last of several
  bool unit = true;                 ///< at most one axis, by 1
};

/// An axis of one element counts in the first coordinate that holds it and that nothing moves.
void count_narrow_axes(const OneCase& one, std::vector<Movement>& all) {
  std::set<tile::AxisId> counted;
  for (std::size_t d = 0; d < all.size(); ++d)
    for (tile::AxisId axis : one.program.index().axes(one.place.coords()[d])) {
      const bool narrow = one.program.index().as_constant(one.program.axes()[axis].extent) == 1;
      if (narrow && !all[d].axis && counted.insert(axis).second) all[d].axis = one.program.axes()[axis].label;
    }
}

std::vector<Movement> movements_of(const OneCase& one) {
  struct Steps {
    bool none = true, by_one = true;
  };
  std::vector<std::map<std::string, Steps>> steps(one.place.coords().size());
  one.at_all_points([&](const NamedPoint& point, bool) {
    for (const std::string& axis : one.place.axes()) {
      NamedPoint moved = point;
      moved[axis] = 0;
      for (std::size_t d = 0; d < steps.size(); ++d) {
        const std::int64_t by = one.place.coordinate(d, point) - one.place.coordinate(d, moved);
        Steps& of_axis = steps[d][axis];
        of_axis.none = of_axis.none && by == 0;
        of_axis.by_one = of_axis.by_one && by == point.at(axis);
      }
    }
    return true;
  });
  std::vector<Movement> all;
  for (const auto& of_dimension : steps) {
    Movement movement;
    for (const auto& [axis, step] : of_dimension) {
      if (step.none) continue;
      movement.unit = movement.unit && step.by_one && !movement.axis;
      movement.axis = axis;
    }
    all.push_back(movement);
  }
  count_narrow_axes(one, all);
  return all;
}

/// The whole tile around a point is inside in every dimension that moves with one axis alone, by 1.
bool is_interior_point(const OneCase& one, const std::vector<Movement>& movements, const NamedPoint& point) {
  for (std::size_t d = 0; d < movements.size(); ++d) {
    if (!movements[d].unit || !movements[d].axis) continue;
    NamedPoint origin = point;
    origin[*movements[d].axis] = 0;
    // At the sizes of a witness another dimension may have no value.
    const auto at = number_at(one.program, one.place.coords()[d], origin);
    const auto extent = number_at(one.program, one.program.object(one.place.object()).extents[d], point);
    if (!at || !extent) continue;
    if (*at < 0 || *at + one.place.axis_extent(*movements[d].axis, point) > *extent) return false;
  }
  return true;
}

TEST(AccessInBoundsProperty, AgreesWithLoops) {
  VerdictTally tally("access.in_bounds");
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(400, 8)); ++seed) {
    CaseRandom random(seed);
    const OneCase one(random_access(random));
    SCOPED_TRACE(case_text(seed, one.made));
    const DomainPart part = random.chance(1, 4) ? DomainPart::Interior : DomainPart::All;
    const auto movements = part == DomainPart::Interior ? movements_of(one) : std::vector<Movement>();
    const auto counts = [&](const NamedPoint& point) { return is_interior_point(one, movements, point); };
    bool violated = false;
    one.at_all_points([&](const NamedPoint& point, bool executes) {
      violated = violated || (executes && counts(point) && !one.place.inside(point));
      return !violated;
    });
    const auto verdict = prove_access_in_bounds(one.subject, one.op, part, {});
    tally.add(verdict);
    if (const auto* proved = std::get_if<Proved<AccessInBounds>>(&verdict)) {
      ASSERT_FALSE(violated);
      const auto held = check_access_in_bounds(proved->certificate(), one.program, {}, one.op, part, kAccessLimits);
      ASSERT_TRUE(held) << render(held.error());
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      const NamedPoint point = point_of(refuted->witness);
      ASSERT_TRUE(one.place.executes_at(point) && counts(point) && !one.place.inside(point))
          << refuted->witness.violates;
      ASSERT_TRUE(violated || one.made.size == 0);
    } else {
      const bool interior = part == DomainPart::Interior;
      ASSERT_TRUE(one.made.restricted || (one.made.not_affine && (one.made.size == 0 || interior)) ||
                  (one.made.quasi_affine && interior))
          << std::get<Unknown>(verdict).code;
    }
  }
  tally.expect_quarters();
}

tile::ValueId value_named(const tile::Program& program, const std::string& name) {
  for (tile::ValueId value : program.values().ids())
    if (program.value(value).name == name) return value;
  ADD_FAILURE() << name;
  return {};
}

TEST(GuardEquivalentProperty, AgreesWithLoops) {
  VerdictTally tally("guard.equivalent");
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(400, 8)); ++seed) {
    CaseRandom random(seed);
    const OneCase one(random_guards(random));
    SCOPED_TRACE(case_text(seed, one.made));
    const tile::ValueId left = value_named(one.program, "left"), right = value_named(one.program, "right");
    const auto left_guard = guard_of_value(one.subject, left), right_guard = guard_of_value(one.subject, right);
    ASSERT_TRUE(left_guard && right_guard);
    bool differ = false;
    one.at_all_points([&](const NamedPoint& point, bool executes) {
      differ = executes && condition_at(one.program, left, point) != condition_at(one.program, right, point);
      return !differ;
    });
    const auto verdict = prove_guard_equivalent(one.subject, one.op, *left_guard, *right_guard, {});
    tally.add(verdict);
    if (const auto* proved = std::get_if<Proved<GuardEquivalent>>(&verdict)) {
      ASSERT_FALSE(differ);
      const auto held = check_guard_equivalent(proved->certificate(), one.program, {}, one.op, *left_guard,
                                               *right_guard, kAccessLimits);
      ASSERT_TRUE(held) << render(held.error());
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      const NamedPoint point = point_of(refuted->witness);
      const bool is_left = refuted->code == GuardEquivalent::kLeftOnly;
      ASSERT_TRUE(one.place.executes_at(point));
      ASSERT_EQ(condition_at(one.program, left, point), is_left);
      ASSERT_EQ(condition_at(one.program, right, point), !is_left);
      ASSERT_TRUE(differ || one.made.size == 0);
    } else {
      ASSERT_TRUE(one.made.restricted || one.made.not_affine) << std::get<Unknown>(verdict).code;
    }
  }
  tally.expect_quarters();
}

using Element = std::vector<std::int64_t>;

Element element_at(const OneCase& one, const NamedPoint& point) {
  Element element;
  for (std::size_t d = 0; d < one.place.coords().size(); ++d) element.push_back(one.place.coordinate(d, point));
  return element;
}

/// Each element of Y is stored exactly once, by counting.
bool covers(const OneCase& one, const NamedPoint& sizes) {
  std::map<Element, int> stores;
  one.place.visit(sizes, [&](const NamedPoint& point, bool executes) {
    if (executes && one.place.inside(point)) ++stores[element_at(one, point)];
    return true;
  });
  std::size_t elements = 1;
  for (std::size_t d = 0; d < one.place.coords().size(); ++d)
    elements *= static_cast<std::size_t>(one.place.extent(d, sizes));
  return stores.size() == elements &&
         std::all_of(stores.begin(), stores.end(), [](const auto& stored) { return stored.second == 1; });
}

void expect_cover_violated(const OneCase& one, const Refuted& refuted) {
  NamedPoint point = point_of(refuted.witness);
  if (refuted.code == MapExactCover::kCollision) {
    NamedPoint other = point_of(refuted.witness, "other_");
    if (const auto size = point.find("M"); size != point.end()) other.insert(*size);
    std::erase_if(point, [](const auto& named) { return named.first.starts_with("other_"); });
    EXPECT_TRUE(one.place.executes_at(point) && one.place.executes_at(other));
    EXPECT_TRUE(one.place.inside(point));
    EXPECT_NE(point, other);
    EXPECT_EQ(element_at(one, point), element_at(one, other));
    return;
  }
  EXPECT_EQ(refuted.code, MapExactCover::kUnreached);
  Element missed;
  for (std::size_t d = 0; d < one.place.coords().size(); ++d) missed.push_back(point.at("element" + std::to_string(d)));
  if (point.contains("M") && point.at("M") > 40) return;
  one.place.visit(point, [&](const NamedPoint& at, bool) {
    EXPECT_NE(element_at(one, at), missed);
    return true;
  });
}

TEST(StoreCoverProperty, AgreesWithCounting) {
  VerdictTally tally("map.exact_cover");
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(400, 8)); ++seed) {
    CaseRandom random(seed);
    const OneCase one(random_cover(random, random.chance(1, 4)));
    SCOPED_TRACE(case_text(seed, one.made));
    bool covered = true;
    for (const NamedPoint& sizes : one.made.trials(one.program)) covered = covered && covers(one, sizes);
    const auto verdict = prove_store_cover(one.subject, one.op, {});
    tally.add(verdict);
    if (const auto* proved = std::get_if<Proved<MapExactCover>>(&verdict)) {
      ASSERT_TRUE(covered);
      const auto held = check_store_cover(proved->certificate(), one.program, {}, one.op, kAccessLimits);
      ASSERT_TRUE(held) << render(held.error());
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      expect_cover_violated(one, *refuted);
      ASSERT_TRUE(!covered || one.made.size == 0);
    } else {
      ASSERT_TRUE(one.made.restricted || one.made.not_affine) << std::get<Unknown>(verdict).code;
    }
  }
  tally.expect_quarters();
}

/// Origins at a point: not below 0, and inside of a dimension without axis.
bool origins_fit(const OneCase& one, const std::vector<Movement>& movements, const NamedPoint& point) {
  for (std::size_t d = 0; d < movements.size(); ++d) {
    NamedPoint origin = point;
    if (movements[d].axis) origin[*movements[d].axis] = 0;
    const std::int64_t at = one.place.coordinate(d, origin);
    if (at < 0 || (!movements[d].axis && at >= one.place.extent(d, point))) return false;
  }
  return true;
}

/// Each dimension with at most one axis, by 1, and no axis in two.
bool projects(const std::vector<Movement>& movements) {
  std::set<std::string> taken;
  return std::all_of(movements.begin(), movements.end(), [&](const Movement& movement) {
    return movement.unit && (!movement.axis || taken.insert(*movement.axis).second);
  });
}

TEST(StoreBoundedPrefixProperty, AgreesWithLoops) {
  VerdictTally tally("store.bounded_prefix");
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(400, 8)); ++seed) {
    CaseRandom random(seed);
    const OneCase one(random_tile_store(random));
    SCOPED_TRACE(case_text(seed, one.made));
    const std::vector<Movement> movements = movements_of(one);
    bool fits = true;
    one.at_all_points([&](const NamedPoint& point, bool executes) {
      fits = fits && (!executes || origins_fit(one, movements, point));
      return fits;
    });
    const auto verdict = prove_store_bounded_prefix(one.subject, one.op, {});
    tally.add(verdict);
    if (const auto* proved = std::get_if<Proved<StoreBoundedPrefix>>(&verdict)) {
      ASSERT_TRUE(projects(movements) && fits);
      const auto held = check_store_bounded_prefix(proved->certificate(), one.program, {}, one.op, {2000, 64});
      ASSERT_TRUE(held) << render(held.error());
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      if (refuted->witness.point.empty()) {
        ASSERT_FALSE(projects(movements)) << refuted->code;
      } else {
        const NamedPoint point = point_of(refuted->witness);
        ASSERT_TRUE(one.place.executes_at(point) && !origins_fit(one, movements, point)) << refuted->code;
        ASSERT_TRUE(!fits || one.made.size == 0);
      }
    } else {
      ASSERT_TRUE(one.made.restricted || one.made.not_affine || one.made.quasi_affine)
          << std::get<Unknown>(verdict).code;
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::access_property_test
