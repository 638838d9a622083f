// Arrays of any plain number type in .npy files, for memory whose meaning a kernel decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright {

struct RawElement {
  std::string_view name;  ///< "f32", "u8", ...
  std::string_view code;  ///< as .npy files spell it, without the byte order
  std::size_t bytes = 0;
};

/// f32 f16 bf16 f64, i8 .. i64, u8 .. u64, bool.
std::span<const RawElement> raw_elements();
/// Nothing when there is none.
const RawElement* raw_element(std::string_view name);
const RawElement* raw_element_of_code(std::string_view code);

struct RawArray {
  const RawElement* element = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;  ///< C order, little endian, without gaps
};

/// As read_npy of support/npy.h, of more types.
Result<RawArray> read_raw_npy(const std::string& path);
/// As format_npy. Premise: `data` has the bytes that `shape` asks for.
std::string format_raw_npy(const RawElement& element, std::span<const std::int64_t> shape,
                           std::span<const std::byte> data);
/// As write_npy. Premise: `data` has the bytes that `shape` asks for.
Result<void> write_raw_npy(const std::string& path, const RawElement& element, std::span<const std::int64_t> shape,
                           std::span<const std::byte> data);

}  // namespace tilewright
