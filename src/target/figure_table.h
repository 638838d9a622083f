// The numbers of a profile by name: what files may say, in which range, and where it is kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "target/device_profile.h"

namespace tilewright::target {

enum class FigureSection : std::uint8_t { Limits, Figures };
inline constexpr std::array<std::string_view, 2> kFigureSectionNames = {"limits", "figures"};

struct FigureInfo {
  std::string_view name;
  FigureSection section{};
  std::int64_t least = 1, greatest = 1;
  std::optional<Figure> DeviceLimits::* limit = nullptr;
  std::optional<Figure> DeviceFigures::* figure = nullptr;

  std::optional<Figure>& of(DeviceProfile& device) const {
    return section == FigureSection::Limits ? device.limits.*limit : device.figures.*figure;
  }
  const std::optional<Figure>& of(const DeviceProfile& device) const {
    return section == FigureSection::Limits ? device.limits.*limit : device.figures.*figure;
  }
};

/// Every figure once, in the order of the structs.
std::span<const FigureInfo> figure_table();

}  // namespace tilewright::target
