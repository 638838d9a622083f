// What the planner asks of a target: the limits of a group.
#pragma once

#include <cstdint>

namespace tilewright::plan {

struct Limits {
  std::int64_t max_threads = 256;        ///< workers of a group; at least 1
  std::int64_t subgroup_size = 32;       ///< no other is accepted
  std::int64_t shared_memory_bytes = 0;  ///< of a group; to be filled in from the target
  /// Shared storage is claimed in multiples of this; rounded up before it is compared with the limit.
  std::int64_t shared_granule_bytes = 1;
  bool operator==(const Limits&) const = default;
};

}  // namespace tilewright::plan
