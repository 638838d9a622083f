// What the named lists hold; the drawn ones are the same on every machine.
#include "bench/suites.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tilewright::bench {
namespace {

Suite suite(std::string_view name, std::optional<BenchProgram> program = std::nullopt) {
  auto made = make_suite(name, program);
  EXPECT_TRUE(made.has_value());
  return made.value_or(Suite{});
}

std::vector<Shape> first_shapes(const Suite& from, std::size_t count) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < count; ++i) shapes.push_back(from.problems.at(i).shape);
  return shapes;
}

TEST(Suites, EveryNameHasProblemsThatCanBeTimed) {
  for (const SuiteName& each : suite_names()) {
    const Suite made = suite(each.name);
    EXPECT_EQ(made.name, each.name);
    EXPECT_FALSE(made.problems.empty()) << each.name;
    for (const Problem& problem : made.problems) {
      const auto parsed = parse_shapes(shape_text(problem), problem.program);
      ASSERT_TRUE(parsed.has_value()) << shape_text(problem);
      EXPECT_EQ(parsed->front(), problem);
    }
  }
}

TEST(Suites, Random40IsDrawnTheSameEverywhere) {
  const Suite drawn = suite("random40");
  ASSERT_EQ(drawn.problems.size(), 40U);
  EXPECT_EQ(first_shapes(drawn, 5),
            (std::vector<Shape>{{182, 82, 53}, {1779, 5, 120}, {1039, 4, 35}, {410, 1165, 30}, {338, 1, 11}}));
  for (const Problem& problem : drawn.problems)
    for (const std::int64_t size : {problem.shape.m, problem.shape.n, problem.shape.k}) {
      EXPECT_GE(size, 1);
      EXPECT_LT(size, 4096);
    }
}

TEST(Suites, Ragged30PairsARaggedShapeWithTheEvenOneBelow) {
  const Suite drawn = suite("ragged30");
  ASSERT_EQ(drawn.problems.size(), 60U);
  EXPECT_TRUE(drawn.pairs);
  EXPECT_EQ(first_shapes(drawn, 4),
            (std::vector<Shape>{{2049, 4097, 1025}, {2048, 4096, 1024}, {1442, 1145, 613}, {1408, 1088, 576}}));
  for (std::size_t i = 0; i < 60; i += 2) {
    const Shape ragged = drawn.problems[i].shape, even = drawn.problems[i + 1].shape;
    for (const auto& [r, e] : {std::pair{ragged.m, even.m}, {ragged.n, even.n}, {ragged.k, even.k}}) {
      EXPECT_GE(e, 256);
      EXPECT_EQ(e % 64, 0);
      EXPECT_GT(r, e);
      EXPECT_LT(r, e + 64);
    }
  }
}

TEST(Suites, AProgramPicksFromASuite) {
  const Suite fused = suite("quick", BenchProgram::GemmBiasGelu);
  EXPECT_TRUE(std::ranges::all_of(fused.problems,
                                  [](const Problem& each) { return each.program == BenchProgram::GemmBiasGelu; }));
  const Suite rows = suite("rows");
  EXPECT_EQ(2 * suite("rows", BenchProgram::Softmax).problems.size(), rows.problems.size());
  EXPECT_FALSE(make_suite("rows", BenchProgram::Gemm).has_value());
}

TEST(Suites, AnUnknownNameIsToldWithWhatThereIs) {
  const auto made = make_suite("randm40", std::nullopt);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error()[0].code, DiagCode::BadOption);
  EXPECT_NE(made.error()[0].hint.find("did you mean 'random40'?"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::bench
