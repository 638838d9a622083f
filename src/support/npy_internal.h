// The text header of a .npy file, between npy.cpp and npy_header.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/types.h>

#include "support/result.h"

namespace tilewright::npy {

struct Header {
  DataType type = DataType::F32;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< no extent is negative
};

/// Parses the dictionary that names type, order and shape. `label` names the origin in messages.
Result<Header> parse_header(std::string_view text, std::string_view label);

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
