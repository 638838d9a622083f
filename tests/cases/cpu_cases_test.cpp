// Faults that matrix kernels for processors had in public.
#include "cases/case_runner.h"

#include "driver/compile_for.h"
#include "driver/kernel_impl.h"

namespace tilewright::cases {
namespace {

double saw(std::int64_t i) { return static_cast<double>(i * 37 % 101) / 64 - 0.75; }

TEST(CpuCases, A12_OddRowsFromAnUnalignedBaseOfHalves) {
  // 50257 rows, and views that begin 2 bytes behind any alignment.
  constexpr std::int64_t kRows = 50257;
  Array a = make_array({kRows, 3}, saw, DataType::F16);
  a.values.insert(a.values.begin(), kPoison / 1e28);
  a.offset = 1;
  Array b = make_array({3, 5}, saw, DataType::F16);
  b.values.insert(b.values.begin(), 1.0);
  b.offset = 1;
  run(Target::Cpu, {.program = "gemm",
                    .numbers = {{"M", kRows}, {"N", 5}, {"K", 3}, {"BM", 64}},
                    .arrays = {{"A", a}, {"B", b}, {"C", poisoned({kRows, 5}, DataType::F16)}},
                    .types = {{"T", DataType::F16}}});
}

TEST(CpuCases, E13_ASumThatASineAmplifies) {
  run(Target::Cpu,
      {.program = R"(program p(M, N) {
  in X: f32[M, N]
  out Y: f32[M]
  parallel i in ceildiv(M, 4) {
    x[m: 4, n: N] = X[i*4 + m, n]
    Y[i*4 + m] = sin(sum(x, n))
  }
})",
       .numbers = {{"M", 9}, {"N", 100}},
       .arrays = {{"X", make_array({9, 100}, [](std::int64_t i) { return saw(i) * 40; })}, {"Y", poisoned({9})}}});
}

/// Bytes of the object code of a program at sizes.
std::size_t code_bytes(const std::string& text, const Bindings& bindings) {
  const auto program = text.starts_with("program") ? Program::parse(text) : Program::load(text);
  EXPECT_TRUE(program);
  const auto kernel = driver::compile_for(*program, bindings, {}, driver::Purpose::Look);
  EXPECT_TRUE(kernel) << render(kernel.error());
  return kernel->impl().object.code.size();
}

TEST(CpuCases, H9_CodeDoesNotGrowWithTheTile) {
  constexpr const char* kPointwise = R"(program p(M, N; BM: {4} = 4, BN: {65536} = 65536) {
  in X: f32[M, N]
  out Y: f32[M, N]
  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {
    x[m: BM, n: BN] = X[i*BM + m, j*BN + n]
    Y[i*BM + m, j*BN + n] = exp(x) * x + 1.0
  }
})";
  constexpr std::size_t kMost = 64 << 10;
  EXPECT_LT(code_bytes(kPointwise, {{{"M", 8}, {"N", 131072}}, {}}), kMost);
  EXPECT_LT(code_bytes("gemm", {{{"M", 512}, {"N", 512}, {"K", 512}, {"BM", 256}, {"BN", 256}}, {}}), kMost);
  EXPECT_LT(
      code_bytes(
          "attention",
          {{{"B", 1}, {"Hq", 2}, {"Hkv", 2}, {"Lq", 512}, {"Lk", 512}, {"D", 64}, {"Dv", 64}, {"BQ", 256}, {"BK", 256}},
           {}}),
      2 * kMost);
}

TEST(CpuCases, H12_ARowHasItsBitsAloneAndInABatch) {
  const auto rows = [](std::int64_t count) {
    return only(run(Target::Cpu, {.program = "gemm",
                                  .numbers = {{"M", count}, {"N", 33}, {"K", 65}},
                                  .arrays = {{"A", make_array({count, 65}, [](std::int64_t i) { return saw(i % 65); })},
                                             {"B", make_array({65, 33}, [](std::int64_t i) { return saw(i * 3); })},
                                             {"C", poisoned({count, 33})}}}),
                "C");
  };
  const std::vector<double> alone = rows(1);
  for (const std::int64_t count : {7, 40}) {
    const std::vector<double> batch = rows(count);
    for (std::size_t i = 0; i < batch.size(); ++i)
      ASSERT_EQ(batch[i], alone[i % 33]) << count << " rows, element " << i;
  }
}

}  // namespace
}  // namespace tilewright::cases
