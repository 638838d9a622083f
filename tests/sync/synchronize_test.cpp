// What was asked for is done, told, and checked.
#include "sync/synchronize.h"

#include <gtest/gtest.h>

#include "kernels.h"
#include "proof/check/check_trace.h"
#include "sync/trace.h"

namespace tilewright::sync::synchronize_test {
namespace {

const char* const kTwoCopies = R"(kernel program p {
  buffer x: f32[64] read
  buffer y: f32[64] write
  kernel p tasks(%t: 1) group 64 of 32 {
    alloc a: f32[64] shared
    alloc b: f32[64] shared
    %w: i64 = worker
    %63: i64 = const 63
    %back: i64 = sub %63, %w
    %v: f32 = load x[%w]
    store a[%w] = %v
    fence 4 compiler group orders shared device
    store b[%w] = %v
    fence 7 compiler group orders shared device
    %l: f32 = load a[%back]
    %r: f32 = load b[%back]
    %s: f32 = add %l, %r
    store y[%w] = %s
    fence 9 compiler group orders shared device
  }
}
)";

/// Each subgroup stores what it filled, with fences that nothing needs.
const char* const kIndependent = R"(kernel program q {
  buffer A: f32[128] read
  buffer C: f32[128] write
  kernel q tasks(%t: 1) group 64 of 32 {
    %s: i64 = subgroup
    %8: i64 = const 8
    %64: i64 = const 64
    %at: i64 = mul %s, %64
    %f: f32.8x8 = fragment_load A[%at] stride %8
    fence 0 compiler group orders shared device
    fragment_store C[%at] stride %8 = %f
    fence 1 compiler group orders shared device
  }
}
)";

KernelRequest request(bool coalesce, bool elide) {
  return {coalesce,
          elide,
          {proof::Premise{proof::Guarantor::Launch, "no two buffers overlap"},
           proof::Premise{proof::Guarantor::Proof, "the parts of the output are disjoint"}}};
}
Synchronized done(const kernel::Program& program, const KernelRequest& wanted) {
  auto result = synchronize(program, {{wanted}});
  EXPECT_TRUE(result) << (result ? "" : render(result.error()));
  return result ? std::move(*result) : Synchronized{};
}

TEST(Synchronize, FactsOfCoalescing) {
  const kernel::Program program = kernel_of(kTwoCopies);
  const Synchronized made = done(program, request(true, false));
  ASSERT_EQ(made.facts.size(), 1u);
  const KernelFences& facts = made.facts[0];
  EXPECT_EQ(facts.kernel, "p");
  EXPECT_EQ(facts.sites_before, 3);
  EXPECT_EQ(facts.sites_after, 2);
  ASSERT_EQ(facts.fences.size(), 3u);
  EXPECT_EQ(fence_fate_name(facts.fences[0].fate), "coalesced");
  EXPECT_EQ(fence_fate_name(facts.fences[1].fate), "kept");
  ASSERT_TRUE(facts.fences[0].redundant && facts.fences[0].redundant->certificate);
  EXPECT_EQ(facts.fences[0].redundant->operation, 4u);
  EXPECT_TRUE(proof::check_fence_redundant(*facts.fences[0].redundant->certificate,
                                           order_trace(program, program.kernels[0]).trace, 4));
  EXPECT_EQ(facts.fences[1].redundant->code, "shared_conflict");
  EXPECT_EQ(facts.fences[2].redundant->code, "last_of_sequence");
  ASSERT_TRUE(facts.independent_subgroups);
  EXPECT_EQ(facts.independent_subgroups->kind, proof::Finding::Kind::Refuted);
  EXPECT_EQ(identities(made.program), (std::vector<std::uint32_t>{7, 9}));
}

TEST(Synchronize, DisabledKeepsTheReference) {
  const kernel::Program program = kernel_of(kTwoCopies);
  const Synchronized made = done(program, request(false, false));
  EXPECT_EQ(made.program, program);
  EXPECT_EQ(made.facts[0].sites_before, 3);
  EXPECT_EQ(made.facts[0].sites_after, 3);
  for (const FenceFact& fence : made.facts[0].fences) {
    EXPECT_EQ(fence.fate, FenceFate::Kept);
    EXPECT_FALSE(fence.redundant);
  }
  EXPECT_EQ(done(kernel_of(kIndependent), request(false, true)).program, kernel_of(kIndependent));
}

TEST(Synchronize, ElisionOnlyOnRequest) {
  const kernel::Program program = kernel_of(kIndependent);
  const Synchronized kept = done(program, request(true, false));
  EXPECT_EQ(kept.facts[0].independent_subgroups->kind, proof::Finding::Kind::Proved);
  EXPECT_EQ(identities(kept.program), (std::vector<std::uint32_t>{0, 1}));
  const Synchronized elided = done(program, request(true, true));
  EXPECT_TRUE(identities(elided.program).empty());
  EXPECT_EQ(elided.facts[0].sites_after, 0);
  for (const FenceFact& fence : elided.facts[0].fences) EXPECT_EQ(fence_fate_name(fence.fate), "elided");
  EXPECT_TRUE(proof::check_subgroups_independent(
      *elided.facts[0].independent_subgroups->certificate,
      isolation_trace(program, program.kernels[0], request(true, true).premises).trace));
}

TEST(Synchronize, WithoutTheProofElisionFallsBackToCoalescing) {
  const Synchronized made = done(kernel_of(kTwoCopies), request(true, true));
  EXPECT_EQ(identities(made.program), (std::vector<std::uint32_t>{7, 9}));
}

TEST(Synchronize, AFenceOfTheUserIsTold) {
  std::string text = kTwoCopies;
  text.replace(text.find("fence 4 compiler"), 16, "fence 4 user");
  const Synchronized made = done(kernel_of(text), request(true, false));
  EXPECT_EQ(made.facts[0].sites_after, 3);
  EXPECT_TRUE(made.facts[0].fences[0].by_user);
  EXPECT_EQ(made.facts[0].fences[0].redundant->code, "explicit_fence");
}

TEST(Synchronize, AnUnorderedPairIsAFaultOfOurs) {
  std::string text = kTwoCopies;
  const std::string fence = "    fence 7 compiler group orders shared device\n";
  text.erase(text.find(fence), fence.size());
  const auto result = synchronize(kernel_of(text), {{request(true, false)}});
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u) << render(result.error());
  const Diag& fault = result.error()[0];
  EXPECT_EQ(fault.code, DiagCode::FenceMissing);
  EXPECT_EQ(diag_code_category(fault.code), DiagCategory::Internal);
  for (const char* part : {"kernel p", "store b[", "load b[", "allocation b", "worker 0 and worker 63"})
    EXPECT_NE(fault.message.find(part), std::string::npos) << fault.message;
  EXPECT_FALSE(fault.hint.empty());
}

TEST(Synchronize, PremisesOfTheLaunchReachTheChecker) {
  const kernel::Program program = kernel_of(R"(kernel program p {
  buffer x: f32[64] read
  buffer y: f32[64] write
  kernel p tasks(%t: 1) group 64 of 32 {
    %w: i64 = worker
    %v: f32 = load x[%w]
    store y[%w] = %v
  }
}
)");
  EXPECT_TRUE(synchronize(program, {{request(true, false)}}));
  const auto overlapping = synchronize(program, {{KernelRequest{}}});
  ASSERT_FALSE(overlapping);
  EXPECT_EQ(overlapping.error()[0].code, DiagCode::FenceMissing);
}

TEST(Synchronize, EachKernelHasItsOwnRequest) {
  std::string both = kTwoCopies;
  both.erase(both.rfind("}\n"));
  std::string second = kTwoCopies;
  second = second.substr(second.find("  kernel p"));
  second.replace(second.find("kernel p"), 8, "kernel r");
  const kernel::Program program = kernel_of(both + second);
  const auto result = synchronize(program, {{request(false, false), request(true, false)}});
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->facts[0].sites_after, 3);
  EXPECT_EQ(result->facts[1].sites_after, 2);
  EXPECT_EQ(result->facts[1].kernel, "r");
}

TEST(Synchronize, KernelsOfOneWorkerHaveNothingToDo) {
  const kernel::Program program = kernel_of(R"(kernel program p {
  buffer y: f32[4] readwrite
  kernel p tasks(%t: 4) {
    %v: f32 = load y[%t]
    store y[%t] = %v
  }
}
)");
  const Synchronized made = done(program, KernelRequest{});
  EXPECT_EQ(made.program, program);
  EXPECT_EQ(made.facts[0].sites_after, 0);
  EXPECT_FALSE(made.facts[0].independent_subgroups);
}

}  // namespace
}  // namespace tilewright::sync::synchronize_test
