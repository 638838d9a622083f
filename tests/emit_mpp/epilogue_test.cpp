// Epilogues with operands as Metal text: on the emulator what they are in the interpreter, bit for bit on exact
// numbers.
#include "case_count.h"
#include "emit_mpp/planned_text.h"
#include "lower_group/epilogue_text.h"

namespace tilewright::emit_msl {
namespace {

using lower::testing::epilogue_text;
using lower::testing::kEpilogues;

struct EpilogueLine {
  const char* line;
  lower::testing::Settings settings = {};
};

/// Whole tiles, edges, empty rectangles, one row or column, other layouts.
constexpr const char* kLines[] = {
    "p M=64 N=64 K=32",
    "p M=37 N=41 K=20",
    "p M=1 N=70 K=16",
    "p M=70 N=1 K=16",
    "p M=33 N=20 K=17 view:C=offset:5,strides:1x40 view:R=strides:1x37",
    "p M=33 N=20 K=17 view:R=strides:50x2 view:bias=strides:3",
};

class EpilogueOperands : public ::testing::TestWithParam<int> {};

TEST_P(EpilogueOperands, AreReadWhereTheOutputIs) {
  const int which = GetParam();
  if (kSanitized && which % 3 != 0) GTEST_SKIP() << "a share of them with sanitizers";
  const char* const types[] = {"f32", "f16", "bf16"};
  const std::string stored = kEpilogues[which % std::size(kEpilogues)];
  // Every pair of a line and a type is met, and every epilogue with each of them.
  const std::string line = std::string(kLines[which % std::size(kLines)]) + " T=" + types[(which / 2) % 3];
  SCOPED_TRACE(line + "  " + stored);
  const bool strided = line.find("strides:50x2") != std::string::npos;
  const auto run =
      lower::testing::lower_line(line, {{"fuse_matrix_epilogues", "true"}}, epilogue_text(stored), "metal-mpp");
  ASSERT_TRUE(run);
  const plan::LaunchPlan& launch = lower::testing::launch_of(*run);
  const bool reads_strided = stored.find("r") != std::string::npos || stored.find("shift") != std::string::npos;
  if (!strided) {
    EXPECT_TRUE(launch.matrices[0].fuses_epilogue);
    EXPECT_EQ(launch.shared_memory_bytes, 0);
  } else if (reads_strided) {
    EXPECT_FALSE(launch.matrices[0].fuses_epilogue);
  }
  run_both(*run, static_cast<std::uint64_t>(which));
}
INSTANTIATE_TEST_SUITE_P(All, EpilogueOperands, ::testing::Range(0, 42));

}  // namespace
}  // namespace tilewright::emit_msl
