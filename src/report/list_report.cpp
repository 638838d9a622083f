#include "report/list_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/schema.h"

namespace tilewright::report {

namespace {

using Json = nlohmann::ordered_json;

Json param_json(const ParamInfo& param) {
  if (!param.is_type()) return {{"name", param.name}, {"choices", param.choices}, {"default", param.default_value}};
  Json choices = Json::array();
  for (DataType type : param.type_choices) choices.push_back(data_type_name(type));
  return {{"name", param.name}, {"choices", choices}, {"default", data_type_name(param.default_type)}};
}

}  // namespace

std::string list_text(const driver::ProgramList& list) {
  std::size_t width = 0;
  for (const driver::ListedProgram& program : list.programs) width = std::max(width, program.name.size());
  std::string text;
  for (const driver::ListedProgram& program : list.programs)
    text += fmt::format("{:<{}}  {}\n", program.name, width, program.summary);
  return text;
}

std::string list_json(const driver::ProgramList& list) {
  Json json = Json::array();
  for (const driver::ListedProgram& program : list.programs) {
    Json params = Json::array();
    for (const ParamInfo& param : program.params) params.push_back(param_json(param));
    json.push_back({{"schema", kSchema},
                    {"name", program.name},
                    {"summary", program.summary},
                    {"symbols", program.symbols},
                    {"params", params}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
