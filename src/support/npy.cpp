#include "support/npy.h"

#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "support/check.h"
#include "support/files.h"
#include "support/npy_internal.h"
#include "support/npy_raw.h"

namespace tilewright {

namespace {

using npy::Elements;
using npy::Header;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unexpected<Diags> out_of_memory(std::string_view label, std::size_t bytes) {
  return failure(DiagCode::OutOfMemory,
                 fmt::format("cannot read '{}': not enough memory for its {} bytes", label, bytes));
}

Result<NpyArray> finish(Header header, std::vector<std::byte> data, std::string_view label) {
  TW_TRY(data, npy::in_c_order(header, std::move(data), label));
  return NpyArray{npy::type_of(header.code), std::move(header.shape), std::move(data)};
}

/// The layout of a file and its elements as they lie there.
Result<std::pair<Header, std::vector<std::byte>>> read_elements(const std::string& path, Elements elements) {
  TW_TRY(std::vector<std::byte> bytes, read_file_bytes(path, kNoFileLimit));
  TW_TRY(npy::Layout layout, npy::parse_layout(as_text(bytes), path, elements));
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(layout.data_offset));
  return std::pair{std::move(layout.header), std::move(bytes)};
}

std::string preamble_of(DataType type, std::span<const std::int64_t> shape, std::size_t data_bytes) {
  TW_CHECK(npy::array_bytes(data_type_bytes(type), shape) == static_cast<std::int64_t>(data_bytes));
  return npy::format_preamble(npy::descr_of(type), shape);
}

std::string raw_preamble_of(const RawElement& element, std::span<const std::int64_t> shape, std::size_t data_bytes) {
  TW_CHECK(npy::array_bytes(element.bytes, shape) == static_cast<std::int64_t>(data_bytes));
  return npy::format_preamble((element.bytes == 1 ? "|" : "<") + std::string(element.code), shape);
}

}  // namespace

Result<NpyArray> parse_npy(std::span<const std::byte> bytes, std::string_view label) {
  TW_TRY(npy::Layout layout, npy::parse_layout(as_text(bytes), label, Elements::Typed));
  const auto elements = bytes.subspan(layout.data_offset);
  try {
    return finish(std::move(layout.header), {elements.begin(), elements.end()}, label);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return out_of_memory(label, elements.size());
}

std::string npy_save_hint(DataType type) {
  if (type == DataType::BF16) return "save it with .astype(ml_dtypes.bfloat16)";
  return fmt::format("save it with .astype('{}')", npy::numpy_name(type));
}

Result<NpyArray> read_npy(const std::string& path, std::optional<DataType> expected) {
  TW_TRY(auto read, read_elements(path, Elements::Typed));
  auto& [header, data] = read;
  if (const DataType type = npy::type_of(header.code); expected && type != *expected)
    return failure(
        DiagCode::NpyType,
        fmt::format("'{}' holds {}, and {} is expected", path, header.numpy_name, npy::numpy_name(*expected)),
        npy_save_hint(*expected));
  const std::size_t total = data.size();
  try {
    return finish(std::move(header), std::move(data), path);
  } catch (const std::bad_alloc&) {
  }
  return out_of_memory(path, total);
}

Result<RawArray> read_raw_npy(const std::string& path) {
  TW_TRY(auto read, read_elements(path, Elements::Raw));
  auto& [header, data] = read;
  const RawElement* element = raw_element_of_code(header.code);
  TW_CHECK(element != nullptr);
  const std::size_t total = data.size();
  try {
    TW_TRY(data, npy::in_c_order(header, std::move(data), path));
    return RawArray{element, std::move(header.shape), std::move(data)};
  } catch (const std::bad_alloc&) {
  }
  return out_of_memory(path, total);
}

std::string format_raw_npy(const RawElement& element, std::span<const std::int64_t> shape,
                           std::span<const std::byte> data) {
  std::string result = raw_preamble_of(element, shape, data.size());
  result += as_text(data);
  return result;
}

Result<void> write_raw_npy(const std::string& path, const RawElement& element, std::span<const std::int64_t> shape,
                           std::span<const std::byte> data) {
  const std::string preamble = raw_preamble_of(element, shape, data.size());
  const std::string_view pieces[] = {preamble, as_text(data)};
  return write_file_atomically(path, pieces);
}

std::string format_npy(DataType type, std::span<const std::int64_t> shape, std::span<const std::byte> data) {
  std::string result = preamble_of(type, shape, data.size());
  result += as_text(data);
  return result;
}

std::string format_npy(const NpyArray& array) { return format_npy(array.type, array.shape, array.data); }

Result<void> write_npy(const std::string& path, DataType type, std::span<const std::int64_t> shape,
                       std::span<const std::byte> data) {
  const std::string preamble = preamble_of(type, shape, data.size());
  const std::string_view pieces[] = {preamble, as_text(data)};
  return write_file_atomically(path, pieces);
}

Result<void> write_npy(const std::string& path, const NpyArray& array) {
  return write_npy(path, array.type, array.shape, array.data);
}

}  // namespace tilewright
