// Names and words in files of data. Internal to the loaders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_fields.h"

namespace tilewright::target {

/// 1 to 64 characters of a-z, 0-9, '.', '-', '_', the first a letter or digit. The errors of JsonFields::line, and
/// FieldRange.
std::optional<std::string> read_name(JsonFields& fields, std::string_view field);
/// The names of an enumeration as words that a field may have.
template <std::size_t N>
std::vector<std::string_view> words_of(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}
/// The field 'schema': this version and no other. FieldRange.
void read_schema(JsonFields& fields, std::int64_t version);

}  // namespace tilewright::target
