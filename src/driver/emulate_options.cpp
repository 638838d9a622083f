#include "driver/emulate_options.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/checked_math.h"
#include "support/half.h"
#include "support/number_text.h"

namespace tilewright::driver {

namespace {

constexpr std::uint32_t kMostIndex = 30;
constexpr std::int64_t kMostBufferBytes = std::int64_t{1} << 32;
/// What a buffer that is not initialized holds: a NaN of every float width that no arithmetic makes.
constexpr std::byte kPoisonByte{0xff};

std::unexpected<Diags> bad_option(std::string_view option, std::string_view text, std::string_view expected,
                                  std::string_view example) {
  return failure(DiagCode::BadOption, fmt::format("{} expects {}, found '{}'", option, expected, text),
                 fmt::format("for example {} {}", option, example));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::unexpected<Diags> unknown_type(std::string_view option, std::string_view name) {
  std::vector<std::string_view> names;
  for (const RawElement& element : raw_elements()) names.push_back(element.name);
  return failure(DiagCode::BadOption, fmt::format("{}: '{}' is no element type", option, name),
                 fmt::format("the types are {}", fmt::join(names, ", ")));
}

Result<std::vector<std::int64_t>> parse_shape(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> shape;
  for (std::string_view part : parts_of(text, 'x')) {
    const auto extent = parse_int64(part);
    if (!extent || *extent < 0) return bad_option(option, text, "extents parted by 'x'", "0=out:f32:64x32");
    shape.push_back(*extent);
  }
  return shape;
}

Result<std::size_t> bytes_of(std::string_view option, const RawElement& element, std::span<const std::int64_t> shape) {
  std::optional<std::int64_t> bytes = static_cast<std::int64_t>(element.bytes);
  for (std::int64_t extent : shape)
    if (bytes) bytes = checked_mul(*bytes, extent);
  if (!bytes || *bytes > kMostBufferBytes)
    return failure(
        DiagCode::BadOption,
        fmt::format("{}: {} of shape {} needs {} bytes; an emulated buffer has at most {}", option, element.name,
                    fmt::join(shape, "x"), bytes ? std::to_string(*bytes) : "more than 2^63", kMostBufferBytes),
        "emulate a smaller launch");
  return static_cast<std::size_t>(*bytes);
}

template <class T>
void put(std::vector<std::byte>& data, T value) {
  const std::size_t at = data.size();
  data.resize(at + sizeof value);
  std::memcpy(data.data() + at, &value, sizeof value);
}

/// Appends a float in the width of the type; nothing for other types.
bool put_float(std::vector<std::byte>& data, std::string_view type, double value) {
  if (type == "f64") put(data, value);
  if (type == "f32") put(data, static_cast<float>(value));
  if (type == "f16") put(data, f32_to_f16(static_cast<float>(value)));
  if (type == "bf16") put(data, f32_to_bf16(static_cast<float>(value)));
  return type.front() == 'f' || type == "bf16";
}

/// The low bytes: little endian on every machine that this builds for (support/npy.cpp).
void put_integer(std::vector<std::byte>& data, const RawElement& element, std::uint64_t bits) {
  const std::size_t at = data.size();
  data.resize(at + element.bytes);
  std::memcpy(data.data() + at, &bits, element.bytes);
}

std::vector<std::byte> random_contents(const RawElement& element, std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::byte> data;
  data.reserve(bytes);
  for (std::size_t i = 0; i < bytes / element.bytes; ++i) {
    const std::uint64_t word = engine();
    if (put_float(data, element.name, std::ldexp(static_cast<double>(word >> 11), -52) - 1)) continue;
    put_integer(data, element, element.name == "bool" ? word >> 63 : word >> 61);
  }
  return data;
}

struct Indexed {
  std::uint32_t index = 0;
  std::string_view rest;
};

Result<Indexed> split_index(std::string_view option, std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  const auto index = parse_int32(text.substr(0, equals));
  if (equals == std::string_view::npos || !index || *index < 0 || *index > static_cast<std::int32_t>(kMostIndex))
    return bad_option(option, text, fmt::format("INDEX=.. with an index from 0 to {}", kMostIndex), example);
  return Indexed{static_cast<std::uint32_t>(*index), text.substr(equals + 1)};
}

/// KIND[:SEED]:TYPE:SHAPE.
Result<void> make_contents(std::string_view option, std::string_view text, EmulatedBuffer& buffer) {
  std::vector<std::string_view> parts = parts_of(text, ':');
  std::uint64_t seed = 0;
  const std::string_view kind = parts.front();
  if (kind == "random" && parts.size() == 4) {
    const auto number = parse_uint64(parts[1]);
    if (!number) return bad_option(option, text, "a seed after random:", "0=random:1:f32:64x32");
    seed = *number;
    parts.erase(parts.begin() + 1);
  }
  if (parts.size() != 3)
    return bad_option(option, text, "a .npy file, out:TYPE:SHAPE, zero:TYPE:SHAPE or random:SEED:TYPE:SHAPE",
                      "0=out:f32:64x32");
  buffer.element = raw_element(parts[1]);
  if (buffer.element == nullptr) return unknown_type(option, parts[1]);
  TW_TRY(buffer.shape, parse_shape(option, parts[2]));
  TW_TRY(const std::size_t bytes, bytes_of(option, *buffer.element, buffer.shape));
  buffer.contents = kind == "random" ? fmt::format("random:{}", seed) : std::string(kind);
  buffer.initialized = kind != "out";
  buffer.data = kind == "random" ? random_contents(*buffer.element, bytes, seed)
                                 : std::vector<std::byte>(bytes, kind == "out" ? kPoisonByte : std::byte{0});
  return {};
}

bool is_float_name(std::string_view name) { return name.front() == 'f' || name == "bf16"; }

std::unexpected<Diags> no_value(std::string_view value, const RawElement& element) {
  return failure(DiagCode::BadOption, fmt::format("--bytes: '{}' is no value of {}", value, element.name),
                 "for example --bytes 3=i32:64,64,32");
}

Result<void> append_values(std::string_view run, std::vector<std::byte>& data) {
  const std::size_t colon = run.find(':');
  const RawElement* element = raw_element(run.substr(0, colon));
  if (colon == std::string_view::npos || element == nullptr) return unknown_type("--bytes", run.substr(0, colon));
  data.resize((data.size() + element->bytes - 1) / element->bytes * element->bytes);
  for (std::string_view value : parts_of(run.substr(colon + 1), ',')) {
    const auto number = parse_double(value);
    if (number && put_float(data, element->name, *number)) continue;
    const auto signed_number = parse_int64(value);
    const auto unsigned_number = parse_uint64(value);
    const std::uint64_t bits =
        unsigned_number ? *unsigned_number : static_cast<std::uint64_t>(signed_number.value_or(0));
    const bool is_signed = element->name.front() == 'i';
    if (!unsigned_number && !(is_signed && signed_number)) return no_value(value, *element);
    // A negative number fits when its complement does.
    const auto used = static_cast<std::size_t>(std::bit_width(unsigned_number ? bits : ~bits));
    const std::size_t most = element->bytes * 8 - (is_signed ? 1 : 0);
    if (used > most || is_float_name(element->name)) return no_value(value, *element);
    put_integer(data, *element, bits);
  }
  return {};
}

}  // namespace

Result<std::array<std::uint32_t, 3>> parse_extent3(std::string_view option, std::string_view text) {
  std::array<std::uint32_t, 3> extent{1, 1, 1};
  const std::vector<std::string_view> parts = parts_of(text, ',');
  if (parts.size() > 3) return bad_option(option, text, "at most three numbers", "8,4,1");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_int64(parts[i]);
    if (!number || *number < 0 || *number > UINT32_MAX)
      return bad_option(option, text, "numbers from 0 to 4294967295, parted by commas", "8,4,1");
    extent[i] = static_cast<std::uint32_t>(*number);
  }
  return extent;
}

Result<EmulatedBuffer> parse_buffer(std::string_view option, std::string_view text) {
  TW_TRY(const Indexed indexed, split_index(option, text, "0=a.npy"));
  EmulatedBuffer buffer;
  buffer.index = indexed.index;
  buffer.tensor = option == "--tensor";
  std::string_view rest = indexed.rest;
  if (rest.ends_with(":ro")) {
    buffer.read_only = true;
    rest.remove_suffix(3);
  }
  if (rest.starts_with("@")) {
    const auto other = parse_int32(rest.substr(1));
    if (!other || *other < 0 || *other > static_cast<std::int32_t>(kMostIndex))
      return bad_option(option, text, "an index after '@'", "1=@0");
    buffer.same_memory_as = static_cast<std::uint32_t>(*other);
    buffer.contents = rest;
    return buffer;
  }
  const std::string_view kind = rest.substr(0, rest.find(':'));
  if (kind == "out" || kind == "zero" || kind == "random") {
    TW_TRY_VOID(make_contents(option, rest, buffer));
    return buffer;
  }
  TW_TRY(RawArray array, read_raw_npy(std::string(rest)));
  buffer.element = array.element;
  buffer.shape = std::move(array.shape);
  buffer.data = std::move(array.data);
  buffer.contents = rest;
  return buffer;
}

Result<EmulatedBuffer> parse_bytes(std::string_view text) {
  TW_TRY(const Indexed indexed, split_index("--bytes", text, "3=i32:64,64,32"));
  EmulatedBuffer buffer;
  buffer.index = indexed.index;
  buffer.contents = "bytes";
  const std::vector<std::string_view> runs = parts_of(indexed.rest, ';');
  for (std::string_view run : runs) TW_TRY_VOID(append_values(run, buffer.data));
  if (runs.size() == 1) {
    buffer.element = raw_element(runs[0].substr(0, runs[0].find(':')));
    buffer.shape = {static_cast<std::int64_t>(buffer.data.size() / buffer.element->bytes)};
  }
  return buffer;
}

Result<std::pair<std::uint32_t, std::uint64_t>> parse_indexed_size(std::string_view option, std::string_view text) {
  TW_TRY(const Indexed indexed, split_index(option, text, "0=4096"));
  const auto size = parse_uint64(indexed.rest);
  if (!size) return bad_option(option, text, "INDEX=BYTES", "0=4096");
  return std::pair{indexed.index, *size};
}

Result<std::pair<std::uint32_t, std::string>> parse_indexed(std::string_view option, std::string_view text) {
  TW_TRY(const Indexed indexed, split_index(option, text, "2=c.npy"));
  if (indexed.rest.empty()) return bad_option(option, text, "INDEX=FILE.npy", "2=c.npy");
  return std::pair{indexed.index, std::string(indexed.rest)};
}

}  // namespace tilewright::driver
