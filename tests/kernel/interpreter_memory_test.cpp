// Control, memory, faults and counts of the interpreter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/builder.h"
#include "kernel/interpreter.h"
#include "kernel/parser.h"
#include "kernel/printer.h"
#include "random_program.h"
#include "test_memory.h"

namespace tilewright::kernel {
namespace {

Program program_of(const std::string& text) {
  Result<Program> program = parse(text);
  EXPECT_TRUE(program) << render(program.error());
  return program ? *program : Program{};
}

/// A program with out: i64[16], its statements in one task.
Program with_output(const std::string& statements) {
  return program_of("kernel program p {\nbuffer out: i64[16] readwrite\nbuffer in: i64[16] read\nkernel k tasks() {\n" +
                    statements + "\n}\n}\n");
}

std::vector<std::int64_t> run(const Program& program) {
  TestMemory memory(program);
  memory.set(BufferId{0}, std::vector<std::int64_t>(16, -1));
  memory.set(BufferId{1},
             std::vector<std::int64_t>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150});
  const auto counts = interpret(program, memory.bases());
  EXPECT_TRUE(counts) << render(counts.error());
  return memory.get<std::int64_t>(BufferId{0});
}
std::vector<std::int64_t> first(std::vector<std::int64_t> values, std::size_t count) {
  values.resize(count);
  return values;
}
using Numbers = std::vector<std::int64_t>;

// ---- Control -------------------------------------------------------------------------------------------------------

TEST(KernelInterpreterControl, LoopsCarryAllAtOnce) {
  // Fibonacci: (a, b) = (b, a + b), and a swap by the yields alone.
  EXPECT_EQ(first(run(with_output(R"(
    %0: i64 = const 0; %1: i64 = const 1; %n: i64 = const 10
    %a: i64, %b: i64 = loop %i = %0 to %n step 1 carry (%x: i64 = %0, %y: i64 = %1) {
      %z: i64 = add %x, %y
      yield %y, %z
    }
    %c: i64, %d: i64 = loop %i = %0 to %1 step 1 carry (%x: i64 = %a, %y: i64 = %b) { yield %y, %x }
    store out[%0] = %c
    store out[%1] = %d)")),
                  2),
            (Numbers{89, 55}));
}

TEST(KernelInterpreterControl, LoopsStepAndStop) {
  const auto indices = [](const std::string& low, const std::string& high, const std::string& step) {
    return first(run(with_output("%low: i64 = const " + low + "\n%high: i64 = const " + high + R"(
      %0: i64 = const 0; %1: i64 = const 1
      %n: i64 = loop %i = %low to %high step )" +
                                 step + R"( carry (%at: i64 = %0) {
        store out[%at] = %i
        %next: i64 = add %at, %1
        yield %next
      }
      %last: i64 = const 4
      store out[%last] = %n)")),
                 5);
  };
  EXPECT_EQ(indices("0", "5", "2"), (Numbers{0, 2, 4, -1, 3}));
  EXPECT_EQ(indices("0", "4", "2"), (Numbers{0, 2, -1, -1, 2}));
  EXPECT_EQ(indices("-3", "-2", "5"), (Numbers{-3, -1, -1, -1, 1}));
  EXPECT_EQ(indices("5", "5", "1"), (Numbers{-1, -1, -1, -1, 0}));
  EXPECT_EQ(indices("6", "5", "1"), (Numbers{-1, -1, -1, -1, 0}));
  // The index never wraps.
  EXPECT_EQ(indices("9223372036854775805", "9223372036854775807", "9223372036854775807"),
            (Numbers{INT64_MAX - 2, -1, -1, -1, 1}));
}

TEST(KernelInterpreterControl, IfsRunOneBlock) {
  EXPECT_EQ(first(run(with_output(R"(
    %0: i64 = const 0; %1: i64 = const 1; %2: i64 = const 2
    loop %i = %0 to %2 step 1 {
      %c: i1 = eq %i, %0
      %r: i64 = if %c { store out[%0] = %1; yield %1 } else { store out[%1] = %2; yield %2 }
      %at: i64 = add %2, %i
      store out[%at] = %r
      if %c { %4: i64 = const 4; store out[%4] = %i }
    })")),
                  6),
            (Numbers{1, 2, 1, 2, 0, -1}));
}

TEST(KernelInterpreterControl, TasksAreRowMajorCoordinates) {
  EXPECT_EQ(first(run(program_of(R"(kernel program p {
    buffer out: i64[16] readwrite
    buffer in: i64[16] read
    kernel k tasks(%i: 2, %j: 3) {
      %3: i64 = const 3
      %row: i64 = mul %i, %3
      %at: i64 = add %row, %j
      %10: i64 = const 10
      %tens: i64 = mul %i, %10
      %value: i64 = add %tens, %j
      store out[%at] = %value
    }
    kernel none tasks(%i: 4, %j: 0) {
      store out[%i] = %i
    }
  })")),
                  7),
            (Numbers{0, 1, 2, 10, 11, 12, -1}));
}

// ---- Memory --------------------------------------------------------------------------------------------------------

TEST(KernelInterpreterMemory, MaskedLanesAreNotTouched) {
  EXPECT_EQ(first(run(with_output(R"(
    %0: i64 = const 0; %2: i64 = const 2; %4: i64 = const 4; %14: i64 = const 14
    %lanes: i64x4 = iota
    %two: i64x4 = splat %2
    %mask: i1x4 = lt %lanes, %two
    %x: i64x4 = load in[%14] mask %mask
    store out[%0] = %x
    store out[%4] = %x mask %mask
    store out[%14] = %x mask %mask
    %never: i1x4 = const false
    %far: i64 = const 9223372036854775807
    store out[%far] = %x mask %never
    %before: i64 = const -2
    %high: i1x4 = ge %lanes, %two
    %y: i64x4 = load in[%before] mask %high
    %8: i64 = const 8
    store out[%8] = %y)")),
                  16),
            (Numbers{140, 150, 0, 0, 140, 150, -1, -1, 0, 0, 0, 10, -1, -1, 140, 150}));
}

TEST(KernelInterpreterMemory, ScalarsAndMasksOfOneLane) {
  const Program program = program_of(R"(kernel program p {
    buffer out: i64[16] readwrite
    scalar s: i64
    kernel k tasks() {
      %0: i64 = const 0; %1: i64 = const 1; %2: i64 = const 2
      %s: i64 = load s[%0]
      store out[%0] = %s
      %no: i1 = const false; %yes: i1 = const true
      store out[%1] = %s mask %no
      %t: i64 = load s[%0] mask %no
      store out[%2] = %t mask %yes
    }
  })");
  TestMemory memory(program);
  memory.set(BufferId{0}, Numbers(16, -1));
  memory.set(BufferId{1}, Numbers{42});
  ASSERT_TRUE(interpret(program, memory.bases()));
  EXPECT_EQ(first(memory.get<std::int64_t>(BufferId{0}), 3), (Numbers{42, -1, 0}));
}

TEST(KernelInterpreterMemory, TemporariesOutliveTheirKernel) {
  EXPECT_EQ(first(run(program_of(R"(kernel program p {
    buffer out: i64[16] readwrite
    buffer in: i64[16] read
    temporary work: i64[4] readwrite
    kernel make tasks(%i: 4) { %x: i64 = load in[%i]; store work[%i] = %x }
    kernel use tasks(%i: 4) {
      %3: i64 = const 3
      %back: i64 = sub %3, %i
      %x: i64 = load work[%back]
      store out[%i] = %x
    }
  })")),
                  5),
            (Numbers{30, 20, 10, 0, -1}));
}

TEST(KernelInterpreterMemory, BuffersNeedNoAlignment) {
  const Program program = with_output("%0: i64 = const 0\n%x: i64 = load in[%0]\nstore out[%0] = %x");
  std::vector<std::byte> out(16 * 8 + 1), in(16 * 8 + 1, std::byte{7});
  std::byte* const bases[] = {out.data() + 1, in.data() + 1};
  ASSERT_TRUE(interpret(program, bases));
  EXPECT_EQ(out[0], std::byte{0});
  EXPECT_EQ(out[1], std::byte{7});
  EXPECT_EQ(out[9], std::byte{0});
}

// ---- Faults --------------------------------------------------------------------------------------------------------

std::vector<std::string> faults(const Program& program) {
  TestMemory memory(program);
  const auto counts = interpret(program, memory.bases());
  std::vector<std::string> messages;
  if (counts) return messages;
  for (const Diag& diag : counts.error()) {
    EXPECT_EQ(diag.code, DiagCode::MemoryFault);
    messages.push_back(diag.message);
  }
  return messages;
}
using Messages = std::vector<std::string>;

TEST(KernelInterpreterFaults, NameKernelTaskOperationAndElement) {
  EXPECT_EQ(faults(program_of(R"(kernel program p {
    buffer a: f32[6] read
    buffer b: f32[6] write
    kernel copy tasks(%i: 2, %j: 4) {
      %4: i64 = const 4
      %row: i64 = mul %i, %4
      %at: i64 = add %row, %j
      %x: f32 = load a[%at]
      store b[%at] = %x
    }
  })")),
            (Messages{"kernel copy, task (1, 2): '%5: f32 = load a[%4]' reads element 6 of buffer a, which has 6",
                      "kernel copy, task (1, 2): 'store b[%4] = %5' writes element 6 of buffer b, which has 6"}));
}

/// Accesses of 4 lanes at `index` of 8 elements.
Messages vector_faults(const std::string& index) {
  return faults(program_of("kernel program p {\nbuffer a: i1[8] readwrite\nkernel k tasks() {\n%at: i64 = const " +
                           index + "\n%x: i1x4 = load a[%at]\nstore a[%at] = %x\n}\n}"));
}

TEST(KernelInterpreterFaults, BoundsAreExact) {
  EXPECT_EQ(vector_faults("0"), Messages{});
  EXPECT_EQ(vector_faults("4"), Messages{});
  for (const auto& [index, element] : {std::pair{"5", "element 8 "}, std::pair{"-1", "element -1 "},
                                       std::pair{"9223372036854775807", "element 9223372036854775807 "},
                                       std::pair{"-9223372036854775808", "element -9223372036854775808 "}}) {
    const Messages found = vector_faults(index);
    ASSERT_EQ(found.size(), 2u) << index;
    for (const std::string& message : found) EXPECT_NE(message.find(element), std::string::npos) << message;
  }
}

TEST(KernelInterpreterFaults, EmptyBuffersHaveNoElements) {
  const Program program =
      program_of("kernel program p {\nbuffer a: i1[0] read\nkernel k tasks(%i: 1) {\n%x: i1 = load a[%i]\n}\n}");
  std::byte* const bases[] = {nullptr};
  EXPECT_FALSE(interpret(program, bases));
}

TEST(KernelInterpreterFaults, IndeterminateMemory) {
  const auto program = [](const std::string& kernels) {
    return program_of("kernel program p {\ntemporary work: i64[4] readwrite\n" + kernels + "\n}");
  };
  EXPECT_EQ(
      faults(program("kernel k tasks(%i: 4) { alloc t: i64[2] private; %0: i64 = const 0; %x: i64 = load t[%0] }")),
      (Messages{"kernel k, task (0): '%2: i64 = load t[%1]' reads before it is written element 0 of allocation t, "
                "which has 2"}));
  EXPECT_EQ(faults(program("kernel k tasks(%i: 4) { %x: i64 = load work[%i] }")).size(), 1u);
  EXPECT_EQ(faults(program(
                "kernel a tasks(%i: 4) { store work[%i] = %i }\nkernel b tasks(%i: 4) { %x: i64 = load work[%i] }")),
            Messages{});
  EXPECT_EQ(
      faults(
          program("kernel a tasks(%i: 3) { store work[%i] = %i }\nkernel b tasks(%i: 4) { %x: i64 = load work[%i] }")),
      (Messages{"kernel b, task (3): '%2: i64 = load work[%1]' reads before it is written element 3 of buffer work, "
                "which has 4"}));
  // Written, then read, element by element.
  EXPECT_EQ(faults(program("kernel k tasks(%i: 4) { alloc t: i64[4] shared; store t[%i] = %i; %x: i64 = load t[%i] }")),
            Messages{});
}

TEST(KernelInterpreterFaults, AllocationsBeginAnewWithEachTask) {
  const Messages found = faults(program_of(R"(kernel program p {
    kernel k tasks(%i: 2) {
      alloc t: i64[1] private
      %0: i64 = const 0
      %first: i1 = eq %i, %0
      if %first { store t[%0] = %i }
      %x: i64 = load t[%0]
    }
  })"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("task (1)"), std::string::npos);
}

TEST(KernelInterpreterFaults, FaultyAccessesDoNothing) {
  const Program program = with_output(R"(
    %0: i64 = const 0; %14: i64 = const 14
    %x: i64x4 = load in[%14]
    store out[%0] = %x
    store out[%14] = %x)");
  TestMemory memory(program);
  memory.set(BufferId{0}, Numbers(16, -1));
  memory.set(BufferId{1}, Numbers(16, 5));
  ASSERT_FALSE(interpret(program, memory.bases()));
  EXPECT_EQ(memory.get<std::int64_t>(BufferId{0}), (Numbers{5, 5, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 5, 5}));
}

TEST(KernelInterpreterFaults, StopAtTheLimit) {
  std::string statements = "%far: i64 = const 99\n";
  for (int i = 0; i < 40; ++i) statements += "store out[%far] = %far\n";
  EXPECT_EQ(faults(with_output(statements)).size(), kMaxFaults);
}

TEST(KernelInterpreterFaults, ProgramsLargerThanMemory) {
  const Program program =
      program_of("kernel program p {\ntemporary a: i64[281474976710656] readwrite\nkernel k tasks() { }\n}");
  std::byte* const bases[] = {nullptr};
  const auto counts = interpret(program, bases);
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error()[0].code, DiagCode::OutOfMemory);
}

// ---- Counts --------------------------------------------------------------------------------------------------------

TEST(KernelInterpreterCounts, CountWhatRuns) {
  const Program program = program_of(R"(kernel program p {
    buffer a: f32[64] read
    buffer c: f32[64] write
    kernel k tasks(%i: 2) {
      alloc t: f32[8] private
      alloc u: i1[1] shared
      %0: i64 = const 0; %3: i64 = const 3
      %zero: f32x8 = const 0.0
      %acc: f32x8 = loop %j = %0 to %3 step 1 carry (%x: f32x8 = %zero) {
        %v: f32x8 = load a[%j]
        %y: f32x8 = fma %v, %v, %x
        yield %y
      }
      store t[%0] = %acc
      %s: f32 = load t[%i]
      %s2: f32 = fma %s, %s, %s
      %mask: i1x8 = lt %acc, %zero
      store c[%0] = %acc mask %mask
      %yes: i1 = const true
      store u[%0] = %yes
    }
    kernel idle tasks(%i: 0) { }
  })");
  TestMemory memory(program);
  memory.set(BufferId{0}, std::vector<float>(64, 1.0f));
  const auto counts = interpret(program, memory.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  ASSERT_EQ(counts->size(), 2u);
  const Counts& k = counts->at(0);
  EXPECT_EQ(k.tasks, 2u);
  EXPECT_EQ(k.fmas, 2u * (3 * 8 + 1));
  EXPECT_EQ(k.ops, 2u * (3 + 1 + 3 * 2 + 7));
  EXPECT_EQ(k.of(MemoryKind::Buffer), (AccessCounts{2 * 3, 2, 2 * 3 * 32, 0}));
  EXPECT_EQ(k.of(MemoryKind::Private), (AccessCounts{2, 2, 2 * 4, 2 * 32}));
  EXPECT_EQ(k.of(MemoryKind::Shared), (AccessCounts{0, 2, 0, 2 * 1}));
  EXPECT_EQ(counts->at(1), Counts{});
}

// ---- Random programs -----------------------------------------------------------------------------------------------

RC_GTEST_PROP(KernelInterpreterProperties, TextKeepsTheMeaning, (std::uint64_t seed)) {
  const Program program = random_program(seed, *rc::gen::inRange(1, 8));
  const Program read = parse(print(program)).value();
  TestMemory memory(program), other(program);
  const auto counts = interpret(program, memory.bases());
  if (!counts) RC_FAIL(render(counts.error()) + print(program));
  RC_ASSERT(interpret(read, other.bases()).value() == *counts);
  RC_ASSERT(memory.blocks() == other.blocks());
  // Inputs and scalars are as they were.
  const TestMemory before(program);
  for (BufferId id : program.buffers.ids())
    if (program.buffers[id].access == Access::Read) RC_ASSERT(memory.blocks()[id.index] == before.blocks()[id.index]);
}

}  // namespace
}  // namespace tilewright::kernel
