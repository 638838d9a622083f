#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "plan/options.h"
#include "support/number_text.h"
#include "support/spelling.h"

namespace tilewright::plan {

namespace {

constexpr std::string_view kCostPrefix = "cost.";

/// The value of a row in a struct; nothing when the row belongs to another struct.
template <class Options>
std::optional<OptionValue> option_value_of(const OptionRow& row, const Options& options) {
  return std::visit(
      [&](auto member) -> std::optional<OptionValue> {
        if constexpr (requires { options.*member; })
          return OptionValue{std::string(row.name), options.*member};
        else
          return std::nullopt;
      },
      row.member);
}

template <class Options>
std::vector<OptionValue> option_values_of(std::span<const OptionRow> rows, const Options& options) {
  std::vector<OptionValue> values;
  for (const OptionRow& row : rows)
    if (auto value = option_value_of(row, options)) values.push_back(std::move(*value));
  return values;
}

std::unexpected<Diags> bad_option(const OptionRow& row, std::string_view value) {
  return failure(DiagCode::BadOption, fmt::format("{} expects {}, found '{}'", row.name, row.range, value),
                 fmt::format("{}: {}", row.name, row.meaning));
}

/// Whether the text is one of "a, b, c".
bool is_choice(std::string_view choices, std::string_view text) {
  while (!choices.empty()) {
    const std::size_t comma = std::min(choices.find(','), choices.size());
    if (choices.substr(0, comma) == text) return true;
    choices.remove_prefix(std::min(comma + 2, choices.size()));
  }
  return false;
}

std::optional<bool> read_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::int64_t> read_number(const OptionRow& row, std::string_view text) {
  if (row.kind == OptionKind::Version)
    if (const auto flag = read_bool(text)) return *flag ? row.most : 0;
  const auto number = parse_int64(text);
  if (!number || *number < row.least || *number > row.most) return std::nullopt;
  if (!row.choices.empty() && !is_choice(row.choices, std::to_string(*number))) return std::nullopt;
  return *number;
}

template <class Options>
Result<void> store_option(const OptionRow& row, Options& options, std::string_view text) {
  return std::visit(
      [&](auto member) -> Result<void> {
        if constexpr (requires { options.*member; }) {
          auto& place = options.*member;
          using Value = std::remove_reference_t<decltype(place)>;
          std::optional<Value> value;
          if constexpr (std::is_same_v<Value, bool>)
            value = read_bool(text);
          else if constexpr (std::is_same_v<Value, std::int64_t>)
            value = read_number(row, text);
          else if (is_choice(row.choices, text))
            value = std::string(text);
          if (!value) return bad_option(row, text);
          place = std::move(*value);
        }
        return {};
      },
      row.member);
}

const OptionRow* find_option_row(std::span<const OptionRow> rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

void add_option_names(std::vector<std::string_view>& names, std::span<const OptionRow> rows) {
  for (const OptionRow& row : rows) names.push_back(row.name);
}

std::unexpected<Diags> unknown_option(std::string_view name, const std::vector<std::string_view>& known) {
  std::string hint = did_you_mean(name, known);
  for (const CostPriorRow& row : cost_prior_rows())
    if (row.name == name) hint = fmt::format("did you mean '{}{}'?", kCostPrefix, name);
  if (hint.empty()) hint = fmt::format("the options are {}", fmt::join(known, ", "));
  return failure(DiagCode::UnknownOption, fmt::format("no option is called '{}'", name), std::move(hint));
}

}  // namespace

std::vector<OptionValue> option_values(const PlannerOptions& options) {
  std::vector<OptionValue> values = option_values_of(planner_option_rows(), options);
  values.push_back({"cost.version", options.cost.version});
  for (const CostPriorRow& row : cost_prior_rows())
    std::visit(
        [&](auto member) {
          values.push_back({std::string(kCostPrefix) + std::string(row.name), options.cost.*member});
        },
        row.member);
  return values;
}

std::vector<OptionValue> option_values(const CompileSwitches& switches) {
  return option_values_of(compile_switch_rows(), switches);
}

std::string option_value_text(const OptionValue& value) {
  struct Text {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return format_double(number); }
    std::string operator()(const std::string& word) const { return word; }
  };
  return std::visit(Text{}, value.value);
}

std::string options_text(std::span<const OptionValue> values) {
  std::string text;
  for (const OptionValue& value : values) text += fmt::format("{} = {}\n", value.name, option_value_text(value));
  return text;
}

Result<void> set_option(PlannerOptions& options, std::string_view name, std::string_view value) {
  if (name.starts_with(kCostPrefix)) return set_coefficient(options.cost, name.substr(kCostPrefix.size()), value);
  if (const OptionRow* row = find_option_row(planner_option_rows(), name)) return store_option(*row, options, value);
  std::vector<std::string_view> names;
  add_option_names(names, planner_option_rows());
  return unknown_option(name, names);
}

Result<void> set_option(CompileSwitches& switches, std::string_view name, std::string_view value) {
  if (const OptionRow* row = find_option_row(compile_switch_rows(), name)) return store_option(*row, switches, value);
  std::vector<std::string_view> names;
  add_option_names(names, compile_switch_rows());
  return unknown_option(name, names);
}

Result<void> set_option(PlannerOptions& options, CompileSwitches& switches, std::string_view name,
                        std::string_view value) {
  if (find_option_row(compile_switch_rows(), name)) return set_option(switches, name, value);
  if (find_option_row(planner_option_rows(), name) || name.starts_with(kCostPrefix))
    return set_option(options, name, value);
  std::vector<std::string_view> names;
  add_option_names(names, planner_option_rows());
  add_option_names(names, compile_switch_rows());
  return unknown_option(name, names);
}

}  // namespace tilewright::plan
