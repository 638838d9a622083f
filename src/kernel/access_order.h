// Which accesses of a group are ordered before which: clocks of subgroups, and the history of one element.
//
// Every subgroup counts its own epochs. A fence or a ring hands the epochs of those who arrive on to those who go on;
// what a subgroup has heard of another is its view. An access is ordered before another one when
//   the same worker makes both, or
//   workers of one subgroup make them and that subgroup has begun a new epoch in between, or
//   the subgroup of the later one has heard of the epoch of the earlier one.
// What a subgroup does as a whole (fragments, atoms) counts as one worker more: its collectives are in order among
// themselves. Where one of the two is an asynchronous copy, the clocks of that proxy decide.
// There is a set of clocks for each memory and each proxy, because a fence orders what it names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/group_ops.h"

namespace tilewright::kernel {

/// What a subgroup has heard: for each subgroup the first epoch that it does not know to be over.
using ClockView = std::vector<std::uint32_t>;

/// The clocks of one memory and proxy.
class ClockSet {
 public:
  explicit ClockSet(std::size_t subgroups) : views_(subgroups, ClockView(subgroups, 0)) {}

  std::uint32_t epoch(std::size_t subgroup) const { return views_[subgroup][subgroup]; }
  /// Whether epoch `then` of `other` is over for `subgroup`; within one subgroup: whether a new one has begun.
  bool knows(std::size_t subgroup, std::size_t other, std::uint32_t then) const {
    return views_[subgroup][other] > then;
  }
  /// Those subgroups [first, last) arrive, and go on knowing what each of them knew.
  void join(std::size_t first, std::size_t last);
  /// The subgroup begins a new epoch; what it has heard, its own epochs included.
  ClockView publish(std::size_t subgroup);
  /// The subgroup hears what others published.
  void hear(std::size_t subgroup, const ClockView& view);

 private:
  std::vector<ClockView> views_;
};

enum class OrderedMemory : std::uint8_t { Shared, Device };

/// All clocks of a group.
class GroupClocks {
 public:
  explicit GroupClocks(std::size_t subgroups)
      : sets_{ClockSet(subgroups), ClockSet(subgroups), ClockSet(subgroups), ClockSet(subgroups)} {}

  const ClockSet& of(OrderedMemory memory, FenceProxy proxy) const { return sets_[position(memory, proxy)]; }
  /// A fence of the subgroups [first, last).
  void fence(FencedMemory memory, FenceProxy proxy, std::size_t first, std::size_t last);
  /// A ring hands shared memory on, for both proxies.
  std::array<ClockView, 2> publish_shared(std::size_t subgroup);
  void hear_shared(std::size_t subgroup, const std::array<ClockView, 2>& views);

 private:
  static std::size_t position(OrderedMemory memory, FenceProxy proxy) {
    return static_cast<std::size_t>(memory) * 2 + static_cast<std::size_t>(proxy);
  }
  std::array<ClockSet, 4> sets_;
};

/// Who touched an element: a worker of a subgroup of a group, in an epoch of its subgroup.
struct Toucher {
  std::uint64_t group = 0;
  std::uint32_t worker = 0, subgroup = 0;
  std::array<std::uint32_t, 2> epochs{};  ///< of the subgroup, by proxy
  std::uint32_t op = 0;
  FenceProxy proxy{};
  /// Subgroups for which it is over: those that made a copy together and have waited for it.
  std::uint32_t over_begin = 0, over_end = 0;
};

/// What happened to one element since the kernel began: its last write, and the last read of each subgroup since.
class ElementHistory {
 public:
  /// The earlier access that the new one is not ordered behind, or nothing. Then the new one is recorded.
  std::optional<Toucher> read(const Toucher& by, const GroupClocks& clocks, OrderedMemory memory);
  std::optional<Toucher> write(const Toucher& by, const GroupClocks& clocks, OrderedMemory memory);
  /// What that operation did here is over for those subgroups.
  void over(std::uint32_t op, std::uint32_t begin, std::uint32_t end);

 private:
  bool has_write_ = false;
  Toucher write_;
  std::vector<Toucher> reads_;  ///< at most two a subgroup, two workers of it, and one of another group
};

}  // namespace tilewright::kernel
