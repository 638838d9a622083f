#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plan/cost_priors.h"
#include "support/files.h"
#include "support/spelling.h"

namespace tilewright::plan {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "tilewright.cost-priors.1";

/// Reads one file. Faults are collected; what is at fault is skipped.
class PriorsReader {
 public:
  explicit PriorsReader(std::string_view label) : label_(label) {}

  Result<CostPriors> read(std::string_view text) {
    const Json json = parsed(text);
    if (faults_.empty()) read_top(json);
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    TW_TRY_VOID(validate(priors_));
    return std::move(priors_);
  }

 private:
  void fault(DiagCode code, std::string message, std::string hint = {}) {
    faults_.push_back({code, fmt::format("'{}': {}", label_, message), {}, std::move(hint), {}});
  }
  void malformed(std::string message) { fault(DiagCode::CostFileFormat, std::move(message)); }

  /// A key that stands twice in one object would be lost by the time the value is there.
  Json parsed(std::string_view text) {
    std::vector<std::vector<std::string>> open;
    const auto watch = [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) open.emplace_back();
      if (event == Json::parse_event_t::object_end) open.pop_back();
      if (event != Json::parse_event_t::key) return true;
      const auto& key = value.get_ref<const std::string&>();
      if (std::find(open.back().begin(), open.back().end(), key) != open.back().end())
        fault(DiagCode::CoefficientRepeated, fmt::format("'{}' stands twice in one object", key), "remove one of them");
      open.back().push_back(key);
      return true;
    };
    Json json = Json::parse(text, watch, false);
    if (json.is_discarded()) {
      faults_.clear();
      malformed("the text is not JSON");
    }
    return json;
  }

  void read_top(const Json& json) {
    if (!json.is_object()) return malformed("expected an object");
    for (const auto& [key, value] : json.items()) {
      if (key == "coefficients") continue;
      if (key != "schema" && key != "version" && key != "source")
        malformed(
            fmt::format("unexpected '{}'; a file of coefficients has schema, version, source, coefficients", key));
      else if (!value.is_string())
        malformed(fmt::format("'{}' is expected to be a text, found {}", key, value.type_name()));
    }
    for (const char* key : {"schema", "version", "source", "coefficients"})
      if (!json.contains(key)) malformed(fmt::format("'{}' is missing", key));
    if (!faults_.empty()) return;
    if (json["schema"] != kSchema)
      malformed(fmt::format("schema is expected to be \"{}\", found {}", kSchema, json["schema"].dump()));
    priors_.version = json["version"].get<std::string>();
    read_coefficients(json["coefficients"]);
  }

  void read_coefficients(const Json& json) {
    if (!json.is_object()) return malformed("'coefficients' is expected to be an object");
    std::vector<std::string_view> names;
    for (const CostPriorRow& row : cost_prior_rows()) {
      names.push_back(row.name);
      const auto found = json.find(std::string(row.name));
      if (found == json.end())
        fault(DiagCode::CoefficientMissing, fmt::format("coefficient '{}' is missing: {}", row.name, row.prices));
      else
        read_coefficient(row, *found);
    }
    for (const auto& item : json.items())
      if (std::find(names.begin(), names.end(), item.key()) == names.end())
        fault(DiagCode::CoefficientUnknown, fmt::format("no coefficient is called '{}'", item.key()),
              did_you_mean(item.key(), names));
  }

  void read_coefficient(const CostPriorRow& row, const Json& json) {
    if (!json.is_object() || !json.contains("value"))
      return malformed(fmt::format("coefficient '{}' is expected to be an object with 'value'", row.name));
    for (const auto& [key, value] : json.items()) {
      if (key == "value") continue;
      if (key != "prices" || !value.is_string())
        malformed(
            fmt::format("coefficient '{}' has an unexpected '{}'; it has value and, as a text, prices", row.name, key));
    }
    const Json& value = json["value"];
    if (const auto* real = std::get_if<double CostPriors::*>(&row.member)) {
      if (!value.is_number()) return wrong_type(row, "a number", value);
      priors_.** real = value.get<double>();
    } else {
      if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
        return wrong_type(row, "a whole number of 64 bits", value);
      priors_.*std::get<std::int64_t CostPriors::*>(row.member) = value.get<std::int64_t>();
    }
  }

  void wrong_type(const CostPriorRow& row, std::string_view expected, const Json& value) {
    fault(DiagCode::CoefficientType, fmt::format("coefficient '{}' is expected to be {}, found {}", row.name, expected,
                                                 value.dump(-1, ' ', true, Json::error_handler_t::replace)));
  }

  std::string label_;
  CostPriors priors_;
  Diags faults_;
};

}  // namespace

Result<CostPriors> parse_cost_priors(std::string_view text, std::string_view label) {
  return PriorsReader(label).read(text);
}

Result<CostPriors> load_cost_priors(const std::string& path) {
  TW_TRY(const std::string text, read_file(path));
  return parse_cost_priors(text, path);
}

}  // namespace tilewright::plan
