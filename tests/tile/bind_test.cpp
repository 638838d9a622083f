// Binding: values, requirements, sizes that do not fit, and the checks that need numbers.
#include "tile/bind.h"

#include <gtest/gtest.h>

#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::tile {
namespace {

Program parse(std::string_view text) {
  auto program = parse_program(text, "test.tile");
  EXPECT_TRUE(program) << render(program.error());
  return *program;
}

/// The program `copy` with one load expression, extents and parameters to play with.
std::string copy_text(const std::string& head, const std::string& body) {
  return "program p(" + head + ") {\n  in X: f32[M]\n  out Y: f32[M]\n" + body + "}\n";
}

void expect_one(const Result<Program>& result, DiagCode code, const std::string& mentions) {
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u) << render(result.error());
  EXPECT_EQ(result.error()[0].code, code) << render(result.error());
  EXPECT_NE(result.error()[0].message.find(mentions), std::string::npos) << render(result.error());
}

const char* const kSimple = R"(program p(M, N = 3; B: {4, 8} = 8, T: type {f32, f16} = f32) {
  require B % 4 == 0, "vectors of four"
  in X: T[M, N]
  out Y: f32[M, N]
  parallel i in ceildiv(M, B), j in N {
    x[m: B] = X[i*B + m, j]
    Y[i*B + m, j] = f32(x)
  }
})";

TEST(Bind, ClosesTheFamily) {
  auto bound = bind(parse(kSimple), {.numbers = {{"M", 10}}, .types = {}});
  ASSERT_TRUE(bound) << render(bound.error());
  EXPECT_TRUE(bound->bound());
  EXPECT_EQ(bound_extents(*bound, ObjectId{0}), (std::vector<std::int64_t>{10, 3}));
  EXPECT_EQ(bound_extent(*bound, AxisId{0}), 8);
  EXPECT_TRUE(verify(*bound));
}

TEST(Bind, CastsToTheSameTypeVanishAndOthersStay) {
  const Program family = parse(kSimple);
  auto count_casts = [](const Program& program) {
    int casts = 0;
    for (const Op& op : program.ops()) casts += std::holds_alternative<CastOp>(op.payload);
    return casts;
  };
  EXPECT_EQ(count_casts(family), 1);
  EXPECT_EQ(count_casts(*bind(family, {.numbers = {{"M", 1}}, .types = {}})), 0);
  EXPECT_EQ(count_casts(*bind(family, {.numbers = {{"M", 1}}, .types = {{"T", DataType::F16}}})), 1);
}

TEST(Bind, AnExplicitParameterMayBeAnyValueThatTheProgramAccepts) {
  EXPECT_TRUE(bind(parse(kSimple), {.numbers = {{"M", 10}, {"B", 12}}, .types = {}}));
  expect_one(bind(parse(kSimple), {.numbers = {{"M", 10}, {"B", 6}}, .types = {}}), DiagCode::RequirementFailed,
             "vectors of four");
}

TEST(Bind, NamesFaultsOfTheBindings) {
  const Program family = parse(kSimple);
  expect_one(bind(family, {}), DiagCode::MissingSymbol, "'M'");
  expect_one(bind(family, {.numbers = {{"M", 1}, {"Q", 1}}, .types = {}}), DiagCode::UnknownSymbol, "'Q'");
  expect_one(bind(family, {.numbers = {{"M", -1}}, .types = {}}), DiagCode::NegativeSize, "-1");
  expect_one(bind(family, {.numbers = {{"M", 1}, {"T", 1}}, .types = {}}), DiagCode::BadBinding, "'T'");
  expect_one(bind(family, {.numbers = {{"M", 1}}, .types = {{"T", DataType::I32}}}), DiagCode::BadBinding, "i32");
  expect_one(bind(family, {.numbers = {{"M", 1}}, .types = {{"S", DataType::F32}}}), DiagCode::UnknownSymbol, "'S'");
}

TEST(Bind, AZeroBlockIsAZeroDivisor) {
  const std::string text = copy_text(
      "M; B: {4} = 4", "  parallel i in ceildiv(M, B) {\n    x[m: B] = X[i*B + m]\n    Y[i*B + m] = x\n  }\n");
  auto result = bind(parse(text), {.numbers = {{"M", 10}, {"B", 0}}, .types = {}});
  ASSERT_FALSE(result);
  EXPECT_NE(render(result.error()).find("divides by zero"), std::string::npos) << render(result.error());
}

/// cases.md G10: the error prints the true size, whatever the product wraps to.
TEST(Bind, ProductsPast63BitsNameTheTrueSize) {
  const Program family = parse(R"(program p(M, N) {
  out Y: f32[M, N]
  parallel i in M {
    Y[i, 0] = 1.0
  }
})");
  for (auto [m, n, product] : {std::tuple{std::int64_t{1} << 32, std::int64_t{1} << 32, "18446744073709551616"},
                               std::tuple{std::int64_t{1} << 32, std::int64_t{1} << 31, "9223372036854775808"},
                               std::tuple{std::int64_t{3000000000}, std::int64_t{3000000001}, "9000000003000000000"}})
    expect_one(bind(family, {.numbers = {{"M", m}, {"N", n}}, .types = {}}), DiagCode::SizeOverflow, product);
  EXPECT_TRUE(bind(family, {.numbers = {{"M", std::int64_t{1} << 31}, {"N", std::int64_t{1} << 29}}, .types = {}}));
  EXPECT_TRUE(bind(family, {.numbers = {{"M", 0}, {"N", INT64_MAX}}, .types = {}}));
}

TEST(Bind, RefusesTilesOverTheLimit) {
  const std::string text = copy_text("M; B: {4} = 4", "  parallel i in 1 {\n    x[m: B] = X[m]\n    Y[m] = x\n  }\n");
  auto bound = bind(parse(text), {.numbers = {{"M", 10}, {"B", 65}}, .types = {}}, {.max_tile_elements = 64});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error()[0].code, DiagCode::TileTooLarge);
  EXPECT_TRUE(bind(parse(text), {.numbers = {{"M", 10}, {"B", 64}}, .types = {}}, {.max_tile_elements = 64}));
}

TEST(Bind, ElementAccessMustStayInside) {
  auto text = [](const std::string& coord) {
    return copy_text(
        "M", "  parallel i in 1 {\n    x[m: 8] = X[m]\n    axis n: 8\n    y = x[" + coord + "]\n    Y[n] = y\n  }\n");
  };
  const Bindings bindings{.numbers = {{"M", 8}}, .types = {}};
  for (const char* inside : {"7 - n", "n % 3", "(n * 3) % 8", "min(n + 1, 7)", "n ^ 5"})
    EXPECT_TRUE(bind(parse(text(inside)), bindings)) << inside;
  for (const char* outside : {"n + 1", "n - 1", "8 - n", "n * 2", "n ^ 8"})
    expect_one(bind(parse(text(outside)), bindings), DiagCode::IndexOutOfRange, "leaves 0 .. 7");
}

TEST(Bind, MemoryLayoutsAreInjectiveAndNotNegative) {
  auto text = [](const std::string& layout) {
    return copy_text("M", "  parallel i in 1 {\n    axis r: 4, c: 4\n    memory S: f32[4, 4] layout(a, b) = " + layout +
                              "\n    S[r, c] = 1.0\n    Y[0] = S[1, 1]\n  }\n");
  };
  const Bindings bindings{.numbers = {{"M", 8}}, .types = {}};
  for (const char* good : {"a*4 + b", "a*5 + b", "b*4 + a", "a*4 + (b ^ (a % 4))"})
    EXPECT_TRUE(bind(parse(text(good)), bindings)) << good;
  for (const char* bad : {"a*3 + b", "a + b", "a*4 + b - 1", "a", "a*4 + b / 2"})
    expect_one(bind(parse(text(bad)), bindings), DiagCode::LayoutInvalid, "'S'");
  auto bound = bind(parse(text("a*5 + b")), bindings);
  ASSERT_TRUE(bound);
  EXPECT_EQ(memory_capacity(*bound, ObjectId{2}), 19);
}

TEST(Bind, CoordinatesThatOverflowAreRefused) {
  const std::string text = copy_text("M, S", "  parallel i in M {\n    x = X[i * S * S]\n    Y[i] = x\n  }\n");
  expect_one(bind(parse(text), {.numbers = {{"M", 8}, {"S", std::int64_t{1} << 31}}, .types = {}}),
             DiagCode::SizeOverflow, "i *");
  EXPECT_TRUE(bind(parse(text), {.numbers = {{"M", 8}, {"S", std::int64_t{1} << 29}}, .types = {}}));
  EXPECT_TRUE(bind(parse(text), {.numbers = {{"M", 0}, {"S", std::int64_t{1} << 31}}, .types = {}}));
}

TEST(Bind, ANumberBeyondTheChosenTypeIsRefused) {
  const std::string text =
      "program p(M; T: type {f32, f16} = f32) { in X: T[M]\n out Y: T[M]\n parallel i in M {\n Y[i] = max(X[i], 7e4)\n"
      "} }";
  const auto bound = [&](DataType type) {
    const auto program = bind(parse(text), {.numbers = {{"M", 3}}, .types = {{"T", type}}});
    EXPECT_TRUE(program);
    return verify(*program);
  };
  EXPECT_TRUE(bound(DataType::F32));
  const auto fault = bound(DataType::F16);
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error()[0].code, DiagCode::LiteralOutOfRange);
  EXPECT_EQ(fault.error()[0].place.line, 4u);
}

TEST(Bind, VeryManyEmptyLoopsAreNotWalked) {
  const std::string text =
      copy_text("M, L", "  parallel i in L {\n    serial s in (i + L) / (2*L) {\n      Y[s] = X[s + 1]\n    }\n  }\n");
  const auto bound = bind(parse(text), {.numbers = {{"M", 8}, {"L", 0x7fff'ffff'ffff'ffff}}, .types = {}});
  EXPECT_FALSE(bound);
}

TEST(ChooseParams, LeavesTheSizesOpen) {
  const Program family = parse(
      "program p(M; B: {4, 8} = 4, T: type {f32, f16} = f32) { in X: T[M]\n out Y: T[M]\n require M >= B\n"
      "parallel i in ceildiv(M, B) {\n Y[i*B + 1] = X[i*B + 1]\n} }");
  const auto chosen = choose_params(family, {.numbers = {{"B", 8}}, .types = {{"T", DataType::F16}}});
  ASSERT_TRUE(chosen) << render(chosen.error());
  EXPECT_TRUE(verify(*chosen));
  EXPECT_EQ(*chosen,
            parse("program p(M) { in X: f16[M]\n out Y: f16[M]\n require M >= 8\n parallel i in ceildiv(M, 8) {\n"
                  "Y[i*8 + 1] = X[i*8 + 1]\n} }"));
  const auto bound = bind(*chosen, {.numbers = {{"M", 20}}, .types = {}});
  ASSERT_TRUE(bound);
  EXPECT_EQ(*bound, *bind(family, {.numbers = {{"M", 20}, {"B", 8}}, .types = {{"T", DataType::F16}}}));
  EXPECT_EQ(choose_params(family, {.numbers = {{"M", 8}}, .types = {}}).error()[0].code, DiagCode::BadBinding);
  EXPECT_EQ(choose_params(family, {.numbers = {{"Q", 8}}, .types = {}}).error()[0].code, DiagCode::UnknownSymbol);
}

TEST(Bind, DenseStridesCountEmptyExtentsAsOne) {
  EXPECT_EQ(dense_strides({4, 0, 3}), (std::vector<std::int64_t>{3, 3, 1}));
  EXPECT_EQ(dense_strides({}), (std::vector<std::int64_t>{}));
}

}  // namespace
}  // namespace tilewright::tile
