// The features of the cost model are what the kernels do: counted by the interpreter (docs/counts.md).
#include "case_count.h"
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"

namespace tilewright::lower::testing {
namespace {

using kernel::MemoryKind;

/// Counts of one program, times the programs of the launch.
void expect_counts(const PlannedRun& run) {
  int cooperative = 0;
  for (const plan::LaunchPlan& launch : run.plan.planned.plan.launches) {
    if (launch.mapping != plan::LaunchMapping::Cooperative) continue;
    ++cooperative;
    const kernel::Counts& counts = run.counts[launch.launch];
    const auto programs = static_cast<double>(launch.programs);
    const auto atoms = counts.atoms.find("metal.simdgroup8x8");
    const auto& shared = counts.fragments_of(MemoryKind::Shared);
    EXPECT_EQ(atoms == counts.atoms.end() ? 0 : static_cast<double>(atoms->second),
              launch.cost.matrix_issues * programs);
    EXPECT_EQ(static_cast<double>(shared.operand_loads), launch.cost.input_fragment_transfers * programs);
    EXPECT_EQ(static_cast<double>(shared.accumulator_loads + shared.stores),
              launch.cost.accumulator_fragment_transfers * programs);
    EXPECT_EQ(static_cast<double>(counts.fragments_of(MemoryKind::Buffer).stores),
              launch.cost.direct_fragment_stores * programs);
    EXPECT_EQ(counts.fragments_of(MemoryKind::Buffer).operand_loads, 0u);
    EXPECT_EQ(counts.fragments_of(MemoryKind::Buffer).accumulator_loads, 0u);
  }
  EXPECT_GT(cooperative, 0);
}

TEST(Counts, ProgramsOfTheLibrary) {
  for (const char* line :
       {"gemm M=64 N=64 K=64", "gemm M=65 N=33 K=17", "gemm_nt M=65 N=33 K=17", "gemm_tn M=64 N=64 K=64 T=f16",
        "gemm_tt M=7 N=130 K=40 T=bf16", "gemm_alpha_beta M=33 N=31 K=9 alpha=2 beta=3",
        "batched_gemm G=3 M=33 N=65 K=17", "gemm_bias_gelu M=65 N=33 K=17", "gemm_bias_relu M=31 N=37 K=41",
        "mlp N=65 D=17 H=33 C=10", "attention B=1 Hq=2 Hkv=1 Lq=33 Lk=49 D=32 Dv=16 scale=0.2 BQ=16 BK=16"})
    for (const Settings& settings :
         {Settings{}, Settings{{"direct_accumulator_store", "false"}}, Settings{{"retain_accumulators", "false"}},
          Settings{{"threads_per_group", "96"}}}) {
      if (kSanitized && !settings.empty()) continue;
      SCOPED_TRACE(line);
      if (const auto run = run_planned(line, settings)) expect_counts(*run);
    }
}

TEST(Counts, OrientationsAndWindows) {
  for (unsigned bits = 0; bits < 16; ++bits)
    for (const char* window : {"1", "2"}) {
      if (kSanitized && bits % 5 != 0) continue;
      const MatrixText text{.a_by_column = (bits & 1) != 0,
                            .b_by_column = (bits & 2) != 0,
                            .c_by_column = (bits & 4) != 0,
                            .stages = true,
                            .start = (bits & 8) != 0 ? "R" : "0.0"};
      SCOPED_TRACE(text.text());
      if (const auto run = run_planned("p M=64 N=32 K=48", {{"pipeline_window", window}}, text.text()))
        expect_counts(*run);
    }
}

}  // namespace
}  // namespace tilewright::lower::testing
