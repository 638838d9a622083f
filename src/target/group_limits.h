// Whether a group fits a device, with the limit and the numbers when it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/named_number.h"
#include "target/device_profile.h"

namespace tilewright::target {

enum class GroupRule : std::uint8_t { Workers, SharedMemory };
/// "workers", "shared_memory".
std::string_view group_rule_name(GroupRule rule);

struct GroupRefusal {
  GroupRule rule{};
  std::string reason;                ///< the limit and the numbers in words
  std::vector<NamedNumber> numbers;  ///< the same numbers as data
  bool operator==(const GroupRefusal&) const = default;
};

/// Workers that a group may have. A device of kind Cpu has groups of one worker.
std::int64_t max_group_workers(const DeviceProfile& device);
/// Bytes that a group may have; 0 for a device without a shared memory.
std::int64_t max_group_shared_bytes(const DeviceProfile& device);
/// What `bytes` of shared memory are charged: rounded up to the granule (16 bytes on Metal, the documentation of
/// setThreadgroupMemoryLength). Nothing for a negative number and when the sum does not fit 64 bits.
std::optional<std::int64_t> charged_shared_bytes(const DeviceProfile& device, std::int64_t bytes);

/// A group of `workers` with `shared_bytes` of shared memory. The limits are those of the device; one kernel may have a
/// smaller limit of its own (Hazard::PipelineLimitBelowDevice).
std::optional<GroupRefusal> why_group_illegal(const DeviceProfile& device, std::int64_t workers,
                                              std::int64_t shared_bytes);

}  // namespace tilewright::target
