// `emit --kit` as a function: a program, planned, emitted and computed by the oracle, as a folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/emit.h"
#include "driver/kit.h"
#include "driver/request.h"
#include "support/result.h"

namespace tilewright::driver {

struct KitReport {
  std::string folder;
  EmitReport emitted;
  Kit kit;  ///< the manifest lists every file but itself
  std::int64_t bytes = 0;
};

/// Writes the folder whole or not at all; it must not exist yet, or be empty. Cases are those of `run --check`: the
/// dyadic fill and random:1; one case when nothing is filled. Of the request what emit_program uses, and `progress`.
/// Errors: those of compile(), of interpret_exact and of NewFolder; Unsupported for a target without Metal text;
/// KitTooLarge before anything is computed.
Result<KitReport> write_kit(const RunRequest& request, const std::string& folder);

}  // namespace tilewright::driver
