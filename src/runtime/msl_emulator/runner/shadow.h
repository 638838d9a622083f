// Shadow memory: what is remembered of the accesses to one granule, and when two of them are in no order.
//
// A cell holds the last write and two readers that are as different as possible, each as a Stamp, with the site of
// each. Two accesses conflict when one writes and not both are atomic. Their order comes from barriers alone:
//   interval   advances at every threadgroup_barrier. fence[m]: the first interval after the latest barrier that names
//              memory m. A write of this group in an interval before fence[m] is ordered before everything that
//              follows.
//   epoch      advances at every simdgroup_barrier of a SIMD group, with a fence of the same kind; it orders the lanes
//   of
//              that SIMD group among each other.
// A read is over when its lane arrives at a barrier, so that a barrier of any flags orders it before later writes.
// Groups are in no order. So of the intervals, [group_start, now] are this group's and all others another group's:
// every worker draws its intervals from a range of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <sched.h>

namespace tilewright::msl_emulator::runner {

enum Memory : std::uint32_t { DeviceMemory, ThreadgroupMemory };

/// interval 32 | atomic 1 | distinct groups 1 | epoch 18 | subgroup 6 | lane 6. 0: never.
using Stamp = std::uint64_t;
using Site = std::uint16_t;

inline constexpr std::uint32_t kWholeSubgroup = 32;  ///< as lane: a collective of the SIMD group
inline constexpr std::uint32_t kWholeGroup = 32;     ///< as subgroup: a collective of the threadgroup
inline constexpr std::uint32_t kSeveral = 63;        ///< as subgroup and lane: atomics of several threads
inline constexpr std::uint32_t kEpochShift = 12;
inline constexpr std::uint32_t kMaxEpoch = (1u << 18) - 1;
inline constexpr Stamp kActorMask = 0xffffffff00000fffull;  ///< interval and who
inline constexpr Stamp kWhoMask = 0xfff;
inline constexpr Stamp kAtomic = Stamp{1} << 31;
/// On the second reader: the two are of different groups, so whoever writes races with one of them.
inline constexpr Stamp kDistinctGroups = Stamp{1} << 30;
inline constexpr std::uint32_t kNoInterval = 0xffffffff;  ///< atomics of several groups

constexpr Stamp make_stamp(std::uint32_t interval, std::uint32_t epoch, std::uint32_t who) {
  return (Stamp{interval} << 32) | (Stamp{epoch} << kEpochShift) | who;
}
constexpr std::uint32_t who_of(std::uint32_t subgroup, std::uint32_t lane) { return subgroup << 6 | lane; }
constexpr std::uint32_t interval_of(Stamp stamp) { return static_cast<std::uint32_t>(stamp >> 32); }
constexpr std::uint32_t epoch_of(Stamp stamp) { return static_cast<std::uint32_t>(stamp >> kEpochShift) & kMaxEpoch; }
constexpr std::uint32_t who_in(Stamp stamp) { return static_cast<std::uint32_t>(stamp & kWhoMask); }
constexpr std::uint32_t subgroup_of(Stamp stamp) { return who_in(stamp) >> 6; }
constexpr std::uint32_t lane_of(Stamp stamp) { return who_in(stamp) & 63; }

/// The group's own time.
struct GroupClock {
  std::uint32_t group_start = 1;
  std::uint32_t now = 1;
  std::array<std::uint32_t, 2> fence{1, 1};  ///< by Memory

  bool owns(Stamp stamp) const { return interval_of(stamp) - group_start <= now - group_start; }
  /// Of this group, and before the latest barrier that covers the memory.
  bool before_fence(Stamp stamp, Memory memory) const {
    return interval_of(stamp) - group_start < fence[memory] - group_start;
  }
  /// Of this group, and before the latest barrier of any flags.
  bool before_now(Stamp stamp) const { return interval_of(stamp) - group_start < now - group_start; }
  void start_group() {
    ++now;
    group_start = fence[DeviceMemory] = fence[ThreadgroupMemory] = now;
  }
  void pass_barrier(bool device, bool threadgroup) {
    ++now;
    if (device) fence[DeviceMemory] = now;
    if (threadgroup) fence[ThreadgroupMemory] = now;
  }
};

/// The SIMD group's time within a group.
struct SubgroupClock {
  std::uint32_t epoch = 0;
  std::array<std::uint32_t, 2> fence{0, 0};

  void pass_barrier(bool device, bool threadgroup) {
    ++epoch;
    if (device) fence[DeviceMemory] = epoch;
    if (threadgroup) fence[ThreadgroupMemory] = epoch;
  }
};

enum class Verdict : std::uint8_t { Ordered, Race, OtherGroupRace, WrongGroupFence, WrongSubgroupFence };

/// Whoever makes an access: `self` carries the present interval and epoch.
struct Actor {
  Stamp self = 0;
  const GroupClock* group = nullptr;
  const SubgroupClock* subgroup = nullptr;
};

/// Whether the remembered access is ordered before the present one. Premise: they conflict unless both are atomic.
inline Verdict judge(Stamp past, bool past_was_write, const Actor& actor, Memory memory) {
  if (past == 0 || (past & actor.self & kAtomic) != 0) return Verdict::Ordered;
  const GroupClock& group = *actor.group;
  if (!group.owns(past)) return memory == ThreadgroupMemory ? Verdict::Ordered : Verdict::OtherGroupRace;
  if (group.before_fence(past, memory) || who_in(past) == who_in(actor.self)) return Verdict::Ordered;
  if (!past_was_write && group.before_now(past)) return Verdict::Ordered;
  // All lanes of a SIMD group take part in its collective read, so what one of them writes later comes after it.
  const bool same_subgroup = subgroup_of(past) == subgroup_of(actor.self);
  if (!past_was_write && same_subgroup && lane_of(past) == kWholeSubgroup) return Verdict::Ordered;
  if (same_subgroup && epoch_of(past) < actor.subgroup->epoch) {
    if (!past_was_write || epoch_of(past) < actor.subgroup->fence[memory]) return Verdict::Ordered;
    return Verdict::WrongSubgroupFence;
  }
  return interval_of(past) < group.now ? Verdict::WrongGroupFence : Verdict::Race;
}

/// The three stamps and sites of one granule.
struct Cell {
  Stamp* stamps = nullptr;  ///< write, reader, reader
  Site* sites = nullptr;
};

/// How a cell is held while it is read and changed. Of several workers one has it at a time, so that whoever comes
/// second sees the first with its site; the site of the write is in here meanwhile, and a mark in its place.
class OneWorker {
 public:
  explicit OneWorker(Cell cell) : site_(cell.sites[0]) {}
  Site& write_site() { return site_; }

 private:
  Site& site_;
};
class SeveralWorkers {
 public:
  explicit SeveralWorkers(Cell cell) : place_(cell.sites[0]) {
    while ((site_ = std::atomic_ref(place_).exchange(kHeld, std::memory_order_acquire)) == kHeld) sched_yield();
  }
  ~SeveralWorkers() { std::atomic_ref(place_).store(site_, std::memory_order_release); }
  SeveralWorkers(const SeveralWorkers&) = delete;
  SeveralWorkers& operator=(const SeveralWorkers&) = delete;
  Site& write_site() { return site_; }

 private:
  static constexpr Site kHeld = 0xffff;  ///< the number of no site
  Site& place_;
  Site site_ = 0;
};

/// One memory seen by one worker. needs_write: the access reads, and what was never written must not be read. Sink:
/// void conflict(Stamp past, Site past_site, bool past_was_write, Verdict), void uninitialized(), and for device memory
/// void first_write(), void first_read(): of the launch.
template <Memory kMemory, class Mode, class Sink>
class Shadow {
 public:
  Shadow(const Actor& actor, Site site, bool needs_write, Sink& sink)
      : actor_(actor), group_(*actor.group), self_(actor.self), site_(site), needs_write_(needs_write), sink_(sink) {}

  template <bool kIsAtomic>
  [[gnu::always_inline]] void write(Cell cell) {
    Mode held(cell);
    const Stamp past = cell.stamps[0];
    cell.stamps[0] = kIsAtomic ? atomic_after(past) : self_;
    if (!settled(past)) check(past, held.write_site(), true);
    if (needs_write_ && !is_written(past)) [[unlikely]]
      sink_.uninitialized();
    if (!over(cell.stamps[1])) check(cell.stamps[1], cell.sites[1], false);
    if (!over(cell.stamps[2])) check(cell.stamps[2], cell.sites[2], false);
    held.write_site() = site_;
    if (kMemory == DeviceMemory && past == 0) sink_.first_write();
  }

  [[gnu::always_inline]] void read(Cell cell) {
    Mode held(cell);
    remember_reader(cell);
    const Stamp past = cell.stamps[0];
    if (needs_write_ && !is_written(past)) [[unlikely]]
      sink_.uninitialized();
    else if (!settled(past))
      check(past, held.write_site(), true);
  }

 private:
  bool is_written(Stamp past) const { return kMemory == ThreadgroupMemory ? group_.owns(past) : past != 0; }

  /// Cheap and one-sided: true only if judge() says Ordered.
  bool settled(Stamp past) const {
    if ((past ^ self_) == 0 || past == 0) return true;
    if (group_.before_fence(past, kMemory)) return true;
    return ((past ^ self_) & kActorMask) == 0;
  }

  /// The same for a remembered read.
  bool over(Stamp reader) const {
    return reader == 0 || group_.before_now(reader) || ((reader ^ self_) & kActorMask) == 0;
  }

  [[gnu::noinline]] void check(Stamp past, Site past_site, bool past_was_write) {
    const Verdict verdict = judge(past, past_was_write, actor_, kMemory);
    if (verdict != Verdict::Ordered) sink_.conflict(past, past_site, past_was_write, verdict);
  }

  /// An atomic leaves a stamp that conflicts with every plain access that it and its forerunners conflict with.
  Stamp atomic_after(Stamp past) const {
    if ((past & kAtomic) != 0) {
      if (!group_.owns(past)) {
        if (kMemory == DeviceMemory) return make_stamp(kNoInterval, 0, who_of(kSeveral, kSeveral)) | kAtomic;
      } else if (who_in(past) != who_in(self_) && !group_.before_fence(past, kMemory)) {
        return make_stamp(group_.now, 0, who_of(kSeveral, kSeveral)) | kAtomic;
      }
    } else if (((past ^ self_) & kActorMask) == 0) {
      return self_ & ~kAtomic;
    }
    return self_;
  }

  /// Whether a read now tells every later writer what that one would have: it may be forgotten.
  bool outlived(Stamp reader) const {
    if (reader == 0 || group_.before_now(reader)) return true;
    if (!group_.owns(reader)) return kMemory == ThreadgroupMemory;
    if (((reader ^ self_) & kWhoMask) == 0) return (reader & kAtomic) != 0 || (self_ & kAtomic) == 0;
    if (subgroup_of(reader) != subgroup_of(self_)) return false;
    // A collective read conflicts with other SIMD groups alone, and so does whoever of its own reads later.
    return lane_of(reader) == kWholeSubgroup || epoch_of(reader) < actor_.subgroup->epoch;
  }

  [[gnu::always_inline]] void remember_reader(Cell cell) {
    const Stamp first = cell.stamps[1], second = cell.stamps[2];
    if (first == self_ || second == self_ || (second & kDistinctGroups) != 0) return;
    if (outlived(first)) {
      remember(cell, 1, self_);
      if (kMemory == DeviceMemory && first == 0) sink_.first_read();
      if (kMemory == DeviceMemory && second != 0 && !group_.owns(second)) cell.stamps[2] = second | kDistinctGroups;
    } else if (kMemory == DeviceMemory && !group_.owns(first)) {
      remember(cell, 2, self_ | kDistinctGroups);
    } else if (outlived(second) || keeps_more_apart(first, second)) {
      remember(cell, 2, self_);
    }
  }
  [[gnu::always_inline]] void remember(Cell cell, std::uint32_t place, Stamp reader) {
    cell.stamps[place] = reader;
    cell.sites[place] = site_;
  }

  /// Three readers of this group and room for two: whether the present one in place of `second` leaves two SIMD groups
  /// instead of one.
  bool keeps_more_apart(Stamp first, Stamp second) const {
    if (kMemory == DeviceMemory && !group_.owns(second)) return false;
    return subgroup_of(first) == subgroup_of(second) && subgroup_of(first) != subgroup_of(self_);
  }

  const Actor& actor_;
  const GroupClock& group_;
  const Stamp self_;
  const Site site_;
  const bool needs_write_;
  Sink& sink_;
};

}  // namespace tilewright::msl_emulator::runner
