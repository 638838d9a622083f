// What is timed: a program at sizes.
//
// Every operand is dense row-major f32; its extents are those of the program of that name in programs/.
//   gemm, gemm_bias_gelu            m x n x k: A[m, k] B[k, n] (bias[n]) -> C[m, n]
//   softmax, rmsnorm                m rows of n columns: X[m, n] (gain[n]) -> Y[m, n]; k is 1
//   attention, attention_causal     m heads, length n, depth k: Q K V [1, m, n, k] -> O; scale 1/sqrt(k)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright::bench {

enum class BenchProgram : std::uint8_t { Gemm, GemmBiasGelu, Softmax, Rmsnorm, Attention, AttentionCausal };

inline constexpr BenchProgram kBenchPrograms[] = {BenchProgram::Gemm,      BenchProgram::GemmBiasGelu,
                                                  BenchProgram::Softmax,   BenchProgram::Rmsnorm,
                                                  BenchProgram::Attention, BenchProgram::AttentionCausal};

std::string_view bench_program_name(BenchProgram program);
/// BadOption lists what there is.
Result<BenchProgram> bench_program_from_name(std::string_view name);
/// Of rows: timed against a copy; the others against the peak of fused multiply-adds.
bool is_row_program(BenchProgram program);
bool is_attention(BenchProgram program);

struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
  bool operator==(const Shape&) const = default;
};

struct Problem {
  BenchProgram program = BenchProgram::Gemm;
  Shape shape;
  bool operator==(const Problem&) const = default;
};

/// "MxNxK", or "MxN" for a program of rows.
std::string shape_text(const Problem& problem);
/// MxNxK,.. (MxN,.. for programs of rows), every size at least 1 and at most 2^20, at most 2^31 elements an operand:
/// BadOption.
Result<std::vector<Problem>> parse_shapes(std::string_view text, BenchProgram program);

/// Multiply-adds of the matrix products (half of the square for a causal mask); 0 for programs of rows.
double multiply_adds(const Problem& problem);
/// Bytes of all operands, each once.
double operand_bytes(const Problem& problem);
/// The share of vector lanes that column vectors of `lanes` floats can fill: n / (lanes ceil(n / lanes)); 1 where the
/// columns beyond full vectors are a power of two, since K can then be split over the lanes.
double lane_cover(std::int64_t columns, std::int64_t lanes);

/// One operand as the program names it.
struct OperandInfo {
  std::string name;
  std::vector<std::int64_t> extents;

  std::int64_t elements() const;
};
/// The inputs in the order of the program, then the output.
std::vector<OperandInfo> operand_infos(const Problem& problem);

}  // namespace tilewright::bench
