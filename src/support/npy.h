// Arrays in NumPy's .npy format, versions 1.0, 2.0 and 3.0.
//
// Element types: f32 ('<f4'), f16 ('<f2'), i32 ('<i4'), bool ('|b1'), and bf16 as the two opaque bytes ('<V2', '|V2')
// as which the package ml_dtypes stores bfloat16. Unsigned 16-bit numbers are never taken for bf16. Other types are
// refused by name; pickled objects are never unpacked.
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

namespace tilewright {

struct NpyArray {
  DataType type = DataType::F32;  ///< F32, F16, BF16, I32 or Bool
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;  ///< C order, little endian, without gaps; a bool is one byte, 0 or 1

  bool operator==(const NpyArray&) const = default;
};

inline constexpr std::size_t kNpyMaxRank = 64;  // NumPy's own

/// Big-endian files and Fortran order are converted. Memory is claimed only after the sizes in the header agree with
/// the bytes that are there. `label` names the origin in messages. NpyFormat: the bytes do not follow the format;
/// NpyLength: more or fewer bytes than the header says; NpyType: another element type; SizeOverflow: an extent or the
/// product of the extents does not fit 64 bits; OutOfMemory.
Result<NpyArray> parse_npy(std::span<const std::byte> bytes, std::string_view label);

/// The same for a file. With `expected`, an array of another element type is NpyType. Also FileRead.
Result<NpyArray> read_npy(const std::string& path, std::optional<DataType> expected = std::nullopt);

/// What to write in Python so that a file has the type: "save it with .astype('float32')".
std::string npy_save_hint(DataType type);

/// Version 1.0, data at a multiple of 64 bytes, bf16 as '<V2'. Premise: the type is one that NpyArray names, and `data`
/// has the bytes that `shape` asks for.
std::string format_npy(DataType type, std::span<const std::int64_t> shape, std::span<const std::byte> data);
std::string format_npy(const NpyArray& array);

/// The same bytes into a file, by write_file_atomically.
Result<void> write_npy(const std::string& path, DataType type, std::span<const std::int64_t> shape,
                       std::span<const std::byte> data);
Result<void> write_npy(const std::string& path, const NpyArray& array);

}  // namespace tilewright
