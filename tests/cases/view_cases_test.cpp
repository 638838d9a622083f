// Strides, views, degenerate axes, aliasing: rows A2, A4-A8, A10 of the list of public faults.
#include "cases/case_runner.h"

#include "driver/guarded_buffer.h"

namespace tilewright::cases {
namespace {

using ViewCases = OnTargets;
TW_ON_ALL_TARGETS(ViewCases);

double centred_ramp(std::int64_t i) { return static_cast<double>(i % 13) - 6; }

TEST_P(ViewCases, A2_UnitContractionReadsTheDeclaredStrides) {
  Case c{.program = "batched_gemm", .numbers = {{"G", 2}, {"M", 17}, {"N", 16}, {"K", 1}}};
  c.arrays["A"] = make_array({2, 17, 1}, centred_ramp);
  Array b = filled({2, 1, 16}, kNaN);
  b.values.assign(33 + 31, kNaN);
  b.strides = {33, 1, 2};
  for (std::int64_t g = 0; g < 2; ++g)
    for (std::int64_t n = 0; n < 16; ++n) b.values[static_cast<std::size_t>(g * 33 + n * 2)] = centred_ramp(g * 5 + n);
  c.arrays["B"] = b;
  c.arrays["C"] = poisoned({2, 17, 16});
  const auto out = run(c).at("C");
  for (std::int64_t g = 0; g < 2; ++g)
    for (std::int64_t m = 0; m < 17; ++m)
      for (std::int64_t n = 0; n < 16; ++n)
        EXPECT_EQ(out[static_cast<std::size_t>((g * 17 + m) * 16 + n)],
                  centred_ramp(g * 17 + m) * centred_ramp(g * 5 + n));
}

TEST_P(ViewCases, A4_OutputIsAColumnSliceOfAWiderMatrix) {
  Case c{.program = "gemm", .numbers = {{"M", 256}, {"N", 256}, {"K", 3}}};
  c.arrays["A"] = make_array({256, 3}, centred_ramp);
  c.arrays["B"] = filled({3, 256}, 1.0);
  Array wide = filled({256, 256}, kPoison);
  wide.values.assign(256 * 512, 77.0);
  wide.strides = {512, 1};
  wide.offset = 128;
  c.arrays["C"] = wide;
  const auto out = run(c).at("C");
  for (std::int64_t m = 0; m < 256; ++m)
    for (std::int64_t n = 0; n < 512; ++n) {
      const double expected =
          n < 128 || n >= 384 ? 77.0 : centred_ramp(m * 3) + centred_ramp(m * 3 + 1) + centred_ramp(m * 3 + 2);
      ASSERT_EQ(out[static_cast<std::size_t>(m * 512 + n)], expected) << m << ", " << n;
    }
}

TEST_P(ViewCases, A5_BroadcastBatchNeedsNoLargerBuffer) {
  Case c{.program = "batched_gemm", .numbers = {{"G", 5}, {"M", 9}, {"N", 16}, {"K", 16}}};
  Array a = make_array({9, 16}, centred_ramp);
  a.extents = {5, 9, 16};
  a.strides = {0, 16, 1};
  c.arrays["A"] = a;
  Array b = make_array({16, 16}, [](std::int64_t i) { return i % 17 == 0 ? 1.0 : 0.0; });
  b.extents = {5, 16, 16};
  b.strides = {0, 16, 1};
  c.arrays["B"] = b;
  c.arrays["C"] = poisoned({5, 9, 16});
  const auto out = run(c).at("C");
  for (std::int64_t i = 0; i < 5 * 9 * 16; ++i)
    ASSERT_EQ(out[static_cast<std::size_t>(i)], centred_ramp(i % (9 * 16))) << i;
}

TEST_P(ViewCases, A6_RowStrideOfASingleRowIsIgnored) {
  Case c{.program = "gemm", .numbers = {{"M", 1}, {"N", 3}, {"K", 2048}}};
  Array a = filled({1, 2048}, 1.0);
  a.strides = {16384, 1};
  c.arrays["A"] = a;
  c.arrays["B"] = filled({2048, 3}, 1.0);
  c.arrays["C"] = poisoned({1, 3});
  EXPECT_EQ(run(c).at("C"), (std::vector<double>{2048, 2048, 2048}));
}

TEST_P(ViewCases, A6_AllStridesZeroIsAConstantMatrix) {
  Case c{.program = "gemm", .numbers = {{"M", 1}, {"N", 1}, {"K", 2}}};
  c.arrays["A"] = Array{{1, 2}, {3.0}, {0, 0}};
  c.arrays["B"] = Array{{2, 1}, {1.0, 10.0}};
  c.arrays["C"] = poisoned({1, 1});
  EXPECT_EQ(run(c).at("C"), std::vector<double>{33.0});
}

TEST_P(ViewCases, A7_TransposedOperandWithOneColumn) {
  Case c{.program = "gemm_nt", .numbers = {{"M", 64}, {"N", 1}, {"K", 32}}};
  c.arrays["A"] = make_array({64, 32}, centred_ramp);
  c.arrays["B"] = filled({1, 32}, 1.0);
  c.arrays["C"] = poisoned({64, 1});
  const auto out = run(c).at("C");
  for (std::int64_t m = 0; m < 64; ++m) {
    double sum = 0;
    for (std::int64_t k = 0; k < 32; ++k) sum += centred_ramp(m * 32 + k);
    EXPECT_EQ(out[static_cast<std::size_t>(m)], sum) << m;
  }
}

TEST_P(ViewCases, A7_ColumnMajorOperandOverASweepOfShapes) {
  for (std::int64_t m : {1, 2, 16, 63, 65})
    for (std::int64_t n : {1, 3, 33, 64})
      for (std::int64_t k : {1, 7, 16, 33}) {
        Case c{.program = "gemm", .numbers = {{"M", m}, {"N", n}, {"K", k}}};
        Array a = make_array({m, k}, centred_ramp);
        a.strides = {1, m};
        c.arrays["A"] = a;
        c.arrays["B"] = filled({k, n}, 1.0);
        c.arrays["C"] = poisoned({m, n});
        const auto out = run(c).at("C");
        for (std::int64_t row = 0; row < m; ++row) {
          double sum = 0;
          for (std::int64_t i = 0; i < k; ++i) sum += centred_ramp(i * m + row);
          for (std::int64_t column = 0; column < n; ++column)
            ASSERT_EQ(out[static_cast<std::size_t>(row * n + column)], sum) << m << "x" << n << "x" << k;
        }
      }
}

/// A and C in one buffer of 10 rows of 5: C starts `rows` rows behind A.
void expect_overlap_refused(Target target, std::int64_t rows) {
  auto program = Program::load("gemm");
  ASSERT_TRUE(program);
  auto kernel = compile(*program, {.numbers = {{"M", 5}, {"N", 5}, {"K", 5}}, .types = {}}, {.target = target});
  ASSERT_TRUE(kernel);
  std::vector<float> shared(50, 1.0f), b(25, 1.0f);
  auto view = [](std::vector<float>& values, std::int64_t offset) {
    return ArrayView{DataType::F32,
                     reinterpret_cast<std::byte*>(values.data()),
                     static_cast<std::int64_t>(values.size()),
                     offset,
                     {5, 5},
                     {5, 1}};
  };
  auto done = kernel->run({{"A", view(shared, 0)}, {"B", view(b, 0)}, {"C", view(shared, rows * 5)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, DiagCode::BufferOverlap);
  const std::string text = render(done.error());
  for (const char* word : {"'A'", "'C'", "byte"}) EXPECT_NE(text.find(word), std::string::npos) << text;
  for (float value : shared) EXPECT_EQ(value, 1.0f);
}

TEST_P(ViewCases, A8_OutputThatIsAnInputIsRefused) { expect_overlap_refused(GetParam(), 0); }
TEST_P(ViewCases, A8_OutputThatOverlapsAnInputByThreeRowsIsRefused) { expect_overlap_refused(GetParam(), 2); }

TEST_P(ViewCases, A10_RaggedTilesStayInside) {
  Case c{.program = "gemm", .numbers = {{"M", 100}, {"N", 100}, {"K", 100}, {"BM", 16}, {"BN", 16}, {"BK", 16}}};
  c.arrays["A"] = make_array({100, 100}, centred_ramp);
  c.arrays["B"] = make_array({100, 100}, [](std::int64_t i) { return i % 101 == 0 ? 1.0 : 0.0; });
  c.arrays["C"] = poisoned({100, 100});
  const auto out = run(c).at("C");
  for (std::int64_t i = 0; i < 10000; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], centred_ramp(i)) << i;
}

TEST_P(ViewCases, F3_OperandTileStoredAgainIsUnchanged) {
  Case c{.program = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  out D: f32[M, K]
  parallel i in ceildiv(M, 8) {
    a[m: 8, k: K] = A[i*8 + m, k]
    b[k, n: N] = B[k, n]
    c = matmul(a, b, m, n)
    C[i*8 + m, n] = c
    D[i*8 + m, k] = a
  }
})",
         .numbers = {{"M", 11}, {"N", 5}, {"K", 7}}};
  c.arrays["A"] = make_array({11, 7}, centred_ramp);
  c.arrays["B"] = make_array({7, 5}, centred_ramp);
  c.arrays["C"] = poisoned({11, 5});
  c.arrays["D"] = poisoned({11, 7});
  EXPECT_EQ(run(c).at("D"), c.arrays["A"].values);
}

/// A buffer of 2^31 + 128 elements of address space of which only the ends are touched.
TEST_P(ViewCases, G3_OffsetsPastTwoToTheThirtyOne) {
  constexpr std::int64_t kOffset = (std::int64_t{1} << 31) + 64;
  auto program = Program::load("gemm");
  ASSERT_TRUE(program);
  auto kernel = compile(*program, {.numbers = {{"M", 4}, {"N", 4}, {"K", 4}}, .types = {}}, {.target = GetParam()});
  ASSERT_TRUE(kernel);
  auto make = [&](double scale) {
    auto buffer = driver::GuardedBuffer::make(DataType::F32, kOffset + 16);
    EXPECT_TRUE(buffer);
    for (std::int64_t i = 0; i < 16; ++i)
      reinterpret_cast<float*>(buffer->data())[kOffset + i] = static_cast<float>(i * scale);
    return buffer;
  };
  auto a = make(1), b = make(1), out = make(0);
  auto view = [&](const Result<driver::GuardedBuffer>& buffer) {
    return ArrayView{DataType::F32, buffer->data(), kOffset + 16, kOffset, {4, 4}, {4, 1}};
  };
  auto done = kernel->run({{"A", view(a)}, {"B", view(b)}, {"C", view(out)}});
  ASSERT_TRUE(done) << render(done.error());
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 4; ++n) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += static_cast<float>(m * 4 + k) * static_cast<float>(k * 4 + n);
      EXPECT_EQ(reinterpret_cast<float*>(out->data())[kOffset + m * 4 + n], sum);
    }
  EXPECT_EQ(out->harmed_guard_bytes(), 0);
}

/// A row stride that carries single addresses past 2^31 elements.
TEST_P(ViewCases, G3_StridesPastTwoToTheThirtyOne) {
  if (is_metal(GetParam())) GTEST_SKIP() << "the emulator takes buffers of at most 4 GiB";
  constexpr std::int64_t kStride = (std::int64_t{1} << 30) + 3;
  auto program = Program::load("rowsum");
  ASSERT_TRUE(program);
  auto kernel = compile(*program, {.numbers = {{"N", 4}, {"C", 2}}, .types = {}},
                        {.target = GetParam(), .layouts = {{"X", {{kStride, 1}}}}});
  ASSERT_TRUE(kernel);
  auto x = driver::GuardedBuffer::make(DataType::F32, 3 * kStride + 2);
  ASSERT_TRUE(x);
  for (std::int64_t row = 0; row < 4; ++row)
    for (std::int64_t column = 0; column < 2; ++column)
      reinterpret_cast<float*>(x->data())[row * kStride + column] = static_cast<float>(row * 10 + column);
  std::vector<float> sums(4, -1.0f);
  auto done = kernel->run({{"X", {DataType::F32, x->data(), 3 * kStride + 2, 0, {4, 2}, {kStride, 1}}},
                           {"S", {DataType::F32, reinterpret_cast<std::byte*>(sums.data()), 4, 0, {4}, {1}}}});
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(sums, (std::vector<float>{1, 21, 41, 61}));
}

}  // namespace
}  // namespace tilewright::cases
