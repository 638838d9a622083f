// Programs as text, and what the facts of row reductions say about their launches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "realize/row_reduction_facts.h"
#include "tile/program.h"

namespace tilewright::realize {

using Numbers = std::map<std::string, std::int64_t>;

/// Verified and bound.
tile::Program rows_program(const std::string& text, const Numbers& numbers = {},
                           const std::map<std::string, DataType>& types = {});
/// The text of a program of programs/.
std::string rows_library_text(const std::string& name);
std::vector<std::string> rows_library_names();

/// Distinct buffers do not overlap.
proof::Assumptions apart();

RowReductionFacts facts_of(const tile::Program& program, const proof::Assumptions& assumptions = apart(),
                           std::uint32_t launch = 0, const RowReductionRules& rules = {});
/// The test fails where the launch is refused.
RowReductionWorkload workload_of(const tile::Program& program, const RowReductionRules& rules = {});
/// "rows", or the name of the refusal.
std::string answer_of(const tile::Program& program, const proof::Assumptions& assumptions = apart(),
                      std::uint32_t launch = 0);

/// The sweeps as one line: "fold 2x128/257, store 1r, ..": iterations x extent / live elements, rows when not 1 as *r,
/// executions when not 1 as @n.
std::string sweeps_of(const RowReductionWorkload& workload);

/// A softmax of whole rows: maximum, exponentials that are kept, sum, quotient.
inline constexpr const char* kRowSoftmax = R"(program softmax(N, C) {
  in X: f32[N, C]
  out Y: f32[N, C]
  parallel i in N {
    x[c: C] = X[i, c]
    e[c] = exp(x - max(x, c))
    Y[i, c] = e / sum(e, c)
  }
})";

/// A sum of whole rows.
inline constexpr const char* kRowSum = R"(program rowsum(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  parallel i in N {
    x[c: C] = X[i, c]
    S[i] = sum(x, c)
  }
})";

/// RMS normalisation of whole rows.
inline constexpr const char* kRowRmsNorm = R"(program rmsnorm(N, C) {
  in X: f32[N, C]
  in gain: f32[C]
  out Y: f32[N, C]
  parallel i in N {
    x[c: C] = X[i, c]
    g[c] = gain[c]
    Y[i, c] = x * (1.0 / sqrt(sum(x * x, c) / f32(C) + 1e-5)) * g
  }
})";

}  // namespace tilewright::realize
