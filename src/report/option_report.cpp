#include "report/option_report.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/schema.h"

namespace tilewright::report {

namespace {

std::string_view heading_of(std::string_view kind) {
  if (kind == "option") return "Options of the planner:";
  if (kind == "switch")
    return "Switches of a compilation; a metal target turns on what the device has and a launch can check:";
  return "Coefficients of the costs, which rank plans and never permit one:";
}

}  // namespace

std::string options_text(const std::vector<driver::ListedOption>& options) {
  std::string text = "--set NAME=VALUE takes these names:\n";
  std::string_view kind;
  for (const driver::ListedOption& option : options) {
    if (option.kind != kind) text += fmt::format("\n{}\n", heading_of(option.kind));
    kind = option.kind;
    text += fmt::format("  {} ({}{})\n      {}\n", option.name,
                        option.default_value.empty() ? "" : "default " + option.default_value + "; ", option.range,
                        option.meaning);
  }
  return text;
}

std::string options_json(const std::vector<driver::ListedOption>& options) {
  using Json = nlohmann::ordered_json;
  Json json = Json::array();
  for (const driver::ListedOption& option : options)
    json.push_back({{"schema", kSchema},
                    {"name", option.name},
                    {"kind", option.kind},
                    {"default", option.default_value.empty() ? Json(nullptr) : Json(option.default_value)},
                    {"range", option.range},
                    {"meaning", option.meaning}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
