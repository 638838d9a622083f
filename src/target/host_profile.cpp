#include "target/host_profile.h"

#include <string>
#include <string_view>
#include <utility>

namespace tilewright::target {

namespace {

struct VectorUnit {
  std::string_view feature;
  std::int64_t bytes = 0, registers = 0;
};
// The widest first.
constexpr VectorUnit kVectorUnits[] = {{"avx512f", 64, 32}, {"avx", 32, 16}, {"sse2", 16, 16}, {"neon", 16, 32}};

bool has_feature(std::string_view features, std::string_view name) {
  while (!features.empty()) {
    const std::string_view word = features.substr(0, features.find(','));
    if (word.starts_with('+') && word.substr(1) == name) return true;
    features.remove_prefix(word.size() == features.size() ? word.size() : word.size() + 1);
  }
  return false;
}

void fill(std::optional<Figure>& figure, std::int64_t value, std::string source) {
  if (!figure) figure = Figure{value, Evidence::Detected, std::move(source)};
}

}  // namespace

bool is_host_template(const DeviceProfile& device) {
  return device.kind == DeviceKind::Cpu && device.processor.empty() && device.features.empty();
}

DeviceProfile complete_for_host(DeviceProfile device, const HostFacts& host) {
  if (!is_host_template(device)) return device;
  device.processor = host.name;
  device.features = host.features;
  if (host.cores >= 1) fill(device.figures.cores, host.cores, "processors that this process may use");
  if (host.l1_bytes > 0) fill(device.figures.l1_data_cache_bytes, host.l1_bytes, "what the system says");
  if (host.l2_bytes > 0) fill(device.figures.l2_cache_bytes, host.l2_bytes, "what the system says");
  for (const VectorUnit& unit : kVectorUnits) {
    if (!has_feature(host.features, unit.feature)) continue;
    const std::string source = "the processor has " + std::string(unit.feature);
    fill(device.figures.vector_bytes, unit.bytes, source);
    fill(device.figures.vector_registers, unit.registers, source);
    break;
  }
  return device;
}

}  // namespace tilewright::target
