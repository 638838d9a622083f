// The builder: carries found from assignments, one diagnostic a fault, canonical programs.
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "tile/builder.h"
#include "tile/verifier.h"

namespace tilewright::tile {
namespace {

/// A program of one parallel launch over M with an output Y: f32[M]; the test fills the body.
class BuilderTest : public testing::Test {
 protected:
  BuilderTest() {
    m_ = builder_.index().symbol(builder_.symbol("M"));
    Object y;
    y.name = "Y";
    y.kind = ObjectKind::Out;
    y.extents = {m_};
    y_ = builder_.object(y);
    axis_ = builder_.axis("m", builder_.index().constant(4));
    row_ = builder_.begin_region({.kind = RegionKind::Parallel, .domains = {{"i", m_}}})[0];
  }

  ValueId number(double value) { return builder_.constant(Literal::of(value), kF32); }

  std::vector<CoordId> begin(RegionKind kind, std::int64_t trips) {
    return builder_.begin_region({.kind = kind, .domains = {{"t", builder_.index().constant(trips)}}});
  }

  Result<Program> close(ValueId result) {
    builder_.store(y_, {builder_.index().coord(row_)}, result);
    builder_.end_region();
    return builder_.finish();
  }

  static const RegionOp& only_region(const Program& program, RegionKind kind) {
    const RegionOp* found = nullptr;
    for (const Op& op : program.ops())
      if (const auto* region = std::get_if<RegionOp>(&op.payload); region != nullptr && region->kind == kind)
        found = region;
    EXPECT_NE(found, nullptr);
    return *found;
  }

  static void expect_fault(const Result<Program>& result, DiagCode code) {
    ASSERT_FALSE(result);
    ASSERT_EQ(result.error().size(), 1u) << render(result.error());
    EXPECT_EQ(result.error()[0].code, code) << render(result.error());
  }

  Builder builder_{"test"};
  IndexId m_;
  ObjectId y_;
  AxisId axis_;
  CoordId row_;
};

TEST_F(BuilderTest, OnlyAssignedVariablesAreCarried) {
  VariableId total = builder_.declare("total", number(0));
  VariableId step = builder_.declare("step", number(2));
  begin(RegionKind::Serial, 3);
  builder_.assign(total, builder_.binary(BinaryKind::Add, builder_.read(total), builder_.read(step)));
  builder_.end_region();
  auto program = close(builder_.read(total));
  ASSERT_TRUE(program) << render(program.error());
  const RegionOp& loop = only_region(*program, RegionKind::Serial);
  EXPECT_EQ(loop.inits.count, 1u);
  EXPECT_EQ(program->block(loop.body).args.count, 1u);
  EXPECT_TRUE(verify(*program));
}

TEST_F(BuilderTest, AVariableOnlyWrittenIsCarriedForTheZeroTripValue) {
  VariableId last = builder_.declare("last", number(7));
  begin(RegionKind::Serial, 0);
  builder_.assign(last, number(1));
  builder_.end_region();
  auto program = close(builder_.read(last));
  ASSERT_TRUE(program);
  EXPECT_EQ(only_region(*program, RegionKind::Serial).inits.count, 1u);
}

TEST_F(BuilderTest, SwapYieldsTheArgumentsCrossed) {
  VariableId a = builder_.declare("a", number(1));
  VariableId b = builder_.declare("b", number(2));
  begin(RegionKind::Serial, 3);
  ValueId old = builder_.read(a);
  builder_.assign(a, builder_.read(b));
  builder_.assign(b, old);
  builder_.end_region();
  auto program = close(builder_.read(a));
  ASSERT_TRUE(program);
  const Block& body = program->block(only_region(*program, RegionKind::Serial).body);
  auto args = program->list(body.args), yields = program->list(body.yields);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(yields[0], args[1]);
  EXPECT_EQ(yields[1], args[0]);
}

TEST_F(BuilderTest, CopyOfAReadOnlyVariableResolvesToItsIncomingValue) {
  ValueId seven = number(7);
  VariableId source = builder_.declare("source", seven);
  VariableId target = builder_.declare("target", number(0));
  begin(RegionKind::Serial, 2);
  builder_.assign(target, builder_.read(source));
  builder_.end_region();
  auto program = close(builder_.read(target));
  ASSERT_TRUE(program);
  const RegionOp& loop = only_region(*program, RegionKind::Serial);
  ASSERT_EQ(loop.inits.count, 1u);
  const ValueId yield = program->list(program->block(loop.body).yields)[0];
  const auto* constant = std::get_if<ConstantOp>(&program->op(program->value(yield).def).payload);
  ASSERT_NE(constant, nullptr);
  EXPECT_EQ(constant->literal, Literal::of(7));
  EXPECT_TRUE(verify(*program));
}

TEST_F(BuilderTest, CarriesAreInOrderOfDeclarationNotOfAssignment) {
  VariableId a = builder_.declare("a", number(1));
  VariableId b = builder_.declare("b", number(2));
  begin(RegionKind::Serial, 3);
  builder_.assign(b, number(4));
  builder_.assign(a, number(3));
  builder_.end_region();
  auto program = close(builder_.binary(BinaryKind::Add, builder_.read(a), builder_.read(b)));
  ASSERT_TRUE(program);
  const RegionOp& loop = only_region(*program, RegionKind::Serial);
  const ValueId first = program->list(loop.inits)[0];
  EXPECT_EQ(std::get<ConstantOp>(program->op(program->value(first).def).payload).literal, Literal::of(1));
}

TEST_F(BuilderTest, ABranchThatDoesNotAssignKeepsTheIncomingValue) {
  VariableId x = builder_.declare("x", number(1));
  builder_.begin_if(builder_.constant(Literal::of(1), kBool));
  builder_.assign(x, number(2));
  builder_.end_if();
  auto program = close(builder_.read(x));
  ASSERT_TRUE(program);
  for (const Op& op : program->ops())
    if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
      EXPECT_EQ(program->list(program->block(branch->else_block).yields), program->list(branch->inits));
      EXPECT_NE(program->list(program->block(branch->then_block).yields), program->list(branch->inits));
    }
  EXPECT_TRUE(verify(*program));
}

TEST_F(BuilderTest, ReduceFoldsContributions) {
  VariableId best = builder_.declare("best", number(0));
  begin(RegionKind::Reduce, 5);
  builder_.fold(best, FoldKind::Max, number(3));
  builder_.end_region();
  auto program = close(builder_.read(best));
  ASSERT_TRUE(program);
  const RegionOp& region = only_region(*program, RegionKind::Reduce);
  EXPECT_EQ(region.fold(0), FoldKind::Max);
  EXPECT_TRUE(program->block(region.body).args.empty());
  EXPECT_TRUE(verify(*program));
}

TEST_F(BuilderTest, FaultsOfReduceRegions) {
  VariableId s = builder_.declare("s", number(0));
  begin(RegionKind::Reduce, 5);
  builder_.fold(s, FoldKind::Add, number(1));
  builder_.read(s);
  builder_.end_region();
  expect_fault(close(number(0)), DiagCode::ReduceAccess);
}

TEST_F(BuilderTest, FoldingTwiceIsAFault) {
  VariableId s = builder_.declare("s", number(0));
  begin(RegionKind::Reduce, 5);
  builder_.fold(s, FoldKind::Add, number(1));
  builder_.fold(s, FoldKind::Add, number(1));
  builder_.end_region();
  expect_fault(close(number(0)), DiagCode::ReduceAccess);
}

TEST_F(BuilderTest, AssigningAcrossAParallelRegionIsAFault) {
  VariableId x = builder_.declare("x", number(0));
  begin(RegionKind::Parallel, 5);
  builder_.assign(x, number(1));
  builder_.end_region();
  expect_fault(close(number(0)), DiagCode::ParallelCarry);
}

TEST_F(BuilderTest, ACarryKeepsItsType) {
  VariableId x = builder_.declare("x", number(0));
  begin(RegionKind::Serial, 5);
  builder_.assign(x, builder_.constant(Literal::of(1), kF32, {axis_}));
  builder_.end_region();
  expect_fault(close(number(0)), DiagCode::CarryType);
}

TEST_F(BuilderTest, AVariableEndsWithItsRegion) {
  begin(RegionKind::Serial, 5);
  VariableId inner = builder_.declare("inner", number(1));
  builder_.end_region();
  builder_.read(inner);
  expect_fault(close(number(0)), DiagCode::UnknownName);
}

TEST_F(BuilderTest, OneFaultGivesOneDiagnostic) {
  ValueId bad = builder_.binary(BinaryKind::Add, number(1), builder_.constant(Literal::of(1), kI32));
  bad = builder_.unary(UnaryKind::Exp, bad);
  bad = builder_.binary(BinaryKind::Mul, bad, bad);
  expect_fault(close(bad), DiagCode::TypeMismatch);
}

TEST_F(BuilderTest, RedefinitionAndReservedTypes) {
  builder_.symbol("M");
  Object b;
  b.name = "B";
  b.element = ElementType{DataType::F8E4M3, {}};
  builder_.object(b);
  auto program = close(number(0));
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), 2u);
  EXPECT_EQ(program.error()[0].code, DiagCode::Redefinition);
  EXPECT_EQ(program.error()[1].code, DiagCode::ReservedType);
}

TEST_F(BuilderTest, ConstantsOutsideTheirTypeAreRefused) {
  const auto code_of = [](double value, ElementType element) {
    Builder builder;
    const IndexId one = builder.index().constant(1);
    Object y;
    y.name = "Y";
    y.kind = ObjectKind::Out;
    y.element = element;
    y.extents = {one};
    const ObjectId object = builder.object(y);
    const CoordId row = builder.begin_region({.kind = RegionKind::Parallel, .domains = {{"i", one}}})[0];
    builder.store(object, {builder.index().coord(row)}, builder.constant(Literal::of(value), element));
    builder.end_region();
    const auto program = builder.finish();
    EXPECT_TRUE(program);
    const auto result = verify(*program);
    return result ? std::nullopt : std::optional(result.error()[0].code);
  };
  const ElementType f16{DataType::F16, {}}, bf16{DataType::BF16, {}};
  EXPECT_EQ(code_of(65519.9, f16), std::nullopt);
  EXPECT_EQ(code_of(-65520.0, f16), DiagCode::LiteralOutOfRange);
  EXPECT_EQ(code_of(65520.0, bf16), std::nullopt);
  EXPECT_EQ(code_of(3.4e38, bf16), DiagCode::LiteralOutOfRange);
  EXPECT_EQ(code_of(3.4e38, kF32), std::nullopt);
  EXPECT_EQ(code_of(3.5e38, kF32), DiagCode::LiteralOutOfRange);
  EXPECT_EQ(code_of(std::numeric_limits<double>::infinity(), f16), std::nullopt);
  EXPECT_EQ(code_of(std::numeric_limits<double>::quiet_NaN(), f16), std::nullopt);
  EXPECT_EQ(code_of(-2147483648.0, kI32), std::nullopt);
  EXPECT_EQ(code_of(2147483648.0, kI32), DiagCode::LiteralOutOfRange);
  EXPECT_EQ(code_of(2.5, kI32), DiagCode::TypeMismatch);
  EXPECT_EQ(code_of(1.0, kBool), std::nullopt);
  EXPECT_EQ(code_of(2.0, kBool), DiagCode::TypeMismatch);
}

TEST_F(BuilderTest, EqualMeaningIsEqualWhateverTheNamesAndDeadAxes) {
  Builder other("test");
  IndexId m = other.index().symbol(other.symbol("M"));
  other.axis("unused", other.index().constant(99));
  Object y;
  y.name = "Y";
  y.kind = ObjectKind::Out;
  y.extents = {m};
  ObjectId id = other.object(y);
  CoordId i = other.begin_region({.kind = RegionKind::Parallel, .domains = {{"row", m}}})[0];
  VariableId named = other.declare("a_name", other.constant(Literal::of(0.5), kF32));
  other.store(id, {other.index().coord(i)}, other.read(named));
  other.end_region();
  auto second = other.finish();
  auto first = close(number(0.5));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
}

TEST_F(BuilderTest, DifferentLiteralsDiffer) {
  auto first = close(number(0.0));
  ASSERT_TRUE(first);
  Builder other("test");
  IndexId m = other.index().symbol(other.symbol("M"));
  Object y;
  y.name = "Y";
  y.kind = ObjectKind::Out;
  y.extents = {m};
  ObjectId id = other.object(y);
  CoordId i = other.begin_region({.kind = RegionKind::Parallel, .domains = {{"i", m}}})[0];
  other.store(id, {other.index().coord(i)}, other.constant(Literal::of(-0.0), kF32));
  other.end_region();
  auto second = other.finish();
  ASSERT_TRUE(second);
  EXPECT_FALSE(*first == *second);
}

}  // namespace
}  // namespace tilewright::tile
