// Effects, alias classes and what surely does not change.
#include "analysis/effects.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/programs.h"

namespace tilewright::analysis {
namespace {

using tile::ObjectId;
using tile::Program;

constexpr AliasPromise kNoPromise{};
constexpr AliasPromise kCaller{true, AliasPromise::Origin::Caller};
constexpr AliasPromise kLaunch{true, AliasPromise::Origin::LaunchCheck};

std::vector<std::string> names(const Program& program, const std::vector<ObjectId>& objects) {
  std::vector<std::string> all;
  for (ObjectId id : objects) all.push_back(program.object(id).name);
  std::sort(all.begin(), all.end());
  return all;
}
using Names = std::vector<std::string>;

TEST(Effects, OfOperationsRegionsAndLaunches) {
  const Program program = bound_program(library_text("mlp"), {{"N", 8}, {"D", 8}, {"H", 8}, {"C", 8}});
  const Walk w = walk(program);
  const auto launches = launch_effects(program, w);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(names(program, launches[0].may_read), (Names{"B1", "W1", "X"}));
  EXPECT_EQ(names(program, launches[0].may_write), (Names{"hidden"}));
  EXPECT_EQ(names(program, launches[1].may_read), (Names{"B2", "W2", "hidden"}));
  EXPECT_EQ(names(program, launches[1].may_write), (Names{"Y"}));
  EXPECT_TRUE(launches[0].opaque.empty());
  EXPECT_EQ(names(program, effects_of(program, loads_of(program, "X")[0]).may_read), (Names{"X"}));
  EXPECT_TRUE(effects_of(program, ops_of<tile::MmaOp>(program)[0]).none());
}

const char* const kOpaque = R"(program p(N) {
  in X: f32[8]
  in scale: f32
  inout Z: f32[8]
  out Y: f32[8]
  temp T: f32[8]
  parallel i in 1 {
    axis m: 8
    memory S: f32[8]
    memory R: f32[8]
    S[m] = 1.0
    R[m] = 1.0
    T[m] = 1.0
    s[m] = S[m]
    opaque "poke"(s, S)
    barrier
    if scale > 0.0 { Y[m] = X[m] }
  }
  parallel i in 1 {
    axis n: 8
    Y[n] = X[n] + T[n]
  }
})";

TEST(Effects, AnOpaqueCallMayTouchEveryBufferAndTheMemoryItWasGiven) {
  const Program program = bound_program(kOpaque, {{"N", 1}});
  const Effects call = effects_of(program, ops_of<tile::OpaqueOp>(program)[0]);
  EXPECT_EQ(names(program, call.may_write), (Names{"S", "T", "X", "Y", "Z"}));
  EXPECT_EQ(call.may_read, call.may_write);
  EXPECT_EQ(call.opaque.size(), 1u);
  const Effects launch = launch_effects(program, walk(program))[0];
  EXPECT_EQ(names(program, launch.may_read), (Names{"S", "T", "X", "Y", "Z", "scale"}));
  EXPECT_EQ(names(program, launch.may_write), (Names{"R", "S", "T", "X", "Y", "Z"}));
  EXPECT_EQ(names(program, launch.allocates), (Names{"R", "S"}));
  EXPECT_EQ(launch.barriers.size(), 1u);
}

TEST(Effects, AliasClasses) {
  const Program program = bound_program(kOpaque, {{"N", 1}});
  auto may = [&](const char* a, const char* b, const AliasPromise& promise) {
    const ObjectId x = object_named(program, a), y = object_named(program, b);
    EXPECT_EQ(may_alias(program, x, y, promise), may_alias(program, y, x, promise));
    return may_alias(program, x, y, promise);
  };
  EXPECT_TRUE(may("X", "Y", kNoPromise)) << "read-only or not";
  EXPECT_TRUE(may("X", "Z", kNoPromise));
  EXPECT_FALSE(may("X", "T", kNoPromise));
  EXPECT_FALSE(may("X", "scale", kNoPromise));
  EXPECT_FALSE(may("S", "R", kNoPromise));
  EXPECT_FALSE(may("S", "X", kNoPromise));
  for (const AliasPromise& promise : {kCaller, kLaunch}) {
    EXPECT_FALSE(may("X", "Y", promise));
    EXPECT_TRUE(may("X", "X", promise));
    EXPECT_NE(promise.premise(), "");
  }
  EXPECT_TRUE(may("X", "Y", AliasPromise{true, AliasPromise::Origin::None})) << "a promise that nobody makes";
  EXPECT_EQ(AliasPromise{}.premise(), "");
  EXPECT_NE(kCaller.premise(), kLaunch.premise());

  const auto classes = alias_classes(program, kNoPromise);
  std::size_t members = 0;
  for (const auto& one : classes) members += one.size();
  EXPECT_EQ(members, program.objects().size());
  EXPECT_EQ(names(program, classes[0]), (Names{"X", "Y", "Z"}));
  EXPECT_EQ(classes.size(), program.objects().size() - 2);
  EXPECT_EQ(alias_classes(program, kCaller).size(), program.objects().size());
}

TEST(Effects, Immutability) {
  const Program program = bound_program(kOpaque, {{"N", 1}});
  const Walk w = walk(program);
  auto why = [&](const char* name, std::uint32_t launch, const AliasPromise& promise) {
    const auto reason = why_maybe_mutable(program, w, object_named(program, name), launch, promise);
    EXPECT_EQ(surely_immutable(program, w, object_named(program, name), launch, promise), !reason);
    if (reason) {
      EXPECT_NE(to_text(program, *reason), "");
    }
    return reason ? std::optional(reason->kind) : std::nullopt;
  };
  using Kind = MutableReason::Kind;
  EXPECT_EQ(why("X", 0, kCaller), Kind::OpaqueCall) << "no promise binds an opaque call";
  EXPECT_EQ(why("scale", 0, kCaller), Kind::OpaqueCall);
  EXPECT_EQ(why("X", 1, kNoPromise), Kind::AliasWritten);
  EXPECT_EQ(why("X", 1, kCaller), std::nullopt);
  EXPECT_EQ(why("scale", 1, kNoPromise), std::nullopt);
  EXPECT_EQ(why("Y", 1, kCaller), Kind::Written);
  EXPECT_EQ(why("Z", 1, kNoPromise), Kind::AliasWritten);
  EXPECT_EQ(why("T", 1, kNoPromise), std::nullopt) << "filled by an earlier launch";
  EXPECT_EQ(why("S", 1, kCaller), Kind::ExplicitMemory);
}

TEST(Effects, GemmOperandsAreImmutableOnlyUnderThePromise) {
  const Program program = bound_program(library_text("gemm"), {{"M", 8}, {"N", 8}, {"K", 8}});
  const Walk w = walk(program);
  for (const char* name : {"A", "B"}) {
    EXPECT_FALSE(surely_immutable(program, w, object_named(program, name), 0, kNoPromise));
    EXPECT_TRUE(surely_immutable(program, w, object_named(program, name), 0, kCaller));
  }
  EXPECT_FALSE(surely_immutable(program, w, object_named(program, "C"), 0, kCaller));
}

}  // namespace
}  // namespace tilewright::analysis
