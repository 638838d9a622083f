// What an emulated launch found, for people and for programs.
#pragma once

#include <string>

#include "driver/emulate.h"

namespace tilewright::report {

/// The launch, every report with its line of source, the counters; ends in a newline.
std::string emulate_text(const driver::EmulateReport& report);

/// One JSON object, schema 1: {schema, file, kernel, dialect, note, threadgroups, threads_per_threadgroup, schedules,
/// checks, ok, finished, reports: [{kind, message, object, byte_offset, element, file, line, count, schedule, parties:
/// [{group, subgroup, thread, file, line, action}]}], counters: {..}, buffers: [{index, name, type, shape, contents,
/// unwritten_elements}], outputs: [files], memory: {..}, times: {compile_ms, from_cache, run_ms}}.
std::string emulate_json(const driver::EmulateReport& report);

/// A launch that never began: errors as in errors_json, and those of the compiler as reports of kind compile_error.
std::string emulate_failure_json(const Diags& diags);

/// "memory: buffers 1.5 MiB, shadow 11 MiB, stacks 64 MiB", without a newline.
std::string emulate_memory_text(const msl_emulator::MemoryEstimate& memory);

}  // namespace tilewright::report
