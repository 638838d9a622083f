// Compiled kernels of tests are kept from test to test, and not among the user's.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace tilewright {

inline void use_test_cache() {
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / "tilewright-test-cache";
  ::setenv("TILEWRIGHT_CACHE", cache.c_str(), 1);
}

}  // namespace tilewright
