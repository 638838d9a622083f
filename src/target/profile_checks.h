// What the facts of one profile must agree on. Internal to the loader.
#pragma once

#include <string>

#include "support/result.h"
#include "target/device_profile.h"

namespace tilewright::target {

/// Appends a fault for each disagreement. MissingField: a limit that the kind of device must have. ProfileConflict: a
/// fact that another kind of device has, an atom or capability whose needs are not met.
void check_profile(const DeviceProfile& device, const std::string& file, Diags& faults);

}  // namespace tilewright::target
