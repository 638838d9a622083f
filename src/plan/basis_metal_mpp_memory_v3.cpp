// Basis metal_mpp_memory_v3, the default of metal.mpp: the mean physical K, and only elements that remain (seed 1,
// "Metal MPP memory v3 basis" and "Realization-derived work, before candidate pruning").
#include "plan/basis_metal_mpp.h"

namespace tilewright::plan {

namespace {

OperationCost operation_v3(const realize::MatrixWorkload& workload, const realize::MatrixDistribution& distribution,
                           std::int64_t subgroups, const CostPriors& priors) {
  return mpp_operation({}, kMppTermsWithoutEdges, workload, distribution, subgroups, priors);
}

}  // namespace

constexpr CostBasis kMetalMppMemoryV3{
    .name = "metal_mpp_memory_v3",
    .family = realize::AtomFamily::MetalMpp,
    .terms = kMppTermsWithoutEdges,
    .elements = kMppElements,
    .setup = kMppSetup,
    .operation = operation_v3,
    .program_score = mpp_program_score,
    .waves = mpp_waves,
};

}  // namespace tilewright::plan
