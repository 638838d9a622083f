#include "driver/cache_folder.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tilewright::driver {

namespace {

bool is_missing(const std::string& folder) { return ::access(folder.c_str(), F_OK) != 0 && errno == ENOENT; }

}  // namespace

std::string cpu_cache_folder(const std::string& base) { return base + "/cpu"; }

Result<CacheReport> show_cache(const std::string& folder) {
  CacheReport report{folder, 0, store::kStoreLimitBytes, {}};
  if (is_missing(folder)) return report;
  TW_TRY(const store::DiskStore store, store::DiskStore::open({folder}));
  TW_TRY(report.entries, store.entries(true));
  for (const store::EntrySummary& entry : report.entries) report.bytes += entry.bytes;
  return report;
}

Result<CacheClearReport> clear_cache(const std::string& folder) {
  if (is_missing(folder)) return CacheClearReport{folder};
  TW_TRY(const store::DiskStore store, store::DiskStore::open({folder}));
  TW_TRY(const store::DiskStore::Cleared cleared, store.clear());
  return CacheClearReport{folder, cleared.entries, cleared.bytes};
}

}  // namespace tilewright::driver
