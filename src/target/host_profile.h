// Completes the profile of a processor with what was found on the running machine.
#pragma once

#include "target/device_profile.h"
#include "target/host_facts.h"

namespace tilewright::target {

/// A profile of kind Cpu that names no processor stands for the machine it is used on.
bool is_host_template(const DeviceProfile& device);

/// The template with processor, features, cores, and, where the features tell them, vector_bytes and vector_registers
/// (x86: AVX-512 has 32 registers of 64 bytes, AVX 16 of 32, SSE2 16 of 16; Arm: NEON 32 of 16). What the profile says
/// itself stays; what cannot be told stays absent. Every other profile is returned as it is.
DeviceProfile complete_for_host(DeviceProfile device, const HostFacts& host);

}  // namespace tilewright::target
