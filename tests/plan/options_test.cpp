// Options: defaults, ranges, text and validity.
#include "plan/options.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plan/plan_cases.h"

namespace tilewright::plan::options_test {
namespace {

using realize::AtomFamily;

TEST(PlannerOptions, DefaultsAreThoseOfTheContract) {
  const std::string expected = R"(enabled = true
fuse_gpu_elementwise = true
map_gpu_cooperative_programs = true
metal_subgroup_reductions = false
reduction_programs_per_group = 0
reduction_unroll_factor = 1
reduction_lane_elements = 1
cache_reduction_inputs = false
retain_accumulators = true
direct_accumulator_store = true
coalesce_group_barriers = true
elide_independent_subgroup_barriers = false
threads_per_group = 0
program_order_rows = 1
program_order_columns = 1
fuse_matrix_epilogues = false
max_fragment_scalars_per_lane = 64
max_reduction_striped_scalars_per_worker = 64
max_thread_candidates = 32
max_copy_batch = 1
max_pipeline_prefetch_scalars_per_lane = 32
min_cpu_parallel_tasks = 64
max_cpu_stack_bytes = 0
max_cpu_vector_lanes = 16
cost_basis = auto
mpp_operation_scope = subgroup
pad_shared_rows = false
pipeline_window = 0
)";
  // The coefficients of cpu.vector are measured, and change with what is measured.
  std::string text;
  std::istringstream lines(options_text(option_values(shipped_options())));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("cost.cpu_vector_")) text += line + "\n";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_EQ(text.substr(expected.size()), R"(cost.version = priors-v1
cost.matrix_issue = 1.0
cost.shared_fragment_transfer = 2.0
cost.independent_element = 0.0078125
cost.subgroup_setup = 8.0
cost.metal_mpp_memory_fragment = 1.0
cost.metal_mpp_lhs_footprint = 0.125
cost.metal_mpp_rhs_footprint = 0.375
cost.metal_mpp_output_fragment = 1.0
cost.metal_mpp_tensor_operation = 8.0
cost.metal_mpp_accumulator_init = 1.0
cost.metal_mpp_tile_aspect = 0.1875
cost.metal_mpp_local_row_aspect = 0.25
cost.metal_mpp_local_column_aspect = 0.125
cost.metal_mpp_row_edge = 0.25
cost.metal_mpp_column_edge = 0.25
cost.metal_mpp_independent_element = 0.03125
cost.metal_mpp_group_setup = 8.0
cost.subgroup_reduction_scalar_round = 1.0
cost.subgroup_reduction_collective = 2.0
cost.subgroup_reduction_group_setup = 16.0
cost.subgroup_reduction_global_access_byte = 0.0
cost.subgroup_reduction_private_access_byte = 0.0
cost.preferred_subgroups = 4
cost.preferred_fragment_scalars_per_lane = 32
cost.preferred_concurrent_programs = 64
cost.metal_mpp_concurrent_subgroups = 512
)");
  EXPECT_EQ(options_text(option_values(CompileSwitches{})), R"(noalias = false
forward_readonly_tile_loads = false
cooperative_matrix = false
metal_mpp = false
auto_vectorize = false
bounded_k = 0
bounded_mnk = 0
bounded_store = 0
element_epilogue = 0
)");
}

TEST(PlannerOptions, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto rows : {planner_option_rows(), compile_switch_rows()})
    for (const OptionRow& row : rows) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_FALSE(row.meaning.empty() || row.range.empty());
    }
  EXPECT_EQ(names.size(), 37u);
}

struct Ends {
  const char* name;
  std::vector<const char*> good, bad;
};

TEST(PlannerOptions, RangesAreClosedAtBothEnds) {
  const char* most = "9223372036854775807";
  const std::vector<Ends> all = {
      {"reduction_programs_per_group", {"0", "8"}, {"-1", "9"}},
      {"reduction_unroll_factor", {"1", "16"}, {"0", "17"}},
      {"reduction_lane_elements", {"1", "2", "4", "8"}, {"0", "3", "5", "16"}},
      {"threads_per_group", {"0", "1", most}, {"-1"}},
      {"program_order_rows", {"1", most}, {"0", "-1"}},
      {"program_order_columns", {"1", most}, {"0"}},
      {"max_fragment_scalars_per_lane", {"4", most}, {"3", "0"}},
      {"max_reduction_striped_scalars_per_worker", {"1", most}, {"0"}},
      {"max_thread_candidates", {"1", most}, {"0"}},
      {"max_copy_batch", {"1", "16"}, {"0", "17"}},
      {"max_pipeline_prefetch_scalars_per_lane", {"0", most}, {"-1"}},
      {"min_cpu_parallel_tasks", {"0", most}, {"-1"}},
      {"max_cpu_stack_bytes", {"0", "65536"}, {"-1", "65537"}},
      {"max_cpu_vector_lanes", {"16", "32", "64", "128"}, {"8", "24", "256"}},
      {"cost_basis", {"auto", "simdgroup_reference", "metal_mpp_memory_v4"}, {"", "v3", "metal_mpp_memory_v5"}},
      {"pipeline_window", {"0", "1", "2"}, {"-1", "3"}},
      {"mpp_operation_scope", {"subgroup", "group"}, {"", "grou", "subgroup, group"}},
      {"enabled", {"true", "false"}, {"1", "TRUE", ""}},
      {"bounded_k", {"0", "1", "true", "false"}, {"2", "-1", "yes"}},
      {"noalias", {"true", "false"}, {"0"}},
      {"cost.matrix_issue", {"0", "2.5"}, {"-1", "nan"}},
      {"cost.preferred_subgroups", {"1"}, {"0", "1.5"}},
  };
  for (const Ends& row : all) {
    for (const char* value : row.good) {
      PlannerOptions options = shipped_options();
      CompileSwitches switches;
      EXPECT_TRUE(set_option(options, switches, row.name, value)) << row.name << "=" << value;
    }
    std::vector<const char*> bad = row.bad;
    bad.insert(bad.end(), {"x", "1 ", " 1", "0x1", "1e1", "99999999999999999999"});
    for (const char* value : bad) {
      if (std::string(row.name) == "cost.matrix_issue" && std::string(value) != "x" && value[0] != '-') continue;
      PlannerOptions options = shipped_options();
      CompileSwitches switches;
      expect_code(set_option(options, switches, row.name, value), DiagCode::BadOption,
                  {row.name, "found '" + std::string(value) + "'"});
      EXPECT_EQ(options, shipped_options());
      EXPECT_EQ(switches, CompileSwitches{});
    }
  }
}

TEST(PlannerOptions, MessagesNameRangeAndNearestName) {
  PlannerOptions options;
  CompileSwitches switches;
  expect_code(set_option(options, "max_copy_batch", "17"), DiagCode::BadOption,
              {"max_copy_batch expects 1 to 16", "'17'"});
  expect_code(set_option(options, "max_cpy_batch", "1"), DiagCode::UnknownOption, {"did you mean 'max_copy_batch'?"});
  expect_code(set_option(options, "cost.matrix_isue", "1"), DiagCode::UnknownOption, {"did you mean 'matrix_issue'?"});
  expect_code(set_option(options, switches, "noalais", "true"), DiagCode::UnknownOption, {"did you mean 'noalias'?"});
  expect_code(set_option(switches, "enabled", "true"), DiagCode::UnknownOption, {"no option is called 'enabled'"});
  expect_code(set_option(options, switches, "zzzzzzzz", "1"), DiagCode::UnknownOption, {"the options are enabled, "});
  expect_code(set_option(options, "cost", "1"), DiagCode::UnknownOption, {"'cost'"});
}

/// Every value of every option, set one at a time, comes back from the text.
TEST(PlannerOptions, TextReadsBack) {
  const std::vector<std::pair<std::string, std::string>> changes = {{"enabled", "false"},
                                                                    {"reduction_lane_elements", "4"},
                                                                    {"threads_per_group", "96"},
                                                                    {"cost_basis", "metal_mpp_memory_v4"},
                                                                    {"mpp_operation_scope", "group"},
                                                                    {"cost.matrix_issue", "0.1"},
                                                                    {"cost.preferred_subgroups", "9"},
                                                                    {"max_cpu_vector_lanes", "128"}};
  PlannerOptions changed = shipped_options();
  for (const auto& [name, value] : changes) {
    ASSERT_TRUE(set_option(changed, name, value));
    PlannerOptions again = shipped_options();
    for (const OptionValue& entry : option_values(changed)) {
      if (entry.name == "cost.version") continue;
      ASSERT_TRUE(set_option(again, entry.name, option_value_text(entry))) << entry.name;
    }
    EXPECT_EQ(again, changed);
  }
  CompileSwitches switches{.noalias = true, .metal_mpp = true, .bounded_mnk = 1};
  CompileSwitches again;
  for (const OptionValue& entry : option_values(switches))
    ASSERT_TRUE(set_option(again, entry.name, option_value_text(entry)));
  EXPECT_EQ(again, switches);
}

using Edit = void (*)(PlannerOptions&);

TEST(PlannerOptions, ValuesOutsideTheirRangeAreInvalid) {
  const std::vector<std::pair<const char*, Edit>> edits = {
      {"reduction_programs_per_group", [](PlannerOptions& o) { o.reduction_programs_per_group = 9; }},
      {"reduction_unroll_factor", [](PlannerOptions& o) { o.reduction_unroll_factor = 0; }},
      {"reduction_lane_elements", [](PlannerOptions& o) { o.reduction_lane_elements = 3; }},
      {"threads_per_group", [](PlannerOptions& o) { o.threads_per_group = -1; }},
      {"program_order_rows", [](PlannerOptions& o) { o.program_order_rows = 0; }},
      {"program_order_columns", [](PlannerOptions& o) { o.program_order_columns = -5; }},
      {"max_fragment_scalars_per_lane", [](PlannerOptions& o) { o.max_fragment_scalars_per_lane = 5; }},
      {"max_reduction_striped_scalars_per_worker",
       [](PlannerOptions& o) { o.max_reduction_striped_scalars_per_worker = 0; }},
      {"max_thread_candidates", [](PlannerOptions& o) { o.max_thread_candidates = 0; }},
      {"max_copy_batch", [](PlannerOptions& o) { o.max_copy_batch = 0; }},
      {"max_copy_batch", [](PlannerOptions& o) { o.max_copy_batch = 17; }},
      {"max_pipeline_prefetch_scalars_per_lane",
       [](PlannerOptions& o) { o.max_pipeline_prefetch_scalars_per_lane = -1; }},
      {"min_cpu_parallel_tasks", [](PlannerOptions& o) { o.min_cpu_parallel_tasks = -1; }},
      {"max_cpu_stack_bytes", [](PlannerOptions& o) { o.max_cpu_stack_bytes = 65537; }},
      {"max_cpu_vector_lanes", [](PlannerOptions& o) { o.max_cpu_vector_lanes = 17; }},
      {"cost_basis", [](PlannerOptions& o) { o.cost_basis = "best"; }},
      {"mpp_operation_scope", [](PlannerOptions& o) { o.mpp_operation_scope = ""; }},
      {"elide_independent_subgroup_barriers",
       [](PlannerOptions& o) {
         o.elide_independent_subgroup_barriers = true;
         o.coalesce_group_barriers = false;
       }},
      {"program_order_rows",
       [](PlannerOptions& o) {
         o.enabled = false;
         o.program_order_rows = 4;
       }},
  };
  for (const auto& [name, edit] : edits) {
    PlannerOptions options = shipped_options();
    edit(options);
    expect_code(validate(options, metal_limits(), AtomFamily::Simdgroup8x8), DiagCode::BadOption, {name});
    expect_code(solve(example_group(), metal_limits(), options), DiagCode::BadOption, {name});
  }
}

TEST(PlannerOptions, TheBudgetDependsOnTheFamily) {
  const auto result = [](std::int64_t budget, AtomFamily family) {
    PlannerOptions options = shipped_options();
    options.max_fragment_scalars_per_lane = budget;
    return validate(options, metal_limits(), family);
  };
  expect_code(result(5, AtomFamily::Simdgroup8x8), DiagCode::BadOption,
              {"at least 6 for metal.simdgroup8x8", "found 5"});
  EXPECT_TRUE(result(6, AtomFamily::Simdgroup8x8));
  EXPECT_TRUE(result(4, AtomFamily::MetalMpp));
  expect_code(result(3, AtomFamily::MetalMpp), DiagCode::BadOption, {"max_fragment_scalars_per_lane", "'3'"});
}

TEST(PlannerOptions, TheBasisPricesTheFamily) {
  const PlannerOptions mpp = options_with({{"cost_basis", "metal_mpp_memory_v2"}});
  EXPECT_TRUE(validate(mpp, metal_limits(), AtomFamily::MetalMpp));
  expect_code(validate(mpp, metal_limits(), AtomFamily::Simdgroup8x8), DiagCode::BadOption,
              {"metal_mpp_memory_v2", "metal.simdgroup8x8", "simdgroup_reference"});
  const PlannerOptions group = options_with({{"mpp_operation_scope", "group"}});
  EXPECT_TRUE(validate(group, metal_limits(), AtomFamily::MetalMpp));
  expect_code(validate(group, metal_limits(), AtomFamily::Simdgroup8x8), DiagCode::BadOption, {"mpp_operation_scope"});
}

TEST(PlannerOptions, ExactWidthsFitTheTarget) {
  Limits limits = metal_limits();
  EXPECT_TRUE(validate(options_with({{"threads_per_group", "256"}}), limits, AtomFamily::MetalMpp));
  expect_code(validate(options_with({{"threads_per_group", "257"}}), limits, AtomFamily::MetalMpp),
              DiagCode::ThreadLimit, {"0 to 256", "257"});
  limits.max_threads = 896;
  expect_code(validate(options_with({{"threads_per_group", "1024"}}), limits, AtomFamily::MetalMpp),
              DiagCode::ThreadLimit, {"0 to 896", "1024"});
}

TEST(PlannerOptions, LimitsOfTheTarget) {
  const auto refused = [](std::int64_t Limits::* member, std::int64_t value, const std::string& name) {
    Limits limits = metal_limits();
    limits.*member = value;
    expect_code(validate(shipped_options(), limits, AtomFamily::MetalMpp), DiagCode::LimitsInvalid,
                {name, std::to_string(value)});
  };
  refused(&Limits::max_threads, 0, "max_threads");
  refused(&Limits::subgroup_size, 16, "subgroup_size");
  refused(&Limits::subgroup_size, 64, "subgroup_size");
  refused(&Limits::shared_memory_bytes, -1, "shared_memory_bytes");
  refused(&Limits::shared_granule_bytes, 0, "shared_granule_bytes");
}

TEST(PlannerOptions, SwitchesOfTheCompilation) {
  PlannerOptions options = options_with({{"max_cpu_vector_lanes", "32"}});
  expect_code(validate(options, CompileSwitches{}), DiagCode::BadOption, {"max_cpu_vector_lanes 32", "auto_vectorize"});
  EXPECT_TRUE(validate(options, CompileSwitches{.auto_vectorize = true}));
  EXPECT_TRUE(validate(shipped_options(), CompileSwitches{}));
  expect_code(validate(shipped_options(), CompileSwitches{.bounded_store = 2}), DiagCode::BadOption,
              {"bounded_store", "'2'"});
}

TEST(PlannerOptions, WithoutThePlannerEverythingIsTheReference) {
  const PlannerOptions options = effective_options(
      options_with({{"enabled", "false"}, {"max_copy_batch", "4"}, {"elide_independent_subgroup_barriers", "true"}}));
  EXPECT_EQ(options.max_copy_batch, 1);
  EXPECT_FALSE(options.coalesce_group_barriers || options.elide_independent_subgroup_barriers ||
               options.retain_accumulators || options.direct_accumulator_store || options.fuse_gpu_elementwise);
  const PlannerOptions planned = options_with({{"max_copy_batch", "4"}});
  EXPECT_EQ(effective_options(planned), planned);
}

}  // namespace
}  // namespace tilewright::plan::options_test
