// Matrix candidates: every map of a matrix workload onto a group of one width, legal or with the constraint it breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "realize/matrix_distribution.h"
#include "realize/matrix_refusal.h"
#include "realize/matrix_workload.h"

namespace tilewright::realize {

struct CandidateRequest {
  GroupShape group;
  std::int64_t max_fragment_scalars_per_lane = 64;
  bool retain_accumulators = true;       ///< rectangles keep the accumulator where a recurrence is proved
  bool direct_accumulator_store = true;  ///< and store it straight to the output where that is proved
};

struct MatrixCandidate {
  MatrixDistribution distribution;
  std::optional<MatrixRefusal> refusal;
};

/// Positive divisors, ascending; in the time of the square root. Premise: value >= 1.
std::vector<std::int64_t> divisors(std::int64_t value);

/// One atom at a time first, then one rectangle for each divisor gm of G, ascending. What a rectangle does with its
/// accumulator is not enumerated: it keeps it as long as the request and the facts of the workload allow. Where gm or
/// gn divides no side, atom_rows or atom_columns are the rounded quotient, and the candidate is refused for coverage. A
/// width that is no number of complete subgroups has the first candidate alone, refused. Premise: the workload is
/// valid.
std::vector<MatrixCandidate> matrix_candidates(const MatrixWorkload& workload, const CandidateRequest& request);

/// The operation of the whole group, with its accumulator as above.
MatrixCandidate collective_candidate(const MatrixWorkload& workload, const CandidateRequest& request);

}  // namespace tilewright::realize
