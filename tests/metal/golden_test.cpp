// The text of some kernels, as files: a change of the emitted code is a change that somebody reads.
// TILEWRIGHT_UPDATE=1 writes the files anew.
#include <cstdlib>

#include "emit/msl/emit.h"
#include "lower_group/planned_run.h"
#include "plan/plan.h"
#include "support/files.h"

namespace tilewright::metal {
namespace {

struct Golden {
  const char* file;
  const char* line;
  lower::testing::Settings settings;
  const char* target = "metal-simdgroup";
};

const Golden kGolden[] = {
    {"gemm_direct", "gemm M=64 N=64 K=64 BM=32 BN=32 BK=16", {}},
    {"gemm_ragged", "gemm M=65 N=33 K=17 BM=32 BN=32 BK=16", {{"max_copy_batch", "4"}}},
    {"gemm_f16_walk",
     "gemm M=160 N=128 K=32 BM=32 BN=32 BK=16 T=f16",
     {{"program_order_rows", "2"}, {"program_order_columns", "2"}}},
    {"gemm_bias_gelu", "gemm_bias_gelu M=64 N=64 K=32 BM=32 BN=32 BK=16", {}},
    {"attention", "attention B=1 Hq=2 Hkv=1 Lq=33 Lk=49 D=16 Dv=16 scale=0.25 BQ=16 BK=16", {}},
    {"softmax_rows", "softmax N=9 C=300 BR=1", {{"metal_subgroup_reductions", "true"}, {"noalias", "true"}}},
    {"swiglu_elements", "swiglu N=9 C=40", {{"noalias", "true"}}},
    {"conv2d_scalar", "conv2d N=1 H=9 W=11 C=5 F=7 R=3 S=3 pad=1", {}},
    {"tensors_gemm", "gemm M=64 N=64 K=64 BM=32 BN=32 BK=64", {}, "metal-mpp"},
    {"tensors_gemm_ragged", "gemm_nt M=65 N=33 K=17 BM=32 BN=32 BK=16", {}, "metal-mpp"},
    {"tensors_gemm_bias_gelu",
     "gemm_bias_gelu M=65 N=33 K=32 T=f16 BM=32 BN=32 BK=16",
     {{"fuse_matrix_epilogues", "true"}},
     "metal-mpp"},
    {"tensors_gemm_group",
     "gemm_tn M=64 N=64 K=20 BM=64 BN=64 BK=32",
     {{"mpp_operation_scope", "group"}, {"threads_per_group", "128"}},
     "metal-mpp"},
    {"tensors_attention", "attention B=1 Hq=2 Hkv=1 Lq=33 Lk=49 D=16 Dv=16 scale=0.25 BQ=16 BK=16", {}, "metal-mpp"},
};

class GoldenText : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenText, IsUnchanged) {
  const Golden& golden = GetParam();
  const auto lowered = lower::testing::lower_line(golden.line, golden.settings, "", golden.target);
  ASSERT_TRUE(lowered);
  emit_msl::EmitOptions options;
  options.target = golden.target;
  options.bindings = golden.line;
  const auto made = emit_msl::emit(lowered->kernels, options);
  ASSERT_TRUE(made) << render(made.error());
  const std::string path = std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/metal/golden/" + golden.file + ".metal";
  if (std::getenv("TILEWRIGHT_UPDATE") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, made->code));
  }
  const auto known = read_file(path);
  ASSERT_TRUE(known) << render(known.error());
  EXPECT_EQ(*known, made->code) << "TILEWRIGHT_UPDATE=1 writes the file anew";
}

INSTANTIATE_TEST_SUITE_P(Kernels, GoldenText, ::testing::ValuesIn(kGolden),
                         [](const auto& info) { return std::string(info.param.file); });

}  // namespace
}  // namespace tilewright::metal
