// The `run` command as a function: a request in, everything that can be said about it out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/check.h>
#include <tilewright/compile.h>

#include "driver/compile_for.h"
#include "driver/request.h"
#include "support/result.h"

namespace tilewright::driver {

struct BufferSummary {
  std::string name;
  BufferRole role = BufferRole::In;
  bool scalar = false;
  ArrayView view;  ///< data is null
  bool dense = true;
  std::string contents;         ///< of inputs: "dyadic", "random:1", "given", "default", or the file
  std::optional<double> value;  ///< of a scalar
  std::vector<double> first;    ///< of an output that was kept: its first elements
};

struct FillCheck {
  std::string contents;  ///< the fill, or "given" when every input was
  CheckReport report;
  std::string repeat;  ///< the command that does this check again
};

/// Of one run, launch checks included.
struct RunTimes {
  double median_milliseconds = 0, min_milliseconds = 0, max_milliseconds = 0;
  int runs = 0;
};

struct RunReport {
  std::string program;
  Target target = Target::Cpu;
  std::string route;                           ///< "planned", "direct"; of a target with plans, else empty
  std::map<std::string, std::int64_t> fitted;  ///< see MetalKernel
  int threads = 0;                             ///< 0: all cores
  Bindings bindings;                           ///< defaults included
  std::vector<std::string> names;              ///< of the bindings, in the order of the program
  std::vector<BufferSummary> buffers;
  std::vector<FillCheck> checks;
  std::vector<StageTime> stage_times;
  std::optional<double> first_run_milliseconds;
  std::optional<RunTimes> times;
  std::vector<std::string> written;  ///< files

  bool ok() const;
  /// Sums and maxima over the checks.
  CheckReport totals() const;
};

/// Loads, compiles, fills or reads inputs, checks, runs, measures and writes files, as far as the request asks for
/// each. After a check that failed nothing is measured and no file is written.
Result<RunReport> run_program(const RunRequest& request);

/// What went wrong in a check, as a diagnostic (CheckFailed) for each fill that failed.
Diags check_faults(const std::vector<FillCheck>& checks);
Diags check_faults(const RunReport& report);

/// A kernel of the request without buffers: for `print` and `emit`.
Result<Kernel> compile_request(const Program& program, const RunRequest& request, Purpose purpose);

}  // namespace tilewright::driver
