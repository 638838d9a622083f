// The numbering of places of the program: code addresses and places that the shim names, for cells and reports.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/msl_emulator/runner/spin_lock.h"
#include "runtime/msl_emulator/runner/worker.h"

namespace tilewright::msl_emulator::runner {

class Sites {
 public:
  explicit Sites(Answer& answer);

  /// 0 when there are more sites than numbers.
  Site add_code(std::atomic<Site>& entry, std::uint64_t code_offset);
  Site add_place(const Place& place);
  /// Offset of the text in Answer::strings; the empty text when the area is full.
  std::uint32_t intern(const char* text);

 private:
  Site next(const SiteRecord& record);
  std::uint32_t intern_locked(const char* text);

  static constexpr std::uint32_t kTableEntries = 1 << 17;
  static constexpr std::uint32_t kTexts = 1024;

  Answer& answer_;
  SpinLock lock_;
  std::array<Site, kTableEntries> by_place_{};
  std::array<std::uint32_t, kTexts> texts_{};
  std::uint32_t text_count_ = 0;
};

/// The site of a place that the shim names, through the worker's cache.
Site place_site(Worker& worker, const Place& place);

}  // namespace tilewright::msl_emulator::runner
