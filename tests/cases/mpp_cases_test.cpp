// Rows of the list of public faults that are about tensor operations, on the emulator with the faults of devices that
// it can imitate: a static K is rounded down or read past its end, an operand without elements is read.
#include <algorithm>
#include <cstring>

#include "cases/case_runner.h"
#include "driver/emulate.h"
#include "driver/kernel_impl.h"

namespace tilewright::cases {
namespace {

class MppCases : public OnTargets {};
INSTANTIATE_TEST_SUITE_P(Targets, MppCases, testing::Values(Target::MetalMpp, Target::MetalSimdgroup, Target::Cpu),
                         target_suffix);

double small_number(std::int64_t i) { return static_cast<double>(i * 7 % 13 - 6) / 8; }

/// An input that a number follows, as often as a tile is large.
Array followed_by(Array array, double number, std::size_t count = 2048) {
  array.values.insert(array.values.end(), count, number);
  return array;
}

Case gemm_case(std::int64_t m, std::int64_t n, std::int64_t k, std::map<std::string, std::int64_t> tiles) {
  Case c{.program = "gemm", .numbers = {{"M", m}, {"N", n}, {"K", k}}};
  c.numbers.merge(tiles);
  c.arrays = {
      {"A", make_array({m, k}, small_number)}, {"B", make_array({k, n}, small_number)}, {"C", poisoned({m, n})}};
  return c;
}

/// Its products are tensor operations, for a device that has the faults.
void expect_tensors(const Case& c) {
  const auto program = c.program.starts_with("program") ? Program::parse(c.program) : Program::load(c.program);
  ASSERT_TRUE(program);
  const auto kernel = compile(*program, Bindings{c.numbers, c.types}, {.target = Target::MetalMpp});
  ASSERT_TRUE(kernel) << render(kernel.error());
  const driver::MetalKernel& metal = *kernel->impl().metal;
  std::size_t operations = 0;
  for (const plan::LaunchPlan& launch : metal.planned.planned.plan.launches) operations += launch.matrices.size();
  EXPECT_GT(operations, 0u);
  const msl_emulator::DeviceModel device = driver::emulated_device(metal.planned.device);
  EXPECT_TRUE(device.truncate_static_k && device.overread_static_k && device.zero_extent_reads_row);
}

TEST_P(MppCases, B1_NothingBehindTheContractionIsAdded) {
  for (const std::int64_t k : {588, 33}) {
    Case c = gemm_case(32, 32, k, {{"BM", 32}, {"BN", 32}, {"BK", 32}});
    expect_tensors(c);
    const Contents clean = run(c);
    for (const char* name : {"A", "B"}) c.arrays[name] = followed_by(c.arrays[name], kNaN);
    EXPECT_EQ(only(run(c), "C"), clean.at("C")) << k;
  }
}

TEST_P(MppCases, B2_LongContractionsDoNotDependOnTheirNeighbours) {
  for (const std::int64_t k : {32767, 32768, 32769}) {
    Case c = gemm_case(16, 16, k, {{"BM", 16}, {"BN", 16}, {"BK", 256}});
    expect_tensors(c);
    for (const char* name : {"A", "B", "C"}) c.arrays[name] = followed_by(c.arrays[name], 1e20, 256);
    const Contents after = run(c);
    EXPECT_TRUE(std::all_of(after.at("C").begin() + 256, after.at("C").end(),
                            [](double x) { return x == static_cast<double>(1e20f); }));
  }
}

/// Every descriptor of the text: its arguments.
std::vector<std::string> descriptors(const std::string& text) {
  std::vector<std::string> all;
  const std::string word = "= matmul2d_descriptor(";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    std::string arguments = text.substr(at + word.size(), text.find(';', at) - at - word.size());
    std::erase_if(arguments, [](unsigned char c) { return std::isspace(c) != 0; });
    all.push_back(arguments);
  }
  return all;
}

std::string text_for_mpp(const Case& c) {
  const auto program = Program::load(c.program);
  EXPECT_TRUE(program);
  const auto kernel = compile(*program, Bindings{c.numbers, c.types}, {.target = Target::MetalMpp});
  EXPECT_TRUE(kernel) << render(kernel.error());
  return kernel ? kernel->print_after("msl").value_or("") : "";
}

TEST_P(MppCases, B4_NoDescriptorHasAStaticK) {
  for (const std::int64_t bk : {16, 48}) {
    const Case c = gemm_case(48, 32, 100, {{"BM", 32}, {"BN", 32}, {"BK", bk}});
    expect_tensors(c);
    const std::vector<std::string> found = descriptors(text_for_mpp(c));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find(",static_cast<int>(dynamic_extent),"), std::string::npos) << found[0];
    run(c);  // against the oracle
  }
}

/// The weight of a key that is masked is 0, and what lies behind the last key is no key.
TEST_P(MppCases, B11_RowsPastTheEndAreNeverOperands) {
  constexpr std::int64_t kKeys = 5, kWidth = 16;
  Case c{.program = "attention",
         .numbers = {{"B", 1},
                     {"Hq", 1},
                     {"Hkv", 1},
                     {"Lq", 1},
                     {"Lk", kKeys},
                     {"D", kWidth},
                     {"Dv", kWidth},
                     {"causal", 0},
                     {"BQ", 16},
                     {"BK", 8}}};
  c.arrays = {{"Q", make_array({1, 1, 1, kWidth}, small_number)},
              {"K", make_array({1, 1, kKeys, kWidth}, small_number)},
              {"V", make_array({1, 1, kKeys, kWidth}, small_number)},
              {"scale", filled({}, 0.25)},
              {"O", poisoned({1, 1, 1, kWidth})}};
  expect_tensors(c);
  const Contents clean = run(c);
  for (const char* name : {"K", "V"}) c.arrays[name] = followed_by(c.arrays[name], kInf, 3 * kWidth);
  EXPECT_EQ(only(run(c), "O"), clean.at("O"));
  for (const double value : clean.at("O")) EXPECT_TRUE(std::isfinite(value));
}

/// 13 values of two bytes, which no vector of 16 bytes divides: of a product, and of a copy.
TEST_P(MppCases, B14_ThirteenHalvesAreStored) {
  Case product = gemm_case(1, 13, 16, {{"BM", 16}, {"BN", 16}, {"BK", 16}});
  product.types = {{"T", DataType::F16}};
  for (auto& [name, array] : product.arrays) array.type = DataType::F16;
  product.arrays["C"] = followed_by(poisoned({1, 13}, DataType::F16), 77, 16);
  expect_tensors(product);
  const Case copy{.program = R"(program p(N) {
  in X: f16[1, N]
  out C: f16[1, N]
  parallel i in 1 {
    axis n: 16
    x[n] in shared = X[0, n]
    C[0, n] = x
  }
})",
                  .numbers = {{"N", 13}},
                  .arrays = {{"X", make_array({1, 13}, small_number, DataType::F16)},
                             {"C", followed_by(poisoned({1, 13}, DataType::F16), 77, 16)}}};
  for (const Case& c : {product, copy}) {
    const Contents after = run(c);
    const std::vector<double>& values = after.at("C");
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i] == 77, i >= 13) << i;
  }
}

/// Ties and their neighbours through a product with 1, and one rounding at the store: the rows E8 of the text.
TEST_P(MppCases, E8_OneConversionEverywhere) {
  std::vector<double> x;
  for (double base : {1.0, 1.0078125, 65536.0})
    for (double part : {0.25, 0.5, 0.75})
      for (double ulps : {-1.0, 0.0, 1.0})
        x.push_back(base * (1 + part * 0x1p-7) + ulps * std::ldexp(1.0, std::ilogb(base) - 23));
  const auto count = static_cast<std::int64_t>(x.size());
  const Case c{
      .program = R"(program p(M) {
  in A: f32[M, 16]
  in B: f32[16, 16]
  out C: bf16[M, 16]
  parallel i in ceildiv(M, 16) {
    axis m: 16, n: 16, k: 16
    a[m, k] = A[i*16 + m, k]
    b[k, n] = B[k, n]
    C[i*16 + m, n] = bf16(matmul(a, b, m, n))
  }
})",
      .numbers = {{"M", count}},
      .arrays = {
          {"A", make_array({count, 16},
                           [&](std::int64_t i) { return i % 16 == 0 ? x[static_cast<std::size_t>(i / 16)] : 0; })},
          {"B", make_array({16, 16}, [](std::int64_t i) { return i < 16 ? 1.0 : 0.0; })},
          {"C", poisoned({count, 16}, DataType::BF16)}}};
  expect_tensors(c);
  const std::vector<double> found = only(run(c), "C");
  // bf16 keeps the upper half of an f32: add half of what is cut off, less one where the kept half is even.
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto number = static_cast<float>(x[i / 16]);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, 4);
    bits += 0x7fffu + (bits >> 16 & 1u);
    bits &= 0xffff0000u;
    float rounded = 0;
    std::memcpy(&rounded, &bits, 4);
    EXPECT_EQ(found[i], static_cast<double>(rounded)) << x[i / 16];
  }
}

/// Bits that TF32 or bf16 operands would lose are there, and no descriptor asks for less than f32.
TEST_P(MppCases, E9_ProductsOfFloatsAreProductsOfFloats) {
  Case c = gemm_case(32, 32, 64, {{"BM", 32}, {"BN", 32}, {"BK", 32}});
  c.arrays["A"] =
      make_array({32, 64}, [](std::int64_t i) { return i % 64 < 2 ? (1 + 0x1p-20) * (i % 64 == 0 ? 1 : -1) : 0; });
  c.arrays["B"] = make_array({64, 32}, [](std::int64_t i) { return i < 32 ? 1 : i < 64 ? 1 - 0x1p-20 : 0; });
  expect_tensors(c);
  // (1 + e) - (1 + e)(1 - e) = e + e^2, e = 2^-20.
  for (const double value : only(run(c), "C")) EXPECT_NEAR(value, 0x1p-20, 0x1p-23);
  for (const std::string& arguments : descriptors(text_for_mpp(c))) {
    std::vector<std::string> words(1);
    for (const char letter : arguments)
      if (letter == ',')
        words.emplace_back();
      else
        words.back() += letter;
    ASSERT_EQ(words.size(), 7u) << arguments;
    EXPECT_EQ(words[5], "false") << "relaxed precision: " << arguments;
  }
}

TEST_P(MppCases, F8_AStoreIsNoWiderThanItsTile) {
  for (const std::int64_t n : {8, 5}) {
    Case c = gemm_case(16, n, 16, {{"BM", 16}, {"BN", 8}, {"BK", 16}});
    c.types = {{"T", DataType::F16}};
    for (auto& [name, array] : c.arrays) array.type = DataType::F16;
    c.arrays["C"] = poisoned({16, n}, DataType::F16);
    c.arrays["C"].values.assign(16 * 11, 77);
    c.arrays["C"].strides = {11, 1};
    expect_tensors(c);
    const std::vector<double> after = only(run(c), "C");
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_EQ(after[i] == 77, static_cast<std::int64_t>(i % 11) >= n) << i;
  }
}

}  // namespace
}  // namespace tilewright::cases
