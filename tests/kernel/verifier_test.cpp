// One program a fault: each starts well formed and breaks one rule.
#include "kernel/verifier.h"

#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "kernel/builder.h"
#include "kernel/constants.h"

namespace tilewright::kernel {
namespace {

/// Some ids of base().
constexpr BufferId kIn{0}, kOut{1}, kWork{2}, kNumber{3};
constexpr AllocationId kOwn{0}, kOther{1};
constexpr ValueId kTask{0}, kZero{1}, kFour{2}, kFloat{3}, kVector{4}, kTruth{5}, kIndex{6}, kCarry{7}, kSum{8},
    kLoopResult{9}, kIfResult{10};
constexpr OpId kFloatOp{2}, kVectorOp{3}, kLoopOp{5}, kSumOp{6}, kIfOp{7}, kStoreOp{8};
constexpr BlockId kBody{0}, kLoopBlock{1}, kThen{2}, kElse{3}, kOtherBody{4};

Program base() {
  Builder b("p");
  b.argument("in", ScalarType::F32, Access::Read, 64);
  b.argument("out", ScalarType::F32, Access::Write, 64);
  b.temporary("work", ScalarType::F32, 64);
  b.scalar("number", ScalarType::F32);
  const ValueId task = b.begin_kernel("first", {4})[0];
  b.allocation("own", AllocationSpace::Private, ScalarType::F32, 16);
  const ValueId zero = b.const_i64(0), four = b.const_i64(4);
  const ValueId number = b.const_float(ScalarType::F32, 1.5);
  b.const_float(ScalarType::F32, 2.5, 8);
  const ValueId truth = b.compare(CompareKind::Lt, task, four);
  const Builder::Loop loop = b.begin_loop(zero, four, 1, {number});
  const ValueId sum = b.add(loop.carries[0], number);
  const std::vector<ValueId> last = b.end_loop({sum});
  b.begin_if(truth);
  b.begin_else({number});
  b.end_if({last[0]});
  b.store(Memory(AllocationId{0}), zero, number);
  b.end_kernel();
  b.begin_kernel("second", {});
  b.allocation("own", AllocationSpace::Shared, ScalarType::F32, 16);
  b.end_kernel();
  return b.finish();
}

std::vector<std::string> verifier_faults(const Program& program) {
  const Result<void> result = verify(program);
  std::vector<std::string> messages;
  if (result) return messages;
  for (const Diag& diag : result.error()) {
    EXPECT_EQ(diag.code, DiagCode::MalformedProgram);
    messages.push_back(diag.message);
  }
  return messages;
}

/// The one fault of base() after the change.
void expect_fault(const std::string& expected, const std::function<void(Program&)>& change) {
  Program program = base();
  change(program);
  const std::vector<std::string> found = verifier_faults(program);
  ASSERT_EQ(found.size(), 1u) << expected << "\nfound: " << testing::PrintToString(found);
  EXPECT_NE(found[0].find(expected), std::string::npos) << found[0];
}
/// For changes that break more than one rule.
void expect_among(const std::string& expected, const std::function<void(Program&)>& change) {
  Program program = base();
  change(program);
  std::string all;
  for (const std::string& fault : verifier_faults(program)) all += fault + "\n";
  EXPECT_NE(all.find(expected), std::string::npos) << all;
}
/// An operation with one new result of that type, put before the store in the body of `first`.
void add_op(Program& program, OpPayload payload, std::optional<ValueType> type) {
  Op op{std::move(payload), {}};
  if (type) op.results.push_back(program.values.push_back(*type));
  program.blocks[kBody].ops.push_back(program.ops.push_back(op));
}
void expect_op_fault(const std::string& expected, OpPayload payload, std::optional<ValueType> type) {
  expect_fault(expected, [&](Program& p) { add_op(p, payload, type); });
}
void expect_good_op(OpPayload payload, std::optional<ValueType> type) {
  Program program = base();
  add_op(program, std::move(payload), type);
  EXPECT_EQ(verifier_faults(program), std::vector<std::string>{});
}

constexpr ValueType kI1{ScalarType::I1, 1}, kI32{ScalarType::I32, 1}, kI64{ScalarType::I64, 1},
    kF32{ScalarType::F32, 1}, kF16{ScalarType::F16, 1}, kF32x8{ScalarType::F32, 8}, kI1x8{ScalarType::I1, 8},
    kI64x8{ScalarType::I64, 8};

TEST(KernelVerifier, AcceptsTheBase) { EXPECT_EQ(verifier_faults(base()), std::vector<std::string>{}); }

TEST(KernelVerifier, Declarations) {
  expect_fault("buffer in has -1 elements", [](Program& p) { p.buffers[kIn].count = -1; });
  expect_fault("at most", [](Program& p) { p.buffers[kIn].count = INT64_MAX; });
  expect_fault("two buffers in", [](Program& p) { p.buffers[kOut].name = "in"; });
  expect_fault("scalar number is declared readwrite",
               [](Program& p) { p.buffers[kNumber].access = Access::ReadWrite; });
  expect_fault("scalar number has 2 elements", [](Program& p) { p.buffers[kNumber].count = 2; });
  expect_fault("unknown element type", [](Program& p) { p.buffers[kWork].scalar = static_cast<ScalarType>(6); });
  expect_fault("allocation own has -3 elements", [](Program& p) { p.allocations[kOwn].count = -3; });
  expect_fault("name of allocation work is taken", [](Program& p) { p.allocations[kOwn].name = "work"; });
  expect_fault("two kernels first", [](Program& p) { p.kernels[1].name = "first"; });
  expect_among("value %4 has 65 lanes; expected 1 to 64", [](Program& p) { p.values[kVector].lanes = 65; });
  expect_among("value %4 has 0 lanes", [](Program& p) { p.values[kVector].lanes = 0; });
  expect_among("value %4 has an unknown scalar type", [](Program& p) {
    p.values[kVector].scalar = static_cast<ScalarType>(9);
    p.blocks[kBody].ops.erase(p.blocks[kBody].ops.begin() + 3);
  });
  expect_fault("kernel first: there are -1 tasks", [](Program& p) { p.kernels[0].task_extents = {-1}; });
  expect_fault("1 coordinates for 2 dimensions", [](Program& p) { p.kernels[0].task_extents.push_back(1); });
  expect_among("a coordinate %0 is i32; expected i64", [](Program& p) { p.values[kTask] = kI32; });
}

TEST(KernelVerifier, Allocations) {
  expect_fault("allocation 9 does not exist", [](Program& p) { p.kernels[0].allocations.push_back(AllocationId{9}); });
  expect_fault("allocation own is owned twice", [](Program& p) { p.kernels[0].allocations.push_back(kOwn); });
  expect_fault("allocation own belongs to no kernel", [](Program& p) { p.kernels[1].allocations.clear(); });
  expect_fault("allocation own belongs to kernel second",
               [](Program& p) { std::get<StoreOp>(p.ops[kStoreOp].payload).memory.allocation = kOther; });
}

TEST(KernelVerifier, Definitions) {
  expect_among("value %3 is defined twice", [](Program& p) { p.ops[kVectorOp].results = {kFloat}; });
  expect_fault("nothing defines value %11", [](Program& p) { p.values.push_back(kI64); });
  expect_fault("value %99 is defined but has no type", [](Program& p) {
    add_op(p, SplatOp{kFloat}, {});
    p.ops[OpId{9}].results = {ValueId{99}};
  });
  expect_fault("value %99 is used but does not exist",
               [](Program& p) { std::get<IfOp>(p.ops[kIfOp].payload).condition = ValueId{99}; });
  expect_fault("value %-1 is used but does not exist",
               [](Program& p) { std::get<IfOp>(p.ops[kIfOp].payload).condition = {}; });
  expect_fault("operation 9 stands in no block",
               [](Program& p) { p.ops.push_back({StoreOp{{kOut, {}}, kZero, kFloat, {}}, {}}); });
  expect_fault("operation 8 stands in two places", [](Program& p) { p.blocks[kOtherBody].ops.push_back(kStoreOp); });
  expect_fault("operation 70 does not exist", [](Program& p) { p.blocks[kOtherBody].ops.push_back(OpId{70}); });
  expect_fault("block 5 belongs to nothing", [](Program& p) { p.blocks.push_back({}); });
  expect_among("the kernel names block 77, which does not exist", [](Program& p) { p.kernels[1].body = BlockId{77}; });
  expect_among("the kernel names block 0, which is used already", [](Program& p) { p.kernels[1].body = kBody; });
  expect_among("the loop names block -1", [](Program& p) { std::get<LoopOp>(p.ops[kLoopOp].payload).body = {}; });
  expect_among("the else names block 2, which is used already",
               [](Program& p) { std::get<IfOp>(p.ops[kIfOp].payload).else_block = kThen; });
}

TEST(KernelVerifier, Dominance) {
  // Before its definition.
  expect_fault("'%3: f32 = neg %10': value %10 is used where no definition reaches",
               [](Program& p) { p.ops[kFloatOp].payload = UnaryOp{UnaryKind::Neg, kIfResult}; });
  // By its own definition.
  expect_fault("value %3 is used where", [](Program& p) { p.ops[kFloatOp].payload = UnaryOp{UnaryKind::Neg, kFloat}; });
  // Outside its block, directly, by a yield, and in the next kernel.
  expect_op_fault("value %8 is used where", UnaryOp{UnaryKind::Neg, kSum}, kF32);
  expect_op_fault("value %7 is used where", UnaryOp{UnaryKind::Neg, kCarry}, kF32);
  expect_fault("value %8 is used where", [](Program& p) { p.blocks[kThen].yields = {kSum}; });
  expect_among("kernel second: 'store work[%1] = %3': value %1 is used where", [](Program& p) {
    p.blocks[kOtherBody].ops.push_back(p.ops.push_back({StoreOp{{kWork, {}}, kZero, kFloat, {}}, {}}));
  });
  // The results of a loop in its own body.
  expect_fault("value %9 is used where",
               [](Program& p) { std::get<BinaryOp>(p.ops[kSumOp].payload).rhs = kLoopResult; });
}

TEST(KernelVerifier, Constants) {
  expect_op_fault("const has one result, not 0", ConstOp{1}, {});
  expect_op_fault("is no value of i1", ConstOp{2}, kI1);
  expect_op_fault("is no value of i32", ConstOp{INT64_MAX}, kI32);
  expect_op_fault("is no value of f16", ConstOp{float_constant(ScalarType::F32, 0.1)}, kF16);
  expect_op_fault("is no value of f32", ConstOp{kNanBits + 1}, kF32);
  expect_good_op(ConstOp{kNanBits}, kF32x8);
}

TEST(KernelVerifier, ElementwiseOperations) {
  expect_op_fault("not does not take i64", UnaryOp{UnaryKind::Not, kZero}, kI64);
  expect_op_fault("neg does not take i1", UnaryOp{UnaryKind::Neg, kTruth}, kI1);
  expect_op_fault("exp does not take i64", UnaryOp{UnaryKind::Exp, kZero}, kI64);
  expect_op_fault("the result of neg is i32; expected i64", UnaryOp{UnaryKind::Neg, kZero}, kI32);
  expect_good_op(UnaryOp{UnaryKind::Not, kTruth}, kI1);
  expect_op_fault("div does not take i64", BinaryOp{BinaryKind::Div, kZero, kFour}, kI64);
  expect_op_fault("floordiv does not take f32", BinaryOp{BinaryKind::FloorDiv, kFloat, kFloat}, kF32);
  expect_op_fault("add does not take i1", BinaryOp{BinaryKind::Add, kTruth, kTruth}, kI1);
  expect_op_fault("xor does not take f32", BinaryOp{BinaryKind::Xor, kFloat, kFloat}, kF32);
  expect_op_fault("shl does not take i1", BinaryOp{BinaryKind::Shl, kTruth, kTruth}, kI1);
  expect_op_fault("the second operand is f32; expected i64", BinaryOp{BinaryKind::Add, kZero, kFloat}, kI64);
  expect_op_fault("the second operand is f32; expected f32x8", BinaryOp{BinaryKind::Add, kVector, kFloat}, kF32x8);
  expect_op_fault("the result of add is f32; expected i64", BinaryOp{BinaryKind::Add, kZero, kFour}, kF32);
  expect_good_op(BinaryOp{BinaryKind::Max, kTruth, kTruth}, kI1);
  expect_op_fault("the second operand is f32; expected i64", CompareOp{CompareKind::Lt, kZero, kFloat}, kI1);
  expect_op_fault("the result of lt is i64; expected i1", CompareOp{CompareKind::Lt, kZero, kFour}, kI64);
  expect_op_fault("the result of lt is i1; expected i1x8", CompareOp{CompareKind::Lt, kVector, kVector}, kI1);
  expect_op_fault("the condition is i64; expected i1 or i1", SelectOp{kZero, kFloat, kFloat}, kF32);
  expect_op_fault("the third operand is i64; expected f32", SelectOp{kTruth, kFloat, kZero}, kF32);
  expect_op_fault("the result of select is i64", SelectOp{kTruth, kFloat, kFloat}, kI64);
  expect_good_op(SelectOp{kTruth, kVector, kVector}, kF32x8);
  expect_op_fault("cast keeps the lanes: f32x8 cannot become f16", CastOp{kVector}, kF16);
  expect_op_fault("fma does not take i1", FmaOp{kTruth, kTruth, kTruth}, kI1);
  expect_op_fault("the third operand is i64", FmaOp{kFloat, kFloat, kZero}, kF32);
  expect_op_fault("the second operand is i64", FmaOp{kFloat, kZero, kFloat}, kF32);
}

TEST(KernelVerifier, Prefetches) {
  expect_among("prefetch has no result", [](Program& p) { add_op(p, PrefetchOp{{BufferId{0}, {}}, kZero}, kF32); });
  expect_among("the index is f32; expected i64",
               [](Program& p) { add_op(p, PrefetchOp{{BufferId{0}, {}}, kFloat}, kF32); });
}

TEST(KernelVerifier, VectorOperations) {
  expect_op_fault("the operand is f32x8; expected f32", SplatOp{kVector}, kF32x8);
  expect_op_fault("the operand is i64; expected f32", SplatOp{kZero}, kF32x8);
  expect_op_fault("the result of splat is f32; expected a vector", SplatOp{kFloat}, kF32);
  expect_op_fault("the result of iota is i64; expected a vector", IotaOp{}, kI64);
  expect_op_fault("iota does not give f32", IotaOp{}, kF32x8);
  expect_good_op(IotaOp{}, kI64x8);
  expect_op_fault("lane 8 is not in 0..7", ExtractOp{kVector, 8}, kF32);
  expect_op_fault("the operand is f32; expected a vector", ExtractOp{kFloat, 0}, kF32);
  expect_op_fault("lane 14 is not in 0..7", ExtractOp{kVector, 7}, kF32x8);
  expect_op_fault("the result of extract is i64; expected f32", ExtractOp{kVector, 7}, kI64);
  expect_good_op(ExtractOp{kVector, 4}, ValueType{ScalarType::F32, 4});
  expect_op_fault("the operand is f32; expected a vector", ZipOp{kFloat, kFloat}, kF32);
  expect_op_fault("the second operand is f32; expected f32x8", ZipOp{kVector, kFloat}, kF32x8);
  expect_op_fault("the result of zip is f32; expected f32x8", ZipOp{kVector, kVector, true}, kF32);
  expect_good_op(ZipOp{kVector, kVector, true}, kF32x8);
  expect_fault("zip takes an even number of lanes, not 3", [](Program& p) {
    add_op(p, ConstOp{1}, ValueType{ScalarType::I64, 3});
    add_op(p, ZipOp{ValueId{11}, ValueId{11}}, ValueType{ScalarType::I64, 3});
  });
  expect_op_fault("the operand is f32; expected a vector", FoldLanesOp{LaneFold::Add, kFloat}, kF32);
  expect_op_fault("the result of fold_max is f32x8", FoldLanesOp{LaneFold::Max, kVector}, kF32x8);
  expect_fault("fold_add does not take i1", [](Program& p) {
    add_op(p, ConstOp{1}, kI1x8);
    add_op(p, FoldLanesOp{LaneFold::Add, ValueId{11}}, kI1);
  });
}

TEST(KernelVerifier, Memory) {
  expect_op_fault("an access names no memory", LoadOp{{}, kZero, {}}, kF32);
  expect_op_fault("an access names a buffer and an allocation", LoadOp{{kIn, kOwn}, kZero, {}}, kF32);
  expect_op_fault("an access names buffer 44, which does not exist", LoadOp{{BufferId{44}, {}}, kZero, {}}, kF32);
  expect_op_fault("an access names allocation 44", StoreOp{{{}, AllocationId{44}}, kZero, kFloat, {}}, {});
  expect_op_fault("the index is f32; expected i64", LoadOp{{kIn, {}}, kFloat, {}}, kF32);
  expect_op_fault("the mask is i1; expected i1x8", LoadOp{{kIn, {}}, kZero, kTruth}, kF32x8);
  expect_op_fault("the result of load is f16; expected f32", LoadOp{{kIn, {}}, kZero, {}}, kF16);
  expect_op_fault("buffer out cannot be read: it is declared write", LoadOp{{kOut, {}}, kZero, {}}, kF32);
  expect_op_fault("buffer in cannot be written: it is declared read", StoreOp{{kIn, {}}, kZero, kFloat, {}}, {});
  expect_op_fault("buffer number cannot be written", StoreOp{{kNumber, {}}, kZero, kFloat, {}}, {});
  expect_op_fault("the stored value is i64; expected f32", StoreOp{{kOut, {}}, kZero, kZero, {}}, {});
  expect_op_fault("the index is f32x8", StoreOp{{kOut, {}}, kVector, kFloat, {}}, {});
  expect_op_fault("the mask is i64; expected i1", StoreOp{{kOut, {}}, kZero, kFloat, kZero}, {});
  expect_op_fault("store has no result", StoreOp{{kOut, {}}, kZero, kFloat, {}}, kF32);
  expect_op_fault("load has one result, not 0", LoadOp{{kIn, {}}, kZero, {}}, {});
  expect_good_op(LoadOp{{kIn, {}}, kZero, kTruth}, kF32);
}

TEST(KernelVerifier, Control) {
  expect_fault("the step is 0", [](Program& p) { std::get<LoopOp>(p.ops[kLoopOp].payload).step = 0; });
  expect_fault("the step is -4", [](Program& p) { std::get<LoopOp>(p.ops[kLoopOp].payload).step = -4; });
  expect_fault("the low bound is f32", [](Program& p) { std::get<LoopOp>(p.ops[kLoopOp].payload).low = kFloat; });
  expect_fault("the high bound is i1", [](Program& p) { std::get<LoopOp>(p.ops[kLoopOp].payload).high = kTruth; });
  expect_fault("the condition is i64; expected i1",
               [](Program& p) { std::get<IfOp>(p.ops[kIfOp].payload).condition = kZero; });
  expect_among("the index %6 is i32; expected i64", [](Program& p) { p.values[kIndex] = kI32; });
  expect_among("the carry %7 is f16; expected f32", [](Program& p) { p.values[kCarry] = kF16; });
  expect_fault("the body has 3 arguments; expected the index and 1 carries",
               [](Program& p) { p.blocks[kLoopBlock].args.push_back(p.values.push_back(kF32)); });
  expect_fault("the body yields 0 values; expected 1", [](Program& p) { p.blocks[kLoopBlock].yields.clear(); });
  expect_fault("the body yields i64 at position 0; expected f32",
               [](Program& p) { p.blocks[kLoopBlock].yields = {kZero}; });
  expect_among("the loop gives 0 values; expected 1", [](Program& p) { p.ops[kLoopOp].results.clear(); });
  expect_among("the loop gives f16 at position 0", [](Program& p) { p.values[kLoopResult] = kF16; });
  expect_fault("a block of an if has 1 arguments",
               [](Program& p) { p.blocks[kThen].args = {p.values.push_back(kI64)}; });
  expect_fault("the block yields 0 values; expected 1", [](Program& p) { p.blocks[kThen].yields.clear(); });
  expect_fault("the else block yields i64 at position 0", [](Program& p) { p.blocks[kElse].yields = {kZero}; });
  expect_among("an if with results needs an else",
               [](Program& p) { std::get<IfOp>(p.ops[kIfOp].payload).else_block = {}; });
  expect_fault("the body of a kernel yields nothing", [](Program& p) { p.blocks[kBody].yields = {kZero}; });
}

TEST(KernelVerifier, Nesting) {
  const auto nested = [](int count) {
    Program program = base();
    BlockId block = kBody;
    for (int i = 0; i < count; ++i) {
      const BlockId inner = program.blocks.push_back({});
      program.blocks[block].ops.push_back(program.ops.push_back({IfOp{kTruth, inner, {}}, {}}));
      block = inner;
    }
    return verifier_faults(program);
  };
  EXPECT_EQ(nested(kMaxNesting - 1), std::vector<std::string>{});
  const std::vector<std::string> found = nested(kMaxNesting);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("more than 128 blocks inside each other"), std::string::npos);
}

TEST(KernelVerifier, ReportsAllIndependentFaults) {
  Program program = base();
  program.buffers[kIn].count = -1;
  add_op(program, UnaryOp{UnaryKind::Exp, kZero}, kI32);
  add_op(program, StoreOp{{kIn, {}}, kFloat, kZero, kFour}, {});
  EXPECT_EQ(verifier_faults(program).size(), 1u + 2u + 4u);
}

}  // namespace
}  // namespace tilewright::kernel
