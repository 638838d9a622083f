// The text header of a .npy file, between npy.cpp and npy_header.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/types.h>

#include "support/result.h"

namespace tilewright::npy {

struct Header {
  std::string_view code;        ///< kind and bytes of an element, without the byte order: "f4"
  std::string_view numpy_name;  ///< "float32"
  std::size_t width = 0;        ///< bytes of an element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< no extent is negative
};

/// Which element types a file may hold: those of NpyArray, or those of RawArray.
enum class Elements : std::uint8_t { Typed, Raw };

/// Parses the dictionary that names type, order and shape. `label` names the origin in messages.
Result<Header> parse_header(std::string_view text, std::string_view label, Elements elements);

struct Layout {
  Header header;
  std::size_t data_offset = 0;
};

/// Everything but the elements; their number agrees with the bytes that are there.
Result<Layout> parse_layout(std::string_view bytes, std::string_view label, Elements elements);
/// The elements as they lie in a file -> C order, little endian, no bool but 0 and 1.
Result<std::vector<std::byte>> in_c_order(const Header& header, std::vector<std::byte> data, std::string_view label);
/// All that comes before the elements: version 1.0, data at a multiple of 64 bytes.
std::string format_preamble(std::string_view descr, std::span<const std::int64_t> shape);
/// Bytes of the array without any gap; nothing if they or a product of positive extents do not fit 64 bits.
std::optional<std::int64_t> array_bytes(std::size_t width, std::span<const std::int64_t> shape);

/// The type of NpyArray that a file spells so. Premise: parse_header accepted it as Typed.
DataType type_of(std::string_view code);

/// How the header spells a type that can be stored.
std::string_view descr_of(DataType type);
/// NumPy's word for a type that can be stored: "float32", "bfloat16", ...
std::string_view numpy_name(DataType type);

/// "(3, 4)", as Python writes it.
std::string shape_text(const std::vector<std::int64_t>& shape);
/// Foreign text for a message: unprintable bytes escaped, the end of a long text left out.
std::string printable(std::string_view text);

/// NpyFormat: "'a.npy' is not a valid .npy file: <what>".
std::unexpected<Diags> malformed(std::string_view label, std::string_view what);

}  // namespace tilewright::npy
