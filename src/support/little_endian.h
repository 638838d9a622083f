// Reading numbers from bytes, least significant byte first, on any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilewright {

/// Up to eight bytes, the first the lowest.
inline std::uint64_t load_little_endian(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

}  // namespace tilewright
