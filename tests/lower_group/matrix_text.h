// Matrix programs in every orientation, with or without stages.
#pragma once

#include <string>

namespace tilewright::lower::testing {

struct MatrixText {
  bool a_by_column = false, b_by_column = false;        ///< the tiles: a[k, m], b[n, k]
  bool c_by_column = false;                             ///< acc[n, m]
  bool lhs_transposed = false, rhs_transposed = false;  ///< the buffers: A[K, M], B[N, K]
  bool out_transposed = false;                          ///< C[N, M]
  bool stages = false;                                  ///< a stage for the copies, one for the product
  const char* start = "0.0";                            ///< of the accumulator: a literal, or "R" for a residual
  const char* type = "f32";                             ///< of A and B
  int bm = 32, bn = 32, bk = 16;

  std::string text() const {
    const std::string m = std::to_string(bm), n = std::to_string(bn), k = std::to_string(bk), t = type;
    const std::string row = "i*" + m + " + m", column = "j*" + n + " + n", depth = "s*" + k + " + k";
    const auto pair = [](bool swapped, const std::string& first, const std::string& second) {
      return swapped ? "[" + second + ", " + first + "]" : "[" + first + ", " + second + "]";
    };
    std::string out = "program p(M, N, K) {\n";
    out += "  in A: " + t + pair(lhs_transposed, "M", "K") + "\n  in B: " + t + pair(rhs_transposed, "K", "N") + "\n";
    if (residual()) out += "  in R: f32[M, N]\n";
    out += "  out C: f32" + pair(out_transposed, "M", "N") + "\n";
    out += "  parallel i in ceildiv(M, " + m + "), j in ceildiv(N, " + n + ") {\n";
    out += "    axis m: " + m + ", n: " + n + ", k: " + k + "\n";
    out += "    acc" + pair(c_by_column, "m", "n") + " = " + (residual() ? "R[" + row + ", " + column + "]" : start) +
           "\n";
    out += "    pipeline s in ceildiv(K, " + k + ") {\n" + std::string(stages ? "      stage\n" : "");
    out += "      a" + pair(a_by_column, "m", "k") + " = A" + pair(lhs_transposed, row, depth) + "\n";
    out += "      b" + pair(b_by_column, "k", "n") + " = B" + pair(rhs_transposed, depth, column) + "\n";
    out += std::string(stages ? "      stage\n" : "") + "      acc = mma(a, b, acc)\n    }\n";
    out += "    C" + pair(out_transposed, row, column) + " = acc\n  }\n}\n";
    return out;
  }
  bool residual() const { return start[0] == 'R'; }
};

}  // namespace tilewright::lower::testing
