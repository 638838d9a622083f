// Kernels that check themselves: vectors, selections, matrices, packed vectors, special values, layouts.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "emulated.h"
#include "tilewright/errors.h"

namespace tilewright::msl_emulator::shim_test {

namespace {

/// Results are lines of the kernel's text, negative where the check failed; 0 ends them.
void expect_all(const std::vector<int>& lines) {
  std::size_t i = 0;
  for (; i < lines.size() && lines[i] != 0; ++i) EXPECT_GT(lines[i], 0) << "checks.metal:" << -lines[i];
  EXPECT_GT(i, 10U) << "the checks ran";
  EXPECT_LT(i, lines.size());
}

class Checks : public InDialect {};
INSTANTIATE_TEST_SUITE_P(Dialects, Checks, ::testing::Values(Dialect::OpenCl, Dialect::Cpp20), name_of_dialect);

TEST_P(Checks, Layouts) {
  const Result<CompiledLibrary>& library = library_of("layout.metal", GetParam());
  EXPECT_TRUE(library) << render(library.error());
}

TEST_P(Checks, Vectors) {
  std::vector<int> out(200, 77);
  std::vector<float> memory(8, -1.0F);
  // struct Mixed: n, p at 4, v at 16, h at 32, m at 48.
  std::vector<float> mixed(28);
  const float head[] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::copy(std::begin(head), std::end(head), mixed.begin());
  std::vector<std::uint32_t> words = {0x40003c00U, 0x44004200U};
  std::memcpy(&mixed[8], words.data(), 8);
  for (int i = 0; i < 16; ++i) mixed[12 + static_cast<std::size_t>(i)] = static_cast<float>(i);
  run_clean("checks.metal", GetParam(), "vectors", 1, 1, {bytes_of(out), bytes_of(memory), bytes_of(mixed)});
  expect_all(out);
}

TEST_P(Checks, SpecialValues) {
  std::vector<int> out(200, 77);
  std::vector<float> in = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           0.0F,
                           -0.0F,
                           std::numeric_limits<float>::denorm_min() * 1000,
                           1000.7F,
                           -2.9F,
                           1.0F};
  run_clean("checks.metal", GetParam(), "special", 1, 1, {bytes_of(out), bytes_of(in)});
  expect_all(out);
}

TEST_P(Checks, AVectorInAnExpressionIsOneAccess) {
  std::vector<float> out(8, 1.0F), in(16, 3.0F);
  for (const std::uint32_t shift : {0U, 1U, 2U, 4U}) {
    std::vector<std::uint32_t> elements = {shift};
    const LaunchResult result =
        run("checks.metal", GetParam(), "between_vectors", 1, 1, {bytes_of(out), bytes_of(in), bytes_of(elements)});
    EXPECT_EQ(result.reports.size(), shift % 4 == 0 ? 0U : 1U) << shift;
    for (const Report& report : result.reports)
      EXPECT_EQ(report_kind_name(report.kind), "misaligned") << report.line << ": " << report.message;
  }
}

}  // namespace

}  // namespace tilewright::msl_emulator::shim_test
