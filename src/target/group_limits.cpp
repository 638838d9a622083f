#include "target/group_limits.h"

#include <fmt/format.h>

#include "support/checked_math.h"

namespace tilewright::target {

std::string_view group_rule_name(GroupRule rule) { return rule == GroupRule::Workers ? "workers" : "shared_memory"; }

std::int64_t max_group_workers(const DeviceProfile& device) {
  return device.limits.max_threads_per_group ? device.limits.max_threads_per_group->value : 1;
}

std::int64_t max_group_shared_bytes(const DeviceProfile& device) {
  return device.limits.shared_memory_bytes ? device.limits.shared_memory_bytes->value : 0;
}

std::optional<std::int64_t> charged_shared_bytes(const DeviceProfile& device, std::int64_t bytes) {
  if (bytes < 0) return std::nullopt;
  const auto& granule = device.limits.shared_memory_granule_bytes;
  if (!granule || bytes % granule->value == 0) return bytes;
  return checked_add(bytes, granule->value - bytes % granule->value);
}

std::optional<GroupRefusal> why_group_illegal(const DeviceProfile& device, std::int64_t workers,
                                              std::int64_t shared_bytes) {
  const std::int64_t most = max_group_workers(device);
  if (workers < 1 || workers > most)
    return GroupRefusal{GroupRule::Workers,
                        fmt::format("a group of {} workers: {} takes 1 to {}", workers, device.name, most),
                        {{"workers", workers}, {"max_threads_per_group", most}}};
  const std::int64_t limit = max_group_shared_bytes(device);
  const auto charged = charged_shared_bytes(device, shared_bytes);
  if (charged && *charged <= limit) return std::nullopt;
  return GroupRefusal{GroupRule::SharedMemory,
                      fmt::format("a group with {} bytes of shared memory{}: {} has {}", shared_bytes,
                                  charged && *charged != shared_bytes ? fmt::format(" ({} rounded up)", *charged) : "",
                                  device.name, limit),
                      {{"shared_bytes", shared_bytes}, {"shared_memory_bytes", limit}}};
}

}  // namespace tilewright::target
