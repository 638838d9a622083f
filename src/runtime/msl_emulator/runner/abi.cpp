// The functions of shims/msl/emu/abi.h.
#include <emu/abi.h>

#include <cstdlib>

#include "runtime/msl_emulator/runner/checker.h"
#include "runtime/msl_emulator/runner/rendezvous.h"
#include "runtime/msl_emulator/runner/reports.h"
#include "runtime/msl_emulator/runner/variables.h"

using namespace tilewright::msl_emulator::runner;

namespace {

/// The object of an access of a collective, for the counts.
SpaceAnswer& space_of(Worker& worker, std::uint64_t address) {
  const std::uint64_t slot = (address - kArenaBegin) >> kSlotShift;
  return slot < kBuffers ? worker.counters.device : worker.counters.threadgroup;
}

void count_access(Worker& worker, std::uint64_t address, bool is_write, unsigned int count_as) {
  if (count_as != EMU_COUNT_FRAGMENT || address - kArenaBegin >= kArenaBytes) return;
  SpaceAnswer& space = space_of(worker, address);
  ++(is_write ? space.fragment_stores : space.fragment_loads);
}

/// Without checks only the bytes are counted.
void count_bytes(Worker& worker, const Access& access) {
  const std::uint64_t from_arena = access.address - kArenaBegin;
  if (from_arena >= kArenaBytes) return;
  Slot& slot = worker.slots[from_arena >> kSlotShift];
  (access.is_write ? slot.written_bytes : slot.read_bytes) += access.bytes;
}

void check_row(Worker& worker, Access access) {
  if (access.is_write ? is_private<true>(worker, access.address) : is_private<false>(worker, access.address)) return;
  if (access.address - kArenaBegin >= kArenaBytes) return check_elsewhere(worker, access);
  if (access.element_bytes > 1 && access.address % access.element_bytes != 0)
    report_access(worker, access, EMU_MISALIGNED, 0);
  if (access.is_write)
    check_in_arena<true, false>(worker, access);
  else
    check_in_arena<false, false>(worker, access);
}

Site running_site(Worker& worker, std::uint64_t code) {
  Collective& collective = worker.collective;
  if (!collective.running) return code_site(worker, code);
  if (collective.site == 0) collective.site = place_site(worker, collective.place);
  return collective.site;
}

/// Where to put a fault that names no access.
Site fault_site(Worker& worker, std::uint64_t code) {
  if (worker.collective.running) return running_site(worker, code);
  const Site site = code_site(worker, code);
  if (site != 0 || worker.lane == nullptr || worker.lane->subgroup->meeting.place.file == nullptr) return site;
  return place_site(worker, worker.lane->subgroup->meeting.place);
}

}  // namespace

extern "C" {

const emu_lane* emu_this_lane() { return &this_worker->lane->inputs; }

void emu_simd_collective(const char* file, unsigned int line, unsigned int column, unsigned int kind, void* argument,
                         emu_collective_body body) {
  meet_subgroup(*this_worker, {{file, line, column}, kind, body}, argument, 0);
}

void emu_threadgroup_collective(const char* file, unsigned int line, unsigned int column, unsigned int kind,
                                void* argument, emu_collective_body body, unsigned int simdgroups) {
  Worker& worker = *this_worker;
  const Place place{file, line, column};
  if (simdgroups != worker.subgroup_count) {
    ReportRecord report = lane_report(worker, EMU_MPP_MISUSE, Detail::Scope, place_site(worker, place));
    report.numbers = {simdgroups, worker.subgroup_count, 0, 0};
    worker.engine->log.add(report);
    stop_launch(worker);
  }
  meet_group(worker, {place, kind, body}, argument, 0);
}

void emu_lane_operation(const char* file, unsigned int line, unsigned int column, unsigned int kind, void* argument,
                        emu_collective_body body) {
  static_cast<void>(kind);
  Worker& worker = *this_worker;
  const Collective outer = worker.collective;
  const Actor actor = outer.running ? outer.actor : worker.actor;
  worker.collective = {.running = true, .actor = actor, .site = 0, .place = {file, line, column}};
  body(&argument, 1);
  worker.collective = outer;
}

void emu_threadgroup_barrier(const char* file, unsigned int line, unsigned int column, unsigned int flags) {
  meet_group(*this_worker, {{file, line, column}, kGroupBarrier, nullptr}, nullptr, flags);
}

void emu_simdgroup_barrier(const char* file, unsigned int line, unsigned int column, unsigned int flags) {
  meet_subgroup(*this_worker, {{file, line, column}, kSubgroupBarrier, nullptr}, nullptr, flags);
}

/// A fence alone orders nothing that these checks follow: Metal's atomics are relaxed.
void emu_fence(const char* file, unsigned int line, unsigned int column, unsigned int flags, unsigned int scope) {
  static_cast<void>(file);
  static_cast<void>(line);
  static_cast<void>(column);
  static_cast<void>(flags);
  static_cast<void>(scope);
}

void* emu_threadgroup_variable(const void* key, unsigned long bytes, unsigned long alignment, const char* name) {
  return threadgroup_variable(*this_worker, key, bytes, alignment, name);
}

void emu_access(const void* first, unsigned int element_bytes, unsigned int rows, unsigned long row_bytes,
                long row_stride_bytes, unsigned int is_write, unsigned int count_as) {
  Worker& worker = *this_worker;
  Access access{.address = reinterpret_cast<std::uint64_t>(first),
                .bytes = row_bytes,
                .element_bytes = element_bytes,
                .is_write = is_write != 0,
                .reads = is_write == 0,
                .is_collective = worker.collective.running};
  count_access(worker, access.address, access.is_write, count_as);
  if (row_bytes == 0) return;
  const Actor actor = worker.collective.running ? worker.collective.actor : worker.actor;
  access.actor = &actor;
  if (worker.checks) access.site = running_site(worker, reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
  for (unsigned int row = 0; row < rows; ++row, access.address += static_cast<std::uint64_t>(row_stride_bytes)) {
    if (worker.checks)
      check_row(worker, access);
    else
      count_bytes(worker, access);
  }
}

void* emu_scratch(unsigned int slot, unsigned long bytes) {
  Scratch& scratch = this_worker->scratch[slot % 8];
  if (bytes > scratch.bytes) {
    std::free(scratch.at);
    scratch.at = static_cast<std::byte*>(std::aligned_alloc(64, round_up(bytes, 64)));
    scratch.bytes = scratch.at == nullptr ? 0 : bytes;
  }
  return scratch.at;
}

void emu_fault(unsigned int kind, const char* text, long n0, long n1, long n2, long n3, unsigned int fatal) {
  Worker& worker = *this_worker;
  const auto code = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  ReportRecord report = lane_report(worker, kind < EMU_REPORT_KINDS ? kind : std::uint32_t{EMU_MPP_MISUSE},
                                    Detail::ShimText, fault_site(worker, code));
  report.text = worker.engine->sites.intern(text);
  report.numbers = {n0, n1, n2, n3};
  worker.engine->log.add(report);
  if (fatal != 0) stop_launch(worker);
}

void emu_count(unsigned int counter, unsigned long n) {
  CounterAnswer& counters = this_worker->counters;
  if (counter == EMU_COUNTER_MATRIX_8X8) counters.matrix_8x8 += n;
  if (counter == EMU_COUNTER_TENSOR_OPERATIONS) counters.tensor_operations += n;
}

void emu_count_matmul(unsigned long m, unsigned long n, unsigned long k) {
  Worker& worker = *this_worker;
  for (std::uint32_t i = 0; i < worker.matmul_count; ++i) {
    MatmulAnswer& known = worker.matmuls[i];
    if (known.m == m && known.n == n && known.k == k) {
      ++known.runs;
      return;
    }
  }
  if (worker.matmul_count < kMaxMatmuls) worker.matmuls[worker.matmul_count++] = {m, n, k, 1};
}

unsigned long emu_option(unsigned int which) {
  const auto& options = this_worker->engine->job.options;
  return which < options.size() ? options[which] : 0;
}

}  // extern "C"
