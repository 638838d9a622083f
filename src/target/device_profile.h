// What is known about one device: limits, figures, capabilities, atoms, hazards.
//
// A profile is data (profiles/*.json, docs/targets.md). Limits decide what is legal; figures steer cost models and
// never legality. What is not known is absent. Code that needs an absent fact says so; it never makes one up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/atom.h"
#include "target/capability.h"
#include "target/device_kind.h"
#include "target/figure.h"
#include "target/hazard.h"

namespace tilewright::target {

/// Hard limits. A device of kind Metal or Cuda has the first three; one of kind Cpu none: its group is one worker.
struct DeviceLimits {
  std::optional<Figure> subgroup_size;
  std::optional<Figure> max_threads_per_group;
  std::optional<Figure> shared_memory_bytes;          ///< of one group
  std::optional<Figure> shared_memory_granule_bytes;  ///< lengths that the host sets are multiples of this
  std::optional<Figure> shared_memory_plain_bytes;    ///< of a group whose kernel does not ask for more than that
  std::optional<Figure> max_groups_x;                 ///< of one launch
  std::optional<Figure> max_groups_yz;                ///< of one launch, each of the two
  std::optional<Figure> max_buffers;                  ///< of one kernel
  std::optional<Figure> max_inline_bytes;             ///< arguments passed by value
  std::optional<Figure> registers_per_group;          ///< 32-bit registers
  bool operator==(const DeviceLimits&) const = default;
};

/// For cost models and reports. Rates are peaks unless the name says measured.
struct DeviceFigures {
  std::optional<Figure> cores;  ///< GPU cores, SMs, processors
  std::optional<Figure> apple_gpu_family;
  std::optional<Figure> clock_mhz;
  std::optional<Figure> concurrent_subgroups;  ///< that fill the device: the size of a wave
  std::optional<Figure> fp32_flops_per_core_cycle;
  std::optional<Figure> fp32_gflops;
  std::optional<Figure> fp32_measured_gflops;
  std::optional<Figure> matrix_f16_flops_per_core_cycle;  ///< of dedicated matrix units
  std::optional<Figure> matrix_f16_gflops;
  std::optional<Figure> matrix_i8_ops_per_core_cycle;
  std::optional<Figure> matrix_i8_gops;
  std::optional<Figure> matrix_8x8_f32_cycles;  ///< of a core for one 8x8x8 step of a subgroup
  std::optional<Figure> matrix_8x8_f32_latency_cycles;
  std::optional<Figure> matrix_8x8_f16_cycles;
  std::optional<Figure> matrix_8x8_f16_latency_cycles;
  std::optional<Figure> memory_bandwidth_mb_per_s;  ///< 10^6 bytes per second
  std::optional<Figure> memory_measured_mb_per_s;
  std::optional<Figure> last_level_cache_bytes;
  std::optional<Figure> last_level_cache_measured_mb_per_s;
  std::optional<Figure> l2_cache_bytes;
  std::optional<Figure> l2_bytes_per_core_cycle;
  std::optional<Figure> l1_data_cache_bytes;
  std::optional<Figure> instruction_cache_bytes;
  std::optional<Figure> cache_line_bytes;
  std::optional<Figure> register_file_bytes_per_core;
  std::optional<Figure> registers_per_worker;  ///< 32-bit registers
  std::optional<Figure> workers_per_core;      ///< the most that can be resident
  std::optional<Figure> shared_memory_bytes_per_core;
  std::optional<Figure> shared_memory_banks;
  std::optional<Figure> shared_memory_bank_bytes;
  std::optional<Figure> vector_bytes;
  std::optional<Figure> vector_registers;
  std::optional<Figure> launch_ns;  ///< of a tiny launch that waits for the one before
  std::optional<Figure> timestamp_mhz;
  bool operator==(const DeviceFigures&) const = default;
};

struct CapabilityFact {
  std::int64_t version = 1;
  std::string source;
  bool operator==(const CapabilityFact&) const = default;
};

struct HazardFact {
  std::string explanation;
  std::string source;
  bool operator==(const HazardFact&) const = default;
};

/// Of the Metal shading language, for example 4.0.
struct LanguageVersion {
  std::int64_t major = 0, minor = 0;
  std::string source;
  bool operator==(const LanguageVersion&) const = default;
};

struct DeviceProfile {
  std::string name;
  DeviceKind kind{};
  std::string description;
  DeviceLimits limits;
  DeviceFigures figures;
  std::map<Capability, CapabilityFact> capabilities;
  std::map<Hazard, HazardFact> hazards;  ///< that the device has
  std::vector<AtomDescriptor> atoms;     ///< in the order of the profile
  std::optional<LanguageVersion> msl_version;
  std::string processor;  ///< of kind Cpu: LLVM's name, empty when not known
  std::string features;   ///< of kind Cpu: as in HostFacts

  bool operator==(const DeviceProfile&) const = default;
};

/// The version that the device has; 0: none.
std::int64_t capability_version(const DeviceProfile& device, Capability capability);
inline bool has_capability(const DeviceProfile& device, Capability capability, std::int64_t version = 1) {
  return capability_version(device, capability) >= version;
}
inline bool has_hazard(const DeviceProfile& device, Hazard hazard) { return device.hazards.contains(hazard); }
/// The listed atom of that name, or nothing.
const AtomDescriptor* find_atom(const DeviceProfile& device, std::string_view name);

}  // namespace tilewright::target
