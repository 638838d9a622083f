// Planning a bound program: from facts and options to a plan, with everything that was tried.
//
// For each launch, in the order of seed 1 and background 4.0: a grid of elements; row reductions; the cooperative
// program; the scalar reference, which always works. A cooperative program is tried with guarded views first, when the
// switches allow any: that trial stands only if every mma that may be reassociated is matched and the launch has a
// plan; otherwise it is dropped whole. Each pipeline that may overlap is planned with window 1 and 2, and the lower
// kernel score is kept; ties keep window 1. The policy of the options is consulted once for the whole program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/launch_facts.h"
#include "plan/limits.h"
#include "plan/options.h"
#include "plan/plan.h"
#include "plan/row_reduction_plan.h"
#include "plan/solver.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "realize/refusal.h"
#include "sets/context.h"
#include "support/result.h"

namespace tilewright::plan {

struct PlanningRequest {
  PlannerOptions options;
  CompileSwitches switches;
  Limits limits;
  std::string target, device;           ///< names, for the plan
  std::optional<VectorTarget> vectors;  ///< of a processor: what its cores have
};

/// One way in which a cooperative program was planned.
struct Trial {
  Forwarding forwarding = Forwarding::None;
  std::vector<tile::OpId> overlapped;  ///< pipelines with window 2
  LaunchFacts facts;
  std::optional<Solution> solution;  ///< nothing: dropped before a search
  std::string outcome;               ///< "chosen", or why not
  bool chosen = false;
  bool pads_rows = false;  ///< rows of operands in shared storage are set apart
};
/// The refusal of a width or search of the trial, with the name of the operation that it is about.
std::string refusal_text(const PlanRefusal& refusal, const Trial& trial, const tile::Program& program);

/// Why a mapping, a rewrite or an operation of a launch was not taken.
struct LaunchRefusal {
  std::string subject;   ///< "elementwise", "cooperative", "mma", "pipeline", "view", ..
  realize::Refusal why;  ///< its operation is that of the subject, or the one that stands in the way
};

struct LaunchReport {
  std::uint32_t launch = 0;
  std::vector<Trial> trials;
  std::optional<VectorChoice> vector;      ///< when the launch is a contraction on a processor
  std::optional<RowReductionChoice> rows;  ///< when the launch is a row reduction that may be mapped as one
  std::vector<LaunchRefusal> refusals;
  std::vector<proof::Finding> findings;  ///< every question asked for the plan that stands, in order, each once
  std::string why;                       ///< one sentence about the mapping

  const Trial* chosen() const;
  /// The trial whose search a report lists: the chosen one, else the last that searched; null when none did.
  const Trial* shown() const;
};

struct PlannedProgram {
  Plan plan;
  std::vector<LaunchReport> launches;
};

/// Premise: the subject's program is bound and verified. Errors: what validate(options, ..) and the solver say about
/// the inputs; PlanRefused for an explicit request (a traversal, an exact width, a scope of the program) that cannot be
/// kept.
Result<PlannedProgram> plan_program(const proof::Subject& subject, const PlanningRequest& request,
                                    const sets::Context& context);

/// The family that the switches select; nothing when no matrix operation may be used.
std::optional<realize::AtomFamily> family_of(const CompileSwitches& switches);

}  // namespace tilewright::plan
