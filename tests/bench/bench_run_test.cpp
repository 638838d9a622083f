// Whole runs against the built binary: what is right is timed, what is wrong is caught, what dies is told.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "report/bench_report.h"
#include "support/temporary_folder.h"

namespace tilewright::bench {
namespace {

BenchRequest request_for(std::vector<Problem> problems) {
  BenchRequest request;
  request.program = TILEWRIGHT_BINARY;
  request.suite.problems = std::move(problems);
  request.rounds = 2;
  request.sample_seconds = 1e-5;
  request.search.system = false;
  request.peers = {};
  return request;
}

BenchReport run(const BenchRequest& request) {
  auto report = run_bench(request);
  EXPECT_TRUE(report.has_value()) << render(report.error());
  return report ? std::move(*report) : BenchReport{};
}

const ContestantTimes& times_of(const ShapeReport& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.times, name, &ContestantTimes::name);
  EXPECT_NE(found, shape.times.end()) << name;
  return found == shape.times.end() ? shape.times.front() : *found;
}

TEST(BenchRun, OurOutputIsRightForEveryProgram) {
  const BenchReport report = run(request_for({{BenchProgram::Gemm, {5, 7, 3}},
                                              {BenchProgram::GemmBiasGelu, {3, 20, 5}},
                                              {BenchProgram::Softmax, {3, 20, 1}},
                                              {BenchProgram::Rmsnorm, {3, 20, 1}},
                                              {BenchProgram::Attention, {2, 9, 4}},
                                              {BenchProgram::AttentionCausal, {2, 9, 4}}}));
  ASSERT_EQ(report.shapes.size(), 6U);
  for (const ShapeReport& shape : report.shapes) {
    const ContestantTimes& ours = shape.times.front();
    EXPECT_EQ(ours.role, Role::Ours);
    EXPECT_EQ(ours.state, TimeState::Timed) << ours.reason;
    EXPECT_EQ(ours.ns.size(), 2U);
    EXPECT_FALSE(shape.is_wrong);
  }
  EXPECT_TRUE(bench_faults(report).empty());
  EXPECT_TRUE(report.shapes[2].of_copy.has_value());
  EXPECT_EQ(report.shapes[2].best_peer, "passes");
  EXPECT_FALSE(report.shapes[0].ratio_vs_best_peer.has_value());
}

TEST(BenchRun, AWrongContestantIsCaughtAndADeadOneTold) {
  BenchRequest request = request_for({{BenchProgram::Gemm, {5, 7, 3}}, {BenchProgram::Gemm, {2, 2, 2}}});
  request.peers = {LibraryKind::Broken};
  const BenchReport report = run(request);
  const ShapeReport& shape = report.shapes.front();
  EXPECT_EQ(times_of(shape, "tilewright").state, TimeState::Timed);
  const ContestantTimes& wrong = times_of(shape, "broken:wrong");
  EXPECT_EQ(wrong.state, TimeState::Wrong);
  EXPECT_NE(wrong.reason.find("row 4, column 6: expected"), std::string::npos) << wrong.reason;
  EXPECT_TRUE(wrong.ns.empty());
  const ContestantTimes& beside = times_of(shape, "broken:beside");
  EXPECT_EQ(beside.state, TimeState::Wrong);
  EXPECT_EQ(beside.reason, "it wrote 4 bytes beside the operands");
  const ContestantTimes& dies = times_of(shape, "broken:dies");
  EXPECT_EQ(dies.state, TimeState::Gone);
  EXPECT_EQ(dies.reason, "it died: Killed");
  EXPECT_EQ(shape.best_peer, "");
  EXPECT_EQ(times_of(report.shapes[1], "broken:wrong").state, TimeState::Gone);
  EXPECT_EQ(times_of(report.shapes[1], "tilewright").state, TimeState::Timed);
  const std::string text = report::bench_text(report);
  EXPECT_NE(text.find("broken:wrong is wrong at 5x7x3: row 4"), std::string::npos) << text;
  EXPECT_NE(text.find("broken:dies died at 5x7x3"), std::string::npos) << text;
}

TEST(BenchRun, AbsentPeersAreNamedWithTheReason) {
  const TemporaryFolder folder;
  std::ofstream(folder / "libdnnl.so") << "not a library";
  BenchRequest request = request_for({{BenchProgram::Gemm, {2, 2, 2}}});
  request.peers = peer_kinds();
  request.search.paths = {folder.path()};
  const BenchReport report = run(request);
  ASSERT_EQ(report.peers.size(), peer_kinds().size());
  for (const PeerReport& peer : report.peers) {
    EXPECT_FALSE(peer.present);
    const char* reason = peer.kind == "onednn" ? "cannot be loaded" : "was found";
    EXPECT_NE(peer.reason.find(reason), std::string::npos) << peer.name << ": " << peer.reason;
  }
  EXPECT_NE(report::bench_text(report).find("absent: no libblis.so was found"), std::string::npos);
}

TEST(BenchRun, RunsAreKeptApartAndRoundsEndWithTheTime) {
  BenchRequest request = request_for({{BenchProgram::Softmax, {4, 8, 1}}});
  request.runs = 2;
  BenchReport report = run(request);
  EXPECT_EQ(report.shapes[0].ratios.size(), 2U);
  EXPECT_EQ(report.shapes[0].times[0].ns.size(), 4U);
  request.runs = 1;
  request.rounds = 100'000;
  request.seconds = 0.2;
  report = run(request);
  EXPECT_GE(report.shapes[0].times[0].ns.size(), 1U);
  EXPECT_LT(report.shapes[0].times[0].ns.size(), 100'000U);
}

TEST(BenchRun, ProblemsAreLeftOutWhenTheTimeIsOver) {
  BenchRequest request = request_for({{BenchProgram::Gemm, {4, 8, 6}}, {BenchProgram::Gemm, {4, 8, 7}}});
  request.seconds = 1e-6;
  const BenchReport report = run(request);
  EXPECT_EQ(report.shapes.size(), 1U);
  EXPECT_EQ(report.left_out, (std::vector<Problem>{{BenchProgram::Gemm, {4, 8, 7}}}));
  EXPECT_NE(report::bench_text(report).find("left out for want of time: gemm 4x8x7"), std::string::npos);
}

TEST(BenchRun, CandidatesAreTimedBesideTheChoice) {
  BenchRequest request = request_for({{BenchProgram::Gemm, {4, 8, 6}}});
  request.candidates = true;
  BenchReport report = run(request);
  ASSERT_EQ(report.regrets.size(), 1U);
  EXPECT_GE(report.regrets[0].count, 4U);
  request.list_candidates = [](const Problem&) { return CandidateList{{}, "there are none"}; };
  report = run(request);
  EXPECT_TRUE(report.regrets.empty());
  EXPECT_NE(report.candidates_note.find("there are none"), std::string::npos);
  request.list_candidates = [](const Problem&) { return CandidateList{{{"same", {}, ""}, {"again", {}, ""}}, ""}; };
  report = run(request);
  ASSERT_EQ(report.regrets.size(), 1U);
  EXPECT_EQ(report.regrets[0].count, 2U);
  EXPECT_EQ(times_of(report.shapes[0], "same").role, Role::Candidate);
  EXPECT_NE(report::bench_text(report).find("2 timed, best"), std::string::npos);
}

TEST(BenchRun, PairsCompareTheTimeOfOneMultiplyAdd) {
  BenchRequest request = request_for({{BenchProgram::Gemm, {5, 5, 5}}, {BenchProgram::Gemm, {4, 4, 4}}});
  request.suite.pairs = true;
  const BenchReport report = run(request);
  ASSERT_EQ(report.pairs.size(), 1U);
  EXPECT_EQ(report.pairs[0].ragged, "5x5x5");
  EXPECT_GT(report.pairs[0].per_multiply_add_ratio, 0);
}

TEST(BenchReport, JsonHasTheFieldsOfTheContract) {
  BenchRequest request = request_for({{BenchProgram::Softmax, {4, 8, 1}}});
  request.peers = {LibraryKind::Mkl};
  const auto json = nlohmann::json::parse(report::bench_json(run(request)));
  EXPECT_EQ(json["schema"], 1);
  for (const char* field : {"suite", "machine", "threads", "rounds", "runs", "clock", "floor", "geomean_vs_best_peer",
                            "pairs", "regrets", "left_out", "candidates_note", "seconds"})
    EXPECT_TRUE(json.contains(field)) << field;
  for (const char* field : {"processor", "llvm_name", "cores", "vectors", "l1_bytes", "l2_bytes", "l3_bytes"})
    EXPECT_TRUE(json["machine"].contains(field)) << field;
  ASSERT_EQ(json["peers"].size(), 1U);
  for (const char* field : {"name", "kind", "version", "core", "file", "present", "reason"})
    EXPECT_TRUE(json["peers"][0].contains(field)) << field;
  EXPECT_EQ(json["peers"][0]["present"], false);
  ASSERT_EQ(json["shapes"].size(), 1U);
  const auto& shape = json["shapes"][0];
  for (const char* field :
       {"program", "m", "n", "k", "threads", "contestants", "best_peer", "ratio_vs_best_peer", "ratios", "of_peak",
        "of_copy", "peak_gflops", "lane_cover", "checked", "ok", "falls_short"})
    EXPECT_TRUE(shape.contains(field)) << field;
  EXPECT_EQ(shape["checked"], "every element");
  const auto& ours = shape["contestants"][0];
  for (const char* field :
       {"name", "role", "state", "reason", "median_ns", "min_ns", "max_ns", "gflops", "gbytes_per_second", "rounds"})
    EXPECT_TRUE(ours.contains(field)) << field;
  EXPECT_EQ(ours["role"], "ours");
  EXPECT_LE(ours["min_ns"].get<double>(), ours["median_ns"].get<double>());
  EXPECT_LE(ours["median_ns"].get<double>(), ours["max_ns"].get<double>());
}

// The rule of falling short, on recorded times: only when every run is below the floor, and not for tiny products.
TEST(BenchReport, ShortShapesStandLast) {
  BenchReport report;
  for (const auto& [m, falls_short] : {std::pair{11, true}, {22, false}, {33, true}, {44, false}}) {
    ShapeReport& shape = report.shapes.emplace_back();
    shape.problem = {BenchProgram::Gemm, {m, m, m}};
    shape.falls_short = falls_short;
    shape.times.push_back({"tilewright", Role::Ours, TimeState::Timed, "", {1}, Spread{1, 1, 1}});
  }
  const std::string text = report::bench_text(report);
  EXPECT_LT(text.find("22x22x22"), text.find("44x44x44"));
  EXPECT_LT(text.find("44x44x44"), text.find("11x11x11"));
  EXPECT_LT(text.find("11x11x11"), text.find("33x33x33"));
}

}  // namespace
}  // namespace tilewright::bench
