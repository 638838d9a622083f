// Runs another program to its end: its output is captured, its time and memory are bounded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"

namespace tilewright::msl_emulator {

struct ProcessLimits {
  double seconds = 60;
  std::uint64_t output_bytes = std::uint64_t{32} << 20;  ///< of both streams together
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;   ///< address space of each process
};

enum class ProcessEnd : std::uint8_t {
  Exited,         ///< by itself, with `status`
  Signalled,      ///< by the signal `status`
  TimedOut,       ///< killed after the time it was given
  TooMuchOutput,  ///< killed for what it wrote
};

struct ProcessResult {
  ProcessEnd end = ProcessEnd::Exited;
  int status = 0;
  std::string output;  ///< standard output
  std::string errors;  ///< standard error

  bool ok() const { return end == ProcessEnd::Exited && status == 0; }
};

/// argv[0] is a path. The program sees an empty standard input and no environment but PATH, HOME and the C locale; it
/// and its children are killed when it does not keep to the limits. ToolMissing: it cannot be started.
Result<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessLimits& limits);

}  // namespace tilewright::msl_emulator
