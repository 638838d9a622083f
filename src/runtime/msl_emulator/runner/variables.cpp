#include "runtime/msl_emulator/runner/variables.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "runtime/msl_emulator/runner/reports.h"

namespace tilewright::msl_emulator::runner {

namespace {

[[noreturn]] void refuse(Worker& worker, Detail detail, std::uint32_t variable, std::uint64_t bytes,
                         std::uint64_t limit) {
  ReportRecord report = lane_report(worker, EMU_LIMIT, detail, 0);
  report.variable = variable;
  report.numbers = {static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(limit), 0, 0};
  worker.engine->log.add(report);
  stop_launch(worker);
}

/// The number of a variable in the answer, the same for all workers; kNone when there are too many.
std::uint32_t variable_id(Engine& engine, const void* key, std::uint64_t bytes, const char* name) {
  const std::uint32_t text = engine.sites.intern(name);
  const std::lock_guard guard(engine.variables_lock);
  const std::uint32_t count = engine.answer.variable_count.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i)
    if (engine.variable_keys[i] == key) return i;
  if (count == kMaxVariables) return kNone;
  engine.variable_keys[count] = key;
  engine.answer.variables[count] = {text, bytes};
  engine.answer.variable_count.store(count + 1, std::memory_order_release);
  return count;
}

Variable& lay_out(Worker& worker, const void* key, std::uint64_t bytes, std::uint64_t alignment, const char* name) {
  const std::uint32_t id = variable_id(*worker.engine, key, bytes, name);
  if (worker.variable_count == kMaxVariables || worker.variable_count == 255)
    refuse(worker, Detail::TooManyVariables, id, worker.variable_count, kMaxVariables);
  const std::uint64_t unit =
      std::max<std::uint64_t>(std::uint64_t{1} << kBlockShift, std::min<std::uint64_t>(alignment, 4096));
  const std::uint64_t begin = round_up(worker.variables_end + kRedZoneBytes, unit);
  const std::uint64_t limit = worker.engine->job.threadgroup_limit_bytes;
  if (bytes > kThreadgroupRegionBytes - kRedZoneBytes - begin)
    refuse(worker, Detail::VariableTooLarge, id, bytes, limit);
  worker.threadgroup_bytes += round_up(bytes, 16);
  const std::uint32_t number = worker.variable_count++;
  worker.variables[number] = {key, begin, begin + bytes, id};
  worker.variables_end = begin + bytes;
  for (std::uint64_t block = begin >> kBlockShift; block << kBlockShift < begin + bytes; ++block)
    worker.block_variable[block] = static_cast<std::uint8_t>(number);
  std::memset(reinterpret_cast<void*>(slot_begin(worker.own_slot) + begin), 0xff, bytes);
  if (worker.threadgroup_bytes > limit) refuse(worker, Detail::ThreadgroupMemory, id, worker.threadgroup_bytes, limit);
  return worker.variables[number];
}

}  // namespace

void* threadgroup_variable(Worker& worker, const void* key, std::uint64_t bytes, std::uint64_t alignment,
                           const char* name) {
  const Variable* found = nullptr;
  for (std::uint32_t i = 1; i < worker.variable_count && found == nullptr; ++i)
    if (worker.variables[i].key == key) found = &worker.variables[i];
  if (found == nullptr) found = &lay_out(worker, key, bytes, alignment, name);
  return reinterpret_cast<void*>(slot_begin(worker.own_slot) + found->begin);
}

}  // namespace tilewright::msl_emulator::runner
