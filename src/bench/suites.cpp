#include "bench/suites.h"

#include <cmath>
#include <random>

#include "support/spelling.h"

namespace tilewright::bench {

namespace {

constexpr SuiteName kSuites[] = {
    {"cpu", "the shapes of the ceiling experiment: square, ragged, flat, narrow and small"},
    {"random40", "40 drawn shapes, M, N, K log-uniform from 1 to 4095"},
    {"ragged30", "30 pairs of a ragged shape and the even one beside it, all sizes at least 256"},
    {"small", "cubes of 2 to 64"},
    {"quick", "ten shapes of every kind that take little time"},
    {"rows", "softmax and rmsnorm, from a few MiB to beyond the caches"},
    {"fused", "gemm_bias_gelu"},
    {"attention", "attention, plain and causal"},
};

constexpr std::uint64_t kSeed = 20261129;

constexpr Shape kCpu[] = {
    {1024, 1024, 1537}, {2049, 4097, 1025}, {64, 64, 64},       {128, 128, 128},   {256, 256, 256}, {512, 512, 512},
    {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {1537, 1000, 777}, {33, 65, 129},   {16, 4096, 4096},
    {1, 4096, 4096},    {128, 4096, 4096},  {4096, 32, 4096},   {100, 100, 100},   {65, 129, 257},  {255, 511, 127},
    {48, 48, 48},       {24, 24, 24},       {7, 7, 7},          {300, 17, 300},    {300, 20, 300},  {1000, 8, 1000},
    {1000, 2, 1000},    {8, 1024, 1024},    {2, 1024, 1024},    {4, 1000, 1000},
};
constexpr Shape kSmall[] = {{2, 2, 2},    {4, 4, 4},    {7, 7, 7},    {8, 8, 8},    {16, 16, 16},
                            {24, 24, 24}, {32, 32, 32}, {48, 48, 48}, {64, 64, 64}, {13, 37, 29}};
constexpr Shape kQuick[] = {{7, 7, 7},       {24, 24, 24},    {64, 64, 64},   {33, 65, 129},   {128, 128, 128},
                            {256, 256, 256}, {512, 512, 512}, {300, 17, 300}, {8, 1024, 1024}, {1024, 32, 1024}};
constexpr Shape kRows[] = {{1024, 1024, 1}, {4096, 4096, 1}, {8192, 4096, 1}, {32768, 1024, 1}, {1000, 33333, 1}};
constexpr Shape kFused[] = {{256, 256, 256}, {1024, 1024, 1024}, {2049, 4097, 1025}, {128, 4096, 1024}};
constexpr Shape kAttention[] = {{8, 1024, 64}, {8, 256, 64}, {2, 2048, 128}};

double uniform(std::mt19937_64& draw) { return std::ldexp(static_cast<double>(draw() >> 11), -53); }

std::int64_t whole(double x) { return static_cast<std::int64_t>(std::floor(x)); }

std::vector<Shape> random_shapes() {
  std::mt19937_64 draw(kSeed);
  std::vector<Shape> shapes;
  for (int i = 0; i < 40; ++i) {
    Shape shape;
    for (std::int64_t* size : {&shape.m, &shape.n, &shape.k}) *size = whole(std::exp2(12 * uniform(draw)));
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<Shape> ragged_pairs() {
  std::mt19937_64 draw(kSeed);
  std::vector<Shape> shapes = {{2049, 4097, 1025}, {2048, 4096, 1024}};
  while (shapes.size() < 60) {
    Shape ragged, even;
    for (std::int64_t Shape::* size : {&Shape::m, &Shape::n, &Shape::k}) {
      even.*size = 64 * (4 + whole(29 * uniform(draw)));
      ragged.*size = even.*size + 1 + whole(63 * uniform(draw));
    }
    shapes.push_back(ragged);
    shapes.push_back(even);
  }
  return shapes;
}

void append(std::vector<Problem>& problems, BenchProgram program, std::span<const Shape> shapes) {
  for (const Shape& shape : shapes) problems.push_back({program, shape});
}

Diag unknown_suite(std::string_view name) {
  std::vector<std::string_view> known;
  std::string all;
  for (const SuiteName& suite : kSuites) {
    known.push_back(suite.name);
    all += (all.empty() ? "" : ", ") + std::string(suite.name);
  }
  std::string hint = did_you_mean(name, known);
  if (!hint.empty()) hint += " ";
  return Diag{DiagCode::BadOption,
              "--suite expects a suite, found '" + std::string(name) + "'",
              {},
              hint + "they are " + all,
              {}};
}

/// The suite's own programs, of which an explicit one picks.
Result<std::vector<BenchProgram>> programs_of(std::string_view suite, std::vector<BenchProgram> own,
                                              std::optional<BenchProgram> program) {
  if (!program) return own;
  for (const BenchProgram candidate : own)
    if (candidate == *program) return std::vector{candidate};
  return failure(DiagCode::BadOption,
                 "--suite " + std::string(suite) + " has no shapes for the program '" +
                     std::string(bench_program_name(*program)) + "'",
                 "leave --program out, or give --shapes");
}

Result<Suite> suite_of(std::string_view name, std::vector<BenchProgram> own, std::optional<BenchProgram> program,
                       std::span<const Shape> shapes) {
  TW_TRY(const auto programs, programs_of(name, std::move(own), program));
  Suite suite{std::string(name), {}, name == "ragged30"};
  for (const BenchProgram each : programs) append(suite.problems, each, shapes);
  return suite;
}

/// Suites of matrix shapes are gemm unless told otherwise.
Result<Suite> matrix_suite(std::string_view name, std::optional<BenchProgram> program, std::span<const Shape> shapes) {
  return suite_of(name, {BenchProgram::Gemm, BenchProgram::GemmBiasGelu}, program.value_or(BenchProgram::Gemm), shapes);
}

}  // namespace

std::span<const SuiteName> suite_names() { return kSuites; }

Result<Suite> make_suite(std::string_view name, std::optional<BenchProgram> program) {
  if (name == "cpu") return matrix_suite(name, program, kCpu);
  if (name == "random40") return matrix_suite(name, program, random_shapes());
  if (name == "ragged30") return matrix_suite(name, program, ragged_pairs());
  if (name == "small") return matrix_suite(name, program, kSmall);
  if (name == "quick") return matrix_suite(name, program, kQuick);
  if (name == "rows") return suite_of(name, {BenchProgram::Softmax, BenchProgram::Rmsnorm}, program, kRows);
  if (name == "fused") return suite_of(name, {BenchProgram::GemmBiasGelu}, program, kFused);
  if (name == "attention")
    return suite_of(name, {BenchProgram::Attention, BenchProgram::AttentionCausal}, program, kAttention);
  return failure(unknown_suite(name));
}

}  // namespace tilewright::bench
