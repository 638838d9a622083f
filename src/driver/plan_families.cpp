#include "driver/plan_families.h"

#include <algorithm>
#include <string_view>

#include "analysis/roles.h"
#include "driver/plan.h"

namespace tilewright::driver {

namespace {

struct Family {
  std::string_view name, target;
};
constexpr Family kFamilies[] = {{"metal.mpp", "metal-mpp"}, {"metal.simdgroup8x8", "metal-simdgroup"}};

bool has_matrices(const tile::Program& program) {
  return std::ranges::any_of(program.ops().ids(),
                             [&](tile::OpId op) { return analysis::as_mma(program, op) != nullptr; });
}

bool is_priced(const plan::LaunchPlan& launch) { return !launch.cost_basis.empty() && launch.cost_basis != "none"; }

/// The family whose atoms make matrix operations of the plan; "scalar" where none does.
std::string_view family_of(const plan::Plan& plan) {
  for (const plan::LaunchPlan& launch : plan.launches)
    if (!launch.matrices.empty()) return realize::atom_family_name(launch.family);
  return "scalar";
}

constexpr const char* kNoMapping = "no matrix operation has a legal mapping under these settings";

void take(const PlanReport& report, FamilyPlan& family) {
  family.bindings = report.bindings;
  for (const plan::LaunchPlan& launch : report.planned.plan.launches) {
    const bool priced = is_priced(launch);
    family.launches.push_back({std::string(plan::mapping_name(launch.mapping)), launch.threads,
                               launch.shared_memory_bytes, launch.cost_basis.empty() ? "none" : launch.cost_basis,
                               priced && launch.cost.priced ? std::optional(launch.cost.kernel_score) : std::nullopt});
  }
}

void plan_beside(const Program& program, const Bindings& bindings, const PlanOptions& options, FamilyPlan& family) {
  const auto planned = plan_report(program, bindings, options);
  if (!planned)
    family.refusal = planned.error().empty() ? "no plan" : planned.error()[0].message;
  else if (family.family != "scalar" && family_of(planned->planned.plan) != family.family)
    family.refusal = kNoMapping;
  else
    take(*planned, family);
}

}  // namespace

std::optional<double> FamilyPlan::kernel_score() const {
  double sum = 0;
  for (const FamilyLaunch& launch : launches) {
    if (!launch.kernel_score) return std::nullopt;
    sum += *launch.kernel_score;
  }
  return launches.empty() ? std::nullopt : std::optional(sum);
}

std::vector<FamilyPlan> families_beside(const Program& program, const Bindings& bindings, const PlanOptions& options,
                                        const PlanReport& report) {
  const std::string& target = report.planned.plan.target;
  if (!target.starts_with("metal-") || !has_matrices(report.bound)) return {};
  const std::string_view taken = family_of(report.planned.plan);
  std::vector<FamilyPlan> families;
  for (const Family& one : kFamilies) {
    FamilyPlan family{std::string(one.name), std::string(one.target), one.name == taken, {}, {}, {}};
    PlanOptions own = options;
    own.target = family.target;
    if (family.taken)
      take(report, family);
    else if (one.target == target)
      family.refusal = kNoMapping;
    else
      plan_beside(program, bindings, own, family);
    families.push_back(std::move(family));
  }
  FamilyPlan scalar{"scalar", target, taken == "scalar", {}, {}, {}};
  PlanOptions reference = options;
  std::erase_if(reference.settings, [](const auto& setting) { return setting.first == "enabled"; });
  reference.settings.emplace_back("enabled", "false");
  if (scalar.taken)
    take(report, scalar);
  else
    plan_beside(program, bindings, reference, scalar);
  families.push_back(std::move(scalar));
  return families;
}

}  // namespace tilewright::driver
