// The `prove` command as a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/request.h"
#include "proof/verdict.h"
#include "support/result.h"

namespace tilewright::driver {

struct ProvedQuestion {
  proof::Finding finding;
  SourcePlace place;              ///< of the operation
  std::optional<bool> rechecked;  ///< whether the certificate held, when that was asked
};

struct OpenSize {
  std::string name;
  std::int64_t least = 1;  ///< of the sizes that the verdicts are about
};

struct ProveReport {
  std::string program;
  std::vector<std::string> names;  ///< of symbols and parameters, in order
  Bindings bindings;               ///< with defaults; open sizes are not among them
  std::vector<OpenSize> open_sizes;
  std::vector<ProvedQuestion> questions;
  std::uint64_t quota_overruns = 0;
  double milliseconds = 0;  ///< for facts and verdicts, without parsing, binding and rechecks
  Diags recheck_faults;
};

/// Every question about the request's program at its sizes; about all sizes at once when the request gives none.
/// Of the request only program, assignments and settings are used. With `recheck`, every certificate goes through the
/// independent checkers; one that fails is in recheck_faults.
Result<ProveReport> prove(const RunRequest& request, bool recheck);

}  // namespace tilewright::driver
