#include "bench/problem.h"

#include <bit>
#include <iterator>
#include <utility>

#include "support/number_text.h"
#include "support/spelling.h"

namespace tilewright::bench {

namespace {

constexpr std::string_view kProgramNames[] = {"gemm",    "gemm_bias_gelu", "softmax",
                                              "rmsnorm", "attention",      "attention_causal"};
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 20;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;

Diag bad_shape(std::string_view word, BenchProgram program) {
  const std::string form = is_row_program(program) ? "MxN" : "MxNxK";
  return Diag{DiagCode::BadOption,
              "--shapes expects " + form + " with sizes from 1 to " + std::to_string(kMaxExtent) + ", found '" +
                  std::string(word) + "'",
              {},
              is_row_program(program) ? "for example 4096x4096" : "for example 1024x1024x1024",
              {}};
}

/// The sizes that 'x' parts; empty when one is none.
std::vector<std::int64_t> sizes_of(std::string_view word) {
  std::vector<std::int64_t> sizes;
  while (true) {
    const std::size_t cross = std::min(word.find('x'), word.size());
    const auto size = parse_int64(word.substr(0, cross));
    if (!size || *size < 1 || *size > kMaxExtent) return {};
    sizes.push_back(*size);
    if (cross == word.size()) return sizes;
    word.remove_prefix(cross + 1);
  }
}

Result<Problem> parse_shape(std::string_view word, BenchProgram program) {
  const std::vector<std::int64_t> sizes = sizes_of(word);
  const std::size_t wanted = is_row_program(program) ? 2 : 3;
  if (sizes.size() != wanted) return failure(bad_shape(word, program));
  const Problem problem{program, {sizes[0], sizes[1], wanted == 3 ? sizes[2] : 1}};
  for (const OperandInfo& operand : operand_infos(problem))
    if (operand.elements() > kMaxElements)
      return failure(DiagCode::BadOption,
                     "--shapes expects operands of at most 2^31 elements; " + operand.name + " of '" +
                         std::string(word) + "' has " + std::to_string(operand.elements()),
                     "use smaller sizes");
  return problem;
}

}  // namespace

std::string_view bench_program_name(BenchProgram program) { return kProgramNames[static_cast<std::size_t>(program)]; }

Result<BenchProgram> bench_program_from_name(std::string_view name) {
  std::string all;
  for (const BenchProgram program : kBenchPrograms) {
    if (bench_program_name(program) == name) return program;
    all += (all.empty() ? "" : ", ") + std::string(bench_program_name(program));
  }
  std::string hint = did_you_mean(name, {std::begin(kProgramNames), std::end(kProgramNames)});
  if (!hint.empty()) hint += " ";
  return failure(DiagCode::BadOption, "--program expects a program that is compared, found '" + std::string(name) + "'",
                 hint + "they are " + all);
}

bool is_row_program(BenchProgram program) {
  return program == BenchProgram::Softmax || program == BenchProgram::Rmsnorm;
}

bool is_attention(BenchProgram program) {
  return program == BenchProgram::Attention || program == BenchProgram::AttentionCausal;
}

std::string shape_text(const Problem& problem) {
  std::string text = std::to_string(problem.shape.m) + "x" + std::to_string(problem.shape.n);
  if (!is_row_program(problem.program)) text += "x" + std::to_string(problem.shape.k);
  return text;
}

Result<std::vector<Problem>> parse_shapes(std::string_view text, BenchProgram program) {
  std::vector<Problem> problems;
  Diags faults;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto problem = parse_shape(text.substr(0, comma), program);
    if (problem)
      problems.push_back(*problem);
    else
      faults.insert(faults.end(), problem.error().begin(), problem.error().end());
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return problems;
}

double multiply_adds(const Problem& problem) {
  const auto m = static_cast<double>(problem.shape.m);
  const auto n = static_cast<double>(problem.shape.n);
  const auto k = static_cast<double>(problem.shape.k);
  switch (problem.program) {
    case BenchProgram::Gemm:
    case BenchProgram::GemmBiasGelu:
      return m * n * k;
    case BenchProgram::Attention:
      return 2 * m * n * n * k;
    case BenchProgram::AttentionCausal:
      return m * n * (n + 1) * k;
    case BenchProgram::Softmax:
    case BenchProgram::Rmsnorm:
      break;
  }
  return 0;
}

double operand_bytes(const Problem& problem) {
  double bytes = 0;
  for (const OperandInfo& operand : operand_infos(problem)) bytes += 4.0 * static_cast<double>(operand.elements());
  return bytes;
}

double lane_cover(std::int64_t columns, std::int64_t lanes) {
  const std::int64_t beyond = columns % lanes;
  if (beyond == 0 || std::has_single_bit(static_cast<std::uint64_t>(beyond))) return 1;
  const std::int64_t vectors = (columns + lanes - 1) / lanes;
  return static_cast<double>(columns) / static_cast<double>(vectors * lanes);
}

std::int64_t OperandInfo::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

std::vector<OperandInfo> operand_infos(const Problem& problem) {
  const auto [m, n, k] = problem.shape;
  switch (problem.program) {
    case BenchProgram::Gemm:
      return {{"A", {m, k}}, {"B", {k, n}}, {"C", {m, n}}};
    case BenchProgram::GemmBiasGelu:
      return {{"A", {m, k}}, {"B", {k, n}}, {"bias", {n}}, {"C", {m, n}}};
    case BenchProgram::Softmax:
      return {{"X", {m, n}}, {"Y", {m, n}}};
    case BenchProgram::Rmsnorm:
      return {{"X", {m, n}}, {"gain", {n}}, {"Y", {m, n}}};
    case BenchProgram::Attention:
    case BenchProgram::AttentionCausal:
      break;
  }
  return {{"Q", {1, m, n, k}}, {"K", {1, m, n, k}}, {"V", {1, m, n, k}}, {"O", {1, m, n, k}}};
}

}  // namespace tilewright::bench
