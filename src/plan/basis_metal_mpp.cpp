#include "plan/basis_metal_mpp.h"

#include <algorithm>

namespace tilewright::plan {

namespace {

using realize::MatrixDistribution;
using realize::MatrixWorkload;

double as_double(std::int64_t value) { return static_cast<double>(value); }

double side_aspect(std::int64_t a, std::int64_t b) { return as_double(std::max(a, b)) / as_double(std::min(a, b)) - 1; }

bool overwrites(const MatrixWorkload& workload, const MatrixDistribution& distribution) {
  return workload.overwrites_accumulator && (!workload.has_recurrence() || distribution.direct_accumulator_store);
}

/// The part of a nominal extent that lies outside the objects.
double edge_part(double mean, std::int64_t nominal) { return mean > 0 ? 1 - mean / as_double(nominal) : 0; }

PlanCost mpp_features(const MppRules& rules, const MatrixWorkload& w, const MatrixDistribution& d,
                      std::int64_t subgroups) {
  const double E = as_double(w.executions);
  const double U = as_double(w.atom_rows());
  const double V = as_double(w.atom_columns());
  const double G = as_double(subgroups);
  const double nominal_steps = as_double(w.atom_contraction());
  const double steps =
      rules.physical_contraction && w.mean_contraction > 0 ? w.mean_contraction / realize::kAtomExtent : nominal_steps;
  const double results = U * V * accumulator_executions(w, d);

  PlanCost cost;
  cost.matrix_issues = U * V * steps * E;
  cost.nominal_matrix_issues = U * V * nominal_steps * E;
  cost.metal_mpp_operations = G * E;
  cost.memory_fragment_reads = G * (as_double(d.atom_rows) + as_double(d.atom_columns)) * steps * E;
  cost.lhs_footprint_fragments = U * steps * E;
  cost.rhs_footprint_fragments = V * steps * E;
  cost.accumulator_initializations = overwrites(w, d) ? 0 : results;
  cost.direct_fragment_stores = d.direct_accumulator_store ? results : 0;
  cost.accumulator_fragment_transfers = d.direct_accumulator_store ? 0 : results;
  cost.shared_fragment_transfers = cost.accumulator_fragment_transfers;
  cost.tile_aspect_fragments = U * V * E * side_aspect(w.rows, w.columns);
  const double local = cost.matrix_issues * side_aspect(d.atom_rows, d.atom_columns);
  if (d.atom_rows > d.atom_columns) cost.local_row_aspect_issues = local;
  if (d.atom_columns > d.atom_rows) cost.local_column_aspect_issues = local;
  if (rules.counts_edges) {
    cost.row_edge_issues = cost.matrix_issues * edge_part(w.mean_rows, w.rows);
    cost.column_edge_issues = cost.matrix_issues * edge_part(w.mean_columns, w.columns);
  }
  cost.fragment_scalars_per_lane = realize::fragment_scalars_per_lane(w, d, {subgroups * realize::kSubgroupSize});
  return cost;
}

}  // namespace

OperationCost mpp_operation(const MppRules& rules, std::span<const CostTerm> terms, const MatrixWorkload& workload,
                            const MatrixDistribution& distribution, std::int64_t subgroups, const CostPriors& priors) {
  OperationCost operation{mpp_features(rules, workload, distribution, subgroups)};
  PlanCost& cost = operation.cost;
  RemovableElements elements = removable_elements(workload, distribution);
  if (!rules.elides_elements) elements = {elements.remaining + elements.elided, 0};
  cost.independent_elements = elements.remaining;
  cost.elided_independent_elements = elements.elided;

  const double G = as_double(subgroups);
  operation.work = priced_work(terms, cost, priors);
  operation.state_pressure = state_pressure(cost.fragment_scalars_per_lane, priors);
  operation.parallel_factor = 1 / G;
  cost.score =
      operation.work * operation.state_pressure / G + elements.remaining * priors.metal_mpp_independent_element / G;
  cost.priced = true;
  return operation;
}

double mpp_program_score(double operations, double common_elements, std::int64_t subgroups, const CostPriors& priors) {
  return operations + common_elements * priors.metal_mpp_independent_element / as_double(subgroups) +
         priors.metal_mpp_group_setup;
}

double mpp_waves(std::int64_t programs, std::int64_t subgroups, const CostPriors& priors) {
  return std::max(1.0, as_double(programs) * as_double(subgroups) / as_double(priors.metal_mpp_concurrent_subgroups));
}

}  // namespace tilewright::plan
