// SHA-256, for digests that tools outside of this program can check.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// 64 lower-case hexadecimal digits, as `shasum -a 256` prints them.
std::string sha256_text(std::string_view bytes);

}  // namespace tilewright
