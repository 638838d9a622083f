// The address space of the runner.
//
// Arena: one slot of 8 GiB an object, which lies in the middle, so that what is up to 4 GiB before it or behind it is
// still known to belong to it. Only the objects themselves are backed; see faults.h for accesses beside them.
// Slots 0..30: buffers. Then one slot a worker: its threadgroup memory. The last: optional buffers that are not bound.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/msl_emulator/runner/job.h"

namespace tilewright::msl_emulator::runner {

inline constexpr std::uint64_t kArenaBegin = 0x100000000000;
inline constexpr std::uint32_t kSlotShift = 33;
inline constexpr std::uint64_t kSlotBytes = std::uint64_t{1} << kSlotShift;
inline constexpr std::uint64_t kSlotMiddle = kSlotBytes / 2;
inline constexpr std::uint32_t kSlots = 64;
inline constexpr std::uint64_t kArenaBytes = kSlots * kSlotBytes;
inline constexpr std::uint32_t kAbsentSlot = kSlots - 1;
static_assert(kBuffers + kMaxWorkers <= kAbsentSlot);

constexpr std::uint64_t slot_begin(std::uint32_t slot) { return kArenaBegin + slot * kSlotBytes + kSlotMiddle; }

/// An anonymous mapping, filled with zeros on demand; ends the runner with a message when there is none to be had.
std::byte* reserve(std::uint64_t bytes);
/// The same in the arena, and a part of the data file in the arena. private_copy: writes do not reach the file.
void map_arena();
void map_anonymous_at(std::uint64_t address, std::uint64_t bytes);
void map_data_at(std::uint64_t address, std::uint64_t bytes, std::uint64_t file_offset, bool private_copy);

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace tilewright::msl_emulator::runner
