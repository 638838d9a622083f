// One access of a kernel to memory: is it inside its object, written before, aligned, and ordered with the others?
// The part that every access passes through is here; what happens to the few that fail is in checker.cpp.
#pragma once

#include <cstdint>

#include "runtime/msl_emulator/runner/engine.h"
#include "runtime/msl_emulator/runner/worker.h"

namespace tilewright::msl_emulator::runner {

struct Access {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t element_bytes = 0;
  bool is_write = false;
  bool is_atomic = false;
  bool reads = true;  ///< also: an atomic operation whose result depends on what was there
  bool is_collective = false;
  Site site = 0;
  const Actor* actor = nullptr;
};

inline Site code_site(Worker& worker, std::uint64_t code) {
  const std::uint64_t offset = code - worker.code_begin;
  if (offset >= worker.code_bytes) return 0;
  std::atomic<Site>& entry = worker.code_sites[offset];
  const Site site = entry.load(std::memory_order_relaxed);
  if (site != 0) [[likely]]
    return site;
  Engine& engine = *worker.engine;
  return engine.sites.add_code(entry, code - engine.object.base);
}

void report_conflict(Worker& worker, const Access& access, std::uint64_t offset, Stamp past, Site past_site,
                     bool past_was_write, Verdict verdict);
void report_access(Worker& worker, const Access& access, std::uint32_t kind, std::uint64_t offset);
/// Neither in the arena nor in the stacks: the constants of the program may be read; anything else ends the launch.
void check_elsewhere(Worker& worker, const Access& access);
/// In a slot that is no buffer and not this worker's threadgroup memory.
[[noreturn]] void report_wild(Worker& worker, const Access& access);
void report_absent_write(Worker& worker, const Access& access);
/// The access covers part of a granule: the launch is to be run again.
[[noreturn]] void want_finer_granule(Worker& worker, const Access& access);

/// What Shadow tells of the cells of one access.
struct CellSink {
  Worker& worker;
  Slot& slot;
  const Access& access;
  std::uint64_t offset;  ///< of the cell in the slot

  void conflict(Stamp past, Site past_site, bool past_was_write, Verdict verdict) {
    report_conflict(worker, access, offset, past, past_site, past_was_write, verdict);
  }
  void first_write() { slot.distinct_written_bytes += std::uint64_t{1} << slot.granule_shift; }
  void first_read() { slot.distinct_read_bytes += std::uint64_t{1} << slot.granule_shift; }
  void uninitialized() { report_access(worker, access, EMU_UNINITIALIZED_READ, offset); }
};

template <Memory kMemory, class Mode, bool kWrite, bool kAtomicAccess>
[[gnu::always_inline]] inline void check_cells(Worker& worker, Slot& slot, std::uint64_t inside, const Access& access) {
  const std::uint32_t shift = slot.granule_shift;
  CellSink sink{worker, slot, access, inside};
  Shadow<kMemory, Mode, CellSink> shadow(*access.actor, access.site, access.reads && !slot.initialized, sink);
  const std::uint64_t first = inside >> shift;
  const std::uint64_t last = (inside + access.bytes - 1) >> shift;
  Cell cell{slot.stamps + first * 3, slot.sites + first * 3};
  for (std::uint64_t i = first;; ++i, cell.stamps += 3, cell.sites += 3, sink.offset += std::uint64_t{1} << shift) {
    if constexpr (kWrite)
      shadow.template write<kAtomicAccess>(cell);
    else
      shadow.read(cell);
    if (i == last) break;
  }
}

/// The variable that holds the whole access; null: none does.
inline const Variable* variable_at(const Worker& worker, std::uint64_t inside, std::uint64_t bytes) {
  if (inside >= kThreadgroupRegionBytes) return nullptr;
  const Variable& variable = worker.variables[worker.block_variable[inside >> kBlockShift]];
  return inside >= variable.begin && inside + bytes <= variable.end ? &variable : nullptr;
}

/// Nobody writes the buffer, so that it matters only which bytes are read at all.
inline void mark_touched(Slot& slot, std::uint64_t inside, std::uint64_t bytes) {
  const std::uint64_t last = (inside + bytes - 1) >> slot.granule_shift;
  for (std::uint64_t i = inside >> slot.granule_shift; i <= last; ++i) {
    const std::atomic_ref touched(slot.touched[i]);
    if (touched.load(std::memory_order_relaxed) == 0 && touched.exchange(1, std::memory_order_relaxed) == 0)
      slot.distinct_read_bytes += std::uint64_t{1} << slot.granule_shift;
  }
}

template <bool kWrite, bool kAtomicAccess>
[[gnu::always_inline]] inline void check_in_arena(Worker& worker, const Access& access) {
  const std::uint64_t from_arena = access.address - kArenaBegin;
  Slot& slot = worker.slots[from_arena >> kSlotShift];
  const std::uint64_t inside = (from_arena & (kSlotBytes - 1)) - kSlotMiddle;
  const bool granular = ((access.address | access.bytes) & ((std::uint64_t{1} << slot.granule_shift) - 1)) == 0;
  if (slot.kind == SlotKind::Threadgroup) {
    if (variable_at(worker, inside, access.bytes) == nullptr) [[unlikely]]
      return report_access(worker, access, EMU_OUT_OF_BOUNDS, inside);
    (kWrite ? slot.written_bytes : slot.read_bytes) += access.bytes;
    if (!granular) [[unlikely]]
      want_finer_granule(worker, access);
    return check_cells<ThreadgroupMemory, OneWorker, kWrite, kAtomicAccess>(worker, slot, inside, access);
  }
  if (slot.kind == SlotKind::Unused) [[unlikely]]
    report_wild(worker, access);
  if (slot.kind == SlotKind::Absent) [[unlikely]] {
    if (kWrite) report_absent_write(worker, access);
    return;
  }
  if (inside >= slot.bytes || access.bytes > slot.bytes - inside) [[unlikely]]
    return report_access(worker, access, EMU_OUT_OF_BOUNDS, inside);
  (kWrite ? slot.written_bytes : slot.read_bytes) += access.bytes;
  if (slot.kind == SlotKind::ReadOnly) {
    if constexpr (kWrite) return report_access(worker, access, EMU_READONLY_WRITE, inside);
    if (!slot.initialized) report_access(worker, access, EMU_UNINITIALIZED_READ, inside);
    mark_touched(slot, inside, access.bytes);
    return;
  }
  if (!granular) [[unlikely]]
    want_finer_granule(worker, access);
  if (worker.several_workers)
    check_cells<DeviceMemory, SeveralWorkers, kWrite, kAtomicAccess>(worker, slot, inside, access);
  else
    check_cells<DeviceMemory, OneWorker, kWrite, kAtomicAccess>(worker, slot, inside, access);
}

/// Stacks, and what may be read beside them: the arguments and built-in inputs.
template <bool kWrite>
inline bool is_private(const Worker& worker, std::uint64_t address) {
  return kWrite ? address - worker.stacks_begin < worker.stacks_bytes
                : address - worker.private_begin < worker.private_bytes;
}

/// The accesses that are nearly all: of one whole granule, within bounds, ordered with what is remembered. False: look
/// again, with care; nothing has been changed then.
template <bool kWrite, std::uint64_t kBytes>
[[gnu::always_inline]] inline bool passes_quickly(Worker& worker, std::uint64_t from_arena, std::uint64_t code) {
  Slot& slot = worker.slots[from_arena >> kSlotShift];
  const std::uint64_t inside = (from_arena & (kSlotBytes - 1)) - kSlotMiddle;
  if (kBytes != std::uint64_t{1} << slot.granule_shift || from_arena % kBytes != 0) return false;
  const std::uint64_t index = inside >> slot.granule_shift;
  if (slot.kind == SlotKind::ReadOnly) {
    if (kWrite || !slot.initialized || inside >= slot.bytes || kBytes > slot.bytes - inside) return false;
    if (slot.touched[index] == 0) return false;
    slot.read_bytes += kBytes;
    return true;
  }
  const bool is_threadgroup = slot.kind == SlotKind::Threadgroup;
  if (is_threadgroup) {
    if (variable_at(worker, inside, kBytes) == nullptr) return false;
  } else if (slot.kind != SlotKind::Device || worker.several_workers || inside >= slot.bytes ||
             kBytes > slot.bytes - inside) {
    return false;
  }
  const Cell cell{slot.stamps + index * 3, slot.sites + index * 3};
  const GroupClock& clock = worker.clock;
  const std::uint32_t fence = clock.fence[is_threadgroup ? ThreadgroupMemory : DeviceMemory];
  const Stamp self = worker.actor.self, write = cell.stamps[0], first = cell.stamps[1], second = cell.stamps[2];
  const auto is_mine = [self](Stamp past) { return ((past ^ self) & (kActorMask | kAtomic)) == 0; };
  const auto is_before = [&](Stamp past, std::uint32_t end) {
    return interval_of(past) - clock.group_start < end - clock.group_start;
  };
  if constexpr (kWrite) {
    // Of threadgroup memory, stamps of earlier groups mean nothing; of device memory, the first write is counted.
    const auto reader_is_over = [&](Stamp reader) {
      return reader == 0 || is_mine(reader) || is_before(reader, clock.now) || (is_threadgroup && !clock.owns(reader));
    };
    const bool write_is_over = is_mine(write) || is_before(write, fence) || (is_threadgroup && !clock.owns(write));
    if (!write_is_over || !reader_is_over(first) || !reader_is_over(second)) return false;
    cell.stamps[0] = self;
    cell.sites[0] = code_site(worker, code);
    slot.written_bytes += kBytes;
    return true;
  }
  const bool write_is_over =
      is_mine(write) || is_before(write, fence) || (!is_threadgroup && write == 0 && slot.initialized);
  if (!write_is_over) return false;
  if (first != self && second != self && (second & kDistinctGroups) == 0) {
    const bool replaces = is_mine(first) || is_before(first, clock.now) || (is_threadgroup && !clock.owns(first));
    if (!replaces || (!is_threadgroup && second != 0 && !clock.owns(second))) return false;
    cell.stamps[1] = self;
    cell.sites[1] = code_site(worker, code);
  }
  slot.read_bytes += kBytes;
  return true;
}

template <bool kWrite, bool kAtomicAccess, std::uint64_t kAlignment>
[[gnu::noinline]] void check_with_care(Worker& worker, std::uint64_t address, std::uint64_t bytes, std::uint64_t code,
                                       bool reads) {
  Actor actor = worker.actor;
  if constexpr (kAtomicAccess) actor.self |= kAtomic;
  const Access access{.address = address,
                      .bytes = bytes,
                      .is_write = kWrite,
                      .is_atomic = kAtomicAccess,
                      .reads = reads,
                      .site = code_site(worker, code),
                      .actor = &actor};
  if (address - kArenaBegin >= kArenaBytes) return check_elsewhere(worker, access);
  if (kAlignment > 1 && (address & (kAlignment - 1)) != 0) report_access(worker, access, EMU_MISALIGNED, 0);
  worker.misaligned = kAlignment > 1 && (address & (kAlignment - 1)) != 0;
  check_in_arena<kWrite, kAtomicAccess>(worker, access);
}

/// The access of a lane: what the instrumented code calls. alignment: that the code relies on.
template <bool kWrite, bool kAtomicAccess, std::uint64_t kAlignment>
[[gnu::always_inline]] inline void check_access(const void* at, std::uint64_t bytes, std::uint64_t code,
                                                bool reads = !kWrite) {
  Worker& worker = *this_worker;
  const auto address = reinterpret_cast<std::uint64_t>(at);
  if (is_private<kWrite>(worker, address) || bytes == 0) return;
  if constexpr (!kAtomicAccess && kAlignment > 1) {
    if (address - kArenaBegin < kArenaBytes && passes_quickly<kWrite, kAlignment>(worker, address - kArenaBegin, code))
      return;
  }
  check_with_care<kWrite, kAtomicAccess, kAlignment>(worker, address, bytes, code, reads);
}

}  // namespace tilewright::msl_emulator::runner
