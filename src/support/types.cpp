#include <array>

#include <tilewright/types.h>

#include "support/check.h"

namespace tilewright {

namespace {

// In the order of the enumerators: the position is the value.
constexpr std::array<std::string_view, 12> kNames = {"f32", "f16", "bf16", "i32",    "index",  "bool",
                                                     "i8",  "u8",  "i4s",  "f8e4m3", "f8e5m2", "f64"};
static_assert(kNames.size() == static_cast<std::size_t>(DataType::F64) + 1);

}  // namespace

std::string_view data_type_name(DataType type) {
  const auto position = static_cast<std::size_t>(type);
  TW_CHECK(position < kNames.size());
  return kNames[position];
}

std::optional<DataType> data_type_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<DataType>(i);
  return std::nullopt;
}

}  // namespace tilewright
