// Whether an index expression stays inside limits over the domain of an operation: for the families that ask about
// origins. Internal to the provers of src/proof.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/accesses.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/context.h"

namespace tilewright::proof {

/// The answer to: does it hold at every point?
struct DomainAnswer {
  enum class Kind : std::uint8_t { Holds, Violated, Conditional, NoSets, Quota };
  Kind kind = Kind::Holds;
  std::vector<Witness::Coordinate> point;  ///< Violated, Conditional
  std::string what;                        ///< not of Holds
  bool holds() const { return kind == Kind::Holds; }
};

/// The dimension of the domain that the leaf is; null for a size, or a coordinate or axis from elsewhere.
const analysis::Dimension* dimension_of(const analysis::OverDomain& domain, analysis::Leaf leaf);

/// The extent of the dimension is ceildiv(end, step), or `end` itself with the step 1: its multiples of the step begin
/// in every part of 0 .. end - 1, for all sizes. False: not known.
bool runs_to(const tile::Program& program, const analysis::Dimension& dimension, std::int64_t step, tile::IndexId end);

/// c * d, for a dimension d of the domain that runs to ceildiv(D, c) (or to D, with c = 1), lies in 0 .. D - 1 wherever
/// it has a value, for all sizes. False: not known. The form must be free of overflow.
bool ends_before(const tile::Program& program, const analysis::OverDomain& domain, const analysis::AffineForm& form,
                 tile::IndexId end);

class DomainQuestions {
 public:
  DomainQuestions(const Subject& subject, const analysis::OverDomain& domain, const sets::Context& context)
      : subject_(subject), domain_(domain), context_(context) {}

  /// expr, at axis = 0 when one is given (which must be a unit projection), is never below 0.
  DomainAnswer at_least_zero(tile::IndexId expr, tile::AxisId axis = {}) const;
  /// The same is always below `extent`.
  DomainAnswer below(tile::IndexId expr, tile::AxisId axis, tile::IndexId extent) const;
  /// What is left of an extent behind an origin (a coordinate at axis = 0) is the same for both coordinates.
  struct Remaining {
    tile::IndexId extent, expr;
    tile::AxisId axis;
  };
  DomainAnswer equal(const Remaining& a, const Remaining& b) const;

 private:
  DomainAnswer ask(tile::IndexId expr, tile::AxisId axis, std::optional<tile::IndexId> extent) const;
  /// A corner where the two remainders differ; looked for where both move with one axis.
  std::optional<std::vector<Witness::Coordinate>> corner_that_differs(const Remaining& a, const Remaining& b) const;
  bool surely(tile::IndexId expr, tile::AxisId axis, std::optional<tile::IndexId> extent) const;

  const Subject& subject_;
  const analysis::OverDomain& domain_;
  const sets::Context& context_;
};

/// The verdict of a family for an answer that is not Holds, with its codes.
template <class Family>
Verdict<Family> verdict_of(DomainAnswer answer, std::string_view violated) {
  if (answer.kind == DomainAnswer::Kind::Violated)
    return Refuted{violated, {std::move(answer.point), std::move(answer.what)}};
  if (answer.kind == DomainAnswer::Kind::Conditional)
    return Unknown{Family::kConditional, answer.what + ", which a branch or requirement may exclude"};
  if (answer.kind == DomainAnswer::Kind::Quota) return Unknown{Family::kQuota, std::move(answer.what)};
  return Unknown{Family::kNoSets, std::move(answer.what)};
}

}  // namespace tilewright::proof
