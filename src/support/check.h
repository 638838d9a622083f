// TW_CHECK: an invariant of this program. It is tested in every build type; a failure is our fault, never the user's.
#pragma once

namespace tilewright {

/// Prints the broken invariant with its place and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace tilewright

#define TW_CHECK(condition)                                                       \
  do {                                                                            \
    if (!(condition)) ::tilewright::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
