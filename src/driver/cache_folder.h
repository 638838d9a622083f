// The folder of compiled kernels for the CPU, as the command line names, shows and clears it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/disk_store.h"
#include "support/result.h"

namespace tilewright::driver {

/// Where kernels for the CPU lie below the folder that --cache or TILEWRIGHT_CACHE names.
std::string cpu_cache_folder(const std::string& base);

struct CacheReport {
  std::string folder;
  std::uint64_t bytes = 0, limit_bytes = 0;
  std::vector<store::EntrySummary> entries;  ///< the latest used first
};
/// Reads every entry whole. A folder that does not exist is empty. CacheFolder, FileRead.
Result<CacheReport> show_cache(const std::string& folder);

struct CacheClearReport {
  std::string folder;
  std::uint64_t entries = 0, bytes = 0;
};
/// CacheFolder, FileRead, FileWrite.
Result<CacheClearReport> clear_cache(const std::string& folder);

}  // namespace tilewright::driver
