// Group workloads: everything that the solver knows about one group program.
#pragma once

#include <cstdint>
#include <vector>

#include "realize/matrix_workload.h"
#include "support/result.h"

namespace tilewright::plan {

struct GroupWorkload {
  std::int64_t programs = 1;                      ///< groups of the launch; at least 0
  std::int64_t independent_elements = 0;          ///< scalar elements of a program, all matrices' subsets included
  std::int64_t max_independent_elements = 1;      ///< of the widest elementwise domain; at least 1
  std::int64_t shared_memory_bytes = 0;           ///< of the reference realization: all allocations, C and D included
  std::vector<realize::MatrixWorkload> matrices;  ///< in program order, all of one family
  std::int64_t max_collective_outputs = 0;        ///< outputs of the widest reduction that takes a subgroup each
  bool operator==(const GroupWorkload&) const = default;
};

/// Every fault of the matrices (realize::validate), and of the group: GroupCount (a count that is negative or too
/// small), GroupFamilies (matrices of two families), GroupElements (the subsets of the matrices exceed
/// independent_elements; compared by subtraction, so nothing overflows), GroupStorage (the matrices could release more
/// than shared_memory_bytes).
Result<void> validate(const GroupWorkload& workload);

}  // namespace tilewright::plan
