// How many random cases a property test runs: by default as many as a quick test can afford, in a build with sanitizers
// a share of them; the environment variable TILEWRIGHT_CASES gives another number.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace tilewright {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// TILEWRIGHT_CASES when it is a number above 0; else `usual`, and with sanitizers one in `share` of it.
inline int case_count(int usual, int share = 20) {
  const char* const wanted = std::getenv("TILEWRIGHT_CASES");
  const long count = wanted == nullptr ? 0 : std::strtol(wanted, nullptr, 10);
  if (count > 0) return static_cast<int>(std::min(count, 10'000'000L));
  return kSanitized ? std::max(usual / share, 1) : usual;
}

}  // namespace tilewright
