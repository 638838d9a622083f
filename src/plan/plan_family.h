// Planning a family of programs: every binding of the number parameters that are left open, in one call.
//
// A capture is one such binding. All of them are bound, verified and planned with the same coefficients; the policy of
// the options is consulted once. The order of captures: fewest launches without a price, then the lowest sum of kernel
// scores, then the program's defaults where a launch has no price, then fewer threads, less shared storage, and the
// meaning of the bound program, so that no name and no order of declarations has a say. Of what was planned only the
// winner's report is kept; a capture that lost leaves a score or a fault.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan_program.h"
#include "sets/context.h"
#include "support/result.h"
#include "tile/bind.h"
#include "tile/program.h"

namespace tilewright::plan {

struct CaptureOutcome {
  std::map<std::string, std::int64_t> numbers;  ///< of the open parameters
  std::optional<Diag> fault;                    ///< why there is no plan
  double kernel_score = 0;                      ///< of a plan: summed over the launches that have a price
  std::uint64_t priced_launches = 0, unpriced_launches = 0;
  std::string unpriced;  ///< "launch 0 is scalar": the first launch without a price
  bool is_chosen = false;

  /// A plan every launch of which has a price.
  bool is_priced() const { return !fault && unpriced_launches == 0; }
};
/// "chosen", "kernel score 88832", "kernel score 12, and 1 launch without a price", "no price: launch 0 is scalar", or
/// the message of the fault.
std::string outcome_text(const CaptureOutcome& capture);

struct PlannedFamily {
  tile::Bindings bindings;  ///< given ones, and those of the chosen capture
  tile::Program bound;
  PlannedProgram planned;
  std::vector<CaptureOutcome> captures;  ///< by the choices of the parameters, the first parameter slowest
};

/// Premise: the family is verified. Errors: PlanRefused for more than 4096 captures; those of the inputs, as of
/// plan_program; when no capture has a plan, the faults of the first.
Result<PlannedFamily> plan_family(const tile::Program& family, const tile::Bindings& given,
                                  const PlanningRequest& request, const sets::Context& context);

}  // namespace tilewright::plan
