// Row reductions as kernels: the library, sizes and types, every kind of mapping, special numbers, random programs.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "case_count.h"
#include "lower_rows/planned_case.h"
#include "realize_rows/random_rows.h"
#include "realize_rows/row_cases.h"

namespace tilewright::lower {
namespace {

using namespace testing;
using realize::Numbers;
using realize::RowMapping;
using tile::testing::Trial;

constexpr const char* kRowPrograms[] = {"rowsum",  "rmsnorm",      "layernorm", "residual_layernorm",
                                        "softmax", "cross_entropy"};

RowMapping mapping(std::int64_t s, std::int64_t q = 1, std::int64_t v = 1, std::int64_t u = 1, bool cached = false) {
  return {s, q, v, u, cached};
}

void expect_rows(Trial& trial, const RowMapping& by) {
  SCOPED_TRACE(mapping_text(by));
  EXPECT_EQ(rows_disagree(trial, by), "");
}

void expect_rows(const std::string& text, const Numbers& numbers, const std::vector<RowMapping>& mappings,
                 const std::map<std::string, DataType>& types = {}) {
  Trial trial(text, numbers, types);
  trial.fill_random(1);
  for (const RowMapping& by : mappings) expect_rows(trial, by);
}

TEST(RowLowering, WholeRows) {
  for (const char* text : {realize::kRowSum, realize::kRowSoftmax, realize::kRowRmsNorm})
    for (const std::int64_t width : {1, 31, 32, 64, 257}) {
      SCOPED_TRACE(width);
      expect_rows(text, {{"N", 3}, {"C", width}},
                  {mapping(1), mapping(2), mapping(3), mapping(1, 2), mapping(2, 1, 4)});
    }
}

/// Subgroups that are and are no power of two; several programs a group, the last one partial or not.
const std::vector<RowMapping> kWidths = {mapping(1),  mapping(2),    mapping(3),    mapping(4),   mapping(8),
                                         mapping(32), mapping(1, 2), mapping(1, 3), mapping(1, 8)};

/// The mappings among these that are legal; a test that has none of them fails.
void expect_legal_rows(Trial& trial, const std::vector<RowMapping>& mappings) {
  int ran = 0;
  for (const RowMapping& by : mappings) {
    const std::string fault = rows_disagree(trial, by);
    if (fault == "not legal") continue;
    ++ran;
    EXPECT_EQ(fault, "") << mapping_text(by);
  }
  EXPECT_GE(ran, 1);
}

Trial library_trial(const std::string& name, const Numbers& numbers, DataType type = DataType::F32,
                    std::uint64_t seed = 1) {
  Trial trial(realize::rows_library_text(name), numbers, {{"T", type}});
  trial.fill_random(seed);
  return trial;
}

TEST(RowLowering, TheLibraryAtManySizes) {
  for (const char* name : kRowPrograms) {
    SCOPED_TRACE(name);
    for (const auto& [rows, width] : {std::pair(8, 256), std::pair(6, 130), std::pair(1, 1), std::pair(5, 97)})
      for (const std::int64_t block : {1, 4}) {
        SCOPED_TRACE(fmt::format("{} x {}, {} rows a program", rows, width, block));
        Trial trial = library_trial(name, {{"N", rows}, {"C", width}, {"BR", block}, {"BC", 64}});
        expect_legal_rows(trial, kSanitized ? std::vector{mapping(1), mapping(3), mapping(1, 3)} : kWidths);
      }
  }
}

TEST(RowLowering, EmptyLaunchesAndRows) {
  for (const char* name : kRowPrograms) {
    SCOPED_TRACE(name);
    // No program: the planner has the scalar mapping for that. No element: the launch is no row reduction.
    for (const auto& [rows, width] : {std::pair(0, 40), std::pair(3, 0)}) {
      Trial trial = library_trial(name, {{"N", rows}, {"C", width}, {"BR", 1}, {"BC", 64}});
      EXPECT_EQ(rows_disagree(trial, mapping(1)), "not legal");
    }
  }
}

TEST(RowLowering, ElementTypes) {
  for (const char* name : kRowPrograms)
    for (const DataType type : {DataType::F16, DataType::BF16}) {
      SCOPED_TRACE(name);
      Trial trial = library_trial(name, {{"N", 6}, {"C", 97}, {"BR", 4}, {"BC", 64}}, type);
      expect_legal_rows(trial, {mapping(1), mapping(3), mapping(2, 1, 4, 2)});
    }
}

TEST(RowLowering, ConsecutiveElementsAndChunksTogether) {
  for (const char* text : {realize::kRowSum, realize::kRowSoftmax, realize::kRowRmsNorm})
    for (const std::int64_t width : {1, 63, 256, 517})
      for (const std::int64_t lanes : {1, 2, 4, 8})
        for (const std::int64_t unroll : {1, 2, 3, 16}) {
          Trial trial(text, {{"N", 2}, {"C", width}});
          trial.fill_random(2);
          SCOPED_TRACE(width);
          expect_rows(trial, mapping(1, 1, lanes, unroll));
          if (unroll < 3) expect_rows(trial, mapping(3, 1, lanes, unroll));
        }
}

TEST(RowLowering, CachedInputs) {
  for (const char* name : {"rmsnorm", "layernorm", "residual_layernorm"})
    for (const std::int64_t block : {1, 4}) {
      SCOPED_TRACE(name);
      Trial trial = library_trial(name, {{"N", 6}, {"C", 130}, {"BR", block}, {"BC", 64}});
      expect_legal_rows(trial, {mapping(1, 1, 1, 1, true), mapping(2, 1, 2, 1, true), mapping(3, 1, 1, 2, true),
                                mapping(1, 3, 1, 1, true)});
    }
  for (const char* text : {realize::kRowSoftmax, realize::kRowRmsNorm}) {
    Trial trial(text, {{"N", 3}, {"C", 100}});
    trial.fill_random(3);
    for (const RowMapping& by : {mapping(1, 1, 1, 1, true), mapping(2, 1, 4, 1, true), mapping(1, 2, 1, 2, true)})
      expect_rows(trial, by);
  }
  // Loaded before a stepped loop, and read in each of its iterations.
  Trial trial(R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  parallel i in N {
    x[c: C] = X[i, c]
    t[] = 0.0
    serial s in 3 {
      m = max(x * (t + 1.0), c)
      t = t + sum(x + m, c) * 0.01
    }
    S[i] = t
  }
})",
              {{"N", 3}, {"C", 100}});
  trial.fill_random(4);
  for (const RowMapping& by : {mapping(1), mapping(2), mapping(1, 1, 1, 1, true), mapping(2, 1, 4, 1, true)})
    expect_rows(trial, by);
}

TEST(RowLowering, ManyRowsAreDoneOneByOne) {
  for (const char* name : kRowPrograms) {
    SCOPED_TRACE(name);
    Trial trial = library_trial(name, {{"N", 21}, {"C", 97}, {"BR", 16}, {"BC", 64}});
    expect_legal_rows(trial, {mapping(1), mapping(3), mapping(1, 2), mapping(2, 1, 2, 2)});
    if (std::string(name).ends_with("norm")) expect_rows(trial, mapping(2, 1, 1, 1, true));
  }
}

TEST(RowLowering, MoreRowsThanWorkers) {
  Trial trial = library_trial("rowsum", {{"N", 150}, {"C", 5}, {"BR", 100}, {"BC", 8}});
  expect_legal_rows(trial, {mapping(1), mapping(2), mapping(1, 2)});
}

TEST(RowLowering, SpecialNumbers) {
  const double inf = tile::testing::kInf, nan = tile::testing::kNan;
  for (const char* name : {"softmax", "rowsum", "rmsnorm", "cross_entropy"})
    for (const std::int64_t block : {1, 4}) {
      SCOPED_TRACE(name);
      Trial trial = library_trial(name, {{"N", 5}, {"C", 70}, {"BR", block}, {"BC", 64}});
      std::vector<double> rows(350, 0.5);
      for (std::size_t c = 0; c < 70; ++c) rows[c] = -inf;
      rows[70 + 69] = nan;
      rows[140] = inf;
      for (std::size_t c = 0; c < 70; ++c) rows[210 + c] = -0.0;
      rows[280 + 33] = 1e-40;
      trial.fill("X", rows);
      expect_legal_rows(trial, {mapping(1), mapping(2), mapping(3), mapping(1, 2)});
    }
}

/// D3: a NaN wins wherever it stands; so does -0 in a minimum, +0 in a maximum.
TEST(RowLowering, ExtremaKeepNansAndZeros) {
  const char* text = R"(program p(C) {
  in X: f32[C]
  out L: f32[]
  out H: f32[]
  parallel i in 1 {
    x[c: C] = X[c]
    L[] = min(x, c)
    H[] = max(x, c)
  }
})";
  const double nan = tile::testing::kNan;
  for (const std::vector<double>& row :
       {std::vector{1.0, nan, 3.0}, {nan, 1.0, 3.0}, {1.0, 3.0, nan}, {nan}, {0.0, -0.0, 0.0}, {-0.0, 0.0}, {-0.0}})
    for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(32)}) {
      Trial trial(text, {{"C", static_cast<std::int64_t>(row.size())}});
      trial.fill("X", row);
      expect_rows(trial, by);
    }
}

TEST(RowLowering, ZerosKeepTheirSign) {
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
  for (const double last : {-0.0, 0.0})
    for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(32), mapping(1, 2)}) {
      Trial trial(text, {{"N", 2}, {"C", 40}});
      std::vector<double> values(80, -0.0);
      values.back() = last;
      trial.fill("X", values);
      expect_rows(trial, by);
    }
}

// ---- Forms of programs ---------------------------------------------------------------------------------------------

const std::vector<RowMapping> kForms = {mapping(1),          mapping(2),          mapping(3),
                                        mapping(1, 1, 4, 2), mapping(2, 1, 2, 1), mapping(1, 3)};

void expect_form(const std::string& text, const Numbers& numbers, std::uint64_t seed = 1) {
  Trial trial(text, numbers);
  trial.fill_random(seed);
  expect_legal_rows(trial, kForms);
}

TEST(RowLowering, InPlace) {
  expect_form(R"(program p(N, C) {
  inout X: f32[N, C]
  parallel i in N {
    x[c: C] = X[i, c]
    X[i, c] = x / (1.0 + sum(x * x, c))
  }
})",
              {{"N", 3}, {"C", 100}});
  expect_form(R"(program p(N, C) {
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

TEST(RowLowering, LoopsOfSeveralKinds) {
  // Two domains in one joint loop, two folds of different kinds, and an inner joint loop in a stepped one.
  expect_form(R"(program p(N, A, B) {
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
  expect_form(R"(program p(N, A, B) {
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

TEST(RowLowering, CarriesThatChangePlaces) {
  expect_form(R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  out U: f32[N]
  parallel i in ceildiv(N, 3) {
    s[r: 3] = 1.0
    u[r] = 2.0
    n[] = 0.5
    serial k in 5 {
      x[r, c: C] = X[i*3 + r, c]
      t = sum(x * s, c)
      old = s
      s = u
      u = old + t * n
      n = n + 0.25
    }
    S[i*3 + r] = s
    U[i*3 + r] = u * n
  }
})",
              {{"N", 5}, {"C", 40}});
}

TEST(RowLowering, SteppedRegionsFoldRowValues) {
  expect_form(R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  out M: f32[N]
  parallel i in ceildiv(N, 2) {
    t[r: 2] = 0.5
    m[r] = -inf
    reduce k in 4 {
      x[r, c: C] = X[i*2 + r, c]
      a = max(x, c)
      b = sum(x + a * f32(k), c)
      t += b
      m max= b - a
    }
    S[i*2 + r] = t
    M[i*2 + r] = m
  }
})",
              {{"N", 5}, {"C", 40}});
}

TEST(RowLowering, RegionsFoldTheirIterations) {
  expect_form(R"(program p(N, C) {
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

TEST(RowLowering, RowsThatMove) {
  // Rows are held by every worker, elements by one: both may be read at another place where nothing is written.
  expect_form(R"(program p(N, C) {
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
  // An element of a joint loop read at another place of its tile.
  expect_form(R"(program p(N, C) {
  in X: f32[N, C]
  out Y: f32[N, C]
  parallel i in N {
    t[] = 0.0
    serial s in ceildiv(C, 16) {
      x[c: 16] = X[i, s*16 + c]
      t = t + sum(x * x[15 - c], c)
    }
    serial s in ceildiv(C, 16) {
      x[c: 16] = X[i, s*16 + c]
      Y[i, s*16 + c] = x[15 - c] + t * f32(s - c)
    }
  }
})",
              {{"N", 3}, {"C", 70}});
}

TEST(RowLowering, TwoLaunchesAndATemporary) {
  expect_form(R"(program p(N, C) {
  in X: f32[N, C]
  temp T: f32[N]
  out Y: f32[N, C]
  parallel i in N {
    x[c: C] = X[i, c]
    T[i] = sum(x, c)
  }
  parallel i in ceildiv(N, 2) {
    x[r: 2, c: C] = X[i*2 + r, c]
    t[r] = T[i*2 + r]
    Y[i*2 + r, c] = x * t + max(x, c)
  }
})",
              {{"N", 5}, {"C", 40}});
}

TEST(RowLowering, LaunchesOfSeveralDomains) {
  expect_form(R"(program p(A, B, C) {
  in X: f32[A, B, C]
  out S: f32[B, A]
  parallel a in A, b in B {
    x[c: C] = X[a, b, c]
    S[b, a] = sum(x, c)
  }
})",
              {{"A", 3}, {"B", 5}, {"C", 40}});
}

// ---- Counts --------------------------------------------------------------------------------------------------------

/// R collectives a program, one exchange each of a subgroup, and a second one where several subgroups share the
/// program.
TEST(RowLowering, ExchangesAreThoseOfThePlan) {
  for (const char* name : kRowPrograms)
    for (const std::int64_t block : {1, 4, 16})
      for (const RowMapping& by : kWidths) {
        Trial trial = library_trial(name, {{"N", 9}, {"C", 97}, {"BR", block}, {"BC", 64}});
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
  const char* once = "    x[c: C] = X[i, c]\n    t = sum(x, c)\n";
  const char* again =
      "    t[] = 0.5\n    serial k in 4 {\n      x[c: C] = X[i, c]\n      t = t * 0.5 + sum(x * t, c)\n    }\n";
  for (const auto& [body, fences] : {std::pair(once, 1u), std::pair(again, 2u)}) {
    Trial trial(
        fmt::format("program p(N, C) {{\n  in X: f32[N, C]\n  out S: f32[N]\n  parallel i in N {{\n{}    S[i] = "
                    "t\n  }}\n}}\n",
                    body),
        {{"N", 2}, {"C", 70}});
    trial.fill_random(6);
    const proof::Subject subject = proof::make_subject(trial.program(), realize::apart());
    for (const RowMapping& by : {mapping(2), mapping(3), mapping(32)}) {
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
        for (const std::int64_t s : {1, 3, 8}) {
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

// ---- Random programs -----------------------------------------------------------------------------------------------

TEST(RowLowering, RandomRows) {
  int rows = 0;
  const int cases = case_count(150, 10);
  for (int seed = 1; seed <= cases; ++seed) {
    const std::string text = realize::random_rows(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    Trial trial(text);
    trial.fill_random(static_cast<std::uint64_t>(seed));
    if (realize::answer_of(trial.program()) != "rows") continue;
    ++rows;
    for (const RowMapping& by : kForms) {
      const std::string fault = rows_disagree(trial, by);
      ASSERT_TRUE(fault.empty() || fault == "not legal") << mapping_text(by) << fault;
    }
    const std::string cached = rows_disagree(trial, mapping(2, 1, 2, 2, true));
    ASSERT_TRUE(cached.empty() || cached == "not legal") << cached;
  }
  EXPECT_GE(rows, cases / 2);
}

}  // namespace
}  // namespace tilewright::lower
