// One kernel text whose tasks are products of any size: extents and places are numbers in a buffer, so that the text
// has every path, and one launch runs many cases.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emit_msl/emulated.h"
#include "kernel/program.h"

namespace tilewright::emit_msl {

/// D = A B, or D = A B + C, of an operation of m x n.
struct TensorKernel {
  int m = 16, n = 40;
  int depth = 24;  ///< the most that a case has
  kernel::ScalarType a = kernel::ScalarType::F32, b = kernel::ScalarType::F32;
  bool a_transposed = false, b_transposed = false;
  bool c_transposed = false, d_transposed = false;
  bool accumulates = true;
  bool relaxed = false;
};

/// One product. Elements that are not there hold NaN.
struct TensorCase {
  int depth = 0, rows = 0, columns = 0;  ///< of A and B
  int out_rows = 0, out_columns = 0;     ///< of D
  std::vector<float> a, b, c;            ///< depth, m, n by rows: m x depth, depth x n, m x n
};

/// The program, and the memory that its cases need.
class TensorRun {
 public:
  TensorRun(const TensorKernel& kernel, const std::vector<TensorCase>& cases);

  const kernel::Program& program() const { return program_; }
  const BufferBytes& memory() const { return memory_; }
  /// Distinct elements of A and of B that the cases need: those of the other operand too where one is empty.
  std::array<std::uint64_t, 2> needed() const { return needed_; }
  /// Cases with elements of A and of B.
  std::uint64_t products() const { return products_; }

 private:
  kernel::Program program_;
  BufferBytes memory_;
  std::array<std::uint64_t, 2> needed_{};
  std::uint64_t products_ = 0;
};

}  // namespace tilewright::emit_msl
