// Ids, types and memories of kernel programs: what every operation is written in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/ids.h"

namespace tilewright::kernel {

using ValueId = Id<struct KernelValueTag>;
using OpId = Id<struct KernelOpTag>;
using BlockId = Id<struct KernelBlockTag>;
using BufferId = Id<struct KernelBufferTag>;
using AllocationId = Id<struct KernelAllocationTag>;

/// I1 is a truth value; in memory it takes one byte, 0 or 1 (a load takes any other byte for 1).
enum class ScalarType : std::uint8_t { I1, I32, I64, F16, BF16, F32 };
std::size_t scalar_bytes(ScalarType type);
const char* scalar_name(ScalarType type);  ///< "f32", "bf16", ...
constexpr bool is_float_scalar(ScalarType type) { return type >= ScalarType::F16; }

inline constexpr std::uint16_t kMaxLanes = 64;
inline constexpr std::uint16_t kMaxFragmentExtent = 256;
/// Blocks inside blocks, the kernel's body included.
inline constexpr int kMaxNesting = 128;

/// Plain: a number, or a vector, of each worker. Fragment: a matrix of each subgroup. Token: of an asynchronous copy.
enum class ValueKind : std::uint8_t { Plain, Fragment, Token };

/// Plain: lanes == 1 is a scalar; 2..kMaxLanes a vector (any count). Fragment: rows x columns, lanes 1. Token: the rest
/// has no meaning and keeps its default.
struct ValueType {
  ScalarType scalar = ScalarType::I64;
  std::uint16_t lanes = 1;
  ValueKind kind = ValueKind::Plain;
  std::uint16_t rows = 0, columns = 0;

  bool is_scalar() const { return kind == ValueKind::Plain && lanes == 1; }
  bool is_fragment() const { return kind == ValueKind::Fragment; }
  bool operator==(const ValueType&) const = default;
};
constexpr ValueType fragment_type(ScalarType scalar, std::uint16_t rows, std::uint16_t columns) {
  return {scalar, 1, ValueKind::Fragment, rows, columns};
}
constexpr ValueType token_type() { return {ScalarType::I64, 1, ValueKind::Token, 0, 0}; }

/// Memory an access goes to: exactly one of the two is valid.
struct MemoryRef {
  BufferId buffer;
  AllocationId allocation;
  bool operator==(const MemoryRef&) const = default;
};

/// How lanes of a vector, or workers of a subgroup, are combined.
enum class LaneFold : std::uint8_t { Add, Max, Min };

}  // namespace tilewright::kernel
