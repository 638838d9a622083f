// Options change who does what, never what comes out: off, the reference; each alone; and two together.
#include "case_count.h"
#include "lower_group/planned_run.h"

namespace tilewright::lower::testing {
namespace {

/// Each with values of its own.
const std::vector<std::pair<std::string, std::vector<const char*>>> kLattice = {
    {"enabled", {"false"}},
    {"map_gpu_cooperative_programs", {"false"}},
    {"retain_accumulators", {"false"}},
    {"direct_accumulator_store", {"false"}},
    {"coalesce_group_barriers", {"false"}},
    {"max_copy_batch", {"2", "4", "16"}},
    {"max_pipeline_prefetch_scalars_per_lane", {"0", "256"}},
    {"pad_shared_rows", {"true"}},
    {"pipeline_window", {"1", "2"}},
    {"threads_per_group", {"32", "48", "64", "96", "128", "160", "256", "512", "1000", "1024"}},
    {"program_order_rows", {"3"}},
    {"program_order_columns", {"2"}},
    {"max_fragment_scalars_per_lane", {"6", "24"}},
    {"noalias", {"true"}},
};

const char* const kLines[] = {
    "gemm M=40 N=36 K=19 BM=32 BN=32 BK=16",
    "gemm M=32 N=32 K=32 T=f16 BM=32 BN=32 BK=16",
    "gemm_bias_gelu M=33 N=8 K=24 BM=32 BN=32 BK=16",
    "mlp N=8 D=17 H=40 C=10 BM=32 BN=32 BK=16",
    "batched_gemm G=2 M=33 N=10 K=17 BM=32 BN=32 BK=16",
    "attention B=1 Hq=2 Hkv=1 Lq=17 Lk=33 D=16 Dv=8 scale=0.3 causal=1 BQ=16 BK=16",
};

class Options : public ::testing::TestWithParam<const char*> {};

TEST_P(Options, OneAlone) {
  for (const auto& [name, values] : kLattice)
    for (const char* value : values) {
      if (kSanitized && value != values.back()) continue;
      SCOPED_TRACE(name + "=" + value);
      run_planned(GetParam(), {{name, value}});
    }
}

TEST_P(Options, TwoTogether) {
  for (std::size_t i = 0; i < kLattice.size(); ++i)
    for (std::size_t j = i + 1; j < kLattice.size(); ++j) {
      const auto& [first, first_values] = kLattice[i];
      const auto& [second, second_values] = kLattice[j];
      // A walk needs groups of whole subgroups.
      const bool no_walk =
          first == "enabled" || first == "map_gpu_cooperative_programs" || first == "threads_per_group";
      if (no_walk && second.starts_with("program_order")) continue;
      if ((i * kLattice.size() + j) * 29 % 100 >= static_cast<std::size_t>(case_count(50, 25))) continue;
      const Settings settings{{first, first_values[j % first_values.size()]},
                              {second, second_values[i % second_values.size()]}};
      SCOPED_TRACE(first + "=" + settings[0].second + " " + second + "=" + settings[1].second);
      run_planned(GetParam(), settings);
    }
}

std::string program_name(const ::testing::TestParamInfo<const char*>& info) {
  const std::string line = info.param;
  return std::to_string(info.index) + "_" + line.substr(0, line.find(' '));
}

INSTANTIATE_TEST_SUITE_P(Programs, Options, ::testing::ValuesIn(kLines), program_name);

}  // namespace
}  // namespace tilewright::lower::testing
