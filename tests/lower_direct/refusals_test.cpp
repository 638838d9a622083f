// What the direct route refuses, and how it fits the parameters to a device.
#include "driver/faults.h"
#include "lower_direct/direct_run.h"

namespace tilewright::lower::testing {
namespace {

/// A launch around one statement, with a tile x of 16.
std::string launch_of(const std::string& statement, const std::string& scope = "") {
  return "program p(N) {\n  in X: f32[N]\n  out Y: f32[N]\n  parallel i in ceildiv(N, 16) " + scope +
         "{\n    axis m: 16\n    x[m] = X[i*16 + m]\n    " + statement + "\n    Y[i*16 + m] = x\n  }\n}";
}

TEST(DirectRefusals, WhatOneSubgroupDoesNotServe) {
  const auto refuse = [](const std::string& text, std::initializer_list<const char*> fragments) {
    expect_fault(direct_kernel("p N=3", text), DiagCode::Unsupported, fragments);
  };
  refuse(launch_of("memory S: f32[16]\n S[m] = x\n x = S[m]"), {"explicit memory, such as 'S'", "--route planned"});
  refuse(launch_of("opaque \"mystery\"(x)"), {"opaque call 'mystery'", "tile operations"});
  refuse(launch_of("y[m] in private = x * 2.0\n x = y + 1.0"), {"'y' is placed elsewhere", "make it shared"});
  refuse(launch_of("parallel q in 2 scope worker {\n Y[q] = 1.0\n }"), {"bound to another scope"});
  refuse(launch_of("", "scope worker "), {"bound to another scope"});
  EXPECT_TRUE(run_direct("p N=19", launch_of("", "scope group ")));
  EXPECT_TRUE(run_direct("p N=19", launch_of("y[m] in shared = x * 2.0\n x = y + 1.0")));
}

std::string product_of(const std::string& m, const std::string& n, const std::string& more = "") {
  return "program p(M; T: type {f32, f16, i32} = f32) {\n  in A: f32[M, 8]\n  out C: f32[M, " + n +
         "]\n  parallel i in M {\n    axis m: " + m + ", n: " + n +
         ", k: 8\n    a[m, k] = A[m, k]\n    b[k, n] = 1.0\n    c[m, n] = 0.0\n    C[m, n] = mma(a, b, c" + more +
         ")\n  }\n}";
}

TEST(DirectRefusals, ProductsThatNoTensorOperationMakes) {
  expect_fault(direct_kernel("p M=1", product_of("12", "16")), DiagCode::Unsupported,
               {"12 x 16 x 8", "m = 12: metal.mpp takes multiples of 8", "--route planned"});
  expect_fault(direct_kernel("p M=1", product_of("8", "24")), DiagCode::Unsupported, {"neither is a multiple of 16"});
  expect_fault(direct_kernel("p M=1", product_of("16", "8", ", ordered")), DiagCode::Unsupported,
               {"order of its sum is fixed"});
  expect_fault(direct_kernel("p M=1", product_of("512", "16")), DiagCode::Unsupported,
               {"512 x 16 x 8", "rows and columns are at most 256"});
  expect_fault(direct_kernel("p M=1", product_of("16", "512")), DiagCode::Unsupported, {"at most 256"});
  for (const char* m : {"16", "256"}) EXPECT_TRUE(run_direct("p M=1", product_of(m, "8")));
  std::string integers = product_of("16", "8");
  for (const char* type : {"A: f32", "C: f32"}) integers.replace(integers.find(type) + 3, 3, "i32");
  for (const char* number : {"1.0", "0.0"}) integers.replace(integers.find(number), 3, "i32(1)");
  expect_fault(direct_kernel("p M=1", integers), DiagCode::Unsupported, {"i32", "other element types"});
}

TEST(DirectRefusals, LoopsInsideEachOtherBeyondTheLimit) {
  std::string text;
  for (int level = 0; level < 130; ++level) text += "serial s" + std::to_string(level) + " in 1 {\n";
  text += "x = x + 1.0\n";
  for (int level = 0; level < 130; ++level) text += "}\n";
  expect_fault(direct_kernel("p N=1", launch_of(text)), DiagCode::Unsupported, {"loops inside each other"});
}

/// The defaults, the nearest declared choices where those do not fit, and given values as they are.
TEST(DirectParameters, FitTheDevice) {
  const auto small = direct_kernel("gemm M=64 N=64 K=64");
  TW_EXPECT_VALUE(small);
  EXPECT_TRUE(small->impl().metal->fitted.empty());
  EXPECT_EQ(small->bindings().numbers.at("BM"), 64);
  const auto large = direct_kernel("attention B=1 Hq=1 Hkv=1 Lq=64 Lk=64 D=56 Dv=56 scale=1");
  TW_EXPECT_VALUE(large);
  EXPECT_EQ(large->impl().metal->fitted, (std::map<std::string, std::int64_t>{{"BQ", 16}}));
  EXPECT_EQ(large->bindings().numbers.at("BQ"), 16);
  EXPECT_EQ(large->bindings().numbers.at("BK"), 32);
  EXPECT_NE(large->impl().metal->text.code.find("// BQ=16 in place of the defaults"), std::string::npos);
}

TEST(DirectParameters, GivenValuesAreHard) {
  const auto given = direct_kernel("gemm M=64 N=64 K=64 BM=128 BN=64");
  expect_fault(given, DiagCode::TileTooLarge,
               {"kernel gemm_0", "bytes of shared memory", "generic-metal4 has 32768", "acc: 32768 bytes",
                "BK=32 BM=64 BN=64 would fit"});
  const auto open = direct_kernel("gemm M=64 N=64 K=64 BM=128");
  TW_EXPECT_VALUE(open);
  EXPECT_EQ(open->bindings().numbers.at("BM"), 128);
  EXPECT_EQ(open->impl().metal->fitted, (std::map<std::string, std::int64_t>{{"BK", 16}, {"BN", 32}}));
}

}  // namespace
}  // namespace tilewright::lower::testing
