// Options of the planner and switches of a compilation: values, a table that describes them, reading and printing.
//
// Names, defaults and validity are those of background 3.1. Four rows are additions: cost_basis, mpp_operation_scope,
// pad_shared_rows and pipeline_window. A switch of a compilation is a promise or a capability that the planner may rely
// on, not a wish; capabilities carry the version of their contract (0: absent).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/cost_policy.h"
#include "plan/cost_priors.h"
#include "plan/limits.h"
#include "realize/matrix_distribution.h"
#include "support/result.h"

namespace tilewright::plan {

struct PlannerOptions {
  bool enabled = true;
  bool fuse_gpu_elementwise = true;
  bool map_gpu_cooperative_programs = true;
  bool metal_subgroup_reductions = false;
  std::int64_t reduction_programs_per_group = 0;
  std::int64_t reduction_unroll_factor = 1;
  std::int64_t reduction_lane_elements = 1;
  bool cache_reduction_inputs = false;
  bool retain_accumulators = true;
  bool direct_accumulator_store = true;
  bool coalesce_group_barriers = true;
  bool elide_independent_subgroup_barriers = false;
  std::int64_t threads_per_group = 0;
  std::int64_t program_order_rows = 1;
  std::int64_t program_order_columns = 1;
  bool fuse_matrix_epilogues = false;
  std::int64_t max_fragment_scalars_per_lane = 64;
  std::int64_t max_reduction_striped_scalars_per_worker = 64;
  std::int64_t max_thread_candidates = 32;
  std::int64_t max_copy_batch = 1;
  std::int64_t max_pipeline_prefetch_scalars_per_lane = 32;
  std::int64_t min_cpu_parallel_tasks = 64;
  std::int64_t max_cpu_stack_bytes = 0;
  std::int64_t max_cpu_vector_lanes = 16;
  std::string cost_basis = "auto";               ///< "auto": simdgroup_reference, or metal_mpp_memory_v3 for mpp
  std::string mpp_operation_scope = "subgroup";  ///< "group" asks for the whole-group collective, which has no price
  bool pad_shared_rows = false;                  ///< storage for fewer bank conflicts, which have no price
  std::int64_t pipeline_window = 0;              ///< 0: by price; 1 or 2 where that is legal
  CostPriors cost;                               ///< load_cost_priors(); cost.NAME in text
  const CostPolicy* cost_policy = nullptr;       ///< borrowed; not in text
  bool operator==(const PlannerOptions&) const = default;
};

struct CompileSwitches {
  bool noalias = false;
  bool forward_readonly_tile_loads = false;
  bool cooperative_matrix = false;
  bool metal_mpp = false;
  bool auto_vectorize = false;
  std::int64_t bounded_k = 0;
  std::int64_t bounded_mnk = 0;
  std::int64_t bounded_store = 0;
  std::int64_t element_epilogue = 0;
  bool operator==(const CompileSwitches&) const = default;
};

/// What a row holds, and how its text looks.
enum class OptionKind : std::uint8_t {
  Switch,   ///< true or false
  Number,   ///< a decimal number
  Version,  ///< a number; true stands for the newest, false for 0
  Word,     ///< one of the row's choices
};

struct OptionRow {
  std::string_view name;
  OptionKind kind{};
  std::variant<bool PlannerOptions::*, std::int64_t PlannerOptions::*, std::string PlannerOptions::*,
               bool CompileSwitches::*, std::int64_t CompileSwitches::*>
      member;
  std::int64_t least = 0, most = 0;  ///< Number, Version
  std::string_view choices;          ///< "1, 2, 4, 8" or words: the only values; empty: all of least .. most
  std::string_view range;            ///< as messages and documents say it
  std::string_view meaning;
};
/// In the order of the structs. The rows of PlannerOptions come first. Defaults are those of the structs.
std::span<const OptionRow> planner_option_rows();
std::span<const OptionRow> compile_switch_rows();

/// One value, ready for JSON.
struct OptionValue {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string> value;
  bool operator==(const OptionValue&) const = default;
};
/// Table order; the coefficients follow as cost.version and cost.NAME.
std::vector<OptionValue> option_values(const PlannerOptions& options);
std::vector<OptionValue> option_values(const CompileSwitches& switches);
std::string option_value_text(const OptionValue& value);  ///< of the value alone; what set_option reads
/// One "name = value" a line.
std::string options_text(std::span<const OptionValue> values);

/// The value of one name (also cost.NAME) from text. UnknownOption with the nearest name; BadOption with the range or
/// the choices.
Result<void> set_option(PlannerOptions& options, std::string_view name, std::string_view value);
Result<void> set_option(CompileSwitches& switches, std::string_view name, std::string_view value);
/// Whichever of the two has the name.
Result<void> set_option(PlannerOptions& options, CompileSwitches& switches, std::string_view name,
                        std::string_view value);

/// The options as they take effect: without the planner every choice is that of the reference (no fusion, residency or
/// direct output, barriers as written, batches of 1, no prefetch).
PlannerOptions effective_options(PlannerOptions options);

/// Every fault. BadOption: a value outside its range; a traversal without the planner; fence elision without the
/// coalescing that it refines; max_fragment_scalars_per_lane below the least of the family; a basis of another family.
/// ThreadLimit: more threads_per_group than the target has. LimitsInvalid: a limit that is not one. The coefficients
/// are not looked at.
Result<void> validate(const PlannerOptions& options, const Limits& limits, realize::AtomFamily family);
/// What depends on both: max_cpu_vector_lanes above 16 needs auto_vectorize. BadOption too for a
/// switch outside its range.
Result<void> validate(const PlannerOptions& options, const CompileSwitches& switches);

}  // namespace tilewright::plan
