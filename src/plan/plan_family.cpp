#include "plan/plan_family.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plan/launch_planner.h"
#include "support/counted.h"
#include "tile/verifier.h"

namespace tilewright::plan {

namespace {

constexpr std::size_t kMostCaptures = 4096;

using Numbers = std::map<std::string, std::int64_t>;

/// Every binding of the number parameters that are left open, first parameter slowest.
Result<std::vector<Numbers>> captures_of(const tile::Program& family, const tile::Bindings& given) {
  std::vector<Numbers> all(1);
  for (const tile::Param& param : family.params()) {
    if (given.numbers.contains(param.name)) continue;
    std::vector<std::int64_t> choices = param.choices;
    if (choices.empty()) choices.push_back(param.default_value);
    std::vector<Numbers> wider;
    for (const Numbers& one : all)
      for (std::int64_t choice : choices) {
        wider.push_back(one);
        wider.back()[param.name] = choice;
      }
    all = std::move(wider);
    if (all.size() > kMostCaptures)
      return failure(DiagCode::PlanRefused,
                     fmt::format("the parameters that are left open have more than {} bindings", kMostCaptures),
                     fmt::format("give some of them, for example {}={}", param.name, param.default_value));
  }
  return all;
}

/// A capture with its plan.
struct PlannedCapture {
  std::size_t number = 0;
  tile::Bindings bindings;
  tile::Program bound;
  PlannedProgram planned;
  bool is_default = false;  ///< every open parameter has the program's own choice
};

class FamilyPlanner {
 public:
  FamilyPlanner(const tile::Program& family, const tile::Bindings& given, const PlanningRequest& request,
                const PlanningCall* call, const sets::Context& context)
      : family_(family), given_(given), request_(request), call_(call), context_(context) {}

  Result<PlannedFamily> run(const std::vector<Numbers>& captures) {
    for (const Numbers& numbers : captures) add(numbers);
    if (!best_) return std::unexpected(faults());
    outcomes_[best_->number].is_chosen = true;
    return PlannedFamily{std::move(best_->bindings), std::move(best_->bound), std::move(best_->planned),
                         std::move(outcomes_)};
  }

 private:
  void add(const Numbers& numbers) {
    outcomes_.push_back({});
    CaptureOutcome& outcome = outcomes_.back();
    outcome.numbers = numbers;
    auto planned = plan_one(numbers);
    if (!planned) {
      outcome.fault = planned.error().front();
      if (first_faults_.empty()) first_faults_ = std::move(planned.error());
      return;
    }
    planned->number = outcomes_.size() - 1;
    for (const LaunchPlan& launch : planned->planned.plan.launches) {
      ++(launch.cost.priced ? outcome.priced_launches : outcome.unpriced_launches);
      if (launch.cost.priced)
        outcome.kernel_score += launch.cost.kernel_score;
      else if (outcome.unpriced.empty())
        outcome.unpriced = fmt::format("launch {} is {}", launch.launch, mapping_name(launch.mapping));
    }
    if (!best_ || is_better(*planned, *best_)) best_ = std::move(*planned);
  }

  Result<PlannedCapture> plan_one(const Numbers& numbers) const {
    PlannedCapture made;
    made.bindings = given_;
    made.bindings.numbers.insert(numbers.begin(), numbers.end());
    TW_TRY(made.bound, tile::bind(family_, made.bindings));
    TW_TRY_VOID(tile::verify(made.bound));
    const proof::Subject subject =
        proof::make_subject(made.bound, proof::launch_assumptions(request_.switches.noalias));
    TW_TRY(made.planned, plan_bound_program(subject, request_, call_, context_));
    made.is_default = std::all_of(family_.params().begin(), family_.params().end(), [&](const tile::Param& param) {
      const auto at = numbers.find(param.name);
      return at == numbers.end() || at->second == param.default_value;
    });
    return made;
  }

  bool is_better(const PlannedCapture& a, const PlannedCapture& b) const {
    const CaptureOutcome &x = outcomes_[a.number], &y = outcomes_[b.number];
    if (x.unpriced_launches != y.unpriced_launches) return x.unpriced_launches < y.unpriced_launches;
    if (x.kernel_score != y.kernel_score) return x.kernel_score < y.kernel_score;
    if (x.unpriced_launches > 0 && a.is_default != b.is_default) return a.is_default;
    if (total(a, &LaunchPlan::threads) != total(b, &LaunchPlan::threads))
      return total(a, &LaunchPlan::threads) < total(b, &LaunchPlan::threads);
    if (total(a, &LaunchPlan::shared_memory_bytes) != total(b, &LaunchPlan::shared_memory_bytes))
      return total(a, &LaunchPlan::shared_memory_bytes) < total(b, &LaunchPlan::shared_memory_bytes);
    return a.planned.plan.program < b.planned.plan.program;
  }

  static std::int64_t total(const PlannedCapture& capture, std::int64_t LaunchPlan::* member) {
    std::int64_t sum = 0;
    for (const LaunchPlan& launch : capture.planned.plan.launches) sum += launch.*member;
    return sum;
  }

  /// Those of the first capture: the others mostly repeat them.
  Diags faults() const {
    Diags first = first_faults_;
    if (outcomes_.size() > 1 && diag_code_category(first.front().code) == DiagCategory::Refused)
      first.front().notes.push_back(
          {fmt::format("none of the {} bindings of the open parameters has a plan", outcomes_.size()), {}});
    return first;
  }

  const tile::Program& family_;
  const tile::Bindings& given_;
  const PlanningRequest& request_;
  const PlanningCall* call_;
  const sets::Context& context_;
  std::vector<CaptureOutcome> outcomes_;
  std::optional<PlannedCapture> best_;
  Diags first_faults_;
};

}  // namespace

std::string outcome_text(const CaptureOutcome& capture) {
  if (capture.is_chosen) return "chosen";
  if (capture.fault) return capture.fault->message;
  if (capture.priced_launches == 0 && capture.unpriced_launches > 0) return "no price: " + capture.unpriced;
  std::string text = fmt::format("kernel score {}", capture.kernel_score);
  if (capture.unpriced_launches > 0)
    text += fmt::format(", and {} without a price", counted(capture.unpriced_launches, "launch", "launches"));
  return text;
}

Result<PlannedFamily> plan_family(const tile::Program& family, const tile::Bindings& given,
                                  const PlanningRequest& request, const sets::Context& context) {
  TW_TRY(const std::vector<Numbers> captures, captures_of(family, given));
  TW_TRY(const std::optional<PlanningCall> call, begin_planning(request));
  return FamilyPlanner(family, given, request, call ? &*call : nullptr, context).run(captures);
}

}  // namespace tilewright::plan
