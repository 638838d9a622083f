// Problems of the library and small programs by the direct route, on the kernel interpreter, against the oracle.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "lower_direct/direct_run.h"
#include "lower_group/relaxed_atoms.h"
#include "programs/problem_lines.h"

namespace tilewright::lower::testing {
namespace {

/// Words of the lines whose products no tensor operation takes.
constexpr std::string_view kOtherExtents[] = {"BM=1 BN=1 BK=1", "Dv=4", "BQ=8 BK=8"};

std::vector<const char*> direct_lines() {
  std::vector<const char*> lines;
  for (std::size_t i = 0; i < std::size(driver::kProblemLines); i += kSanitized ? 7 : 2)
    lines.push_back(driver::kProblemLines[i]);
  return lines;
}

class DirectLibrary : public ::testing::TestWithParam<const char*> {};

TEST_P(DirectLibrary, AgreesWithTheOracle) {
  const std::string line = GetParam();
  const bool fits = std::ranges::none_of(kOtherExtents,
                                         [&](std::string_view words) { return line.find(words) != std::string::npos; });
  if (fits) {
    EXPECT_TRUE(run_direct(line));
    return;
  }
  const auto kernel = direct_kernel(line);
  ASSERT_FALSE(kernel) << line;
  EXPECT_EQ(kernel.error().front().code, DiagCode::Unsupported);
  EXPECT_NE(kernel.error().front().message.find("metal.mpp takes"), std::string::npos) << render(kernel.error());
}

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, DirectLibrary, ::testing::ValuesIn(direct_lines()), test_name);

/// A program with a matrix A of M x K and an output C of M x N, around some statements of one launch.
std::string around(const std::string& statements) {
  return "program p(M, N, K) {\n  in A: f32[M, K]\n  in B: f32[K, N]\n  out C: f32[M, N]\n"
         "  parallel i in ceildiv(M, 16), j in ceildiv(N, 8) {\n    axis m: 16, n: 8, k: 8\n" +
         statements + "\n  }\n}";
}

constexpr const char* kLoads = "a[m, k] = A[i*16 + m, k]\n b[k, n] = B[k, j*8 + n]\n c[m, n] = 0.5\n";
constexpr const char* kStore = "C[i*16 + m, j*8 + n] = ";

TEST(DirectMatrices, OneOperationForEachMma) {
  const auto counts = run_direct("p M=33 N=17 K=8", around(std::string(kLoads) + kStore + "mma(a, b, c)"));
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front().atoms.at("metal.mpp"), 3u * 3u);
}

/// What lies otherwise than the operation wants it is packed; sums that are needed afterwards stay.
TEST(DirectMatrices, OperandsOfEveryKind) {
  const std::string turned = "a[k, m] = A[i*16 + m, k]\n b[n, k] = B[k, j*8 + n]\n c[n, m] = 0.5\n d = mma(a, b, c)\n";
  for (const std::string& statements :
       {turned + kStore + "d",  //
        kLoads + std::string(kStore) + "mma(a, broadcast(b[k, 0], k, n), c)",
        kLoads + std::string("one = mma(a, b, c)\n two = mma(a, b, one)\n") + kStore + "two * one",
        kLoads + std::string("one = mma(a, b, c)\n two = mma(a, b, c)\n") + kStore + "one - two * 0.5 + c",
        kLoads + std::string("e = c * 2.0\n f = e + 1.0\n") + kStore + "mma(a, b, e) + f",
        kLoads + std::string(kStore) + "mma(a + 1.0, a[n, k], c) + b[0, n]",
        kLoads + std::string(kStore) + "mma(a, b, mma(a, b, c) * 0.5)"})
    EXPECT_TRUE(run_direct("p M=33 N=17 K=8", around(statements))) << statements;
}

/// The permission of a product reaches its operation, and no other one.
TEST(DirectMatrices, RelaxedOnes) {
  const std::string two =
      around(std::string(kLoads) + "one = mma(a, b, c)\n two = mma(a, b, one)\n" + kStore + "two * one");
  const auto tally = [](const std::string& text) {
    const auto kernel = direct_kernel("p M=33 N=17 K=8", text);
    EXPECT_TRUE(kernel) << render(kernel.error());
    return kernel ? tally_atoms(kernel->impl().metal->lowered) : AtomTally{};
  };
  EXPECT_EQ(tally(two), (AtomTally{0, 2}));
  for (int which : {0, 1}) {
    const std::string relaxed = with_relaxed_product(two, which);
    EXPECT_EQ(tally(relaxed), (AtomTally{1, 1}));
    EXPECT_TRUE(run_direct("p M=33 N=17 K=8", relaxed));
    std::string half = relaxed;
    for (const char* buffer : {"A: f32", "B: f32"}) half.replace(half.find(buffer) + 3, 3, "f16");
    EXPECT_EQ(tally(half), (AtomTally{0, 2}));
  }
}

constexpr const char* kBatch = R"(program p(G, M) {
  in A: f32[G, M, 24]
  in B: f32[G, 24, 16]
  out C: f32[G, M, 16]
  parallel i in ceildiv(M, 8) {
    axis g: 3, m: 8, k: 24, n: 16
    a[m, g, k] = A[g, i*8 + m, k]
    b[g, k, n] = B[g, k, n]
    c[g, m, n] = 1.0
    C[g, i*8 + m, n] = mma(a, b, c)
  }
})";

TEST(DirectMatrices, BatchesOneAfterTheOther) {
  const auto counts = run_direct("p G=3 M=13", kBatch);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front().atoms.at("metal.mpp"), 3u * 2u);
}

constexpr const char* kSeveralAxes = R"(program p(M) {
  in A: f32[M, 2, 3, 5]
  in B: f32[3, 5, 2, 4]
  out C: f32[2, M, 4, 2]
  parallel i in ceildiv(M, 8) {
    axis m: 8, r: 2, k: 3, l: 5, s: 2, t: 4
    a[r, l, m, k] = A[i*8 + m, r, k, l]
    b[k, l, s, t] = B[k, l, s, t]
    c[t, r, s, m] = 0.25
    C[r, i*8 + m, t, s] = mma(a, b, c)
  }
})";

TEST(DirectMatrices, SeveralAxesOfOneRole) { EXPECT_TRUE(run_direct("p M=11", kSeveralAxes)); }

constexpr const char* kTwoOrders = R"(program p(M) {
  in A: f32[M, 16]
  in B: f32[16, 8]
  out C: f32[M, 8]
  out D: f32[16, 8]
  parallel i in 1 {
    axis m: 16, k: 16, n: 8
    a[m, k] = A[m, k]
    b[k, n] = B[k, n]
    c[m, n] = 0.0
    d[k, n] = 0.0
    e = mma(a, b, c)
    C[m, n] = e
    D[k, n] = mma(a, e, d)
  }
})";

TEST(DirectMatrices, OneTileInTwoOrders) { EXPECT_TRUE(run_direct("p M=13", kTwoOrders)); }

/// Two sums that change places in every iteration.
TEST(DirectRegions, CarriesChangeTogether) {
  EXPECT_TRUE(run_direct("p M=20 N=9 K=8", around(std::string(kLoads) + R"(
    d[m, n] = 1.0
    serial s in 3 {
      e = mma(a, b, d)
      d = mma(a, b * 0.5, c)
      c = e
    }
    )" + kStore + "c - d")));
  EXPECT_TRUE(run_direct("p M=20 N=9 K=8", around(std::string(kLoads) + R"(
    d[m, n] = 1.0
    row[m] = 0.0
    serial s in 5 {
      e = c + d * 0.5
      d = c
      c = e
      row = row + sum(e, n)
    }
    )" + kStore + "c - d + row")));
}

TEST(DirectRegions, LoopsWithoutTripsKeepTheIncomingValue) {
  EXPECT_TRUE(run_direct("p M=20 N=9 K=0",
                         around(std::string(kLoads) + "serial s in K {\n c = mma(a, b, c)\n }\n" + kStore + "c")));
}

constexpr const char* kReduce = R"(program p(N; T: type {f32, f16, bf16} = f32) {
  in X: T[N]
  out Y: T[3]
  out Z: T[4]
  parallel i in 1 {
    total[r: 3] = T(0.0)
    most[r] = T(-2.0)
    one[] = T(0.5)
    reduce s in N order ORDER {
      x[r] = X[s] * T(0.25)
      total += x
      most max= x
      one += X[s]
    }
    Y[r] = total + most
    Z[r + 1] = T(f32(one))
  }
})";

TEST(DirectRegions, FoldsInEveryOrder) {
  for (const char* order : {"unordered_tree", "ordered_tree", "fold_left", "fold_right"}) {
    std::string text = kReduce;
    text.replace(text.find("ORDER"), 5, order);
    for (const char* line : {"p N=13", "p N=0", "p N=13 T=f16", "p N=5 T=bf16"}) {
      EXPECT_TRUE(run_direct(line, text));
      const auto both = direct_and_typed(line, text);
      ASSERT_TRUE(both);
      EXPECT_EQ(both->direct, both->typed) << line << " " << order;
    }
  }
}

constexpr const char* kBranches = R"(program p(N) {
  in X: f32[N, 8]
  in pick: i32[N]
  inout Y: f32[N, 8]
  parallel i in N {
    axis c: 8
    x[c] = X[i, c]
    t[] = 1.0
    y[c] = x * 2.0
    chosen = index(pick[i])
    if chosen < 3 {
      y = max(x, c) + x
      t = sum(x, c)
      if chosen == 1 {
        Y[i, c] = 7.0
        y = y + Y[i, c]
      }
    } else {
      Y[i, 0] = 1.0
    }
    parallel q in 2 {
      Y[i, 4*q + c] = y[c] * t
    }
  }
})";

TEST(DirectRegions, BranchesStoresAndInnerRegions) { EXPECT_TRUE(run_direct("p N=16", kBranches)); }

constexpr const char* kMeetingStores = R"(program p(N) {
  in X: f32[N, 40]
  out Y: f32[N, 40]
  out last: f32[N]
  parallel i in N {
    axis c: 40
    x[c] = X[i, c]
    Y[i, c] = x
    barrier
    Y[i, c / 2] = x
    last[i] = x[39]
    last[i + c * 0] = x
  }
})";

constexpr const char* kReadsThenWrites = R"(program p(N) {
  inout Y: f32[N, 40]
  parallel i in N {
    axis c: 40
    first[] = Y[i, 0]
    Y[i, c] = first + 1.0
    x[c] = Y[i, c]
    total[] = sum(x, c)
    x = x * 2.0
    y[c] = x + total
    Y[i, c] = y
  }
})";

/// What every thread reads is written by one of them only after that.
TEST(DirectStores, NumbersAreReadBeforeTheyChange) { EXPECT_TRUE(run_direct("p N=3", kReadsThenWrites)); }

TEST(DirectStores, TheLastOfTwoCounts) { EXPECT_TRUE(run_direct("p N=3", kMeetingStores)); }

}  // namespace
}  // namespace tilewright::lower::testing
