// The reports of a run, in the answer. Equal faults at the same places are one report that is counted.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/msl_emulator/runner/job.h"
#include "runtime/msl_emulator/runner/spin_lock.h"

namespace tilewright::msl_emulator::runner {

class FaultLog {
 public:
  explicit FaultLog(Answer& answer) : answer_(answer) {}

  /// Of equal faults the one of the first group and thread is kept, so that the number of workers makes no difference.
  void add(const ReportRecord& report);

 private:
  static constexpr std::uint32_t kEntries = 4096;

  Answer& answer_;
  SpinLock lock_;
  std::array<std::uint16_t, kEntries> by_key_{};  ///< number + 1
};

}  // namespace tilewright::msl_emulator::runner
