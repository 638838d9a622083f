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

std::string type_name(ValueType type) {
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

std::optional<ValueType> type_from_name(std::string_view name) {
  const std::size_t cross = name.find('x');
  const auto scalar = scalar_from_name(name.substr(0, cross));
  if (!scalar) return std::nullopt;
  if (cross == std::string_view::npos) return ValueType{*scalar, 1};
  const std::string_view digits = name.substr(cross + 1);
  std::uint16_t lanes = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), lanes);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0';
  if (!whole || lanes < 2 || lanes > kMaxLanes) return std::nullopt;
  return ValueType{*scalar, lanes};
}

}  // namespace tilewright::kernel
