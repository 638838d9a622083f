// --cache DIR: a cache that tells of itself on stderr.
#include <cstdio>
#include <cstdlib>

#include <tilewright/cache.h>

#include "command.h"
#include "driver/cache_folder.h"

namespace tilewright::cli {

namespace {

void print_warning(const Diag& diag) {
  std::fprintf(stderr, "warning: %s [%s]\n", diag.message.c_str(), std::string(diag_code_name(diag.code)).c_str());
}

void print_event(const CacheEvent& event) {
  for (const Diag& warning : event.warnings) print_warning(warning);
  if (!is_verbose()) return;
  if (event.kind == CacheEvent::Kind::FolderHit) std::fprintf(stderr, "cache: '%s' was found\n", event.program.c_str());
  if (event.kind == CacheEvent::Kind::FolderMiss)
    std::fprintf(stderr, "cache: '%s' was not found: %s\n", event.program.c_str(), event.text.c_str());
}

}  // namespace

std::string cache_base(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("TILEWRIGHT_CACHE");
  return variable == nullptr ? "" : variable;
}

std::shared_ptr<KernelCache> open_cache(const std::string& given) {
  const std::string base = cache_base(given);
  if (base.empty()) return nullptr;
  KernelCacheOptions options;
  options.folder = driver::cpu_cache_folder(base);
  options.observe = print_event;
  auto cache = KernelCache::open(std::move(options));
  if (cache) return std::move(*cache);
  for (const Diag& diag : cache.error()) print_warning(diag);
  return nullptr;
}

}  // namespace tilewright::cli
