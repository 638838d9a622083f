// Matrix products on groups: rows A11, B10, B13, B15, C3, C4, C5, C6, C8, C12, C13, C14, D9, E9, F5, G5 of the list
// of public faults, on the emulator with all checks. Its races, bounds and divergence would be errors of the run.
#include <algorithm>
#include <bit>

#include "cases/case_runner.h"
#include "driver/kernel_impl.h"
#include "driver/run.h"
#include "kernel/parser.h"
#include "kernel/printer.h"
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"
#include "lower_group/relaxed_atoms.h"
#include "sync/check.h"

namespace tilewright::cases {
namespace {

using lower::testing::MatrixText;
using Numbers = std::map<std::string, std::int64_t>;

class MetalCases : public OnTargets {};
INSTANTIATE_TEST_SUITE_P(Targets, MetalCases, testing::Values(Target::MetalSimdgroup), target_suffix);

Array ones(std::vector<std::int64_t> extents, DataType type = DataType::F32) {
  return filled(std::move(extents), 1, type);
}

/// All products of ones: every element is K.
void expect_all(const std::vector<double>& found, double value) {
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), [&](double one) { return one == value; }));
}

TEST_P(MetalCases, A11_WidthsThatAreNoMultipleOfAVector) {
  for (const std::int64_t offset : {0, 1}) {
    Array c = poisoned({64, 33});
    c.values.resize(c.values.size() + 1, kPoison);
    c.offset = offset;
    const Contents after = run({.program = "gemm",
                                .numbers = {{"M", 64}, {"N", 33}, {"K", 64}},
                                .arrays = {{"A", ones({64, 64}, DataType::BF16)},
                                           {"B", ones({64, 33}, DataType::BF16)},
                                           {"C",
                                            [&] {
                                              c.type = DataType::BF16;
                                              return c;
                                            }()}},
                                .types = {{"T", DataType::BF16}}});
    std::vector<double> found = after.at("C");
    EXPECT_NE(found[offset == 0 ? found.size() - 1 : 0], 64);
    found.erase(offset == 0 ? found.end() - 1 : found.begin());
    expect_all(found, 64);
  }
}

TEST_P(MetalCases, B10_GridsAreRoundedUp) {
  for (const std::int64_t columns : {32, 96}) {
    const Contents after =
        run({.program = "gemm",
             .numbers = {{"M", 1}, {"N", columns}, {"K", 1024}, {"BN", 64}},
             .arrays = {{"A", ones({1, 1024})}, {"B", ones({1024, columns})}, {"C", poisoned({1, columns})}}});
    expect_all(after.at("C"), 1024);
  }
}

TEST_P(MetalCases, B15_OuterProducts) {
  const Contents after = run({.program = "gemm_nt",
                              .numbers = {{"M", 8}, {"N", 8}, {"K", 1}},
                              .arrays = {{"A", make_array({8, 1}, [](std::int64_t i) { return double(i + 1); })},
                                         {"B", make_array({8, 1}, [](std::int64_t i) { return double(i + 1); })},
                                         {"C", poisoned({8, 8})}}});
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t column = 0; column < 8; ++column)
      EXPECT_EQ(after.at("C")[row * 8 + column], static_cast<double>((row + 1) * (column + 1)));
}

/// A masked score of -Inf goes through scalar code; no fragment load sees it.
TEST_P(MetalCases, D9_MasksWithInfinity) {
  const Contents after = run({.program = "attention",
                              .numbers = {{"B", 1},
                                          {"Hq", 1},
                                          {"Hkv", 1},
                                          {"Lq", 16},
                                          {"Lk", 16},
                                          {"D", 16},
                                          {"Dv", 16},
                                          {"causal", 1},
                                          {"BQ", 16},
                                          {"BK", 16}},
                              .arrays = {{"Q", ones({1, 1, 16, 16})},
                                         {"K", ones({1, 1, 16, 16})},
                                         {"V", ones({1, 1, 16, 16})},
                                         {"scale", filled({}, 1)},
                                         {"O", poisoned({1, 1, 16, 16})}}});
  for (const double one : after.at("O")) EXPECT_NEAR(one, 1, 1e-6);
}

constexpr const char* kManyBatches = R"(program p(G) {
  in A: f32[G, 8]
  in B: f32[G, 8]
  out C: f32[G]
  parallel g in G {
    axis m: 8, n: 8, k: 8
    a[m, k] = A[g, k + 8*m]
    b[k, n] = B[g, k + 8*n]
    zero[m, n] = 0.0
    c = mma(a, b, zero)
    C[g + (m + n)*G] = c
  }
})";

/// 65,537 groups: more than 16 bits number.
TEST_P(MetalCases, G5_MoreThanSixteenBitsOfBatches) {
  const std::int64_t batches = 65537;
  const auto number = [](std::int64_t i) { return double(i % 5); };
  const Array a = make_array({batches, 8}, number);
  const Contents after = run({.program = kManyBatches,
                              .numbers = {{"G", batches}},
                              .arrays = {{"A", a}, {"B", ones({batches, 8})}, {"C", poisoned({batches})}}});
  for (std::size_t g = 0; g < static_cast<std::size_t>(batches); ++g) {
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum += a.values[g * 8 + k];
    ASSERT_EQ(after.at("C")[g], sum) << g;
  }
}

// ---- By the plan and the text ---------------------------------------------------------------------------------------

/// Every way to part the tile between subgroups.
TEST(MetalPlans, F5_EverySplitOfOneTile) {
  for (const char* threads : {"32", "64", "128", "256", "512"})
    lower::testing::run_planned("p M=64 N=16 K=64", {{"threads_per_group", threads}},
                                MatrixText{.bm = 64, .bn = 16, .bk = 64}.text());
}

TEST(MetalPlans, B13_SlicesOfTheContractionThatAreEmpty) {
  const char* const text = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[8, M, N]
  parallel p in 8, i in ceildiv(M, 32), j in ceildiv(N, 32) {
    axis m: 32, n: 32, k: 16
    acc[m, n] = 0.0
    serial s in min(1, max(0, ceildiv(K, 16) - p)) {
      a[m, k] = A[i*32 + m, p*16 + k]
      b[k, n] = B[p*16 + k, j*32 + n]
      acc = mma(a, b, acc)
    }
    C[p, i*32 + m, j*32 + n] = acc
  }
})";
  lower::testing::run_planned("p M=64 N=64 K=40", {}, text);
}

std::string metal_text(const lower::testing::Settings& settings) {
  const auto program = Program::load("gemm");
  EXPECT_TRUE(program);
  const auto kernel = compile(*program, {{{"M", 64}, {"N", 64}, {"K", 64}}, {}},
                              {.target = Target::MetalSimdgroup, .settings = settings});
  EXPECT_TRUE(kernel) << render(kernel.error());
  return kernel->print_after("msl").value_or("");
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(MetalPlans, C6_C8_EveryFenceIsABarrierThatOrdersMemory) {
  const auto lowered = lower::testing::lower_line("gemm M=64 N=64 K=64");
  ASSERT_TRUE(lowered);
  const std::string text = metal_text({});
  EXPECT_EQ(count_of(text, "threadgroup_barrier("), count_of(kernel::print(lowered->kernels), "fence "));
  EXPECT_EQ(count_of(text, "mem_none"), 0u);
}

TEST(MetalPlans, C13_C14_StaticArraysAndNoAttributeOfThirtyTwo) {
  for (const std::string threads : {"32", "64"}) {
    const std::string text = metal_text({{"threads_per_group", threads}});
    EXPECT_EQ(count_of(text, "[[threadgroup("), 0u);
    EXPECT_EQ(count_of(text, "max_total_threads_per_threadgroup(32)"), 0u);
    // A group of 32 declares more: a declaration of exactly 32 was miscompiled.
    EXPECT_EQ(count_of(text, "max_total_threads_per_threadgroup(64)"), 1u);
  }
}

/// Every window, also those that are more than two iterations in flight: the same values.
TEST(MetalPlans, C12_EveryWindow) {
  for (const char* window : {"1", "2", "3", "4", "5"}) {
    std::string text = MatrixText{.stages = true}.text();
    const std::string loop = "s in ceildiv(K, 16) {";
    text.replace(text.find(loop), loop.size(), "s in ceildiv(K, 16) window " + std::string(window) + " {");
    for (const char* wanted : {"0", "2"})
      lower::testing::run_planned("p M=64 N=64 K=80", {{"pipeline_window", wanted}}, text);
  }
}

Result<kernel::Program> read_kernel(const std::string& body) {
  return kernel::parse(
      "kernel program p {\n  buffer x: f32[256] read\n  buffer y: f32[256] write\n"
      "  kernel p tasks(%t: 1) group 64 of 32 {\n    alloc s: f32[640] shared\n" +
          body + "  }\n}\n",
      "test");
}
kernel::Program kernel_of(const std::string& body) {
  auto program = read_kernel(body);
  EXPECT_TRUE(program) << render(program.error());
  return std::move(*program);
}

/// A barrier under a condition that differs between workers is no program.
TEST(MetalPlans, C3_NoBarrierWhereWorkersPart) {
  const std::string inside = R"(    %w: i64 = worker
    %0: i64 = const 0
    %4: i64 = const 4
    %r: i64 = floormod %w, %4
    %c: i1 = eq %r, %0
    if %c {
      fence 0 compiler group orders shared device
    }
)";
  const auto found = read_kernel(inside);
  ASSERT_FALSE(found);
  EXPECT_NE(render(found.error()).find("not all of it comes here"), std::string::npos) << render(found.error());
}

/// The fence on the way back: no subgroup writes what a slower one still reads, in whatever order they run.
TEST(MetalPlans, C4_SubgroupsInEveryOrder) {
  const auto program = Program::load("gemm");
  ASSERT_TRUE(program);
  CompileOptions options{.target = Target::MetalSimdgroup, .settings = {{"threads_per_group", "128"}}};
  options.emulation.schedules = 40;
  const auto kernel =
      compile(*program, {{{"M", 32}, {"N", 32}, {"K", 64}, {"BM", 32}, {"BN", 32}, {"BK", 16}}, {}}, options);
  ASSERT_TRUE(kernel) << render(kernel.error());
  std::vector<float> a(32 * 64, 1), b(64 * 32, 1), c(32 * 32, -1);
  const auto view = [](std::vector<float>& memory, std::int64_t rows, std::int64_t columns) {
    const auto count = static_cast<std::int64_t>(memory.size());
    return ArrayView{DataType::F32, reinterpret_cast<std::byte*>(memory.data()), count, 0, {rows, columns}, {}};
  };
  const auto ran = kernel->run({{"A", view(a, 32, 64)}, {"B", view(b, 64, 32)}, {"C", view(c, 32, 32)}});
  ASSERT_TRUE(ran) << render(ran.error());
  EXPECT_EQ(c, std::vector<float>(32 * 32, 64));
}

/// A fragment is 64 elements, not one: subgroup 1 loads 4 columns of what subgroup 0 stores.
TEST(MetalPlans, C5_FragmentsThatOverlapByColumns) {
  const auto body = [](const std::string& between) {
    return R"(    %0: i64 = const 0
    %4: i64 = const 4
    %40: i64 = const 40
    %z: f32 = const 1.0
    %g: i64 = subgroup
    %c: i1 = eq %g, %0
    %f: f32.8x8 = fragment_fill %z
    if %c {
      fragment_store s[%0] stride %40 = %f
    }
)" + between +
           R"(    if %c {
    } else {
      %l: f32.8x8 = fragment_load s[%4] stride %40
      fragment_store s[%4] stride %40 = %l
    }
)";
  };
  const auto objections = [](const kernel::Program& program) {
    return sync::unordered_accesses(program, 0, {.distinct_buffers = true}).size();
  };
  EXPECT_GT(objections(kernel_of(body(""))), 0u);
  EXPECT_EQ(objections(kernel_of(body("    fence 0 compiler group orders shared\n"))), 0u);
}

/// Through the emulator: widths that are no power of two, and every copy batch.
TEST(MetalPlans, WidthsAndCopyBatches) {
  for (const char* setting : {"threads_per_group=32", "threads_per_group=96", "threads_per_group=160",
                              "threads_per_group=1024", "max_copy_batch=4", "max_copy_batch=16"}) {
    driver::RunRequest request;
    request.program = "gemm";
    request.assignments = {"M=70", "N=45", "K=37", "BM=32", "BN=32", "BK=16"};
    request.target = Target::MetalSimdgroup;
    request.check = true;
    ASSERT_TRUE(driver::apply_setting(request, setting));
    const auto report = driver::run_program(request);
    ASSERT_TRUE(report) << setting << render(report.error());
    EXPECT_TRUE(report->ok()) << setting;
  }
}

/// 1 and a fraction that no bit of it is zero for long in.
double ragged(std::int64_t i) {
  return static_cast<float>(1 + std::fmod(static_cast<double>(i + 1) * 0.6180339887, 1));
}
/// What ten bits of mantissa hold of it.
double cut_to_ten_bits(double x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) & ~0x1fffu);
}

/// A device that rounds f32 operands when it may does so for the program that permits it, and for no other one; the
/// whole output is within the bounds of each program (case_runner.h).
TEST(MetalMppCases, E9_FullPrecisionUnlessThePermissionIsWritten) {
  const std::string strict = MatrixText{}.text(), relaxed = lower::testing::with_relaxed_product(strict);
  const auto product = [](const std::string& text, const char* device, auto&& number) {
    Case c{.program = text, .numbers = {{"M", 33}, {"N", 17}, {"K", 40}}, .device = device};
    c.arrays["A"] = make_array({33, 40}, number);
    c.arrays["B"] = make_array({40, 17}, [&](std::int64_t i) { return number(i + 5000); });
    c.arrays["C"] = poisoned({33, 17});
    return only(run(Target::MetalMpp, c), "C");
  };
  const auto cut = [](std::int64_t i) { return cut_to_ten_bits(ragged(i)); };
  const std::vector<double> full = product(strict, "apple-m5", ragged);
  EXPECT_EQ(product(relaxed, "generic-metal4", ragged), full);
  const std::vector<double> rounded = product(relaxed, "apple-m5", ragged);
  EXPECT_EQ(rounded, product(strict, "apple-m5", cut));
  double least = kInf, farthest = 0;
  for (std::int64_t m = 0; m < 33; ++m)
    for (std::int64_t n = 0; n < 17; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < 40; ++k) sum += ragged(m * 40 + k) * ragged(k * 17 + n + 5000);
      const auto i = static_cast<std::size_t>(m * 17 + n);
      farthest = std::max(farthest, std::abs(full[i] / sum - 1));
      least = std::min(least, std::abs(rounded[i] / sum - 1));
    }
  EXPECT_LT(farthest, 2e-6);
  EXPECT_GT(least, 2e-4);
}

/// The report says which: the text of the operation, the flags and the plan.
TEST(MetalMppCases, E9_TheTextSaysWhetherItMayRound) {
  for (const bool permitted : {false, true})
    for (const char* type : {"f32", "f16"})
      for (const Target target : {Target::MetalMpp, Target::MetalSimdgroup}) {
        const std::string text = MatrixText{.type = type}.text();
        const auto program = Program::parse(permitted ? lower::testing::with_relaxed_product(text) : text);
        ASSERT_TRUE(program) << render(program.error());
        const auto kernel = compile(*program, {{{"M", 64}, {"N", 64}, {"K", 32}}, {}}, {.target = target});
        ASSERT_TRUE(kernel) << render(kernel.error());
        const artifact::Artifact& made = kernel->impl().metal->text;
        const bool rounds = permitted && target == Target::MetalMpp && std::string_view(type) == "f32";
        EXPECT_EQ(std::ranges::count(made.flags, "relaxed-precision"), rounds ? 1 : 0);
        const std::string flags = made.code.substr(made.code.find("// flags: "), 200);
        EXPECT_EQ(flags.substr(0, flags.find('\n')).ends_with(", relaxed-precision"), rounds);
        EXPECT_EQ(made.code.find(", true, matmul2d_descriptor::mode") != std::string::npos, rounds);
        EXPECT_EQ(made.code.find(", false, matmul2d_descriptor::mode") != std::string::npos,
                  !rounds && target == Target::MetalMpp);
      }
}

}  // namespace
}  // namespace tilewright::cases
