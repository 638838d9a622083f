#include "kernel/access_order.h"

#include <algorithm>
#include <utility>

namespace tilewright::kernel {

void ClockSet::join(std::size_t first, std::size_t last) {
  ClockView all(views_.size(), 0);
  for (std::size_t s = first; s < last; ++s) {
    ++views_[s][s];
    for (std::size_t other = 0; other < all.size(); ++other) all[other] = std::max(all[other], views_[s][other]);
  }
  for (std::size_t s = first; s < last; ++s) views_[s] = all;
}

ClockView ClockSet::publish(std::size_t subgroup) {
  ++views_[subgroup][subgroup];
  return views_[subgroup];
}

void ClockSet::hear(std::size_t subgroup, const ClockView& view) {
  ClockView& own = views_[subgroup];
  for (std::size_t other = 0; other < own.size(); ++other) own[other] = std::max(own[other], view[other]);
}

void GroupClocks::fence(FencedMemory memory, FenceProxy proxy, std::size_t first, std::size_t last) {
  const auto orders = [&](OrderedMemory which) {
    sets_[position(which, FenceProxy::Generic)].join(first, last);
    if (proxy == FenceProxy::Async) sets_[position(which, FenceProxy::Async)].join(first, last);
  };
  if (memory.shared) orders(OrderedMemory::Shared);
  if (memory.device) orders(OrderedMemory::Device);
}

std::array<ClockView, 2> GroupClocks::publish_shared(std::size_t subgroup) {
  return {sets_[position(OrderedMemory::Shared, FenceProxy::Generic)].publish(subgroup),
          sets_[position(OrderedMemory::Shared, FenceProxy::Async)].publish(subgroup)};
}

void GroupClocks::hear_shared(std::size_t subgroup, const std::array<ClockView, 2>& views) {
  sets_[position(OrderedMemory::Shared, FenceProxy::Generic)].hear(subgroup, views[0]);
  sets_[position(OrderedMemory::Shared, FenceProxy::Async)].hear(subgroup, views[1]);
}

namespace {

bool ordered(const Toucher& before, const Toucher& now, const GroupClocks& clocks, OrderedMemory memory) {
  if (before.group != now.group) return false;
  if (before.worker == now.worker) return true;
  if (now.subgroup >= before.over_begin && now.subgroup < before.over_end) return true;
  const bool async = before.proxy == FenceProxy::Async || now.proxy == FenceProxy::Async;
  const FenceProxy proxy = async ? FenceProxy::Async : FenceProxy::Generic;
  return clocks.of(memory, proxy).knows(now.subgroup, before.subgroup, before.epochs[static_cast<std::size_t>(proxy)]);
}

}  // namespace

std::optional<Toucher> ElementHistory::read(const Toucher& by, const GroupClocks& clocks, OrderedMemory memory) {
  std::optional<Toucher> conflict;
  if (has_write_ && !ordered(write_, by, clocks, memory)) conflict = write_;
  const auto same_subgroup = [&](const Toucher& read) {
    return read.group == by.group && read.subgroup == by.subgroup;
  };
  // A read that the new one is ordered behind says nothing more; of the rest two workers of a subgroup are enough to
  // find a write of any worker in conflict.
  std::erase_if(reads_, [&](const Toucher& read) {
    return same_subgroup(read) && (read.worker == by.worker || ordered(read, by, clocks, memory));
  });
  // Of other groups one is enough: no writer is of that group and of this one.
  bool other_seen = false;
  std::erase_if(reads_, [&](const Toucher& read) { return read.group != by.group && std::exchange(other_seen, true); });
  if (std::ranges::count_if(reads_, same_subgroup) < 2) reads_.push_back(by);
  return conflict;
}

std::optional<Toucher> ElementHistory::write(const Toucher& by, const GroupClocks& clocks, OrderedMemory memory) {
  std::optional<Toucher> conflict;
  if (has_write_ && !ordered(write_, by, clocks, memory)) conflict = write_;
  for (const Toucher& read : reads_)
    if (!conflict && !ordered(read, by, clocks, memory)) conflict = read;
  has_write_ = true;
  write_ = by;
  reads_.clear();
  return conflict;
}

void ElementHistory::over(std::uint32_t op, std::uint32_t begin, std::uint32_t end) {
  const auto mark = [&](Toucher& made) {
    if (made.op == op) made.over_begin = begin, made.over_end = end;
  };
  if (has_write_) mark(write_);
  std::ranges::for_each(reads_, mark);
}

}  // namespace tilewright::kernel
