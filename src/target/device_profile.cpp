#include "target/device_profile.h"

#include <algorithm>

namespace tilewright::target {

std::int64_t capability_version(const DeviceProfile& device, Capability capability) {
  const auto at = device.capabilities.find(capability);
  return at == device.capabilities.end() ? 0 : at->second.version;
}

const AtomDescriptor* find_atom(const DeviceProfile& device, std::string_view name) {
  const auto at =
      std::find_if(device.atoms.begin(), device.atoms.end(), [&](const AtomDescriptor& a) { return a.name == name; });
  return at == device.atoms.end() ? nullptr : &*at;
}

}  // namespace tilewright::target
