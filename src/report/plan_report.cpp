#include "report/plan_report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/cost_basis.h"
#include "proof/question_text.h"
#include "realize/shared_rows.h"
#include "report/plan_words.h"
#include "support/counted.h"

namespace tilewright::report {

namespace {

using driver::PlanReport;
using plan::LaunchPlan;
using plan::LaunchReport;

class PlanText {
 public:
  PlanText(const PlanReport& report, bool all) : report_(report), all_(all) {}

  std::string run() {
    head();
    captures();
    families();
    const plan::Plan& plan = report_.planned.plan;
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      const LaunchReport& launch = report_.planned.launches[i];
      choice(plan.launches[i], launch);
      if (report_.from_file)
        automatic(plan.launches[i]);
      else
        losers(launch);
      proofs(plan.launches[i], launch);
      refusals(launch);
    }
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  /// Of something that a plan has, and so never below 0.
  static std::string number_of(std::int64_t number, std::string_view noun) {
    return counted(static_cast<std::uint64_t>(number), noun);
  }

  static std::string waves_of(const plan::PlanCost& cost) {
    return cost.concurrent_waves == 1 ? "1 wave" : number_text(cost.concurrent_waves) + " waves";
  }

  void head() {
    std::string bindings;
    for (const std::string& name : report_.names) {
      if (const auto number = report_.bindings.numbers.find(name); number != report_.bindings.numbers.end())
        bindings += fmt::format(" {}={}", name, number->second);
      else if (const auto type = report_.bindings.types.find(name); type != report_.bindings.types.end())
        bindings += fmt::format(" {}={}", name, data_type_name(type->second));
    }
    const plan::Plan& plan = report_.planned.plan;
    line("plan {}:{}", report_.program, bindings);
    line("  target {} on {}: at most {} and {} of shared memory a group", plan.target, report_.device.name,
         number_of(report_.request.limits.max_threads, "thread"),
         number_of(report_.request.limits.shared_memory_bytes, "byte"));
    if (!plan.needs.empty()) line("  needs {}", fmt::join(plan.needs, ", "));
    line("  program {}, plan {}{}", hash_text(plan.program), hash_text(plan::plan_digest(plan)),
         report_.from_file ? ", read and verified" : "");
  }

  void captures() {
    if (report_.captures.size() < 2) return;
    std::vector<const plan::CaptureOutcome*> order;
    for (const plan::CaptureOutcome& capture : report_.captures) order.push_back(&capture);
    const auto key = [](const plan::CaptureOutcome* c) {
      return std::tuple(c->is_chosen ? 0 : 1, c->is_priced() ? 0 : c->fault ? 2 : 1, c->kernel_score);
    };
    std::sort(order.begin(), order.end(),
              [&](const auto* a, const auto* b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    line("\n  {} bindings of the open parameters, the nearest:", order.size());
    for (std::size_t i = 0; i < order.size() && i < plan::kRankedPlans; ++i)
      line("    {:<24} {}", open_bindings(*order[i]), capture_text(*order[i]));
  }

  void families() {
    if (report_.families.empty()) return;
    line("\n  atom families, each priced in a basis of its own:");
    const driver::FamilyPlan* taken = nullptr;
    for (const driver::FamilyPlan& family : report_.families) {
      line("    {:<20} {}", family.family, family_text(family));
      if (family.taken) taken = &family;
    }
    if (taken == nullptr) return;
    const std::string& target = report_.planned.plan.target;
    const std::string why = report_.from_file           ? std::string("the stored plan has it")
                            : taken->family == "scalar" ? fmt::format("no family has a plan for {}", target)
                            : report_.target_is_named   ? fmt::format("asked for by --target {}", target)
                                                        : fmt::format("{} is the default target", target);
    line("    {} is taken: {}. Scores of two bases do not compare:", taken->family, why);
    line("    between families a measurement decides, or your preference (--target)");
  }

  static std::string family_text(const driver::FamilyPlan& family) {
    if (!family.refusal.empty()) return "no plan: " + family.refusal;
    const auto score = family.kernel_score();
    std::string text = score ? fmt::format("kernel score {} in {}", *score, family.launches[0].cost_basis) : "no price";
    std::vector<std::string> launches;
    for (const driver::FamilyLaunch& launch : family.launches)
      launches.push_back(fmt::format("{}, {}, {}", launch.mapping, number_of(launch.threads, "thread"),
                                     number_of(launch.shared_memory_bytes, "byte")));
    return fmt::format("{} ({})", text, fmt::join(launches, "; "));
  }

  /// As the program declares them.
  std::string open_bindings(const plan::CaptureOutcome& capture) const {
    std::string text;
    for (const std::string& name : report_.names)
      if (const auto at = capture.numbers.find(name); at != capture.numbers.end())
        text += fmt::format("{}={} ", name, at->second);
    return text;
  }

  static std::string capture_text(const plan::CaptureOutcome& capture) {
    if (!capture.is_chosen) return outcome_text(capture);
    return capture.is_priced() ? fmt::format("kernel score {}, chosen", capture.kernel_score)
                               : "chosen; some launch has no price";
  }

  void choice(const LaunchPlan& plan, const LaunchReport& launch) {
    line("\n  launch {}: {}, {}, groups of {}{}", plan.launch, plan::mapping_name(plan.mapping),
         number_of(plan.programs, "program"), number_of(plan.threads, "thread"),
         plan.automatic_cooperative ? ", admitted automatically" : "");
    line("    {}", launch.why);
    if (plan.mapping == plan::LaunchMapping::RowReduction)
      line("    kernel score {} = score {} x {}, shared memory {} bytes", plan.cost.kernel_score, plan.cost.score,
           waves_of(plan.cost), plan.shared_memory_bytes);
    if (plan.vector) vector_cost(plan);
    fences(plan);
    if (plan.mapping != plan::LaunchMapping::Cooperative) return;
    line("    shared memory {} bytes", plan.shared_memory_bytes);
    for (const plan::TilePlan& tile : plan.tiles) one_tile(tile);
    for (tile::OpId view : plan.views) line("      view {}", operation_text(report_, view));
    for (const plan::MatrixPlan& matrix : plan.matrices) one_matrix(plan, matrix);
    for (const plan::PipelinePlan& pipeline : plan.pipelines)
      line("    {}: window {}{}", operation_text(report_, pipeline.region), pipeline.window,
           pipeline.prefetch_scalars_per_lane > 0 ? fmt::format(", next copies wait in {} a worker",
                                                                number_of(pipeline.prefetch_scalars_per_lane, "scalar"))
                                                  : "");
    cost(plan);
  }

  void vector_cost(const LaunchPlan& plan) {
    line("    {}: score {} (cycles of a core, roughly)", plan.cost_basis, rounded(plan.vector->cost.score));
    for (const plan::VectorCostRow& row : plan::vector_cost_rows())
      if (const double value = plan.vector->cost.*row.member; value != 0)
        line("      {:<32} {:>12}", row.name, row.price == nullptr ? fmt::format("{:.3f}", value) : rounded(value));
  }
  static std::string rounded(double value) { return fmt::format("{:.0f}", value); }

  void vector_losers(const plan::VectorChoice& choice) {
    std::vector<const plan::VectorCandidate*> order;
    for (std::size_t i = 0; i < choice.candidates.size(); ++i)
      if (i != choice.chosen) order.push_back(&choice.candidates[i]);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return a->cost.score != b->cost.score ? a->cost.score < b->cost.score : a < b;
    });
    line("    space: {}, all legal{}", number_of(static_cast<std::int64_t>(choice.candidates.size()), "mapping"),
         order.empty() ? "" : "; nearest losers:");
    for (std::size_t i = 0; i < order.size() && i + 1 < plan::kRankedPlans; ++i)
      line("      {:>12} {}", rounded(order[i]->cost.score), plan::vector_mapping_text(order[i]->mapping));
  }

  void fences(const LaunchPlan& plan) {
    if (plan.launch >= report_.fences.size() || report_.fences[plan.launch].sites_before == 0) return;
    const artifact::FenceRecord& fences = report_.fences[plan.launch];
    std::string independent;
    if (fences.independent_subgroups && *fences.independent_subgroups)
      independent = plan.elide_independent_subgroup_barriers ? "; independent subgroups: none is needed"
                                                             : "; independent subgroups: none is needed "
                                                               "(elide_independent_subgroup_barriers takes them out)";
    else if (fences.independent_subgroups)
      independent = "; subgroups are not proved independent: " + fences.reason;
    line("    fences in {} of {} places{}", fences.sites_after, fences.sites_before, independent);
  }

  void one_tile(const plan::TilePlan& tile) {
    const auto rows = realize::shared_rows(report_.bound, tile.value, tile.row_padding_elements);
    std::string conflict;
    if (rows && rows->conflict_ways > 1)
      conflict = fmt::format(", rows {} elements apart meet {} at a time in a bank", rows->stride_elements,
                             rows->conflict_ways);
    else if (tile.row_padding_elements > 0)
      conflict =
          fmt::format(", rows {} elements apart, {} of them padding", rows->stride_elements, tile.row_padding_elements);
    line("      tile {:<12} {:>7} bytes{}", name_of(tile.value), tile.bytes, conflict);
  }

  std::string name_of(tile::ValueId value) const { return proof::value_text(report_.bound, value); }

  void one_matrix(const LaunchPlan& launch, const plan::MatrixPlan& matrix) {
    std::string extras;
    if (matrix.overwrites) extras += ", overwrites";
    if (matrix.from_view[0] || matrix.from_view[1])
      extras += fmt::format(", {} from {} views",
                            matrix.from_view[0] && matrix.from_view[1] ? "a and b"
                            : matrix.from_view[0]                      ? "a"
                                                                       : "b",
                            realize::view_kind_name(matrix.view));
    if (matrix.fuses_epilogue) extras += ", epilogue on the fragments";
    if (uses_relaxed_precision(report_, launch, matrix)) extras += ", relaxed-precision";
    line("    {}: {}{}", operation_text(report_, matrix.op), distribution_text(matrix.distribution), extras);
  }

  void cost(const LaunchPlan& plan) {
    if (!plan.cost.priced) return;
    line("    {}: kernel score {} = score {} x {}", plan.cost_basis, plan.cost.kernel_score, plan.cost.score,
         waves_of(plan.cost));
    for (const plan::CostFeatureRow& row : plan::cost_feature_rows()) {
      const double value = std::visit([&](auto member) { return static_cast<double>(plan.cost.*member); }, row.member);
      if (value != 0 && row.name != "priced" && !row.name.ends_with("score") && row.name != "concurrent_waves")
        line("      {:<32} {:>12}", row.name, number_text(value));
    }
  }

  /// Beside a stored launch, in place of its losers: what would be chosen today.
  void automatic(const LaunchPlan& stored) {
    if (!report_.automatic)
      return line("    the planner has no plan of its own today; losers are not listed for a stored plan");
    const LaunchPlan& today = report_.automatic->launches[stored.launch];
    if (today == stored)
      return line("    the planner would choose the same today; losers are not listed for a stored plan");
    std::string text =
        fmt::format("{}, groups of {}", plan::mapping_name(today.mapping), number_of(today.threads, "thread"));
    for (const plan::MatrixPlan& matrix : today.matrices)
      text += fmt::format(", {} as {}", operation_number(matrix.op.index), distribution_text(matrix.distribution));
    if (today.cost.priced) text += fmt::format(", kernel score {}", number_text(today.cost.kernel_score));
    if (stored.cost.priced) text += fmt::format(" (stored: {})", number_text(stored.cost.kernel_score));
    line("    the planner would choose another plan today: {}", text);
    line("    losers are not listed for a stored plan");
  }

  void row_losers(const plan::RowReductionChoice& rows) {
    std::vector<const plan::PricedRowCandidate*> order;
    for (const plan::PricedRowCandidate& candidate : rows.candidates)
      if (candidate.score && (!rows.chosen || &candidate != &rows.candidates[*rows.chosen]))
        order.push_back(&candidate);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return a->kernel_score != b->kernel_score ? a->kernel_score < b->kernel_score : a < b;
    });
    line("    space: {}, {} refused{}", number_of(rows.candidates_considered, "mapping"), rows.candidates_rejected,
         order.empty() ? "" : "; nearest losers:");
    for (std::size_t i = 0; i < order.size() && i + 1 < plan::kRankedPlans; ++i)
      line("      {:>10} {} a program, {} a group{}", number_text(order[i]->kernel_score),
           number_of(order[i]->candidate.mapping.subgroups_per_program, "subgroup"),
           number_of(order[i]->candidate.mapping.programs_per_group, "program"),
           order[i]->is_eligible ? "" : " (only by request: not a power of two)");
  }

  void losers(const LaunchReport& launch) {
    if (launch.rows && launch.rows->plan) row_losers(*launch.rows);
    if (launch.vector && launch.vector->candidates.size() > 1) vector_losers(*launch.vector);
    const plan::Trial* chosen = launch.chosen();
    for (const plan::Trial& trial : launch.trials)
      if (!trial.chosen)
        line("    tried with views: {}{}{}: {}", plan::forwarding_name(trial.forwarding),
             trial.pads_rows ? ", rows padded" : "",
             trial.overlapped.empty() ? "" : ", pipelines overlapped (which has no price of its own)", trial.outcome);
    if (chosen == nullptr || !chosen->solution || chosen->solution->widths.empty()) return;
    const plan::Solution& solution = *chosen->solution;
    const auto& combinations = solution.optimality.combinations;
    line("    space: {}, {}, {} refused{}", counted(solution.optimality.widths, "width"),
         counted(solution.candidates_considered, "candidate"), solution.candidates_rejected,
         combinations ? ", " + counted(*combinations, "combination") : "");
    for (const plan::PruneCount& pruned : solution.optimality.pruned)
      line("      pruned by {:<24} {:>6}", pruned.rule, pruned.count);
    if (solution.ranking.size() > 1) line("    nearest losers:");
    for (std::size_t i = 1; i < solution.ranking.size(); ++i) {
      const plan::RankedPlan& other = solution.ranking[i];
      std::string maps;
      for (const realize::MatrixDistribution& distribution : other.matrices)
        maps += (maps.empty() ? "" : "; ") + distribution_text(distribution);
      line("      {:>10} (+{}) {} threads, {} bytes: {}", number_text(other.kernel_score),
           other.kernel_score - solution.ranking[0].kernel_score, other.threads, other.shared_memory_bytes, maps);
    }
  }

  struct Refused {
    std::string group;  ///< what it has in common with others
    std::string text;
  };

  void refusals(const LaunchReport& launch) {
    std::vector<Refused> lines;
    for (const plan::LaunchRefusal& refusal : launch.refusals)
      lines.push_back({refusal.subject + std::string(refusal.why.code), refusal_line(refusal)});
    if (const plan::Trial* shown = launch.shown(); shown != nullptr)
      for (const plan::WidthRecord& width : shown->solution->widths) add_width(*shown, width, lines);
    if (lines.empty()) return;
    line("    refused{}:", all_ ? "" : " (one line a reason; --all lists each)");
    std::map<std::string, std::size_t> counts;
    for (const Refused& one : lines) ++counts[one.group];
    for (const Refused& one : lines) {
      const std::size_t count = counts[one.group];
      if (count == 0) continue;
      line("      {}{}", one.text, all_ || count == 1 ? "" : fmt::format(", and {} more", count - 1));
      if (!all_) counts[one.group] = 0;
    }
  }

  std::string refusal_line(const plan::LaunchRefusal& refusal) const {
    std::string text = refusal.subject + ": " + realize::refusal_text(refusal.why);
    if (refusal.why.op.valid()) text += ": " + operation_text(report_, refusal.why.op);
    return text;
  }

  void add_width(const plan::Trial& trial, const plan::WidthRecord& width, std::vector<Refused>& lines) const {
    if (width.refusal)
      lines.push_back({std::string(plan::constraint_name(width.refusal->constraint)),
                       refusal_text(*width.refusal, trial, report_.bound)});
    const auto matches = trial.facts.matches();
    for (std::size_t i = 0; i < width.matrices.size(); ++i)
      for (const plan::CandidateRecord& candidate : width.matrices[i])
        if (candidate.refusal)
          lines.push_back(
              {std::string(realize::constraint_name(candidate.refusal->constraint())),
               fmt::format("{} threads, {} as {}: {}", width.threads, operation_number(matches[i]->form.op.index),
                           distribution_text(candidate.distribution), refusal_text(*candidate.refusal))});
  }

  void proofs(const LaunchPlan& plan, const LaunchReport& launch) {
    if (launch.findings.empty()) return;
    line("    proofs:");
    for (const proof::Finding& finding : launch.findings) {
      const std::string_view state = plan::uses_proof(plan, finding) ? "used" : proof::kind_name(finding.kind);
      line("      {:<8} {:<20} {:<6} {}{}", state, finding.family, operation_number(finding.operation),
           finding.question, finding.kind == proof::Finding::Kind::Proved ? "" : ": " + finding.reason);
    }
  }

  const PlanReport& report_;
  bool all_;
  std::string text_;
};

}  // namespace

std::string plan_text(const PlanReport& report, bool all) { return PlanText(report, all).run(); }

}  // namespace tilewright::report
