// Cost bases: named features x named coefficients, and how they become a score. One constant a basis, one file each.
//
// A basis counts what a legal mapping of one operation does and prices it. For every basis
//
//   work            = sum of count x coefficient over its terms, added in the order of the terms
//   operation score = work x factors + remaining removable elements x element price
//   program score   = sum of operation scores (program order) + common elements x element price + setup
//   kernel score    = program score x waves
//
// Factors, element price, setup and waves are told in the file of the basis. Scores are relative, not times; they are
// compared within one basis and never across two. No basis prices the collective map.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/cost_features.h"
#include "plan/cost_priors.h"
#include "realize/matrix_distribution.h"
#include "realize/matrix_workload.h"

namespace tilewright::plan {

/// A feature and its coefficient.
struct CostTerm {
  std::string_view feature;
  double PlanCost::* count;
  std::string_view coefficient;
  double CostPriors::* price;
};

/// One operation in a group of `subgroups`, priced.
struct OperationCost {
  PlanCost cost;               ///< counts and score
  double work = 0;             ///< before the factors
  double state_pressure = 1;   ///< max(1, fragment scalars / preferred)
  double parallel_factor = 1;  ///< what work is multiplied by because of the number of subgroups
};

struct CostBasis {
  std::string_view name;
  realize::AtomFamily family;
  std::span<const CostTerm> terms;
  CostTerm elements;  ///< independent_elements and their price
  CostTerm setup;     ///< no feature; the price of a program or subgroup
  /// Premises: the workload is valid, the distribution legal and not the collective.
  OperationCost (*operation)(const realize::MatrixWorkload& workload, const realize::MatrixDistribution& distribution,
                             std::int64_t subgroups, const CostPriors& priors);
  double (*program_score)(double operations, double common_elements, std::int64_t subgroups, const CostPriors& priors);
  double (*waves)(std::int64_t programs, std::int64_t subgroups, const CostPriors& priors);
};

extern const CostBasis kSimdgroupReference;
extern const CostBasis kMetalMppMemoryV2;
extern const CostBasis kMetalMppMemoryV3;
extern const CostBasis kMetalMppMemoryV4;

/// All of them, in a fixed order.
std::span<const CostBasis* const> cost_bases();
/// By name; null for an unknown name.
const CostBasis* find_cost_basis(std::string_view name);
/// simdgroup_reference or metal_mpp_memory_v3.
const CostBasis& default_cost_basis(realize::AtomFamily family);

/// The terms of a cost with their numbers, for reports: those of an operation that are not 0, then the elements.
struct PricedTerm {
  std::string_view feature, coefficient;
  double count = 0, price = 0;
};
std::vector<PricedTerm> priced_terms(const CostBasis& basis, const PlanCost& cost, const CostPriors& priors);

/// Sum of count x price in the order of the terms: what every basis uses.
double priced_work(std::span<const CostTerm> terms, const PlanCost& cost, const CostPriors& priors);
/// max(1, scalars / preferred_fragment_scalars_per_lane).
double state_pressure(std::int64_t scalars, const CostPriors& priors);

/// Removable elements that remain with a distribution, and those that leave.
struct RemovableElements {
  double remaining = 0, elided = 0;
};
RemovableElements removable_elements(const realize::MatrixWorkload& workload,
                                     const realize::MatrixDistribution& distribution);

/// Executions of what happens once a recurrence: E / iterations when the accumulator is resident, else E.
double accumulator_executions(const realize::MatrixWorkload& workload, const realize::MatrixDistribution& distribution);

}  // namespace tilewright::plan
