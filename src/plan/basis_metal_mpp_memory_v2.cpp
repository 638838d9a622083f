// Basis metal_mpp_memory_v2, kept for comparison: K is nominal, and elements that the realization removes stay priced
// (background 3.5).
#include "plan/basis_metal_mpp.h"

namespace tilewright::plan {

namespace {

OperationCost operation_v2(const realize::MatrixWorkload& workload, const realize::MatrixDistribution& distribution,
                           std::int64_t subgroups, const CostPriors& priors) {
  return mpp_operation({.physical_contraction = false, .elides_elements = false}, kMppTermsWithoutEdges, workload,
                       distribution, subgroups, priors);
}

}  // namespace

constexpr CostBasis kMetalMppMemoryV2{
    .name = "metal_mpp_memory_v2",
    .family = realize::AtomFamily::MetalMpp,
    .terms = kMppTermsWithoutEdges,
    .elements = kMppElements,
    .setup = kMppSetup,
    .operation = operation_v2,
    .program_score = mpp_program_score,
    .waves = mpp_waves,
};

}  // namespace tilewright::plan
