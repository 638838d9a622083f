// Cost features: what a plan does, counted. Every report of a plan shows these numbers under these names.
//
// Counts are doubles because some are means; they are exact as long as they stay below 2^53. They are logical counts of
// the mapping, neither measured instructions nor bytes of DRAM. Which of them a score uses, and with which coefficient,
// is the matter of a basis (plan/cost_basis.h); a feature that a basis does not use is 0 or unpriced there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace tilewright::plan {

/// Of one matrix operation, or summed over the operations of a group (fragment_scalars_per_lane: the largest).
struct PlanCost {
  double matrix_issues = 0;              ///< 8x8x8 steps, with the mean physical K where a basis knows it
  double nominal_matrix_issues = 0;      ///< the same with the nominal K
  double shared_fragment_transfers = 0;  ///< fragments loaded from and stored to shared storage: the next two together
  double input_fragment_transfers = 0;   ///< of A and B; detail, not priced by itself
  double accumulator_fragment_transfers = 0;  ///< of C and D; detail, not priced by itself
  double direct_fragment_stores = 0;          ///< fragments stored straight to the output
  double metal_mpp_operations = 0;            ///< tensor operations of a subgroup
  double memory_fragment_reads = 0;           ///< requests of A and B fragments by tensor operations
  double lhs_footprint_fragments = 0;         ///< distinct fragments of A
  double rhs_footprint_fragments = 0;         ///< distinct fragments of B
  double accumulator_initializations = 0;     ///< fragments that start from a value
  double tile_aspect_fragments = 0;           ///< result fragments x (long side / short side - 1) of the tile
  double local_row_aspect_issues = 0;      ///< issues x the same of a subgroup's rectangle, when it is taller than wide
  double local_column_aspect_issues = 0;   ///< the same, when it is wider than tall
  double row_edge_issues = 0;              ///< issues x the part of the rows that lies outside the objects
  double column_edge_issues = 0;           ///< the same of the columns
  double independent_elements = 0;         ///< scalar elements that remain
  double elided_independent_elements = 0;  ///< scalar elements that the realization makes superfluous
  std::int64_t fragment_scalars_per_lane = 0;  ///< state; see realize::fragment_scalars_per_lane
  bool priced = false;                         ///< a basis gave the scores below; else they are 0 and mean nothing
  double score = 0;             ///< of one operation: its part of the program's score; of a group: the program's score
  double concurrent_waves = 1;  ///< times that the machine is refilled, a smooth ratio of at least 1
  double kernel_score = 0;      ///< score x concurrent_waves; of a group only
  bool operator==(const PlanCost&) const = default;
};

/// Names in the order of the struct, for reports.
struct CostFeatureRow {
  std::string_view name;
  std::variant<double PlanCost::*, std::int64_t PlanCost::*, bool PlanCost::*> member;
  std::string_view meaning;
};
std::span<const CostFeatureRow> cost_feature_rows();

/// Adds the counts of one operation to those of a group; scores are left alone.
void add_features(PlanCost& group, const PlanCost& operation);

}  // namespace tilewright::plan
