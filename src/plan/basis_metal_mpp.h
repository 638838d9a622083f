// What the bases of metal.mpp share (seed 1, "Metal MPP memory v3 basis"; background 3.5). Internal to src/plan.
//
// With Qp = mean physical K / 8 where the basis uses it and the workload knows it, else Q; Ea as in the reference
// basis; aspect(a, b) = max/min - 1:
//
//   issues       = U*V*Qp*E            operations = G*E
//   reads        = G*(rm + rn)*Qp*E    footprints = U*Qp*E of A, V*Qp*E of B
//   init         = 0 when D = A*B will do (proved, and without a recurrence or with direct output), else U*V*Ea
//   output       = U*V*Ea direct stores, else as many shared transfers
//   tile aspect  = U*V*E*aspect(M, N)
//   local aspect = issues*aspect(rm, rn): of rows when rm > rn, of columns when rn > rm
//   factors      = max(1, scalars / preferred) / G; elements are shared by the G subgroups likewise
//   setup        = metal_mpp_group_setup once
//   waves        = max(1, programs*G / metal_mpp_concurrent_subgroups)
#pragma once

#include "plan/cost_basis.h"

namespace tilewright::plan {

/// In what the versions differ.
struct MppRules {
  bool physical_contraction = true;  ///< use the mean physical K
  bool elides_elements = true;       ///< elements that the realization removes are not priced
  bool counts_edges = false;         ///< fill in row_edge_issues and column_edge_issues
};

/// Counts and score of an operation.
OperationCost mpp_operation(const MppRules& rules, std::span<const CostTerm> terms,
                            const realize::MatrixWorkload& workload, const realize::MatrixDistribution& distribution,
                            std::int64_t subgroups, const CostPriors& priors);
double mpp_program_score(double operations, double common_elements, std::int64_t subgroups, const CostPriors& priors);
double mpp_waves(std::int64_t programs, std::int64_t subgroups, const CostPriors& priors);

/// The terms of v2 and v3; those of v4 follow them.
inline constexpr CostTerm kMppTerms[] = {
    {"matrix_issues", &PlanCost::matrix_issues, "matrix_issue", &CostPriors::matrix_issue},
    {"shared_fragment_transfers", &PlanCost::shared_fragment_transfers, "shared_fragment_transfer",
     &CostPriors::shared_fragment_transfer},
    {"memory_fragment_reads", &PlanCost::memory_fragment_reads, "metal_mpp_memory_fragment",
     &CostPriors::metal_mpp_memory_fragment},
    {"lhs_footprint_fragments", &PlanCost::lhs_footprint_fragments, "metal_mpp_lhs_footprint",
     &CostPriors::metal_mpp_lhs_footprint},
    {"rhs_footprint_fragments", &PlanCost::rhs_footprint_fragments, "metal_mpp_rhs_footprint",
     &CostPriors::metal_mpp_rhs_footprint},
    {"direct_fragment_stores", &PlanCost::direct_fragment_stores, "metal_mpp_output_fragment",
     &CostPriors::metal_mpp_output_fragment},
    {"metal_mpp_operations", &PlanCost::metal_mpp_operations, "metal_mpp_tensor_operation",
     &CostPriors::metal_mpp_tensor_operation},
    {"accumulator_initializations", &PlanCost::accumulator_initializations, "metal_mpp_accumulator_init",
     &CostPriors::metal_mpp_accumulator_init},
    {"tile_aspect_fragments", &PlanCost::tile_aspect_fragments, "metal_mpp_tile_aspect",
     &CostPriors::metal_mpp_tile_aspect},
    {"local_row_aspect_issues", &PlanCost::local_row_aspect_issues, "metal_mpp_local_row_aspect",
     &CostPriors::metal_mpp_local_row_aspect},
    {"local_column_aspect_issues", &PlanCost::local_column_aspect_issues, "metal_mpp_local_column_aspect",
     &CostPriors::metal_mpp_local_column_aspect},
    {"row_edge_issues", &PlanCost::row_edge_issues, "metal_mpp_row_edge", &CostPriors::metal_mpp_row_edge},
    {"column_edge_issues", &PlanCost::column_edge_issues, "metal_mpp_column_edge", &CostPriors::metal_mpp_column_edge},
};
inline constexpr std::span<const CostTerm> kMppTermsWithoutEdges = std::span(kMppTerms).first(11);

inline constexpr CostTerm kMppElements{"independent_elements", &PlanCost::independent_elements,
                                       "metal_mpp_independent_element", &CostPriors::metal_mpp_independent_element};
inline constexpr CostTerm kMppSetup{"", nullptr, "metal_mpp_group_setup", &CostPriors::metal_mpp_group_setup};

}  // namespace tilewright::plan
