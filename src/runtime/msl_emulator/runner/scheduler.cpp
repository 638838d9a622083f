// Groups, one after the other; in a group, lane after lane, each until it has to wait for others.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/msl_emulator/runner/engine.h"
#include "runtime/msl_emulator/runner/rendezvous.h"
#include "runtime/msl_emulator/runner/reports.h"
#include "runtime/msl_emulator/runner/schedule.h"
#include "runtime/msl_emulator/runner/switch.h"

namespace tilewright::msl_emulator::runner {

namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;

/// Lanes of the same SIMD group first.
Lane* next_runnable(Worker& worker) {
  Lane& lane = *worker.lane;
  Subgroup& own = *lane.subgroup;
  if (own.runnable != 0) return own.lanes[next_position(own.runnable, lane.position)];
  if (worker.runnable_subgroups == 0) return nullptr;
  Subgroup& other = *worker.subgroup_order[next_position(worker.runnable_subgroups, own.position)];
  return other.lanes[static_cast<std::uint32_t>(std::countr_zero(other.runnable))];
}

void lane_main(Transfer transfer) {
  note_origin(transfer);
  Worker& worker = *this_worker;
  worker.engine->object.entry(worker.arguments);
  Lane& lane = *worker.lane;
  Subgroup& subgroup = *lane.subgroup;
  lane.returned = true;
  ++worker.returned;
  subgroup.returned |= lane.bit;
  stop_running(worker, subgroup, lane.bit);
  wait_for_others(worker);
  __builtin_trap();
}

void place_lane(Worker& worker, std::uint32_t index, const Triple& size) {
  const Engine& engine = *worker.engine;
  Lane& lane = worker.lanes[index];
  emu_lane& in = lane.inputs;
  in.thread_position_in_threadgroup = {index % size[0], index / size[0] % size[1], index / (size[0] * size[1])};
  in.threadgroup_position_in_grid = {worker.group[0], worker.group[1], worker.group[2]};
  const Triple& full = engine.job.threads_per_threadgroup;
  in.thread_position_in_grid = {worker.group[0] * full[0] + in.thread_position_in_threadgroup.x,
                                worker.group[1] * full[1] + in.thread_position_in_threadgroup.y,
                                worker.group[2] * full[2] + in.thread_position_in_threadgroup.z};
  in.threads_per_threadgroup = {size[0], size[1], size[2]};
  in.threadgroups_per_grid = {engine.job.threadgroups[0], engine.job.threadgroups[1], engine.job.threadgroups[2]};
  in.threads_per_grid = {engine.job.threads_per_grid[0], engine.job.threads_per_grid[1],
                         engine.job.threads_per_grid[2]};
  in.thread_index_in_threadgroup = index;
  in.thread_index_in_simdgroup = index % EMU_SIMD_WIDTH;
  in.simdgroup_index_in_threadgroup = index / EMU_SIMD_WIDTH;
  in.simdgroups_per_threadgroup = worker.subgroup_count;
  in.lanes_in_simdgroup = worker.subgroups[index / EMU_SIMD_WIDTH].lane_count;
  lane.who = who_of(index / EMU_SIMD_WIDTH, index % EMU_SIMD_WIDTH);
  lane.index = index % EMU_SIMD_WIDTH;
  lane.returned = false;
  lane.meeting = {};
  // Tops that differ modulo the page: equal frames of the lanes of a SIMD group would compete for the same cache lines.
  std::byte* top = worker.stacks + (index + std::uint64_t{1}) * kStackBytes - (index * 320 & 0xfc0) - 64;
  lane.context = make_fcontext(top, kStackBytes - kGuardBytes - kPageBytes, lane_main);
}

void place_subgroup(Worker& worker, std::uint32_t index) {
  Subgroup& subgroup = worker.subgroups[index];
  subgroup.index = index;
  subgroup.lane_count = std::min<std::uint32_t>(EMU_SIMD_WIDTH, worker.lane_count - index * EMU_SIMD_WIDTH);
  std::uint32_t position = 0;
  for (std::uint8_t lane_index : worker.engine->lane_order) {
    if (lane_index >= subgroup.lane_count) continue;
    Lane& lane = worker.lanes[index * EMU_SIMD_WIDTH + lane_index];
    lane.subgroup = &subgroup;
    lane.position = position;
    lane.bit = 1u << position;
    subgroup.lanes[position++] = &lane;
  }
  subgroup.all = static_cast<std::uint32_t>((std::uint64_t{1} << subgroup.lane_count) - 1);
  subgroup.runnable = subgroup.all;
  subgroup.at_meeting = subgroup.at_group = subgroup.returned = subgroup.chosen = 0;
  subgroup.uniform = true;
  subgroup.clock = {};
}

/// The extents of a group: fewer threads at the end of a grid that is given in threads.
Triple group_extents(const Job& job, const Triple& group) {
  Triple size{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t begin = std::uint64_t{group[d]} * job.threads_per_threadgroup[d];
    size[d] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(job.threads_per_threadgroup[d], job.threads_per_grid[d] - begin));
  }
  return size;
}

void poison_threadgroup_memory(Worker& worker) {
  for (std::uint32_t i = 1; i < worker.variable_count; ++i) {
    const Variable& variable = worker.variables[i];
    std::memset(reinterpret_cast<void*>(slot_begin(worker.own_slot) + variable.begin), 0xff,
                variable.end - variable.begin);
  }
}

void start_group(Worker& worker, std::uint64_t number) {
  Engine& engine = *worker.engine;
  worker.group_number = number;
  worker.group = engine.group_position(number);
  const Triple size = group_extents(engine.job, worker.group);
  worker.lane_count = size[0] * size[1] * size[2];
  worker.subgroup_count = (worker.lane_count + EMU_SIMD_WIDTH - 1) / EMU_SIMD_WIDTH;
  std::uint32_t position = 0;
  worker.runnable_subgroups = 0;
  for (std::uint8_t index : engine.subgroup_order) {
    if (index >= worker.subgroup_count) continue;
    place_subgroup(worker, index);
    worker.subgroups[index].position = position;
    worker.subgroup_order[position++] = &worker.subgroups[index];
    worker.runnable_subgroups |= worker.subgroups[index].bit();
  }
  for (std::uint32_t i = 0; i < worker.lane_count; ++i) place_lane(worker, i, size);
  worker.at_group = worker.returned = 0;
  worker.group_uniform = true;
  worker.abandoned = false;
  worker.collective.running = false;
  advance_interval(worker, [&] { worker.clock.start_group(); });
  IntervalLog& log = engine.intervals[worker.index];
  const std::uint64_t at = log.count.load(std::memory_order_relaxed);
  log.entries[at] = {worker.clock.now, static_cast<std::uint32_t>(number)};
  log.count.store(at + 1, std::memory_order_release);
  poison_threadgroup_memory(worker);
}

void run_group(Worker& worker, std::uint64_t number) {
  start_group(worker, number);
  Lane* next = worker.subgroup_order[0]->lanes[0];
  while (next != nullptr && !worker.abandoned) {
    go_to(worker, *next, worker.home);
    if (!worker.abandoned) next = resolve_stall(worker);
  }
  worker.lane = nullptr;
}

}  // namespace

void wait_for_others(Worker& worker) {
  Lane& lane = *worker.lane;
  Lane* next = next_runnable(worker);
  if (next == &lane) return;
  if (next != nullptr)
    go_to(worker, *next, lane.context);
  else
    note_origin(jump_fcontext(worker.home, &lane.context));
}

void abandon_group(Worker& worker) {
  worker.abandoned = true;
  note_origin(jump_fcontext(worker.home, &worker.lane->context));
  __builtin_trap();
}

void stop_launch(Worker& worker) {
  worker.engine->stop.store(true);
  abandon_group(worker);
}

void run_groups(Worker& worker) {
  Engine& engine = *worker.engine;
  const GroupOrder order(engine.group_count, engine.job.schedule, engine.job.seed);
  while (!engine.stop.load(std::memory_order_relaxed)) {
    const std::uint64_t i = engine.next_group.fetch_add(1, std::memory_order_relaxed);
    if (i >= engine.group_count) return;
    run_group(worker, order.at(i));
    engine.answer.groups_done.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace tilewright::msl_emulator::runner
