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
const char* participants_name(Participants participants);  ///< "subgroup", "group"
const char* worker_query_name(WorkerQuery query);
const char* subgroup_reduce_name(LaneFold kind);  ///< "subgroup_add", ..
const char* shuffle_name(ShuffleKind kind);
const char* fragment_axis_name(FragmentAxis axis);
const char* ring_action_name(RingAction action);
const char* fence_origin_name(FenceOrigin origin);
/// "f32" for a scalar, "f32x16" for a vector, "f32.8x8" for a fragment, "token".
std::string type_name(ValueType type);

std::optional<UnaryKind> unary_from_name(std::string_view name);
std::optional<BinaryKind> binary_from_name(std::string_view name);
std::optional<CompareKind> compare_from_name(std::string_view name);
std::optional<LaneFold> fold_from_name(std::string_view name);
std::optional<Access> access_from_name(std::string_view name);
std::optional<AllocationSpace> space_from_name(std::string_view name);
std::optional<ScalarType> scalar_from_name(std::string_view name);
std::optional<Participants> participants_from_name(std::string_view name);
std::optional<WorkerQuery> worker_query_from_name(std::string_view name);
std::optional<LaneFold> subgroup_reduce_from_name(std::string_view name);
std::optional<ShuffleKind> shuffle_from_name(std::string_view name);
std::optional<FragmentAxis> fragment_axis_from_name(std::string_view name);
std::optional<RingAction> ring_action_from_name(std::string_view name);
std::optional<FenceOrigin> fence_origin_from_name(std::string_view name);
/// Nothing when the word is no type; lanes outside 2..64 and fragment extents outside 1..kMaxFragmentExtent are no
/// type.
std::optional<ValueType> type_from_name(std::string_view name);

}  // namespace tilewright::kernel
