// Element types of tiles, buffers and arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

/// F32 .. Bool can be used. I8 .. F8E5M2 are reserved: the text knows their names and refuses them by name.
/// Index is the 64-bit type of sizes and coordinates; it exists in tiles but never in buffers.
enum class DataType : std::uint8_t { F32, F16, BF16, I32, Index, Bool, I8, U8, I4Scaled, F8E4M3, F8E5M2, F64 };

/// "f32", "bf16", "index", ...
std::string_view data_type_name(DataType type);
std::optional<DataType> data_type_from_name(std::string_view name);

constexpr bool is_reserved(DataType type) { return type >= DataType::I8; }
constexpr bool is_float(DataType type) {
  return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16;
}
/// Bytes of one element in memory (Bool 1, Index 8). Reserved types: 0.
constexpr std::size_t data_type_bytes(DataType type) {
  switch (type) {
    case DataType::F32:
    case DataType::I32:
      return 4;
    case DataType::F16:
    case DataType::BF16:
      return 2;
    case DataType::Index:
      return 8;
    case DataType::Bool:
      return 1;
    case DataType::I8:
    case DataType::U8:
    case DataType::I4Scaled:
    case DataType::F8E4M3:
    case DataType::F8E5M2:
    case DataType::F64:
      return 0;
  }
  return 0;
}

}  // namespace tilewright
