#include "report/errors_report.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "report/place_json.h"
#include "report/schema.h"

namespace tilewright::report {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string errors_json(const Diags& diags) {
  Json errors = Json::array();
  for (const Diag& diag : diags) {
    Json notes = Json::array();
    for (const Note& note : diag.notes) notes.push_back({{"message", note.message}, {"place", place_json(note.place)}});
    errors.push_back({{"code", diag_code_name(diag.code)},
                      {"message", diag.message},
                      {"place", place_json(diag.place)},
                      {"notes", notes},
                      {"hint", diag.hint}});
  }
  const Json json = {{"schema", kSchema}, {"ok", false}, {"errors", std::move(errors)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
