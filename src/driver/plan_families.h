// Atom families side by side: what each of them would make of one program, priced in its own basis.
//
// Scores of two bases are numbers of two scales and are never compared: which family a program gets is the target that
// the caller names, or the default one; only a measurement could rank them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/compile.h>
#include <tilewright/plan.h>

namespace tilewright::driver {

struct PlanReport;

struct FamilyLaunch {
  std::string mapping;  ///< "cooperative", "scalar", ..
  std::int64_t threads = 0;
  std::int64_t shared_memory_bytes = 0;
  std::string cost_basis;  ///< "none": no price
  std::optional<double> kernel_score;
};

struct FamilyPlan {
  std::string family;  ///< "metal.mpp", "metal.simdgroup8x8", "scalar"
  std::string target;  ///< that takes it
  bool taken = false;  ///< the report is about this one
  Bindings bindings;   ///< each family chooses the open parameters for itself
  std::vector<FamilyLaunch> launches;
  std::string refusal;  ///< why there is no plan; empty where there is one

  /// Of all launches, which run one after the other; none when one of them has no price.
  std::optional<double> kernel_score() const;
};

/// For a program with matrix operations on a Metal target, in the order metal.mpp, metal.simdgroup8x8, scalar; nothing
/// for any other. `report` is of the target that was asked for; what it already has is not planned again.
std::vector<FamilyPlan> families_beside(const Program& program, const Bindings& bindings, const PlanOptions& options,
                                        const PlanReport& report);

}  // namespace tilewright::driver
