// Basis metal_mpp_memory_v4, on request: as v3, and it prices M and N edges. A part 1 - mean_rows / rows of the issues
// works on rows outside the objects (row_edge_issues), likewise of columns; each has a coefficient of its own on top of
// the price of the issue. Where the mean extents are unknown or nominal, v4 equals v3. The two coefficients are priors
// that nothing was fitted to.
#include "plan/basis_metal_mpp.h"

namespace tilewright::plan {

namespace {

OperationCost operation_v4(const realize::MatrixWorkload& workload, const realize::MatrixDistribution& distribution,
                           std::int64_t subgroups, const CostPriors& priors) {
  return mpp_operation({.counts_edges = true}, kMppTerms, workload, distribution, subgroups, priors);
}

}  // namespace

constexpr CostBasis kMetalMppMemoryV4{
    .name = "metal_mpp_memory_v4",
    .family = realize::AtomFamily::MetalMpp,
    .terms = kMppTerms,
    .elements = kMppElements,
    .setup = kMppSetup,
    .operation = operation_v4,
    .program_score = mpp_program_score,
    .waves = mpp_waves,
};

}  // namespace tilewright::plan
