// The numbers of a refusal as data, beside its words.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright {

struct NamedNumber {
  std::string_view name;  ///< "m", "multiple_of", ..: a literal
  std::int64_t value = 0;
  bool operator==(const NamedNumber&) const = default;
};

}  // namespace tilewright
