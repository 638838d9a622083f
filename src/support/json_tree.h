// JSON texts as trees, strictly read: for files of data that people write.
//
// What JSON leaves open is closed here: a name stands once in an object, integers are kept apart from other numbers,
// and a text nests at most kJsonDepth deep. Numbers keep their spelling for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright {

inline constexpr std::size_t kJsonDepth = 32;

enum class JsonKind : std::uint8_t { Null, Bool, Integer, Real, Text, List, Object };

struct JsonNode {
  JsonKind kind = JsonKind::Null;
  bool truth = false;              ///< of Bool
  std::int64_t integer = 0;        ///< of Integer: a number of 64 bits without point and exponent
  double real = 0;                 ///< of Integer and Real
  std::string text;                ///< of Text; of Integer and Real as it is written
  std::vector<std::string> names;  ///< of Object: one an item, in the order of the text
  std::vector<JsonNode> items;     ///< of List and Object
};

/// One value and nothing after it. `file` names the text in diagnostics. JsonSyntax with line and column: no JSON, or
/// nested too deep. RepeatedField with the path: a name that its object has already.
Result<JsonNode> parse_json(std::string_view text, const std::string& file);

/// A text in quotes for a message: one line, cut when it is long.
std::string quoted_briefly(std::string_view text);

/// "null", "true", "the number 1.5", "the text 'abc'" (long texts are cut), "a list", "an object".
std::string describe_json(const JsonNode& node);

}  // namespace tilewright
