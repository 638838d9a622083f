// A lock that a signal handler may try for: it is given up after a while, since its holder may be the interrupted code.
#pragma once

#include <atomic>
#include <cstdint>

#include <sched.h>

namespace tilewright::msl_emulator::runner {

class SpinLock {
 public:
  void lock() {
    for (std::uint32_t tries = 0; held_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries > kTries) return;
      sched_yield();
    }
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  static constexpr std::uint32_t kTries = 10'000'000;
  std::atomic_flag held_{};
};

}  // namespace tilewright::msl_emulator::runner
