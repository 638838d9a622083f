// The check of tilewright/check.h for anything that can be launched.
#pragma once

#include <functional>

#include <tilewright/check.h>

#include "driver/launch.h"
#include "support/result.h"
#include "tile/program.h"

namespace tilewright::driver {

/// Runs something that claims to be the bound program on one set of arguments.
using Launcher = std::function<Result<void>(const Arguments&)>;

Result<CheckReport> check_launcher(const tile::Program& bound, const LaunchRules& rules, const Arguments& arguments,
                                   const Launcher& launcher, const CheckOptions& options);

/// The rows that a check of `sample_rows` compares, ascending: first, last, and others drawn by a fixed rule. All of
/// them when there are no more, or for 0.
std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t sample_rows);

/// "value", "class", "sign", "unwritten", "uninvited".
std::string_view wrong_kind_text(WrongKind kind);

/// What a check needs beside the arguments: their copies, and the oracle's image of outputs and temporaries.
__uint128_t check_memory_bytes(const tile::Program& bound, const tile::Arguments& arguments);

}  // namespace tilewright::driver
