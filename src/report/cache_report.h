// Caches of compiled kernels.
#pragma once

#include <string>

#include "driver/cache_folder.h"

namespace tilewright::report {

std::string cache_text(const driver::CacheReport& report);
/// {schema, folder, bytes, limit_bytes, entries: [{file, bytes, used_seconds, damage, key: {field: value}}]}. damage is
/// null for an entry that can be used; key is null for one that cannot.
std::string cache_json(const driver::CacheReport& report);

std::string cache_clear_text(const driver::CacheClearReport& report);
/// {schema, folder, cleared_entries, cleared_bytes}
std::string cache_clear_json(const driver::CacheClearReport& report);

}  // namespace tilewright::report
