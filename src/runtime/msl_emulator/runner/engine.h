// What the workers of one run share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/msl_emulator/runner/fault_log.h"
#include "runtime/msl_emulator/runner/job.h"
#include "runtime/msl_emulator/runner/object.h"
#include "runtime/msl_emulator/runner/sites.h"
#include "runtime/msl_emulator/runner/worker.h"

namespace tilewright::msl_emulator::runner {

/// For the report of a race between groups: which group had an interval. Appended to by one worker, read by all.
struct IntervalLog {
  struct Entry {
    std::uint32_t first_interval;
    std::uint32_t group;
  };
  Entry* entries = nullptr;
  std::atomic<std::uint64_t> count{};
};

class Engine {
 public:
  Engine(const Job& job_given, Answer& answer_given)
      : job(job_given), answer(answer_given), sites(answer), log(answer) {}

  const Job& job;
  Answer& answer;
  Sites sites;
  FaultLog log;
  LoadedObject object;
  std::uint32_t lane_count = 0;  ///< of a whole group
  std::uint64_t group_count = 0;
  std::atomic<std::uint64_t> next_group{};
  std::atomic<bool> stop{};
  std::atomic<std::uint32_t> pages_behind_objects{};
  std::array<Worker*, kMaxWorkers> workers{};
  std::array<IntervalLog, kMaxWorkers> intervals{};
  std::array<std::uint32_t, kBuffers> element_alignment{};
  std::array<std::uint8_t, EMU_SIMD_WIDTH> lane_order{};      ///< position -> lane
  std::array<std::uint8_t, EMU_SIMD_WIDTH> subgroup_order{};  ///< position -> SIMD group
  SpinLock variables_lock;
  std::array<const void*, kMaxVariables> variable_keys{};

  Triple group_position(std::uint64_t group) const;
  /// The group that had the interval; false when it is not known any more.
  bool find_group(std::uint32_t interval, std::uint64_t& group) const;
};

/// Executes groups until there are no more, in the order of the schedule.
void run_groups(Worker& worker);

/// Leaves the group that runs (and with it the launch, if the engine is stopped). Called on the stack of a lane.
[[noreturn]] void abandon_group(Worker& worker);
[[noreturn]] void stop_launch(Worker& worker);

/// Switches to the next lane that can run, or to the scheduler; returns when this lane may go on.
void wait_for_others(Worker& worker);

}  // namespace tilewright::msl_emulator::runner
