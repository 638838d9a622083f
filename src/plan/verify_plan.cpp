#include "plan/verify_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "plan/frontier.h"
#include "plan/launch_planner.h"
#include "plan/planning_call.h"

namespace tilewright::plan {

namespace {

std::unexpected<Diags> stale(std::string message) {
  return failure(DiagCode::PlanStale, std::move(message), "make the plan anew with `tilewright plan .. --save-plan`");
}

class LaunchVerifier {
 public:
  LaunchVerifier(const LaunchPlan& stored, const proof::Subject& subject, const PlanningRequest& request,
                 const PlanningCall* call, const sets::Context& context)
      : stored_(stored), subject_(subject), request_(request), call_(call), context_(context) {}

  Result<PlannedLaunch> run() {
    if (stored_.threads < 1 || stored_.threads > request_.limits.max_threads)
      return illegal(fmt::format("threads {}, the limit is {}", stored_.threads, request_.limits.max_threads));
    if (stored_.mapping == LaunchMapping::Cooperative) return verify_cooperative();
    if (stored_.mapping == LaunchMapping::RowReduction) return verify_rows();
    if (stored_.mapping == LaunchMapping::Elementwise) return verify_elementwise();
    PlanningRequest scalar = request_;
    scalar.options.enabled = false;
    TW_TRY(PlannedLaunch made, LaunchPlanner(subject_, scalar, nullptr, context_, stored_.launch).run());
    return compared(std::move(made));
  }

 private:
  std::unexpected<Diags> illegal(const std::string& what) const {
    return failure(DiagCode::PlanIllegal, fmt::format("launch {} of the stored plan: {}", stored_.launch, what),
                   "make the plan anew with `tilewright plan .. --save-plan`");
  }

  Result<PlannedLaunch> verify_cooperative() {
    if (call_ == nullptr || call_->family != stored_.family)
      return illegal(fmt::format("it uses {}, which the target does not give", atom_family_name(stored_.family)));
    FactsRequest wanted{stored_.family, stored_.forwarding, {}, request_.limits.shared_memory_bytes};
    for (const PipelinePlan& pipeline : stored_.pipelines)
      if (pipeline.window == 2) wanted.overlapped.push_back(pipeline.region);
    // What a proof allows does not depend on the options; what an option forbids was never asked of a stored plan.
    auto facts = launch_facts(subject_, stored_.launch, request_.switches, fuses_an_epilogue(), wanted, context_);
    if (!facts) return illegal(facts.error().reason);
    if (facts->admission.refusal) return illegal("not a cooperative program: " + facts->admission.refusal->reason);
    for (tile::OpId region : wanted.overlapped)
      if (auto why = window_fault(*facts, region)) return illegal(*why);
    Trial trial{stored_.forwarding, wanted.overlapped, std::move(*facts), std::nullopt, "stored", true};
    TW_TRY(trial.solution, priced(trial.facts));
    PlannedLaunch made;
    made.plan.launch = made.report.launch = stored_.launch;
    write_grid(trial.facts.materialization, made.plan);
    made.plan.automatic_cooperative = trial.facts.admission.admission == realize::Admission::Automatic;
    write_cooperative(subject_, trial, request_, made);
    made.report.why = "the plan was stored";
    made.report.trials.push_back(std::move(trial));
    return compared(std::move(made));
  }

  Result<PlannedLaunch> verify_elementwise() const {
    if (call_ == nullptr || !request_.switches.noalias) return illegal("buffers may overlap: noalias is off");
    const auto facts = realize::elementwise_facts(subject_, stored_.launch, context_);
    if (!facts) return illegal("not elementwise: " + facts.error().reason);
    PlannedLaunch made;
    made.plan.launch = made.report.launch = stored_.launch;
    const auto materialization = realize::materialize(subject_, stored_.launch);
    if (!materialization) return illegal(materialization.error().reason);
    write_grid(*materialization, made.plan);
    write_elementwise(*facts, request_.limits, made);
    made.plan.threads = stored_.threads;
    return compared(std::move(made));
  }

  /// The choice among the one mapping that is stored.
  Result<PlannedLaunch> verify_rows() const {
    if (call_ == nullptr || !stored_.rows) return illegal("the target has no row reductions");
    const auto facts = realize::row_reduction_facts(subject_, stored_.launch);
    if (const auto* refusal = std::get_if<realize::RowRefusal>(&facts))
      return illegal("not a row reduction: " + refusal->text);
    const auto& workload = std::get<realize::RowReductionWorkload>(facts);
    RowReductionRequest exact = row_request(request_.options);
    exact.reduction_programs_per_group = stored_.rows->programs_per_group;
    exact.reduction_unroll_factor = stored_.rows->unroll_factor;
    exact.reduction_lane_elements = stored_.rows->lane_elements;
    exact.cache_reduction_inputs = stored_.rows->cache_inputs;
    exact.threads_per_group = stored_.threads;
    TW_TRY(RowReductionChoice choice,
           plan_row_reduction(workload, row_limits(request_.limits), exact, row_priors(call_->priors)));
    PlannedLaunch made;
    made.plan.launch = made.report.launch = stored_.launch;
    const auto materialization = realize::materialize(subject_, stored_.launch);
    if (!materialization) return illegal(materialization.error().reason);
    write_grid(*materialization, made.plan);
    write_rows(subject_, workload, choice, made);
    made.report.why = "the plan was stored";
    made.report.rows = std::move(choice);
    made.plan.cost = stored_.cost;
    made.plan.candidates_considered = stored_.candidates_considered;
    made.plan.candidates_rejected = stored_.candidates_rejected;
    return compared(std::move(made));
  }

  bool fuses_an_epilogue() const {
    return std::any_of(stored_.matrices.begin(), stored_.matrices.end(),
                       [](const MatrixPlan& matrix) { return matrix.fuses_epilogue; });
  }

  static std::optional<std::string> window_fault(const LaunchFacts& facts, tile::OpId region) {
    for (const realize::PipelineWindow& window : facts.windows) {
      if (window.region != region) continue;
      if (window.may_overlap()) return std::nullopt;
      return fmt::format("pipeline %{} cannot overlap: {}", region.index, window.refusal->reason);
    }
    return fmt::format("%{} is no pipeline of the launch", region.index);
  }

  /// A solution whose choice is the stored one, with the costs that today's coefficients give.
  Result<Solution> priced(const LaunchFacts& facts) const {
    const auto matches = facts.matches();
    if (matches.size() != stored_.matrices.size())
      return stale(fmt::format("the stored plan has {} matrix operations in launch {}, the program {}",
                               stored_.matrices.size(), stored_.launch, matches.size()));
    const realize::GroupShape group{stored_.threads, request_.limits.subgroup_size};
    GroupChoice choice;
    choice.threads = stored_.threads;
    choice.cost_basis = stored_.cost_basis;
    std::int64_t bytes = facts.workload.shared_memory_bytes;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      realize::MatrixDistribution distribution = stored_.matrices[i].distribution;
      distribution.family = stored_.family;
      const auto refusal = realize::why_illegal(matches[i]->workload, distribution, group,
                                                request_.options.max_fragment_scalars_per_lane);
      if (refusal)
        return illegal(fmt::format("matrix operation %{}: {}", matches[i]->form.op.index, refusal_text(*refusal)));
      bytes -= realize::released_bytes(matches[i]->workload, distribution);
      choice.matrices.push_back(distribution);
    }
    choice.shared_memory_bytes = charged_bytes(bytes, request_.limits);
    if (choice.shared_memory_bytes > request_.limits.shared_memory_bytes)
      return illegal(fmt::format("it needs {} bytes of shared memory, the limit is {}", choice.shared_memory_bytes,
                                 request_.limits.shared_memory_bytes));
    // Scores and search counters are records of the search that made the plan; they decide nothing here.
    choice.cost = stored_.cost;
    choice.optimized = stored_.optimized;
    Solution solution;
    solution.choice = std::move(choice);
    solution.candidates_considered = stored_.candidates_considered;
    solution.candidates_rejected = stored_.candidates_rejected;
    return solution;
  }

  /// What the program gives under the stored choices must be the stored plan, but for what the options of its time
  /// decided and any value is legal for.
  Result<PlannedLaunch> compared(PlannedLaunch made) const {
    LaunchPlan& plan = made.plan;
    plan.program_order_rows = stored_.program_order_rows;
    plan.program_order_columns = stored_.program_order_columns;
    plan.max_copy_batch = stored_.max_copy_batch;
    plan.coalesce_group_barriers = stored_.coalesce_group_barriers;
    plan.elide_independent_subgroup_barriers = stored_.elide_independent_subgroup_barriers;
    if (plan.mapping == LaunchMapping::Scalar) plan.threads = stored_.threads;
    for (std::size_t i = 0; i < plan.pipelines.size() && i < stored_.pipelines.size(); ++i)
      if (stored_.pipelines[i].prefetch_scalars_per_lane == 0 && plan.pipelines[i].window == 1)
        plan.pipelines[i] = {plan.pipelines[i].region, 1, 0, 0};
    if (stored_.max_copy_batch < 1 || stored_.max_copy_batch > 16)
      return illegal(fmt::format("max_copy_batch {} is not in 1 .. 16", stored_.max_copy_batch));
    if (auto fault = walk_fault(plan)) return illegal(*fault);
    if (plan == stored_) return made;
    return illegal("it differs from what the program gives: " + first_difference(plan, stored_));
  }

  std::optional<std::string> walk_fault(LaunchPlan& plan) const {
    if (stored_.program_order_rows == 1 && stored_.program_order_columns == 1) return std::nullopt;
    PlanningRequest walked = request_;
    walked.options.program_order_rows = stored_.program_order_rows;
    walked.options.program_order_columns = stored_.program_order_columns;
    plan.program_order_rows = plan.program_order_columns = 1;
    PlannedLaunch one;
    one.plan = plan;
    if (const auto walk = walk_launch(subject_, walked, stored_.launch, one); !walk) return walk.error()[0].message;
    plan = std::move(one.plan);
    return std::nullopt;
  }

  static std::string first_difference(const LaunchPlan& made, const LaunchPlan& stored) {
    const std::string a = print_plan({.program = {}, .target = "x", .device = "x", .needs = {}, .launches = {made}});
    const std::string b = print_plan({.program = {}, .target = "x", .device = "x", .needs = {}, .launches = {stored}});
    std::size_t begin = 0;
    for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
      if (a[i] == '\n') begin = i + 1;
    const auto line = [&](const std::string& text) {
      const std::size_t end = text.find('\n', begin);
      const std::string found = text.substr(begin, end - begin);
      return found.substr(std::min(found.find_first_not_of(' '), found.size()));
    };
    return fmt::format("expected '{}', found '{}'", line(a), line(b));
  }

  const LaunchPlan& stored_;
  const proof::Subject& subject_;
  const PlanningRequest& request_;
  const PlanningCall* call_;
  const sets::Context& context_;
};

}  // namespace

Result<PlannedProgram> verify_plan(const Plan& plan, const proof::Subject& subject, const PlanningRequest& request,
                                   const sets::Context& context) {
  if (plan.program != subject.hash)
    return stale(fmt::format("the stored plan is of program {}, this one is {}", hash_text(plan.program),
                             hash_text(subject.hash)));
  if (plan.target != request.target)
    return stale(fmt::format("the stored plan is for target {}, not for {}", plan.target, request.target));
  if (plan.launches.size() != subject.walk.launches.size())
    return stale(fmt::format("the stored plan has {} launches, the program {}", plan.launches.size(),
                             subject.walk.launches.size()));
  std::optional<PlanningCall> call;
  if (const auto family = family_of(request.switches)) {
    TW_TRY(call, begin_planning(*family, request.limits, request.options));
  }
  PlannedProgram verified;
  verified.plan = plan;
  for (std::uint32_t launch = 0; launch < plan.launches.size(); ++launch) {
    if (plan.launches[launch].launch != launch)
      return stale(fmt::format("the stored plan has launch {} in place {}", plan.launches[launch].launch, launch));
    TW_TRY(PlannedLaunch one,
           LaunchVerifier(plan.launches[launch], subject, request, call ? &*call : nullptr, context).run());
    for (const std::string& need : one.needs)
      if (std::find(plan.needs.begin(), plan.needs.end(), need) == plan.needs.end())
        return failure(DiagCode::PlanIllegal, fmt::format("the stored plan does not say that it needs {}", need),
                       "make the plan anew with `tilewright plan .. --save-plan`");
    verified.launches.push_back(std::move(one.report));
  }
  return verified;
}

}  // namespace tilewright::plan
