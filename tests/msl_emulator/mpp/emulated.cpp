#include "emulated.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include "runtime/msl_emulator/toolchain.h"

namespace tilewright::msl_emulator::mpp {

namespace {

std::uint16_t half_bits(double value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  int exponent = std::ilogb(magnitude);
  if (exponent < -14) exponent = -14;
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const std::uint32_t biased = units < 1024 ? 0 : static_cast<std::uint32_t>(exponent + 15) << 10;
  return static_cast<std::uint16_t>(sign | (biased + (units < 1024 ? units : units - 1024)));
}

double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::uint16_t bfloat_bits(double value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

template <class T>
T element_at(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void put_element(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

}  // namespace

std::size_t Buffer::element_bytes(Type type) {
  return type == 'f' || type == 'n' ? 4 : type == 'h' || type == 'b' ? 2 : 1;
}

double Buffer::get(std::size_t index) const {
  switch (type_) {
    case 'f':
      return element_at<float>(bytes_, index);
    case 'h':
      return half_value(element_at<std::uint16_t>(bytes_, index));
    case 'b':
      return std::bit_cast<float>(static_cast<std::uint32_t>(element_at<std::uint16_t>(bytes_, index)) << 16);
    case 'i':
      return element_at<std::int8_t>(bytes_, index);
    case 'u':
      return element_at<std::uint8_t>(bytes_, index);
    default:
      return element_at<std::int32_t>(bytes_, index);
  }
}

void Buffer::set(std::size_t index, double value) {
  switch (type_) {
    case 'f':
      return put_element(bytes_, index, static_cast<float>(value));
    case 'h':
      return put_element(bytes_, index, half_bits(value));
    case 'b':
      return put_element(bytes_, index, bfloat_bits(value));
    case 'i':
      return put_element(bytes_, index, static_cast<std::int8_t>(value));
    case 'u':
      return put_element(bytes_, index, static_cast<std::uint8_t>(value));
    default:
      return put_element(bytes_, index, static_cast<std::int32_t>(value));
  }
}

void Buffer::fill(double value) {
  for (std::size_t i = 0; i < count_; ++i) set(i, value);
}

Buffer Buffer::random(Type type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 source(seed);
  Buffer buffer(type, count);
  for (std::size_t i = 0; i < count; ++i) {
    const double integer = static_cast<double>(source() % 255);
    buffer.set(i, type == 'u' ? integer : type == 'i' || type == 'n' ? integer - 127 : (integer - 127) / 64);
  }
  return buffer;
}

Buffer Buffer::of(Type type, std::span<const double> values) {
  Buffer buffer(type, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) buffer.set(i, values[i]);
  return buffer;
}

double rounding(Type type) { return type == 'h' ? 0x1p-11 : type == 'b' ? 0x1p-8 : 0; }

namespace {

std::pair<double, double> factors(const Product& product, const Buffer& a, const Buffer& b, int i, int j, int p) {
  return {a.get(product.transpose_left ? element_index(p, i, product.m) : element_index(i, p, product.k)),
          b.get(product.transpose_right ? element_index(j, p, product.k) : element_index(p, j, product.n))};
}

}  // namespace

double product_element(const Product& product, const Buffer& a, const Buffer& b, int i, int j) {
  double sum = 0;
  for (int p = 0; p < product.k; ++p) {
    const auto [left, right] = factors(product, a, b, i, j, p);
    sum += left * right;
  }
  return sum;
}

double product_magnitude(const Product& product, const Buffer& a, const Buffer& b, int i, int j) {
  double sum = 0;
  for (int p = 0; p < product.k; ++p) {
    const auto [left, right] = factors(product, a, b, i, j, p);
    sum += std::fabs(left * right);
  }
  return sum;
}

Result<Toolchain> test_toolchain() {
  return find_toolchain(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl", TILEWRIGHT_MSL_RUNNER, "");
}

std::string kernel_path(std::string_view file) {
  return fmt::format("{}/tests/msl_emulator/mpp/kernels/{}", TILEWRIGHT_SOURCE_DIR, file);
}

const Result<CompiledLibrary>& library_of(const std::string& file, const std::vector<std::string>& kernels,
                                          const std::vector<std::string>& defines) {
  using Key = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;
  static std::map<Key, Result<CompiledLibrary>> libraries;
  const Key key{file, kernels, defines};
  const auto known = libraries.find(key);
  if (known != libraries.end()) return known->second;
  const Result<Toolchain> toolchain = test_toolchain();
  if (!toolchain) return libraries.emplace(key, std::unexpected(toolchain.error())).first->second;
  CompileRequest request;
  request.path = kernel_path(file);
  request.kernels = kernels;
  request.defines = defines;
  request.metal_version = 400;
  return libraries.emplace(key, compile(request, *toolchain)).first->second;
}

LaunchRequest request_of(const Launch& launch) {
  LaunchRequest request;
  request.kernel = launch.kernel;
  request.threadgroups = launch.groups;
  request.threads_per_threadgroup = {launch.threads, 1, 1};
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    if (launch.buffers[i] == nullptr) continue;
    BufferBinding binding;
    binding.index = static_cast<std::uint32_t>(i);
    binding.bytes = launch.buffers[i]->bytes();
    request.buffers.push_back(std::move(binding));
  }
  if (launch.threadgroup_bytes != 0) request.threadgroup_memory.push_back({0, launch.threadgroup_bytes});
  request.device = launch.device;
  request.schedules = launch.schedules;
  request.seed = launch.seed;
  request.workers = 1;
  request.timeout_seconds = 60;
  return request;
}

Result<LaunchResult> run(const CompiledLibrary& library, const Launch& request) {
  TW_TRY(const Toolchain toolchain, test_toolchain());
  return launch(library, request_of(request), toolchain);
}

std::string describe(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) {
    text += fmt::format("{} {}:{} {}\n", report_kind_name(report.kind), report.file, report.line, report.message);
  }
  return text;
}

std::string describe(const Diags& diags) {
  std::string text;
  for (const Diag& diag : diags) {
    text += fmt::format("{} {}:{} {}\n", diag_code_name(diag.code), diag.place.file, diag.place.line, diag.message);
  }
  return text;
}

}  // namespace tilewright::msl_emulator::mpp
