#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/launch_plan.h"
#include "runtime/msl_emulator/report_text.h"
#include "runtime/msl_emulator/runner_process.h"
#include "runtime/msl_emulator/source_lines.h"

namespace tilewright::msl_emulator {

namespace {

using runner::Answer;
using runner::Control;
using runner::RunStatus;

/// One schedule, run to its end with whatever granules it turned out to need.
struct ScheduleRun {
  SharedMemory control;
  SharedMemory data;
  RunEnd end;

  const Answer& answer() const { return reinterpret_cast<const Control*>(control.data())->answer; }
  RunStatus status() const { return answer().status.load(std::memory_order_acquire); }
};

void write_inputs(const LaunchPlan& plan, const SharedMemory& data) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    std::ranges::copy(plan.slots[i].bytes, data.data() + plan.job->slots[i].data_offset);
}

Result<ScheduleRun> run_once(const LaunchPlan& plan, const LaunchRequest& request, const Toolchain& toolchain) {
  TW_TRY(SharedMemory control, SharedMemory::make(sizeof(Control)));
  TW_TRY(SharedMemory data, SharedMemory::make(plan.data_bytes));
  // The mapping is zeros; members that start otherwise are the runner's to write before they are read.
  auto& shared = *reinterpret_cast<Control*>(control.data());
  std::memcpy(static_cast<void*>(&shared.job), plan.job.get(), sizeof *plan.job);
  shared.answer.wanted_threadgroup_granule_shift = runner::kNone;
  for (runner::SlotAnswer& slot : shared.answer.slots) slot.wanted_granule_shift = runner::kNone;
  write_inputs(plan, data);
  RunLimits limits{request.timeout_seconds, plan.group_count, {}};
  if (request.progress) limits.progress = [&](double share) { request.progress(share, plan.job->schedule); };
  TW_TRY(const RunEnd end, run_to_end(toolchain.runner, control, data, limits));
  return ScheduleRun{std::move(control), std::move(data), end};
}

/// True when the job now has finer granules than before.
bool take_granules(const Answer& answer, runner::Job& job) {
  bool finer = false;
  const auto take = [&finer](std::uint32_t wanted, std::uint32_t& shift) {
    if (wanted >= shift) return;
    shift = wanted;
    finer = true;
  };
  take(answer.wanted_threadgroup_granule_shift, job.threadgroup_granule_shift);
  for (std::uint32_t i = 0; i < job.slot_count; ++i)
    take(answer.slots[i].wanted_granule_shift, job.slots[i].granule_shift);
  return finer;
}

/// Why the answer cannot be used; nothing when it can.
Result<void> check_end(const ScheduleRun& run) {
  const RunStatus status = run.status();
  if (run.end.timed_out || status == RunStatus::Finished || status == RunStatus::Stopped) return {};
  const auto& message = run.answer().message;
  const std::string text(message.data(), strnlen(message.data(), message.size()));
  if (status == RunStatus::TooLarge)
    return failure(DiagCode::LaunchSize, text, "use smaller sizes, or run without checks");
  if (status == RunStatus::Failed) return failure(DiagCode::EmulatorRunner, text);
  if (run.end.signal != 0)
    return failure(DiagCode::EmulatorRunner,
                   fmt::format("the process that runs the kernel was ended by signal {} ({})", run.end.signal,
                               strsignal(run.end.signal)),
                   run.end.signal == SIGKILL ? "the system may have run out of memory" : "");
  return failure(DiagCode::EmulatorRunner,
                 fmt::format("the process that runs the kernel ended with status {} and no result", run.end.exit_code));
}

Result<void> check_memory(const LaunchPlan& plan, const LaunchRequest& request) {
  const MemoryEstimate estimate = estimate_of(plan);
  const std::uint64_t needed = estimate.buffer_bytes + estimate.shadow_bytes;
  const std::uint64_t limit = memory_limit_of(request);
  if (needed <= limit) return {};
  return failure(DiagCode::LaunchSize,
                 fmt::format("the launch needs {} bytes for buffers and {} for their shadow, the limit is {}",
                             estimate.buffer_bytes, estimate.shadow_bytes, limit),
                 "use smaller sizes, or run without checks");
}

Result<ScheduleRun> run_schedule(LaunchPlan& plan, const LaunchRequest& request, const Toolchain& toolchain) {
  for (;;) {
    TW_TRY_VOID(check_memory(plan, request));
    TW_TRY(ScheduleRun run, run_once(plan, request, toolchain));
    if (!run.end.timed_out && run.status() == RunStatus::FinerGranule && take_granules(run.answer(), *plan.job))
      continue;
    TW_TRY_VOID(check_end(run));
    return run;
  }
}

AddressSpaceCounts space_of(const runner::SpaceAnswer& space) {
  return {space.fragment_loads, space.fragment_stores, space.read_bytes, space.written_bytes};
}

Counters counters_of(const LaunchPlan& plan, const Answer& answer) {
  const runner::CounterAnswer& from = answer.counters;
  Counters counters;
  counters.matrix_8x8 = from.matrix_8x8;
  counters.tensor_operations = from.tensor_operations;
  counters.device = space_of(from.device);
  counters.threadgroup = space_of(from.threadgroup);
  counters.threadgroup_barriers = from.threadgroup_barriers;
  counters.simdgroup_barriers = from.simdgroup_barriers;
  counters.simd_operations = from.simd_operations;
  counters.partial_simd_operations = from.partial_simd_operations;
  counters.threadgroup_bytes = std::max(answer.threadgroup_bytes, plan.threadgroup_bytes);
  const std::uint32_t matmuls = std::min(answer.matmul_count, runner::kMaxMatmuls);
  for (std::uint32_t i = 0; i < matmuls; ++i)
    counters.matmuls.push_back({answer.matmuls[i].m, answer.matmuls[i].n, answer.matmuls[i].k, answer.matmuls[i].runs});
  std::ranges::sort(counters.matmuls, {}, [](const MatmulCount& c) { return std::array{c.m, c.n, c.k}; });
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const runner::SlotAnswer& slot = answer.slots[i];
    counters.buffers.push_back({plan.slots[i].index, slot.read_bytes, slot.written_bytes, slot.distinct_read_bytes,
                                slot.distinct_written_bytes});
  }
  std::ranges::sort(counters.buffers, {}, &BufferCounts::index);
  return counters;
}

/// More threadgroup memory than the device has makes no pipeline on a device, so nothing runs.
Report limit_report(const LaunchPlan& plan) {
  Report report;
  report.kind = ReportKind::Limit;
  report.message = fmt::format("the launch gives the kernel {} bytes of threadgroup memory; the device has {}",
                               plan.threadgroup_bytes, plan.job->threadgroup_limit_bytes);
  return report;
}

Report timeout_report(const LaunchRequest& request, std::uint32_t schedule) {
  Report report;
  report.kind = ReportKind::Timeout;
  report.message = fmt::format("the launch did not end within {} s", request.timeout_seconds);
  report.schedule = schedule;
  return report;
}

bool same_results(const LaunchPlan& plan, const ScheduleRun& a, const ScheduleRun& b) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (plan.slots[i].read_only) continue;
    const std::uint64_t offset = plan.job->slots[i].data_offset;
    if (std::memcmp(a.data.data() + offset, b.data.data() + offset, plan.slots[i].bytes.size()) != 0) return false;
  }
  return true;
}

void write_outputs(const LaunchPlan& plan, const ScheduleRun& run) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (plan.slots[i].read_only || plan.slots[i].bytes.empty()) continue;
    std::memcpy(plan.slots[i].bytes.data(), run.data.data() + plan.job->slots[i].data_offset,
                plan.slots[i].bytes.size());
  }
}

/// What all schedules together have shown.
struct Outcome {
  std::optional<ScheduleRun> first;
  std::vector<RecordedFaults> faults;
  std::vector<Report> own_reports;  ///< of the host
  bool finished = true;
  bool agree = true;
  bool atomics = false;
};

Result<void> add_schedule(Outcome& outcome, LaunchPlan& plan, const LaunchRequest& request, const Toolchain& toolchain,
                          std::uint32_t schedule) {
  plan.job->schedule = schedule;
  TW_TRY(ScheduleRun run, run_schedule(plan, request, toolchain));
  const bool finished = !run.end.timed_out && run.status() == RunStatus::Finished;
  outcome.finished = outcome.finished && finished;
  outcome.faults.push_back(copy_faults(run.answer(), plan, schedule));
  const auto is_timeout = [](const runner::ReportRecord& record) {
    return record.kind == static_cast<std::uint32_t>(ReportKind::Timeout);
  };
  if (run.end.timed_out && std::ranges::none_of(outcome.faults.back().reports, is_timeout))
    outcome.own_reports.push_back(timeout_report(request, schedule));
  outcome.atomics = outcome.atomics || run.answer().counters.atomics != 0;
  if (outcome.first && outcome.finished) outcome.agree = outcome.agree && same_results(plan, *outcome.first, run);
  if (!outcome.first) outcome.first = std::move(run);
  return {};
}

LaunchResult result_of(const Outcome& outcome, const LaunchPlan& plan, const CompiledLibrary& library,
                       const Toolchain& toolchain) {
  LaunchResult result;
  result.threadgroups = plan.job->threadgroups;
  const auto lines = find_source_lines(library, toolchain, code_addresses(outcome.faults), result.notes);
  result.reports = reports_of(outcome.faults, plan, lines);
  result.reports.insert(result.reports.end(), outcome.own_reports.begin(), outcome.own_reports.end());
  result.reports = merge_reports(std::move(result.reports));
  result.finished = outcome.finished;
  result.counters = counters_of(plan, outcome.first->answer());
  result.peak_memory_bytes = outcome.first->end.peak_memory_bytes;
  result.run_ms = outcome.first->answer().run_ms;
  result.schedules_disagree = !outcome.agree && result.reports.empty() && !outcome.atomics && library.checks;
  for (const RecordedFaults& run : outcome.faults)
    if (run.dropped != 0)
      result.notes.push_back(fmt::format("schedule {}: {} further faults beyond the {} different reports that are kept",
                                         run.schedule, run.dropped, runner::kMaxReports));
  return result;
}

}  // namespace

Result<LaunchResult> launch(const CompiledLibrary& library, const LaunchRequest& request, const Toolchain& toolchain) {
  TW_TRY(LaunchPlan plan, plan_launch(library, request));
  LaunchResult nothing_run;
  nothing_run.threadgroups = plan.job->threadgroups;
  if (plan.threadgroup_bytes > plan.job->threadgroup_limit_bytes) {
    nothing_run.reports.push_back(limit_report(plan));
    return nothing_run;
  }
  if (plan.group_count == 0) {
    nothing_run.finished = true;
    return nothing_run;
  }
  Outcome outcome;
  for (std::uint32_t i = 0; i < std::max(request.schedules, 1u); ++i) {
    TW_TRY_VOID(add_schedule(outcome, plan, request, toolchain, request.first_schedule + i));
    // A launch that takes too long once would do so again.
    if (outcome.first->end.timed_out) break;
  }
  LaunchResult result = result_of(outcome, plan, library, toolchain);
  write_outputs(plan, *outcome.first);
  return result;
}

}  // namespace tilewright::msl_emulator
