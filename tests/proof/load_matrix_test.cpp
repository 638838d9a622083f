// load.forwardable: proved with and without the promise about aliasing, refused with each code, and chains.
#include <gtest/gtest.h>

#include "proof/load_forwardable.h"
#include "proof/matrix_cases.h"

namespace tilewright::proof {
namespace {

using Forward = LoadForwardable;

constexpr const char* kLoadA = "a[m, k] = A[i*8 + m, s*4 + k]";
constexpr const char* kUpdate = "acc = mma(a, b, acc)";

/// The load of A, the first that is asked about.
std::string forward(const Changes& changes, const Assumptions& assumptions = noalias()) {
  return answer(matrix_program(product_text(changes)), Forward::kId, assumptions);
}

TEST(LoadForwardable, BothOperands) {
  EXPECT_EQ(answers(matrix_program(product_text()), Forward::kId), "proved proved");
  EXPECT_EQ(answers(matrix_program(product_text(), {}), Forward::kId), "proved proved");
  EXPECT_EQ(forward({{kLoadA, "a[m, k] = A[i*8 + m, s*4 + k] assume"}}), "proved");
}

TEST(LoadForwardable, ThePromiseIsAPremiseWhereItIsNeeded) {
  EXPECT_EQ(forward({}, {}), Forward::kAliasing);
  EXPECT_EQ(forward({}, {{true, analysis::AliasPromise::Origin::None}, 1}), Forward::kAliasing);
  const auto premise_of = [](analysis::AliasPromise::Origin origin) {
    return ask_family(matrix_program(product_text()), Forward::kId, {{true, origin}, 1}).at(0).premises.back().by;
  };
  EXPECT_EQ(premise_of(analysis::AliasPromise::Origin::Caller), Guarantor::Caller);
  EXPECT_EQ(premise_of(analysis::AliasPromise::Origin::LaunchCheck), Guarantor::Launch);
  const Changes temp_out{{"out C: f32[M, N]", "temp C: f32[M, N]"},
                         {"= acc\n  }", "= acc\n  }\n  parallel t in M, u in N {\n    D[t, u] = C[t, u]\n  }"}};
  const auto findings = ask_family(matrix_program(product_text(temp_out)), Forward::kId, {});
  ASSERT_EQ(findings.at(0).kind, Finding::Kind::Proved);
  EXPECT_EQ(findings.at(0).premises.size(), 1u);
}

TEST(LoadForwardable, TheSourceIsWrittenInItsLaunch) {
  EXPECT_EQ(forward({{"in A", "inout A"}, {kUpdate, "acc = mma(a, b, acc)\n      A[i, s] = 1.0"}}), Forward::kWritten);
  EXPECT_EQ(forward({{kUpdate, "acc = mma(a, b, acc)\n      opaque \"f\"(A)"}}), Forward::kOpaque);
  EXPECT_EQ(forward({{kUpdate, "acc = mma(a, b, acc)\n      barrier group"}}), Forward::kBarrier);
  EXPECT_EQ(forward({{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    memory S: f32[8, 4]"},
                     {kLoadA, "S[m, k] = A[i*8 + m, s*4 + k]\n      a[m, k] = S[m, k]"}}),
            Forward::kMemory);
}

TEST(LoadForwardable, Fallback) {
  EXPECT_EQ(forward({{kLoadA, "a[m, k] = A[i*8 + m, s*4 + k] else 0.0"}}), "proved");
  EXPECT_EQ(forward({{kLoadA, "a[m, k] = A[i*8 + m, s*4 + k] else -0.0"}}), Forward::kFallback);
  EXPECT_EQ(forward({{kLoadA, "a[m, k] = A[i*8 + m, s*4 + k] else 1.0"}}), Forward::kFallback);
  EXPECT_EQ(forward({{kLoadA, "z[] = bias[s]\n      a[m, k] = A[i*8 + m, s*4 + k] else z"}}), Forward::kFallback);
}

TEST(LoadForwardable, TheUses) {
  EXPECT_EQ(forward({{kUpdate, "acc = mma(a, b, acc)\n      D[i*8 + m, s*4 + k] = a"}}), Forward::kObserved);
  EXPECT_EQ(forward({{kUpdate, "acc = mma(a, b, acc, ordered)"}}), Forward::kOrdered);
  EXPECT_EQ(forward({{kUpdate, "if s == 0 {\n        acc = mma(a, b, acc)\n      }"}}), Forward::kConditional);
  const Changes accumulator{{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    c[m, n] = A[m, n]"},
                            {kUpdate, "acc = acc + mma(a, b, c)"}};
  EXPECT_EQ(forward(accumulator), Forward::kAccumulator);
}

TEST(LoadForwardable, AValueWithoutUse) {
  const tile::Program program = matrix_program(product_text({{kUpdate, "acc = mma(a, b, acc)\n      u[m] = A[m, s]"}}));
  const Subject subject = make_subject(program, noalias());
  for (const analysis::Access& access : subject.accesses.all)
    if (!access.is_store && subject.uses.of(access.value).empty()) {
      EXPECT_EQ(std::get<Refuted>(prove_load_forwardable(subject, access.op)).code, Forward::kUnused);
      return;
    }
  ADD_FAILURE() << "no load without use";
}

TEST(LoadForwardable, AsManyRoundsAsTheChainHasValues) {
  const auto rounds = [](const std::string& chain) {
    const Changes changes{{"k: 4", "k: 4, q: 4, r: 8"}, {kLoadA, chain}};
    const auto findings = ask_family(matrix_program(product_text(changes)), Forward::kId);
    if (findings.at(0).kind != Finding::Kind::Proved) return std::string(findings.at(0).code);
    return findings.at(0).certificate->fields.back().value;
  };
  EXPECT_EQ(rounds("a[m, k] = A[i*8 + m, s*4 + k]"), "1");
  EXPECT_EQ(rounds("x[m, q] = A[i*8 + m, s*4 + q]\n      a[m, k] = relabel(x, q: k)"), "2");
  EXPECT_EQ(rounds("x[r, q] = A[i*8 + r, s*4 + q]\n      y = relabel(x, q: k)\n      a = relabel(y, r: m)"), "3");
  EXPECT_EQ(rounds("x[m, q] = A[i*8 + m, s*4 + q]\n      a[m, k] = x[m, 3 - k]"), Forward::kObserved);
  EXPECT_EQ(rounds("x[m, q] = A[i*8 + m, s*4 + q]\n      a[m, k] = x[m, k]"), "2");
}

TEST(LoadForwardable, ADiagonalIsNoRelabelling) {
  const auto taken = [](const std::string& vector) {
    return answer(
        matrix_program("program p(M) {\n in A: f32[4, 4]\n in B: f32[4, 8]\n out C: f32[8]\n parallel i in 1 {\n"
                       " axis n: 8, k: 4, q: 4\n x[k, q] = A[k, q]\n d[k] = " +
                           vector + "\n b[k, n] = B[k, n]\n zero[n] = 0.0\n C[n] = mma(d, b, zero)\n }\n}",
                       {{"M", 1}}),
        Forward::kId);
  };
  EXPECT_EQ(taken("x[k, k]"), Forward::kObserved);
  EXPECT_EQ(taken("x[k, 1]"), Forward::kObserved);
}

}  // namespace
}  // namespace tilewright::proof
