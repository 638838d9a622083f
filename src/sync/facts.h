// What became of the fences of a program: known only after the passes, reported beside the plan, decided by nobody
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/verdict.h"

namespace tilewright::sync {

enum class FenceFate : std::uint8_t {
  Kept,
  Coalesced,  ///< fence.redundant was proved
  Elided,     ///< subgroups.independent was proved, and the request asked for it
};
std::string_view fence_fate_name(FenceFate fate);  ///< "kept", "coalesced", "elided"

struct FenceFact {
  std::uint32_t identity = 0;
  bool by_user = false;  ///< the author asked for it: it stays
  FenceFate fate{};
  std::optional<proof::Finding> redundant;  ///< where the question was asked
};

struct KernelFences {
  std::string kernel;
  std::int64_t sites_before = 0, sites_after = 0;       ///< places in the text, not how often they are passed
  std::vector<FenceFact> fences;                        ///< of sites_before, in the order of the text
  std::optional<proof::Finding> independent_subgroups;  ///< of kernels with more than one worker
};

/// One a kernel, in order.
using FenceFacts = std::vector<KernelFences>;

}  // namespace tilewright::sync
