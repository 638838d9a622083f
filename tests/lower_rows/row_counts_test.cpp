// Row reductions as kernels: exchanges, fences, sizes.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lower_rows/row_trials.h"

namespace tilewright::lower {
namespace {

using namespace testing;
using tile::testing::Trial;

/// R collectives a program, one exchange each of a subgroup, and a second one where several subgroups share the
/// program.
TEST(RowLowering, ExchangesAreThoseOfThePlan) {
  for (const char* name : kRowPrograms)
    for (const std::int64_t block : {1, 4, 16})
      for (const RowMapping& by : kWidths) {
        Trial trial = library_trial(name, {{"N", 9}, {"C", 40}, {"BR", block}, {"BC", 32}});
        std::vector<kernel::Counts> counts;
        const std::string fault = rows_disagree(trial, by, &counts);
        if (fault == "not legal") continue;
        ASSERT_EQ(fault, "");
        const realize::RowReductionWorkload workload = realize::workload_of(trial.program());
        const realize::RowCandidate candidate = realize::row_candidate(workload, by, kRoom);
        const std::int64_t s = by.subgroups_per_program, q = by.programs_per_group;
        const std::int64_t runs = candidate.threadgroups * q;
        EXPECT_EQ(counts[0].tasks, static_cast<std::uint64_t>(candidate.threadgroups));
        EXPECT_EQ(counts[0].subgroup_exchanges,
                  static_cast<std::uint64_t>(runs * workload.collectives * s * (s > 1 ? 2 : 1)))
            << name << " " << mapping_text(by);
        EXPECT_EQ(counts[0].group_fences > 0, s > 1);
      }
}

/// Loads and stores of elements are those that the planner counts, but for what every worker loads for itself. (An
/// element beyond the edge that has a fallback is counted, and not loaded.)
TEST(RowLowering, AccessesAreThoseOfThePlan) {
  struct Case {
    const char* name;
    std::uint64_t loads_of_a_worker;  ///< of row values and scalars, a program
    std::int64_t width = 100;
  };
  for (const Case& program : {Case{"rowsum", 0}, Case{"rmsnorm", 1}, Case{"layernorm", 1},
                              Case{"residual_layernorm", 1}, Case{"softmax", 0, 96}})
    for (const std::int64_t block : {1, 4})
      for (const bool cached : {false, true})
        for (const RowMapping& like : kFewWidths) {
          const RowMapping by = mapping(like.subgroups_per_program, like.programs_per_group, 2, 1, cached);
          Trial trial = library_trial(program.name, {{"N", 12}, {"C", program.width}, {"BR", block}, {"BC", 32}});
          std::vector<kernel::Counts> counts;
          const std::string fault = rows_disagree(trial, by, &counts);
          if (fault == "not legal") continue;
          ASSERT_EQ(fault, "");
          const realize::RowReductionWorkload workload = realize::workload_of(trial.program());
          const realize::RowCandidate candidate = realize::row_candidate(workload, by, kRoom);
          const auto runs = static_cast<std::uint64_t>(candidate.threadgroups * by.programs_per_group);
          const auto& memory = counts[0].of(kernel::MemoryKind::Buffer);
          EXPECT_EQ(memory.loads + memory.stores,
                    runs * static_cast<std::uint64_t>(candidate.payload_accesses_per_program) +
                        runs * program.loads_of_a_worker * static_cast<std::uint64_t>(by.workers()))
              << program.name << " " << block << " rows, " << mapping_text(by);
        }
}

/// The kernels without the n-th fence of the first one.
kernel::Program without_fence(kernel::Program program, std::size_t n) {
  for (kernel::Block& block : program.blocks)
    for (auto op = block.ops.begin(); op != block.ops.end(); ++op)
      if (std::holds_alternative<kernel::FenceOp>(program.ops[*op].payload) && n-- == 0) {
        block.ops.erase(op);
        return program;
      }
  return program;
}

std::size_t fences_of(const kernel::Program& program) {
  return static_cast<std::size_t>(std::count_if(program.ops.begin(), program.ops.end(), [](const kernel::Op& op) {
    return std::holds_alternative<kernel::FenceOp>(op.payload);
  }));
}

TEST(RowLowering, EveryFenceOrdersSomething) {
  // One fold outside of loops has one fence; in a stepped loop its slot is written again, behind a second one.
  const std::string once = "    x[r: BR, c: C] = X[i*BR + r, c]\n    t = sum(x, c)\n";
  const std::string again =
      "    t[r: BR] = 0.5\n    serial k in 4 {\n      x[r, c: C] = X[i*BR + r, c]\n      t = t * 0.5 + sum(x * t, c)\n"
      "    }\n";
  const std::string head =
      "program p(N, C; BR: {1, 12} = 1) {\n  in X: f32[N, C]\n  out S: f32[N]\n"
      "  parallel i in ceildiv(N, BR) {\n";
  for (const auto& [body, fences] : {std::pair(once, 1u), std::pair(again, 2u)})
    for (const std::int64_t block : {1, 12}) {
      Trial trial(head + body + "    S[i*BR + r] = t\n  }\n}\n", {{"N", 13}, {"C", 70}, {"BR", block}});
      trial.fill_random(6);
      const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
      for (const RowMapping& by : {mapping(2), mapping(3), mapping(8)}) {
        SCOPED_TRACE(fmt::format("{} rows, {}", block, mapping_text(by)));
        const kernel::Program program = lowered_by(subject, *row_plan(subject, by));
        ASSERT_EQ(fences_of(program), fences);
        EXPECT_EQ(kernels_disagree(trial, program), "");
        for (std::size_t n = 0; n < fences; ++n)
          EXPECT_NE(kernels_disagree(trial, without_fence(program, n)).find("AccessRace"), std::string::npos) << n;
      }
      EXPECT_EQ(fences_of(lowered_by(subject, *row_plan(subject, mapping(1)))), 0u);
    }
}

/// Threads, shared memory and stripes are what the planner counted.
TEST(RowLowering, KernelsHaveTheSizesOfThePlan) {
  for (const char* name : kRowPrograms)
    for (const std::int64_t block : {1, 4, 16})
      for (const bool cached : {false, true})
        for (const std::int64_t s : {1, 3}) {
          const RowMapping by = mapping(s, 1, 2, 1, cached);
          Trial trial = library_trial(name, {{"N", 9}, {"C", 197}, {"BR", block}, {"BC", 64}});
          const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
          const auto plan = row_plan(subject, by);
          if (!plan) continue;
          SCOPED_TRACE(fmt::format("{} {} rows, {}", name, block, mapping_text(by)));
          const kernel::Program program = lowered_by(subject, *plan);
          const plan::LaunchPlan& launch = plan->launches[0];
          EXPECT_EQ(program.kernels[0].group, (kernel::Group{static_cast<std::int32_t>(launch.threads), 32}));
          std::int64_t shared = 0, kept = 0;
          std::set<std::string> stripes;
          for (const realize::RowSweep& sweep : realize::workload_of(trial.program()).sweeps)
            if (sweep.kind == realize::RowSweepKind::Retain) stripes.insert("e");
          if (cached) stripes.insert({"x", "y", "g", "b"});
          for (const kernel::Allocation& allocation : program.allocations) {
            if (allocation.space == kernel::AllocationSpace::Shared) shared += allocation.count * 4;
            if (stripes.contains(allocation.name.substr(0, allocation.name.find('_')))) kept += allocation.count;
          }
          EXPECT_EQ(shared, launch.shared_memory_bytes);
          EXPECT_EQ(kept, launch.rows->striped_scalars_per_worker);
        }
}

}  // namespace
}  // namespace tilewright::lower
