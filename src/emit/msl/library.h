// Functions that the emitted text brings along, because Metal's have another meaning, another type, or none for some
// arguments. A text holds those that it uses.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::emit_msl {

/// Overloads for int and long belong to one function.
enum class Function : std::uint8_t {
  Lanes,
  Padded,
  WrappingAdd,
  WrappingSub,
  WrappingMul,
  WrappingNeg,
  Magnitude,
  ShiftLeft,
  ShiftRight,
  FloorDiv,
  FloorMod,
  Larger,
  Smaller,
  SaturatingStep,
  IeeeMax,
  IeeeMin,
  ToInt,
  ToLong,
  OddFloat,
  OrderKey,
  OrderedFloat,
  SubgroupMaxFloat,
  SubgroupMinFloat,
  ExchangeXor,
  ExchangeDown,
  ExchangeIndex,
  SubgroupSumLong,
  SubgroupMaxLong,
  SubgroupMinLong,
  FragmentRow,
  FragmentColumn,
  ZeroProducts,
  AddZeroProducts,
  Count,
};
inline constexpr std::size_t kFunctionCount = static_cast<std::size_t>(Function::Count);

/// The functions that a text uses.
class Library {
 public:
  /// Its name; from now on the text holds it and what it needs.
  std::string_view use(Function function);
  /// The definitions, in an order in which each is known before it is used.
  std::string text() const;

 private:
  std::bitset<kFunctionCount> used_;
};

bool is_library_name(std::string_view name);

}  // namespace tilewright::emit_msl
