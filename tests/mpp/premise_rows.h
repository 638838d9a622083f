// One product and what stands in the way of its views, its accumulator, its store and its epilogue: a row a
// counterexample, with what the plan keeps and says.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::mpp {

/// What becomes of the product.
enum class Keeps {
  Nothing,      ///< views, direct output
  SnapshotOfA,  ///< B from a view, direct output
  Snapshots,    ///< of both operands; direct output
  StagedC,      ///< views; the accumulator stays in fragments, and goes through shared storage to the store
  SharedC,      ///< views; the accumulator is in shared storage
  Scalar,       ///< no tensor operation
};

struct PremiseRow {
  const char* name;
  std::vector<std::pair<std::string, std::string>> edits;     ///< of the text, each everywhere
  std::vector<std::pair<std::string, std::string>> settings;  ///< of the planner
  Keeps keeps;
  /// Of the remark about it: how it begins, and what it names; empty: there is nothing to say.
  std::string remark, names;
  const char* sizes = "M=70 N=45 K=23";
  std::int64_t other_bytes = 0;  ///< of shared tiles beside A, B, C and D
  bool runs = true;              ///< false: nothing can run it (an opaque call)
};

inline constexpr const char* kSquareText = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out D: f32[M, N]
  parallel i in ceildiv(M, 32), j in ceildiv(N, 32) {
    axis m: 32, n: 32, k: 16
    acc[m, n] = 0.0
    serial s in ceildiv(K, 16) {
      a[m, k] = A[i*32 + m, s*16 + k]
      b[k, n] = B[s*16 + k, j*32 + n]
      acc = mma(a, b, acc)
    }
    D[i*32 + m, j*32 + n] = acc
  }
}
)";

/// The text with the edits of the row; a failed test where one finds nothing to replace.
std::string text_of(const PremiseRow& row);

/// Snapshots and bounded views: background 4.3 and 4.4.
std::vector<PremiseRow> view_rows();
/// Bounded stores: background 4.8.
std::vector<PremiseRow> store_rows();
/// Epilogues: background 4.9.
std::vector<PremiseRow> epilogue_rows();

}  // namespace tilewright::mpp
