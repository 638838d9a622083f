// What a realization must not do to a program, it does not do: each counterexample keeps the reference, says why, and
// gives the right values (background 4.2, 4.6, 4.7, 4.13, 4.14).
#include <algorithm>

#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"

namespace tilewright::lower::testing {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

std::string changed(std::string text, const Changes& changes) {
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\nin\n" << text;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

const plan::LaunchReport& report_of(const PlannedRun& run) { return run.plan.planned.launches[0]; }

bool is_refused(const PlannedRun& run, std::string_view code) {
  return std::any_of(report_of(run).refusals.begin(), report_of(run).refusals.end(),
                     [&](const plan::LaunchRefusal& refusal) { return refusal.why.code == code; });
}
bool is_proved(const PlannedRun& run, std::string_view family) {
  return std::any_of(launch_of(run).proofs.begin(), launch_of(run).proofs.end(),
                     [&](const plan::ProofUse& proof) { return proof.family == family; });
}

constexpr const char* kLine = "p M=64 N=32 K=40";

std::optional<PlannedRun> run_text(const std::string& text, const std::string& line = kLine,
                                   const Settings& settings = {}) {
  return run_planned(line, settings, text);
}

// ---- 4.2: an mma that no atom can take keeps its scalar contraction -------------------------------------------------

struct Unmatched {
  Changes changes;
  const char* code;
};

TEST(Fallbacks, ContractionsThatNoAtomTakes) {
  const std::vector<Unmatched> all = {
      {{{"mma(a, b, acc)", "mma(a, b, acc, ordered)"}}, "ordered"},
      {{{"in A: f32", "in A: i32"}, {"in B: f32", "in B: i32"}, {"out C: f32", "out C: i32"}, {"= 0.0", "= i32(0)"}},
       "element_types"},
      {{{"m: 32", "m: 12"}, {"ceildiv(M, 32)", "ceildiv(M, 12)"}, {"i*32", "i*12"}, {"i*32", "i*12"}},
       "extent_granule"},
      {{{"k: 16", "k: 5"}, {"ceildiv(K, 16)", "ceildiv(K, 5)"}, {"s*16", "s*5"}, {"s*16", "s*5"}}, "extent_granule"},
  };
  for (const Unmatched& one : all) {
    SCOPED_TRACE(one.code);
    const auto run = run_text(changed(MatrixText{}.text(), one.changes));
    ASSERT_TRUE(run);
    EXPECT_TRUE(is_refused(*run, one.code) || is_refused(*run, "no_matrix"));
    EXPECT_EQ(run->counts[0].atoms.count("metal.simdgroup8x8"), 0u);
  }
}

TEST(Fallbacks, ALaunchThatMustBeAGroupContractsInItsWorkers) {
  const std::string text = changed(MatrixText{}.text(), {{"ceildiv(N, 32) {", "ceildiv(N, 32) scope group {"},
                                                         {"mma(a, b, acc)", "mma(a, b, acc, ordered)"}});
  for (const char* threads : {"48", "64", "256"}) {
    const auto run = run_text(text, kLine, {{"threads_per_group", threads}});
    ASSERT_TRUE(run);
    EXPECT_EQ(launch_of(*run).mapping, plan::LaunchMapping::Cooperative);
    EXPECT_EQ(std::to_string(launch_of(*run).threads), threads);
  }
}

TEST(Fallbacks, WidthsThatTheDeviceDoesNotHaveAreRefused) {
  const auto text = MatrixText{}.text();
  EXPECT_TRUE(run_text(text, kLine, {{"threads_per_group", "512"}}));
  const auto program = Program::parse(text);
  ASSERT_TRUE(program);
  PlanOptions options;
  options.settings = {{"threads_per_group", "1025"}};
  const auto refused = make_plan(*program, {{{"M", 64}, {"N", 32}, {"K", 40}}, {}}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, DiagCode::ThreadLimit);
}

// ---- 4.6: an accumulator that somebody sees does not stay in fragments ----------------------------------------------

TEST(Fallbacks, AccumulatorsThatAreSeenStayInSharedStorage) {
  const std::string text = MatrixText{}.text();
  const std::vector<std::pair<const char*, Changes>> all = {
      {"a second carry takes the old value",
       {{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    late[m, n] = 1.0"},
        {"      acc = mma(a, b, acc)", "      late = acc\n      acc = mma(a, b, acc)"},
        {"n] = acc\n", "n] = acc + late\n"}}},
      {"memory takes the old value",
       {{"acc[m, n] = 0.0", "memory S: f32[32, 32]\n    S[m, n] = acc0\n    acc[m, n] = 0.0"},
        {"    acc[m, n] = 0.0", "    acc[m, n] = 0.0"},
        {"S[m, n] = acc0", "S[m, n] = 0.0"},
        {"      acc = mma(a, b, acc)", "      S[m, n] = acc\n      acc = mma(a, b, acc)"},
        {"n] = acc\n", "n] = acc + S[m, n]\n"}}},
      {"the accumulator is scaled", {{"mma(a, b, acc)", "mma(a, b, acc) * 0.5"}}},
      {"something is added", {{"mma(a, b, acc)", "mma(a, b, acc + 1.0)"}}},
  };
  for (const auto& [what, changes] : all) {
    SCOPED_TRACE(what);
    const auto run = run_text(changed(text, changes));
    ASSERT_TRUE(run);
    ASSERT_EQ(launch_of(*run).matrices.size(), 1u);
    EXPECT_FALSE(launch_of(*run).matrices[0].distribution.persistent_accumulator);
    EXPECT_FALSE(is_proved(*run, "recurrence.closed"));
  }
}

constexpr const char* kMultiplicand = R"(program p(N) {
  in B: f32[N, 16, 16]
  out C: f32[N, 16, 16]
  parallel i in N {
    axis m: 16, n: 16, k: 16
    acc[m, n] = 0.5
    serial s in 3 {
      left = relabel(acc, n: k)
      b[k, n] = B[i, k, n]
      acc = mma(LEFT, b, acc)
    }
    C[i, m, n] = acc
  }
})";

/// cases.md F9.
TEST(Fallbacks, AnAccumulatorThatIsAlsoAFactor) {
  const auto run = run_text(changed(kMultiplicand, {{"LEFT", "left"}}), "p N=2");
  ASSERT_TRUE(run);
  ASSERT_EQ(launch_of(*run).matrices.size(), 1u);
  EXPECT_FALSE(launch_of(*run).matrices[0].distribution.persistent_accumulator);
}

TEST(Fallbacks, NoneOneAndManyIterations) {
  for (const char* start : {"0.0", "-0.0", "1.5", "R"})
    for (const char* depth : {"0", "16", "17", "64"})
      for (const char* retain : {"true", "false"})
        run_text(MatrixText{.start = start}.text(), std::string("p M=33 N=40 K=") + depth,
                 {{"retain_accumulators", retain}});
}

// ---- 4.7: an output that is not proved to hold the tile keeps its guarded store -------------------------------------

TEST(Fallbacks, DirectOutputsGoWhereTheyMay) {
  const std::string text = MatrixText{}.text();
  const auto direct = [](const std::optional<PlannedRun>& run) {
    return run && !launch_of(*run).matrices.empty() &&
           launch_of(*run).matrices[0].distribution.direct_accumulator_store;
  };
  EXPECT_TRUE(direct(run_text(text)));
  EXPECT_TRUE(direct(run_text(MatrixText{.out_transposed = true}.text())));
  EXPECT_TRUE(direct(run_text(MatrixText{.c_by_column = true}.text())));
  // Padded and offset rows: declared, so that the planner knows them.
  EXPECT_TRUE(direct(run_text(changed(text, {{"out C: f32[M, N]", "out C: f32[M, N] strides(N + 7, 1)"}}))));
  EXPECT_FALSE(direct(run_text(changed(text, {{"out C: f32[M, N]", "out C: f32[M, N] strides(2*N, 2)"}}))));
  // Ragged, seen again, and read before.
  EXPECT_FALSE(direct(run_text(text, "p M=65 N=32 K=16")));
  EXPECT_FALSE(direct(run_text(changed(text, {{"out C: f32[M, N]", "out C: f32[M, N]\n  out D: f32[M, N]"},
                                              {"n] = acc\n", "n] = acc\n    D[i*32 + m, j*32 + n] = acc\n"}}))));
  EXPECT_FALSE(direct(run_text(text, kLine, {{"direct_accumulator_store", "false"}})));
  EXPECT_FALSE(direct(run_text(changed(text, {{"ceildiv(N, 32) {", "ceildiv(N, 32) scope group {"},
                                              {"acc[m, n] = 0.0", "start[m, n] = 0.0\n    acc in shared = start"}}))));
}

/// A snapshot of the old output is what the output was before the store.
TEST(Fallbacks, TheStoreStaysBehindWhatReadsTheOldOutput) {
  const std::string text =
      changed(MatrixText{}.text(), {{"out C: f32[M, N]", "inout C: f32[M, N]\n  out D: f32[M, N]"},
                                    {"    C[", "    old[m, n] = C[i*32 + m, j*32 + n]\n    C["},
                                    {"n] = acc\n", "n] = acc\n    D[i*32 + m, j*32 + n] = old\n"}});
  const auto run = run_text(text);
  ASSERT_TRUE(run);
  EXPECT_TRUE(launch_of(*run).matrices[0].distribution.direct_accumulator_store);
}

// ---- 4.13: walks that nothing can make ------------------------------------------------------------------------------

DiagCode refusal_of(const std::string& program, const std::map<std::string, std::int64_t>& sizes, Settings settings,
                    const std::string& target = "metal-simdgroup") {
  const auto loaded = Program::load(program);
  EXPECT_TRUE(loaded);
  PlanOptions options;
  options.target = target;
  options.settings = std::move(settings);
  options.settings.emplace_back("program_order_rows", "2");
  const auto made = make_plan(*loaded, {sizes, {}}, options);
  EXPECT_FALSE(made);
  return made ? DiagCode::InternalError : made.error()[0].code;
}

TEST(Fallbacks, WalksAreRefusedWhereThereAreNone) {
  const std::map<std::string, std::int64_t> sizes{{"M", 64}, {"N", 64}, {"K", 32}};
  EXPECT_EQ(refusal_of("gemm", sizes, {}, "cpu"), DiagCode::PlanRefused);
  EXPECT_EQ(refusal_of("gemm", sizes, {{"enabled", "false"}}), DiagCode::BadOption);
  EXPECT_EQ(refusal_of("softmax", {{"N", 64}, {"C", 64}}, {}), DiagCode::PlanRefused);
  EXPECT_EQ(refusal_of("softmax", {{"N", 64}, {"C", 64}}, {{"metal_subgroup_reductions", "true"}, {"noalias", "true"}}),
            DiagCode::PlanRefused);
  EXPECT_EQ(refusal_of("swiglu", {{"N", 64}, {"C", 64}}, {{"noalias", "true"}}), DiagCode::PlanRefused);
}

// ---- 4.14: pipelines that must be ordered ---------------------------------------------------------------------------

TEST(Fallbacks, PipelinesThatMustBeOrdered) {
  const std::string text = MatrixText{.stages = true}.text();
  const std::vector<std::pair<const char*, Changes>> all = {
      {"window_one", {{"s in ceildiv(K, 16) {", "s in ceildiv(K, 16) window 1 {"}}},
      {"no_cut", {{"      stage\n      acc", "      acc"}}},
      {"producer_reads",
       {{"      stage\n      acc = mma(a, b, acc)", "      acc = mma(a, b, acc)\n      stage\n      x = acc"}}},
      {"placed", {{"      stage\n      a", "      stage\n      memory S: f32[4]\n      a"}}},
      {"not_flat",
       {{"      acc = mma(a, b, acc)",
         "      acc = mma(a, b, acc)\n      serial t in 2 {\n        acc = acc + 1.0\n      }"}}},
  };
  for (const auto& [code, changes] : all) {
    SCOPED_TRACE(code);
    const auto run = run_text(changed(text, changes), kLine, {{"pipeline_window", "2"}});
    ASSERT_TRUE(run);
    EXPECT_TRUE(is_refused(*run, code));
    EXPECT_EQ(launch_of(*run).pipelines[0].window, 1);
  }
  const auto once = run_text(text, "p M=32 N=32 K=16", {{"pipeline_window", "2"}});
  ASSERT_TRUE(once);
  EXPECT_TRUE(is_refused(*once, "trips"));
}

/// The consumer writes what the next producer would read.
TEST(Fallbacks, PipelinesThatWriteWhatTheyRead) {
  const std::string text =
      changed(MatrixText{.stages = true}.text(),
              {{"out C: f32[M, N]", "out C: f32[M, N]\n  inout E: f32[M, K]"},
               {"= A[", "= E["},
               {"      acc = mma(a, b, acc)", "      acc = mma(a, b, acc)\n      E[i*32 + m, s*16 + k] = a * 2.0"}});
  const char* line = "p M=32 N=32 K=48";
  const auto apart = run_text(text, line, {{"pipeline_window", "2"}, {"noalias", "true"}});
  const auto together = run_text(text, line, {{"pipeline_window", "2"}});
  ASSERT_TRUE(apart && together);
  EXPECT_TRUE(is_refused(*apart, "outer_write"));
  EXPECT_TRUE(is_refused(*together, "aliasing"));
}

// ---- Found by others ------------------------------------------------------------------------------------------------

/// A number that is read from shared storage is the same in all workers, so that all of them go one way.
TEST(Groups, ConditionsOnElementsOfTiles) {
  for (const char* condition : {"a[0, 0] > 0.0", "sum(sum(a, k), m) > 0.0"}) {
    const std::string text = std::string(R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  parallel i in ceildiv(M, 16) {
    axis m: 16, n: 16, k: 16
    a[m, k] = A[i*16 + m, k]
    b[k, n] = B[k, n]
    acc[m, n] = 0.0
    acc = mma(a, b, acc)
    if )") + condition + R"( {
      acc = acc + 1.0
    }
    C[i*16 + m, n] = acc
  }
})";
    const auto run = run_text(text, "p M=20 N=16 K=16");
    ASSERT_TRUE(run);
    EXPECT_EQ(launch_of(*run).mapping, plan::LaunchMapping::Cooperative);
  }
}

/// Behind single elements there is no room for padding.
TEST(Groups, OperandsWhoseLastAxisHasOnePoint) {
  const char* const text = R"(program p(M, N, K) {
  in A: bf16[2*M, K]
  in B: bf16[K, N]
  out C: f32[M, N]
  parallel i in ceildiv(M, 16), j in ceildiv(N, 16) {
    axis m: 16, n: 16, k: 8, h: 1
    acc[h, n, m] = 0.0
    serial s in ceildiv(K, 8) {
      a[m, k, h] = A[2*(i*16 + m) + 1, s*8 + k]
      b[h, k, n] = B[(s*8 + k) / 2, j*16 + n]
      acc = mma(a, b, acc)
    }
    C[i*16 + m, j*16 + n + 0*h] = acc
  }
})";
  for (const char* pads : {"false", "true"}) run_text(text, "p M=32 N=32 K=64", {{"pad_shared_rows", pads}});
}

/// Spare subgroups of the last group run the last program again and store nothing.
TEST(Groups, PackedRowsThatDoNotDivideThePrograms) {
  for (const char* line : {"softmax N=12 C=64", "rowsum N=9 C=33", "layernorm N=33 C=40"})
    run_planned(line, {{"metal_subgroup_reductions", "true"}, {"noalias", "true"}});
}

TEST(Groups, OutputsThatOverlapThemselvesAreRefusedByName) {
  const auto program = Program::load("gemm");
  ASSERT_TRUE(program);
  for (const std::vector<std::int64_t>& strides : {std::vector<std::int64_t>{0, 1}, std::vector<std::int64_t>{1, 1}}) {
    const auto kernel = compile(*program, {{{"M", 33}, {"N", 40}, {"K", 24}}, {}},
                                {.target = Target::MetalSimdgroup, .layouts = {{"C", {strides}}}});
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error()[0].code, DiagCode::ViewSelfOverlap);
  }
}

}  // namespace
}  // namespace tilewright::lower::testing
