// One program with its arguments, run through the tile interpreter and through a lowering (lower_scalar) and the kernel
// interpreter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/program.h"
#include "lower/launch_layout.h"
#include "lower/lower_scalar.h"
#include "tile/bind.h"
#include "tile/program.h"

namespace tilewright::lower::testing {

using Numbers = std::map<std::string, std::int64_t>;

enum class Fill : std::uint8_t {
  Small,    ///< small numbers of either sign, not dyadic
  Special,  ///< also NaN, infinities, zeros of either sign, subnormals and huge numbers
};

struct CaseOptions {
  Fill fill = Fill::Small;
  std::uint32_t seed = 1;
  std::map<std::string, DataType> types;
  /// Strides of buffers by name; the others are as the program says, or dense.
  std::map<std::string, std::vector<std::int64_t>> strides;
  /// What lowers the program.
  std::function<Result<kernel::Program>(const tile::Program&, const LaunchLayout&)> lower = lower_scalar;
  std::int64_t range_length = 0;  ///< of the intervals that kernels of ranges are run in
};

/// Parses, verifies and binds; failures are reported to the test and give nothing.
std::optional<tile::Program> bound_program(std::string_view text, const Numbers& numbers,
                                           const std::map<std::string, DataType>& types = {});

/// Lowers with dense buffers, verifies the kernels and gives them.
std::optional<kernel::Program> lowered(const tile::Program& bound, const CaseOptions& options = {});

/// Both interpreters give the same bits in every element of every buffer and leave guards around them alone (NaNs of
/// any payload are equal). A program that the tile interpreter refuses to run (a fault of the program) is skipped: the
/// function gives false, and says why.
bool expect_same_results(const tile::Program& bound, const CaseOptions& options = {}, std::string* why_not = nullptr);

/// The kernels against the oracle: every element of every output is within its bound, and what the program does not
/// write has not changed. For lowerings that use the freedom of an order. Skips as expect_same_results().
bool expect_results_within_bounds(const tile::Program& bound, const CaseOptions& options = {},
                                  std::string* why_not = nullptr);

/// The three steps together.
void expect_lowers(std::string_view text, const Numbers& numbers, const CaseOptions& options = {});

}  // namespace tilewright::lower::testing
