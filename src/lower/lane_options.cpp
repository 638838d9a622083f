#include "lower/lane_options.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace tilewright::lower {

LaneOptions lane_options_for(const target::HostFacts& host) {
  const std::string listed = "," + host.features + ",";
  const auto has = [&](std::initializer_list<std::string_view> features) {
    return std::ranges::all_of(features, [&](std::string_view feature) {
      return listed.find(",+" + std::string(feature) + ",") != std::string::npos;
    });
  };
  // Masks of elements of one and two bytes need BW, of vectors below 512 bits VL.
  if (has({"avx512f", "avx512bw", "avx512dq", "avx512vl"})) return {.lanes = 16, .masks = true, .registers = 32};
  if (has({"avx2", "fma"})) return {.lanes = 8, .masks = false, .registers = 16};
  return {.lanes = 4, .masks = false, .registers = static_cast<std::uint16_t>(has({"neon"}) ? 32 : 16)};
}

const char* refusal_text(LaneRefusal refusal) {
  switch (refusal) {
    case LaneRefusal::None:
      return "computed in lanes";
    case LaneRefusal::NoLanes:
      return "the target has no vectors";
    case LaneRefusal::TooShort:
      return "the axis is shorter than a vector";
    case LaneRefusal::Strided:
      return "elements do not lie side by side along the axis";
    case LaneRefusal::NotLinear:
      return "an index is not a sum of axes with constant factors";
    case LaneRefusal::TestedAlone:
      return "every element of an access is tested for itself";
    case LaneRefusal::Gathered:
      return "a gather takes each element from a place of its own";
    case LaneRefusal::OtherOperation:
      return "a value is no element-wise operation";
    case LaneRefusal::FixedOrder:
      return "a fold has an order";
  }
  return "";
}

}  // namespace tilewright::lower
