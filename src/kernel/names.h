// The words of the kernel text, one for each enumerator, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel/program.h"

namespace tilewright::kernel {

const char* unary_name(UnaryKind kind);
const char* binary_name(BinaryKind kind);
const char* compare_name(CompareKind kind);
const char* fold_name(LaneFold kind);
const char* access_name(Access access);
const char* space_name(AllocationSpace space);
/// "f32" for a scalar, "f32x16" for a vector.
std::string type_name(ValueType type);

std::optional<UnaryKind> unary_from_name(std::string_view name);
std::optional<BinaryKind> binary_from_name(std::string_view name);
std::optional<CompareKind> compare_from_name(std::string_view name);
std::optional<LaneFold> fold_from_name(std::string_view name);
std::optional<Access> access_from_name(std::string_view name);
std::optional<AllocationSpace> space_from_name(std::string_view name);
std::optional<ScalarType> scalar_from_name(std::string_view name);
/// Nothing when the word is no type; lanes outside 2..64 are no type.
std::optional<ValueType> type_from_name(std::string_view name);

}  // namespace tilewright::kernel
