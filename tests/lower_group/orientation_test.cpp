// Matrix products in every orientation of tiles and buffers, at sizes that fill the tiles and at ragged ones.
#include "case_count.h"
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"

namespace tilewright::lower::testing {
namespace {

MatrixText oriented(unsigned bits) {
  MatrixText text;
  text.a_by_column = (bits & 1) != 0;
  text.b_by_column = (bits & 2) != 0;
  text.c_by_column = (bits & 4) != 0;
  text.lhs_transposed = (bits & 8) != 0;
  text.rhs_transposed = (bits & 16) != 0;
  text.out_transposed = (bits & 32) != 0;
  return text;
}

class Orientations : public ::testing::TestWithParam<unsigned> {};

TEST_P(Orientations, AgreeWithTheOracle) {
  if (GetParam() * 37 % 64 >= static_cast<unsigned>(case_count(64, 32))) GTEST_SKIP() << "one in a share";
  MatrixText text = oriented(GetParam());
  text.bk = 8;
  for (const bool stages : {false, true}) {
    text.stages = stages;
    for (const char* window : {"1", "2"})
      for (const char* line : {"p M=64 N=32 K=24", "p M=33 N=41 K=19"})
        run_planned(line, {{"pipeline_window", window}}, text.text());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Orientations, ::testing::Range(0u, 64u));

}  // namespace
}  // namespace tilewright::lower::testing
