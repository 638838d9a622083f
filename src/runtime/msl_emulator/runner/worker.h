// The state of one thread of the runner: the group that it executes, lane by lane, and what the checks know of it.
#pragma once

#include <array>
#include <cstdint>

#include <emu/abi.h>
#include <boost/context/detail/fcontext.hpp>

#include "runtime/msl_emulator/runner/job.h"
#include "runtime/msl_emulator/runner/memory_map.h"
#include "runtime/msl_emulator/runner/shadow.h"

namespace tilewright::msl_emulator::runner {

using Context = boost::context::detail::fcontext_t;
using Transfer = boost::context::detail::transfer_t;

class Engine;

struct Place {
  const char* file = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};
bool same_place(const Place& a, const Place& b);

/// What a lane waits for, beside the collectives of abi.h.
inline constexpr std::uint32_t kSubgroupBarrier = EMU_COLLECTIVE_KINDS;
inline constexpr std::uint32_t kGroupBarrier = EMU_COLLECTIVE_KINDS + 1;

/// What the first to arrive waits for; who differs waits for something else.
struct Meeting {
  Place place;
  std::uint32_t kind = 0;
  emu_collective_body body = nullptr;

  bool operator==(const Meeting& other) const {
    return body == other.body && kind == other.kind && place.line == other.place.line &&
           place.column == other.place.column && (place.file == other.place.file || same_place(place, other.place));
  }
};

struct Subgroup;

/// A cache line of what a switch touches, then the rest.
struct alignas(64) Lane {
  Context context = nullptr;
  Subgroup* subgroup = nullptr;
  std::uint32_t bit = 0;       ///< of its position
  std::uint32_t position = 0;  ///< in the order of its SIMD group
  std::uint32_t index = 0;     ///< in its SIMD group
  std::uint32_t who = 0;
  bool returned = false;
  /// That it waits for, once the lanes of its SIMD group disagree, or at a barrier of the group.
  Meeting meeting;
  emu_lane inputs{};
};

/// Sets of lanes are masks by position.
struct Subgroup {
  std::uint32_t index = 0;
  std::uint32_t position = 0;  ///< in the order of the group
  std::uint32_t all = 0, runnable = 0, at_meeting = 0, at_group = 0, returned = 0;
  std::uint32_t chosen = 0;  ///< part of at_meeting that goes on without the rest, as soon as one of it runs
  bool uniform = true;       ///< all of at_meeting wait for `meeting`; if not, for what Lane::meeting says
  std::uint32_t lane_count = 0;
  Meeting meeting;
  SubgroupClock clock;
  std::array<Lane*, EMU_SIMD_WIDTH> lanes{};      ///< by position
  std::array<void*, EMU_SIMD_WIDTH> arguments{};  ///< by lane

  std::uint32_t bit() const { return 1u << position; }
};

/// Absent: an optional buffer that is not bound. What is read of it is dead on Apple's compilers, so that is no fault.
enum class SlotKind : std::uint32_t { Unused, Device, ReadOnly, Threadgroup, Absent };

/// One object of the arena as this worker sees it, with its own counts.
struct Slot {
  std::uint64_t bytes = 0;
  Stamp* stamps = nullptr;
  Site* sites = nullptr;
  std::uint8_t* touched = nullptr;  ///< of a read-only buffer, by granule
  SlotKind kind{};
  std::uint32_t granule_shift = 0;
  bool initialized = true;
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::uint64_t distinct_read_bytes = 0, distinct_written_bytes = 0;
};

/// A threadgroup variable. Number 0 stands for the red zones.
struct Variable {
  const void* key = nullptr;
  std::uint64_t begin = 0, end = 0;  ///< in the region
  std::uint32_t id = kNone;          ///< in Answer::variables
};
inline constexpr std::uint32_t kBlockShift = 8;
inline constexpr std::uint64_t kRedZoneBytes = 4096;

struct Scratch {
  std::byte* at = nullptr;
  std::uint64_t bytes = 0;
};

/// What runs: a collective, on behalf of whom.
struct Collective {
  bool running = false;
  Actor actor;
  Site site = 0;
  Place place;
};

struct PlaceCacheEntry {
  Place place;
  Site site = 0;
};

struct Worker {
  // What the hooks touch first.
  std::uint64_t private_begin = 0, private_bytes = 0;  ///< stacks and what the kernel may read beside memory
  std::uint64_t stacks_begin = 0, stacks_bytes = 0;    ///< the part of it that it may write
  Actor actor;                                         ///< the lane that runs
  Lane* lane = nullptr;
  std::uint32_t own_slot = 0;
  bool checks = false;
  bool misaligned = false;  ///< the latest access that was looked at with care
  bool several_workers = false;
  std::uint64_t code_begin = 0, code_bytes = 0;
  std::atomic<Site>* code_sites = nullptr;
  std::array<Slot, kSlots> slots{};

  Engine* engine = nullptr;
  std::uint32_t index = 0;
  GroupClock clock;
  std::uint32_t last_interval = 0;  ///< of the worker's range
  Context home = nullptr;
  bool abandoned = false;
  std::uint64_t group_number = 0;
  Triple group{};

  std::uint32_t lane_count = 0, subgroup_count = 0;
  std::uint32_t runnable_subgroups = 0;
  std::uint32_t at_group = 0, returned = 0;
  bool group_uniform = true;
  Meeting group_meeting;
  std::array<Subgroup, 32> subgroups{};        ///< by index
  std::array<Subgroup*, 32> subgroup_order{};  ///< by position
  Lane* lanes = nullptr;                       ///< in the private region; by thread index
  std::byte* stacks = nullptr;
  void** arguments = nullptr;  ///< of the kernel; in the private region
  std::array<void*, EMU_MAX_THREADS> group_arguments{};

  Collective collective;
  SubgroupClock no_clock;

  std::array<Variable, kMaxVariables> variables{};
  std::uint32_t variable_count = 1;
  std::uint64_t variables_end = 0;
  std::uint64_t threadgroup_bytes = 0;
  std::uint8_t* block_variable = nullptr;  ///< by block of 1 << kBlockShift bytes of the region

  std::array<Scratch, 8> scratch{};
  std::array<PlaceCacheEntry, 256> place_cache{};

  CounterAnswer counters;
  std::array<MatmulAnswer, kMaxMatmuls> matmuls{};
  std::uint32_t matmul_count = 0;
};

/// The worker of this thread: the hooks have no argument to find it by.
extern constinit thread_local Worker* this_worker;

}  // namespace tilewright::msl_emulator::runner
