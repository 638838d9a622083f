// What programs mean: regions, memory, accesses, special values; both arithmetics.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tile/interpreter_run.h"

namespace tilewright::tile::testing {
namespace {

/// Runs both arithmetics; the exact one must agree with the typed one. Returns the typed elements of `name`.
Values run(Trial& run, const std::string& name = "Y") {
  EXPECT_EQ(run.disagreement(), "");
  return run.values(name);
}

/// The exact elements, which must all have the bound 0.
void expect_exactly(Trial& run, const std::string& name, const Values& expected) {
  const ExactOutput output = run.exact(name);
  expect_same(output.value, expected);
  for (std::size_t i = 0; i < output.bound.size(); ++i) EXPECT_EQ(output.bound[i], 0) << i;
}

/// Y[m] = expression of a[m] (and b[m]), over the given inputs.
Values elementwise(const std::string& expression, const Values& a, const Values& b, const std::string& type = "f32",
                   const std::string& result = "f32") {
  Trial program("program p(N) { in A: " + type + "[N]\n in B: " + type + "[N]\n out Y: " + result +
                    "[N]\n parallel i in 1 {\n a[m: N] = A[m]\n b[m] = B[m]\n Y[m] = " + expression + "\n } }",
                {{"N", static_cast<std::int64_t>(a.size())}});
  program.fill("A", a).fill("B", b);
  return run(program);
}

Diag fault_of(const Result<void>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? Diag{} : result.error().front();
}
template <class T>
Diag fault_of(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? Diag{} : result.error().front();
}

void expect_fault(Trial& run, DiagCode code, const std::string& part) {
  for (const Diag& diag : {fault_of(run.exact()), fault_of(run.typed())}) {
    EXPECT_EQ(diag_code_name(diag.code), diag_code_name(code));
    EXPECT_NE(diag.message.find(part), std::string::npos) << diag.message;
    EXPECT_TRUE(diag.place.known()) << diag.message;
  }
}

// ---- Elementwise operations
// ------------------------------------------------------------------------------------------

TEST(Elementwise, FloatArithmeticOfSpecialValues) {
  const Values a{-0.0, 0, kInf, kInf, kNan, 1, -1}, b{-0.0, -0.0, -kInf, 1, 1, 0, -0.0};
  expect_same(elementwise("a + b", a, b), {-0.0, 0, kNan, kInf, kNan, 1, -1});
  expect_same(elementwise("a - b", a, b), {0, 0, kInf, kInf, kNan, 1, -1});
  expect_same(elementwise("a * b", a, b), {0, -0.0, -kInf, kInf, kNan, 0, 0});
  expect_same(elementwise("a / b", a, b), {kNan, kNan, kNan, kInf, kNan, kInf, kInf});
  expect_same(elementwise("a % b", {5.5, -5.5, 5, kInf}, {2, 2, 0, 2}), {1.5, -1.5, kNan, kNan});
}

TEST(Elementwise, MaximumAndMinimumAreThoseOfIeee) {
  const Values a{kNan, 1, -0.0, 0, kInf}, b{1, kNan, 0, -0.0, -kInf};
  expect_same(elementwise("max(a, b)", a, b), {kNan, kNan, 0, 0, kInf});
  expect_same(elementwise("min(a, b)", a, b), {kNan, kNan, -0.0, -0.0, -kInf});
}

TEST(Elementwise, UnaryOperationsOfSpecialValues) {
  const Values a{-0.0, 0, kInf, -kInf, kNan, -1.5};
  expect_same(elementwise("-a", a, a), {0, -0.0, -kInf, kInf, kNan, 1.5});
  expect_same(elementwise("abs(a)", a, a), {0, 0, kInf, kInf, kNan, 1.5});
  expect_same(elementwise("floor(a)", a, a), {-0.0, 0, kInf, -kInf, kNan, -2});
  expect_same(elementwise("sqrt(a)", a, a), {-0.0, 0, kInf, kNan, kNan, kNan});
  expect_same(elementwise("exp(a)", {-kInf, 0, kInf, kNan, 1000}, {0, 0, 0, 0, 0}), {0, 1, kInf, kNan, kInf});
  expect_same(elementwise("log(a)", {0, 1, kInf, -1, kNan}, {0, 0, 0, 0, 0}), {-kInf, 0, kInf, kNan, kNan});
  expect_same(elementwise("tanh(a)", {kInf, -kInf, kNan, 0}, {0, 0, 0, 0}), {1, -1, kNan, 0});
  expect_same(elementwise("sin(a)", {0, kInf}, {0, 0}), {0, kNan});
  expect_same(elementwise("cos(a)", {0, kInf}, {0, 0}), {1, kNan});
}

TEST(Elementwise, ComparisonsWithNan) {
  const Values a{1, kNan, 0, kInf}, b{2, kNan, -0.0, kInf};
  expect_same(elementwise("f32(a < b)", a, b), {1, 0, 0, 0});
  expect_same(elementwise("f32(a <= b)", a, b), {1, 0, 1, 1});
  expect_same(elementwise("f32(a > b)", a, b), {0, 0, 0, 0});
  expect_same(elementwise("f32(a >= b)", a, b), {0, 0, 1, 1});
  expect_same(elementwise("f32(a == b)", a, b), {0, 0, 1, 1});
  expect_same(elementwise("f32(a != b)", a, b), {1, 1, 0, 0});
  expect_same(elementwise("select(a < b && !(a == b), a, b)", a, b), {1, kNan, -0.0, kInf});
  expect_same(elementwise("select(a < b || a == b, a, b)", a, b), {1, kNan, 0, kInf});
}

TEST(Elementwise, IntegersWrapAndDivideTowardsMinusInfinity) {
  const double low = -2147483648.0, high = 2147483647.0;
  const Values a{7, -7, 7, low, high, 5}, b{2, 2, -2, -1, 1, 0};
  expect_same(elementwise("a + b", a, b, "i32", "i32"), {9, -5, 5, high, low, 5});
  expect_same(elementwise("a - b", a, b, "i32", "i32"), {5, -9, 9, low + 1, high - 1, 5});
  expect_same(elementwise("a * b", a, b, "i32", "i32"), {14, -14, -14, low, high, 0});
  expect_same(elementwise("a / b", a, b, "i32", "i32"), {3, -4, -4, low, high, 0});
  expect_same(elementwise("a % b", a, b, "i32", "i32"), {1, 1, -1, 0, 0, 0});
  expect_same(elementwise("abs(a)", a, b, "i32", "i32"), {7, 7, 7, low, high, 5});
  expect_same(elementwise("max(a, b)", a, b, "i32", "i32"), {7, 2, 7, -1, high, 5});
}

TEST(Elementwise, CastsSaturateTruncateAndRound) {
  const Values a{1.9, -1.9, kNan, 3e9, -kInf, 0.5};
  expect_same(elementwise("i32(a)", a, a, "f32", "i32"), {1, -1, 0, 2147483647.0, -2147483648.0, 0});
  expect_same(elementwise("f32(f16(a))", {65519, 65520, 1.0004883, 1e-8, -1e-9}, {0, 0, 0, 0, 0}),
              {65504, kInf, 1, 0, -0.0});
  expect_same(elementwise("f32(bf16(a))", {1.0, 1.00390625, 1.01171875, 3.4e38}, {0, 0, 0, 0}),
              {1, 1, 1.015625, 0x1.ffp127 > 3.4e38 ? 3.3961775292304601e+38 : kInf});
  expect_same(elementwise("f32(bool(a))", {0, -0.0, 2, kNan}, {0, 0, 0, 0}), {0, 0, 1, 1});
  expect_same(elementwise("f32(i32(a) + i32(2147483647))", {1, 0}, {0, 0}), {-2147483648.0, 2147483648.0});
}

TEST(Elementwise, HalfOperationsRoundOnceEach) {
  // 2049 lies between 2048 and 2050 in f16.
  expect_same(elementwise("a + b", {2048, 1}, {1, 0.0004883}, "f16", "f16"), {2048, 1});
  expect_same(elementwise("a * b", {300, 255}, {300, 257}, "f16", "f16"), {kInf, kInf});
  expect_same(elementwise("a + b", {256, 1}, {1, 1}, "bf16", "bf16"), {256, 2});
}

// ---- Regions
// ---------------------------------------------------------------------------------------------------------

TEST(Regions, CarriesUpdateAtOnce) {
  Trial swap(
      "program p(T) { in A: f32[2]\n out Y: f32[2]\n parallel i in 1 {\n a = A[0]\n b = A[1]\n"
      "serial t in T {\n old = a\n a = b\n b = old\n }\n Y[0] = a\n Y[1] = b\n } }",
      {{"T", 3}});
  swap.fill("A", {1, 2});
  expect_same(run(swap), {2, 1});
}

TEST(Regions, ZeroTripsYieldTheIncomingValues) {
  for (const std::string kind : {"serial", "pipeline", "reduce"}) {
    Trial program("program p(T) { in A: f32[2]\n out Y: f32[2]\n parallel i in 1 {\n s[m: 2] = -0.0\n" + kind +
                      " t in T {\n s += A[m]\n }\n Y[m] = s\n } }",
                  {{"T", 0}});
    program.fill("A", {1, 2});
    expect_same(run(program), {-0.0, -0.0});
    expect_exactly(program, "Y", {-0.0, -0.0});
  }
}

TEST(Regions, ExtentsMayDependOnCoordinates) {
  Trial program(
      "program p(N) { out Y: f32[N]\n parallel i in N {\n s[] = 0.0\n serial j in i {\n serial k in j + 1 {\n"
      " s += 1.0\n }\n }\n Y[i] = s\n } }",
      {{"N", 4}});
  expect_same(run(program), {0, 1, 3, 6});
}

TEST(Regions, ReduceFoldsSumsMaximaAndMinima) {
  Trial program(
      "program p(N) { in A: f32[N]\n out Y: f32[3]\n parallel i in 1 {\n s[] = 10.0\n high[] = -inf\n low[] = inf\n"
      "reduce t in N {\n a = A[t]\n s += a\n high max= a\n low min= a\n }\n Y[0] = s\n Y[1] = high\n Y[2] = low\n } }",
      {{"N", 4}});
  program.fill("A", {1, -2, 4, 0.5});
  expect_same(run(program), {13.5, 4, -2});
}

TEST(Regions, FoldRightBeginsAtTheLastElement) {
  const std::string text =
      "program p(N) { in A: f32[N]\n out Y: f32[2]\n parallel i in 1 {\n a[k: N] = A[k]\n Y[0] = sum(a, k, ORDER)\n "
      "s[] = 0.0\n"
      "reduce t in N order ORDER {\n s += A[t]\n }\n Y[1] = s\n } }";
  auto with_order = [&](const std::string& order) {
    std::string source = text;
    for (std::size_t at; (at = source.find("ORDER")) != std::string::npos;) source.replace(at, 5, order);
    Trial program(source, {{"N", 3}});
    program.fill("A", {1, 0x1p24, 1});
    return run(program);
  };
  // 1 + 2^24 rounds to 2^24, and so does 2^24 + 1.
  expect_same(with_order("fold_left"), {0x1p24, 0x1p24});
  expect_same(with_order("fold_right"), {0x1p24, 0x1p24});
  Trial left(
      "program p() { in A: f32[3]\n out Y: f32[2]\n parallel i in 1 {\n a[k: 3] = A[k]\n Y[0] = sum(a, k, fold_left)\n"
      "Y[1] = sum(a, k, fold_right)\n } }");
  left.fill("A", {1, 1, 0x1p24});
  expect_same(run(left), {0x1p24 + 2, 0x1p24});
}

TEST(Regions, SumsOfHalvesAccumulateInF32) {
  Trial program(
      "program p(N) { in A: f16[N]\n out Y: f16[2]\n parallel i in 1 {\n a[k: N] = A[k]\n Y[0] = sum(a, k)\n"
      "s[] = f16(0)\n reduce t in N {\n s += A[t]\n }\n Y[1] = s\n } }",
      {{"N", 4}});
  program.fill("A", {2048, 1, 1, 1});
  expect_same(run(program), {2052, 2052});  // 2051 is a tie
}

TEST(Regions, EmptyReductionsGiveTheIdentity) {
  Trial program(
      "program p(N) { in A: f32[N]\n in B: i32[N]\n out Y: f32[3]\n out Z: i32[3]\n parallel i in 1 {\n"
      "a[k: N] = A[k]\n b[k] = B[k]\n Y[0] = sum(a, k)\n Y[1] = max(a, k)\n Y[2] = min(a, k)\n"
      "Z[0] = sum(b, k)\n Z[1] = max(b, k)\n Z[2] = min(b, k)\n } }",
      {{"N", 0}});
  expect_same(run(program), {0, -kInf, kInf});
  expect_same(program.values("Z"), {0, -2147483648.0, 2147483647.0});
}

TEST(Regions, BranchesAreLazy) {
  Trial program(
      "program p() { in A: f32[2]\n in n: i32\n out Y: f32[1]\n parallel i in 1 {\n x[] = 1.0\n"
      "if n > 5 {\n x = A[7] assume\n } else {\n x = x + 1.0\n }\n Y[0] = x\n } }");
  program.fill("n", {0});
  expect_same(run(program), {2});
  program.fill("n", {6});
  expect_fault(program, DiagCode::MemoryFault, "A[7]");
}

TEST(Regions, UndecidedConditionsCoverBothBranches) {
  // x * x * 3 - 1 / 3 * 3 ..: a third of three is 1 up to rounding, so that no execution is told which branch to take.
  Trial program(
      "program p() { in A: f32[1]\n out Y: f32[1]\n out Z: f32[2]\n parallel i in 1 {\n third = A[0] / 3.0\n"
      "x[] = 0.0\n if third * 3.0 < 1.0 {\n x = 5.0\n Z[0] = 1.0\n } else {\n x = 6.0\n Z[1] = 1.0\n }\n Y[0] = x\n } "
      "}");
  program.fill("A", {1});
  const auto outputs = program.exact();
  ASSERT_TRUE(outputs.has_value());
  const ExactOutput& y = outputs->at(program.id("Y"));
  EXPECT_EQ(agree(5, y.value[0], y.bound[0]), Agreement::Within);
  EXPECT_EQ(agree(6, y.value[0], y.bound[0]), Agreement::Within);
  EXPECT_LT(y.bound[0], 1.01);
  const ExactOutput& z = outputs->at(program.id("Z"));
  EXPECT_EQ(z.bound[0], kInf);
  EXPECT_EQ(z.bound[1], kInf);
}

TEST(Regions, FaultsOfABranchThatMayNotRunLeaveItsResultsUnknown) {
  Trial run(
      "program p() { in A: f32[1]\n out Y: f32[1]\n parallel i in 1 {\n x = A[0] / 3.0 * 3.0\n y[] = 2.0\n"
      "if x < 1.0 {\n y = A[5] assume\n }\n Y[0] = y\n } }");
  run.fill("A", {1});
  const ExactOutput output = run.exact("Y");
  EXPECT_EQ(output.value[0], 2);
  EXPECT_EQ(output.bound[0], kInf);
}

TEST(Regions, UndecidedSelectsAndIndices) {
  Trial program(
      "program p() { in A: f32[1]\n in B: f32[4]\n out Y: f32[1]\n out Z: f32[1]\n out I: i32[1]\n parallel i in 1 {\n"
      "x = A[0] / 3.0 * 3.0\n b[k: 4] = B[k]\n Y[0] = select(x < 1.0, 5.0, 6.0)\n n = i32(x)\n"
      "Z[0] = gather(b, k, n, 0.0)\n I[0] = n\n } }");
  program.fill("A", {1}).fill("B", {1, 2, 3, 4});
  const ExactOutput y = program.exact("Y");
  EXPECT_EQ(agree(5, y.value[0], y.bound[0]), Agreement::Within);
  EXPECT_EQ(agree(6, y.value[0], y.bound[0]), Agreement::Within);
  EXPECT_EQ(program.exact("Z").bound[0], kInf);
  EXPECT_EQ(program.exact("I").bound[0], kInf);
}

TEST(Regions, LaunchesShareTemporaries) {
  Trial program(
      "program p(N) { in A: f32[N]\n temp T: f32[N]\n out Y: f32[N]\n parallel i in N {\n T[i] = A[i] * 2.0\n }\n"
      "parallel i in N {\n Y[i] = T[N - 1 - i] + 1.0\n } }",
      {{"N", 3}});
  program.fill("A", {1, 2, 3});
  expect_same(run(program), {7, 5, 3});
}

TEST(Regions, BarriersAndStageCutsDoNothing) {
  Trial program(
      "program p() { in A: f32[2]\n out Y: f32[1]\n parallel i in 1 {\n s[] = 0.0\n barrier\n pipeline t in 2 {\n"
      "stage \"load\"\n a = A[t]\n stage \"add\"\n s = s + a\n }\n Y[0] = s\n } }");
  program.fill("A", {1, 2});
  expect_same(run(program), {3});
}

// ---- Objects
// ---------------------------------------------------------------------------------------------------------

TEST(Objects, LoadsOutsideGiveTheFallbackAndStoresNothing) {
  Trial program(
      "program p() { in A: f32[3]\n out Y: f32[3]\n out Z: f32[5]\n parallel i in 1 {\n a[m: 5] = A[m - 1]\n"
      "b[m] = A[m - 1] else -2.5\n Z[m] = a\n Y[m - 1] = b\n } }");
  program.fill("A", {1, 2, 3});
  expect_same(run(program, "Z"), {0, 1, 2, 3, 0});
  expect_same(program.values("Y"), {1, 2, 3});
}

TEST(Objects, AssumedAccessesFaultInsteadOfReading) {
  Trial load(
      "program p() { in A: f32[3]\n out Y: f32[4]\n parallel i in 2 {\n a[m: 2] = A[i*2 + m] assume\n Y[i*2 + m] = a\n "
      "} }");
  expect_fault(load, DiagCode::MemoryFault, "A[3]");
  const Diag diag = fault_of(load.typed());
  EXPECT_EQ(diag.place.line, 4u);
  ASSERT_EQ(diag.notes.size(), 1u);
  EXPECT_EQ(diag.notes[0].message, "at i = 1");
  Trial store("program p() { out Y: f32[3]\n parallel i in 1 {\n a[m: 4] = 1.0\n Y[m] assume = a\n } }");
  expect_fault(store, DiagCode::MemoryFault, "Y[3]");
}

TEST(Objects, MemoryKeepsWhatWasStored) {
  Trial program(
      "program p() { in A: f32[4]\n out Y: f32[4]\n parallel i in 1 {\n memory t: f32[4]\n axis m: 4\n t[m] = A[m]\n"
      "Y[m] = t[3 - m]\n } }");
  program.fill("A", {1, 2, 3, 4});
  expect_same(run(program), {4, 3, 2, 1});
}

TEST(Objects, ReadingWhatWasNeverStoredIsAFault) {
  Trial memory(
      "program p() { in A: f32[4]\n out Y: f32[4]\n parallel i in 1 {\n memory t: f32[4]\n axis m: 4, h: 3\n"
      "t[h] = A[h]\n Y[m] = t[m]\n } }");
  expect_fault(memory, DiagCode::MemoryFault, "t[3]");
  Trial temporary(
      "program p() { in A: f32[4]\n temp T: f32[4]\n out Y: f32[4]\n parallel i in 2 {\n T[i] = A[i]\n }\n"
      "parallel i in 4 {\n Y[i] = T[i]\n } }");
  expect_fault(temporary, DiagCode::MemoryFault, "T[2]");
}

TEST(Objects, MemoryIsFreshInEachInstance) {
  Trial program(
      "program p() { in A: f32[2]\n out Y: f32[2]\n parallel i in 2 {\n memory t: f32[2]\n t[i] = A[i]\n"
      "Y[i] = t[0]\n } }");
  expect_fault(program, DiagCode::MemoryFault, "t[0]");
}

TEST(Objects, ViewsOfAnyStride) {
  const std::string text =
      "program p() { in A: f32[2, 3]\n out Y: f32[2, 3]\n parallel i in 1 {\n axis m: 2, n: 3\n"
      "Y[m, n] = A[m, n]\n } }";
  Trial negative(text);
  negative.view("A", 10, 9, {-4, -1}).fill("A", {1, 2, 3, 4, 5, 6});
  negative.view("Y", 20, 1, {3, 7}, -9);
  expect_same(run(negative), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(negative.buffer("Y").get(0), -9);
  EXPECT_EQ(negative.buffer("A").get(9), 1);
  EXPECT_EQ(negative.buffer("A").get(4), 5);
  Trial zero(text);
  zero.view("A", 2, 1, {-1, 0});
  zero.buffer("A").set(0, 7);
  zero.buffer("A").set(1, 8);
  expect_same(run(zero), {8, 8, 8, 7, 7, 7});
}

TEST(Objects, ViewsThatLeaveTheirBufferAreFaults) {
  Trial load("program p() { in A: f32[2]\n out Y: f32[2]\n parallel i in 2 {\n Y[i] = A[i]\n } }");
  load.view("A", 3, 2, {1});
  expect_fault(load, DiagCode::MemoryFault, "element 3 of a buffer of 3");
  load.view("A", 3, 0, {std::int64_t{1} << 62});
  expect_fault(load, DiagCode::MemoryFault, "A");
}

TEST(Objects, InOutIsReadAndWritten) {
  Trial program(
      "program p(N) { inout C: f32[N]\n in beta: f32 = 2.0\n parallel i in N {\n C[i] = C[i] * beta + 1.0\n } }",
      {{"N", 3}});
  program.fill("C", {1, 2, 3}).fill("beta", {2});
  const ExactOutput exact = program.exact("C");
  expect_same(exact.value, {3, 5, 7});
  expect_same(program.values("C"), {1, 2, 3});
  ASSERT_TRUE(program.typed().has_value());
  expect_same(program.values("C"), {3, 5, 7});
}

TEST(Objects, ScalarsHaveDefaults) {
  Trial program(
      "program p() { in alpha: f32 = 0.1\n in flag: bool = true\n out Y: f32[1]\n parallel i in 1 {\n"
      "Y[0] = select(flag, alpha, 0.0)\n } }");
  std::vector<std::byte> bytes(4);
  const ArrayView view{DataType::F32, bytes.data(), 1, 0, {1}, {1}};
  ASSERT_TRUE(interpret_typed(program.program(), {{program.id("Y"), view}}).has_value());
  float value;
  std::memcpy(&value, bytes.data(), 4);
  EXPECT_EQ(value, 0.1f);
  const auto exact = interpret_exact(program.program(), {});
  ASSERT_TRUE(exact.has_value());
  EXPECT_EQ(exact->at(program.id("Y")).value[0], double{0.1f});
}

TEST(Objects, WrittenMarksWhatTheProgramStores) {
  Trial program("program p() { out Y: i32[4]\n parallel i in 2 {\n Y[2*i] = i32(i) + 5\n } }");
  const ExactOutput output = program.exact("Y");
  EXPECT_EQ(output.written, (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(output.value[2], 6);
}

TEST(Objects, ArgumentsAreChecked) {
  Trial program(
      "program p(N) { in A: f32[N]\n in B: f32[N]\n out Y: f32[N]\n parallel i in N {\n Y[i] = A[i] + B[i]\n } }",
      {{"N", 2}});
  std::vector<std::byte> bytes(64);
  const ArrayView wrong_type{DataType::F16, bytes.data(), 2, 0, {2}, {1}};
  const ArrayView wrong_shape{DataType::F32, bytes.data(), 3, 0, {3}, {1}};
  const auto result =
      interpret_typed(program.program(), {{program.id("A"), wrong_type}, {program.id("B"), wrong_shape}});
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().size(), 3u);
  EXPECT_EQ(result.error()[0].code, DiagCode::ArgumentType);
  EXPECT_EQ(result.error()[1].code, DiagCode::ArgumentShape);
  EXPECT_EQ(result.error()[2].code, DiagCode::MissingArgument);
}

TEST(Objects, OpaqueCallsAreRefusedByName) {
  Trial program(
      "program p() { in A: f32[2]\n out Y: f32[2]\n parallel i in 2 {\n a = A[i]\n opaque \"vendor.op\"(a)\n Y[i] = "
      "a\n } }");
  expect_fault(program, DiagCode::Unsupported, "vendor.op");
}

// ---- Indexing
// --------------------------------------------------------------------------------------------------------

TEST(Indexing, ReindexPermutesAndRepeats) {
  Trial program(
      "program p() { in A: f32[2, 3]\n out Y: f32[3, 2]\n out Z: f32[6]\n parallel i in 1 {\n axis m: 2, n: 3, f: 6\n"
      "a[m, n] = A[m, n]\n Y[n, m] = a\n Z[f] = a[f % 2, 2 - f / 2]\n } }");
  program.fill("A", {1, 2, 3, 4, 5, 6});
  expect_same(run(program), {1, 4, 2, 5, 3, 6});
  expect_same(program.values("Z"), {3, 6, 2, 5, 1, 4});
}

TEST(Indexing, GatherPicksOrFallsBack) {
  Trial program(
      "program p() { in A: f32[2, 3]\n in I: i32[2, 2]\n out Y: f32[2, 2]\n parallel i in 1 {\n axis m: 2, n: 3, r: 2\n"
      "a[m, n] = A[m, n]\n idx[m, r] = I[m, r]\n g = gather(a, n, idx, -1.0)\n Y[m, r] = g\n } }");
  program.fill("A", {1, 2, 3, 4, 5, 6}).fill("I", {2, 0, 3, -1});
  expect_same(run(program), {3, 1, -1, -1});
}

TEST(Indexing, IndexValuesAndBroadcasts) {
  Trial program(
      "program p(N) { out Y: i32[2, N]\n parallel i in 2 {\n pos[n: N] = i*10 + n*n\n Y[i, n] = i32(pos) - i32(i)\n } "
      "}",
      {{"N", 3}});
  expect_same(run(program), {0, 1, 4, 9, 10, 13});
}

TEST(Indexing, TransposedAndBroadcastStores) {
  Trial program(
      "program p() { in A: f32[2]\n out Y: f32[3, 2]\n parallel i in 1 {\n axis m: 2, n: 3\n a[m] = A[m]\n Y[n, m] = "
      "a\n } }");
  program.fill("A", {1, 2});
  expect_same(run(program), {1, 2, 1, 2, 1, 2});
}

}  // namespace
}  // namespace tilewright::tile::testing
