#include "plan/cost_features.h"

#include <algorithm>
#include <variant>

namespace tilewright::plan {

namespace {

constexpr CostFeatureRow kFeatureRows[] = {
    {"matrix_issues", &PlanCost::matrix_issues, "8x8x8 steps"},
    {"nominal_matrix_issues", &PlanCost::nominal_matrix_issues, "8x8x8 steps with the nominal K"},
    {"shared_fragment_transfers", &PlanCost::shared_fragment_transfers, "fragments moved from and to shared storage"},
    {"input_fragment_transfers", &PlanCost::input_fragment_transfers, "of these, of A and B"},
    {"accumulator_fragment_transfers", &PlanCost::accumulator_fragment_transfers, "of these, of C and D"},
    {"direct_fragment_stores", &PlanCost::direct_fragment_stores, "fragments stored straight to the output"},
    {"metal_mpp_operations", &PlanCost::metal_mpp_operations, "tensor operations of a subgroup"},
    {"memory_fragment_reads", &PlanCost::memory_fragment_reads, "requests of A and B fragments by tensor operations"},
    {"lhs_footprint_fragments", &PlanCost::lhs_footprint_fragments, "distinct fragments of A"},
    {"rhs_footprint_fragments", &PlanCost::rhs_footprint_fragments, "distinct fragments of B"},
    {"accumulator_initializations", &PlanCost::accumulator_initializations, "fragments that start from a value"},
    {"tile_aspect_fragments", &PlanCost::tile_aspect_fragments, "result fragments x (long side / short side - 1)"},
    {"local_row_aspect_issues", &PlanCost::local_row_aspect_issues,
     "issues x the same of a rectangle taller than wide"},
    {"local_column_aspect_issues", &PlanCost::local_column_aspect_issues, "issues x the same of one wider than tall"},
    {"row_edge_issues", &PlanCost::row_edge_issues, "issues x the part of the rows outside the objects"},
    {"column_edge_issues", &PlanCost::column_edge_issues, "issues x the part of the columns outside the objects"},
    {"independent_elements", &PlanCost::independent_elements, "scalar elements that remain"},
    {"elided_independent_elements", &PlanCost::elided_independent_elements, "scalar elements that became superfluous"},
    {"fragment_scalars_per_lane", &PlanCost::fragment_scalars_per_lane,
     "state of a lane, the largest of all operations"},
    {"priced", &PlanCost::priced, "a basis gave the scores"},
    {"score", &PlanCost::score, "of a program"},
    {"concurrent_waves", &PlanCost::concurrent_waves, "times that the machine is refilled"},
    {"kernel_score", &PlanCost::kernel_score, "score x waves: what plans are compared by"},
};

constexpr double PlanCost::* kSummed[] = {
    &PlanCost::matrix_issues,
    &PlanCost::nominal_matrix_issues,
    &PlanCost::shared_fragment_transfers,
    &PlanCost::input_fragment_transfers,
    &PlanCost::accumulator_fragment_transfers,
    &PlanCost::direct_fragment_stores,
    &PlanCost::metal_mpp_operations,
    &PlanCost::memory_fragment_reads,
    &PlanCost::lhs_footprint_fragments,
    &PlanCost::rhs_footprint_fragments,
    &PlanCost::accumulator_initializations,
    &PlanCost::tile_aspect_fragments,
    &PlanCost::local_row_aspect_issues,
    &PlanCost::local_column_aspect_issues,
    &PlanCost::row_edge_issues,
    &PlanCost::column_edge_issues,
    &PlanCost::independent_elements,
    &PlanCost::elided_independent_elements,
};

}  // namespace

std::span<const CostFeatureRow> cost_feature_rows() { return kFeatureRows; }

void add_features(PlanCost& group, const PlanCost& operation) {
  for (double PlanCost::* count : kSummed) group.*count += operation.*count;
  group.fragment_scalars_per_lane = std::max(group.fragment_scalars_per_lane, operation.fragment_scalars_per_lane);
}

}  // namespace tilewright::plan
