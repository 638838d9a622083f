// Every problem of the library by its plan for tensor operations, on the kernel interpreter, against the oracle.
#include <algorithm>

#include "lower_group/epilogue_text.h"
#include "lower_group/planned_run.h"
#include "programs/problem_lines.h"

namespace tilewright::lower::testing {
namespace {

class TensorLibrary : public ::testing::TestWithParam<const char*> {};

TEST_P(TensorLibrary, AgreesWithTheOracle) { run_planned(GetParam(), {}, "", "metal-mpp"); }

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, TensorLibrary, ::testing::ValuesIn(driver::problem_lines(5)), test_name);

constexpr const char* kEpilogue = R"(program p(M, N, K) {
  in A: TYPE[M, K]
  in B: TYPE[K, N]
  out C: f32[M, N]
  parallel i in ceildiv(M, 32), j in ceildiv(N, 32) {
    axis m: 32, n: 32, k: 16
    acc[m, n] = 0.0
    serial s in ceildiv(K, 16) {
      a[m, k] = A[i*32 + m, s*16 + k]
      b[k, n] = B[s*16 + k, j*32 + n]
      acc = mma(a, b, acc)
    }
    EPILOGUE
  }
})";

std::string with_epilogue(const std::string& lines, const std::string& type) {
  std::string text = kEpilogue;
  text.replace(text.find("EPILOGUE"), 8, lines);
  for (std::size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE")) text.replace(at, 4, type);
  return text;
}

/// Element-wise work between accumulator and store runs on the fragments, and gives what it gives without that.
TEST(Epilogues, AreWhatTheProgramSays) {
  const std::string store = "C[i*32 + m, j*32 + n] = ";
  for (const std::string& lines : {store + "max(acc, 0.0)", store + "select(acc > 1.0, acc * 0.5, exp(acc))",
                                   "e = max(acc, 0.0) * 0.5\n    " + store + "e * e + 1.0",
                                   "u = 0.5 * acc\n    g = acc / (1.0 + exp(-1.5 * u))\n    " + store + "g + tanh(u)"})
    for (const char* type : {"f32", "f16"})
      for (const char* line : {"p M=64 N=64 K=32", "p M=65 N=33 K=17", "p M=3 N=5 K=0"}) {
        const auto run =
            run_planned(line, {{"fuse_matrix_epilogues", "true"}}, with_epilogue(lines, type), "metal-mpp");
        ASSERT_TRUE(run);
        if (std::string(line) != "p M=3 N=5 K=0") {
          EXPECT_TRUE(launch_of(*run).matrices[0].fuses_epilogue) << lines;
        }
      }
}

/// Bias, residual, old output and scalar input, each where the output has an element.
TEST(Epilogues, WithOperands) {
  for (const char* stored : kEpilogues)
    for (const char* type : {"f32", "f16", "bf16"})
      for (const char* line : {"p M=64 N=32 K=32", "p M=65 N=33 K=17", "p M=1 N=9 K=3", "p M=0 N=9 K=3",
                               "p M=33 N=20 K=17 view:C=offset:5,strides:1x40 view:R=strides:1x37"}) {
        const auto run = run_planned(std::string(line) + " T=" + type, {{"fuse_matrix_epilogues", "true"}},
                                     epilogue_text(stored), "metal-mpp");
        ASSERT_TRUE(run);
        EXPECT_TRUE(run->right) << line << " " << type << " " << stored;
        if (std::string_view(line).find("M=0") == std::string_view::npos) {
          EXPECT_TRUE(launch_of(*run).matrices[0].fuses_epilogue) << stored;
        }
      }
}

/// With the first version of the capability an epilogue is closed over the accumulator and literals.
TEST(Epilogues, NeedTheSecondVersionForOperands) {
  const auto run = run_planned("p M=40 N=33 K=17", {{"fuse_matrix_epilogues", "true"}, {"element_epilogue", "1"}},
                               epilogue_text("T(acc + f32(shift))"), "metal-mpp");
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->right);
  EXPECT_FALSE(launch_of(*run).matrices[0].fuses_epilogue);
}

}  // namespace
}  // namespace tilewright::lower::testing
