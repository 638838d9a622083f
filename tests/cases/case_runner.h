// Runs one small program on one target with arrays given as numbers, and says what every buffer holds afterwards.
//
// Each test of tests/cases is a row of the list of faults that matrix kernels had in public (named in the test): the
// smallest input that shows the fault, with the right values written out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "case_count.h"

#include <tilewright/check.h>
#include <tilewright/compile.h>

namespace tilewright::cases {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
/// What outputs hold before a run.
inline constexpr double kPoison = 1e30;

/// A buffer and the view of it that is passed. `values` are all elements of the buffer, in memory order.
struct Array {
  std::vector<std::int64_t> extents;
  std::vector<double> values;
  std::vector<std::int64_t> strides = {};  ///< empty: dense row-major
  std::int64_t offset = 0;
  DataType type = DataType::F32;
};

/// Dense, with values f(0), f(1), ... in memory order.
template <class F>
Array make_array(std::vector<std::int64_t> extents, F&& f, DataType type = DataType::F32) {
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count *= extent;
  Array array{std::move(extents), {}, {}, 0, type};
  for (std::int64_t i = 0; i < count; ++i) array.values.push_back(f(i));
  return array;
}
Array filled(std::vector<std::int64_t> extents, double value, DataType type = DataType::F32);
/// An output: poison everywhere.
Array poisoned(std::vector<std::int64_t> extents, DataType type = DataType::F32);

struct Case {
  std::string program;  ///< name of a program, or a text that starts with "program", "fn" or "//"
  std::map<std::string, std::int64_t> numbers = {};
  std::map<std::string, Array> arrays = {};
  std::map<std::string, DataType> types = {};
  std::string device = {};  ///< of a target of Metal; empty: the general one
};

/// Contents of every buffer after the run, in memory order. Inputs must be unchanged, and the whole output agrees with
/// the oracle (tilewright::check) as well; both are expectations of the calling test.
using Contents = std::map<std::string, std::vector<double>>;
Result<Contents> try_run(Target target, const Case& c);
Contents run(Target target, const Case& c);

/// One buffer of the contents, as a value: a loop over it keeps it alive.
inline std::vector<double> only(const Contents& contents, const std::string& buffer) { return contents.at(buffer); }

/// The targets, by name of the test.
class OnTargets : public testing::TestWithParam<Target> {
 protected:
  Contents run(const Case& c) const { return cases::run(GetParam(), c); }
  Result<Contents> try_run(const Case& c) const { return cases::try_run(GetParam(), c); }
};

/// The emulator adds nothing that a sanitizer could see: its runner is a program of its own.
inline std::vector<Target> targets() {
  std::vector<Target> all{Target::Cpu, Target::Interp};
  if (!kSanitized) all.push_back(Target::MetalSimdgroup);
  return all;
}

inline std::string target_suffix(const testing::TestParamInfo<Target>& info) {
  std::string name(target_name(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The fault must be this one, and nothing may have been written.
void expect_refused(const Result<Contents>& result, DiagCode code, const std::vector<std::string>& mentions);

}  // namespace tilewright::cases

#define TW_ON_ALL_TARGETS(suite)                                                              \
  INSTANTIATE_TEST_SUITE_P(Targets, suite, testing::ValuesIn(::tilewright::cases::targets()), \
                           ::tilewright::cases::target_suffix)
