// Compiles and launches the kernels of this folder, and computes what they should give in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "support/result.h"

namespace tilewright::msl_emulator::mpp {

/// One letter an element type: f float, h half, b bfloat, i int8, u uint8, n int.
using Type = char;

/// A buffer of a launch, elements seen as double.
class Buffer {
 public:
  Buffer(Type type, std::size_t count) : type_(type), count_(count), bytes_(count * element_bytes(type)) {}
  /// Reproducible values that the type holds exactly.
  static Buffer random(Type type, std::size_t count, std::uint64_t seed);
  static Buffer of(Type type, std::span<const double> values);

  std::size_t size() const { return count_; }
  double get(std::size_t index) const;
  void set(std::size_t index, double value);
  void fill(double value);
  std::span<std::byte> bytes() { return bytes_; }

  static std::size_t element_bytes(Type type);

 private:
  Type type_;
  std::size_t count_;
  std::vector<std::byte> bytes_;
};

/// Relative rounding of one store to the type: half an ulp; 0 for integers and float, whose sums are bounded apart.
double rounding(Type type);

/// Of (row, column) in rows of `pitch` elements.
inline std::size_t element_index(int row, int column, int pitch) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(pitch) + static_cast<std::size_t>(column);
}

struct Product {
  int m = 0, n = 0, k = 0;
  bool transpose_left = false, transpose_right = false;
};
/// Element (i, j) of the product, in double.
double product_element(const Product& product, const Buffer& a, const Buffer& b, int i, int j);
/// What |a| * |b| sums to there: the bound of the error of a float sum is k * 2^-23 times this.
double product_magnitude(const Product& product, const Buffer& a, const Buffer& b, int i, int j);

Result<Toolchain> test_toolchain();
std::string kernel_path(std::string_view file);

/// Compiled once a process; an error fails the test at its first use. kernels: empty for all plain ones.
const Result<CompiledLibrary>& library_of(const std::string& file, const std::vector<std::string>& kernels = {},
                                          const std::vector<std::string>& defines = {});

/// Shorthands for a launch with one worker.
struct Launch {
  std::string kernel;
  Uint3 groups{1, 1, 1};
  std::uint32_t threads = 32;
  std::vector<Buffer*> buffers;  ///< by index; null: none
  std::uint64_t seed = 0;
  std::uint32_t schedules = 1;
  std::uint64_t threadgroup_bytes = 0;  ///< of slot 0
  DeviceModel device;
};
Result<LaunchResult> run(const CompiledLibrary& library, const Launch& launch);
LaunchRequest request_of(const Launch& launch);

/// "race d:12 text" for each, for messages.
std::string describe(const std::vector<Report>& reports);
std::string describe(const Diags& diags);

}  // namespace tilewright::msl_emulator::mpp
