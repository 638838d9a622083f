// Group programs: values, counts, and what the interpreter says when nothing orders two accesses.
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "group_programs.h"
#include "kernel/builder.h"
#include "kernel/interpreter.h"
#include "kernel/verifier.h"
#include "test_memory.h"

namespace tilewright::kernel {
namespace {

std::vector<float> ramp(std::size_t count, float from, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from + step * static_cast<float>(i % 17);
  return values;
}

/// The faults of a run; empty when it went well.
Diags faults_of(const std::string& text) {
  const Program program = parsed(text);
  TestMemory memory(program);
  const auto counts = interpret(program, memory.bases());
  return counts ? Diags{} : counts.error();
}

void expect_fault(const std::string& text, DiagCode code, const std::string& mention) {
  const Diags faults = faults_of(text);
  ASSERT_FALSE(faults.empty()) << text;
  EXPECT_EQ(faults[0].code, code) << render(faults);
  EXPECT_NE(render(faults).find(mention), std::string::npos) << render(faults);
}

TEST(GroupInterpreter, StagedGemm) {
  const Program program = parsed(kStagedGemm);
  TestMemory memory(program);
  const std::vector<float> a = ramp(384, -1.0f, 0.25f), b = ramp(384, 2.0f, -0.125f);
  memory.set(BufferId{0}, a);
  memory.set(BufferId{1}, b);
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  const std::vector<float> c = memory.get<float>(BufferId{2});
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < 24; ++k) sum = std::fma(a[i * 24 + k], b[k * 16 + j], sum);
      EXPECT_EQ(c[i * 16 + j], sum) << i << " " << j;
    }
}

TEST(GroupInterpreter, CountsOfTheStagedGemm) {
  const Program program = parsed(kStagedGemm);
  TestMemory memory(program);
  const auto all = interpret(program, memory.bases());
  ASSERT_TRUE(all);
  const Counts& counts = all->front();
  EXPECT_EQ(counts.tasks, 1u);
  EXPECT_EQ(counts.atoms, (std::map<std::string, std::uint64_t>{{"metal.simdgroup8x8", 12}}));  // 3 x 2 subgroups x 2
  EXPECT_EQ(counts.fragments_of(MemoryKind::Shared), (FragmentCounts{18, 0, 4}));
  EXPECT_EQ(counts.group_fences, 7u);
  EXPECT_EQ(counts.subgroup_fences, 0u);
  EXPECT_EQ(counts.of(MemoryKind::Buffer).load_bytes, 3u * (128 + 128) * 4);
  EXPECT_EQ(counts.of(MemoryKind::Buffer).stores, 256u);
}

TEST(GroupInterpreter, EveryFenceOfTheGemmIsNeeded) {
  // Lockstep stores before the loads, so that without a fence only the order is missing.
  for (const char* fence : {"fence 0", "fence 1", "fence 2"})
    expect_fault(without_line(kStagedGemm, fence), DiagCode::AccessRace, "no fence orders that behind");
}

TEST(GroupInterpreter, AFenceOrdersOnlyWhatItNames) {
  expect_fault(replaced(kStagedGemm, "fence 1 compiler group orders shared", "fence 1 compiler group orders device"),
               DiagCode::AccessRace, "allocation");
  expect_fault(replaced(kStagedGemm, "fence 1 compiler group orders shared", "fence 1 compiler group"),
               DiagCode::AccessRace, "allocation");
  expect_fault(replaced(kStagedGemm, "fence 1 compiler group orders shared", "fence 1 compiler subgroup orders shared"),
               DiagCode::AccessRace, "allocation");
}

/// Two accesses of s[0]: by worker `first`, then by worker `second`, with a fence between.
std::string two_accesses(bool first_writes, bool second_writes, int second, const std::string& fence) {
  const auto access = [](bool writes, const char* name) {
    return writes ? std::string("store s[%0] = %v") : fmt::format("%{}: f32 = load s[%0]", name);
  };
  return fmt::format(R"(kernel program p {{
  kernel p tasks(%t: 1) group 64 of 32 {{
    alloc s: f32[1] shared
    %w: i64 = worker
    %0: i64 = const 0
    %second: i64 = const {}
    %v: f32 = const 1.0
    %is0: i1 = eq %w, %0
    if %is0 {{
      store s[%0] = %v
    }}
    fence 0 compiler group orders shared
    if %is0 {{
      {}
    }}
    {}
    %is1: i1 = eq %w, %second
    if %is1 {{
      {}
    }}
  }}
}}
)",
                     second, access(first_writes, "a"), fence, access(second_writes, "b"));
}

TEST(GroupInterpreter, WhatOrdersTwoAccesses) {
  struct Fence {
    std::string text;
    bool same_subgroup, other_subgroup;  ///< whether it orders worker 0 before worker 1, before worker 32
  };
  const Fence fences[] = {
      {"", false, false},
      {"fence 1 compiler subgroup orders shared", true, false},
      {"fence 1 compiler subgroup orders device", false, false},
      {"fence 1 compiler group orders shared", true, true},
      {"fence 1 compiler group orders shared device async", true, true},
      {"fence 1 compiler group orders device", false, false},
      {"fence 1 compiler group", false, false},
  };
  for (const Fence& fence : fences)
    for (int second : {0, 1, 32})
      for (int kinds = 0; kinds < 4; ++kinds) {
        const bool first_writes = (kinds & 1) != 0, second_writes = (kinds & 2) != 0;
        const bool ordered = second == 0 || (second == 1 ? fence.same_subgroup : fence.other_subgroup);
        const bool race = !ordered && (first_writes || second_writes);
        const std::string text = two_accesses(first_writes, second_writes, second, fence.text);
        const Diags faults = faults_of(text);
        ASSERT_EQ(!faults.empty(), race) << text << render(faults);
        if (race) {
          EXPECT_EQ(faults[0].code, DiagCode::AccessRace);
        }
      }
}

TEST(GroupInterpreter, GroupsShareNothing) {
  const std::string text = R"(kernel program p {
  buffer y: f32[4] readwrite
  kernel p tasks(%t: 4) group 32 of 32 {
    %w: i64 = worker
    %0: i64 = const 0
    %1: i64 = const 1
    %is0: i1 = eq %w, %0
    if %is0 {
      %v: f32 = load y[%t]
      store y[%t] = %v
    }
  }
}
)";
  EXPECT_TRUE(faults_of(text).empty());
  expect_fault(replaced(text, "load y[%t]", "load y[%0]"), DiagCode::AccessRace, "group 1");
  // Only reads: nothing to order.
  EXPECT_TRUE(faults_of(without_line(replaced(text, "load y[%t]", "load y[%0]"), "store y")).empty());
}

TEST(GroupInterpreter, SharedMemoryOfAGroupStartsIndeterminate) {
  expect_fault(R"(kernel program p {
  buffer y: f32[128] write
  kernel p tasks(%t: 2) group 64 of 32 {
    alloc s: f32[64] shared
    %w: i64 = worker
    %0: i64 = const 0
    %64: i64 = const 64
    %first: i1 = eq %t, %0
    if %first {
      %one: f32 = const 1.0
      store s[%w] = %one
    }
    %v: f32 = load s[%w]
    %base: i64 = mul %t, %64
    %at: i64 = add %base, %w
    store y[%at] = %v
  }
}
)",
               DiagCode::MemoryFault, "task (1)");
}

TEST(GroupInterpreter, PrivateMemoryBelongsToAWorker) {
  const Program program = parsed(R"(kernel program p {
  buffer y: i64[64] write
  kernel p tasks(%t: 1) group 64 of 32 {
    alloc own: i64[2] private
    %w: i64 = worker
    %0: i64 = const 0
    %1: i64 = const 1
    store own[%0] = %w
    store own[%1] = %0
    %v: i64 = load own[%0]
    store y[%w] = %v
  }
}
)");
  TestMemory memory(program);
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  std::vector<std::int64_t> expected(64);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(memory.get<std::int64_t>(BufferId{0}), expected);
}

TEST(GroupInterpreter, LoopsOfDifferentLength) {
  const Program program = parsed(R"(kernel program p {
  buffer y: i64[32] write
  kernel p tasks(%t: 1) group 32 of 32 {
    %w: i64 = worker
    %0: i64 = const 0
    %1: i64 = const 1
    %sum: i64 = loop %i = %0 to %w step 1 carry (%s: i64 = %0) {
      %n: i64 = add %s, %i
      yield %n
    }
    store y[%w] = %sum
  }
}
)");
  TestMemory memory(program);
  ASSERT_TRUE(interpret(program, memory.bases()));
  const auto y = memory.get<std::int64_t>(BufferId{0});
  for (std::int64_t w = 0; w < 32; ++w) EXPECT_EQ(y[static_cast<std::size_t>(w)], w * (w - 1) / 2);
}

TEST(GroupInterpreter, SubgroupsReduceAndExchange) {
  for (int workers : {32, 64, 96}) {
    const Program program = parsed(fmt::format(R"(kernel program p {{
  buffer y: i64[{0}] write
  kernel p tasks(%t: 1) group {0} of 32 {{
    %w: i64 = worker
    %sum: i64 = subgroup_add %w
    %max: i64 = subgroup_max %w
    %x: i64 = shuffle_xor %w, 5
    %d: i64 = shuffle_down %w, 3
    %f: i64 = shuffle_index %w, 7
    %a: i64 = add %sum, %max
    %b: i64 = add %x, %d
    %c: i64 = add %a, %b
    %r: i64 = add %c, %f
    store y[%w] = %r
  }}
}}
)",
                                               workers));
    TestMemory memory(program);
    const auto counts = interpret(program, memory.bases());
    ASSERT_TRUE(counts) << render(counts.error());
    EXPECT_EQ(counts->front().subgroup_exchanges, static_cast<std::uint64_t>(workers / 32 * 5));
    const auto y = memory.get<std::int64_t>(BufferId{0});
    for (std::int64_t w = 0; w < workers; ++w) {
      const std::int64_t lane = w % 32, first = w - lane;
      const std::int64_t sum = 32 * first + 31 * 16, max = first + 31, x = first + (lane ^ 5);
      const std::int64_t down = lane + 3 < 32 ? w + 3 : w;
      EXPECT_EQ(y[static_cast<std::size_t>(w)], sum + max + x + down + first + 7) << w;
    }
  }
}

TEST(GroupInterpreter, RingsHandSlotsOn) {
  for (int versions = 1; versions <= 4; ++versions) {
    const std::string text = replaced(kRingCopy, "versions 2", fmt::format("versions {}", versions));
    // One slot in memory for each version that is in flight; the program has two.
    if (versions > 2) continue;
    const Program program = parsed(versions == 1 ? replaced(text, "floormod %step, %2", "sub %step, %step") : text);
    TestMemory memory(program);
    const std::vector<float> x = ramp(160, 1.0f, 0.5f);
    memory.set(BufferId{0}, x);
    const auto counts = interpret(program, memory.bases());
    ASSERT_TRUE(counts) << render(counts.error());
    EXPECT_EQ(counts->front().tasks, 5u);
    const auto y = memory.get<float>(BufferId{1});
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], 2 * x[i]);
  }
}

TEST(GroupInterpreter, ARingWithMoreVersionsThanMemoryIsARace) {
  expect_fault(replaced(replaced(kRingCopy, "floormod %step, %2", "sub %step, %step"), "tasks(5)", "tasks(5)"),
               DiagCode::AccessRace, "slots");
}

TEST(GroupInterpreter, EveryActionOfTheRingIsNeeded) {
  expect_fault(without_line(kRingCopy, "ring_commit"), DiagCode::RingFault, "waits for ever");
  expect_fault(without_line(kRingCopy, "ring_await"), DiagCode::AccessRace, "slots");
  expect_fault(without_line(kRingCopy, "ring_acquire"), DiagCode::AccessRace, "slots");
  expect_fault(without_line(kRingCopy, "ring_release"), DiagCode::RingFault, "waits for ever");
  expect_fault(replaced(kRingCopy, "ring_commit full[%step]", "ring_commit full[%t]"), DiagCode::RingFault,
               "out of turn");
}

TEST(GroupInterpreter, AsynchronousCopies) {
  const Program program = parsed(kAsyncReverse);
  TestMemory memory(program);
  const std::vector<float> x = ramp(64, 0.0f, 1.0f);
  memory.set(BufferId{0}, x);
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  EXPECT_EQ(counts->front().async_copies, 64u);
  const auto y = memory.get<float>(BufferId{1});
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], x[63 - i]);
  expect_fault(replaced(kAsyncReverse, "shared async", "shared"), DiagCode::AccessRace, "async_copy");
  expect_fault(without_line(kAsyncReverse, "fence 0"), DiagCode::AccessRace, "async_copy");
  // Touched between issue and wait.
  expect_fault(replaced(kAsyncReverse, "    wait %token\n", "    %early: f32 = load s[%w]\n    wait %token\n"),
               DiagCode::MemoryFault, "belongs to an asynchronous copy");
  expect_fault(replaced(kAsyncReverse, "count %1", "count %63"), DiagCode::AccessRace, "async_copy");
  expect_fault(replaced(kAsyncReverse, "x: f32[64]", "x: f32[63]"), DiagCode::MemoryFault, "element 63 of buffer x");
}

TEST(GroupInterpreter, SharedRowsWithPadding) {
  // A stride that does not skip the padding reads it.
  expect_fault(replaced(kStagedGemm, "fragment_load a[%rows] stride %12", "fragment_load a[%rows] stride %8"),
               DiagCode::MemoryFault, "reads element");
}

TEST(GroupInterpreter, OutsideOfMemory) {
  expect_fault(replaced(kStagedGemm, "loop %e2 = %w to %256", "loop %e2 = %8 to %256"), DiagCode::AccessRace, "C");
  expect_fault(replaced(kStagedGemm, "fragment_store c[%out2]", "fragment_store c[%128]"), DiagCode::AccessRace, "");
  expect_fault(replaced(kStagedGemm, "fragment_store c[%out2]", "fragment_store c[%256]"), DiagCode::MemoryFault,
               "element 256 of allocation c");
}

/// The 8 x 8 part of x with 5 rows and 3 columns, as y has it: across, 3 rows and 5 columns.
constexpr const char* kParts = R"(kernel program p {
  buffer x: f32[27] read
  buffer y: f32[24] write
  kernel p tasks(%t: 1) group 32 of 32 {
    %0: i64 = const 0
    %3: i64 = const 3
    %5: i64 = const 5
    %6: i64 = const 6
    %8: i64 = const 8
    %a: f32.8x8 = fragment_load x[%0] stride %5 rows %5 columns %3
    fragment_store y[%0] stride %8 rows ROWS columns COLUMNS transposed = %a
  }
}
)";

TEST(GroupInterpreter, PartsOfFragments) {
  const std::vector<float> x = ramp(27, 1.0f, 1.0f);
  const auto run = [&](const std::string& rows, const std::string& columns) {
    const Program program = parsed(replaced(replaced(kParts, "ROWS", rows), "COLUMNS", columns));
    TestMemory memory(program);
    memory.set(BufferId{0}, x);
    memory.set(BufferId{1}, std::vector<float>(24, -1.0f));
    const auto counts = interpret(program, memory.bases());
    EXPECT_TRUE(counts) << render(counts.error());
    return memory.get<float>(BufferId{1});
  };
  const std::vector<float> y = run("%6", "%3");
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t r = 0; r < 8; ++r) {
      const float inside = r < 5 ? x[r * 5 + c] : 0.0f;
      EXPECT_EQ(y[c * 8 + r], r < 6 ? inside : -1.0f) << r << ", " << c;
    }
  EXPECT_EQ(run("%0", "%3"), std::vector<float>(24, -1.0f));
  EXPECT_EQ(run("%6", "%0"), std::vector<float>(24, -1.0f));
  expect_fault(replaced(replaced(kParts, "ROWS", "%8"), "COLUMNS", "%5"), DiagCode::MemoryFault,
               "element 24 of buffer y");
  expect_fault(replaced(replaced(kParts, "columns %3\n", "columns %8\n"), "rows ROWS columns COLUMNS ", ""),
               DiagCode::MemoryFault, "element 27 of buffer x");
}

TEST(GroupInterpreter, AtomsWidenAndRoundAsTheirTypesSay) {
  const Program program = parsed(R"(kernel program p {
  buffer A: f16[64] read
  buffer C: f32[64] write
  buffer H: f16[64] write
  kernel p tasks(%t: 1) group 32 of 32 {
    %0: i64 = const 0
    %8: i64 = const 8
    %z: f32 = const 0.0
    %h: f16 = const 0.0
    %a: f16.8x8 = fragment_load A[%0] stride %8
    %b: f16.8x8 = fragment_load A[%0] stride %8 transposed
    %c: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %a b %b
    %i: f16.8x8 = fragment_fill %h
    %d: f16.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %8 subgroup a %a b %b c %i
    fragment_store C[%0] stride %8 = %c
    fragment_store H[%0] stride %8 = %d
  }
}
)");
  TestMemory memory(program);
  std::vector<std::uint16_t> a(64);
  for (std::size_t i = 0; i < 64; ++i) a[i] = static_cast<std::uint16_t>(0x3c00 + i * 7);  // from 1 upwards
  memory.set(BufferId{0}, a);
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  const auto wide = [](std::uint16_t bits) {
    return std::ldexp(1.0f + static_cast<float>(bits & 0x3ff) / 1024.0f, (bits >> 10) - 15);
  };
  const auto c = memory.get<float>(BufferId{1});
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < 8; ++k) sum = std::fma(wide(a[i * 8 + k]), wide(a[j * 8 + k]), sum);
      EXPECT_EQ(c[i * 8 + j], sum);
    }
  EXPECT_EQ(counts->front().fragments_of(MemoryKind::Buffer).operand_loads, 2u);
}

TEST(GroupInterpreter, ViewsReadZeroOutsideTheirExtents) {
  const Program program = parsed(R"(kernel program p {
  buffer A: f32[15] read
  buffer C: f32[64] write
  kernel p tasks(%t: 1) group 64 of 32 {
    %0: i64 = const 0
    %3: i64 = const 3
    %5: i64 = const 5
    %8: i64 = const 8
    %c: f32.8x8 = atom metal.mpp m 8 n 8 k dynamic %5 group a view A[%0] stride %5 rows %3 columns %5 b view A[%0] stride %5 rows %5 columns %3 transposed
    %s: i64 = subgroup
    %first: i1 = eq %s, %0
    if %first {
      fragment_store C[%0] stride %8 = %c
    }
  }
}
)");
  TestMemory memory(program);
  const std::vector<float> a = ramp(15, 1.0f, 1.0f);
  memory.set(BufferId{0}, a);
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  EXPECT_EQ(counts->front().atoms.at("metal.mpp"), 1u);
  const auto c = memory.get<float>(BufferId{1});
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      float sum = 0;
      for (std::size_t k = 0; i < 3 && j < 3 && k < 5; ++k) sum = std::fma(a[i * 5 + k], a[j * 5 + k], sum);
      EXPECT_EQ(c[i * 8 + j], sum);
    }
}

/// Loaded, added to and stored by the group: each element once, by somebody.
TEST(GroupInterpreter, FragmentsOfTheGroup) {
  const std::string text = R"(kernel program p {
  buffer A: f32[64] read
  buffer C: f32[64] readwrite
  kernel p tasks(%t: 1) group 64 of 32 {
    %0: i64 = const 0
    %8: i64 = const 8
    %w: i64 = worker
    %old: f32.8x8 = fragment_load together C[%0] stride %8
    %c: f32.8x8 = atom metal.mpp m 8 n 8 k dynamic %8 group a view A[%0] stride %8 rows %8 columns %8 b view A[%0] stride %8 rows %8 columns %8 c %old
    fragment_store together C[%0] stride %8 = %c
    REST
  }
}
)";
  const auto run = [&](const std::string& rest) {
    std::string whole = text;
    const Program program = parsed(whole.replace(whole.find("REST"), 4, rest));
    TestMemory memory(program);
    const std::vector<float> a = ramp(64, 1.0f, 1.0f);
    memory.set(BufferId{0}, a);
    memory.set(BufferId{1}, a);
    auto counts = interpret(program, memory.bases());
    return std::pair(std::move(counts), memory.get<float>(BufferId{1}));
  };
  const auto [counts, c] = run("");
  ASSERT_TRUE(counts) << render(counts.error());
  EXPECT_EQ(counts->front().atoms.at("metal.mpp"), 1u);
  EXPECT_EQ(counts->front().fragments_of(MemoryKind::Buffer).stores, 1u);
  EXPECT_EQ(counts->front().fragments_of(MemoryKind::Buffer).accumulator_loads, 1u);
  const std::vector<float> a = ramp(64, 1.0f, 1.0f);
  for (std::size_t i = 0; i < 64; ++i) {
    float sum = a[i];
    for (std::size_t k = 0; k < 8; ++k) sum = std::fma(a[i / 8 * 8 + k], a[k * 8 + i % 8], sum);
    EXPECT_EQ(c[i], sum);
  }
  // Nobody may count on having an element of it.
  const std::string read = "%x: f32 = load C[%w]\n    store C[%w] = %x";
  EXPECT_FALSE(run(read).first);
  EXPECT_TRUE(run("fence 1 compiler group orders device\n    " + read).first);
}

/// 64 workers fill a shared tile by a copy that they make together, or store to it, and read the other end.
const char* const kTogether = R"(kernel program p {
  buffer x: f32[64] read
  buffer y: f32[64] write
  kernel p tasks(%t: 1) group 64 of 32 {
    alloc s: f32[64] shared
    alloc u: f32[64] shared
    %w: i64 = worker
    %0: i64 = const 0
    %63: i64 = const 63
    %64: i64 = const 64
    %v: f32 = load x[%w]
    store u[%w] = %v
    %k: token = async_copy s[%0] = x[%0] count %64 together group
    wait %k
    %from: i64 = sub %63, %w
    %r: f32 = load s[%from]
    store y[%w] = %r
  }
}
)";

TEST(GroupInterpreter, ACopyMadeTogetherOrdersItsElementsAlone) {
  EXPECT_TRUE(faults_of(kTogether).empty()) << render(faults_of(kTogether));
  expect_fault(replaced(kTogether, "load s[%from]", "load u[%from]"), DiagCode::AccessRace, "allocation u");
}

TEST(GroupInterpreter, CopiesReadWhatAFenceHasHandedToThem) {
  const std::string text = replaced(kTogether, "async_copy s[%0] = x[%0]", "async_copy s[%0] = u[%0]");
  const auto fenced = [&](const std::string& fence) {
    return replaced(text, "    %k: token", "    fence 0 compiler group orders shared" + fence + "\n    %k: token");
  };
  EXPECT_TRUE(faults_of(fenced(" async")).empty()) << render(faults_of(fenced(" async")));
  expect_fault(fenced(""), DiagCode::AccessRace, "allocation u");
  expect_fault(text, DiagCode::AccessRace, "allocation u");
}

TEST(GroupInterpreter, ManyGroupsReadOneElement) {
  const std::string text = R"(kernel program p {
  buffer x: f32[1] read
  buffer y: f32[3000] write
  kernel p tasks(%t: 3000) group 32 of 32 {
    %w: i64 = worker
    %0: i64 = const 0
    %v: f32 = load x[%0]
    %first: i1 = eq %w, %0
    if %first {
      store y[%t] = %v
    }
  }
}
)";
  EXPECT_TRUE(faults_of(text).empty());
}

TEST(GroupInterpreter, DepthsAndExtentsOfViewsAreSigned) {
  const std::string text = R"(kernel program p {
  buffer A: f32[64] read
  buffer C: f32[64] write
  kernel p tasks(%t: 1) group 32 of 32 {
    %0: i64 = const 0
    %8: i64 = const 8
    %rows: i64 = const -3
    %k: i64 = const 8
    %depth: i64 = mul %k, %8
    %c: f32.8x8 = atom m m 8 n 8 k dynamic %8 subgroup a view A[%0] stride %8 rows %rows columns %8 b view A[%0] stride %8 rows %8 columns %8
    fragment_store C[%0] stride %8 = %c
  }
}
)";
  const Program program = parsed(text);
  TestMemory memory(program);
  memory.set(BufferId{0}, ramp(64, 1.0f, 1.0f));
  ASSERT_TRUE(interpret(program, memory.bases()));
  EXPECT_EQ(memory.get<float>(BufferId{1}), std::vector<float>(64, 0.0f));
  // Not known before it runs: the verifier sees a product.
  expect_fault(replaced(replaced(text, "%k: i64 = const 8", "%k: i64 = const -1"), "k dynamic %8", "k dynamic %depth"),
               DiagCode::MemoryFault, "k is -8");
}

}  // namespace
}  // namespace tilewright::kernel
