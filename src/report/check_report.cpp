#include "report/check_report.h"

#include <cmath>

#include <fmt/format.h>

#include "driver/check.h"
#include "support/number_text.h"

namespace tilewright::report {

using Json = nlohmann::ordered_json;

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : format_double(value);
}

namespace {

Json wrong_json(const WrongElement& wrong) {
  return {{"buffer", wrong.buffer},
          {"indices", wrong.indices},
          {"kind", driver::wrong_kind_text(wrong.kind)},
          {"expected", number_json(wrong.expected)},
          {"found", number_json(wrong.found)},
          {"bound", number_json(wrong.bound)}};
}

}  // namespace

void add_check_counts(Json& json, const CheckReport& found) {
  json["checked_elements"] = found.checked_elements;
  json["wrong_elements"] = found.wrong_elements;
  json["unwritten_elements"] = found.unwritten_elements;
  json["undecided_elements"] = found.undecided_elements;
  json["not_stored_elements"] = found.not_stored_elements;
  json["out_of_bounds_writes"] = found.out_of_bounds_writes;
  json["changed_inputs"] = found.changed_inputs;
  json["max_abs_error"] = number_json(found.max_abs_error);
  json["max_rel_error"] = number_json(found.max_rel_error);
  json["rows"] = found.rows;
  json["checked_rows"] = found.checked_rows;
  json["harmed"] = found.harmed;
  json["first_wrong"] = found.first_wrong ? wrong_json(*found.first_wrong) : Json(nullptr);
}

Json check_json(const driver::FillCheck& check) {
  Json json = {{"contents", check.contents}, {"ok", check.report.ok()}};
  add_check_counts(json, check.report);
  json["repeat"] = check.report.ok() ? Json(nullptr) : Json(check.repeat);
  return json;
}

std::string check_line(const driver::FillCheck& check) {
  const CheckReport& found = check.report;
  std::string line = fmt::format("check {:<9} {}: {} elements", check.contents, found.ok() ? "ok" : "WRONG",
                                 found.compared_elements());
  if (found.checked_rows < found.rows) line += fmt::format(" in {} sampled of {} rows", found.checked_rows, found.rows);
  if (found.ok()) {
    line += fmt::format(" within their bounds, largest error {:.2g} (relative {:.2g})", found.max_abs_error,
                        found.max_rel_error);
  } else {
    line += fmt::format(", {} wrong, {} unwritten, {} writes outside, {} inputs changed", found.wrong_elements,
                        found.unwritten_elements, found.out_of_bounds_writes, found.changed_inputs);
  }
  if (found.undecided_elements > 0)
    line += fmt::format("; {} undecided, where any result is permitted", found.undecided_elements);
  if (found.not_stored_elements > 0)
    line += fmt::format("; {} that the program does not store", found.not_stored_elements);
  return line + "\n";
}

}  // namespace tilewright::report
