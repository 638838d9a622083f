// Every analysis on every program of programs/ and on random programs, bound and open, with facts that must agree.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "analysis/accesses.h"
#include "analysis/effects.h"
#include "analysis/physical_extent.h"
#include "analysis/programs.h"
#include "analysis/range.h"
#include "analysis/recurrences.h"
#include "analysis/roles.h"
#include "tile/generator.h"

namespace tilewright::analysis {
namespace {

using tile::OpId;
using tile::Program;

/// All analyses; what holds of every program is checked.
void run_all(const Program& program) {
  const LeafRanges ranges = over_leaf_ranges(program);
  const Walk w = walk(program);
  const Uses u = uses(program);
  const Accesses all = accesses(program, w, ranges);
  for (const Access& access : all.all) {
    EXPECT_EQ(all.of(access.op), &access);
    EXPECT_EQ(access.dimensions.size(), program.object(access.object).rank());
    for (const AccessDimension& dimension : access.dimensions) {
      const auto range = over_range(program, dimension.expr, access.domain, ranges);
      EXPECT_TRUE(!dimension.form || range);
      if (dimension.unit) {
        EXPECT_EQ(dimension.form->coefficient(Leaf::of(dimension.unit->axis)), 1);
      }
    }
  }
  const auto effects = launch_effects(program, w);
  for (tile::ObjectId id : program.objects().ids())
    for (std::uint32_t launch = 0; launch < w.launches.size(); ++launch) {
      const auto& written = effects[launch].may_write;
      const bool may_write = std::find(written.begin(), written.end(), id) != written.end();
      EXPECT_FALSE(may_write && surely_immutable(program, w, id, launch, {true, AliasPromise::Origin::Caller}));
    }
  for (OpId op : w.order) {
    // Definitions dominate their uses, unless the definition is a carry or holds the use.
    tile::for_each_operand(program, program.op(op).payload, [&](tile::ValueId value) {
      const OpId def = program.value(value).def;
      if (def.valid()) {
        EXPECT_TRUE(surely_dominates(w, def, op));
      }
    });
    if (as_mma(program, op) != nullptr) {
      const MeanExtent mean = mean_physical_k(program, w, all, op);
      EXPECT_GE(mean.sum, 0);
    }
  }
  for (const Recurrence& recurrence : recurrences(program, w, u))
    for (const Carry& carry : recurrence.carries) EXPECT_EQ(carry.is_closed(), carry.faults.empty());
}

TEST(Corpus, LibraryProgramsRunThroughEveryAnalysis) {
  ASSERT_GE(library_names().size(), 19u);
  for (const std::string& name : library_names()) {
    SCOPED_TRACE(name);
    run_all(family_of(library_text(name)));
    run_all(small_library_program(name));
    run_all(small_library_program(name, false));
  }
}

std::size_t closed_count(const Program& program) {
  std::size_t closed = 0;
  for (const Recurrence& recurrence : recurrences(program, walk(program), uses(program)))
    for (const Carry& carry : recurrence.carries) closed += carry.is_closed();
  return closed;
}

TEST(Corpus, ClosedRecurrencesOfTheLibrary) {
  const std::map<std::string, std::size_t> expected = {{"attention", 0},
                                                       {"batched_gemm", 1},
                                                       {"conv2d", 1},
                                                       {"cross_entropy", 0},
                                                       {"gemm", 1},
                                                       {"gemm_alpha_beta", 1},
                                                       {"gemm_bias_gelu", 1},
                                                       {"gemm_bias_relu", 1},
                                                       {"gemm_nt", 1},
                                                       {"gemm_tn", 1},
                                                       {"gemm_tt", 1},
                                                       {"layernorm", 0},
                                                       {"mlp", 2},
                                                       {"residual_layernorm", 0},
                                                       {"rmsnorm", 0},
                                                       {"rope", 0},
                                                       {"rowsum", 0},
                                                       {"softmax", 0},
                                                       {"swiglu", 0}};
  for (const auto& [name, count] : expected) EXPECT_EQ(closed_count(small_library_program(name)), count) << name;
}

TEST(Corpus, SoftmaxByHand) {
  const Program program = small_library_program("softmax");
  const auto all = recurrences(program, walk(program), uses(program));
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].carries.size(), 2u);
  EXPECT_TRUE(all[1].carries.empty());
  EXPECT_EQ(all[0].constant_trips, 1) << "7 columns in blocks of 64";
  for (const Carry& carry : all[0].carries) EXPECT_EQ(carry.faults[0].reason, OpenReason::YieldIsNoMma);
  const Accesses accessed = accesses(program, walk(program), over_leaf_ranges(program));
  for (OpId load : loads_of(program, "X")) {
    EXPECT_EQ(accessed.of(load)->fallback, FallbackKind::Constant);
    const auto axes = own_axes(program, load);
    ASSERT_EQ(axes.size(), 2u);
    EXPECT_EQ(orientation(*accessed.of(load), axes[0], axes[1]), (Orientation{0, 1}));
  }
}

TEST(Corpus, ConvolutionByHand) {
  const Program program = small_library_program("conv2d");
  const Walk w = walk(program);
  const auto all = recurrences(program, w, uses(program));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].constant_trips, 3 * 3 * 2) << "11 channels in blocks of 8";
  const MeanExtent mean =
      mean_physical_k(program, w, accesses(program, w, over_leaf_ranges(program)), ops_of<tile::MmaOp>(program)[0]);
  ASSERT_TRUE(mean.is_known()) << nominal_reason_name(mean.nominal);
  EXPECT_EQ(mean.sum, 11);
  EXPECT_EQ(mean.count, 2);
}

TEST(Corpus, AttentionAndMlpByHand) {
  const Program attention = small_library_program("attention");
  const Walk w = walk(attention);
  const Accesses all = accesses(attention, w, over_leaf_ranges(attention));
  const auto products = ops_of<tile::MmaOp>(attention);
  ASSERT_EQ(products.size(), 2u);
  EXPECT_EQ(mean_physical_k(attention, w, all, products[0]).nominal, NominalReason::NotStatic) << "causal";
  EXPECT_EQ(mean_physical_k(attention, w, all, products[1]).nominal, NominalReason::OperandsNotLoads) << "weights";
  const MmaRoles scores = mma_roles(attention, products[0]);
  EXPECT_EQ(scores.contraction, (std::vector{axis_named(attention, "d")}));

  const Program mlp = small_library_program("mlp");
  const Walk layers = walk(mlp);
  const Accesses touched = accesses(mlp, layers, over_leaf_ranges(mlp));
  const auto both = ops_of<tile::MmaOp>(mlp);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(mean_physical_k(mlp, layers, touched, both[0]).sum, 6) << "D";
  EXPECT_EQ(mean_physical_k(mlp, layers, touched, both[1]).sum, 9) << "H";
  EXPECT_TRUE(surely_immutable(mlp, layers, object_named(mlp, "hidden"), 1, {}));
  EXPECT_FALSE(surely_immutable(mlp, layers, object_named(mlp, "hidden"), 0, {}));
  EXPECT_TRUE(surely_immutable(mlp, layers, object_named(mlp, "X"), 0, {})) << "only a temp is written";
  EXPECT_FALSE(surely_immutable(mlp, layers, object_named(mlp, "W2"), 1, {}));
}

TEST(Corpus, RandomProgramsRunThroughEveryAnalysis) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const tile::GeneratedProgram generated = tile::generate_program(seed);
    run_all(generated.family);
    const auto bound = tile::bind(generated.family, generated.bindings);
    ASSERT_TRUE(bound) << render(bound.error());
    run_all(*bound);
  }
}

}  // namespace
}  // namespace tilewright::analysis
