// Cooperative launches that walk their programs in rectangles: 24 of them, with partial bands and batches.
#include "kernel/printer.h"
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"

namespace tilewright::lower::testing {
namespace {

Settings walk(int rows, int columns) {
  return {{"program_order_rows", std::to_string(rows)}, {"program_order_columns", std::to_string(columns)}};
}

constexpr std::pair<int, int> kRectangles[] = {{2, 1}, {2, 2}, {3, 5}, {100, 2}};

TEST(Walks, MatrixProgramsOfEveryShape) {
  const MatrixText texts[] = {{.bm = 8, .bn = 8, .bk = 8},
                              {.a_by_column = true, .bm = 16, .bn = 8, .bk = 8},
                              {.out_transposed = true, .bm = 8, .bn = 16, .bk = 8},
                              {.stages = true, .bm = 8, .bn = 8, .bk = 8}};
  for (const MatrixText& text : texts)
    for (const auto& [rows, columns] : kRectangles) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      const auto run = run_planned("p M=72 N=99 K=9", walk(rows, columns), text.text());
      ASSERT_TRUE(run);
      EXPECT_EQ(launch_of(*run).mapping, plan::LaunchMapping::Cooperative);
      EXPECT_EQ(run->kernels.kernels[0].task_extents.size(), 1u);
    }
}

TEST(Walks, BatchesKeepTheirOrder) {
  for (const auto& [rows, columns] : kRectangles) {
    run_planned("batched_gemm G=3 M=70 N=90 K=9 BM=32 BN=32 BK=16", walk(rows, columns));
    run_planned("attention B=2 Hq=3 Hkv=1 Lq=70 Lk=9 D=8 Dv=8 scale=0.5 BQ=16 BK=16", walk(rows, columns));
  }
}

TEST(Walks, TheOrderOfTheTextIsTheDefault) {
  const auto plain = lower_line("gemm M=100 N=70 K=9");
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{1, 3}}) {
    const auto same = lower_line("gemm M=100 N=70 K=9", walk(rows, columns));
    ASSERT_TRUE(plain && same);
    EXPECT_EQ(kernel::print(plain->kernels), kernel::print(same->kernels));
  }
  const auto other = lower_line("gemm M=100 N=70 K=9", walk(2, 1));
  ASSERT_TRUE(other);
  EXPECT_NE(kernel::print(plain->kernels), kernel::print(other->kernels));
}

}  // namespace
}  // namespace tilewright::lower::testing
