#include "kernel/names.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "support/check.h"

namespace tilewright::kernel {

namespace {

// In the order of the enumerators: the position is the value.
constexpr std::array<const char*, 6> kScalars = {"i1", "i32", "i64", "f16", "bf16", "f32"};
constexpr std::array<const char*, 10> kUnaries = {"neg",  "not",  "abs", "exp", "log",
                                                  "sqrt", "tanh", "sin", "cos", "floor"};
constexpr std::array<const char*, 14> kBinaries = {"add", "sub", "mul", "div", "fmod", "floordiv", "floormod",
                                                   "max", "min", "and", "or",  "xor",  "shl",      "shr"};
constexpr std::array<const char*, 6> kCompares = {"lt", "le", "gt", "ge", "eq", "ne"};
constexpr std::array<const char*, 3> kFolds = {"fold_add", "fold_max", "fold_min"};
constexpr std::array<const char*, 3> kAccesses = {"read", "write", "readwrite"};
constexpr std::array<const char*, 2> kSpaces = {"private", "shared"};

constexpr std::array<const char*, 2> kParticipants = {"subgroup", "group"};
constexpr std::array<const char*, 3> kWorkerQueries = {"worker", "lane", "subgroup"};
constexpr std::array<const char*, 3> kSubgroupReduces = {"subgroup_add", "subgroup_max", "subgroup_min"};
constexpr std::array<const char*, 3> kShuffles = {"shuffle_xor", "shuffle_down", "shuffle_index"};
constexpr std::array<const char*, 2> kFragmentAxes = {"fragment_row", "fragment_column"};
constexpr std::array<const char*, 4> kRingActions = {"ring_acquire", "ring_commit", "ring_await", "ring_release"};
constexpr std::array<const char*, 2> kFenceOrigins = {"compiler", "user"};
constexpr std::string_view kTokenType = "token";

template <class Enum, std::size_t N>
const char* name_in(const std::array<const char*, N>& names, Enum value) {
  const auto position = static_cast<std::size_t>(value);
  TW_CHECK(position < N);
  return names[position];
}

template <class Enum, std::size_t N>
std::optional<Enum> value_in(const std::array<const char*, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

const char* scalar_name(ScalarType type) { return name_in(kScalars, type); }
const char* unary_name(UnaryKind kind) { return name_in(kUnaries, kind); }
const char* binary_name(BinaryKind kind) { return name_in(kBinaries, kind); }
const char* compare_name(CompareKind kind) { return name_in(kCompares, kind); }
const char* fold_name(LaneFold kind) { return name_in(kFolds, kind); }
const char* access_name(Access access) { return name_in(kAccesses, access); }
const char* space_name(AllocationSpace space) { return name_in(kSpaces, space); }

const char* participants_name(Participants participants) { return name_in(kParticipants, participants); }
const char* worker_query_name(WorkerQuery query) { return name_in(kWorkerQueries, query); }
const char* subgroup_reduce_name(LaneFold kind) { return name_in(kSubgroupReduces, kind); }
const char* shuffle_name(ShuffleKind kind) { return name_in(kShuffles, kind); }
const char* fragment_axis_name(FragmentAxis axis) { return name_in(kFragmentAxes, axis); }
const char* ring_action_name(RingAction action) { return name_in(kRingActions, action); }
const char* fence_origin_name(FenceOrigin origin) { return name_in(kFenceOrigins, origin); }

std::string type_name(ValueType type) {
  if (type.kind == ValueKind::Token) return std::string(kTokenType);
  if (type.is_fragment()) return fmt::format("{}.{}x{}", scalar_name(type.scalar), type.rows, type.columns);
  if (type.lanes == 1) return scalar_name(type.scalar);
  return fmt::format("{}x{}", scalar_name(type.scalar), type.lanes);
}

std::optional<UnaryKind> unary_from_name(std::string_view name) { return value_in<UnaryKind>(kUnaries, name); }
std::optional<BinaryKind> binary_from_name(std::string_view name) { return value_in<BinaryKind>(kBinaries, name); }
std::optional<CompareKind> compare_from_name(std::string_view name) { return value_in<CompareKind>(kCompares, name); }
std::optional<LaneFold> fold_from_name(std::string_view name) { return value_in<LaneFold>(kFolds, name); }
std::optional<Access> access_from_name(std::string_view name) { return value_in<Access>(kAccesses, name); }
std::optional<AllocationSpace> space_from_name(std::string_view name) {
  return value_in<AllocationSpace>(kSpaces, name);
}
std::optional<ScalarType> scalar_from_name(std::string_view name) { return value_in<ScalarType>(kScalars, name); }

std::optional<Participants> participants_from_name(std::string_view name) {
  return value_in<Participants>(kParticipants, name);
}
std::optional<WorkerQuery> worker_query_from_name(std::string_view name) {
  return value_in<WorkerQuery>(kWorkerQueries, name);
}
std::optional<LaneFold> subgroup_reduce_from_name(std::string_view name) {
  return value_in<LaneFold>(kSubgroupReduces, name);
}
std::optional<ShuffleKind> shuffle_from_name(std::string_view name) { return value_in<ShuffleKind>(kShuffles, name); }
std::optional<FragmentAxis> fragment_axis_from_name(std::string_view name) {
  return value_in<FragmentAxis>(kFragmentAxes, name);
}
std::optional<RingAction> ring_action_from_name(std::string_view name) {
  return value_in<RingAction>(kRingActions, name);
}
std::optional<FenceOrigin> fence_origin_from_name(std::string_view name) {
  return value_in<FenceOrigin>(kFenceOrigins, name);
}

namespace {

/// A decimal number from least to most without a leading zero.
std::optional<std::uint16_t> small_number(std::string_view digits, std::uint16_t least, std::uint16_t most) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
  if (!whole || digits.front() == '0' || number < least || number > most) return std::nullopt;
  return number;
}

std::optional<ValueType> fragment_from_name(std::string_view name, std::size_t dot) {
  const auto scalar = scalar_from_name(name.substr(0, dot));
  const std::string_view extents = name.substr(dot + 1);
  const std::size_t cross = extents.find('x');
  if (!scalar || cross == std::string_view::npos) return std::nullopt;
  const auto rows = small_number(extents.substr(0, cross), 1, kMaxFragmentExtent);
  const auto columns = small_number(extents.substr(cross + 1), 1, kMaxFragmentExtent);
  if (!rows || !columns) return std::nullopt;
  return fragment_type(*scalar, *rows, *columns);
}

}  // namespace

std::optional<ValueType> type_from_name(std::string_view name) {
  if (name == kTokenType) return token_type();
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) return fragment_from_name(name, dot);
  const std::size_t cross = name.find('x');
  const auto scalar = scalar_from_name(name.substr(0, cross));
  if (!scalar) return std::nullopt;
  if (cross == std::string_view::npos) return ValueType{*scalar, 1};
  const auto lanes = small_number(name.substr(cross + 1), 2, kMaxLanes);
  if (!lanes) return std::nullopt;
  return ValueType{*scalar, *lanes};
}

}  // namespace tilewright::kernel
