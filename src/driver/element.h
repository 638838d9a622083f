// One element in memory: as a number, as bits, and as the poison that stands where nothing was written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tilewright/types.h>

#include "support/check.h"
#include "support/half.h"

namespace tilewright::driver {

/// Bits of an element, zero-extended. Premise: a type that buffers can hold.
inline std::uint32_t load_bits(DataType type, const std::byte* at) {
  std::uint32_t word = 0;
  std::uint16_t half = 0;
  switch (data_type_bytes(type)) {
    case 4:
      std::memcpy(&word, at, 4);
      return word;
    case 2:
      std::memcpy(&half, at, 2);
      return half;
    default:
      return std::to_integer<std::uint32_t>(*at);
  }
}

inline void store_bits(DataType type, std::byte* at, std::uint32_t bits) {
  const auto half = static_cast<std::uint16_t>(bits);
  switch (data_type_bytes(type)) {
    case 4:
      std::memcpy(at, &bits, 4);
      return;
    case 2:
      std::memcpy(at, &half, 2);
      return;
    default:
      *at = static_cast<std::byte>(bits);
      return;
  }
}

/// The number that the bits stand for; exact.
inline double bits_to_number(DataType type, std::uint32_t bits) {
  switch (type) {
    case DataType::F32:
      return std::bit_cast<float>(bits);
    case DataType::F16:
      return f16_to_f32(static_cast<std::uint16_t>(bits));
    case DataType::BF16:
      return bf16_to_f32(static_cast<std::uint16_t>(bits));
    case DataType::I32:
      return static_cast<std::int32_t>(bits);
    case DataType::Bool:
      return bits;
    case DataType::Index:
    case DataType::I8:
    case DataType::U8:
    case DataType::I4Scaled:
    case DataType::F8E4M3:
    case DataType::F8E5M2:
    case DataType::F64:
      break;
  }
  TW_CHECK(false && "a type that buffers cannot hold");
}

/// Rounds to the nearest element of a float type (through f32); integers and booleans must be exact.
inline std::uint32_t number_to_bits(DataType type, double number) {
  switch (type) {
    case DataType::F32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    case DataType::F16:
      return f32_to_f16(static_cast<float>(number));
    case DataType::BF16:
      return f32_to_bf16(static_cast<float>(number));
    case DataType::I32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
    case DataType::Bool:
      return number != 0 ? 1 : 0;
    case DataType::Index:
    case DataType::I8:
    case DataType::U8:
    case DataType::I4Scaled:
    case DataType::F8E4M3:
    case DataType::F8E5M2:
    case DataType::F64:
      break;
  }
  TW_CHECK(false && "a type that buffers cannot hold");
}

/// What stands in elements that nothing has written. Nan carries a payload that no arithmetic makes, so that a NaN that
/// was computed is told apart; Large is 1e30 (f16: 6.1e4). Integers and booleans have no NaN: two unlikely patterns.
enum class Poison : std::uint8_t { Nan, Large };

constexpr std::uint32_t poison_bits(DataType type, Poison poison) {
  const bool nan = poison == Poison::Nan;
  switch (type) {
    case DataType::F32:
      return nan ? 0x7fc5a5a5u : 0x7149f2cau;
    case DataType::F16:
      return nan ? 0x7ea5u : 0x7b72u;
    case DataType::BF16:
      return nan ? 0x7fe5u : 0x714au;
    case DataType::I32:
      return nan ? 0x7ade5a5au : 0x8ade5a5bu;
    default:
      return nan ? 0xa5u : 0x5au;
  }
}

}  // namespace tilewright::driver
