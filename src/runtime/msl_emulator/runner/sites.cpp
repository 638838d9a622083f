#include "runtime/msl_emulator/runner/sites.h"

#include <cstring>
#include <mutex>

#include "runtime/msl_emulator/runner/engine.h"

namespace tilewright::msl_emulator::runner {

Sites::Sites(Answer& answer) : answer_(answer) {
  answer_.string_bytes = 1;  // offset 0 is the empty text
  answer_.site_count.store(1);
}

Site Sites::next(const SiteRecord& record) {
  const std::uint32_t number = answer_.site_count.load(std::memory_order_relaxed);
  if (number > kMaxSites) return 0;
  answer_.sites[number] = record;
  answer_.site_count.store(number + 1, std::memory_order_release);
  return static_cast<Site>(number);
}

Site Sites::add_code(std::atomic<Site>& entry, std::uint64_t code_offset) {
  const std::lock_guard guard(lock_);
  Site site = entry.load(std::memory_order_relaxed);
  if (site != 0) return site;
  site = next({.kind = SiteRecord::Code, .code_offset = code_offset});
  entry.store(site, std::memory_order_relaxed);
  return site;
}

std::uint32_t Sites::intern(const char* text) {
  const std::lock_guard guard(lock_);
  return intern_locked(text);
}

std::uint32_t Sites::intern_locked(const char* text) {
  if (text == nullptr) return 0;
  for (std::uint32_t i = 0; i < text_count_; ++i)
    if (std::strcmp(answer_.strings.data() + texts_[i], text) == 0) return texts_[i];
  const std::size_t bytes = std::strlen(text) + 1;
  const std::uint32_t begin = answer_.string_bytes;
  if (text_count_ == kTexts || bytes > kStringBytes - begin) return 0;
  std::memcpy(answer_.strings.data() + begin, text, bytes);
  answer_.string_bytes = begin + static_cast<std::uint32_t>(bytes);
  texts_[text_count_++] = begin;
  return begin;
}

Site Sites::add_place(const Place& place) {
  const std::lock_guard guard(lock_);
  const std::uint32_t file = intern_locked(place.file);
  std::uint32_t at = (file * 0x9e3779b1u ^ place.line * 0x85ebca6bu ^ place.column * 0xc2b2ae35u) % kTableEntries;
  for (; by_place_[at] != 0; at = (at + 1) % kTableEntries) {
    const SiteRecord& record = answer_.sites[by_place_[at]];
    if (record.file == file && record.line == place.line && record.column == place.column) return by_place_[at];
  }
  by_place_[at] =
      next({.kind = SiteRecord::Text, .file = file, .line = place.line, .column = place.column, .code_offset = 0});
  return by_place_[at];
}

Site place_site(Worker& worker, const Place& place) {
  const auto key = reinterpret_cast<std::uintptr_t>(place.file) ^ place.line * 31u ^ place.column * 7u;
  PlaceCacheEntry& entry = worker.place_cache[key % worker.place_cache.size()];
  if (entry.site != 0 && entry.place.file == place.file && entry.place.line == place.line &&
      entry.place.column == place.column)
    return entry.site;
  entry = {place, worker.engine->sites.add_place(place)};
  return entry.site;
}

bool same_place(const Place& a, const Place& b) {
  if (a.line != b.line || a.column != b.column) return false;
  return a.file == b.file || (a.file != nullptr && b.file != nullptr && std::strcmp(a.file, b.file) == 0);
}

}  // namespace tilewright::msl_emulator::runner
