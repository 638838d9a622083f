#include "plan/options.h"

namespace tilewright::plan {

namespace {

constexpr OptionRow on_off(std::string_view name, bool PlannerOptions::* member, std::string_view meaning) {
  return {name, OptionKind::Switch, member, 0, 1, {}, "true or false", meaning};
}

constexpr OptionRow in_range(std::string_view name, std::int64_t PlannerOptions::* member, std::int64_t least,
                             std::int64_t most, std::string_view range, std::string_view meaning) {
  return {name, OptionKind::Number, member, least, most, {}, range, meaning};
}

constexpr OptionRow kPlannerRows[] = {
    on_off("enabled", &PlannerOptions::enabled, "false keeps the reference realization everywhere"),
    on_off("fuse_gpu_elementwise", &PlannerOptions::fuse_gpu_elementwise,
           "pointwise graphs run on a grid of programs x elements"),
    on_off("map_gpu_cooperative_programs", &PlannerOptions::map_gpu_cooperative_programs,
           "programs with a matrix operation that may be reassociated run as groups without being told to"),
    on_off("metal_subgroup_reductions", &PlannerOptions::metal_subgroup_reductions,
           "row reductions may be spread over subgroups; the order of each one still has to permit it"),
    in_range("reduction_programs_per_group", &PlannerOptions::reduction_programs_per_group, 0, 8, "0 to 8",
             "rows that share a group; 0: planned"),
    in_range("reduction_unroll_factor", &PlannerOptions::reduction_unroll_factor, 1, 16, "1 to 16",
             "elements of a stripe that are read together, in order"),
    {"reduction_lane_elements", OptionKind::Number, &PlannerOptions::reduction_lane_elements, 1, 8, "1, 2, 4, 8",
     "1, 2, 4 or 8", "consecutive elements of a worker"},
    on_off("cache_reduction_inputs", &PlannerOptions::cache_reduction_inputs,
           "inputs that a reduction reads again stay in private stripes; refused where that is impossible"),
    on_off("retain_accumulators", &PlannerOptions::retain_accumulators,
           "accumulators stay in fragments between iterations"),
    on_off("direct_accumulator_store", &PlannerOptions::direct_accumulator_store,
           "such accumulators go straight to the output"),
    on_off("coalesce_group_barriers", &PlannerOptions::coalesce_group_barriers,
           "redundant fences of the compiler are merged"),
    on_off("elide_independent_subgroup_barriers", &PlannerOptions::elide_independent_subgroup_barriers,
           "all fences go where subgroups are proved independent; needs coalesce_group_barriers"),
    in_range("threads_per_group", &PlannerOptions::threads_per_group, 0, INT64_MAX, "0 to what the target has",
             "exact width of a group; 0: planned"),
    in_range("program_order_rows", &PlannerOptions::program_order_rows, 1, INT64_MAX, "at least 1",
             "rows of the rectangle in which programs are walked"),
    in_range("program_order_columns", &PlannerOptions::program_order_columns, 1, INT64_MAX, "at least 1",
             "columns of it"),
    on_off("fuse_matrix_epilogues", &PlannerOptions::fuse_matrix_epilogues,
           "scalar work between accumulator and output runs on the fragments"),
    in_range("max_fragment_scalars_per_lane", &PlannerOptions::max_fragment_scalars_per_lane, 4, INT64_MAX,
             "at least 6 (metal.simdgroup8x8) or 4 (metal.mpp)", "budget of fragment state"),
    in_range("max_reduction_striped_scalars_per_worker", &PlannerOptions::max_reduction_striped_scalars_per_worker, 1,
             INT64_MAX, "at least 1", "budget of private stripes"),
    in_range("max_thread_candidates", &PlannerOptions::max_thread_candidates, 1, INT64_MAX, "at least 1",
             "widths that a search may have; more are refused, never left out"),
    in_range("max_copy_batch", &PlannerOptions::max_copy_batch, 1, 16, "1 to 16",
             "values that a worker reads before it stores them"),
    in_range("max_pipeline_prefetch_scalars_per_lane", &PlannerOptions::max_pipeline_prefetch_scalars_per_lane, 0,
             INT64_MAX, "at least 0", "budget of late prefetch, 256 at most used; 0: none"),
    in_range("min_cpu_parallel_tasks", &PlannerOptions::min_cpu_parallel_tasks, 0, INT64_MAX, "at least 0",
             "cheap launches with fewer tasks stay serial"),
    in_range("max_cpu_stack_bytes", &PlannerOptions::max_cpu_stack_bytes, 0, 65536, "0 to 65536",
             "scratch of a task that may live on the stack"),
    {"max_cpu_vector_lanes", OptionKind::Number, &PlannerOptions::max_cpu_vector_lanes, 16, 128, "16, 32, 64, 128",
     "16, 32, 64 or 128", "lanes of one vector operation; above 16 needs auto_vectorize"},
    {"cost_basis", OptionKind::Word, &PlannerOptions::cost_basis, 0, 0,
     "auto, simdgroup_reference, metal_mpp_memory_v2, metal_mpp_memory_v3, metal_mpp_memory_v4",
     "auto, simdgroup_reference, metal_mpp_memory_v2, metal_mpp_memory_v3 or metal_mpp_memory_v4",
     "how plans are priced; auto: simdgroup_reference, or metal_mpp_memory_v3 for metal.mpp"},
    {"mpp_operation_scope", OptionKind::Word, &PlannerOptions::mpp_operation_scope, 0, 0, "subgroup, group",
     "subgroup or group",
     "group: one tensor operation of the whole group, which has no price and needs threads_per_group"},
    on_off("pad_shared_rows", &PlannerOptions::pad_shared_rows,
           "rows of operands in shared storage that meet in a bank are set 16 bytes further apart, where that fits"),
    in_range("pipeline_window", &PlannerOptions::pipeline_window, 0, 2, "0 to 2",
             "iterations of a pipeline in flight, where two are legal and fit; 0: what has the lower price"),
};

constexpr OptionRow promise(std::string_view name, bool CompileSwitches::* member, std::string_view meaning) {
  return {name, OptionKind::Switch, member, 0, 1, {}, "true or false", meaning};
}
constexpr OptionRow capability(std::string_view name, std::int64_t CompileSwitches::* member, std::string_view meaning,
                               std::int64_t latest = 1, std::string_view range = "0 or 1 (false or true)") {
  return {name, OptionKind::Version, member, 0, latest, {}, range, meaning};
}

constexpr OptionRow kSwitchRows[] = {
    promise("noalias", &CompileSwitches::noalias, "the caller promises that no two buffers overlap"),
    promise("forward_readonly_tile_loads", &CompileSwitches::forward_readonly_tile_loads,
            "copies of inputs that nothing writes may be read in place"),
    promise("cooperative_matrix", &CompileSwitches::cooperative_matrix,
            "the device has matrix operations of a subgroup"),
    promise("metal_mpp", &CompileSwitches::metal_mpp, "matrix operations are tensor operations (metal.mpp)"),
    promise("auto_vectorize", &CompileSwitches::auto_vectorize, "CPU: loops over elements become vector operations"),
    capability("bounded_k", &CompileSwitches::bounded_k, "tensor operations take a shorter last K"),
    capability("bounded_mnk", &CompileSwitches::bounded_mnk, "tensor operations take shorter or empty M and N"),
    capability("bounded_store", &CompileSwitches::bounded_store, "tensor results are stored up to a bound"),
    capability("element_epilogue", &CompileSwitches::element_epilogue,
               "scalar work on the elements of a tensor result; 2: with operands from memory", 2, "0 to 2"),
};

}  // namespace

std::span<const OptionRow> planner_option_rows() { return kPlannerRows; }
std::span<const OptionRow> compile_switch_rows() { return kSwitchRows; }

}  // namespace tilewright::plan
