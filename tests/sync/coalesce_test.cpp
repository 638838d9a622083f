// Coalescing: the cases of the rule, one program each.
#include "sync/coalesce.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels.h"
#include "sync/trace.h"

namespace tilewright::sync::coalesce_test {
namespace {

/// 64 workers, shared a, b, c, d of 64 elements, private h, buffers x, y, z.
kernel::Program with_body(const std::string& body, const std::string& group = "64 of 32") {
  return kernel_of(R"(kernel program p {
  buffer x: f32[512] read
  buffer y: f32[512] readwrite
  buffer z: f32[512] readwrite
  kernel p tasks(%t: 1) group )" +
                   group + R"( {
    alloc a: f32[512] shared
    alloc b: f32[512] shared
    alloc c: f32[512] shared
    alloc h: f32[4] private
    %w: i64 = worker
    %0: i64 = const 0
    %3: i64 = const 3
    %8: i64 = const 8
    %v: f32 = const 1.0
)" + body + "\n}\n}\n");
}

const std::string kFence = " compiler group orders shared device\n";
std::string f(int identity) { return "fence " + std::to_string(identity) + kFence; }
const std::string kToA = "%xa: f32 = load x[%w]\nstore a[%w] = %xa\n";
const std::string kToB = "%xb: f32 = load x[%w]\nstore b[%w] = %xb\n";
const std::string kFromA = "%fa: f32 = load a[%w]\nstore h[%0] = %fa\n";
const std::string kProduct = R"(%ma: f32.8x8 = fragment_load a[%0] stride %8
%mb: f32.8x8 = fragment_load b[%0] stride %8
%mc: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %ma b %mb
)";

using Fences = std::vector<std::uint32_t>;

Fences dropped(const kernel::Program& program) {
  std::vector<proof::Proved<proof::FenceRedundant>> tokens;
  Fences gone;
  for (const FenceVerdict& answer : redundant_fences(program, 0))
    if (const auto* token = std::get_if<proof::Proved<proof::FenceRedundant>>(&answer.verdict)) {
      tokens.push_back(*token);
      gone.push_back(answer.identity);
    }
  Fences left = identities(program);
  std::erase_if(left, [&](std::uint32_t identity) { return std::ranges::find(gone, identity) != gone.end(); });
  EXPECT_EQ(identities(coalesce(program, 0, tokens)), left);
  return gone;
}
Fences dropped(const std::string& body) { return dropped(with_body(body)); }

std::string why(const std::string& body, std::uint32_t identity) {
  for (const FenceVerdict& answer : redundant_fences(with_body(body), 0)) {
    if (answer.identity != identity) continue;
    if (const auto* unknown = std::get_if<proof::Unknown>(&answer.verdict)) return std::string(unknown->code);
    if (const auto* refuted = std::get_if<proof::Refuted>(&answer.verdict)) return std::string(refuted->code);
    return "proved";
  }
  return "not asked";
}

TEST(Coalesce, TwoCopiesPublishTogether) {
  const std::string body = kToA + f(0) + kToB + f(1) + kProduct + f(2);
  EXPECT_EQ(dropped(body), Fences{0});
  EXPECT_EQ(why(body, 1), "opaque");
  EXPECT_EQ(why(body, 2), "last_of_sequence");
}

TEST(Coalesce, CopiesInLoopsCountWhole) {
  const std::string body = R"(%512: i64 = const 512
loop %e = %w to %512 step 64 { %l: f32 = load x[%e]; store a[%e] = %l }
)" + f(0) + R"(loop %e = %w to %512 step 64 { %l: f32 = load x[%e]; store b[%e] = %l }
)" + f(1) + kFromA + f(2);
  EXPECT_EQ(dropped(body), Fences{0});
  EXPECT_EQ(why(body, 1), "shared_conflict");
}

TEST(Coalesce, EffectsAccumulateOverFencesThatWent) {
  // write A; unrelated B; read A
  EXPECT_EQ(dropped(kToA + f(0) + kToB + f(1) + kFromA + f(2)), Fences{0});
  EXPECT_EQ(why(kToA + f(0) + kToB + f(1) + kFromA + f(2), 1), "shared_conflict");
}

TEST(Coalesce, PrivateMemoryOrdersNothing) {
  EXPECT_EQ(dropped("store h[%0] = %v\n" + f(0) + "%p: f32 = load h[%0]\nstore h[%0] = %p\n" + f(1)), Fences{0});
}

TEST(Coalesce, ExternalBuffersAreOneClass) {
  const auto pair = [](const std::string& first, const std::string& second) {
    return why(first + "\n" + f(0) + second + "\n" + f(1), 0);
  };
  EXPECT_EQ(pair("store y[%w] = %v", "%l: f32 = load x[%w]"), "external_conflict");
  EXPECT_EQ(pair("%l: f32 = load x[%w]", "store y[%w] = %v"), "external_conflict");
  EXPECT_EQ(pair("store y[%w] = %v", "store z[%w] = %v"), "external_conflict");
  EXPECT_EQ(pair("%l: f32 = load x[%w]", "%m: f32 = load y[%w]"), "proved");
}

TEST(Coalesce, TheOutputIsReadInTheNextIteration) {
  const std::string body = "loop %i = %0 to %3 step 1 {\n%l: f32 = load y[%w]\nstore a[%w] = %l\n" + f(0) +
                           "%m: f32 = load a[%w]\nstore z[%w] = %m\n" + f(1) + "}\n" + f(2);
  EXPECT_EQ(dropped(body), Fences{});
  EXPECT_EQ(why(body, 1), "last_of_sequence");
}

TEST(Coalesce, AFenceOfTheUserStays) {
  const std::string twin = "fence 1 user group orders shared device\n";
  const kernel::Program program = with_body(kToA + f(0) + kToB + twin + kFromA + f(2));
  EXPECT_EQ(dropped(program), Fences{});
  EXPECT_EQ(why(kToA + f(0) + kToB + twin + kFromA + f(2), 1), "explicit_fence");
  // It is no cover either: nothing is taken out on the strength of it.
  EXPECT_EQ(why(kToA + f(0) + kToB + twin + kFromA + f(2), 0), "shared_conflict");
  EXPECT_EQ(why(kToA + f(0) + kToB + twin + f(2), 0), "opaque");
  EXPECT_EQ(dropped(kToA + f(0) + kToB + f(1) + kFromA + f(2)), Fences{0});
}

TEST(Coalesce, WhatIsOpaque) {
  const std::vector<std::string> boundaries = {
      kProduct,
      "%l: f32 = load b[%w]\n%s: f32 = subgroup_add %l\n",
      "%s: f32 = shuffle_xor %v, 1\n",
      "%512: i64 = const 512\n%k: token = async_copy c[%0] = x[%0] count %512 together group\nwait %k\n",
      "fence 7 compiler subgroup orders shared\n",
      "fence 7 compiler group orders shared\n",
      "fence 7 compiler group orders shared device async\n",
  };
  for (const std::string& boundary : boundaries)
    EXPECT_EQ(why(kToA + f(0) + boundary + f(1) + kToB + f(2), 0), "opaque") << boundary;
  // Fragments that touch no memory, and arithmetic, are no effects.
  for (const char* value : {"%z: f32.8x8 = fragment_fill %v\n", "%e: f32 = exp %v\n", "%r: i64.8x8 = fragment_row\n"})
    EXPECT_EQ(why(kToA + f(0) + value + kToB + f(1), 0), "proved") << value;
}

TEST(Coalesce, FencesInRolesAreLeftAlone) {
  const kernel::Program program = with_body(R"(roles {
  low 1 { store a[%w] = %v; fence 0 compiler group orders shared device; store b[%w] = %v; fence 1 compiler group orders shared device }
  high 1 { %l: f32 = load x[%w] }
}
)");
  EXPECT_TRUE(redundant_fences(program, 0).empty());
}

TEST(Coalesce, AnyWidth) {
  for (const char* group : {"32 of 32", "48 of 16", "48 of 48", "256 of 32", "1024 of 64"})
    EXPECT_EQ(dropped(with_body(kToA + f(0) + kToB + f(1) + kFromA + f(2), group)), Fences{0}) << group;
}

TEST(Coalesce, BranchesAndLoopsAreNotCrossed) {
  // The last fence of an arm and of a body stays, whatever follows.
  EXPECT_EQ(dropped("%e: i1 = eq %t, %0\nif %e {\n" + kToA + f(0) + "} else {\n" + kToB + f(1) + "}\n" + f(2)),
            Fences{});
  EXPECT_EQ(dropped("loop %i = %0 to %3 step 1 {\n" + kToA + f(0) + kToB + f(1) + "}\n" + kFromA + f(2)), Fences{0});
  // What stands before a loop is pending in it.
  EXPECT_EQ(dropped(kToA + "loop %i = %0 to %3 step 1 {\n" + kToB + f(0) + kFromA + f(1) + "}\n" + f(2)), Fences{});
}

TEST(Coalesce, TheTraceNamesItsOperations) {
  const kernel::Program program = with_body(kToA + kToB + f(0));
  const KernelTrace trace = order_trace(program, program.kernels[0]);
  ASSERT_EQ(trace.ops.size(), trace.trace.nodes.size());
  EXPECT_EQ(proof::print_effect_trace(trace.trace),
            "trace shared 3\n"
            "premise verifier: the kernel is verified: its operations touch the objects that they name\n"
            "sequence\n"
            "  step 0 plain reads external 0 writes shared 0, shared 1\n"
            "  fence 0 compiler group shared external\n");
  EXPECT_EQ(trace.ops[0].size(), 4u);
  EXPECT_EQ(trace.ops[1].size(), 1u);
  EXPECT_TRUE(trace.ops[2].empty());
}

TEST(Coalesce, LoopsInTheTrace) {
  const kernel::Program program = with_body(
      "%7: i64 = const 7\nloop %i = %0 to %8 step 3 { store a[%w] = %v }\nloop %i = %8 to %7 step 3 { }\n"
      "loop %i = %0 to %t step 1 { }");
  EXPECT_EQ(proof::print_effect_trace(order_trace(program, program.kernels[0]).trace),
            "trace shared 3\n"
            "premise verifier: the kernel is verified: its operations touch the objects that they name\n"
            "sequence\n"
            "  loop 2 constant 3 step 3\n    sequence\n      step 0 plain writes shared 0\n"
            "  loop 4 constant 0 step 3\n    sequence\n"
            "  loop 6 open step 1\n    sequence\n");
}

TEST(CoalesceDeathTest, ATokenServesItsKernelAndItsTurn) {
  const kernel::Program program = with_body(kToA + f(0) + kToB + f(1) + "store c[%w] = %v\n" + f(2) + f(3));
  const kernel::Program other = with_body(kToA + f(0) + kFromA + f(1) + f(2) + f(3));
  std::vector<proof::Proved<proof::FenceRedundant>> tokens;
  for (const FenceVerdict& answer : redundant_fences(program, 0))
    if (const auto* token = std::get_if<proof::Proved<proof::FenceRedundant>>(&answer.verdict))
      tokens.push_back(*token);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(identities(coalesce(program, 0, tokens)), Fences{3});
  EXPECT_DEATH(coalesce(other, 0, {tokens[0]}), "holds_for");
  EXPECT_DEATH(coalesce(program, 0, {tokens[1]}), "holds_for");
}

}  // namespace
}  // namespace tilewright::sync::coalesce_test
