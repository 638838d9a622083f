// A profile as JSON text: complete, without `extends`, always the same for the same value. It loads back to that value,
// given the same atoms; its hash can name the device in keys of caches.
#pragma once

#include <string>

#include "target/device_profile.h"

namespace tilewright::target {

std::string print_profile(const DeviceProfile& device);

}  // namespace tilewright::target
