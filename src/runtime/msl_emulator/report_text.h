// From what the runner recorded to the reports of a launch: names, lines, sentences.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/msl_emulator/launch_plan.h"
#include "runtime/msl_emulator/source_lines.h"

namespace tilewright::msl_emulator {

/// The faults of one run, copied out of the shared memory and checked: every index in it is valid.
struct RecordedFaults {
  struct Variable {
    std::string name;
    std::uint64_t bytes = 0;
  };
  std::uint32_t schedule = 0;
  std::vector<runner::ReportRecord> reports;
  std::map<std::uint32_t, runner::SiteRecord> sites;  ///< those that the reports name
  std::map<std::uint32_t, std::string> texts;
  std::vector<Variable> variables;
  std::vector<std::uint64_t> element_bytes;  ///< by slot
  std::uint64_t dropped = 0;
};

RecordedFaults copy_faults(const runner::Answer& answer, const LaunchPlan& plan, std::uint32_t schedule);

/// The addresses to look up, each once, sorted.
std::vector<std::uint64_t> code_addresses(const std::vector<RecordedFaults>& runs);

/// In the order of LaunchResult, equal ones merged.
std::vector<Report> reports_of(const std::vector<RecordedFaults>& runs, const LaunchPlan& plan,
                               const std::map<std::uint64_t, SourceLine>& lines);

/// Merges reports of the same fault at the same lines, and sorts.
std::vector<Report> merge_reports(std::vector<Report> reports);

}  // namespace tilewright::msl_emulator
