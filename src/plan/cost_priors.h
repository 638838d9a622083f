// Cost priors: the coefficients of every cost basis, by name. They rank legal plans and never make one legal.
//
// The numbers stand in a data file (profiles/costs/priors-v1.json) and nowhere in the code: a value that was never
// loaded is refused. All are dimensionless priors, not times. Which feature each one prices is told by the bases
// (plan/cost_basis.h), what each one means by its row (cost_prior_rows()).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "support/result.h"

namespace tilewright::plan {

struct CostPriors {
  std::string version;  ///< of the data file: "priors-v1"
  double matrix_issue = 0;
  double shared_fragment_transfer = 0;
  double independent_element = 0;
  double subgroup_setup = 0;
  double metal_mpp_memory_fragment = 0;
  double metal_mpp_lhs_footprint = 0;
  double metal_mpp_rhs_footprint = 0;
  double metal_mpp_output_fragment = 0;
  double metal_mpp_tensor_operation = 0;
  double metal_mpp_accumulator_init = 0;
  double metal_mpp_tile_aspect = 0;
  double metal_mpp_local_row_aspect = 0;
  double metal_mpp_local_column_aspect = 0;
  double metal_mpp_row_edge = 0;
  double metal_mpp_column_edge = 0;
  double metal_mpp_independent_element = 0;
  double metal_mpp_group_setup = 0;
  double subgroup_reduction_scalar_round = 0;
  double subgroup_reduction_collective = 0;
  double subgroup_reduction_group_setup = 0;
  double subgroup_reduction_global_access_byte = 0;
  double subgroup_reduction_private_access_byte = 0;
  double cpu_vector_fma = 0;
  double cpu_vector_excess_load = 0;
  double cpu_vector_excess_latency = 0;
  double cpu_vector_left_load = 0;
  double cpu_vector_near_panel_byte = 0;
  double cpu_vector_far_panel_byte = 0;
  double cpu_vector_far_right_byte = 0;
  double cpu_vector_page_touch = 0;
  double cpu_vector_left_byte = 0;
  double cpu_vector_left_line = 0;
  double cpu_vector_packed_byte = 0;
  double cpu_vector_strided_element = 0;
  double cpu_vector_far_strided_element = 0;
  double cpu_vector_rectangle = 0;
  double cpu_vector_output = 0;
  double cpu_vector_output_touch = 0;
  double cpu_vector_lane_fold = 0;
  double cpu_vector_partial = 0;
  std::int64_t preferred_subgroups = 0;
  std::int64_t preferred_fragment_scalars_per_lane = 0;
  std::int64_t preferred_concurrent_programs = 0;
  std::int64_t metal_mpp_concurrent_subgroups = 0;
  bool operator==(const CostPriors&) const = default;
};

/// One coefficient: its name (that of the member) and what it prices.
struct CostPriorRow {
  std::string_view name;
  std::variant<double CostPriors::*, std::int64_t CostPriors::*> member;
  std::string_view prices;
};
/// All of them, in the order of the struct.
std::span<const CostPriorRow> cost_prior_rows();

/// Every fault: CoefficientNotFinite, CoefficientNegative (doubles must be finite and at least 0),
/// CoefficientNotPositive (integers must be above 0). All coefficients are looked at, whichever basis will be used.
Result<void> validate(const CostPriors& priors);

/// Sets one coefficient from text. UnknownOption with the nearest name; BadOption with the range.
Result<void> set_coefficient(CostPriors& priors, std::string_view name, std::string_view value);

/// Strict reading of the data file. `label` names it in messages. CostFileFormat: no JSON, or an unexpected form;
/// CoefficientMissing, CoefficientUnknown, CoefficientRepeated, CoefficientType; and what validate() finds.
Result<CostPriors> parse_cost_priors(std::string_view text, std::string_view label);
/// The same for a file, by support/files.h. Also FileRead.
Result<CostPriors> load_cost_priors(const std::string& path);

}  // namespace tilewright::plan
