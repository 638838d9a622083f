#include "plan/launch_planner.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "proof/question_text.h"
#include "proof/traversal_bijective.h"
#include "support/counted.h"

namespace tilewright::plan {

using realize::Admission;
using realize::Refusal;
using tile::OpId;

namespace {

constexpr std::size_t kMostOverlapping = 4;  // pipelines that are tried in all combinations
constexpr std::int64_t kOrdinaryThreads = 256;
constexpr std::int64_t kMostPrograms = 0xffff'ffff;  // devices number them with 32 bits

/// The width that was asked for, else the ordinary one.
std::int64_t plain_width(const PlanningRequest& request) {
  if (request.options.threads_per_group > 0)
    return std::min(request.options.threads_per_group, request.limits.max_threads);
  return std::min(kOrdinaryThreads, request.limits.max_threads);
}

bool asks_for_a_walk(const PlannerOptions& options) {
  return options.program_order_rows != 1 || options.program_order_columns != 1;
}

}  // namespace

const Trial* LaunchReport::chosen() const {
  const auto found = std::find_if(trials.begin(), trials.end(), [](const Trial& trial) { return trial.chosen; });
  return found == trials.end() ? nullptr : &*found;
}

const Trial* LaunchReport::shown() const {
  const Trial* searched = chosen();
  for (auto trial = trials.rbegin(); searched == nullptr && trial != trials.rend(); ++trial)
    if (trial->solution) searched = &*trial;
  return searched != nullptr && searched->solution ? searched : nullptr;
}

LaunchPlanner::LaunchPlanner(const proof::Subject& subject, const PlanningRequest& request, const PlanningCall* call,
                             const sets::Context& context, std::uint32_t launch)
    : subject_(subject), request_(request), call_(call), context_(context), launch_(launch) {
  made_.plan.launch = launch;
  made_.report.launch = launch;
}

void LaunchPlanner::refuse(std::string subject, Refusal why) {
  made_.report.refusals.push_back({std::move(subject), std::move(why)});
}

void LaunchPlanner::refuse(std::string subject, OpId op, Refusal why) {
  why.op = op;
  refuse(std::move(subject), std::move(why));
}

Result<PlannedLaunch> LaunchPlanner::run() {
  const auto grid = realize::launch_grid(subject_, launch_);
  if (!grid) return failure(DiagCode::SizeOverflow, grid.error().reason);
  write_grid(*grid, made_.plan);
  if (try_vector()) {
    // A processor has no groups: the other mappings do not come into question.
  } else if (call_ == nullptr) {
    take_scalar(request_.vectors ? "no other mapping was admitted" : "the target has the scalar reference alone");
  } else if (made_.plan.programs == 0) {
    take_scalar("the launch has no program: there is nothing to run");
  } else if (made_.plan.programs > kMostPrograms) {
    return failure(DiagCode::PlanRefused,
                   fmt::format("launch {} has {} programs, a device numbers at most {}", launch_, made_.plan.programs,
                               kMostPrograms),
                   "choose larger tiles, or split the sizes over several launches");
  } else {
    bool taken = try_elementwise();
    if (!taken) {
      TW_TRY(taken, try_rows());
    }
    if (!taken) {
      TW_TRY(taken, try_cooperative());
    }
    const OpId scope = taken ? OpId{} : realize::shared_scope(subject_, launch_);
    if (scope.valid())
      return failure(DiagCode::PlanRefused,
                     fmt::format("launch {} holds a region that must be shared, and has no such mapping{}", launch_,
                                 made_.report.refusals.empty() ? "" : ": " + made_.report.refusals.back().why.reason),
                     "leave the scope of its regions to the planner");
    if (!taken) take_scalar("no other mapping was admitted");
  }
  TW_TRY_VOID(walk_launch(subject_, request_, launch_, made_));
  return std::move(made_);
}

void write_grid(const realize::LaunchGrid& grid, LaunchPlan& plan) {
  plan.programs = grid.programs;
  const std::size_t rank = grid.extents.size();
  plan.program_grid_columns = rank >= 1 ? grid.extents[rank - 1] : 1;
  plan.program_grid_rows = rank >= 2 ? grid.extents[rank - 2] : 1;
}

bool LaunchPlanner::try_vector() {
  if (!request_.vectors || made_.plan.programs == 0) return false;
  if (!request_.options.enabled) {
    refuse("vector", {"option", "the planner is disabled"});
    return false;
  }
  const auto facts = realize::contraction(subject_, launch_, context_);
  if (!facts) {
    refuse("vector", facts.error());
    return false;
  }
  VectorChoice choice = plan_contraction(vector_workload(subject_, *facts), *request_.vectors, request_.options.cost);
  write_vector(subject_, *facts, choice, made_);
  made_.report.vector = std::move(choice);
  return true;
}

bool LaunchPlanner::try_elementwise() {
  const PlannerOptions& options = request_.options;
  if (!options.enabled || !options.fuse_gpu_elementwise || !request_.switches.noalias) {
    if (options.enabled)
      refuse("elementwise", {"option", request_.switches.noalias
                                           ? "fuse_gpu_elementwise is off"
                                           : "buffers may overlap (--set noalias=true promises that they do not)"});
    return false;
  }
  if (asks_for_exact_reductions(options) || asks_for_a_walk(options)) {
    refuse("elementwise", {"option", "an exact row-reduction mapping or a walk was asked for"});
    return false;
  }
  const auto facts = realize::elementwise_facts(subject_, launch_, context_);
  if (facts)
    write_elementwise(subject_, *facts, plain_width(request_), made_);
  else
    refuse("elementwise", facts.error());
  return facts.has_value();
}

Result<bool> LaunchPlanner::try_rows() {
  const PlannerOptions& options = request_.options;
  if (!options.enabled || !options.metal_subgroup_reductions) {
    if (options.enabled)
      refuse("row_reduction",
             {"option", "metal_subgroup_reductions is off (--set metal_subgroup_reductions=true allows it)"});
    return false;
  }
  const realize::RowReductionFacts facts = realize::row_reduction_facts(subject_, launch_);
  if (const auto* refusal = std::get_if<Refusal>(&facts)) {
    refuse("row_reduction", *refusal);
    return false;
  }
  const auto& workload = std::get<realize::RowReductionWorkload>(facts);
  TW_TRY(RowReductionChoice choice, plan_row_reduction(workload, request_.limits, options, call_->priors));
  for (const PricedRowCandidate& candidate : choice.candidates)
    if (candidate.candidate.refusal) refuse("row_reduction", *candidate.candidate.refusal);
  const bool taken = choice.plan.has_value();
  if (!taken) refuse("row_reduction", {"no_plan", "no mapping fits the widths and budgets"});
  if (taken) write_rows(subject_, workload, choice, made_);
  made_.report.rows = std::move(choice);
  return taken;
}

bool LaunchPlanner::guarded_views_are_allowed() const {
  const CompileSwitches& switches = request_.switches;
  return switches.metal_mpp && switches.noalias && switches.forward_readonly_tile_loads &&
         (switches.bounded_k > 0 || switches.bounded_mnk > 0);
}

Result<bool> LaunchPlanner::try_cooperative() {
  const realize::AdmissionAnswer admission = realize::admit_cooperative(subject_, launch_);
  if (admission.refusal) {
    refuse("cooperative", *admission.refusal);
    return false;
  }
  const bool automatic = admission.admission == Admission::Automatic;
  if (automatic && !(request_.options.enabled && request_.options.map_gpu_cooperative_programs)) {
    refuse("cooperative",
           {"option", request_.options.enabled ? "map_gpu_cooperative_programs is off" : "the planner is disabled"});
    return false;
  }
  if (automatic && asks_for_exact_reductions(request_.options)) {
    refuse("cooperative", {"exact_reduction", "an exact row-reduction mapping was asked for"});
    return false;
  }
  TW_TRY(std::optional<std::size_t> best, try_views(request_.options.pad_shared_rows));
  if (!best && request_.options.pad_shared_rows) {
    const Trial& last = made_.report.trials.back();
    refuse("padding",
           {"no_plan", last.outcome, last.solution ? last.solution->refusal->numbers : std::vector<NamedNumber>{}});
    TW_TRY(best, try_views(false));
  }
  if (best && (!automatic || !made_.report.trials[*best].solution->choice->matrices.empty())) {
    take(*best);
    made_.plan.automatic_cooperative = automatic;
    return true;
  }
  if (best) {
    const GroupChoice& choice = *made_.report.trials[*best].solution->choice;
    take_scalar(choice.why, choice.threads);
    return true;
  }
  if (!automatic) {
    const Trial& last = made_.report.trials.back();
    return failure(DiagCode::PlanRefused, "the launch must run as a group, and has no plan: " + last.outcome,
                   "choose other tiles or options, or leave the scope of the launch to the planner");
  }
  return false;
}

Result<std::optional<std::size_t>> LaunchPlanner::try_views(bool pads_rows) {
  std::optional<std::size_t> best;
  if (guarded_views_are_allowed()) {
    TW_TRY_VOID(try_forwarding(Forwarding::Guarded, pads_rows));
    best = best_trial(Forwarding::Guarded);
  }
  if (best) return best;
  const CompileSwitches& switches = request_.switches;
  const bool views = switches.metal_mpp && switches.forward_readonly_tile_loads;
  const Forwarding forwarding = views ? Forwarding::Strict : Forwarding::None;
  TW_TRY_VOID(try_forwarding(forwarding, pads_rows));
  return best_trial(forwarding);
}

Result<void> LaunchPlanner::try_forwarding(Forwarding forwarding, bool pads_rows) {
  FactsRequest request{call_->family, forwarding, {}, request_.limits.shared_memory_bytes, pads_rows};
  const auto facts_with = [&](const std::vector<OpId>& overlapped) {
    request.overlapped = overlapped;
    return launch_facts(subject_, launch_, request_.switches, request_.options.fuse_matrix_epilogues, request,
                        context_);
  };
  auto ordered = facts_with({});
  if (!ordered) return failure(DiagCode::SizeOverflow, ordered.error().reason);
  std::vector<OpId> overlapping;
  for (const realize::PipelineWindow& window : ordered->windows)
    if (window.may_overlap() && request_.options.pipeline_window != 1) overlapping.push_back(window.region);
  if (request_.options.pipeline_window == 2 && !overlapping.empty()) {
    auto overlapped = facts_with(overlapping);
    if (!overlapped) return failure(DiagCode::SizeOverflow, overlapped.error().reason);
    TW_TRY_VOID(add_trial(request, std::move(*overlapped)));
    if (best_trial(forwarding)) return {};
    overlapping.clear();
  }
  if (overlapping.size() > kMostOverlapping)
    return failure(DiagCode::SearchBudget,
                   fmt::format("launch {} has {} pipelines that may overlap, {} are searched in all combinations",
                               launch_, overlapping.size(), kMostOverlapping),
                   "give some of them window 1");
  request.overlapped.clear();
  TW_TRY_VOID(add_trial(request, std::move(*ordered)));
  for (std::uint32_t subset = 1; subset < 1u << overlapping.size(); ++subset) {
    std::vector<OpId> chosen;
    for (std::size_t i = 0; i < overlapping.size(); ++i)
      if ((subset >> i) & 1u) chosen.push_back(overlapping[i]);
    auto facts = facts_with(chosen);
    if (!facts) return failure(DiagCode::SizeOverflow, facts.error().reason);
    TW_TRY_VOID(add_trial(request, std::move(*facts)));
  }
  return {};
}

Result<void> LaunchPlanner::add_trial(const FactsRequest& wanted, LaunchFacts facts) {
  const Forwarding forwarding = wanted.forwarding;
  Trial trial{forwarding, wanted.overlapped, std::move(facts), std::nullopt, {}, false, wanted.pads_rows};
  if (forwarding == Forwarding::Guarded && !trial.facts.all_matched(subject_.program)) {
    trial.outcome = "dropped: some mma has no match, so no view may be guarded";
  } else if (forwarding == Forwarding::Guarded && !trial.facts.forwarding.any()) {
    trial.outcome = "dropped: no view is proved";
  } else if (trial.facts.workload.matrices.empty() && trial.facts.admission.admission != Admission::Explicit) {
    trial.outcome = "dropped: no mma has a match";
  } else {
    TW_TRY(Solution solution, plan_group(*call_, trial.facts.workload, request_.limits, request_.options));
    trial.outcome = solution.choice ? "planned" : refusal_text(*solution.refusal, trial, subject_.program);
    trial.solution = std::move(solution);
  }
  made_.report.trials.push_back(std::move(trial));
  return {};
}

std::optional<std::size_t> LaunchPlanner::best_trial(Forwarding forwarding) const {
  std::optional<std::size_t> best;
  const std::vector<Trial>& trials = made_.report.trials;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].forwarding != forwarding || !trials[i].solution || !trials[i].solution->choice) continue;
    const bool lower =
        best && trials[i].solution->choice->cost.kernel_score < trials[*best].solution->choice->cost.kernel_score;
    if (!best || lower) best = i;
  }
  return best;
}

void LaunchPlanner::take(std::size_t index) {
  for (std::size_t i = 0; i < made_.report.trials.size(); ++i) {
    Trial& trial = made_.report.trials[i];
    if (trial.solution && trial.solution->choice && i != index)
      trial.outcome = fmt::format("kernel score {}", trial.solution->choice->cost.kernel_score);
  }
  Trial& trial = made_.report.trials[index];
  trial.chosen = true;
  trial.outcome = "chosen";
  write_cooperative(subject_, trial, request_, made_);
  made_.report.why = trial.solution->choice->why;
  for (const MmaFacts& mma : trial.facts.mmas) {
    if (!mma.match) refuse("mma", mma.op, mma.match.error());
    if (mma.match)
      for (const Refusal& output : mma.match->refusals) refuse("output", output);
  }
  if (trial.forwarding == Forwarding::Strict) explain_dropped_views();
  for (const Refusal& view : trial.facts.forwarding.refusals) refuse("view", view);
  if (trial.facts.materialization.trips_are_bounds)
    made_.report.why += "; loops whose trips differ between programs count with their most";
  explain_epilogue(trial);
  for (const realize::PipelineWindow& window : trial.facts.windows)
    if (window.refusal) refuse("pipeline", window.region, *window.refusal);
}

void LaunchPlanner::explain_dropped_views() {
  const auto dropped = std::ranges::find(made_.report.trials, Forwarding::Guarded, &Trial::forwarding);
  if (dropped == made_.report.trials.end()) return;
  // Of an mma the last question asks for the least.
  std::map<std::uint32_t, const proof::Finding*> asked;
  for (const proof::Finding& finding : dropped->facts.forwarding.findings)
    if (finding.family.starts_with("extent.")) asked[finding.operation] = &finding;
  for (const auto& [op, finding] : asked)
    if (finding->kind != proof::Finding::Kind::Proved)
      refuse("bounded views", OpId{op}, {finding->code, finding->reason});
  for (const Refusal& view : dropped->facts.forwarding.refusals)
    if (view.code == realize::kViewCapability || view.code == realize::kViewShared) refuse("bounded views", view);
}

void LaunchPlanner::explain_unbounded_stores(const Trial& trial) {
  for (const realize::MatrixMatch* match : trial.facts.matches())
    for (const proof::Finding& finding : match->findings)
      if (finding.family == proof::AccessInBounds::kId && finding.kind != proof::Finding::Kind::Proved)
        refuse("output", OpId{finding.operation},
               {"capability", "the tile ends inside the output, and bounded_store is off"});
}

void LaunchPlanner::explain_epilogue(const Trial& trial) {
  const PlannerOptions& options = request_.options;
  const bool tensors = made_.plan.family == realize::AtomFamily::MetalMpp;
  if (tensors && request_.switches.bounded_store == 0) explain_unbounded_stores(trial);
  if (options.fuse_matrix_epilogues && !tensors)
    refuse("epilogue", {"family", "epilogues run on the fragments of metal.mpp alone (--target metal-mpp)"});
  if (!tensors || (options.fuse_matrix_epilogues && request_.switches.element_epilogue > 0)) return;
  for (const realize::MatrixMatch* match : trial.facts.matches())
    for (const proof::Finding& finding : match->findings)
      if (finding.family == proof::OutputDirect::kId && finding.code == proof::OutputDirect::kComputed)
        refuse("epilogue", match->form.op,
               options.fuse_matrix_epilogues
                   ? Refusal{"capability", "the device has no element_epilogue"}
                   : Refusal{"option", "fuse_matrix_epilogues is off (--set fuse_matrix_epilogues=true allows it)"});
}

void LaunchPlanner::take_scalar(std::string why, std::int64_t threads) {
  for (const Trial& trial : made_.report.trials)
    if (!trial.solution)
      refuse("cooperative", {"no_plan", trial.outcome});
    else if (trial.solution->refusal)
      refuse("cooperative", {"no_plan", trial.outcome, trial.solution->refusal->numbers});
  if (!made_.report.trials.empty())
    for (const MmaFacts& mma : made_.report.trials.back().facts.mmas)
      if (!mma.match) refuse("mma", mma.op, mma.match.error());
  LaunchPlan& plan = made_.plan;
  plan.mapping = LaunchMapping::Scalar;
  plan.threads = threads > 0 ? threads : plain_width(request_);
  if (const auto& vectors = request_.vectors; vectors && request_.options.enabled)
    plan.lanes = LanePlan{vectors->lanes, vectors->registers, vectors->masks};
  plan.cost_basis = "none";
  made_.report.why = std::move(why);
}

void write_elementwise(const proof::Subject& subject, const realize::ElementwiseFacts& facts, std::int64_t threads,
                       PlannedLaunch& launch) {
  LaunchPlan& plan = launch.plan;
  plan.mapping = LaunchMapping::Elementwise;
  plan.threads = threads;
  plan.elementwise_elements_per_program = facts.elements_per_program;
  plan.elementwise_scalar_temporaries = facts.scalar_temporaries;
  plan.cost_basis = "none";
  plan.optimized = true;
  for (const auto& cover : facts.covers) {
    const OpId store{cover.certificate().operation};
    plan.proofs.push_back({std::string(proof::MapExactCover::kId), store});
    launch.report.findings.push_back(
        proof::finding_of(proof::Verdict<proof::MapExactCover>(cover), store.index,
                          proof::question_about(subject, store, "writes every element exactly once"), {}));
  }
  launch.needs.emplace_back("noalias");
  launch.report.why = fmt::format("a grid of {} x {}, one element a worker",
                                  counted(static_cast<std::uint64_t>(plan.programs), "program"),
                                  counted(static_cast<std::uint64_t>(facts.elements_per_program), "element"));
}

Result<void> walk_launch(const proof::Subject& subject, const PlanningRequest& request, std::uint32_t launch,
                         PlannedLaunch& planned) {
  const PlannerOptions& options = request.options;
  if (!asks_for_a_walk(options)) return {};
  LaunchPlan& plan = planned.plan;
  const auto refused = [&](const std::string& why) {
    return failure(DiagCode::PlanRefused,
                   fmt::format("launch {} cannot walk its programs in rectangles of {} x {}: {}", launch,
                               options.program_order_rows, options.program_order_columns, why),
                   "leave program_order_rows and program_order_columns at 1");
  };
  if (plan.mapping != LaunchMapping::Cooperative)
    return refused(fmt::format("its mapping is {}", mapping_name(plan.mapping)));
  const OpId op = subject.walk.launches[launch];
  const auto& region = std::get<tile::RegionOp>(subject.program.op(op).payload);
  if (region.coords.count < 2) return refused("the launch has one domain");
  const proof::Traversal walk{plan.program_grid_rows, plan.program_grid_columns, options.program_order_rows,
                              options.program_order_columns};
  const auto verdict = proof::prove_traversal_bijective(walk);
  planned.report.findings.push_back(proof::finding_of(
      verdict, op.index,
      fmt::format("the launch may walk its grid in rectangles of {} x {}", walk.rectangle_rows, walk.rectangle_columns),
      {}));
  if (!proof::is_proved(verdict)) return refused(planned.report.findings.back().reason);
  plan.program_order_rows = options.program_order_rows;
  plan.program_order_columns = options.program_order_columns;
  plan.proofs.push_back({std::string(proof::TraversalBijective::kId), op});
  return {};
}

}  // namespace tilewright::plan
