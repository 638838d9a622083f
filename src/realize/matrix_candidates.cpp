#include "realize/matrix_candidates.h"

#include "support/check.h"

namespace tilewright::realize {

namespace {

MatrixDistribution with_accumulator(MatrixDistribution distribution, const MatrixWorkload& workload,
                                    const CandidateRequest& request) {
  distribution.persistent_accumulator = workload.has_recurrence() && request.retain_accumulators;
  distribution.direct_accumulator_store =
      distribution.persistent_accumulator && workload.has_direct_output && request.direct_accumulator_store;
  return distribution;
}

MatrixCandidate judged_candidate(const MatrixDistribution& distribution, const MatrixWorkload& workload,
                                 const CandidateRequest& request) {
  return {distribution, why_illegal(workload, distribution, request.group, request.max_fragment_scalars_per_lane)};
}

}  // namespace

std::vector<std::int64_t> divisors(std::int64_t value) {
  TW_CHECK(value >= 1);
  std::vector<std::int64_t> low, high;
  for (std::int64_t d = 1; d <= value / d; ++d) {
    if (value % d != 0) continue;
    low.push_back(d);
    if (d != value / d) high.push_back(value / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

std::vector<MatrixCandidate> matrix_candidates(const MatrixWorkload& workload, const CandidateRequest& request) {
  MatrixDistribution distribution;
  distribution.family = workload.family;
  std::vector<MatrixCandidate> candidates{judged_candidate(distribution, workload, request)};
  const std::int64_t subgroups = request.group.threads / kSubgroupSize;
  if (subgroups < 1 || request.group.threads % kSubgroupSize != 0) return candidates;
  for (const std::int64_t gm : divisors(subgroups)) {
    distribution.subgroups_m = gm;
    distribution.subgroups_n = subgroups / gm;
    distribution.atom_rows = workload.atom_rows() / gm;
    distribution.atom_columns = workload.atom_columns() / distribution.subgroups_n;
    candidates.push_back(judged_candidate(with_accumulator(distribution, workload, request), workload, request));
  }
  return candidates;
}

MatrixCandidate collective_candidate(const MatrixWorkload& workload, const CandidateRequest& request) {
  MatrixDistribution distribution{.family = workload.family,
                                  .scope = OperationScope::Group,
                                  .subgroups_m = 1,
                                  .subgroups_n = 1,
                                  .atom_rows = workload.atom_rows(),
                                  .atom_columns = workload.atom_columns()};
  return judged_candidate(with_accumulator(distribution, workload, request), workload, request);
}

}  // namespace tilewright::realize
