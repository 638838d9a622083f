// Printer and parser: goldens, round trips, and what the parser says about faulty text.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/builder.h"
#include "kernel/constants.h"
#include "kernel/names.h"
#include "kernel/parser.h"
#include "kernel/printer.h"
#include "kernel/verifier.h"
#include "random_program.h"

namespace tilewright::kernel {
namespace {

// ---- Goldens -------------------------------------------------------------------------------------------------------

const char* const kEverything = R"(kernel program "two words" {
  buffer A: f32[4096] read
  buffer C: f32[64] write
  temporary T: bf16[100] readwrite
  scalar alpha: f16
  kernel main tasks(%0: 4, %1: 3) {
    alloc t0: f32[64] private
    alloc t1: i1[8] shared
    %2: i64 = const 0
    %3: i64 = const 64
    %4: f32x16 = const -0.0
    %12: f32x16, %13: i64 = loop %5 = %2 to %3 step 16 carry (%6: f32x16 = %4, %7: i64 = %0) {
      %8: f32x16 = load A[%5]
      %9: f32x16 = fma %8, %8, %6
      %10: i64 = floormod %5, %3
      %11: i64 = max %7, %10
      yield %9, %11
    }
    %14: i1 = lt %13, %3
    %15: i1x16 = splat %14
    if %14 {
      store C[%2] = %12 mask %15
    }
    %19: f32 = if %14 {
      %16: f32 = extract %12, 15
      yield %16
    } else {
      loop %17 = %0 to %1 step 1 {
        store t0[%17] = %4
      }
      %18: f32 = fold_add %12
      yield %18
    }
    %20: f32x16 = load t0[%2] mask %15
    %21: bf16 = cast %19
    store T[%2] = %21
  }
  kernel second tasks() {
    %22: i32x4 = iota
    %23: f16 = const nan
    %24: f16 = neg %23
    %25: i1 = const true
    %26: f16 = select %25, %23, %24
    if %25 {
    } else {
    }
  }
}
)";

TEST(KernelText, PrintsAsItReads) {
  const Result<Program> program = parse(kEverything);
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(print(*program), kEverything);
}

TEST(KernelText, NamesAndLineBreaksAreFree) {
  const Result<Program> free = parse(R"(kernel program p { buffer A: f32[8] readwrite  // memory
    kernel k tasks(%i: 8) {
      %zero: i64 = const 0; %sum: i64 = loop %j = %zero to %i step 1
        carry (%acc: i64 = %zero) { %next: i64 = add %acc, %j; yield %next; }
      %x: f32 = load A[%sum]; store A[%i] = %x } })");
  ASSERT_TRUE(free) << render(free.error());
  EXPECT_EQ(print(*free), R"(kernel program p {
  buffer A: f32[8] readwrite
  kernel k tasks(%0: 8) {
    %1: i64 = const 0
    %5: i64 = loop %2 = %1 to %0 step 1 carry (%3: i64 = %1) {
      %4: i64 = add %3, %2
      yield %4
    }
    %6: f32 = load A[%5]
    store A[%0] = %6
  }
}
)");
}

TEST(KernelText, SiblingsMayShareNames) {
  EXPECT_TRUE(parse(R"(kernel program p {
    kernel a tasks(%i: 2) { alloc t: f32[1] private; loop %j = %i to %i step 1 { } loop %j = %i to %i step 1 { } }
    kernel b tasks(%i: 2) { alloc t: f32[1] private }
  })"));
}

TEST(KernelText, QuotesNamesThatAreNoWords) {
  for (const std::string& name : {std::string("a b"), std::string("\"\\"), std::string("\n\x01\xff"), std::string(""),
                                  std::string("1x"), std::string("loop"), std::string("x\0y", 3)}) {
    Builder b(name);
    b.argument(name, ScalarType::F32, Access::Read, 1);
    b.begin_kernel(name, {});
    b.allocation(name + "!", AllocationSpace::Shared, ScalarType::I1, 0);
    b.end_kernel();
    const Program program = b.finish();
    const Result<Program> read = parse(print(program));
    ASSERT_TRUE(read) << print(program) << render(read.error());
    EXPECT_EQ(*read, program);
  }
}

Program program_of_constant(ScalarType type, double value) {
  Builder b("p");
  b.begin_kernel("k", {});
  b.const_float(type, value);
  b.end_kernel();
  return b.finish();
}

TEST(KernelText, FloatsReadBackToTheSameBits) {
  std::mt19937_64 random(1);
  for (ScalarType type : {ScalarType::F32, ScalarType::F16, ScalarType::BF16}) {
    for (int i = 0; i < 2000; ++i) {
      const double value = i == 0   ? NAN
                           : i == 1 ? INFINITY
                           : i == 2 ? -INFINITY
                           : i == 3 ? -0.0
                           : i == 4 ? 0x1p-149
                           : i == 5 ? 0x1p-24
                                    : std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      const Program program = program_of_constant(type, value);
      const Result<Program> read = parse(print(program));
      ASSERT_TRUE(read) << print(program) << render(read.error());
      ASSERT_EQ(*read, program) << print(program);
    }
  }
}

TEST(KernelText, ShowsShortFloats) {
  EXPECT_NE(print(program_of_constant(ScalarType::F32, 0.1)).find("const 0.1\n"), std::string::npos);
  EXPECT_NE(print(program_of_constant(ScalarType::F32, -INFINITY)).find("const -inf\n"), std::string::npos);
  EXPECT_NE(print(program_of_constant(ScalarType::F32, 1)).find("const 1.0\n"), std::string::npos);
}

TEST(KernelText, EveryWordReadsBack) {
  for (int i = 0; i <= static_cast<int>(UnaryKind::Floor); ++i)
    EXPECT_EQ(unary_from_name(unary_name(static_cast<UnaryKind>(i))), static_cast<UnaryKind>(i));
  for (int i = 0; i <= static_cast<int>(BinaryKind::Shr); ++i)
    EXPECT_EQ(binary_from_name(binary_name(static_cast<BinaryKind>(i))), static_cast<BinaryKind>(i));
  for (int i = 0; i <= static_cast<int>(CompareKind::Ne); ++i)
    EXPECT_EQ(compare_from_name(compare_name(static_cast<CompareKind>(i))), static_cast<CompareKind>(i));
  EXPECT_EQ(type_from_name("f32x64"), (ValueType{ScalarType::F32, 64}));
  for (const char* wrong : {"f32x65", "f32x1", "f32x0", "f32x", "f32x02", "f64", "x4", "", "f32x4x4"})
    EXPECT_FALSE(type_from_name(wrong)) << wrong;
}

// ---- Round trips ---------------------------------------------------------------------------------------------------

/// The same program with its values, operations, blocks and allocations numbered at random.
class Shuffle {
 public:
  Shuffle(const Program& program, std::uint64_t seed) : from_(program), random_(seed) {}

  Program run() {
    order(values_, from_.values.size());
    order(ops_, from_.ops.size());
    order(blocks_, from_.blocks.size());
    order(allocations_, from_.allocations.size());
    Program to = from_;
    for (ValueId id : from_.values.ids()) to.values[values(id)] = from_.values[id];
    for (AllocationId id : from_.allocations.ids()) to.allocations[allocations(id)] = from_.allocations[id];
    for (OpId id : from_.ops.ids()) to.ops[{ops_[id.index]}] = op(from_.ops[id]);
    for (BlockId id : from_.blocks.ids()) {
      Block block = from_.blocks[id];
      for (ValueId& arg : block.args) arg = values(arg);
      for (OpId& op : block.ops) op.index = ops_[op.index];
      for (ValueId& yielded : block.yields) yielded = values(yielded);
      to.blocks[blocks(id)] = block;
    }
    for (Kernel& kernel : to.kernels) {
      kernel.body = blocks(kernel.body);
      for (AllocationId& id : kernel.allocations) id = allocations(id);
    }
    return to;
  }

 private:
  void order(std::vector<std::uint32_t>& to, std::size_t count) {
    for (std::uint32_t i = 0; i < count; ++i) to.push_back(i);
    std::ranges::shuffle(to, random_);
  }
  ValueId values(ValueId id) const { return {values_[id.index]}; }
  BlockId blocks(BlockId id) const { return id.valid() ? BlockId{blocks_[id.index]} : id; }
  AllocationId allocations(AllocationId id) const { return id.valid() ? AllocationId{allocations_[id.index]} : id; }
  Op op(Op made) const {
    for_each_operand(made.payload, [&](ValueId& id) { id = values(id); });
    for (ValueId& result : made.results) result = values(result);
    if (auto* load = std::get_if<LoadOp>(&made.payload)) load->memory.allocation = allocations(load->memory.allocation);
    if (auto* store = std::get_if<StoreOp>(&made.payload))
      store->memory.allocation = allocations(store->memory.allocation);
    if (auto* loop = std::get_if<LoopOp>(&made.payload)) loop->body = blocks(loop->body);
    if (auto* branch = std::get_if<IfOp>(&made.payload)) {
      branch->then_block = blocks(branch->then_block);
      branch->else_block = blocks(branch->else_block);
    }
    return made;
  }

  const Program& from_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> values_, ops_, blocks_, allocations_;
};

RC_GTEST_PROP(KernelText, RoundTripsRandomPrograms, (std::uint64_t seed)) {
  const Program program = random_program(seed, *rc::gen::inRange(1, 12));
  const Result<void> verified = verify(program);
  if (!verified) RC_FAIL(render(verified.error()));
  RC_ASSERT(canonicalized(program) == program);
  const std::string text = print(program);
  const Result<Program> read = parse(text);
  if (!read) RC_FAIL(render(read.error()) + text);
  RC_ASSERT(*read == program);
  RC_ASSERT(print(*read) == text);
}

RC_GTEST_PROP(KernelText, CanonicalFormForgetsNumbers, (std::uint64_t seed)) {
  const Program program = random_program(seed, *rc::gen::inRange(1, 8));
  const Program shuffled = Shuffle(program, seed).run();
  RC_ASSERT(verify(shuffled).has_value());
  RC_ASSERT(canonicalized(shuffled) == program);
  const Result<Program> read = parse(print(shuffled));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == program);
}

TEST(KernelText, CanonicalFormDropsWhatNothingUses) {
  Program program = random_program(7, 6);
  const Program before = program;
  program.values.push_back({ScalarType::F32, 1});
  program.ops.push_back({IotaOp{}, {}});
  program.blocks.push_back({});
  EXPECT_EQ(canonicalized(program), before);
}

// ---- Faulty text ---------------------------------------------------------------------------------------------------

/// "line:column Code" of each diagnostic.
std::vector<std::string> faults(const std::string& text) {
  std::vector<std::string> found;
  const Result<Program> program = parse(text);
  if (program) return found;
  for (const Diag& diag : program.error())
    found.push_back(fmt::format("{}:{} {}", diag.place.line, diag.place.column, diag_code_name(diag.code)));
  return found;
}
/// The same for statements of a kernel with coordinate %i, buffers R, W, B and allocation t; line 1 is their first.
std::vector<std::string> statement_faults(const std::string& statements) {
  return faults(
      "kernel program p { buffer R: f32[8] read; buffer W: f32[8] write; buffer B: f32[8] readwrite; kernel k "
      "tasks(%i: 4) "
      "{ alloc t: f32[8] private\n" +
      statements + "\n}}");
}
using Faults = std::vector<std::string>;

TEST(KernelTextFaults, NameTheirPlace) {
  EXPECT_EQ(statement_faults("%a: i64 = add %i, %i"), Faults{});
  EXPECT_EQ(statement_faults("%a: i64 = add %i %i"), Faults{"2:18 SyntaxError"});
  EXPECT_EQ(statement_faults("%a: i64 = plus %i, %i"), Faults{"2:11 SyntaxError"});
  EXPECT_EQ(statement_faults("%a: i65 = add %i, %i"), Faults{"2:5 SyntaxError"});
  EXPECT_EQ(statement_faults("%a = add %i, %i"), Faults{"2:4 SyntaxError"});
  EXPECT_EQ(statement_faults("  @"), Faults{"2:3 SyntaxError"});
  EXPECT_EQ(statement_faults("store \"B"), Faults{"2:7 SyntaxError"});
  EXPECT_EQ(statement_faults("%a: i64 = const 1.5"), Faults{"2:17 SyntaxError"});
  EXPECT_EQ(statement_faults("%a: f32 = const 1.5.5"), Faults{"2:17 SyntaxError"});
  EXPECT_EQ(statement_faults("%a: f32 = const true"), Faults{"2:17 SyntaxError"});
  EXPECT_EQ(statement_faults("yield %i"), Faults{"2:1 SyntaxError"});
}

TEST(KernelTextFaults, ReportTheirCode) {
  EXPECT_EQ(statement_faults("%a: i64 = add %i, %x"), Faults{"2:19 UnknownName"});
  EXPECT_EQ(statement_faults("%a: f32 = load Q[%i]"), Faults{"2:16 UnknownName"});
  EXPECT_EQ(statement_faults("%i: i64 = const 1"), Faults{"2:1 Redefinition"});
  EXPECT_EQ(statement_faults("alloc t: f32[1] shared"), Faults{"2:7 Redefinition"});
  EXPECT_EQ(statement_faults("alloc B: f32[1] shared"), Faults{"2:7 Redefinition"});
  EXPECT_EQ(statement_faults("alloc u: f32[-1] shared"), Faults{"2:14 NegativeSize"});
  EXPECT_EQ(statement_faults("%a: f32 = add %i, %i"), Faults{"2:11 TypeMismatch"});
  EXPECT_EQ(statement_faults("%a: f32 = load W[%i]"), Faults{"2:11 ReadOfOutput"});
  EXPECT_EQ(statement_faults("%a: f32 = const 1.0\nstore R[%i] = %a"), Faults{"3:1 WriteToInput"});
  EXPECT_EQ(statement_faults("loop %j = %i to %i step 0 { }"), Faults{"2:1 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: i32 = const 2147483648"), Faults{"2:17 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: i64 = const 9223372036854775808"), Faults{"2:17 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: i1 = const 2"), Faults{"2:16 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: f16 = const 65520.0"), Faults{"2:17 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: f32 = const 1e39"), Faults{"2:17 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: f32 = const 1e999"), Faults{"2:17 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: f32x4 = const 1.0\n%b: f32 = extract %a, 4"), Faults{"3:11 LiteralOutOfRange"});
  EXPECT_EQ(statement_faults("%a: f32x4 = const 1.0\n%b: f32 = extract %a, 64"), Faults{"3:23 LiteralOutOfRange"});
}

TEST(KernelTextFaults, CheckYields) {
  const std::string loop = "%f: f32 = const 1.0\n%r: f32 = loop %j = %i to %i step 1 carry (%c: f32 = %f) {\n";
  EXPECT_EQ(statement_faults(loop + "yield %f }"), Faults{});
  EXPECT_EQ(statement_faults(loop + "yield %i }"), Faults{"4:1 CarryType"});
  EXPECT_EQ(statement_faults(loop + "}"), Faults{"4:1 CarryType"});
  EXPECT_EQ(statement_faults(loop + "yield %f, %f }"), Faults{"4:1 CarryType"});
  EXPECT_EQ(statement_faults(loop + "yield %f\n%z: i64 = const 0 }"), Faults{"5:1 SyntaxError"});
  EXPECT_EQ(statement_faults("%f: f32 = const 1.0\nloop %j = %i to %i step 1 carry (%c: f32 = %i) { yield %f }"),
            (Faults{"3:27 CarryType", "3:1 TypeMismatch"}));
  const std::string branch = "%c: i1 = const true\n%r: i64 = if %c {\nyield %i }";
  EXPECT_EQ(statement_faults(branch + " else { yield %i }"), Faults{});
  EXPECT_EQ(statement_faults(branch + " else { yield %c }"), Faults{"4:19 TypeMismatch"});
  EXPECT_EQ(statement_faults(branch), Faults{"4:10 SyntaxError"});
}

TEST(KernelTextFaults, AreAllReportedOnce) {
  EXPECT_EQ(
      statement_faults("%a: i64 = add %i,\n"
                       "%b: f32 = frobnicate\n"
                       "%c: f32 = neg %b\n"  // uses of what a faulty statement defines are not reported
                       "loop %j = %i two %i step 1 {\n"
                       "  %k: i64 = add %j, %nowhere\n"
                       "}\n"
                       "%d: i64 = add %a, %missing\n"
                       "%e: i64 = add %missing, %i\n"
                       "%g: i32 = cast %i %i"),
      (Faults{"3:1 SyntaxError", "3:11 SyntaxError", "5:14 SyntaxError", "8:19 UnknownName", "10:19 SyntaxError"}));
}

TEST(KernelTextFaults, ContinueInTheNextKernel) {
  EXPECT_EQ(
      faults("kernel program p {\nbuffer A: f33[4] read\nbuffer A: f32[4] read\nbuffer A: f32[4] read\n"
             "kernel k tasks(%i: x) {\n%a: i64 = add %i\n}\nkernel l tasks() {\n%b: i64 = const q\n}\n"),
      (Faults{"2:11 SyntaxError", "4:8 Redefinition", "5:20 SyntaxError", "9:17 SyntaxError", "11:1 SyntaxError"}));
}

TEST(KernelTextFaults, LimitNesting) {
  std::string text = "%c: i1 = const true\n";
  for (int i = 0; i < kMaxNesting; ++i) text += "if %c {\n";
  text += std::string(static_cast<std::size_t>(kMaxNesting), '}');
  EXPECT_EQ(statement_faults(text), Faults{fmt::format("{}:1 NestingTooDeep", kMaxNesting + 3)});
  std::string fitting = "%c: i1 = const true\n";
  for (int i = 0; i < kMaxNesting - 1; ++i) fitting += "if %c {\n";
  EXPECT_EQ(statement_faults(fitting + std::string(kMaxNesting - 1, '}')), Faults{});
}

TEST(KernelTextFaults, ShowTheLine) {
  const Result<Program> program = parse("kernel program p {\n  bufer A: f32[1] read\n}", "a.kernel");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error()[0].place, (SourcePlace{"a.kernel", 2, 3, 5, "  bufer A: f32[1] read"}));
  EXPECT_EQ(program.error()[0].message, "expected buffer, temporary, scalar, kernel or '}', found 'bufer'");
}

TEST(KernelTextFaults, AreBoundedInNumber) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "%\n";
  EXPECT_LE(statement_faults(text).size(), 50u);
}

RC_GTEST_PROP(KernelTextFaults, DamagedTextNeverBreaksTheParser, (std::uint64_t seed)) {
  std::string text = print(random_program(seed, 4));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3; ++i) {
    const std::size_t at = random() % text.size(), count = random() % 12;
    switch (random() % 3) {
      case 0:
        text.erase(at, count);
        break;
      case 1:
        text.insert(at, text.substr(random() % text.size(), count));
        break;
      default:
        text[at] = static_cast<char>(random());
        break;
    }
  }
  const Result<Program> program = parse(text);
  if (program)
    RC_ASSERT(parse(print(*program)).value() == *program);
  else
    RC_ASSERT(!program.error().empty());
}

}  // namespace
}  // namespace tilewright::kernel
