// Numbers of things, as sentences have them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// "1 launch", "0 launches": the number and the noun, whose plural is given or has an s.
std::string counted(std::uint64_t number, std::string_view noun, std::string_view plural = {});

}  // namespace tilewright
