// Fences of groups of tensor operations (background 4.10): whether subgroups are independent is answered for every
// group, fences go only on request, and each counterexample keeps them and says why. The interpreter finds a race where
// one is missing.
#include <algorithm>

#include "lower_group/planned_run.h"
#include "premise_rows.h"

namespace tilewright::mpp {
namespace {

using lower::testing::PlannedRun;
using lower::testing::Settings;
using Edits = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kElide = "elide_independent_subgroup_barriers";
constexpr const char* kWhole = "M=64 N=64 K=32";

std::optional<PlannedRun> run_edited(const Edits& edits, const Settings& settings, const char* sizes = kWhole) {
  const PremiseRow row{"fences", edits, {}, Keeps::Nothing, "", ""};
  return lower::testing::run_planned(std::string("p ") + sizes, settings, text_of(row), "metal-mpp");
}

bool any_elided(const sync::KernelFences& fences) {
  return std::ranges::any_of(fences.fences,
                             [](const sync::FenceFact& fence) { return fence.fate == sync::FenceFate::Elided; });
}

TEST(MppFences, IndependentSubgroupsAreProvedAndKeptUntilAsked) {
  for (const char* sizes : {kWhole, "M=64 N=64 K=23", "M=70 N=45 K=23"})
    for (const char* threads : {"0", "32", "128", "256"})
      for (const bool elide : {false, true}) {
        const auto run = run_edited({}, {{kElide, elide ? "true" : "false"}, {"threads_per_group", threads}}, sizes);
        ASSERT_TRUE(run);
        const sync::KernelFences& fences = run->fences[0];
        ASSERT_TRUE(fences.independent_subgroups);
        EXPECT_EQ(fences.independent_subgroups->kind, proof::Finding::Kind::Proved) << sizes << " " << threads;
        EXPECT_EQ(fences.sites_after == 0, elide) << sizes << " " << threads;
        EXPECT_EQ(any_elided(fences), elide);
      }
}

TEST(MppFences, AnEpilogueOnTheFragmentsKeepsThemIndependent) {
  const auto run = run_edited({{"= acc\n  }", "= max(acc, 0.0)\n  }"}},
                              {{kElide, "true"}, {"fuse_matrix_epilogues", "true"}}, "M=70 N=45 K=23");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->fences[0].sites_after, 0);
}

struct FenceRow {
  const char* name;
  Edits edits;
  Settings settings;
  const char* code;
};

Edits with_second_output(const std::string& extents, Edits more) {
  more.insert(more.begin(), {"  out D: f32[M, N]\n", "  out D: f32[M, N]\n  out T: f32[" + extents + "]\n"});
  return more;
}

// Not to be written: 48 workers (a plan has complete subgroups), a barrier of the author (it makes no cooperative
// program), a branch around a tensor operation (its product stays scalar).
std::vector<FenceRow> fence_rows() {
  const std::string store = "    D[i*32 + m, j*32 + n] = acc\n", start = "    acc[m, n] = 0.0\n",
                    product = "      acc = mma(a, b, acc)\n";
  return {
      {"buffers may overlap", {}, {{"noalias", "false"}}, "shared_conflict"},
      {"snapshots", {}, {{"forward_readonly_tile_loads", "false"}}, "shared_conflict"},
      {"a staged accumulator", {}, {{"direct_accumulator_store", "false"}}, "shared_conflict"},
      {"an effect before the store",
       with_second_output("M, 2", {{store, "    T[i*32 + m, j] = 1.0\n" + store}}),
       {},
       "second_effect"},
      {"an effect behind the store",
       with_second_output("M, 2", {{store, store + "    T[i*32 + m, j] = 1.0\n"}}),
       {},
       "second_effect"},
      {"an effect in a branch",
       with_second_output("M, 2", {{store, "    if i < 1 {\n      T[i*32 + m, j] = 1.0\n    }\n" + store}}),
       {},
       "second_effect"},
      {"two outputs",
       with_second_output("M, N", {{start, start + "    two[m, n] = 0.0\n"},
                                   {product, product + "      two = mma(a, b, two)\n"},
                                   {store, store + "    T[i*32 + m, j*32 + n] = two\n"}}),
       {},
       "second_effect"},
      {"the output in a loop",
       {{start, "    serial t in 2 {\n" + start},
        {store, store + "    }\n"},
        {"D[i", "D[t, i"},
        {"out D: f32[M, N]", "out D: f32[2, M, N]"}},
       {},
       "output_in_loop"},
      {"the output is read in the next iteration",
       {{"out D", "inout D"},
        {start, "    serial t in 2 {\n" + start},
        {store, "    old[m, n] = D[i*32 + m, j*32 + n]\n    D[i*32 + m, j*32 + n] = acc + old\n    }\n"}},
       {},
       "shared_conflict"},
  };
}

TEST(MppFences, CounterexamplesKeepThem) {
  for (const FenceRow& row : fence_rows()) {
    SCOPED_TRACE(row.name);
    Settings settings = row.settings;
    const auto without = run_edited(row.edits, settings);
    settings.emplace_back(kElide, "true");
    const auto run = run_edited(row.edits, settings);
    ASSERT_TRUE(without && run);
    const sync::KernelFences& fences = run->fences[0];
    ASSERT_TRUE(fences.independent_subgroups);
    EXPECT_NE(fences.independent_subgroups->kind, proof::Finding::Kind::Proved);
    EXPECT_EQ(fences.independent_subgroups->code, row.code) << fences.independent_subgroups->reason;
    EXPECT_FALSE(any_elided(fences));
    EXPECT_GT(fences.sites_after, 0);
    EXPECT_EQ(fences.sites_after, without->fences[0].sites_after) << "coalesced as without the request";
  }
}

/// Fences that a plan may not lose: none goes where it keeps the reference.
TEST(MppFences, WithoutCoalescingAllStay) {
  const auto run = run_edited({}, {{"noalias", "false"}, {"coalesce_group_barriers", "false"}});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->fences[0].sites_after, run->fences[0].sites_before);
  const auto coalesced = run_edited({}, {{"noalias", "false"}});
  ASSERT_TRUE(coalesced);
  EXPECT_LT(coalesced->fences[0].sites_after, coalesced->fences[0].sites_before);
}

}  // namespace
}  // namespace tilewright::mpp
