// The three languages of devices.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewright::target {

enum class DeviceKind : std::uint8_t { Metal, Cpu, Cuda };
inline constexpr std::array<std::string_view, 3> kDeviceKindNames = {"metal", "cpu", "cuda"};

constexpr std::string_view device_kind_name(DeviceKind kind) {
  return kDeviceKindNames[static_cast<std::size_t>(kind)];
}

}  // namespace tilewright::target
