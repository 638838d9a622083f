#include "driver/option_list.h"

#include <cstdint>
#include <variant>

#include "driver/installed_priors.h"
#include "plan/options.h"

namespace tilewright::driver {

namespace {

void add_rows(std::string_view kind, std::span<const plan::OptionRow> rows,
              const std::vector<plan::OptionValue>& defaults, std::vector<ListedOption>& list) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    list.push_back({std::string(rows[i].name), std::string(kind), option_value_text(defaults[i]),
                    std::string(rows[i].range), std::string(rows[i].meaning)});
}

void add_coefficients(std::vector<ListedOption>& list) {
  const auto priors = installed_priors();
  for (const plan::CostPriorRow& row : plan::cost_prior_rows()) {
    const bool is_integer = std::holds_alternative<std::int64_t plan::CostPriors::*>(row.member);
    std::string value;
    if (priors) std::visit([&](auto member) { value = plan::option_value_text({{}, (*priors).*member}); }, row.member);
    list.push_back({"cost." + std::string(row.name), "coefficient", value,
                    is_integer ? "an integer above 0" : "a number of at least 0",
                    (is_integer ? "" : "price of ") + std::string(row.prices)});
  }
}

}  // namespace

std::vector<ListedOption> list_options() {
  std::vector<ListedOption> list;
  add_rows("option", plan::planner_option_rows(), option_values(plan::PlannerOptions{}), list);
  add_rows("switch", plan::compile_switch_rows(), option_values(plan::CompileSwitches{}), list);
  add_coefficients(list);
  return list;
}

}  // namespace tilewright::driver
