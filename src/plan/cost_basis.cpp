#include "plan/cost_basis.h"

#include <algorithm>

namespace tilewright::plan {

std::span<const CostBasis* const> cost_bases() {
  static constexpr const CostBasis* kBases[] = {&kSimdgroupReference, &kMetalMppMemoryV2, &kMetalMppMemoryV3,
                                                &kMetalMppMemoryV4};
  return kBases;
}

const CostBasis* find_cost_basis(std::string_view name) {
  for (const CostBasis* basis : cost_bases())
    if (basis->name == name) return basis;
  return nullptr;
}

const CostBasis& default_cost_basis(realize::AtomFamily family) {
  return family == realize::AtomFamily::MetalMpp ? kMetalMppMemoryV3 : kSimdgroupReference;
}

std::vector<PricedTerm> priced_terms(const CostBasis& basis, const PlanCost& cost, const CostPriors& priors) {
  std::vector<PricedTerm> terms;
  const auto add = [&](const CostTerm& term) {
    if (cost.*term.count != 0) terms.push_back({term.feature, term.coefficient, cost.*term.count, priors.*term.price});
  };
  for (const CostTerm& term : basis.terms) add(term);
  add(basis.elements);
  return terms;
}

double priced_work(std::span<const CostTerm> terms, const PlanCost& cost, const CostPriors& priors) {
  double work = 0;
  for (const CostTerm& term : terms) work += cost.*term.count * priors.*term.price;
  return work;
}

double state_pressure(std::int64_t scalars, const CostPriors& priors) {
  return std::max(1.0, static_cast<double>(scalars) / static_cast<double>(priors.preferred_fragment_scalars_per_lane));
}

RemovableElements removable_elements(const realize::MatrixWorkload& workload,
                                     const realize::MatrixDistribution& distribution) {
  RemovableElements elements;
  const auto recurrence = static_cast<double>(workload.recurrence_elements);
  const auto direct = static_cast<double>(workload.direct_output_elements);
  (distribution.persistent_accumulator ? elements.elided : elements.remaining) += recurrence;
  (distribution.direct_accumulator_store ? elements.elided : elements.remaining) += direct;
  return elements;
}

double accumulator_executions(const realize::MatrixWorkload& workload,
                              const realize::MatrixDistribution& distribution) {
  const std::int64_t once_in = distribution.persistent_accumulator ? workload.accumulator_iterations : 1;
  const std::int64_t executions = workload.executions / once_in;
  return static_cast<double>(executions);
}

}  // namespace tilewright::plan
