// Independent subgroups: the kernel that is, and every way in which it is not.
#include "sync/elide.h"

#include <gtest/gtest.h>

#include "kernels.h"
#include "sync/check.h"

namespace tilewright::sync::elide_test {
namespace {

/// Each of two subgroups multiplies its 16 x 16 part of A by B, read where they lie, and stores it.
const char* const kProduct = R"(kernel program p {
  buffer A: f32[512] read
  buffer B: f32[256] read
  buffer C: f32[512] readwrite
  kernel p tasks(%t: 1) group 64 of 32 {
    %w: i64 = worker
    %s: i64 = subgroup
    %0: i64 = const 0
    %1: i64 = const 1
    %2: i64 = const 2
    %4: i64 = const 4
    %8: i64 = const 8
    %16: i64 = const 16
    %256: i64 = const 256
    %zero: f32 = const 0.0
    %at: i64 = mul %s, %256
    %first: f32.16x16 = fragment_fill %zero
    fence 0 compiler group orders shared device
    %sum: f32.16x16 = loop %i = %0 to %4 step 1 carry (%c: f32.16x16 = %first) {
      %k: i64 = mul %i, %4
      %a: i64 = add %at, %k
      %b: i64 = mul %k, %16
      %n: f32.16x16 = atom metal.mpp m 16 n 16 k %4 subgroup a view A[%a] stride %16 rows %16 columns %4 b view B[%b] stride %16 rows %4 columns %16 c %c
      fence 1 compiler group orders shared device
      yield %n
    }
    fragment_store C[%at] stride %16 = %sum
    fence 2 compiler group orders shared device
  }
}
)";

IsolationPremises premises() {
  return {proof::Premise{proof::Guarantor::Launch, "no two buffers overlap"},
          proof::Premise{proof::Guarantor::Proof, "the parts of the output are disjoint"}};
}

std::string edited(const std::string& from, const std::string& to) {
  std::string text = kProduct;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string verdict(const kernel::Program& program, const IsolationPremises& given = premises()) {
  const auto answer = isolated_subgroups(program, 0, given);
  if (const auto* unknown = std::get_if<proof::Unknown>(&answer)) return std::string(unknown->code);
  if (const auto* refuted = std::get_if<proof::Refuted>(&answer)) return std::string(refuted->code);
  return "proved";
}
/// Of the product with a line of it changed.
std::string changed(const std::string& from, const std::string& to) { return verdict(kernel_of(edited(from, to))); }

TEST(Elide, AProductOfItsOwnNeedsNoFence) {
  const kernel::Program program = kernel_of(kProduct);
  const auto answer = isolated_subgroups(program, 0, premises());
  const auto* token = std::get_if<proof::Proved<proof::SubgroupsIndependent>>(&answer);
  ASSERT_NE(token, nullptr) << verdict(program);
  const kernel::Program bare = elide(program, 0, premises(), *token);
  EXPECT_TRUE(identities(bare).empty());
  EXPECT_TRUE(unordered_accesses(bare, 0, {.distinct_buffers = true}).empty());
  EXPECT_TRUE(races(bare).empty());
  EXPECT_EQ(outcome(bare), outcome(program));
}

TEST(Elide, EachPremiseIsNeeded) {
  IsolationPremises none;
  EXPECT_EQ(verdict(kernel_of(kProduct), none), "read_of_output");
  IsolationPremises apart{premises().distinct_buffers, {}};
  EXPECT_EQ(verdict(kernel_of(kProduct), apart), "overlapping_parts");
  IsolationPremises parts{{}, premises().disjoint_parts};
  EXPECT_EQ(verdict(kernel_of(kProduct), parts), "read_of_output");
}

TEST(Elide, WhatRejects) {
  const std::string store = "    fragment_store C[%at] stride %16 = %sum\n";
  EXPECT_EQ(changed(store, store + "    fence 3 compiler group orders shared device\n" + store), "second_effect");
  EXPECT_EQ(changed(store, store + "    %l: f32 = load C[%w]\n"), "read_of_output");
  EXPECT_EQ(changed(store, store + "    %l: f32.8x8 = fragment_load B[%0] stride %16\n"), "after_output");
  EXPECT_EQ(changed("    %w: i64", "    alloc a: f32[64] shared\n    %w: i64"), "shared_storage");
  EXPECT_EQ(changed("      fence 1", "      fragment_store C[%at] stride %16 = %n\n      fence 1"), "second_effect");
  EXPECT_EQ(changed(store, "    %e: i1 = eq %t, %0\n    if %e {\n" + store + "    }\n"), "branch");
  EXPECT_EQ(changed("fence 1 compiler", "fence 1 user"), "explicit_fence");
  EXPECT_EQ(changed("loop %i = %0 to %4 step 1", "loop %i = %0 to %4 step 2"), "loop_form");
  EXPECT_EQ(changed("loop %i = %0 to %4 step 1", "loop %i = %0 to %t step 1"), "loop_form");
  EXPECT_EQ(changed("loop %i = %0 to %4 step 1", "loop %i = %4 to %4 step 1"), "loop_form");
  EXPECT_EQ(changed("    fence 0", "    %l: f32 = load A[%w]\n    fence 0"), "unknown_step");
  EXPECT_EQ(changed("    fence 0", "    %q: f32 = subgroup_add %zero\n    fence 0"), "opaque");
  EXPECT_EQ(changed(store, ""), "no_output");
}

TEST(Elide, AnOutputInALoop) {
  const std::string text = edited("    fragment_store C[%at] stride %16 = %sum\n", "");
  const std::string loop = "    loop %o = %0 to %1 step 1 { fragment_store C[%at] stride %16 = %sum }\n    fence 2";
  std::string inside = text;
  inside.replace(inside.find("    fence 2"), 11, loop);
  EXPECT_EQ(verdict(kernel_of(inside)), "output_in_loop");
}

TEST(Elide, AnOutputOfSeveralFragmentsIsOneStore) {
  const std::string store = "    fragment_store C[%at] stride %16 = %sum\n";
  EXPECT_EQ(changed(store, store + store), "proved");
}

TEST(Elide, AStoreIntoAnotherBufferIsASecondEffect) {
  std::string text =
      edited("    fragment_store C[%at] stride %16 = %sum\n",
             "    fragment_store C[%at] stride %16 = %sum\n    fragment_store D[%at] stride %16 = %sum\n");
  text.replace(text.find("  buffer C"), 10, "  buffer D: f32[512] write\n  buffer C");
  EXPECT_EQ(verdict(kernel_of(text)), "second_effect");
}

TEST(Elide, TemporariesOverlapNothing) {
  const kernel::Program program = kernel_of(edited("buffer A: f32[512] read", "temporary A: f32[512] readwrite"));
  const KernelTrace trace = isolation_trace(program, program.kernels[0], {});
  EXPECT_EQ(trace.trace.immutable_inputs, std::vector<std::uint32_t>{0});
}

TEST(ElideDeathTest, ATokenServesItsKernelAndItsPremises) {
  const kernel::Program program = kernel_of(kProduct);
  const auto answer = isolated_subgroups(program, 0, premises());
  const auto& token = std::get<proof::Proved<proof::SubgroupsIndependent>>(answer);
  EXPECT_DEATH(elide(program, 0, {}, token), "holds_for");
  EXPECT_DEATH(elide(kernel_of(edited("    fence 0 compiler group orders shared device\n", "")), 0, premises(), token),
               "holds_for");
}

}  // namespace
}  // namespace tilewright::sync::elide_test
