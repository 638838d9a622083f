#include "plan/verify_plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/frontier.h"
#include "plan/launch_planner.h"
#include "plan/planning_call.h"
#include "plan/width_search.h"
#include "proof/question_text.h"
#include "support/counted.h"

namespace tilewright::plan {

namespace {

std::unexpected<Diags> stale(std::string message) {
  return failure(DiagCode::PlanStale, std::move(message),
                 "give the sizes and parameters that the plan was made with, or make it anew with "
                 "`tilewright plan .. --save-plan`");
}

class LaunchVerifier {
 public:
  LaunchVerifier(const LaunchPlan& stored, const proof::Subject& subject, const PlanningRequest& request,
                 const PlanningCall* call, const sets::Context& context)
      : stored_(stored), subject_(subject), request_(request), call_(call), context_(context) {}

  Result<PlannedLaunch> run() {
    if (stored_.threads < 1 || stored_.threads > request_.limits.max_threads)
      return illegal(fmt::format("threads {}, the limit is {}", stored_.threads, request_.limits.max_threads));
    if (auto fault = frame_fault()) return illegal(*fault);
    if (stored_.mapping == LaunchMapping::Cooperative) return verify_cooperative();
    if (stored_.mapping == LaunchMapping::RowReduction) return verify_rows();
    if (stored_.mapping == LaunchMapping::Elementwise) return verify_elementwise();
    if (stored_.mapping == LaunchMapping::Vector) return verify_vector();
    if (call_ != nullptr && realize::shared_scope(subject_, stored_.launch).valid())
      return illegal("a region of the program must be shared, and the plan has a worker run it alone");
    PlanningRequest scalar = request_;
    scalar.options.enabled = false;
    TW_TRY(PlannedLaunch made, LaunchPlanner(subject_, scalar, nullptr, context_, stored_.launch).run());
    if (auto fault = lane_fault()) return illegal(*fault);
    made.plan.lanes = stored_.lanes;
    return compared(std::move(made));
  }

 private:
  std::unexpected<Diags> illegal(const std::string& what) const {
    return failure(DiagCode::PlanIllegal, fmt::format("launch {} of the stored plan: {}", stored_.launch, what),
                   "make the plan anew with `tilewright plan .. --save-plan`");
  }

  std::optional<std::string> lane_fault() const {
    if (!stored_.lanes) return std::nullopt;
    const VectorTarget most = request_.vectors.value_or(VectorTarget{.lanes = 1, .registers = 0});
    const LanePlan& lanes = *stored_.lanes;
    if (lanes.lanes == most.lanes && lanes.registers <= most.registers && (most.masks || !lanes.masks))
      return std::nullopt;
    return fmt::format("vectors of {} in {} registers, the target has {} in {}", lanes.lanes, lanes.registers,
                       most.lanes, most.registers);
  }

  /// What does not depend on the program.
  std::optional<std::string> frame_fault() const {
    const bool is_group = stored_.mapping == LaunchMapping::Cooperative;
    if (stored_.elide_independent_subgroup_barriers && !stored_.coalesce_group_barriers)
      return "it elides fences without coalescing them";
    if (!is_group && (stored_.max_copy_batch != 1 || stored_.coalesce_group_barriers))
      return "copy batches and fences belong to a cooperative mapping";
    if (stored_.forwarding == Forwarding::None) return std::nullopt;
    const CompileSwitches& switches = request_.switches;
    if (stored_.family != realize::AtomFamily::MetalMpp || !switches.metal_mpp || !switches.forward_readonly_tile_loads)
      return "it reads operands from views, which the target or the switches do not allow";
    if (stored_.forwarding == Forwarding::Strict) return std::nullopt;
    if (!switches.noalias || (switches.bounded_k == 0 && switches.bounded_mnk == 0))
      return "it has bounded views, which the target or the switches do not allow";
    return std::nullopt;
  }

  Result<PlannedLaunch> verify_cooperative() {
    if (call_ == nullptr || call_->family != stored_.family)
      return illegal(fmt::format("it uses {}, which the target does not give", atom_family_name(stored_.family)));
    FactsRequest wanted{stored_.family, stored_.forwarding, {}, request_.limits.shared_memory_bytes};
    for (const PipelinePlan& pipeline : stored_.pipelines)
      if (pipeline.window == 2) wanted.overlapped.push_back(pipeline.region);
    for (const TilePlan& tile : stored_.tiles) wanted.pads_rows = wanted.pads_rows || tile.row_padding_elements != 0;
    // What a proof allows does not depend on the options; what an option forbids was never asked of a stored plan.
    auto facts = launch_facts(subject_, stored_.launch, request_.switches, fuses_an_epilogue(), wanted, context_);
    if (!facts) return illegal(facts.error().reason);
    if (facts->admission.refusal) return illegal("not a cooperative program: " + facts->admission.refusal->reason);
    if (stored_.forwarding == Forwarding::Guarded && !facts->all_matched(subject_.program))
      return illegal("it has bounded views, and some mma has no match");
    for (tile::OpId region : wanted.overlapped)
      if (auto why = window_fault(*facts, region)) return illegal(*why);
    Trial trial{stored_.forwarding, wanted.overlapped, std::move(*facts), std::nullopt, "stored", true};
    TW_TRY(trial.solution, priced(trial.facts));
    PlannedLaunch made;
    made.plan.launch = made.report.launch = stored_.launch;
    TW_TRY_VOID(write_frame(made));
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
    TW_TRY_VOID(write_frame(made));
    write_elementwise(subject_, *facts, stored_.threads, made);
    return compared(std::move(made));
  }

  Result<PlannedLaunch> verify_vector() const {
    if (!request_.vectors || !stored_.vector)
      return illegal("the target has no vectors, or the plan no mapping of one");
    const auto facts = realize::contraction(subject_, stored_.launch, context_);
    if (!facts) return illegal("not one product: " + facts.error().reason);
    const VectorWorkload workload = vector_workload(subject_, *facts);
    const std::string fault = vector_mapping_fault(workload, *request_.vectors, stored_.vector->mapping);
    if (!fault.empty()) return illegal(fault);
    VectorCost cost = vector_cost(workload, *request_.vectors, stored_.vector->mapping, request_.options.cost);
    cost.score = stored_.vector->cost.score;
    PlannedLaunch made;
    made.plan.launch = made.report.launch = stored_.launch;
    TW_TRY_VOID(write_frame(made));
    write_vector(subject_, *facts, {{{stored_.vector->mapping, cost}}, 0}, made);
    made.plan.cost = stored_.cost;
    return compared(std::move(made));
  }

  /// The choice among the one mapping that is stored.
  Result<PlannedLaunch> verify_rows() const {
    if (call_ == nullptr || !stored_.rows || stored_.rows->mapping.programs_per_group < 1)
      return illegal("the target has no row reductions, or the plan has no mapping of one");
    const auto facts = realize::row_reduction_facts(subject_, stored_.launch);
    if (const auto* refusal = std::get_if<realize::Refusal>(&facts))
      return illegal("not a row reduction: " + refusal->reason);
    const auto& workload = std::get<realize::RowReductionWorkload>(facts);
    const realize::RowMapping& mapping = stored_.rows->mapping;
    PlannerOptions exact = request_.options;
    exact.reduction_programs_per_group = mapping.programs_per_group;
    exact.reduction_unroll_factor = mapping.unroll_factor;
    exact.reduction_lane_elements = mapping.lane_elements;
    exact.cache_reduction_inputs = mapping.cache_inputs;
    exact.threads_per_group = stored_.threads;
    TW_TRY(RowReductionChoice choice, plan_row_reduction(workload, request_.limits, exact, call_->priors));
    if (!choice.plan) return illegal("no row reduction has the stored width");
    PlannedLaunch made;
    made.plan.launch = made.report.launch = stored_.launch;
    TW_TRY_VOID(write_frame(made));
    write_rows(subject_, workload, choice, made);
    made.report.why = "the plan was stored";
    made.report.rows = std::move(choice);
    made.plan.cost = stored_.cost;
    return compared(std::move(made));
  }

  Result<void> write_frame(PlannedLaunch& made) const {
    const auto grid = realize::launch_grid(subject_, stored_.launch);
    if (!grid) return illegal(grid.error().reason);
    write_grid(*grid, made.plan);
    return {};
  }

  bool fuses_an_epilogue() const {
    return std::any_of(stored_.matrices.begin(), stored_.matrices.end(),
                       [](const MatrixPlan& matrix) { return matrix.fuses_epilogue; });
  }

  std::optional<std::string> window_fault(const LaunchFacts& facts, tile::OpId region) const {
    for (const realize::PipelineWindow& window : facts.windows) {
      if (window.region != region) continue;
      if (window.may_overlap()) return std::nullopt;
      return fmt::format("{} cannot overlap: {}", proof::operation_text(subject_.program, region),
                         window.refusal->reason);
    }
    return fmt::format("op {} is no pipeline of the launch", region.index);
  }

  /// A solution whose choice is the stored one, with the costs that today's coefficients give.
  Result<Solution> priced(const LaunchFacts& facts) const {
    const auto matches = facts.matches();
    const bool is_reference = stored_.matrices.empty() && facts.admission.admission == realize::Admission::Explicit;
    if (!is_reference && matches.size() != stored_.matrices.size())
      return stale(fmt::format("the stored plan has {} in launch {}, the program {}",
                               counted(stored_.matrices.size(), "matrix operation"), stored_.launch, matches.size()));
    const realize::GroupShape group{stored_.threads, request_.limits.subgroup_size};
    GroupChoice choice;
    choice.threads = stored_.threads;
    choice.cost_basis = stored_.cost_basis;
    std::int64_t bytes = facts.workload.shared_memory_bytes;
    for (std::size_t i = 0; i < stored_.matrices.size(); ++i) {
      realize::MatrixDistribution distribution = stored_.matrices[i].distribution;
      distribution.family = stored_.family;
      const auto refusal = realize::why_illegal(matches[i]->workload, distribution, group,
                                                request_.options.max_fragment_scalars_per_lane);
      if (refusal)
        return illegal(fmt::format("{}: {}", proof::operation_text(subject_.program, matches[i]->form.op),
                                   refusal_text(*refusal)));
      bytes -= realize::released_bytes(matches[i]->workload, distribution);
      choice.matrices.push_back(distribution);
    }
    choice.shared_memory_bytes = charged_bytes(bytes, request_.limits);
    if (choice.shared_memory_bytes > request_.limits.shared_memory_bytes)
      return illegal(fmt::format("it needs {} bytes of shared memory, the limit is {}", choice.shared_memory_bytes,
                                 request_.limits.shared_memory_bytes));
    TW_TRY(choice.cost, cost_of(facts, choice));
    choice.optimized = stored_.optimized;
    Solution solution;
    solution.choice = std::move(choice);
    return solution;
  }

  /// The features of the choice, with the scores that the coefficients of the stored plan's time gave.
  Result<PlanCost> cost_of(const LaunchFacts& facts, const GroupChoice& choice) const {
    if (choice.matrices.empty()) return stored_.cost;
    const CostBasis* basis = find_cost_basis(stored_.cost_basis);
    if (basis == nullptr || basis->family != stored_.family)
      return illegal(fmt::format("{} is no basis of {}", stored_.cost_basis, atom_family_name(stored_.family)));
    const std::int64_t subgroups = stored_.threads / request_.limits.subgroup_size;
    PlanCost cost;
    for (std::size_t i = 0; i < choice.matrices.size(); ++i)
      if (!choice.matrices[i].is_collective())
        add_features(cost,
                     basis->operation(facts.workload.matrices[i], choice.matrices[i], subgroups, call_->priors).cost);
    cost.independent_elements += static_cast<double>(common_elements(facts.workload));
    cost.priced = stored_.cost.priced;
    cost.score = stored_.cost.score;
    cost.concurrent_waves = stored_.cost.concurrent_waves;
    cost.kernel_score = stored_.cost.kernel_score;
    return cost;
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
  if (plan.device != request.device)
    return stale(fmt::format("the stored plan is for device {}, not for {}", plan.device, request.device));
  if (plan.launches.size() != subject.walk.launches.size())
    return stale(fmt::format("the stored plan has {}, the program {}",
                             counted(plan.launches.size(), "launch", "launches"), subject.walk.launches.size()));
  TW_TRY(const std::optional<PlanningCall> call, begin_planning(request));
  PlannedProgram verified;
  verified.plan = plan;
  std::set<std::string> needs;
  for (std::uint32_t launch = 0; launch < plan.launches.size(); ++launch) {
    if (plan.launches[launch].launch != launch)
      return stale(fmt::format("the stored plan has launch {} in place {}", plan.launches[launch].launch, launch));
    TW_TRY(PlannedLaunch one,
           LaunchVerifier(plan.launches[launch], subject, request, call ? &*call : nullptr, context).run());
    needs.insert(one.needs.begin(), one.needs.end());
    verified.launches.push_back(std::move(one.report));
  }
  if (!std::equal(needs.begin(), needs.end(), plan.needs.begin(), plan.needs.end()))
    return failure(DiagCode::PlanIllegal,
                   fmt::format("the stored plan says that it needs {}; its decisions need {}",
                               fmt::join(plan.needs, ", "), fmt::join(needs, ", ")),
                   "make the plan anew with `tilewright plan .. --save-plan`");
  return verified;
}

}  // namespace tilewright::plan
