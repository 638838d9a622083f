// Cost policies: the one interface through which measured or device-specific coefficients replace the priors.
#pragma once

#include <string_view>

#include "plan/cost_priors.h"
#include "plan/limits.h"
#include "support/result.h"

namespace tilewright::plan {

/// What a planning call asks for.
struct CostQuestion {
  std::string_view basis;  ///< name of the basis that will use the answer
  Limits limits;
};

class CostPolicy {
 public:
  virtual ~CostPolicy() = default;
  /// The coefficients of this planning call. Consulted exactly once a call (a search over captures is one call);
  /// `prior` is what the caller gave. The answer is validated like a prior.
  virtual Result<CostPriors> coefficients(const CostPriors& prior, const CostQuestion& question) const = 0;
};

}  // namespace tilewright::plan
