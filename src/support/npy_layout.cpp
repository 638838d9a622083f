#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "support/check.h"
#include "support/checked_math.h"
#include "support/little_endian.h"
#include "support/npy.h"
#include "support/npy_internal.h"

namespace tilewright::npy {

namespace {

static_assert(std::endian::native == std::endian::little, "NpyArray::data would need swapping on this machine");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = kMagic.size() + 2;
/// NumPy itself stops at 10,000 bytes unless told otherwise.
constexpr std::uint64_t kMaxHeaderBytes = 65536;
constexpr std::size_t kAlignment = 64;

std::unexpected<Diags> cut_short(std::string_view label, std::string_view what) {
  return failure(DiagCode::NpyLength, fmt::format("'{}' ends too early: {}", label, what),
                 "the file was cut short: copy it again, or write it again with numpy.save");
}

std::unexpected<Diags> wrong_magic(std::string_view bytes, std::string_view label) {
  if (bytes.starts_with("PK\x03\x04"))
    return failure(DiagCode::NpyFormat, fmt::format("'{}' is an .npz or zip archive, not a .npy file", label),
                   "take one array out of it: numpy.save(path, numpy.load(archive)['name'])");
  if (kMagic.starts_with(bytes)) return cut_short(label, fmt::format("it has {} bytes and no header", bytes.size()));
  return failure(DiagCode::NpyFormat,
                 fmt::format("'{}' is not a .npy file: it starts with '{}' and not with '{}'", label,
                             printable(bytes.substr(0, kMagic.size())), printable(kMagic)),
                 "write the file with numpy.save");
}

/// The text of the header with what comes before it, checked and taken off.
struct Preamble {
  std::string_view header;
  std::size_t data_offset = 0;
};

Result<Preamble> parse_preamble(std::string_view bytes, std::string_view label) {
  if (!bytes.starts_with(kMagic)) return wrong_magic(bytes, label);
  if (bytes.size() < kVersionEnd) return cut_short(label, fmt::format("it has {} bytes and no header", bytes.size()));
  const int major = static_cast<unsigned char>(bytes[kMagic.size()]);
  const int minor = static_cast<unsigned char>(bytes[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0)
    return malformed(label, fmt::format("it has format version {}.{}; 1.0, 2.0 and 3.0 are known", major, minor));
  const std::size_t start = kVersionEnd + (major == 1 ? 2 : 4);
  if (bytes.size() < start) return cut_short(label, fmt::format("it has {} bytes and no header", bytes.size()));
  const std::uint64_t length = load_little_endian(bytes.substr(kVersionEnd, start - kVersionEnd));
  if (length > kMaxHeaderBytes)
    return malformed(label,
                     fmt::format("its header is said to have {} bytes; at most {} are read", length, kMaxHeaderBytes));
  if (length > bytes.size() - start)
    return cut_short(label, fmt::format("its header needs {} bytes, and {} are there", length, bytes.size() - start));
  return Preamble{bytes.substr(start, length), start + length};
}

void swap_bytes(std::vector<std::byte>& data, std::size_t width) {
  for (std::size_t i = 0; i < data.size(); i += width)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i), data.begin() + static_cast<std::ptrdiff_t>(i + width));
}

/// From first-axis-fastest to last-axis-fastest.
std::vector<std::byte> fortran_to_c(const std::vector<std::byte>& source, std::span<const std::int64_t> shape,
                                    std::size_t width) {
  std::vector<std::byte> result(source.size());
  if (source.empty()) return result;
  std::vector<std::size_t> strides;
  std::size_t stride = width;
  for (std::int64_t extent : shape) {
    strides.push_back(stride);
    stride *= static_cast<std::size_t>(extent);
  }
  std::vector<std::int64_t> index(shape.size(), 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += width) {
    std::memcpy(result.data() + to, source.data() + from, width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> array_bytes(std::size_t width, std::span<const std::int64_t> shape) {
  auto product = std::optional<std::int64_t>(static_cast<std::int64_t>(width));
  for (std::int64_t extent : shape)
    if (product && extent != 0) product = checked_mul(*product, extent);
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  return product && empty ? std::optional<std::int64_t>(0) : product;
}

Result<Layout> parse_layout(std::string_view bytes, std::string_view label, Elements elements) {
  TW_TRY(const Preamble preamble, parse_preamble(bytes, label));
  TW_TRY(Header header, parse_header(preamble.header, label, elements));
  const auto needed = array_bytes(header.width, header.shape);
  const std::string array = fmt::format("shape {} of {}", shape_text(header.shape), header.numpy_name);
  if (!needed)
    return failure(DiagCode::SizeOverflow, fmt::format("'{}' has a size that does not fit 64 bits: {}", label, array),
                   "write the file again with numpy.save");
  const std::size_t found = bytes.size() - preamble.data_offset;
  if (found < static_cast<std::uint64_t>(*needed))
    return cut_short(label, fmt::format("{} needs {} bytes, and {} follow the header", array, *needed, found));
  if (found > static_cast<std::uint64_t>(*needed))
    return failure(DiagCode::NpyLength,
                   fmt::format("'{}' goes on after its array: {} needs {} bytes, and {} follow the header", label,
                               array, *needed, found),
                   "store one array in a file");
  return Layout{std::move(header), preamble.data_offset};
}

Result<std::vector<std::byte>> in_c_order(const Header& header, std::vector<std::byte> data, std::string_view label) {
  if (header.code == "b1") {
    const auto bad = std::ranges::find_if(data, [](std::byte b) { return b > std::byte{1}; });
    if (bad != data.end())
      return failure(DiagCode::NpyFormat,
                     fmt::format("'{}' is not a valid .npy file: element {} in its order is {}, and a bool is 0 or 1",
                                 label, bad - data.begin(), static_cast<int>(*bad)),
                     "save it with .view('uint8') != 0");
  }
  if (header.big_endian) swap_bytes(data, header.width);
  if (header.fortran_order && header.shape.size() > 1) data = fortran_to_c(data, header.shape, header.width);
  return data;
}

std::string format_preamble(std::string_view descr, std::span<const std::int64_t> shape) {
  TW_CHECK(shape.size() <= kNpyMaxRank);
  TW_CHECK(std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; }));
  const std::vector<std::int64_t> extents(shape.begin(), shape.end());
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape_text(extents));
  const std::size_t start = kVersionEnd + 2;
  const std::size_t end = (start + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(end - start - 1, ' ');
  header += '\n';
  std::string result(kMagic);
  result += '\x01';
  result += '\x00';
  result += static_cast<char>(header.size() & 0xffu);
  result += static_cast<char>(header.size() >> 8);
  return result + header;
}

}  // namespace tilewright::npy
