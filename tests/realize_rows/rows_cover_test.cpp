// Laws of the maps and counts of row-reduction candidates, over all points of small domains.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "proof/check/check_map.h"
#include "realize/row_reduction.h"
#include "realize/row_reduction_maps.h"
#include "realize_rows/row_cases.h"

namespace tilewright::realize {
namespace {

std::int64_t value_at(const proof::IndexMap& map, const std::vector<std::int64_t>& at, std::size_t result = 0) {
  tile::IndexEnvironment environment;
  environment.axis = [&](tile::AxisId axis) { return std::optional(at.at(axis.index)); };
  return map.arena.evaluate(map.results.at(result), environment).value();
}

bool selected(const proof::GuardedMap& guarded, const std::vector<std::int64_t>& at) {
  tile::IndexEnvironment environment;
  environment.axis = [&](tile::AxisId axis) { return std::optional(at.at(axis.index)); };
  return std::all_of(guarded.guards.begin(), guarded.guards.end(), [&](const proof::GuardClause& guard) {
    return guarded.map.arena.evaluate(guard.value, environment).value() < guard.bound;
  });
}

TEST(RowMaps, EveryElementHasOneWorker) {
  for (std::int64_t elements = 1; elements <= 150; ++elements)
    for (const std::int64_t workers : {1, 2, 32, 64, 96})
      for (const std::int64_t lanes : {1, 2, 4, 8}) {
        const proof::GuardedMap map = row_element_map(elements, workers, lanes);
        std::vector<int> hits(static_cast<std::size_t>(elements));
        std::vector<std::int64_t> shares(static_cast<std::size_t>(workers));
        for (std::int64_t chunk = 0; chunk < map.map.inputs[0]; ++chunk)
          for (std::int64_t worker = 0; worker < workers; ++worker)
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
              if (!selected(map, {chunk, worker, lane})) continue;
              ++hits.at(static_cast<std::size_t>(value_at(map.map, {chunk, worker, lane})));
              ++shares[static_cast<std::size_t>(worker)];
            }
        ASSERT_EQ(std::count(hits.begin(), hits.end(), 1), elements) << elements << " " << workers << " " << lanes;
        ASSERT_EQ(map.map.inputs[0], row_chunks(elements, workers, lanes));
        ASSERT_EQ(*std::max_element(shares.begin(), shares.end()),
                  row_elements_of_first_worker(elements, workers, lanes));
        ASSERT_EQ(shares[0], row_elements_of_first_worker(elements, workers, lanes));
        ASSERT_TRUE(proof::is_proved(proof::prove_map_exact_cover(map)));
      }
}

TEST(RowMaps, AGuardThatIsOffByOneIsRefuted) {
  for (const std::int64_t elements : {31, 33, 95, 100}) {
    proof::GuardedMap map = row_element_map(elements, 32, 2);
    ASSERT_EQ(map.guards.size(), 1u);
    map.guards[0].bound = elements - 1;
    EXPECT_TRUE(std::holds_alternative<proof::Refuted>(proof::prove_map_exact_cover(map)));
    map.guards[0].bound = elements + 1;
    EXPECT_TRUE(std::holds_alternative<proof::Refuted>(proof::prove_map_exact_cover(map)));
  }
}

TEST(RowMaps, EveryProgramRunsAndIsStoredOnce) {
  for (std::int64_t programs = 1; programs <= 40; ++programs)
    for (std::int64_t packed = 1; packed <= 8; ++packed) {
      const proof::GuardedMap own = row_program_map(programs, packed);
      const proof::IndexMap replay = row_replay_map(programs, packed);
      std::vector<int> stored(static_cast<std::size_t>(programs));
      for (std::int64_t group = 0; group < own.map.inputs[0]; ++group)
        for (std::int64_t q = 0; q < packed; ++q) {
          const std::int64_t program = value_at(replay, {group, q});
          ASSERT_TRUE(program >= 0 && program < programs) << "a spare subgroup runs a real program";
          if (!selected(own, {group, q})) {
            ASSERT_EQ(program, programs - 1);
            continue;
          }
          ASSERT_EQ(program, value_at(own.map, {group, q}));
          ++stored[static_cast<std::size_t>(program)];
        }
      ASSERT_EQ(std::count(stored.begin(), stored.end(), 1), programs);
      ASSERT_EQ(own.map.inputs[0], (programs + packed - 1) / packed);
      ASSERT_TRUE(proof::is_proved(proof::prove_map_exact_cover(own)));
    }
}

TEST(RowMaps, SpansAreRowMajor) {
  for (std::int64_t iterations = 1; iterations <= 5; ++iterations)
    for (std::int64_t extent = 1; extent <= 9; ++extent) {
      const proof::IndexMap map = row_span_map({iterations, extent});
      for (std::int64_t e = 0; e < iterations * extent; ++e)
        ASSERT_EQ(value_at(map, {e}, 0) * extent + value_at(map, {e}, 1), e);
    }
}

// ---- Candidates ----

const RowBudget kLarge{1024, 32, 32768, 64};

RowReductionWorkload sum_of(std::int64_t programs, std::int64_t width) {
  return workload_of(rows_program(kRowSum, {{"N", programs}, {"C", width}}));
}

TEST(RowCandidates, ThirtyNineAtMost) {
  for (const auto& [threads, count] : {std::pair(1024, 39), std::pair(256, 15), std::pair(255, 13), std::pair(64, 3),
                                       std::pair(32, 1), std::pair(31, 1), std::pair(4096, 39)}) {
    RowBudget budget = kLarge;
    budget.max_threads = threads;
    const auto candidates = row_candidates(sum_of(100, 64), {}, budget);
    EXPECT_EQ(candidates.size(), static_cast<std::size_t>(count)) << threads;
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const RowCandidate& candidate : candidates) {
      EXPECT_EQ(candidate.refusal.has_value(), threads < 32);
      pairs.emplace(candidate.mapping.subgroups_per_program, candidate.mapping.programs_per_group);
    }
    EXPECT_EQ(pairs.size(), candidates.size());
  }
}

TEST(RowCandidates, CoversAreProvedAndCanBeRechecked) {
  const auto candidates = row_candidates(workload_of(rows_program(kRowSoftmax, {{"N", 17}, {"C", 257}})), {}, kLarge);
  for (const RowCandidate& candidate : candidates) {
    ASSERT_FALSE(candidate.refusal) << refusal_text(*candidate.refusal);
    ASSERT_EQ(candidate.covers.size(), 2u) << "programs, and the one length of all sweeps";
    for (const auto& cover : candidate.covers) {
      EXPECT_TRUE(cover->proof.holds_for(proof::index_map_subject(cover->map), proof::kNoOperation));
      EXPECT_TRUE(proof::check_map_exact_cover(cover->proof.certificate(), cover->map));
    }
    EXPECT_EQ(candidate.covers[0]->map.map.inputs[1], candidate.mapping.programs_per_group);
    EXPECT_EQ(candidate.covers[1]->map.map.inputs[1], candidate.mapping.workers());
  }
}

/// Steps of each worker, counted one by one.
TEST(RowCandidates, RoundsAndStepsAreThoseOfTheMap) {
  const RowReductionWorkload workload =
      workload_of(rows_program(rows_library_text("softmax"), {{"N", 6}, {"C", 130}, {"BR", 4}, {"BC", 64}}));
  for (const std::int64_t s : {1, 2, 3, 5})
    for (const std::int64_t v : {1, 2, 8}) {
      const RowCandidate candidate = row_candidate(workload, {s, 1, v, 1, false}, kLarge);
      std::int64_t rounds = 0, steps = 0;
      for (const RowSweep& sweep : workload.sweeps) {
        const std::int64_t lanes = sweep.over_rows ? 1 : v;
        const auto map = row_element_map(sweep.live_elements, 32 * s, lanes);
        rounds += map.map.inputs[0] * lanes * sweep.rows * sweep.executions;
        steps += sweep.live_elements * sweep.rows * sweep.executions;
      }
      EXPECT_EQ(candidate.scalar_rounds, rounds);
      EXPECT_EQ(candidate.useful_steps, steps);
    }
}

TEST(RowCandidates, PayloadByHand) {
  // 257 elements of 32 workers: worker 0 has 9. RMS: x twice, gain once, one store.
  const RowReductionWorkload workload = workload_of(rows_program(kRowRmsNorm, {{"N", 17}, {"C", 257}}));
  const RowCandidate plain = row_candidate(workload, {}, kLarge);
  EXPECT_EQ(plain.payload_accesses_per_program, 4 * 257);
  EXPECT_EQ(plain.payload_accesses_per_worker, 4 * 9);
  EXPECT_EQ(plain.global_bytes_per_worker, 4 * 9 * 4);
  EXPECT_EQ(plain.private_bytes_per_worker, 0);
  EXPECT_EQ(plain.striped_scalars_per_worker, 0);
  const RowCandidate cached = row_candidate(workload, {1, 1, 1, 1, true}, kLarge);
  EXPECT_FALSE(cached.refusal);
  EXPECT_EQ(cached.payload_accesses_per_program, 3 * 257);
  EXPECT_EQ(cached.global_bytes_per_worker, 3 * 9 * 4);
  EXPECT_EQ(cached.private_bytes_per_worker, 2 * 9 * 4) << "written once, read once";
  EXPECT_EQ(cached.striped_scalars_per_worker, 9);
  // In pairs: 257 elements are 129 pairs, 5 chunks of 32, 10 scalars; worker 0 has 4 * 2 + 1.
  const RowCandidate pairs = row_candidate(workload, {1, 1, 2, 1, true}, kLarge);
  EXPECT_EQ(pairs.striped_scalars_per_worker, 10);
  EXPECT_EQ(pairs.payload_accesses_per_worker, 3 * 9);
}

std::string refusal_of(const RowReductionWorkload& workload, const RowMapping& mapping,
                       const RowBudget& budget = kLarge) {
  const RowCandidate candidate = row_candidate(workload, mapping, budget);
  EXPECT_EQ(candidate.refusal.has_value(), candidate.covers.empty());
  return candidate.refusal ? refusal_text(*candidate.refusal) : "legal";
}

TEST(RowCandidates, RangesOfTheFamily) {
  const RowReductionWorkload sum = sum_of(100, 64);
  EXPECT_EQ(refusal_of(sum, {32, 1, 1, 1, false}), "legal");
  EXPECT_EQ(refusal_of(sum, {33, 1, 1, 1, false}),
            "subgroup_count: 1 to 32 subgroups share a program (subgroups_per_program 33)");
  EXPECT_EQ(refusal_of(sum, {0, 1, 1, 1, false}),
            "subgroup_count: 1 to 32 subgroups share a program (subgroups_per_program 0)");
  EXPECT_EQ(refusal_of(sum, {1, 8, 1, 1, false}), "legal");
  EXPECT_EQ(refusal_of(sum, {1, 9, 1, 1, false}), "packed_count: 1 to 8 programs share a group (programs_per_group 9)");
  EXPECT_EQ(refusal_of(sum, {1, 1, 8, 16, false}), "legal");
  EXPECT_EQ(refusal_of(sum, {1, 1, 3, 1, false}),
            "lane_elements: a worker takes 1, 2, 4 or 8 consecutive elements (lane_elements 3)");
  EXPECT_EQ(refusal_of(sum, {1, 1, 1, 17, false}),
            "unroll_factor: the loop over a worker's elements is unrolled 1 to 16 times (unroll_factor 17)");
  EXPECT_EQ(refusal_of(sum, {2, 2, 1, 1, false}),
            "packed_subgroups: programs that share a group have one subgroup each "
            "(subgroups_per_program 2, programs_per_group 2)");
  RowBudget wide = kLarge;
  wide.subgroup_size = 64;
  EXPECT_EQ(refusal_of(sum, {}, wide), "subgroup_size: a subgroup has 32 workers (subgroup_size 64)");
}

TEST(RowCandidates, ThreadsAndPrograms) {
  RowBudget budget = kLarge;
  budget.max_threads = 256;
  EXPECT_EQ(refusal_of(sum_of(100, 64), {8, 1, 1, 1, false}, budget), "legal");
  EXPECT_EQ(refusal_of(sum_of(100, 64), {9, 1, 1, 1, false}, budget),
            "thread_limit: the workers of a group are at most those of the target (threads 288, limit 256)");
  EXPECT_EQ(refusal_of(sum_of(3, 64), {1, 3, 1, 1, false}), "legal");
  EXPECT_EQ(refusal_of(sum_of(3, 64), {1, 4, 1, 1, false}),
            "packed_programs: a group has at most as many programs as the launch (programs_per_group 4, programs 3)");
}

TEST(RowCandidates, PackedProgramsMayRunTwice) {
  const auto softmax = [](std::int64_t width) {
    return workload_of(rows_program(rows_library_text("softmax"), {{"N", 16}, {"C", width}, {"BR", 4}, {"BC", 64}}));
  };
  EXPECT_EQ(refusal_of(softmax(64), {1, 2, 1, 1, false}), "legal") << "one iteration repeats nothing";
  EXPECT_EQ(refusal_of(softmax(65), {1, 2, 1, 1, false}),
            "packed_repeats: programs that share a group repeat no fold in a loop "
            "(programs_per_group 2, collectives 16)");
  EXPECT_EQ(refusal_of(softmax(65), {1, 1, 1, 1, false}), "legal");
  const RowReductionWorkload in_place = workload_of(rows_program(R"(program p() {
  inout X: f32[8, 100]
  parallel i in 8 {
    x[c: 100] = X[i, c]
    X[i, c] = x / sum(x, c)
  }
})"));
  EXPECT_EQ(refusal_of(in_place, {1, 2, 1, 1, false}),
            "packed_writes: programs that share a group load from no buffer that they store to (programs_per_group 2)");
  EXPECT_EQ(refusal_of(in_place, {2, 1, 1, 1, false}), "legal");
}

TEST(RowCandidates, StripesAndCaching) {
  const RowReductionWorkload softmax = workload_of(rows_program(kRowSoftmax, {{"N", 4}, {"C", 2048}}));
  EXPECT_EQ(refusal_of(softmax, {}), "legal") << "64 exponentials";
  EXPECT_EQ(refusal_of(softmax, {1, 1, 1, 1, true}),
            "striped_storage: what a worker keeps for itself fits max_reduction_striped_scalars_per_worker "
            "(scalars 128, budget 64)");
  EXPECT_EQ(refusal_of(softmax, {2, 1, 1, 1, true}), "legal");
  const RowReductionWorkload longer = workload_of(rows_program(kRowSoftmax, {{"N", 4}, {"C", 2049}}));
  EXPECT_EQ(refusal_of(longer, {}),
            "striped_storage: what a worker keeps for itself fits max_reduction_striped_scalars_per_worker "
            "(scalars 65, budget 64)");
  EXPECT_EQ(refusal_of(sum_of(4, 64), {1, 1, 1, 1, true}),
            "nothing_to_cache: an input that is kept is immutable and read by several visits at the same elements");
}

TEST(RowCandidates, PartialResultsFitSharedMemory) {
  const RowReductionWorkload norm =
      workload_of(rows_program(rows_library_text("layernorm"), {{"N", 64}, {"C", 300}, {"BR", 8}, {"BC", 128}}));
  EXPECT_EQ(norm.partial_slots, 16);
  RowBudget budget = kLarge;
  budget.shared_memory_bytes = 16 * 3 * 4;
  EXPECT_EQ(refusal_of(norm, {3, 1, 1, 1, false}, budget), "legal");
  --budget.shared_memory_bytes;
  EXPECT_EQ(refusal_of(norm, {3, 1, 1, 1, false}, budget),
            "shared_memory: the partial results of a group fit its shared memory (bytes 192, limit 191)");
  budget.shared_memory_bytes = 0;
  EXPECT_EQ(refusal_of(norm, {1, 8, 1, 1, false}, budget), "legal") << "one subgroup has no partial results";
}

TEST(RowCandidates, ConstraintsHaveNamesAndRules) {
  std::set<std::string_view> names, rules;
  for (std::size_t i = 0; i < kRowConstraints; ++i) {
    names.insert(row_constraint_name(static_cast<RowConstraint>(i)));
    rules.insert(row_constraint_rule(static_cast<RowConstraint>(i)));
  }
  EXPECT_EQ(names.size(), kRowConstraints);
  EXPECT_EQ(rules.size(), kRowConstraints);
}

}  // namespace
}  // namespace tilewright::realize
