// PROOF guard.equivalent
// Question    For every point of the operation's domain (for all sizes within the assumptions): do two conjunctions of
//             comparisons between index expressions have the same truth?
// Premises    the verifier's; sizes within the assumptions, when they are open.
// Method      Clauses become affine forms f >= 0, divided by the common divisor of their coefficients. Those that hold
//             on the whole domain by their range drop out; the others are matched in both directions, whatever their
//             order and grouping. Where the matching fails, integer sets over the domain decide: both differences are
//             empty.
// Conclusion  Proved: one guard may stand for the other. Refuted: kLeftOnly or kRightOnly with a point where only that
//             guard holds. Unknown: kConditional (they differ only at points that a branch may exclude),
//             kNotAConjunction (a condition has a part that is no comparison of index expressions), kNoSets, kQuota.
// Fallback    The guard that the program has is kept.
// Check       check_guard_equivalent: both guards evaluated at the points of the domain.
// Tests       tests/proof/access_families_test.cpp, tests/proof/access_property_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/context.h"

namespace tilewright::proof {

struct GuardEquivalent {
  static constexpr std::string_view kId = "guard.equivalent";
  static constexpr std::string_view kLeftOnly = "left_only";
  static constexpr std::string_view kRightOnly = "right_only";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kNotAConjunction = "not_a_conjunction";
  static constexpr std::string_view kNoSets = "no_sets";
  static constexpr std::string_view kQuota = "quota";
};

/// lhs OP rhs; without rhs, 0.
struct Clause {
  tile::IndexId lhs;
  tile::Comparison comparison{};
  std::optional<tile::IndexId> rhs;
  bool operator==(const Clause&) const = default;
};
/// All clauses hold; none: true.
using Guard = std::vector<Clause>;

/// "i*64 + m >= 0 && i*64 + m < M"; "true".
std::string guard_text(const tile::Program& program, const Guard& guard);

/// What the bounds of an access ask for: 0 <= coordinate < extent in each dimension.
Guard bounds_guard(const analysis::Access& access);
/// The upper bounds alone: what is left when no coordinate is negative, a prefix of each tile axis.
Guard prefix_guard(const analysis::Access& access);
/// The conjunction that a bool value stands for, over the axes and coordinates around it. Nothing: a part is something
/// else than && and a comparison of index expressions.
std::optional<Guard> guard_of_value(const Subject& subject, tile::ValueId condition);

/// Over the domain of a load or store.
Verdict<GuardEquivalent> prove_guard_equivalent(const Subject& subject, tile::OpId op, const Guard& left,
                                                const Guard& right, const sets::Context& context);

}  // namespace tilewright::proof
