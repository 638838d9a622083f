#include "report/print_report.h"

#include <nlohmann/json.hpp>

#include "report/schema.h"

namespace tilewright::report {

std::string print_json(const std::string& program, const std::string& stage, const std::string& text) {
  const nlohmann::ordered_json json = {{"schema", kSchema}, {"program", program}, {"stage", stage}, {"text", text}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
