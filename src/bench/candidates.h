// The mappings of a problem that the planner considered, each to be compiled and timed beside its choice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/library.h"

namespace tilewright::bench {

/// What there is to compile, each with a name and a plan text or settings; or why there is nothing.
struct CandidateList {
  std::vector<CandidateSettings> candidates;
  std::string note;  ///< when there are none
};

using CandidateLister = std::function<CandidateList(const Problem&)>;

/// Those of the planner for this processor.
CandidateList planner_candidates(const Problem& problem);

}  // namespace tilewright::bench
