// Basis simdgroup_reference: fragments are loaded and stored one by one (seed 1, "SIMD-group reference basis";
// background 3.4). With Ea = E / iterations for a resident accumulator, else E:
//
//   issues I      = U*V*Q*E
//   inputs        = G*(rm + rn)*Q*E for a rectangle, 2*U*V*Q*E one atom at a time
//   accumulators  = 2*U*V*Ea, none with direct output, which stores U*V*Ea fragments to the output; U*V*E when C is a
//                   literal, which is filled and not loaded
//   factors       = max(1, scalars / preferred) x max(1, min(preferred_subgroups, U*V) / G)
//   setup         = G x subgroup_setup
//   waves         = max(1, programs / preferred_concurrent_programs)
//
// K is nominal: this family has no view of fewer columns.
#include <algorithm>

#include "plan/cost_basis.h"

namespace tilewright::plan {

namespace {

using realize::MatrixDistribution;
using realize::MatrixWorkload;

constexpr CostTerm kReferenceTerms[] = {
    {"matrix_issues", &PlanCost::matrix_issues, "matrix_issue", &CostPriors::matrix_issue},
    {"shared_fragment_transfers", &PlanCost::shared_fragment_transfers, "shared_fragment_transfer",
     &CostPriors::shared_fragment_transfer},
    {"direct_fragment_stores", &PlanCost::direct_fragment_stores, "shared_fragment_transfer",
     &CostPriors::shared_fragment_transfer},
};

OperationCost reference_operation(const MatrixWorkload& workload, const MatrixDistribution& distribution,
                                  std::int64_t subgroups, const CostPriors& priors) {
  const auto E = static_cast<double>(workload.executions);
  const auto Q = static_cast<double>(workload.atom_contraction());
  const auto G = static_cast<double>(subgroups);
  const double atoms = static_cast<double>(workload.atom_rows()) * static_cast<double>(workload.atom_columns());
  const double results = atoms * accumulator_executions(workload, distribution);
  const bool direct = distribution.direct_accumulator_store;

  OperationCost operation;
  PlanCost& cost = operation.cost;
  cost.matrix_issues = cost.nominal_matrix_issues = atoms * Q * E;
  cost.input_fragment_transfers =
      distribution.is_one_atom()
          ? 2 * atoms * Q * E
          : G * (static_cast<double>(distribution.atom_rows) + static_cast<double>(distribution.atom_columns)) * Q * E;
  cost.accumulator_fragment_transfers = direct ? 0 : workload.starts_from_literal ? results : 2 * results;
  cost.shared_fragment_transfers = cost.input_fragment_transfers + cost.accumulator_fragment_transfers;
  cost.direct_fragment_stores = direct ? results : 0;
  cost.fragment_scalars_per_lane =
      realize::fragment_scalars_per_lane(workload, distribution, {subgroups * realize::kSubgroupSize});
  const RemovableElements elements = removable_elements(workload, distribution);
  cost.independent_elements = elements.remaining;
  cost.elided_independent_elements = elements.elided;

  operation.work = priced_work(kReferenceTerms, cost, priors);
  operation.state_pressure = state_pressure(cost.fragment_scalars_per_lane, priors);
  operation.parallel_factor = std::max(1.0, std::min(static_cast<double>(priors.preferred_subgroups), atoms) / G);
  cost.score = operation.work * operation.state_pressure * operation.parallel_factor +
               elements.remaining * priors.independent_element;
  cost.priced = true;
  return operation;
}

double reference_program_score(double operations, double common_elements, std::int64_t subgroups,
                               const CostPriors& priors) {
  return operations + common_elements * priors.independent_element +
         static_cast<double>(subgroups) * priors.subgroup_setup;
}

double reference_waves(std::int64_t programs, std::int64_t, const CostPriors& priors) {
  return std::max(1.0, static_cast<double>(programs) / static_cast<double>(priors.preferred_concurrent_programs));
}

}  // namespace

constexpr CostBasis kSimdgroupReference{
    .name = "simdgroup_reference",
    .family = realize::AtomFamily::Simdgroup8x8,
    .terms = kReferenceTerms,
    .elements = {"independent_elements", &PlanCost::independent_elements, "independent_element",
                 &CostPriors::independent_element},
    .setup = {"", nullptr, "subgroup_setup", &CostPriors::subgroup_setup},
    .operation = reference_operation,
    .program_score = reference_program_score,
    .waves = reference_waves,
};

}  // namespace tilewright::plan
