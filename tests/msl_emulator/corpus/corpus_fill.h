// What a buffer of a corpus case holds: an element type, a count and a rule for the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::msl_emulator::corpus {

enum class Element : std::uint8_t { F32, F16, Bf16, I32, U32, I16, U16, I8, U8, I64, U64 };

/// "f32", "f16", "bf16", "i32", ..; nothing for any other word.
std::optional<Element> element_named(std::string_view word);
std::size_t element_bytes(Element element);

enum class Rule : std::uint8_t {
  Zero,
  Iota,           ///< 0, 1, 2, ..
  Value,          ///< values[0] everywhere
  Values,         ///< values, one each
  Mixed,          ///< integers in -4..3 without a pattern: exact in every type, sums of products too
  Uninitialized,  ///< bytes that no sum hides (a NaN in every float type), and bound as not initialized
};

struct Fill {
  Rule rule = Rule::Zero;
  std::vector<double> values;
};

std::vector<std::byte> filled(Element element, std::size_t count, const Fill& fill);

}  // namespace tilewright::msl_emulator::corpus
