// Named lists of problems.
//
// Suites that are drawn use std::mt19937_64 with seed 20261129, whose numbers are the same everywhere, and turn a
// number x of it into u = (x >> 11) 2^-53, uniform in [0, 1); the distributions of the standard library are not
// portable.
//   random40   40 x (M, N, K in that order), each floor(2^(12 u))
//   ragged30   30 pairs, a ragged shape and the even one beside it. The first is 2049x4097x1025 and 2048x4096x1024;
//   then
//              each of M, N, K: even = 64 (4 + floor(29 u)), ragged = even + 1 + floor(63 u). Ragged and even
//              alternate.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/problem.h"
#include "support/result.h"

namespace tilewright::bench {

struct Suite {
  std::string name;
  std::vector<Problem> problems;
  bool pairs = false;  ///< problems 2 i and 2 i + 1 are a ragged shape and the even one beside it
};

struct SuiteName {
  std::string_view name, meaning;
};
std::span<const SuiteName> suite_names();

/// The suite of that name. Suites of matrix shapes are of gemm or, on request, of gemm_bias_gelu; `rows`, `fused` and
/// `attention` name their programs themselves. BadOption: no such suite, or a program that does not go with it.
Result<Suite> make_suite(std::string_view name, std::optional<BenchProgram> program);

}  // namespace tilewright::bench
