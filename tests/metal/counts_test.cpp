// Features of the cost model, counts of the kernel interpreter and counters of the emulator are one number each
// (docs/counts.md): 60 kernels of 9 programs, in every orientation and both windows.
#include "lower_group/matrix_text.h"
#include "metal/metal_kernel.h"

namespace tilewright::driver {
namespace {

using kernel::MemoryKind;
using lower::testing::MatrixText;

void expect_equal_counts(const std::string& line, const Settings& settings, const std::string& text = "") {
  SCOPED_TRACE(line + "\n" + text);
  auto made = metal_case(line, settings, text);
  ASSERT_TRUE(made);
  const auto run = run_metal(made->kernel, made->buffers.arguments());
  ASSERT_TRUE(run) << render(run.error());
  // The last bits of exp are each one's own.
  if (!line.starts_with("attention")) {
    EXPECT_EQ(run->difference, "");
  }
  for (const plan::LaunchPlan& launch : made->metal().planned.planned.plan.launches) {
    if (launch.mapping != plan::LaunchMapping::Cooperative) continue;
    const KernelCounts& counts = run->kernels[launch.launch];
    ASSERT_TRUE(counts.emulated);
    const msl_emulator::Counters& seen = *counts.emulated;
    const kernel::FragmentCounts shared = counts.interpreted.fragments_of(MemoryKind::Shared);
    const kernel::FragmentCounts device = counts.interpreted.fragments_of(MemoryKind::Buffer);
    const auto expected = [&](double feature) {
      return static_cast<std::uint64_t>(feature * static_cast<double>(launch.programs));
    };
    EXPECT_EQ(expected(launch.cost.matrix_issues), counts.interpreted.atoms.at("metal.simdgroup8x8"));
    EXPECT_EQ(expected(launch.cost.matrix_issues), seen.matrix_8x8);
    EXPECT_EQ(expected(launch.cost.input_fragment_transfers), shared.operand_loads);
    EXPECT_EQ(expected(launch.cost.accumulator_fragment_transfers), shared.accumulator_loads + shared.stores);
    EXPECT_EQ(expected(launch.cost.shared_fragment_transfers),
              seen.threadgroup.fragment_loads + seen.threadgroup.fragment_stores);
    EXPECT_EQ(expected(launch.cost.direct_fragment_stores), device.stores);
    EXPECT_EQ(expected(launch.cost.direct_fragment_stores), seen.device.fragment_stores);
    EXPECT_EQ(seen.device.fragment_loads, 0u);
    EXPECT_EQ(static_cast<std::uint64_t>(launch.shared_memory_bytes), seen.threadgroup_bytes);
    EXPECT_EQ(counts.interpreted.group_fences, seen.threadgroup_barriers);
  }
}

TEST(MetalCounts, ProgramsOfTheLibrary) {
  for (const char* line :
       {"gemm M=64 N=64 K=64", "gemm M=65 N=33 K=17", "gemm_nt M=65 N=33 K=17", "gemm_tn M=64 N=64 K=64 T=f16",
        "gemm_tt M=7 N=130 K=40 T=bf16", "gemm_alpha_beta M=33 N=31 K=9 alpha=2 beta=3",
        "batched_gemm G=3 M=33 N=65 K=17", "gemm_bias_gelu M=65 N=33 K=17", "mlp N=65 D=17 H=33 C=10",
        "attention B=1 Hq=2 Hkv=1 Lq=33 Lk=49 D=32 Dv=16 scale=0.2 BQ=16 BK=16"})
    for (const Settings& settings :
         {Settings{}, Settings{{"direct_accumulator_store", "false"}}, Settings{{"retain_accumulators", "false"}}})
      expect_equal_counts(line, settings);
}

TEST(MetalCounts, OrientationsAndWindows) {
  for (unsigned bits = 0; bits < 16; ++bits)
    for (const char* window : {"1", "2"})
      expect_equal_counts("p M=64 N=32 K=48", {{"pipeline_window", window}},
                          MatrixText{.a_by_column = (bits & 1) != 0,
                                     .b_by_column = (bits & 2) != 0,
                                     .c_by_column = (bits & 4) != 0,
                                     .stages = true,
                                     .start = (bits & 8) != 0 ? "R" : "0.0"}
                              .text());
}

}  // namespace
}  // namespace tilewright::driver
