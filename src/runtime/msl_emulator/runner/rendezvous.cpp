#include "runtime/msl_emulator/runner/rendezvous.h"

#include <bit>
#include <cstring>
#include <tuple>

#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/reports.h"
#include "runtime/msl_emulator/runner/switch.h"

namespace tilewright::msl_emulator::runner {

namespace {

bool needs_all_lanes(std::uint32_t kind) { return kind != EMU_SIMD_OPERATION; }
bool needs_full_width(std::uint32_t kind) {
  return kind == EMU_FRAGMENT_LOAD || kind == EMU_FRAGMENT_STORE || kind == EMU_FRAGMENT_MULTIPLY;
}
bool names_device(std::uint32_t flags) { return (flags & EMU_MEM_DEVICE) != 0; }
bool names_threadgroup(std::uint32_t flags) { return (flags & EMU_MEM_THREADGROUP) != 0; }

/// The stamp of whoever runs carries the time; it follows when that moves on.
void refresh_actor(Worker& worker) {
  const Lane& lane = *worker.lane;
  worker.actor.self = make_stamp(worker.clock.now, lane.subgroup->clock.epoch, lane.who);
}

void run_body(Worker& worker, const Meeting& meeting, void** arguments, std::uint32_t count, Stamp self,
              const SubgroupClock& clock) {
  Collective& running = worker.collective;
  running.running = true;
  running.actor = {self, &worker.clock, &clock};
  running.place = meeting.place;
  running.site = 0;
  meeting.body(arguments, count);
  running.running = false;
}

void count_collective(Worker& worker, std::uint32_t kind, bool partial) {
  if (kind == EMU_SIMD_OPERATION) {
    ++worker.counters.simd_operations;
    if (partial) ++worker.counters.partial_simd_operations;
  }
}

void pass_subgroup_barrier(Worker& worker, Subgroup& subgroup, std::uint32_t flags) {
  ++worker.counters.simdgroup_barriers;
  if (subgroup.clock.epoch == kMaxEpoch) {
    // The stamps have no room for more; the group forgets what came before.
    advance_interval(worker, [&] { worker.clock.pass_barrier(true, true); });
    for (Subgroup& each : worker.subgroups) each.clock = {};
  }
  subgroup.clock.pass_barrier(names_device(flags), names_threadgroup(flags));
  refresh_actor(worker);
}

/// Writes down for each lane what it waits for.
void tell_lanes(Subgroup& subgroup) {
  if (!subgroup.uniform) return;
  for (std::uint32_t p = 0; p < subgroup.lane_count; ++p)
    if ((subgroup.at_meeting >> p & 1) != 0) subgroup.lanes[p]->meeting = subgroup.meeting;
}

void note_difference(Subgroup& subgroup, Lane& lane, const Meeting& meeting) {
  tell_lanes(subgroup);
  subgroup.uniform = false;
  lane.meeting = meeting;
}

/// All of `lanes` have arrived: does what they came for and lets them go on.
void complete(Worker& worker, Subgroup& subgroup, const Meeting& meeting, std::uint32_t lanes, std::uint32_t flags) {
  const bool partial = lanes != subgroup.all;
  if ((partial && needs_all_lanes(meeting.kind)) ||
      (needs_full_width(meeting.kind) && subgroup.lane_count != EMU_SIMD_WIDTH)) {
    tell_lanes(subgroup);
    report_partial_subgroup(worker, subgroup, lanes);
    abandon_group(worker);
  }
  if (meeting.kind == kSubgroupBarrier) {
    pass_subgroup_barrier(worker, subgroup, flags);
  } else {
    count_collective(worker, meeting.kind, partial);
    const Stamp self = make_stamp(worker.clock.now, subgroup.clock.epoch, who_of(subgroup.index, kWholeSubgroup));
    if (!partial) {
      run_body(worker, meeting, subgroup.arguments.data(), subgroup.lane_count, self, subgroup.clock);
    } else {
      std::array<void*, EMU_SIMD_WIDTH> arguments{};
      for (std::uint32_t p = 0; p < subgroup.lane_count; ++p) {
        const std::uint32_t lane = subgroup.lanes[p]->index;
        if ((lanes >> p & 1) != 0) arguments[lane] = subgroup.arguments[lane];
      }
      run_body(worker, meeting, arguments.data(), subgroup.lane_count, self, subgroup.clock);
    }
  }
  subgroup.at_meeting &= ~lanes;
  start_running(worker, subgroup, lanes);
}

/// The lanes at the same meeting as one of them.
std::uint32_t lanes_with(const Subgroup& subgroup, const Meeting& meeting) {
  std::uint32_t lanes = 0;
  for (std::uint32_t p = 0; p < subgroup.lane_count; ++p)
    if ((subgroup.at_meeting >> p & 1) != 0 && subgroup.lanes[p]->meeting == meeting) lanes |= 1u << p;
  return lanes;
}

/// Lanes in a branch or still in a loop wait at an earlier line than those that have left it.
bool comes_first(const Meeting& a, const Meeting& b) {
  return std::tuple(a.place.line, a.place.column) < std::tuple(b.place.line, b.place.column);
}

Lane* choose_part(Subgroup& subgroup) {
  tell_lanes(subgroup);
  subgroup.uniform = false;
  const Lane* first = nullptr;
  for (std::uint32_t p = 0; p < subgroup.lane_count; ++p) {
    if ((subgroup.at_meeting >> p & 1) == 0) continue;
    const Lane* lane = subgroup.lanes[p];
    if (first == nullptr || comes_first(lane->meeting, first->meeting)) first = lane;
  }
  subgroup.chosen = lanes_with(subgroup, first->meeting);
  return subgroup.lanes[static_cast<std::uint32_t>(std::countr_zero(subgroup.chosen))];
}

/// After part of the lanes has gone on, those that stay agree or not.
void look_again(Subgroup& subgroup) {
  if (subgroup.at_meeting == 0) return;
  const Lane& first = *subgroup.lanes[static_cast<std::uint32_t>(std::countr_zero(subgroup.at_meeting))];
  subgroup.meeting = first.meeting;
  subgroup.uniform = lanes_with(subgroup, first.meeting) == subgroup.at_meeting;
}

void complete_group(Worker& worker, const Meeting& meeting, std::uint32_t flags) {
  if (meeting.kind == kGroupBarrier) {
    ++worker.counters.threadgroup_barriers;
    advance_interval(worker, [&] { worker.clock.pass_barrier(names_device(flags), names_threadgroup(flags)); });
    refresh_actor(worker);
  } else {
    count_collective(worker, meeting.kind, false);
    const Stamp self = make_stamp(worker.clock.now, 0, who_of(kWholeGroup, kWholeSubgroup));
    run_body(worker, meeting, worker.group_arguments.data(), worker.lane_count, self, worker.no_clock);
  }
  for (std::uint32_t i = 0; i < worker.subgroup_count; ++i) {
    worker.subgroups[i].at_group = 0;
    start_running(worker, worker.subgroups[i], worker.subgroups[i].all);
  }
  worker.at_group = 0;
}

}  // namespace

void report_interval_limit(Worker& worker) {
  ReportRecord report = lane_report(worker, EMU_LIMIT, Detail::TooManyIntervals, 0);
  report.numbers[0] = worker.last_interval;
  worker.engine->log.add(report);
  end_with(RunStatus::Stopped);
}

void meet_subgroup(Worker& worker, const Meeting& meeting, void* argument, std::uint32_t flags) {
  Lane& lane = *worker.lane;
  Subgroup& subgroup = *lane.subgroup;
  subgroup.arguments[lane.index] = argument;
  if (subgroup.at_meeting == 0) {
    subgroup.meeting = meeting;
    subgroup.uniform = true;
  } else if (!subgroup.uniform || !(subgroup.meeting == meeting)) [[unlikely]] {
    note_difference(subgroup, lane, meeting);
  }
  subgroup.at_meeting |= lane.bit;
  if (subgroup.at_meeting == subgroup.all && subgroup.uniform)
    return complete(worker, subgroup, meeting, subgroup.all, flags);
  subgroup.runnable &= ~lane.bit;
  if (subgroup.runnable != 0) [[likely]] {
    go_to(worker, *subgroup.lanes[next_position(subgroup.runnable, lane.position)], lane.context);
  } else {
    worker.runnable_subgroups &= ~subgroup.bit();
    wait_for_others(worker);
  }
  if (subgroup.chosen != 0) [[unlikely]] {
    const std::uint32_t lanes = subgroup.chosen;
    subgroup.chosen = 0;
    complete(worker, subgroup, meeting, lanes, flags);
    look_again(subgroup);
  }
}

void meet_group(Worker& worker, const Meeting& meeting, void* argument, std::uint32_t flags) {
  Lane& lane = *worker.lane;
  Subgroup& subgroup = *lane.subgroup;
  lane.meeting = meeting;
  worker.group_arguments[subgroup.index * EMU_SIMD_WIDTH + lane.index] = argument;
  if (worker.at_group == 0) {
    worker.group_meeting = meeting;
    worker.group_uniform = true;
  } else if (!(worker.group_meeting == meeting)) {
    worker.group_uniform = false;
  }
  ++worker.at_group;
  subgroup.at_group |= lane.bit;
  if (worker.at_group == worker.lane_count && worker.group_uniform) return complete_group(worker, meeting, flags);
  stop_running(worker, subgroup, lane.bit);
  wait_for_others(worker);
}

Lane* resolve_stall(Worker& worker) {
  if (worker.returned == worker.lane_count) return nullptr;
  for (std::uint32_t p = 0; p < worker.subgroup_count; ++p) {
    Subgroup& subgroup = *worker.subgroup_order[p];
    if (subgroup.at_meeting != 0) return choose_part(subgroup);
  }
  report_stalled_group(worker);
  return nullptr;
}

}  // namespace tilewright::msl_emulator::runner
