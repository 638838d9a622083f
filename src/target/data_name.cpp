#include "target/data_name.h"

#include <algorithm>

namespace tilewright::target {

namespace {

constexpr std::size_t kLongestName = 64;

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; });
}

}  // namespace

std::optional<std::string> read_name(JsonFields& fields, std::string_view field) {
  auto name = fields.line(field);
  if (!name || is_name(*name)) return name;
  fields.faults().push_back(json_fault(DiagCode::FieldRange, fields.place().field(field),
                                       "a name of lower-case letters, digits, '.', '-' and '_'",
                                       quoted_briefly(*name)));
  return std::nullopt;
}

void read_schema(JsonFields& fields, std::int64_t version) { (void)fields.integer("schema", version, version); }

}  // namespace tilewright::target
