// Device profiles by name or path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"
#include "target/device_profile.h"
#include "target/host_facts.h"

namespace tilewright::driver {

/// A profile file is small; a larger one is refused unread.
inline constexpr std::uint64_t kProfileLimitBytes = std::uint64_t{1} << 20;

/// The names of the installed profiles, sorted. UnknownProfile when their folder is not found.
Result<std::vector<std::string>> profile_names();

/// A path (something with a '/' or that ends in .json) or the bare name of an installed profile. What a file extends,
/// and the atoms, are the installed ones. A profile of a processor that names none is completed from the running
/// machine. UnknownProfile with what was probably meant; FileRead; the errors of target/profile_loader.h.
Result<target::DeviceProfile> device_profile(const std::string& path_or_name);
/// The same, on a machine with these facts.
Result<target::DeviceProfile> device_profile(const std::string& path_or_name, const target::HostFacts& host);

}  // namespace tilewright::driver
