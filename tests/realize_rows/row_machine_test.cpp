// What the facts allow gives the outputs of the program, on workers that run in scrambled order.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "realize_rows/random_rows.h"
#include "realize_rows/row_cases.h"
#include "realize_rows/row_machine.h"
#include "tile/generator.h"

namespace tilewright::realize {
namespace {

using tile::testing::Trial;

constexpr RowBudget kRoom{1024, 32, 32768, 1'000'000};

/// Mappings of a few subgroups and of packed programs, with all lane elements.
std::vector<RowMapping> mappings_for(const RowReductionWorkload& workload) {
  std::vector<RowMapping> legal;
  for (const auto& [s, q] : {std::pair(1, 1), std::pair(2, 1), std::pair(3, 1), std::pair(1, 3)})
    for (const std::int64_t v : {1, 4}) {
      const RowMapping mapping{s, q, v, 1, false};
      if (!row_candidate(workload, mapping, kRoom).refusal) legal.push_back(mapping);
    }
  return legal;
}

void expect_agreement(Trial& trial, std::uint64_t seed) {
  const RowReductionWorkload workload = workload_of(trial.program());
  const auto mappings = mappings_for(workload);
  EXPECT_GE(mappings.size(), 4u);
  for (const RowMapping& mapping : mappings)
    EXPECT_EQ(rows_disagreement(trial, workload, mapping, seed), "")
        << "S " << mapping.subgroups_per_program << " Q " << mapping.programs_per_group << " V "
        << mapping.lane_elements << " seed " << seed << "\n"
        << row_workload_text(workload);
}

void expect_agreement(const std::string& text, const Numbers& numbers, std::uint64_t seed = 1) {
  SCOPED_TRACE(text);
  Trial trial(text, numbers);
  trial.fill_random(seed);
  expect_agreement(trial, seed);
}

TEST(RowMachine, LibraryPrograms) {
  for (const char* name : {"rowsum", "rmsnorm", "layernorm", "residual_layernorm", "softmax", "cross_entropy"}) {
    expect_agreement(rows_library_text(name), {{"N", 6}, {"C", 130}, {"BR", 4}, {"BC", 64}});
    expect_agreement(rows_library_text(name), {{"N", 5}, {"C", 33}, {"BR", 1}, {"BC", 128}}, 2);
  }
}

TEST(RowMachine, WholeRows) {
  for (const char* text : {kRowSum, kRowSoftmax, kRowRmsNorm})
    for (const std::int64_t width : {1, 31, 64, 257}) expect_agreement(text, {{"N", 3}, {"C", width}}, 3);
}

TEST(RowMachine, MergedSumsStayWithinTheBoundsOfTheSteps) {
  for (const char* name : {"rowsum", "rmsnorm", "layernorm", "residual_layernorm", "softmax", "cross_entropy"})
    for (const std::int64_t width : {70, 200}) {
      SCOPED_TRACE(name);
      Trial trial(rows_library_text(name), {{"N", 3}, {"C", width}, {"BR", 1}, {"BC", 64}});
      trial.fill_random(9);
      const RowReductionWorkload workload = workload_of(trial.program());
      for (const RowMapping& mapping : mappings_for(workload))
        EXPECT_EQ(rows_disagreement(trial, workload, mapping, 9, RowArithmetic::F32), "");
    }
}

TEST(RowMachine, SpecialNumbers) {
  const double inf = tile::testing::kInf, nan = tile::testing::kNan;
  for (const char* name : {"softmax", "rowsum", "rmsnorm"}) {
    Trial trial(rows_library_text(name), {{"N", 4}, {"C", 70}, {"BR", 1}, {"BC", 64}});
    std::vector<double> rows(280, 0.5);
    for (std::size_t c = 0; c < 70; ++c) rows[c] = -inf;
    rows[70 + 69] = nan;
    rows[140] = inf;
    for (std::size_t c = 0; c < 70; ++c) rows[210 + c] = -0.0;
    trial.fill("X", rows);
    if (std::string(name) == "rmsnorm") trial.fill("gain", std::vector<double>(70, -1));
    expect_agreement(trial, 4);
  }
}

TEST(RowMachine, ZerosKeepTheirSign) {
  // A region that folds its iterations adds no +0: only -0 on -0 stays -0.
  const char* text = R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  parallel i in N {
    t[] = -0.0
    reduce s in C { t += X[i, s] }
    S[i] = t
  }
})";
  for (const double last : {-0.0, 0.0}) {
    Trial trial(text, {{"N", 2}, {"C", 40}});
    std::vector<double> values(80, -0.0);
    values.back() = last;
    trial.fill("X", values);
    expect_agreement(trial, 5);
  }
}

TEST(RowMachine, InPlace) {
  expect_agreement(R"(program p(N, C) {
  inout X: f32[N, C]
  parallel i in N {
    x[c: C] = X[i, c]
    X[i, c] = x / sum(x * x, c)
  }
})",
                   {{"N", 3}, {"C", 100}});
  expect_agreement(R"(program p(N, C) {
  inout X: f32[N, C]
  out Y: f32[N, C]
  parallel i in ceildiv(N, 2) {
    t[r: 2] = 0.0
    serial s in ceildiv(C, 32) {
      x[r, c: 32] = X[i*2 + r, s*32 + c]
      t = t + sum(x, c)
    }
    serial s in ceildiv(C, 32) {
      x[r, c: 32] = X[i*2 + r, s*32 + c]
      X[i*2 + r, s*32 + c] = x - t
      z[r, c] = X[i*2 + r, s*32 + c]
      Y[i*2 + r, s*32 + c] = z * 2.0
    }
  }
})",
                   {{"N", 5}, {"C", 100}});
}

TEST(RowMachine, LoopsOfSeveralKinds) {
  // Two domains in one joint loop, two folds of different kinds, and an inner joint loop in a stepped one.
  expect_agreement(R"(program p(N, A, B) {
  in X: f32[N, A, B]
  out L: f32[N]
  out S: f32[N]
  parallel i in N {
    low[] = inf
    t[] = 1.0
    serial a in A, b in ceildiv(B, 8) {
      x[c: 8] = X[i, a, b*8 + c] else inf
      low = min(low, min(x, c))
      t = sum(select(b*8 + c < B, x, 0.0), c) + t
    }
    L[i] = low
    S[i] = t
  }
})",
                   {{"N", 3}, {"A", 3}, {"B", 21}});
  expect_agreement(R"(program p(N, A, B) {
  in X: f32[N, A, B]
  out S: f32[N, A]
  parallel i in N {
    t[] = 1.0
    serial a in A {
      serial b in ceildiv(B, 8) {
        x[c: 8] = X[i, a, b*8 + c]
        t = t + sum(x, c)
      }
      t = t * 0.5
      S[i, a] = t
    }
  }
})",
                   {{"N", 3}, {"A", 3}, {"B", 21}});
}

TEST(RowMachine, RegionsFoldTheirIterations) {
  expect_agreement(R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  out M: f32[N]
  parallel i in ceildiv(N, 4) {
    t[r: 4] = 0.5
    m[r] = -inf
    reduce s in C {
      t += X[i*4 + r, s]
      m max= X[i*4 + r, s]
    }
    S[i*4 + r] = t
    M[i*4 + r] = m
  }
})",
                   {{"N", 6}, {"C", 75}});
}

TEST(RowMachine, RowsThatMove) {
  // Rows are held by every worker, elements by one: both may be read at another place where nothing is written.
  expect_agreement(R"(program p(N, C) {
  in X: f32[N, C]
  out Y: f32[N, C]
  parallel i in ceildiv(N, 4) {
    x[r: 4, c: C] = X[i*4 + r, c]
    t = sum(x, c)
    back[r] = t[3 - r]
    Y[i*4 + r, c] = back + x[3 - r, C - 1 - c]
  }
})",
                   {{"N", 8}, {"C", 40}});
}

/// More when the environment asks for it.
std::uint64_t cases(std::uint64_t usual) {
  const char* count = std::getenv("TILEWRIGHT_ROW_CASES");
  return count == nullptr ? usual : std::strtoull(count, nullptr, 10);
}

TEST(RowMachine, RandomRows) {
  std::map<std::string, std::size_t> answers;
  for (std::uint64_t seed = 1; seed <= cases(50); ++seed) {
    const std::string text = random_rows(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    Trial trial(text);
    trial.fill_random(seed);
    const std::string answer = answer_of(trial.program());
    ++answers[answer];
    if (answer != "rows") continue;
    const RowReductionWorkload workload = workload_of(trial.program());
    for (const RowMapping& mapping : mappings_for(workload))
      ASSERT_EQ(rows_disagreement(trial, workload, mapping, seed), "")
          << mapping.subgroups_per_program << mapping.programs_per_group << mapping.lane_elements << "\n"
          << row_workload_text(workload);
  }
  for (const auto& [answer, count] : answers) RecordProperty(answer, std::to_string(count));
  EXPECT_GE(answers["rows"], cases(50) / 2);
  EXPECT_GE(answers["source_written"], 1u);
}

/// What the machine finds when it runs `text` under the facts of `legal`, a program of the same operations.
std::string found_under(const std::string& legal, const std::string& text) {
  const RowReductionWorkload workload = workload_of(rows_program(legal));
  Trial trial(text);
  trial.fill_random(7);
  for (const RowMapping& mapping : mappings_for(workload)) {
    const std::string found = rows_disagreement(trial, workload, mapping, 7);
    if (!found.empty()) return found;
  }
  return {};
}

std::string blocks_text(const std::string& update, const std::string& store) {
  return "program p() {\n  inout X: f32[4, 100]\n  out S: f32[4]\n  parallel i in 4 {\n    t[] = 0.0\n"
         "    serial s in ceildiv(100, 32) {\n      x[c: 32] = X[i, s*32 + c]\n      t = " +
         update +
         "\n    }\n    S[i] = t\n    serial s in ceildiv(100, 32) {\n      x[c: 32] = X[i, s*32 + c]\n      X[i, " +
         store + "] = x * 2.0\n    }\n  }\n}\n";
}

TEST(RowMachine, NoticesFalseFacts) {
  const std::string legal = blocks_text("t + sum(x, c)", "s*32 + c");
  EXPECT_EQ(found_under(legal, legal), "");
  EXPECT_NE(found_under(legal, blocks_text("t - sum(x, c)", "s*32 + c")), "") << "merged what may not be";
  EXPECT_NE(found_under(legal, blocks_text("t + sum(x, c)", "99 - (s*32 + c)")), "") << "elements of other workers";
  EXPECT_NE(found_under(legal, blocks_text("t + sum(x, c)", "s*31 + c")), "") << "elements that meet";
  Trial trial(legal);
  trial.fill_random(8);
  RowReductionWorkload workload = workload_of(trial.program());
  --workload.sweeps[0].live_elements;
  EXPECT_NE(rows_disagreement(trial, workload, {}, 8), "");
  ++workload.sweeps[0].live_elements;
  workload.sweeps[0].identity = tile::Literal::of(1.0);
  EXPECT_NE(rows_disagreement(trial, workload, {}, 8), "");
}

TEST(RowMachine, RandomProgramsThatAreRows) {
  std::size_t rows = 0;
  for (std::uint64_t seed = 1; seed <= cases(100); ++seed) {
    tile::GeneratorOptions options;
    options.interpretable = true;
    const tile::GeneratedProgram generated = tile::generate_program(seed, options);
    const auto bound = tile::bind(generated.family, generated.bindings);
    ASSERT_TRUE(bound) << render(bound.error());
    const proof::Subject subject = proof::make_subject(*bound, apart());
    for (std::uint32_t launch = 0; launch < subject.walk.launches.size(); ++launch) {
      const RowReductionFacts facts = row_reduction_facts(subject, launch);
      if (const auto* refusal = std::get_if<Refusal>(&facts)) {
        EXPECT_FALSE(refusal_text(*refusal).empty());
        continue;
      }
      ++rows;
      if (subject.walk.launches.size() != 1) continue;
      Trial trial(*bound);
      trial.fill_random(seed);
      const auto& workload = std::get<RowReductionWorkload>(facts);
      for (const RowMapping& mapping : mappings_for(workload))
        EXPECT_EQ(rows_disagreement(trial, workload, mapping, seed), "") << "seed " << seed;
    }
  }
  RecordProperty("rows", std::to_string(rows));
}

}  // namespace
}  // namespace tilewright::realize
