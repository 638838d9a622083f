// Scores and choices of row reductions: the published numbers, brute force, exact options, every error.
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/plan_cases.h"
#include "plan/row_reduction_plan.h"
#include "realize_rows/row_cases.h"

namespace tilewright::plan {
namespace {

using realize::kRowRmsNorm;
using realize::kRowSoftmax;
using realize::kRowSum;
using realize::RowMapping;
using realize::RowReductionWorkload;

constexpr Limits kSmall{.max_threads = 256, .shared_memory_bytes = 32768};
constexpr Limits kFull{.max_threads = 1024, .shared_memory_bytes = 32768};

RowReductionWorkload rows_of(const std::string& text, std::int64_t programs, std::int64_t width) {
  return realize::workload_of(realize::rows_program(text, {{"N", programs}, {"C", width}}));
}

RowReductionChoice choice_of(const RowReductionWorkload& workload, const Limits& limits,
                             const PlannerOptions& options = {}, const CostPriors& priors = shipped_priors(),
                             RowWidths widths = RowWidths::PowersOfTwo) {
  auto choice = plan_row_reduction(workload, limits, options, priors, widths);
  if (!choice) throw std::runtime_error(render(choice.error()));
  return *std::move(choice);
}

RowReductionPlan plan_for(const RowReductionWorkload& workload, const Limits& limits,
                          const PlannerOptions& options = {}, const CostPriors& priors = shipped_priors(),
                          RowWidths widths = RowWidths::PowersOfTwo) {
  const RowReductionChoice choice = choice_of(workload, limits, options, priors, widths);
  if (!choice.plan) throw std::runtime_error(row_choice_text(choice));
  return *choice.plan;
}

struct Published {
  std::int64_t rows, width;
  double sum, softmax, rms_norm;
};
/// Background 6, reduction scores.
constexpr Published kPublished[] = {
    {1, 127, 23, 32, 24}, {17, 257, 14, 42, 22}, {128, 1024, 33, 64, 40}, {64, 4096, 49, 112, 64}};

TEST(RowPlan, PublishedScores) {
  for (const Published& row : kPublished) {
    EXPECT_EQ(plan_for(rows_of(kRowSum, row.rows, row.width), kSmall).score, row.sum) << row.width;
    EXPECT_EQ(plan_for(rows_of(kRowSoftmax, row.rows, row.width), kSmall).score, row.softmax) << row.width;
    EXPECT_EQ(plan_for(rows_of(kRowRmsNorm, row.rows, row.width), kSmall).score, row.rms_norm) << row.width;
  }
}

TEST(RowPlan, PublishedScoresByHand) {
  // Reductions and sweeps of the three kernels, as the reading of docs/row-reductions.md has them.
  struct Kernel {
    std::int64_t folds, sweeps, single_stores;
    double Published::* score;
  };
  for (const Kernel& kernel :
       {Kernel{1, 1, 1, &Published::sum}, Kernel{2, 4, 0, &Published::softmax}, Kernel{1, 2, 0, &Published::rms_norm}})
    for (const Published& row : kPublished) {
      double best = std::numeric_limits<double>::infinity();
      for (const std::int64_t s : {1, 2, 4, 8, 16, 32})
        for (std::int64_t q = 1; q <= (s == 1 ? std::min<std::int64_t>(row.rows, 8) : 1); ++q) {
          const std::int64_t rounds = kernel.sweeps * ((row.width + 32 * s - 1) / (32 * s)) + kernel.single_stores;
          best = std::min(best, static_cast<double>(rounds + 2 * kernel.folds * s) + 16.0 / static_cast<double>(q));
        }
      EXPECT_EQ(best, row.*kernel.score) << row.width;
    }
}

TEST(RowPlan, PublishedMappings) {
  const RowReductionPlan one = plan_for(rows_of(kRowSum, 1, 127), kSmall);
  EXPECT_EQ(one.mapping, (RowMapping{1, 1, 1, 1, false})) << "S = 2 scores 23 as well: the smaller S stays";
  EXPECT_EQ(plan_for(rows_of(kRowSoftmax, 1, 127), kSmall).reduction_subgroups_per_program, 2);
  const RowReductionPlan packed = plan_for(rows_of(kRowSoftmax, 17, 257), kSmall);
  EXPECT_EQ(packed.reduction_programs_per_group, 8);
  EXPECT_EQ(packed.reduction_threadgroups, 3);
  EXPECT_EQ(packed.threads, 256);
  EXPECT_EQ(packed.shared_memory_bytes, 0);
  const RowReductionPlan wide = plan_for(rows_of(kRowSum, 128, 1024), kSmall);
  EXPECT_EQ(wide.reduction_subgroups_per_program, 4);
  EXPECT_EQ(wide.concurrent_waves, 2);
  EXPECT_EQ(wide.kernel_score, 66) << "published is the score of one program, before the waves";
  EXPECT_EQ(plan_for(rows_of(kRowSum, 64, 4096), kSmall).concurrent_waves, 1);
  EXPECT_EQ(plan_for(rows_of(kRowSum, 65, 4096), kSmall).concurrent_waves, 2);
}

TEST(RowPlan, PublishedScoresWithAllWorkersOfTheDevice) {
  for (const Published& row : kPublished) {
    EXPECT_EQ(plan_for(rows_of(kRowSum, row.rows, row.width), kFull).score, row.sum);
    EXPECT_EQ(plan_for(rows_of(kRowSoftmax, row.rows, row.width), kFull).score, row.softmax);
    EXPECT_EQ(plan_for(rows_of(kRowRmsNorm, row.rows, row.width), kFull).score, row.rms_norm);
  }
}

TEST(RowPlan, OtherCountsOfSubgroupsScoreLower) {
  // Three of the twelve are not the lowest score over all S: what is published is the lowest over powers of two.
  const auto of_any = [](const RowReductionWorkload& workload, const Limits& limits) {
    return plan_for(workload, limits, {}, shipped_priors(), RowWidths::All);
  };
  const RowReductionPlan three = of_any(rows_of(kRowSoftmax, 17, 257), kSmall);
  EXPECT_EQ(three.score, 40);
  EXPECT_EQ(three.reduction_subgroups_per_program, 3);
  EXPECT_EQ(of_any(rows_of(kRowSoftmax, 64, 4096), kFull).score, 108);
  EXPECT_EQ(of_any(rows_of(kRowRmsNorm, 64, 4096), kFull).score, 62);
  EXPECT_EQ(of_any(rows_of(kRowSoftmax, 64, 4096), kSmall).score, 112);
  for (const Published& row : kPublished) {
    EXPECT_EQ(of_any(rows_of(kRowSum, row.rows, row.width), kFull).score, row.sum);
    if (row.width == 4096) continue;
    EXPECT_EQ(of_any(rows_of(kRowRmsNorm, row.rows, row.width), kFull).score, row.rms_norm);
    if (row.width == 257) continue;
    EXPECT_EQ(of_any(rows_of(kRowSoftmax, row.rows, row.width), kFull).score, row.softmax);
  }
}

TEST(RowPlan, LibraryProgramsOfOneRowScoreAlike) {
  // rowsum and rmsnorm of programs/ with one row a program: the same folds and stores in blocks.
  for (const Published& row : kPublished) {
    const realize::Numbers numbers{{"N", row.rows}, {"C", row.width}, {"BR", 1}, {"BC", 128}};
    const auto workload = [&](const char* name) {
      return realize::workload_of(realize::rows_program(realize::rows_library_text(name), numbers));
    };
    EXPECT_EQ(plan_for(workload("rowsum"), kSmall).score, row.sum);
    EXPECT_EQ(plan_for(workload("rmsnorm"), kSmall).score, row.rms_norm);
  }
}

TEST(RowPlan, ReportFields) {
  const RowReductionWorkload workload = rows_of(kRowSoftmax, 17, 257);
  const RowReductionPlan plan = plan_for(workload, kSmall,
                                         {.reduction_programs_per_group = 1,
                                          .reduction_unroll_factor = 4,
                                          .reduction_lane_elements = 2,
                                          .threads_per_group = 64});
  EXPECT_EQ(plan.programs, 17);
  EXPECT_EQ(plan.reduction_subgroups_per_program, 2);
  EXPECT_EQ(plan.reduction_programs_per_group, 1);
  EXPECT_EQ(plan.reduction_operations, 2);
  EXPECT_EQ(plan.reduction_elements, 2 * 257);
  EXPECT_EQ(plan.reduction_unroll_factor, 4);
  EXPECT_EQ(plan.reduction_lane_elements, 2);
  EXPECT_EQ(plan.reduction_threadgroups, 17);
  EXPECT_EQ(plan.reduction_scalar_rounds, 4 * 6) << "129 pairs, 3 chunks of 64, 6 elements a sweep";
  EXPECT_DOUBLE_EQ(plan.reduction_lane_utilization, 4 * 257 / (24.0 * 64));
  EXPECT_TRUE(plan.reduction_payload_accesses_known);
  EXPECT_EQ(plan.reduction_payload_accesses_per_program, 3 * 257)
      << "x for the maximum and the exponentials, one store";
  EXPECT_EQ(plan.reduction_payload_accesses_per_worker, 3 * 5) << "two whole chunks and the one element left";
  EXPECT_EQ(plan.striped_storage_scalars_per_worker, 6);
  EXPECT_EQ(plan.shared_memory_bytes, 2 * 2 * 4);
  EXPECT_EQ(plan.score, 24 + 2 * 2 * 2 + 16);
}

TEST(RowPlan, PayloadOfAGatherIsNotKnown) {
  const RowReductionPlan plan = plan_for(
      realize::workload_of(realize::rows_program(realize::rows_library_text("cross_entropy"), {{"N", 8}, {"C", 64}})),
      kSmall);
  EXPECT_FALSE(plan.reduction_payload_accesses_known);
}

/// Prices of rounds, collectives and the setup of a group; accesses are free.
CostPriors row_priors(double round, double collective, double setup) {
  CostPriors priors = shipped_priors();
  priors.subgroup_reduction_scalar_round = round;
  priors.subgroup_reduction_collective = collective;
  priors.subgroup_reduction_group_setup = setup;
  return priors;
}

// ---- Brute force ----

struct Instance {
  std::int64_t programs, width, max_threads, shared, budget, lanes;
  std::string kernel;
  bool cache, any_count;
  CostPriors priors;
};

Instance random_instance(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Instance instance{
      number(1, 200), number(1, 3000), number(1, 1100), number(0, 3) * 40, number(4, 80), 1, {}, false, false, {}};
  instance.any_count = number(0, 1) == 0;
  instance.lanes = std::int64_t{1} << number(0, 3);
  instance.kernel = std::vector<std::string>{kRowSum, kRowSoftmax, kRowRmsNorm}[static_cast<std::size_t>(number(0, 2))];
  instance.cache = instance.kernel != kRowSum && number(0, 2) == 0;
  const auto price = [&] { return static_cast<double>(number(0, 8)) / 4; };
  instance.priors = row_priors(price(), price(), price() * 8);
  instance.priors.subgroup_reduction_global_access_byte = number(0, 1) * price() / 16;
  instance.priors.subgroup_reduction_private_access_byte = number(0, 1) * price() / 16;
  instance.priors.preferred_concurrent_programs = number(1, 100);
  return instance;
}

/// The lowest score over all legal (S, Q), counted anew; and the first pair that has it.
std::optional<std::pair<double, RowMapping>> brute_force(const Instance& instance, bool any_count) {
  std::optional<std::pair<double, RowMapping>> best;
  const bool softmax = instance.kernel == kRowSoftmax, sum = instance.kernel == kRowSum;
  const std::int64_t v = instance.lanes, folds = softmax ? 2 : 1, sweeps = softmax ? 4 : sum ? 1 : 2;
  for (std::int64_t s = 1; s <= 32; ++s)
    for (std::int64_t q = 1; q <= 8; ++q) {
      if (q > 1 && (s > 1 || q > instance.programs)) continue;
      if (!any_count && s != 1 && s != 2 && s != 4 && s != 8 && s != 16 && s != 32) continue;
      if (32 * s * q > instance.max_threads || (s > 1 && folds * s * q * 4 > instance.shared)) continue;
      // One lane at a time, until all elements are dealt out.
      std::int64_t chunks = 0, first = 0;
      for (std::int64_t left = instance.width; left > 0; left -= 32 * s * v) {
        ++chunks;
        first += std::min(v, left);
      }
      const std::int64_t stripes = (softmax ? 1 : 0) + (instance.cache ? 1 : 0);
      if (stripes * chunks * v > instance.budget) continue;
      const std::int64_t rounds = sweeps * chunks * v + (sum ? 1 : 0);
      const std::int64_t inputs = sum ? 1 : instance.cache ? 1 : 2, others = sum ? 0 : softmax ? 1 : 2;
      const std::int64_t global = (inputs + others) * first * 4 + (sum ? 4 : 0);
      const std::int64_t kept = ((softmax ? 3 : 0) + (instance.cache ? 2 : 0)) * first * 4;
      const double score = instance.priors.subgroup_reduction_scalar_round * static_cast<double>(rounds) +
                           instance.priors.subgroup_reduction_collective * static_cast<double>(folds * s) +
                           instance.priors.subgroup_reduction_group_setup / static_cast<double>(q) +
                           instance.priors.subgroup_reduction_global_access_byte * static_cast<double>(global) +
                           instance.priors.subgroup_reduction_private_access_byte * static_cast<double>(kept);
      if (!best || score < best->first) best = {score, RowMapping{s, q, v, 1, instance.cache}};
    }
  return best;
}

TEST(RowPlan, ChoiceEqualsExhaustiveSearch) {
  std::int64_t none = 0, bound = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const Instance instance = random_instance(seed);
    SCOPED_TRACE(fmt::format("seed {}: {} programs of {}, {} threads, {} bytes, {} stripes, V {}, cache {}\n{}", seed,
                             instance.programs, instance.width, instance.max_threads, instance.shared, instance.budget,
                             instance.lanes, instance.cache, instance.kernel));
    PlannerOptions options;
    options.reduction_lane_elements = instance.lanes;
    options.cache_reduction_inputs = instance.cache;
    options.max_reduction_striped_scalars_per_worker = instance.budget;
    const auto choice =
        plan_row_reduction(rows_of(instance.kernel, instance.programs, instance.width),
                           {.max_threads = instance.max_threads, .shared_memory_bytes = instance.shared}, options,
                           instance.priors, instance.any_count ? RowWidths::All : RowWidths::PowersOfTwo);
    auto expected = brute_force(instance, instance.any_count);
    if (!expected) {
      expected = brute_force(instance, true);
      others += expected.has_value();
    }
    if (!expected) {
      ++none;
      ASSERT_TRUE(!choice || !choice->chosen);
      continue;
    }
    ASSERT_TRUE(choice && choice->plan) << (choice ? row_choice_text(*choice) : render(choice.error()));
    bound += choice->candidates_rejected > 0;
    EXPECT_DOUBLE_EQ(choice->plan->score, expected->first);
    EXPECT_EQ(choice->plan->mapping, expected->second) << row_choice_text(*choice);
  }
  EXPECT_GE(none, 5);
  EXPECT_GE(bound, 75) << "constraints decide often enough";
  EXPECT_GE(others, 2) << "no power of two is legal";
}

TEST(RowPlan, TiesKeepTheSmallerOne) {
  const RowReductionWorkload wide = rows_of(kRowSum, 100, 1000), narrow = rows_of(kRowSum, 100, 96);
  EXPECT_EQ(plan_for(wide, kFull, {}, row_priors(0, 0, 0)).mapping, (RowMapping{1, 1, 1, 1, false}));
  EXPECT_EQ(plan_for(wide, kFull, {}, row_priors(0, 0, 1)).mapping, (RowMapping{1, 8, 1, 1, false}));
  EXPECT_EQ(plan_for(narrow, kFull, {}, row_priors(1, 0, 0)).mapping, (RowMapping{4, 1, 1, 1, false}));
  EXPECT_EQ(plan_for(narrow, kFull, {}, row_priors(1, 0, 0), RowWidths::All).mapping, (RowMapping{3, 1, 1, 1, false}));
}

TEST(RowPlan, NothingLegalIsAChoiceOfNothing) {
  const RowReductionChoice choice = choice_of(rows_of(kRowSum, 4, 64), {.max_threads = 31});
  EXPECT_FALSE(choice.chosen || choice.plan);
  EXPECT_EQ(choice.candidates_considered, 1);
  EXPECT_EQ(choice.candidates_rejected, 1);
  EXPECT_EQ(row_choice_text(choice),
            "  S 1 Q 1: thread_limit: the workers of a group are at most those of the target (threads 32, limit 31)\n");
  EXPECT_FALSE(choice_of(rows_of(kRowSum, 4, 64), kSmall, {.threads_per_group = 48}).chosen) << "no whole subgroups";
}

TEST(RowPlan, EveryCandidateIsListed) {
  const RowReductionChoice choice = choice_of(rows_of(kRowSum, 17, 257), kFull);
  EXPECT_EQ(choice.candidates.size(), 39u);
  EXPECT_EQ(choice.candidates_considered, 39);
  EXPECT_EQ(choice.candidates_rejected, 0);
  const std::string text = row_choice_text(choice);
  EXPECT_NE(text.find("* S 1 Q 8: rounds 10, shared 0 bytes, score 14, kernel 14\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  S 2 Q 1: rounds 6, shared 8 bytes, score 26, kernel 26\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  S 3 Q 1: rounds 4, shared 12 bytes, score 26, kernel 26 (on request)\n"), std::string::npos)
      << text;
}

// ---- Options ----

std::string error_of(const RowReductionWorkload& workload, const PlannerOptions& options, const Limits& limits = kSmall,
                     const CostPriors& priors = shipped_priors()) {
  const auto choice = plan_row_reduction(workload, limits, options, priors);
  return choice ? "none" : render(choice.error());
}

TEST(RowPlan, ExactOptionsAreHonoured) {
  const RowReductionWorkload sum = rows_of(kRowSum, 17, 257);
  for (std::int64_t q = 1; q <= 8; ++q)
    EXPECT_EQ(plan_for(sum, kSmall, {.reduction_programs_per_group = q}).reduction_programs_per_group, q);
  for (const std::int64_t v : {1, 2, 4, 8})
    EXPECT_EQ(plan_for(sum, kSmall, {.reduction_lane_elements = v}).reduction_lane_elements, v);
  for (const std::int64_t u : {1, 16})
    EXPECT_EQ(plan_for(sum, kSmall, {.reduction_unroll_factor = u}).reduction_unroll_factor, u);
  for (const std::int64_t threads : {32, 64, 96, 256}) {
    const RowReductionChoice choice = choice_of(sum, kSmall, {.threads_per_group = threads});
    EXPECT_EQ(choice.plan->threads, threads);
    EXPECT_EQ(choice.candidates.size(), threads == 32 ? 1u : 2u) << "several subgroups, or several programs";
  }
  const RowReductionPlan cached = plan_for(rows_of(kRowRmsNorm, 17, 257), kSmall, {.cache_reduction_inputs = true});
  EXPECT_TRUE(cached.mapping.cache_inputs);
  EXPECT_EQ(cached.striped_storage_scalars_per_worker, 9);
}

TEST(RowPlan, MoreProgramsThanAGroupCanHave) {
  const RowReductionWorkload sum = rows_of(kRowSum, 17, 257);
  EXPECT_EQ(error_of(sum, {.reduction_programs_per_group = 9}),
            "error: reduction_programs_per_group is 9 [RowReductionOption]\n"
            "  try: it accepts 0 .. 8 for 17 programs in groups of 256 threads\n");
  EXPECT_EQ(error_of(rows_of(kRowSum, 3, 257), {.reduction_programs_per_group = 4}),
            "error: reduction_programs_per_group is 4 [RowReductionOption]\n"
            "  try: it accepts 0 .. 3 for 3 programs in groups of 256 threads\n");
  EXPECT_EQ(error_of(sum, {.reduction_programs_per_group = 3}, {.max_threads = 64}),
            "error: reduction_programs_per_group is 3 [RowReductionOption]\n"
            "  try: it accepts 0 .. 2 for 17 programs in groups of 64 threads\n");
}

TEST(RowPlan, ExactOptionsThatNothingMeets) {
  const std::string cached = error_of(rows_of(kRowSum, 17, 257), {.cache_reduction_inputs = true});
  EXPECT_NE(cached.find("[RowReductionUnrealizable]"), std::string::npos) << cached;
  EXPECT_NE(cached.find("nothing_to_cache"), std::string::npos) << cached;
  const std::string stripes = error_of(rows_of(kRowRmsNorm, 17, 257),
                                       {.cache_reduction_inputs = true, .max_reduction_striped_scalars_per_worker = 1});
  EXPECT_NE(stripes.find("(scalars 9, budget 1)"), std::string::npos) << stripes;
  const std::string width =
      error_of(rows_of(kRowSum, 17, 257), {.reduction_programs_per_group = 3, .threads_per_group = 64});
  EXPECT_NE(width.find("asked for are 64 threads and 3 programs"), std::string::npos) << width;
}

TEST(RowPlan, ScoresBeyondTheDoubles) {
  const std::string error =
      error_of(rows_of(kRowSum, 17, 257), {}, kSmall, row_priors(std::numeric_limits<double>::max(), 2, 16));
  EXPECT_NE(error.find("[RowReductionScore]"), std::string::npos) << error;
}

TEST(RowPlan, WhatIsExact) {
  EXPECT_FALSE(asks_for_exact_reductions({}));
  EXPECT_FALSE(asks_for_exact_reductions({.threads_per_group = 64})) << "not one of row reductions alone";
  EXPECT_TRUE(asks_for_exact_reductions({.reduction_programs_per_group = 1}));
  EXPECT_TRUE(asks_for_exact_reductions({.reduction_unroll_factor = 2}));
  EXPECT_TRUE(asks_for_exact_reductions({.reduction_lane_elements = 2}));
  EXPECT_TRUE(asks_for_exact_reductions({.cache_reduction_inputs = true}));
}

}  // namespace
}  // namespace tilewright::plan
