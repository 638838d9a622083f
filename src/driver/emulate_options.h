// What the command line says about an emulated launch, as values, and how each piece is spelt.
//
// I is the index of a parameter ([[buffer(I)]], [[threadgroup(I)]]). TYPE is f32 f16 bf16 f64 i8..i64 u8..u64 bool.
// SHAPE is extents parted by 'x': 64x32. Every text that does not fit is BadOption.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/npy_raw.h"
#include "support/result.h"

namespace tilewright::driver {

/// Memory of one buffer before the launch.
struct EmulatedBuffer {
  std::uint32_t index = 0;
  const RawElement* element = nullptr;  ///< null for --bytes of several types
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
  std::string contents;     ///< "a.npy", "out", "zero", "random:7", "bytes"
  bool initialized = true;  ///< false: a read before a write is reported
  bool read_only = false;
  bool tensor = false;                          ///< bound to a tensor handle, the last axis innermost
  std::optional<std::uint32_t> same_memory_as;  ///< the index of the buffer whose memory this is
};

/// "X,Y,Z"; missing parts are 1.
Result<std::array<std::uint32_t, 3>> parse_extent3(std::string_view option, std::string_view text);

/// I=FILE.npy, I=out:TYPE:SHAPE (not initialized), I=zero:TYPE:SHAPE, I=random:SEED:TYPE:SHAPE (floats in [-1, 1),
/// integers in [0, 8)), I=@J (the memory of buffer J); with ":ro" at the end a write is reported. Also the errors of
/// read_raw_npy.
Result<EmulatedBuffer> parse_buffer(std::string_view option, std::string_view text);

/// I=TYPE:V,V,..[;TYPE:V,..]: values as they follow each other in memory, each type at a multiple of its size.
Result<EmulatedBuffer> parse_bytes(std::string_view text);

/// I=NUMBER, for --threadgroup.
Result<std::pair<std::uint32_t, std::uint64_t>> parse_indexed_size(std::string_view option, std::string_view text);

/// I=TEXT, for --out.
Result<std::pair<std::uint32_t, std::string>> parse_indexed(std::string_view option, std::string_view text);

}  // namespace tilewright::driver
