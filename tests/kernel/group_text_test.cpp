// Group programs as text: round trips, the builder, and what the parser says about faulty text.
#include <gtest/gtest.h>

#include "group_programs.h"
#include "kernel/builder.h"
#include "kernel/printer.h"
#include "kernel/verifier.h"

namespace tilewright::kernel {
namespace {

TEST(GroupText, ProgramsReadBackAsTheyArePrinted) {
  for (const char* text : {kStagedGemm, kRingCopy, kAsyncReverse}) {
    const Program program = parsed(text);
    const std::string printed = print(program);
    const Program again = parsed(printed);
    EXPECT_EQ(again, program) << printed;
    EXPECT_EQ(print(again), printed);
    EXPECT_EQ(canonicalized(program), program);
  }
}

/// Every operation, flag and declaration of the second part, in canonical numbers.
const char* const kAllGroupOps = R"(kernel program all {
  buffer A: f32[64] read matrix 8 of 8 stride 8
  buffer C: f32[64] write
  kernel all persistent 3 tasks(2, 5) group 128 of 32 {
    alloc p: f32[4] private
    alloc s: f32[64] shared row 8 pad 4
    alloc w: f32[64] shared row 8 swizzle 2 1 3
    ring slots versions 3 producers 1 consumers 3
    %0: i64 = group
    tasks %1, %2 {
      %3: i64 = worker
      %4: i64 = lane
      %5: i64 = subgroup
      %6: i64 = const 0
      %7: i64 = const 8
      %8: f32 = const 0.0
      %9: f32 = subgroup_add %8
      %10: f32 = subgroup_max %9
      %11: f32 = subgroup_min %10
      %12: i64 = shuffle_xor %3, 1
      %13: i64 = shuffle_down %12, 16
      %14: i64 = shuffle_index %13, 0
      %15: f32.8x8 = fragment_fill %11
      %16: i64.8x8 = fragment_row
      %17: i64.8x8 = fragment_column
      %18: i1.8x8 = lt %16, %17
      %19: f32.8x8 = add %15, %15
      %20: f32.8x8 = select %18, %15, %19
      %21: f16.8x8 = cast %20
      roles {
        producer 1 {
          ring_acquire slots[%1]
          %22: token = async_copy w[%4] = A[%4] count %6
          %23: token = async_copy s[%6] = A[%6] count %7 together subgroup
          wait %22, %23
          ring_commit slots[%1]
        }
        consumer 3 {
          ring_await slots[%1]
          %24: f32.8x8 = fragment_load s[%6] stride %7
          %25: f32.8x8 = fragment_load A[%6] stride %7 transposed
          %26: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %7 subgroup a %24 b %25 c %24
          %27: f32.8x8 = atom "an atom" m 8 n 8 k dynamic %7 group relaxed a view A[%6] stride %7 rows %7 columns %7 inner %6 outer %6 step 8 b view s[%6] stride %7 rows %7 columns %7 transposed
          fragment_store C[%6] stride %7 = %27
          fragment_store s[%6] stride %7 transposed = %27
          %28: f32.8x8 = fragment_load s[%6] stride %7 rows %1 columns %7
          fragment_store C[%6] stride %7 rows %7 columns %1 transposed = %28
          fence 0 compiler subgroup orders shared
          fence 1 user group orders shared device async
          fence 4 compiler subgroup scope group orders device
          fence 2 compiler group
          ring_release slots[%1]
        }
      }
    }
  }
}
)";

TEST(GroupText, EverythingInCanonicalForm) {
  const Program program = parsed(kAllGroupOps);
  EXPECT_EQ(print(program), kAllGroupOps);
}

TEST(GroupText, TheBuilderMakesTheSameProgram) {
  Builder b("p");
  const BufferId x = b.argument("x", ScalarType::F32, Access::Read, 64);
  const BufferId y = b.argument("y", ScalarType::F32, Access::Write, 64);
  b.begin_kernel("k", {1}, Group{64, 32});
  const AllocationId s = b.allocation("s", AllocationSpace::Shared, ScalarType::F32, 64, AllocationLayout{8, 4});
  const ValueId zero = b.const_i64(0), twelve = b.const_i64(12), eight = b.const_i64(8);
  const ValueId worker = b.worker(WorkerQuery::Worker);
  const ValueId value = b.load(x, worker);
  b.store(s, worker, value);
  EXPECT_EQ(b.fence(Participants::Group, {true, false}), 0u);
  const ValueId a = b.fragment_load(s, zero, twelve, 8, 8);
  const ValueId c = b.atom("metal.simdgroup8x8", a, a, std::nullopt, ScalarType::F32, true);
  const ValueId subgroup = b.worker(WorkerQuery::Subgroup);
  b.if_then(b.compare(CompareKind::Eq, subgroup, zero), [&] { b.fragment_store(y, zero, eight, c); });
  EXPECT_EQ(b.fence(Participants::Subgroup, {}), 1u);
  b.end_kernel();
  const Program program = b.finish();
  ASSERT_TRUE(verify(program));
  EXPECT_EQ(parsed(print(program)), program);
  EXPECT_EQ(print(program), R"(kernel program p {
  buffer x: f32[64] read
  buffer y: f32[64] write
  kernel k tasks(%0: 1) group 64 of 32 {
    alloc s: f32[64] shared row 8 pad 4
    %1: i64 = const 0
    %2: i64 = const 12
    %3: i64 = const 8
    %4: i64 = worker
    %5: f32 = load x[%4]
    store s[%4] = %5
    fence 0 compiler group orders shared
    %6: f32.8x8 = fragment_load s[%1] stride %2
    %7: f32.8x8 = atom metal.simdgroup8x8 m 8 n 8 k %3 subgroup relaxed a %6 b %6
    %8: i64 = subgroup
    %9: i1 = eq %8, %1
    if %9 {
      fragment_store y[%1] stride %3 = %7
    }
    fence 1 compiler subgroup
  }
}
)");
}

TEST(GroupText, FaultyText) {
  const auto refused = [](const std::string& text, DiagCode code, const std::string& mention) {
    const auto program = parse(text, "test");
    ASSERT_FALSE(program) << text;
    EXPECT_EQ(program.error()[0].code, code) << render(program.error());
    EXPECT_NE(render(program.error()).find(mention), std::string::npos) << render(program.error());
  };
  refused(replaced(kAllGroupOps, "group 128 of 32", "group 4096 of 32"), DiagCode::LiteralOutOfRange, "1024");
  refused(replaced(kAllGroupOps, "versions 3", "versions 0"), DiagCode::LiteralOutOfRange, "versions");
  refused(replaced(kAllGroupOps, "ring_acquire slots", "ring_acquire slot"), DiagCode::UnknownName, "no ring slot");
  refused(replaced(kAllGroupOps, "fence 2 compiler group", "fence 2 group"), DiagCode::SyntaxError, "compiler or user");
  refused(replaced(kAllGroupOps, "fence 2 compiler group", "fence 2 compiler group orders"), DiagCode::SyntaxError,
          "shared or device");
  refused(replaced(kAllGroupOps, "fragment_load s[%6] stride %7", "fragment_load s[%6]"), DiagCode::SyntaxError,
          "'stride'");
  refused(replaced(kAllGroupOps, "%24: f32.8x8", "%24: f32.8x0"), DiagCode::SyntaxError, "a type");
  refused(replaced(kAllGroupOps, "%24: f32.8x8", "%24: f32.8x16"), DiagCode::TypeMismatch, "rows");
  refused(replaced(kAllGroupOps, "%24: f32.8x8", "%24: f16.8x8"), DiagCode::TypeMismatch, "f32.8x8");
  refused(replaced(kAllGroupOps, "shuffle_index %13, 0", "shuffle_index %13, 64"), DiagCode::LiteralOutOfRange, "lane");
  refused(replaced(kAllGroupOps, "tasks %1, %2 {", "%x: i64 = tasks %1, %2 {"), DiagCode::SyntaxError, "no results");
  refused(replaced(kAllGroupOps, "fragment_store C[%6] stride %7", "fragment_store A[%6] stride %7"),
          DiagCode::WriteToInput, "buffer A");
  refused(replaced(kAllGroupOps, "%19: f32.8x8 = add %15, %15", "%19: f32.8x8 = add %15, %8"), DiagCode::TypeMismatch,
          "second operand");
}

}  // namespace
}  // namespace tilewright::kernel
