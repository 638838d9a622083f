// How the manifest of a kit spells its enumerators, in their order.
#pragma once

#include <array>
#include <string_view>

#include <tilewright/types.h>

namespace tilewright::driver {

inline constexpr std::array<std::string_view, 5> kKitRoles = {"input", "output", "inout", "temporary", "scalar"};
inline constexpr std::array<std::string_view, 3> kKitAccesses = {"read", "write", "readwrite"};
inline constexpr std::array<std::string_view, 3> kKitParts = {"kernel", "data", "host"};
/// What buffers can hold.
inline constexpr std::array<DataType, 5> kKitTypes = {DataType::F32, DataType::F16, DataType::BF16, DataType::I32,
                                                      DataType::Bool};
/// What the text counts on: MTLMathModeSafe, MTLMathFloatingPointFunctionsPrecise.
inline constexpr std::string_view kKitMathMode = "safe", kKitMathFunctions = "precise";

}  // namespace tilewright::driver
