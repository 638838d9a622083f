// The fence checker: one small program for each way in which accesses are in order, or are not.
#include "sync/check.h"

#include <gtest/gtest.h>

#include "kernels.h"

namespace tilewright::sync::check_test {
namespace {

/// Three tasks of 64 workers in subgroups of 32, with shared s (64 elements) and p (64, rows of 8 apart), buffers x, y,
/// z, i, a temporary, and some values.
kernel::Program with_body(const std::string& body) {
  return kernel_of(R"(kernel program p {
  buffer x: f32[256] read
  buffer y: f32[256] readwrite
  buffer z: f32[256] readwrite
  buffer i: i64[64] read
  temporary m: f32[256] readwrite
  scalar n: i64
  kernel p tasks(%t: 3) group 64 of 32 {
    alloc s: f32[256] shared
    alloc p: f32[64] shared row 8 pad 4
    alloc h: f32[4] private
    %w: i64 = worker
    %lane: i64 = lane
    %g: i64 = subgroup
    %0: i64 = const 0
    %1: i64 = const 1
    %2: i64 = const 2
    %3: i64 = const 3
    %8: i64 = const 8
    %12: i64 = const 12
    %32: i64 = const 32
    %48: i64 = const 48
    %63: i64 = const 63
    %64: i64 = const 64
    %v: f32 = const 1.0
    %back: i64 = sub %63, %w
    %first: i1 = eq %w, %0
    %early: i1 = eq %t, %0
    %base: i64 = mul %t, %64
    %own: i64 = add %base, %w
    %mirror: i64 = add %base, %back
    %turned: i64 = xor %lane, %1
    %half: i64 = mul %g, %32
    %near: i64 = add %half, %turned
)" + body + "\n}\n}\n");
}

std::vector<UnorderedPair> check(const std::string& body, bool distinct_buffers = true) {
  return unordered_accesses(with_body(body), 0, {.distinct_buffers = distinct_buffers});
}

/// The checker and the interpreter find nothing.
void in_order(const std::string& body) {
  const auto found = check(body);
  EXPECT_TRUE(found.empty()) << body << "\n" << unordered_text(found[0]);
  EXPECT_TRUE(races(with_body(body)).empty()) << body << render(races(with_body(body)));
}
/// Both object, the checker with these words.
void unordered(const std::string& body, const std::string& mention) {
  const auto found = check(body);
  ASSERT_FALSE(found.empty()) << body;
  EXPECT_NE(unordered_text(found[0]).find(mention), std::string::npos) << body << "\n" << unordered_text(found[0]);
  EXPECT_FALSE(races(with_body(body)).empty()) << body;
}
/// The checker objects, and no execution shows why: it cannot tell.
void doubt(const std::string& body, const std::string& mention) {
  const auto found = check(body);
  ASSERT_FALSE(found.empty()) << body;
  EXPECT_NE(unordered_text(found[0]).find(mention), std::string::npos) << body << "\n" << unordered_text(found[0]);
}

TEST(FenceCheck, ReadAfterWriteByAnotherWorker) {
  unordered("store s[%w] = %v; %a: f32 = load s[%back]", "worker 0 and worker 63 can meet at one element; no fence");
  in_order("store s[%w] = %v; fence 0 compiler group orders shared; %a: f32 = load s[%back]");
  in_order("store s[%w] = %v; fence 0 user group orders shared; %a: f32 = load s[%back]");
  in_order("store s[%w] = %v; %a: f32 = load s[%w]");
}

TEST(FenceCheck, WriteAfterReadAndWriteAfterWrite) {
  const std::string begin = "store s[%w] = %v; fence 0 compiler group orders shared\n";
  unordered(begin + "%a: f32 = load s[%back]; store s[%w] = %a", "worker 63 and worker 0 can meet");
  in_order(begin + "%a: f32 = load s[%back]; fence 1 compiler group orders shared; store s[%w] = %a");
  unordered("store s[%w] = %v; store s[%back] = %v", "worker 0 and worker 63 can meet");
  in_order(begin + "%a: f32 = load s[%back]; %b: f32 = load s[%0]");
}

TEST(FenceCheck, TwoWorkersMakeOneAccess) {
  unordered("store s[%0] = %v", "worker 0 and worker 1 can meet");
  unordered("store s[%lane] = %v", "worker 0 and worker 32 can meet");
  in_order("if %first { store s[%0] = %v }");
  in_order("store h[%0] = %v; %a: f32 = load h[%0]");
}

TEST(FenceCheck, FencesOfTheWrongKind) {
  unordered("store s[%w] = %v; fence 0 compiler group orders device; %a: f32 = load s[%back]", "orders this memory");
  unordered("store s[%w] = %v; fence 0 compiler group; %a: f32 = load s[%back]", "orders this memory");
  unordered("store s[%w] = %v; fence 0 compiler subgroup orders shared; %a: f32 = load s[%back]",
            "worker 0 and worker 63 can meet at one element; the fences on the way are those of a subgroup alone");
  in_order("store s[%w] = %v; fence 0 compiler subgroup orders shared; %a: f32 = load s[%near]");
  unordered("store s[%w] = %v; fence 0 compiler subgroup orders device; %a: f32 = load s[%near]", "orders this memory");
  unordered("store y[%own] = %v; fence 0 compiler group orders shared; %a: f32 = load y[%mirror]", "buffer y");
  in_order("store y[%own] = %v; fence 0 compiler group orders device; %a: f32 = load y[%mirror]");
}

TEST(FenceCheck, BackEdges) {
  const std::string begin = "store s[%w] = %v; fence 0 compiler group orders shared\n";
  unordered(begin + R"(loop %j = %0 to %3 step 1 {
  %a: f32 = load s[%back]
  fence 1 compiler group orders shared
  store s[%w] = %a
})",
            "in a later iteration of 'loop");
  in_order(begin + R"(loop %j = %0 to %3 step 1 {
  %a: f32 = load s[%back]
  fence 1 compiler group orders shared
  store s[%w] = %a
  fence 2 compiler group orders shared
})");
  // One iteration has no next one.
  in_order(begin + R"(loop %j = %0 to %1 step 1 {
  %a: f32 = load s[%back]
  fence 1 compiler group orders shared
  store s[%w] = %a
})");
  // The back edge of the outer loop carries the write over the inner one, of which it is not known that it runs.
  doubt(begin + R"(loop %j = %0 to %3 step 1 {
  loop %l = %0 to %j step 1 { fence 1 compiler group orders shared }
  %a: f32 = load s[%back]
  fence 2 compiler group orders shared
  store s[%w] = %a
})",
        "in a later iteration of 'loop");
}

TEST(FenceCheck, HowManyIterationsApart) {
  // The writer of block j and, under a condition that holds where there is such a block, that of block j + $D.
  const auto blocks = [](const std::string& condition, const std::string& distance, const std::string& middle,
                         const std::string& end) {
    return "loop %j = %0 to %3 step 1 {\n%own2: i64 = mul %j, %64\n%at: i64 = add %own2, %w\nstore s[%at] = %v\n" +
           middle + "%k: i64 = " + distance + "\n%there: i1 = " + condition +
           "\nif %there {\n%other: i64 = mul %k, %64\n%place: i64 = add %other, %back\nstore s[%place] = %v\n}\n" +
           end + "}";
  };
  const std::string fence0 = "fence 0 compiler group orders shared\n",
                    fence1 = "fence 1 compiler group orders shared\n";
  // Two iterations back, without any fence: the first write of the block is not the last iteration's.
  unordered(blocks("ge %j, %2", "sub %j, %2", "", ""), "in a later iteration of 'loop");
  // With a fence in the middle only the end of one iteration and the begin of the next are open.
  unordered(blocks("le %j, %1", "add %j, %1", fence0, ""), "in a later iteration of 'loop");
  in_order(blocks("ge %j, %1", "sub %j, %1", fence0, ""));
  in_order(blocks("le %j, %1", "add %j, %1", fence0, fence1));
}

TEST(FenceCheck, LoopsThatMayBeSkipped) {
  const auto around = [](const std::string& low, const std::string& high) {
    return "store s[%w] = %v\nloop %j = " + low + " to " + high +
           " step 1 { fence 0 compiler group orders shared }\n%a: f32 = load s[%back]";
  };
  in_order(around("%0", "%2"));
  unordered(around("%2", "%2"), "no fence");
  unordered(around("%0", "%t"), "no fence");
  // A bound that is computed is one that is known where its range says enough.
  const auto bound = [&](const std::string& made) { return made + "\n" + around("%0", "%h"); };
  in_order(bound("%h: i64 = add %t, %1"));
  in_order(bound("%k: i64 = sub %t, %8\n%l: i64 = max %k, %1\n%h: i64 = min %l, %8"));
  in_order(bound("%k: i64 = sub %3, %t\n%l: i64 = sub %0, %k\n%m: i64 = floordiv %l, %8\n%h: i64 = sub %0, %m"));
  unordered(bound("%h: i64 = min %t, %8"), "no fence");
}

TEST(FenceCheck, BranchesOfAll) {
  const auto branch = [](const std::string& then_arm, const std::string& else_arm) {
    return "store s[%w] = %v\nif %early { " + then_arm + " } else { " + else_arm + " }\n%a: f32 = load s[%back]";
  };
  const std::string fence = "compiler group orders shared";
  unordered(branch("fence 0 " + fence, ""), "no fence");
  unordered(branch("", "fence 0 " + fence), "no fence");
  in_order(branch("fence 0 " + fence, "fence 1 " + fence));
  // Only one of the two ways is gone.
  in_order("if %early { store s[%w] = %v } else { store s[%back] = %v }");
}

TEST(FenceCheck, BranchesOfSome) {
  unordered("%odd: i1 = lt %w, %32\nif %odd { store s[%w] = %v } else { store s[%back] = %v }",
            "worker 0 and worker 63");
  in_order("%odd: i1 = lt %w, %32\nif %odd { store s[%w] = %v } else { store s[%w] = %v }");
  in_order("if %first { store s[%0] = %v; %a: f32 = load s[%0] }");
  // One subgroup has its fence and the other none: they do not order each other.
  unordered(R"(%low: i1 = eq %g, %0
if %low { store s[%w] = %v; fence 0 compiler subgroup orders shared } else { store s[%back] = %v })",
            "subgroup alone");
}

TEST(FenceCheck, FragmentsBelongToTheirSubgroup) {
  const std::string begin = "%f: f32.8x8 = fragment_fill %v\n%at: i64 = mul %g, %64\n";
  in_order(begin + "fragment_store s[%at] stride %8 = %f; %a: f32.8x8 = fragment_load s[%at] stride %8");
  unordered(begin + "fragment_store s[%0] stride %8 = %f", "subgroup 0 and subgroup 1 can meet");
  unordered(begin + "fragment_store s[%at] stride %8 = %f; %a: f32 = load s[%lane]", "subgroup 0 and worker 0");
  // Within a subgroup, a fence of the subgroup is enough.
  const std::string store = begin + "fragment_store s[%at] stride %8 = %f; fence 0 compiler subgroup orders shared\n";
  in_order(store + "%i: i64 = add %at, %lane; %a: f32 = load s[%i]");
  unordered(store + "%a: f32 = load s[%lane]", "subgroup 0 and worker 32");
  unordered("store s[%w] = %v; %a: f32.8x8 = fragment_load s[%0] stride %8", "worker 0 and subgroup 0");
}

TEST(FenceCheck, PaddedRowsAreApart) {
  // Rows of 8 with 4 places between: the fragment covers places 0, 1, 12, .. and so elements 0, 1, 8, ..
  const std::string begin = "%f: f32.2x2 = fragment_fill %v\n%low: i1 = eq %g, %0\n";
  in_order(begin + R"(if %low { fragment_store p[%0] stride %12 = %f }
%i: i64 = add %2, %0; %one: i1 = eq %w, %48
if %one { store p[%2] = %v })");
  unordered(begin + R"(if %low { fragment_store p[%0] stride %12 = %f }
%one: i1 = eq %w, %48
if %one { store p[%8] = %v })",
            "allocation p");
}

TEST(FenceCheck, Vectors) {
  const std::string begin = "%four: f32x4 = splat %v\n%4: i64 = const 4\n%at: i64 = mul %w, %4\n";
  in_order(begin + "store s[%at] = %four; %a: f32x4 = load s[%at]");
  unordered(begin + "store s[%w] = %four", "worker 0 and worker 1");
}

TEST(FenceCheck, Masks) {
  in_order("%in: i1 = lt %w, %32\nstore s[%lane] = %v mask %in");
  unordered("%in: i1 = le %w, %32\nstore s[%lane] = %v mask %in", "worker 0 and worker 32");
  in_order("%in: i1 = lt %w, %32\nstore s[%w] = %v; %a: f32 = load s[%w] mask %in");
  // Rows of 32 that lie 31 apart: the last element of each is masked off, which shows where the chunks are counted out.
  const auto rows = [](const std::string& most) {
    return "%31: i64 = const 31\nloop %c = %0 to %3 step 1 {\n" +
           std::string(
               "%l: i64 = mul %c, %64; %e: i64 = add %l, %w\n"
               "%row: i64 = floordiv %e, %32; %column: i64 = floormod %e, %32\n"
               "%from: i64 = mul %row, %31; %at: i64 = add %from, %column\n%in: i1 = lt %column, ") +
           most + "\nstore s[%at] = %v mask %in\n}";
  };
  in_order(rows("%31"));
  unordered(rows("%32"), "can meet");
}

TEST(FenceCheck, ChunksOfADomain) {
  in_order(R"(loop %c = %0 to %3 step 1 { %l: i64 = mul %c, %64; %e: i64 = add %l, %w; store s[%e] = %v })");
  unordered(R"(loop %c = %0 to %3 step 1 { %l: i64 = mul %c, %32; %e: i64 = add %l, %w; store s[%e] = %v })",
            "in a later iteration");
  // Rows of 48: no sum of terms, so the chunks are counted out.
  const std::string rows = R"(loop %c = %0 to %3 step 1 {
  %l: i64 = mul %c, %64; %e: i64 = add %l, %w
  %row: i64 = floordiv %e, %48; %column: i64 = floormod %e, %48
  %from: i64 = mul %row, $P; %at: i64 = add %from, %column
  store s[%at] = %v
})";
  const auto pitch = [&](const std::string& value) {
    std::string text = rows;
    return text.replace(text.find("$P"), 2, value);
  };
  in_order(pitch("%48"));
  unordered(pitch("%32"), "can meet");
}

TEST(FenceCheck, LoopsThatEachWorkerRunsByItself) {
  in_order("%200: i64 = const 200\nloop %e = %w to %200 step 64 { store s[%e] = %v }");
  unordered("%200: i64 = const 200\nloop %e = %w to %200 step 32 { store s[%e] = %v }", "can meet");
  // How many iterations there are is not known: the step keeps workers apart all the same.
  in_order("%count: i64 = add %t, %64\nloop %e = %w to %count step 64 { store s[%e] = %v }");
  unordered("%count: i64 = add %t, %64\nloop %e = %w to %count step 32 { store s[%e] = %v }", "can meet");
}

TEST(FenceCheck, WhatAllWorkersHoldAlikeCancels) {
  in_order(
      "%k: i64 = load n[%0]\n%r: i64 = floormod %k, %3\n%at: i64 = add %r, %w\nstore s[%at] = %v; %a: f32 = load "
      "s[%at]");
  unordered(
      "%k: i64 = load n[%0]\n%r: i64 = floormod %k, %3\n%at: i64 = add %r, %w\nstore s[%w] = %v; %a: f32 = load s[%at]",
      "can meet");
  in_order("store y[%own] = %v; %a: f32 = load y[%own]");
}

TEST(FenceCheck, SlotsTakeTurns) {
  const auto slots = [](const std::string& ahead, const std::string& versions, const std::string& last) {
    return R"(loop %j = %0 to %8 step 1 {
  %n: i64 = add %j, )" +
           ahead + R"(
  %in: i64 = floormod %n, )" +
           versions + R"(
  %in2: i64 = mul %in, %64
  %in3: i64 = add %in2, %w
  store s[%in3] = %v
  %full: i1 = lt %1, %j
  %out: i64 = floormod %j, )" +
           versions + R"(
  %out2: i64 = mul %out, %64
  %out3: i64 = add %out2, %back
  if %full { %a: f32 = load s[%out3] }
)" + last + "}";
  };
  const std::string fence = "fence 0 compiler group orders shared\n";
  in_order(slots("%1", "%2", fence));
  in_order(slots("%2", "%3", fence));
  unordered(slots("%2", "%2", fence), "can meet");
  unordered(slots("%1", "%2", ""), "can meet");
}

TEST(FenceCheck, SlotsAndWhatLiesBehindThem) {
  // One subgroup writes slot (j + 1) mod 3, the other one slot j mod 3, each some elements further on.
  const auto slots = [](const std::string& first, const std::string& second) {
    return R"(%6: i64 = const 6
%low: i1 = lt %w, %32
loop %j = %0 to %6 step 1 {
  %n: i64 = add %j, %1
  %in: i64 = floormod %n, %3
  %in2: i64 = mul %in, %32
  %in3: i64 = add %in2, )" +
           first + R"(
  %in4: i64 = add %in3, %lane
  %out: i64 = floormod %j, %3
  %out2: i64 = mul %out, %32
  %out3: i64 = add %out2, )" +
           second + R"(
  %out4: i64 = add %out3, %lane
  if %low { store s[%in4] = %v } else { store s[%out4] = %v }
  fence 0 compiler group orders shared
})";
  };
  in_order(slots("%0", "%0"));
  unordered(slots("%0", "%32"), "can meet");  // slots 1 and 0
  in_order(slots("%0", "%64"));               // the first is never two slots ahead
  unordered(slots("%64", "%0"), "can meet");  // slots 0 and 2
  in_order(slots("%32", "%0"));
}

TEST(FenceCheck, WhatIsAlikeOnlyInOneIteration) {
  // The chunks have to be counted out, and the carry is another integer in each.
  const auto shifted = [](const std::string& by) {
    return "%by: i64 = const " + by + R"(
%last: i64 = loop %c = %0 to %3 step 1 carry (%k: i64 = %0) {
  %l: i64 = mul %c, %64; %e: i64 = add %l, %w
  %row: i64 = floordiv %e, %48; %column: i64 = floormod %e, %48
  %from: i64 = mul %row, %48; %sum: i64 = add %from, %column
  %at: i64 = add %sum, %k
  store s[%at] = %v
  %next: i64 = add %k, %by
  yield %next
})";
  };
  unordered(shifted("-63"), "may meet");
}

TEST(FenceCheck, Buffers) {
  const std::string copy = "%a: f32 = load y[%own]; store z[%mirror] = %a";
  in_order(copy);
  const auto overlap = check(copy, false);
  ASSERT_EQ(overlap.size(), 1u);
  EXPECT_NE(unordered_text(overlap[0]).find("buffer y, which may overlap buffer z"), std::string::npos)
      << unordered_text(overlap[0]);
  EXPECT_TRUE(
      check("%a: f32 = load y[%own]; fence 0 compiler group orders device; store z[%mirror] = %a", false).empty());
  // Temporaries are memory of our own, and one worker is in order with itself.
  EXPECT_TRUE(check("%a: f32 = load y[%own]; store m[%mirror] = %a", false).empty());
  EXPECT_TRUE(check("if %first { %a: f32 = load y[%own]; store z[%mirror] = %a }", false).empty());
  unordered("store y[%own] = %v; %a: f32 = load y[%mirror]", "buffer y");
}

TEST(FenceCheck, WhatItCannotTellApart) {
  // Each worker reads its index from memory.
  doubt("%k: i64 = load i[%w]; %at: i64 = floormod %k, %64; store s[%at] = %v", "may meet at one element");
  doubt("%q: i64 = mul %w, %w; %r: i64 = max %q, %t; %z: i64 = sub %r, %q; %at: i64 = add %z, %w; store s[%at] = %v",
        "may meet at one element");
  // A depth that nobody knows reaches everywhere.
  doubt(R"(%k: i64 = load n[%0]; %small: i64 = floormod %k, %8
store s[%w] = %v
%f: f32.8x8 = atom metal.mpp m 8 n 8 k dynamic %small subgroup a view x[%0] stride %8 rows %8 columns %small b view s[%0] stride %8 rows %small columns %8)",
        "allocation s");
}

TEST(FenceCheck, TasksOfOneGroup) {
  const std::string text = R"(kernel program p {
  buffer y: f32[256] write
  kernel p persistent 2 tasks(4) group 64 of 32 {
    alloc s: f32[64] shared
    tasks %t {
      %w: i64 = worker
      %63: i64 = const 63
      %64: i64 = const 64
      %back: i64 = sub %63, %w
      %v: f32 = const 1.0
      store s[%w] = %v
      fence 0 compiler group orders shared
      %a: f32 = load s[%back]
      %base: i64 = mul %t, %64
      %at: i64 = add %base, %w
      store y[%at] = %a
      $LAST
    }
  }
}
)";
  const auto with_last = [&](const std::string& last) {
    std::string full = text;
    return kernel_of(full.replace(full.find("$LAST"), 5, last));
  };
  const kernel::Program open = with_last(""), closed = with_last("fence 1 compiler group orders shared");
  const auto found = unordered_accesses(open, 0, {.distinct_buffers = true});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(unordered_text(found[0]).find("in a later iteration of 'tasks"), std::string::npos)
      << unordered_text(found[0]);
  EXPECT_FALSE(races(open).empty());
  EXPECT_TRUE(unordered_accesses(closed, 0, {.distinct_buffers = true}).empty());
  EXPECT_TRUE(races(closed).empty());
}

TEST(FenceCheck, WhatIsNotFollowed) {
  const auto refused = [](const std::string& text) {
    const auto found = unordered_accesses(kernel_of(text), 0, {.distinct_buffers = true});
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_NE(unordered_text(found[0]).find("is not followed"), std::string::npos) << unordered_text(found[0]);
  };
  refused(R"(kernel program p {
  buffer x: f32[64] read
  kernel p tasks(%t: 1) group 64 of 32 {
    alloc s: f32[64] shared
    %w: i64 = worker
    %1: i64 = const 1
    %token: token = async_copy s[%w] = x[%w] count %1
    wait %token
  }
}
)");
  refused(R"(kernel program p {
  kernel p tasks(%t: 1) group 64 of 32 {
    ring r versions 1 producers 1 consumers 1
    roles {
      a 1 { %0: i64 = const 0; ring_acquire r[%0]; ring_commit r[%0] }
      b 1 { %0: i64 = const 0; ring_await r[%0]; ring_release r[%0] }
    }
  }
}
)");
}

TEST(FenceCheck, OneWorkerIsInOrder) {
  EXPECT_TRUE(unordered_accesses(kernel_of(R"(kernel program p {
  buffer y: f32[4] readwrite
  kernel p tasks(%t: 4) {
    %a: f32 = load y[%t]
    store y[%t] = %a
  }
}
)"),
                                 0, {})
                  .empty());
}

TEST(FenceCheck, EveryPairIsNamedOnce) {
  const auto found = check("store s[%w] = %v; store p[%w] = %v; %a: f32 = load s[%back]; %b: f32 = load p[%back]");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].object, "allocation s");
  EXPECT_EQ(found[1].object, "allocation p");
  EXPECT_NE(found[0].first, found[0].second);
}

/// Two subgroups store what a matrix of 5 columns has of their 8; only a proof knows that 3 and 2 of them do not meet.
TEST(FenceCheck, PartsOfOneStoreAreDisjointByPremise) {
  const kernel::Program program = kernel_of(R"(kernel program p {
  buffer C: f32[40] write
  kernel p tasks(%t: 1) group 64 of 32 {
    %0: i64 = const 0
    %5: i64 = const 5
    %8: i64 = const 8
    %z: f32 = const 0.0
    %s: i64 = subgroup
    %c: i64 = mul %s, %8
    %l: i64 = sub %5, %c
    %n: i64 = max %l, %0
    %f: f32.8x8 = fragment_fill %z
    fragment_store C[%c] stride %5 rows %8 columns %n = %f
  }
}
)");
  EXPECT_EQ(unordered_accesses(program, 0, {.distinct_buffers = true}).size(), 1u);
  EXPECT_TRUE(unordered_accesses(program, 0, {.distinct_buffers = true, .disjoint_parts = true}).empty());
}

/// Whoever of the group has an element loads and stores it at one place; at another place it may be anybody.
TEST(FenceCheck, FragmentsOfTheGroup) {
  const auto pairs = [](const std::string& store) {
    return unordered_accesses(kernel_of(R"(kernel program p {
  buffer C: f32[128] readwrite
  kernel p tasks(%t: 1) group 64 of 32 {
    %0: i64 = const 0
    %8: i64 = const 8
    %f: f32.8x8 = fragment_load together C[%0] stride %8
    )" + store + R"(
  }
}
)"),
                              0, {.distinct_buffers = true})
        .size();
  };
  EXPECT_EQ(pairs("fragment_store together C[%0] stride %8 = %f"), 0u);
  EXPECT_EQ(pairs("fragment_store together C[%8] stride %8 = %f"), 1u);
  EXPECT_EQ(pairs("fragment_store together C[%0] stride %8 transposed = %f"), 1u);
}

}  // namespace
}  // namespace tilewright::sync::check_test
