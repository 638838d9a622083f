#include "runtime/msl_emulator/runner/setup.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/schedule.h"
#include "runtime/msl_emulator/runner/variables.h"

namespace tilewright::msl_emulator::runner {

namespace {

constexpr std::uint32_t kArguments = 64;
constexpr std::uint32_t kFirstThreadgroupArgument = 32;

/// What lies in front of the stacks, in the range that a kernel may touch unchecked: its arguments and built-in inputs.
struct PrivateHead {
  std::array<void*, kArguments> arguments{};
  std::array<emu_tensor_binding, kBuffers> tensors{};
  std::array<Lane, EMU_MAX_THREADS> lanes{};
};

void map_stacks(Worker& worker, std::uint32_t lane_count) {
  const std::uint64_t head_bytes = round_up(sizeof(PrivateHead), kPageBytes);
  worker.private_bytes = head_bytes + lane_count * kStackBytes;
  std::byte* begin = reserve(worker.private_bytes);
  worker.private_begin = reinterpret_cast<std::uint64_t>(begin);
  auto& head = *new (begin) PrivateHead;
  worker.arguments = head.arguments.data();
  worker.lanes = head.lanes.data();
  worker.stacks = begin + head_bytes;
  worker.stacks_begin = worker.private_begin + head_bytes;
  worker.stacks_bytes = worker.private_bytes - head_bytes;
  for (std::uint32_t i = 0; i < lane_count; ++i)
    if (mprotect(worker.stacks + i * kStackBytes, kGuardBytes, PROT_NONE) != 0)
      end_failed("the stacks of %u threads cannot be guarded", lane_count);
}

void bind_arguments(const Job& job, Worker& worker) {
  auto& head = *reinterpret_cast<PrivateHead*>(worker.private_begin);
  for (std::uint32_t i = 0; i < kBuffers; ++i) {
    const BindingJob& binding = job.bindings[i];
    if ((job.absent_buffers >> i & 1) != 0)
      head.arguments[i] = reinterpret_cast<void*>(slot_begin(kAbsentSlot) + i * kAbsentBytes);
    if (binding.slot >= kBuffers) continue;
    void* const base = reinterpret_cast<void*>(slot_begin(binding.slot));
    head.arguments[i] = base;
    if (binding.is_tensor == 0) continue;
    emu_tensor_binding& tensor = head.tensors[i];
    tensor.base = base;
    tensor.rank = binding.rank;
    std::copy(binding.extents.begin(), binding.extents.end(), tensor.extents);
    std::copy(binding.strides.begin(), binding.strides.end(), tensor.strides);
    head.arguments[i] = &tensor;
  }
}

void map_threadgroup_memory(const Job& job, Worker& worker) {
  worker.own_slot = kBuffers + worker.index;
  map_anonymous_at(slot_begin(worker.own_slot), kThreadgroupRegionBytes);
  Slot& slot = worker.slots[worker.own_slot];
  slot.kind = SlotKind::Threadgroup;
  slot.bytes = kThreadgroupRegionBytes;
  slot.granule_shift = job.threadgroup_granule_shift;
  slot.initialized = false;
  const std::uint64_t cells = kThreadgroupRegionBytes >> slot.granule_shift;
  slot.stamps = reinterpret_cast<Stamp*>(reserve(cells * 3 * sizeof(Stamp)));
  slot.sites = reinterpret_cast<Site*>(reserve(cells * 3 * sizeof(Site)));
  worker.block_variable = reinterpret_cast<std::uint8_t*>(reserve(kThreadgroupRegionBytes >> kBlockShift));
}

void lay_out_arguments(const Job& job, Worker& worker) {
  for (std::uint32_t i = 0; i < kBuffers; ++i) {
    if (job.threadgroup_bytes[i] == 0) continue;
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "threadgroup(%u)", i);
    worker.arguments[kFirstThreadgroupArgument + i] =
        threadgroup_variable(worker, &job.threadgroup_bytes[i], job.threadgroup_bytes[i], 256, name.data());
  }
}

void make_worker(Engine& engine, std::uint32_t index) {
  const Job& job = engine.job;
  Worker& worker = *new (reserve(sizeof(Worker))) Worker;
  engine.workers[index] = &worker;
  worker.engine = &engine;
  worker.index = index;
  worker.checks = job.checks != 0;
  worker.several_workers = job.workers > 1;
  worker.code_begin = engine.object.code.begin;
  worker.code_bytes = engine.object.code.end - engine.object.code.begin;
  worker.code_sites = engine.object.code_sites;
  // Ranges of intervals that no two workers share; 0 and kNoInterval are nobody's.
  const std::uint32_t range = kNoInterval / job.workers;
  worker.clock.now = index * range + 1;
  worker.last_interval = worker.clock.now + range - 2;
  worker.actor.group = &worker.clock;
  map_stacks(worker, engine.lane_count);
  bind_arguments(job, worker);
  map_threadgroup_memory(job, worker);
  lay_out_arguments(job, worker);
  engine.intervals[index].entries =
      reinterpret_cast<IntervalLog::Entry*>(reserve(engine.group_count * sizeof(IntervalLog::Entry)));
}

/// Shadow for the finest granule: address space only, until it is touched.
void map_buffer(Engine& engine, std::uint32_t index) {
  const SlotJob& job = engine.job.slots[index];
  Slot slot;
  slot.bytes = job.bytes;
  slot.kind = job.read_only != 0 ? SlotKind::ReadOnly : SlotKind::Device;
  slot.granule_shift = job.granule_shift;
  slot.initialized = job.initialized != 0;
  if (job.bytes != 0)
    map_data_at(slot_begin(index), round_up(job.bytes, kPageBytes), job.data_offset, job.read_only != 0);
  if (engine.job.checks != 0 && job.read_only != 0) {
    slot.touched = reinterpret_cast<std::uint8_t*>(reserve(job.bytes));
  } else if (engine.job.checks != 0) {
    slot.stamps = reinterpret_cast<Stamp*>(reserve(job.bytes * 3 * sizeof(Stamp)));
    slot.sites = reinterpret_cast<Site*>(reserve(job.bytes * 3 * sizeof(Site)));
  }
  for (std::uint32_t i = 0; i < engine.job.workers; ++i) engine.workers[i]->slots[index] = slot;
}

void map_absent_buffers(Engine& engine) {
  if (engine.job.absent_buffers == 0) return;
  map_anonymous_at(slot_begin(kAbsentSlot), kBuffers * kAbsentBytes);
  for (std::uint32_t i = 0; i < kBuffers; ++i)
    if ((engine.job.absent_buffers >> i & 1) != 0)
      std::memset(reinterpret_cast<void*>(slot_begin(kAbsentSlot) + i * kAbsentBytes), 0xff, kAbsentBytes);
  for (std::uint32_t i = 0; i < engine.job.workers; ++i) engine.workers[i]->slots[kAbsentSlot].kind = SlotKind::Absent;
}

void choose_orders(Engine& engine) {
  const Job& job = engine.job;
  engine.lane_order = order_of_32(job.schedule, job.seed * 0x9e37 + job.schedule);
  engine.subgroup_order = order_of_32(job.schedule, job.seed * 0x79b9 + job.schedule + 1);
}

/// Beside the shadow of the buffers: what the job needs in memory, at most.
std::uint64_t shadow_bytes(const Engine& engine) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < engine.job.slot_count; ++i) {
    const Slot& slot = engine.workers[0]->slots[i];
    bytes += slot.bytes + (slot.bytes >> slot.granule_shift) * (slot.kind == SlotKind::ReadOnly ? 1 : kCellBytes);
  }
  return bytes;
}

}  // namespace

Triple Engine::group_position(std::uint64_t group) const {
  const auto x = job.threadgroups[0], y = job.threadgroups[1];
  return {static_cast<std::uint32_t>(group % x), static_cast<std::uint32_t>(group / x % y),
          static_cast<std::uint32_t>(group / (std::uint64_t{x} * y))};
}

bool Engine::find_group(std::uint32_t interval, std::uint64_t& group) const {
  if (interval == kNoInterval) return false;
  const std::uint32_t index = (interval - 1) / (kNoInterval / job.workers);
  if (index >= job.workers) return false;
  const IntervalLog& log_of = intervals[index];
  IntervalLog::Entry* const end = log_of.entries + log_of.count.load(std::memory_order_acquire);
  auto* const after = std::upper_bound(log_of.entries, end, interval, [](std::uint32_t value, const auto& entry) {
    return value < entry.first_interval;
  });
  if (after == log_of.entries) return false;
  group = (after - 1)->group;
  return true;
}

void set_up(Engine& engine) {
  const Job& job = engine.job;
  engine.object = load_object(job.object_path.data(), job.entry);
  engine.lane_count = job.threads_per_threadgroup[0] * job.threads_per_threadgroup[1] * job.threads_per_threadgroup[2];
  engine.group_count = std::uint64_t{job.threadgroups[0]} * job.threadgroups[1] * job.threadgroups[2];
  choose_orders(engine);
  map_arena();
  for (std::uint32_t i = 0; i < job.workers; ++i) make_worker(engine, i);
  for (std::uint32_t i = 0; i < job.slot_count; ++i) map_buffer(engine, i);
  map_absent_buffers(engine);
}

void ask_for_elements(Engine& engine) {
  const Job& job = engine.job;
  for (const BindingJob& binding : job.bindings) {
    if (binding.slot >= job.slot_count) continue;
    const std::uint64_t answer = engine.object.element(binding.parameter);
    const std::uint64_t bytes = answer & 0xffffffffffff;
    SlotAnswer& slot = engine.answer.slots[binding.slot];
    if (slot.element_bytes == 0) slot.element_bytes = bytes;
    const std::uint32_t shift =
        bytes == 0
            ? kCoarsestGranuleShift
            : std::min<std::uint32_t>(kCoarsestGranuleShift, static_cast<std::uint32_t>(std::countr_zero(bytes)));
    for (std::uint32_t i = 0; i < job.workers; ++i) {
      Slot& mine = engine.workers[i]->slots[binding.slot];
      mine.granule_shift = std::min(mine.granule_shift, shift);
    }
  }
  const std::uint64_t needed = job.checks != 0 ? shadow_bytes(engine) : 0;
  if (needed > job.memory_limit_bytes)
    end_too_large("%llu bytes of memory are needed for buffers and shadow, the limit is %llu",
                  static_cast<unsigned long long>(needed), static_cast<unsigned long long>(job.memory_limit_bytes));
}

namespace {

void add_space(SpaceAnswer& sum, const SpaceAnswer& part) {
  sum.fragment_loads += part.fragment_loads;
  sum.fragment_stores += part.fragment_stores;
}

void add_counters(CounterAnswer& sum, const CounterAnswer& part) {
  sum.matrix_8x8 += part.matrix_8x8;
  sum.tensor_operations += part.tensor_operations;
  sum.threadgroup_barriers += part.threadgroup_barriers;
  sum.simdgroup_barriers += part.simdgroup_barriers;
  sum.simd_operations += part.simd_operations;
  sum.partial_simd_operations += part.partial_simd_operations;
  sum.atomics += part.atomics;
  add_space(sum.device, part.device);
  add_space(sum.threadgroup, part.threadgroup);
}

void add_matmul(Answer& answer, const MatmulAnswer& part) {
  for (std::uint32_t i = 0; i < answer.matmul_count; ++i) {
    MatmulAnswer& known = answer.matmuls[i];
    if (known.m != part.m || known.n != part.n || known.k != part.k) continue;
    known.runs += part.runs;
    return;
  }
  if (answer.matmul_count < kMaxMatmuls) answer.matmuls[answer.matmul_count++] = part;
}

void add_slots(Engine& engine, const Worker& worker) {
  Answer& answer = engine.answer;
  for (std::uint32_t i = 0; i < engine.job.slot_count; ++i) {
    const Slot& slot = worker.slots[i];
    SlotAnswer& sum = answer.slots[i];
    sum.read_bytes += slot.read_bytes;
    sum.written_bytes += slot.written_bytes;
    sum.distinct_read_bytes = std::min(slot.bytes, sum.distinct_read_bytes + slot.distinct_read_bytes);
    sum.distinct_written_bytes = std::min(slot.bytes, sum.distinct_written_bytes + slot.distinct_written_bytes);
    answer.counters.device.read_bytes += slot.read_bytes;
    answer.counters.device.written_bytes += slot.written_bytes;
  }
  answer.counters.threadgroup.read_bytes += worker.slots[worker.own_slot].read_bytes;
  answer.counters.threadgroup.written_bytes += worker.slots[worker.own_slot].written_bytes;
}

}  // namespace

void gather(Engine& engine) {
  for (std::uint32_t i = 0; i < engine.job.workers; ++i) {
    const Worker& worker = *engine.workers[i];
    add_counters(engine.answer.counters, worker.counters);
    add_slots(engine, worker);
    for (std::uint32_t j = 0; j < worker.matmul_count; ++j) add_matmul(engine.answer, worker.matmuls[j]);
    engine.answer.threadgroup_bytes = std::max(engine.answer.threadgroup_bytes, worker.threadgroup_bytes);
  }
}

}  // namespace tilewright::msl_emulator::runner
