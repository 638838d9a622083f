#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include <gtest/gtest.h>

#include "msl_emulator/runner/runner_kernels.h"

namespace tilewright::msl_emulator::runner_test {
namespace {

std::vector<int> iota(std::size_t count, int first = 0) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// The one report of a result; the test fails when there are none or more.
Report only_report(const LaunchResult& result) {
  EXPECT_EQ(result.reports.size(), 1u) << describe(result);
  return result.reports.empty() ? Report{} : result.reports[0];
}

TEST(Launch, ResultsAndCounts) {
  std::vector<float> a(256, 1.5f), b(256, 2.0f), c(256);
  for (const std::uint32_t workers : {1u, 2u, 3u}) {
    LaunchRequest launch = request("add", {4, 1, 1}, {64, 1, 1}, {binding(0, a), binding(1, b), binding(2, c, false)});
    launch.workers = workers;
    launch.schedules = 4;
    const LaunchResult result = run(launch);
    EXPECT_TRUE(result.finished && result.reports.empty() && !result.schedules_disagree) << describe(result);
    EXPECT_EQ(c, std::vector<float>(256, 3.5f));
    ASSERT_EQ(result.counters.buffers.size(), 3u);
    EXPECT_EQ(result.counters.buffers[0].read_bytes, 1024u);
    EXPECT_EQ(result.counters.buffers[0].distinct_read_bytes, 1024u);
    EXPECT_EQ(result.counters.buffers[2].distinct_written_bytes, 1024u);
    EXPECT_EQ(result.counters.device.written_bytes, 1024u);
  }
}

TEST(Launch, GridInThreadsHasPartialGroups) {
  std::vector<std::uint32_t> out(70 * 3);
  LaunchRequest launch = request("positions", {}, {32, 2, 1}, {binding(0, out)});
  launch.threads = Uint3{70, 3, 1};
  const LaunchResult result = run(launch);
  EXPECT_TRUE(result.finished && result.reports.empty()) << describe(result);
  EXPECT_EQ(out[69], 69u + 6 * 1000000u);
  EXPECT_EQ(out[2 * 70 + 5], 5u + 2000u + 32 * 1000000u);
}

TEST(Launch, EmptyGridDoesNothing) {
  std::vector<int> out(4, 7);
  EXPECT_TRUE(run(request("past_end", {3, 0, 1}, {4, 1, 1}, {binding(0, out)})).finished);
  LaunchRequest threads = request("past_end", {}, {4, 1, 1}, {binding(0, out)});
  threads.threads = Uint3{0, 1, 1};
  EXPECT_TRUE(run(threads).finished);
  EXPECT_EQ(out, std::vector<int>(4, 7));
}

TEST(Launch, ThreadgroupMemoryOfTheHost) {
  std::vector<int> in = iota(128), out(128);
  LaunchRequest launch = request("reverse", {2, 1, 1}, {64, 1, 1}, {binding(0, in), binding(1, out)});
  launch.threadgroup_memory = {{0, 256}};
  launch.schedules = 4;
  const LaunchResult result = run(launch);
  EXPECT_TRUE(result.finished && result.reports.empty()) << describe(result);
  EXPECT_EQ(out[64], 127);
  EXPECT_EQ(result.counters.threadgroup_bytes, 256u);
  EXPECT_EQ(result.counters.threadgroup_barriers, 2u);
  launch.threadgroup_memory = {{0, 240}};
  const LaunchResult small = run(launch);
  ASSERT_EQ(small.reports.size(), 2u) << describe(small);
  for (const Report& report : small.reports) {
    EXPECT_EQ(report.kind, ReportKind::OutOfBounds);
    EXPECT_EQ(report.object, "tile");
  }
}

TEST(Launch, GranulesBecomeFinerByThemselves) {
  std::vector<std::uint32_t> words(16);
  const LaunchResult clean = run(request("bytes", {1, 1, 1}, {64, 1, 1}, {binding(0, words)}));
  EXPECT_TRUE(clean.finished && clean.reports.empty()) << describe(clean);
  EXPECT_EQ(words[1], 0x07060504u);
  const Report race = only_report(run(request("byte_race", {1, 1, 1}, {64, 1, 1}, {binding(0, words)})));
  EXPECT_EQ(race.kind, ReportKind::Race);
  EXPECT_EQ(race.line, line_of("byte race"));
  std::vector<std::uint16_t> halves(64);
  const LaunchResult tile = run(request("half_tile", {1, 1, 1}, {64, 1, 1}, {binding(0, halves)}));
  EXPECT_TRUE(tile.finished && tile.reports.empty()) << describe(tile);
}

TEST(Launch, BoundsAreExactOnBothSides) {
  std::vector<int> out(64, 5);
  const Report after = only_report(run(request("past_end", {1, 1, 1}, {64, 1, 1}, {binding(0, out)})));
  EXPECT_EQ(after.kind, ReportKind::OutOfBounds);
  EXPECT_EQ(after.object, "out");
  EXPECT_EQ(after.byte_offset, 256);
  EXPECT_EQ(after.element, 64);
  EXPECT_EQ(after.line, line_of("past end"));
  ASSERT_EQ(after.parties.size(), 1u);
  EXPECT_EQ(after.parties[0].thread, 63u);
  const Report before = only_report(run(request("before_begin", {1, 1, 1}, {64, 1, 1}, {binding(0, out)})));
  EXPECT_EQ(before.byte_offset, -4);
  EXPECT_EQ(before.object, "out");
}

TEST(Launch, WithoutChecksPagesAreTheBounds) {
  std::vector<int> out(1024, 5);
  const LaunchResult inside = run(request("past_end", {1, 1, 1}, {64, 1, 1}, {binding(0, out)}), unchecked_library());
  EXPECT_TRUE(inside.finished && inside.reports.empty()) << describe(inside);
  const LaunchResult beyond = run(request("past_end", {1, 1, 1}, {1024, 1, 1}, {binding(0, out)}), unchecked_library());
  EXPECT_EQ(only_report(beyond).kind, ReportKind::OutOfBounds);
}

TEST(Launch, GroupsAreInNoOrder) {
  std::vector<int> out(4);
  for (const std::uint32_t workers : {1u, 2u}) {
    LaunchRequest launch = request("between_groups", {5, 1, 1}, {32, 1, 1}, {binding(0, out)});
    launch.workers = workers;
    const Report report = only_report(run(launch));
    EXPECT_EQ(report.kind, ReportKind::Race);
    EXPECT_EQ(report.line, line_of("between groups"));
    ASSERT_EQ(report.parties.size(), 2u);
    EXPECT_NE(report.parties[0].group, report.parties[1].group);
  }
}

TEST(Launch, AtomicsOfSeveralWorkers) {
  std::vector<std::uint32_t> count(1);
  LaunchRequest launch = request("count_atomically", {50, 1, 1}, {64, 1, 1}, {binding(0, count)});
  launch.workers = 2;
  const LaunchResult result = run(launch);
  EXPECT_TRUE(result.finished && result.reports.empty()) << describe(result);
  EXPECT_EQ(count[0], 3200u);
}

TEST(Launch, SchedulesDifferAndTheFirstOneCounts) {
  std::vector<std::uint32_t> next(1), out(64);
  LaunchRequest launch = request("order_dependent", {1, 1, 1}, {64, 1, 1}, {binding(0, next), binding(1, out)});
  launch.schedules = 2;
  const LaunchResult result = run(launch);
  EXPECT_FALSE(result.schedules_disagree);  // it used atomics
  EXPECT_EQ(out[0], 0u);
  launch.first_schedule = 1;
  launch.schedules = 1;
  next[0] = 0;
  run(launch);
  EXPECT_EQ(out[0], 63u);
}

TEST(Launch, TimeoutNamesTheLine) {
  std::vector<int> out(32);
  LaunchRequest launch = request("forever", {1, 1, 1}, {32, 1, 1}, {binding(0, out)});
  launch.timeout_seconds = 0.3;
  std::uint32_t calls = 0;
  launch.progress = [&calls](double, std::uint32_t) { ++calls; };
  const auto begin = std::chrono::steady_clock::now();
  const LaunchResult result = run(launch);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_FALSE(result.finished);
  EXPECT_GT(calls, 0u);
  const Report report = only_report(result);
  EXPECT_EQ(report.kind, ReportKind::Timeout);
  EXPECT_NEAR(report.line, line_of("forever"), 1);
}

TEST(Launch, StackOverflow) {
  std::vector<int> out(2);
  const LaunchResult result = run(request("recursion", {1, 1, 1}, {40, 1, 1}, {binding(0, out)}));
  EXPECT_FALSE(result.finished);
  const Report report = only_report(result);
  EXPECT_EQ(report.kind, ReportKind::WildAccess);
  EXPECT_NE(report.message.find("stack overflow"), std::string::npos) << report.message;
}

TEST(Launch, WildAccessEndsTheLaunch) {
  std::vector<int> out(2);
  const LaunchResult result = run(request("wild", {2, 1, 1}, {32, 1, 1}, {binding(0, out)}));
  EXPECT_FALSE(result.finished);
  const Report report = only_report(result);
  EXPECT_EQ(report.kind, ReportKind::WildAccess);
  EXPECT_EQ(report.line, line_of("wild"));
  EXPECT_NE(report.message.find("0x1234560"), std::string::npos) << report.message;
  EXPECT_EQ(only_report(run(request("wild", {2, 1, 1}, {32, 1, 1}, {binding(0, out)}), unchecked_library())).kind,
            ReportKind::WildAccess);
}

TEST(Launch, DivisionByZero) {
  std::vector<int> out(32);
  const LaunchResult result = run(request("divide", {1, 1, 1}, {32, 1, 1}, {binding(0, out)}));
  for (const Report& report : result.reports) EXPECT_EQ(report.kind, ReportKind::WildAccess) << describe(result);
}

TEST(Launch, BarriersThatDiverge) {
  std::vector<int> out(32);
  const Report sites = only_report(run(request("divergent", {3, 1, 1}, {32, 1, 1}, {binding(0, out)})));
  EXPECT_EQ(sites.kind, ReportKind::BarrierDivergence);
  EXPECT_EQ(sites.count, 3u);
  ASSERT_EQ(sites.parties.size(), 2u);
  EXPECT_EQ(sites.parties[0].line, line_of("divergent one"));
  EXPECT_EQ(sites.parties[1].line, line_of("divergent two"));
  const Report exit = only_report(run(request("early_exit", {1, 1, 1}, {32, 1, 1}, {binding(0, out)})));
  EXPECT_EQ(exit.kind, ReportKind::BarrierDivergence);
  ASSERT_EQ(exit.parties.size(), 2u);
  EXPECT_EQ(exit.parties[1].thread, 5u);
  EXPECT_EQ(exit.parties[1].action, "returned");
}

TEST(Launch, PartialSimdOperationsAreCounted) {
  std::vector<int> out(32);
  LaunchRequest launch = request("partial_sum", {1, 1, 1}, {32, 1, 1}, {binding(0, out)});
  launch.schedules = 4;
  const LaunchResult result = run(launch);
  EXPECT_TRUE(result.finished && result.reports.empty()) << describe(result);
  EXPECT_EQ(out[0], 45);
  EXPECT_EQ(out[31], 22);
  EXPECT_EQ(result.counters.simd_operations, 2u);
  EXPECT_EQ(result.counters.partial_simd_operations, 2u);
}

TEST(Launch, ThreadgroupMemoryOverTheLimit) {
  std::vector<int> out(32);
  const LaunchResult result = run(request("too_much_memory", {1, 1, 1}, {32, 1, 1}, {binding(0, out)}));
  EXPECT_FALSE(result.finished);
  const Report report = only_report(result);
  EXPECT_EQ(report.kind, ReportKind::Limit);
  EXPECT_EQ(report.object, "tile");
  LaunchRequest larger = request("too_much_memory", {1, 1, 1}, {32, 1, 1}, {binding(0, out)});
  larger.device.threadgroup_bytes = 65536;
  EXPECT_TRUE(run(larger).reports.empty());
  std::vector<int> in(128), reversed(128);
  LaunchRequest host = request("reverse", {2, 1, 1}, {64, 1, 1}, {binding(0, in), binding(1, reversed)});
  host.threadgroup_memory = {{0, 32784}};
  EXPECT_EQ(only_report(run(host)).kind, ReportKind::Limit);
}

TEST(Launch, ReadOnlyBytesDoNotChange) {
  std::vector<int> in{1}, out{0};
  const LaunchResult result = run(request("read_only", {1, 1, 1}, {1, 1, 1}, {binding(0, in), binding(1, out)}));
  EXPECT_EQ(only_report(result).kind, ReportKind::ReadonlyWrite);
  EXPECT_EQ(in[0], 1);
}

TEST(Launch, OneMemoryForTwoParameters) {
  std::vector<int> values = iota(64);
  BufferBinding again;
  again.index = 1;
  again.same_memory_as = 0;
  const LaunchResult result = run(request("same_memory", {1, 1, 1}, {64, 1, 1}, {binding(0, values), again}));
  EXPECT_TRUE(result.finished && result.reports.empty()) << describe(result);
  EXPECT_EQ(values[5], 105);
  run(request("same_memory", {1, 1, 1}, {64, 1, 1}, {binding(0, values), binding(1, values)}));
  EXPECT_EQ(values[5], 205);
}

TEST(Launch, UnwrittenBuffers) {
  std::vector<int> temp(32), out(32);
  const Report report =
      only_report(run(request("unwritten", {1, 1, 1}, {32, 1, 1}, {binding(0, temp, false), binding(1, out)})));
  EXPECT_EQ(report.kind, ReportKind::UninitializedRead);
  EXPECT_EQ(report.line, line_of("unwritten"));
  EXPECT_EQ(report.byte_offset, 0);
}

TEST(Launch, AbsentOptionalBufferReadsAsPoison) {
  std::vector<int> out(1);
  const LaunchResult result = run(request("optional_buffer", {1, 1, 1}, {1, 1, 1}, {binding(1, out)}));
  EXPECT_TRUE(result.finished && result.reports.empty()) << describe(result);
  EXPECT_EQ(out[0], -1);
}

TEST(Launch, ReportsDoNotDependOnWorkers) {
  std::vector<int> out(64);
  LaunchRequest launch = request("early_exit", {40, 1, 1}, {32, 1, 1}, {binding(0, out)});
  const std::string alone = describe(run(launch));
  launch.workers = 4;
  EXPECT_EQ(describe(run(launch)), alone);
}

}  // namespace
}  // namespace tilewright::msl_emulator::runner_test
