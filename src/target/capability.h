// What a device and its toolchain can do beyond plain programs: separate switches, each with a version.
//
// Version n promises all that version n - 1 promises. What each version means is in docs/targets.md; the bounded_*
// capabilities and element_epilogue are those of seed 1 ("Bounded K views", "Bounded M/N views", "Output bounds",
// "Scalar epilogues").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "target/device_kind.h"

namespace tilewright::target {

enum class Capability : std::uint8_t {
  CooperativeMatrix,  ///< 8x8 matrices of a subgroup, with element access
  MetalMpp,           ///< tensor operations of Metal Performance Primitives; from version 2 also in overwriting mode
  BoundedK,           ///< K of the operands may be cut to what lies inside the object
  BoundedMnk,         ///< M and N too, down to nothing
  BoundedStore,       ///< results may be stored to a prefix of their rows and columns
  ElementEpilogue,    ///< elements of a result can be read and written where they are; 2: beside memory
  DirectMpp,          ///< an mma of a program may be one tensor operation over a whole tile in shared memory
  WarpgroupMma,       ///< asynchronous products of four subgroups
};

struct CapabilityInfo {
  std::string_view name;
  DeviceKind kind{};               ///< only devices of this kind can have it
  std::int64_t latest = 1;         ///< the greatest version that is defined
  std::optional<Capability> base;  ///< what it is built on
  std::int64_t base_version = 0;
};

inline constexpr std::array<CapabilityInfo, 8> kCapabilities = {{
    {"cooperative_matrix", DeviceKind::Metal, 1, std::nullopt, 0},
    {"metal_mpp", DeviceKind::Metal, 2, std::nullopt, 0},
    {"bounded_k", DeviceKind::Metal, 1, Capability::MetalMpp, 2},
    {"bounded_mnk", DeviceKind::Metal, 1, Capability::BoundedK, 1},
    {"bounded_store", DeviceKind::Metal, 1, Capability::MetalMpp, 2},
    {"element_epilogue", DeviceKind::Metal, 2, Capability::MetalMpp, 2},
    {"direct_mpp", DeviceKind::Metal, 1, Capability::MetalMpp, 2},
    {"warpgroup_mma", DeviceKind::Cuda, 1, std::nullopt, 0},
}};

constexpr const CapabilityInfo& capability_info(Capability capability) {
  return kCapabilities[static_cast<std::size_t>(capability)];
}
constexpr std::string_view capability_name(Capability capability) { return capability_info(capability).name; }

}  // namespace tilewright::target
