// The public values of a plan, from the report of the driver.
#include <tilewright/plan.h>

#include "driver/plan.h"
#include "plan/cost_features.h"

namespace tilewright {

namespace {

std::map<std::string, double> features_of(const plan::PlanCost& cost) {
  std::map<std::string, double> features;
  for (const plan::CostFeatureRow& row : plan::cost_feature_rows())
    std::visit([&](auto member) { features[std::string(row.name)] = static_cast<double>(cost.*member); }, row.member);
  return features;
}

LaunchDecision decision_of(const plan::LaunchPlan& launch, const plan::LaunchReport& report) {
  LaunchDecision decision;
  decision.launch = launch.launch;
  decision.mapping = plan::mapping_name(launch.mapping);
  decision.programs = launch.programs;
  decision.threads = launch.threads;
  decision.shared_memory_bytes = launch.shared_memory_bytes;
  for (const plan::MatrixPlan& matrix : launch.matrices)
    decision.matrices.push_back(realize::distribution_text(matrix.distribution));
  decision.cost_basis = launch.cost_basis;
  if (launch.cost.priced) decision.kernel_score = launch.cost.kernel_score;
  decision.features = features_of(launch.cost);
  decision.why = report.why;
  return decision;
}

void add_candidates(const plan::LaunchReport& report, std::vector<PlanCandidate>& candidates) {
  const plan::Trial* chosen = report.chosen();
  if (chosen == nullptr || !chosen->solution) return;
  for (const plan::WidthRecord& width : chosen->solution->widths)
    for (std::uint32_t matrix = 0; matrix < width.matrices.size(); ++matrix)
      for (const plan::CandidateRecord& record : width.matrices[matrix]) {
        PlanCandidate candidate;
        candidate.launch = report.launch;
        candidate.matrix = matrix;
        candidate.threads = width.threads;
        candidate.distribution = realize::distribution_text(record.distribution);
        candidate.legal = !record.refusal;
        if (record.refusal)
          candidate.reason = realize::refusal_text(*record.refusal);
        else
          candidate.features = features_of(record.cost);
        candidates.push_back(std::move(candidate));
      }
}

void add_refusals(const plan::LaunchReport& report, const tile::Program& program, std::vector<PlanRefusal>& refusals) {
  for (const plan::LaunchRefusal& refusal : report.refusals)
    refusals.push_back({report.launch, refusal.subject, std::string(refusal.why.code), refusal.why.reason});
  const plan::Trial* chosen = report.chosen();
  if (chosen == nullptr || !chosen->solution) return;
  for (const plan::WidthRecord& width : chosen->solution->widths)
    if (width.refusal)
      refusals.push_back({report.launch, std::to_string(width.threads) + " threads",
                          std::string(plan::constraint_name(width.refusal->constraint)),
                          refusal_text(*width.refusal, *chosen, program)});
}

ExecutionPlan values_of(const driver::PlanReport& report) {
  ExecutionPlan values;
  values.text = plan::print_plan(report.planned.plan);
  values.bindings = report.bindings;
  values.target = report.planned.plan.target;
  values.device = report.device.name;
  for (std::size_t i = 0; i < report.planned.launches.size(); ++i) {
    const plan::LaunchPlan& launch = report.planned.plan.launches[i];
    const plan::LaunchReport& one = report.planned.launches[i];
    values.launches.push_back(decision_of(launch, one));
    add_candidates(one, values.candidates);
    add_refusals(one, report.bound, values.refusals);
    for (const proof::Finding& finding : one.findings)
      values.proofs.push_back({launch.launch, finding.family, finding.question,
                               std::string(proof::kind_name(finding.kind)), finding.reason,
                               plan::uses_proof(launch, finding)});
  }
  for (const plan::CaptureOutcome& capture : report.captures)
    values.captures.push_back({capture.numbers,
                               capture.is_priced() ? std::optional(capture.kernel_score) : std::nullopt,
                               outcome_text(capture), capture.is_chosen});
  return values;
}

}  // namespace

Result<ExecutionPlan> make_plan(const Program& program, const Bindings& bindings, const PlanOptions& options) {
  TW_TRY(const driver::PlanReport report, driver::plan_report(program, bindings, options));
  return values_of(report);
}

Result<ExecutionPlan> verify_plan(const Program& program, const Bindings& bindings, std::string_view text,
                                  const PlanOptions& options) {
  TW_TRY(const driver::PlanReport report,
         driver::plan_report(program, bindings, options, driver::StoredPlan{std::string(text), "plan"}));
  return values_of(report);
}

}  // namespace tilewright
