// Carries: closed mma updates, and every way not to be one.
#include "analysis/recurrences.h"

#include <gtest/gtest.h>

#include "analysis/programs.h"
#include "analysis/roles.h"

namespace tilewright::analysis {
namespace {

using tile::Program;

std::vector<Recurrence> recurrences_of(const Program& program) {
  return recurrences(program, walk(program), uses(program));
}

/// A matrix product with the loop body given; acc is carried, x and y are loaded, all 8 x 8 over m, k, n.
Program product(const std::string& body, const std::string& before = "", const std::string& after = "",
                const std::string& loop = "serial s in 4") {
  return bound_program(
      "program p(N) {\n  in A: f32[64, 64]\n  in B: f32[64, 64]\n  in flag: f32\n  out C: f32[64, 64]\n"
      "  inout D: f32[64, 64]\n  parallel i in 2 {\n    axis m: 8, k: 8, n: 8\n    acc[m, n] = 0.0\n" +
          before + "\n    " + loop + " {\n      a[m, k] = A[i*8 + m, s*8 + k]\n      b[k, n] = B[s*8 + k, n]\n      " +
          body + "\n    }\n    C[i*8 + m, n] = acc\n" + after + "\n  }\n}\n",
      {{"N", 1}});
}

std::vector<OpenReason> reasons(const Program& program, std::size_t region = 0, std::size_t carry = 0) {
  std::vector<OpenReason> all;
  const Carry found = recurrences_of(program).at(region).carries.at(carry);
  EXPECT_EQ(found.is_closed(), found.faults.empty());
  for (const OpenFault& fault : found.faults) {
    EXPECT_NE(to_text(program, fault), "");
    all.push_back(fault.reason);
  }
  return all;
}
using Reasons = std::vector<OpenReason>;

TEST(Recurrences, TheMatrixProductIsClosed) {
  const Program program = bound_program(library_text("gemm"), {{"M", 100}, {"N", 65}, {"K", 70}});
  const auto all = recurrences_of(program);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, tile::RegionKind::Pipeline);
  EXPECT_EQ(all[0].constant_trips, 3);
  EXPECT_EQ(all[0].loop_depth, 0u);
  ASSERT_EQ(all[0].carries.size(), 1u);
  const Carry& carry = all[0].carries[0];
  EXPECT_TRUE(carry.is_closed());
  EXPECT_EQ(*carry.closed_mma, ops_of<tile::MmaOp>(program)[0]);
  EXPECT_EQ(as_mma(program, *carry.closed_mma)->c, carry.argument);
  EXPECT_EQ(program.value(carry.yield).def, *carry.closed_mma);
  EXPECT_EQ(program.value(carry.result).def, all[0].region);
}

TEST(Recurrences, OpenFamiliesAreClassifiedTheSame) {
  const Program family = family_of(library_text("gemm"));
  const auto all = recurrences_of(family);
  EXPECT_TRUE(all[0].carries[0].is_closed());
  EXPECT_FALSE(all[0].constant_trips);
}

TEST(Recurrences, WaysToBeOpen) {
  EXPECT_EQ(reasons(product("acc = mma(a, b, acc)")), Reasons{});
  EXPECT_EQ(reasons(product("acc = acc + 1.0")), Reasons{OpenReason::YieldIsNoMma});
  EXPECT_EQ(reasons(product("acc = acc")), Reasons{OpenReason::YieldIsUnchanged});
  EXPECT_EQ(reasons(product("acc = other", "    other[m, n] = 1.0")), Reasons{OpenReason::YieldIsUnchanged});
  EXPECT_EQ(reasons(product("acc = mma(a, b, acc * 0.5)")),
            (Reasons{OpenReason::AccumulatorDiffers, OpenReason::CarryObserved}));
  EXPECT_EQ(reasons(product("z[m, n] = 0.0\n acc = mma(a, b, z)")), Reasons{OpenReason::AccumulatorDiffers});
  EXPECT_EQ(reasons(product("acc = mma(a, b, acc)\n acc = acc * 0.5")), Reasons{OpenReason::YieldIsNoMma});
  EXPECT_EQ(reasons(product("D[m, n] = acc\n acc = mma(a, b, acc)")), Reasons{OpenReason::CarryObserved});
  EXPECT_EQ(reasons(product("acc = mma(a, b, acc)\n D[m, n] = acc")), Reasons{OpenReason::ResultObserved});
  EXPECT_EQ(reasons(product("if flag > 0.0 { acc = mma(a, b, acc) }")), Reasons{OpenReason::MmaInInnerBlock});
  EXPECT_EQ(reasons(product("serial t in 2 { acc = mma(a, b, acc) }")), Reasons{OpenReason::MmaInInnerBlock});
  EXPECT_EQ(reasons(product("serial t in 2 { acc = mma(a, b, acc) }"), 1), Reasons{}) << "the inner loop is closed";
  EXPECT_EQ(recurrences_of(product("serial t in 2 { acc = mma(a, b, acc) }"))[1].loop_depth, 1u);
}

TEST(Recurrences, TheCarryAsAMultiplicand) {
  EXPECT_EQ(reasons(product("r[m, k] = acc[m, k]\n acc = mma(r, b, acc)")), Reasons{OpenReason::CarryIsOperand});
  EXPECT_EQ(reasons(product("r[k, n] = acc[k, n]\n acc = mma(a, r, acc)")), Reasons{OpenReason::CarryIsOperand});
  EXPECT_EQ(reasons(product("r[m, k] = f32(f16(acc[m, k])) + a\n acc = mma(r, b, acc)")),
            Reasons{OpenReason::CarryIsOperand});
  const Program direct = bound_program(R"(program p(N) {
    out C: f32[8, 8, 8]
    in A: f32[8, 8, 8]
    parallel i in 1 {
      axis g: 8, m: 8, k: 8
      b[g, k] = A[0, g, k]
      acc[g] = 0.0
      serial s in 2 {
        wide = broadcast(acc, g, k)
        acc = mma(wide, b, acc)
      }
      C[0, 0, g] = acc
    }
  })",
                                       {{"N", 1}});
  EXPECT_EQ(reasons(direct), Reasons{OpenReason::CarryIsOperand});
}

TEST(Recurrences, OldValuesInASecondCarryAndSwaps) {
  const Program second = product("seen = acc\n acc = mma(a, b, acc)", "    seen[m, n] = 0.0", "    D[m, n] = seen");
  const auto all = recurrences_of(second);
  ASSERT_EQ(all[0].carries.size(), 2u);
  for (std::size_t j = 0; j < 2; ++j) {
    const bool accumulates =
        as_mma(second, second.value(all[0].carries[j].yield).def.valid() ? second.value(all[0].carries[j].yield).def
                                                                         : all[0].region) != nullptr;
    EXPECT_EQ(reasons(second, 0, j), Reasons{accumulates ? OpenReason::CarryObserved : OpenReason::YieldIsNoMma});
  }
  const Program swap = product("t = acc\n acc = other\n other = t", "    other[m, n] = 1.0", "    D[m, n] = other");
  EXPECT_EQ(reasons(swap, 0, 0), Reasons{OpenReason::YieldIsNoMma});
  EXPECT_EQ(reasons(swap, 0, 1), Reasons{OpenReason::YieldIsNoMma});
}

TEST(Recurrences, ObserversAreListed) {
  const Program program = product("D[m, n] = acc\n acc = mma(a, b, acc)\n D[m, n] = acc");
  const Carry carry = recurrences_of(program)[0].carries[0];
  ASSERT_EQ(carry.faults.size(), 2u);
  const auto stores = stores_of(program, "D");
  EXPECT_EQ(carry.faults[0].observers, (std::vector<Use>{{UseKind::Operand, stores[0], 0, {}}}));
  EXPECT_EQ(carry.faults[1].observers, (std::vector<Use>{{UseKind::Operand, stores[1], 0, {}}}));
}

TEST(Recurrences, TripCounts) {
  auto trips = [](const std::string& loop) {
    return recurrences_of(product("acc = mma(a, b, acc)", "", "", loop)).at(0).constant_trips;
  };
  EXPECT_EQ(trips("serial s in 4"), 4);
  EXPECT_EQ(trips("pipeline s in 4, t in 5"), 20);
  EXPECT_EQ(trips("serial s in 0"), 0);
  EXPECT_EQ(trips("serial s in 0 - 3"), 0);
  EXPECT_EQ(trips("serial s in i"), std::nullopt);
  EXPECT_EQ(trips("serial s in i, t in 0"), 0);
}

TEST(Recurrences, Attention) {
  const Program program = small_library_program("attention");
  const auto all = recurrences_of(program);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].constant_trips) << "causal: the keys depend on the query block";
  ASSERT_EQ(all[0].carries.size(), 3u);
  std::size_t mma_yields = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const Carry& carry = all[0].carries[j];
    EXPECT_FALSE(carry.is_closed());
    const auto def = program.value(carry.yield).def;
    if (as_mma(program, def) == nullptr) continue;
    ++mma_yields;
    EXPECT_EQ(reasons(program, 0, j), (Reasons{OpenReason::AccumulatorDiffers, OpenReason::CarryObserved}))
        << "acc is scaled by the decay first";
  }
  EXPECT_EQ(mma_yields, 1u);
}

}  // namespace
}  // namespace tilewright::analysis
