// Every problem of the library by its plan for tensor operations, on the kernel interpreter, against the oracle.
#include <algorithm>

#include "case_count.h"
#include "lower_group/epilogue_text.h"
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"
#include "lower_group/relaxed_atoms.h"
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

/// Views of inputs that are matrices name their places, whichever axis of the object runs along their rows.
TEST(MatrixPlaces, OfInputs) {
  const auto expect_places = [](const std::string& line, const std::string& names) {
    const auto run = lower_line(line, {}, "", "metal-mpp");
    ASSERT_TRUE(run) << line;
    std::string found;
    for (const kernel::Op& op : run->kernels.ops) {
      const auto* atom = std::get_if<kernel::AtomOp>(&op.payload);
      if (atom == nullptr) continue;
      for (const kernel::AtomView* view : {&atom->a.view, &atom->b.view})
        if (view->origin.is_known()) found += run->kernels.buffers[view->memory.buffer].name;
    }
    EXPECT_EQ(found, names) << line;
  };
  for (const char* gemm : {"gemm", "gemm_nt", "gemm_tn", "gemm_tt"})
    expect_places(std::string(gemm) + " M=65 N=33 K=17 T=f16", "AB");
  expect_places("gemm M=31 N=29 K=23 view:A=offset:7,strides:40x1 view:B=strides:1x30", "AB");
  // Rows that overlap, elements apart, one row alone, three dimensions.
  expect_places("gemm M=64 N=64 K=64 view:A=strides:0x1", "B");
  expect_places("gemm M=64 N=64 K=64 view:B=strides:130x2", "A");
  expect_places("gemm M=1 N=29 K=23", "B");
  expect_places("batched_gemm G=2 M=31 N=29 K=23", "");
  // The temporary between the two products is no input.
  expect_places("mlp N=65 D=17 H=33 C=10", "XW1W2");
}

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

/// What the program wants to have in memory is there, and so nothing is fused.
TEST(Epilogues, PlacedTiles) {
  for (const char* placed : {"shift[n] in shared", "r[m, n] in shared"}) {
    std::string text = epilogue_text("T(acc + f32(shift)) + r");
    const std::string from = std::string(placed).substr(0, std::string_view(placed).find(" in"));
    text.replace(text.find(from + " ="), from.size(), placed);
    const std::string domain = "ceildiv(N, BN) {";
    text.replace(text.find(domain), domain.size(), "ceildiv(N, BN) scope group {");
    const auto run = run_planned("p M=33 N=20 K=17", {{"fuse_matrix_epilogues", "true"}}, text, "metal-mpp");
    ASSERT_TRUE(run) << placed;
    EXPECT_TRUE(run->right) << placed;
    EXPECT_FALSE(launch_of(*run).matrices[0].fuses_epilogue) << placed;
  }
}

/// A column of a matrix is no vector whose elements follow each other: it is read from a snapshot.
TEST(Epilogues, OperandsWithoutRows) {
  std::string text = epilogue_text("T(acc + side)");
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("in column: f32[M]", "in column: f32[M, 3]");
  change("column[i*BM + m]", "column[i*BM + m, 1]");
  const auto run = run_planned("p M=33 N=20 K=17", {{"fuse_matrix_epilogues", "true"}}, text, "metal-mpp");
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->right);
  EXPECT_FALSE(launch_of(*run).matrices[0].fuses_epilogue);
}

/// One operation of the whole group for each product.
TEST(Collectives, AgreeWithTheOracle) {
  const Settings group{{"mpp_operation_scope", "group"}, {"threads_per_group", "128"}};
  Settings fused = group;
  fused.emplace_back("fuse_matrix_epilogues", "true");
  for (const char* line :
       {"gemm M=64 N=64 K=64", "gemm M=65 N=33 K=17", "gemm_tt M=1 N=70 K=9 T=f16", "gemm M=5 N=6 K=0",
        "batched_gemm G=3 M=20 N=40 K=7", "mlp N=17 D=19 H=23 C=29 T=bf16", "gemm_bias_gelu M=65 N=33 K=17",
        "attention B=1 Hq=2 Hkv=1 Lq=40 Lk=72 D=32 Dv=32 scale=0.25 causal=1"})
    for (const Settings& settings : {group, fused}) {
      const auto run = run_planned(line, settings, "", "metal-mpp");
      ASSERT_TRUE(run) << line;
      EXPECT_TRUE(run->right) << line;
      for (const plan::MatrixPlan& matrix : launch_of(*run).matrices)
        EXPECT_TRUE(matrix.distribution.is_collective()) << line;
    }
  for (const char* stored : kEpilogues) {
    const auto run = run_planned("p M=33 N=20 K=17", fused, epilogue_text(stored), "metal-mpp");
    ASSERT_TRUE(run) << stored;
    EXPECT_TRUE(run->right) << stored;
  }
}

/// Bias, residual, old output and scalar input, each where the output has an element.
TEST(Epilogues, WithOperands) {
  for (const char* stored : kEpilogues)
    for (const char* type : {"f32", "f16", "bf16"})
      for (const char* line : {"p M=64 N=32 K=32", "p M=65 N=33 K=17", "p M=1 N=9 K=3", "p M=0 N=9 K=3",
                               "p M=33 N=20 K=17 view:C=offset:5,strides:1x40 view:R=strides:1x37"}) {
        // With sanitizers one type says enough.
        if (kSanitized && std::string_view(type) != "f16") continue;
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

/// The permission of a product reaches its atoms, those of no other product, and nothing that has no bits to lose.
TEST(RelaxedProducts, KeepTheirPermission) {
  const Settings collective{{"mpp_operation_scope", "group"}, {"threads_per_group", "64"}};
  const std::string strict = MatrixText{}.text(), relaxed = with_relaxed_product(strict);
  const std::string half = with_relaxed_product(MatrixText{.type = "f16"}.text());
  for (const char* line : {"p M=64 N=64 K=32", "p M=65 N=33 K=17"})
    for (const char* target : {"metal-mpp", "metal-simdgroup"})
      for (const Settings& settings : {Settings{}, Settings{{"forward_readonly_tile_loads", "false"}}, collective}) {
        if (!settings.empty() && std::string_view(target) != "metal-mpp") continue;
        const auto tally = [&](const std::string& text) {
          const auto run = lower_line(line, settings, text, target);
          return run ? tally_atoms(run->kernels) : AtomTally{};
        };
        const AtomTally all = tally(strict);
        EXPECT_GT(all.strict, 0);
        EXPECT_EQ(all.relaxed, 0);
        EXPECT_EQ(tally(relaxed), (AtomTally{all.strict, 0})) << line << " " << target;
        EXPECT_EQ(tally(half).relaxed, 0) << line << " " << target;
      }
}

constexpr const char* kTwoProducts = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  out D: f32[M, N]
  parallel i in ceildiv(M, 32), j in ceildiv(N, 32) {
    axis m: 32, n: 32, k: 16
    c[m, n] = 0.0
    d[m, n] = 0.0
    pipeline s in ceildiv(K, 16) {
      a[m, k] = A[i*32 + m, s*16 + k]
      b[k, n] = B[s*16 + k, j*32 + n]
      c = mma(a, b, c)
      d = mma(a, b, d)
    }
    C[i*32 + m, j*32 + n] = c
    D[i*32 + m, j*32 + n] = d
  }
})";

TEST(RelaxedProducts, AreTheOnesThatSaySo) {
  for (int which : {0, 1}) {
    const auto run = run_planned("p M=40 N=33 K=17", {}, with_relaxed_product(kTwoProducts, which), "metal-mpp");
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->right);
    EXPECT_EQ(tally_atoms(run->kernels), (AtomTally{1, 1})) << which;
  }
}

}  // namespace
}  // namespace tilewright::lower::testing
