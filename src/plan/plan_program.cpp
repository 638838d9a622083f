#include "plan/plan_program.h"

#include <set>

#include "plan/launch_planner.h"
#include "plan/planning_call.h"
#include "proof/question_text.h"
#include "support/check.h"

namespace tilewright::plan {

std::optional<realize::AtomFamily> family_of(const CompileSwitches& switches) {
  if (switches.metal_mpp) return realize::AtomFamily::MetalMpp;
  if (switches.cooperative_matrix) return realize::AtomFamily::Simdgroup8x8;
  return std::nullopt;
}

std::string refusal_text(const PlanRefusal& refusal, const Trial& trial, const tile::Program& program) {
  if (!refusal.matrix) return refusal_text(refusal);
  return refusal_text(refusal, proof::operation_text(program, trial.facts.matches().at(*refusal.matrix)->form.op));
}

Result<std::optional<PlanningCall>> begin_planning(const PlanningRequest& request) {
  TW_TRY_VOID(validate(request.options, request.switches));
  const auto family = family_of(request.switches);
  if (!family) return std::nullopt;
  TW_TRY(PlanningCall call, begin_planning(*family, request.limits, request.options));
  return call;
}

Result<PlannedProgram> plan_bound_program(const proof::Subject& subject, const PlanningRequest& request,
                                          const PlanningCall* call, const sets::Context& context) {
  TW_CHECK(subject.program.bound());
  PlanningRequest effective = request;
  effective.options = effective_options(request.options);
  PlannedProgram planned;
  planned.plan.program = subject.hash;
  planned.plan.target = request.target;
  planned.plan.device = request.device;
  std::set<std::string> needs;
  for (std::uint32_t launch = 0; launch < subject.walk.launches.size(); ++launch) {
    LaunchPlanner planner(subject, effective, call, context, launch);
    TW_TRY(PlannedLaunch one, planner.run());
    needs.insert(one.needs.begin(), one.needs.end());
    planned.plan.launches.push_back(std::move(one.plan));
    planned.launches.push_back(std::move(one.report));
  }
  planned.plan.needs.assign(needs.begin(), needs.end());
  return planned;
}

Result<PlannedProgram> plan_program(const proof::Subject& subject, const PlanningRequest& request,
                                    const sets::Context& context) {
  TW_TRY(const std::optional<PlanningCall> call, begin_planning(request));
  return plan_bound_program(subject, request, call ? &*call : nullptr, context);
}

}  // namespace tilewright::plan
