// Shapes as text, and what is counted of a problem.
#include "bench/problem.h"

#include <gtest/gtest.h>

#include "bench/message.h"
#include "bench/operands.h"
#include "bench/worker.h"

namespace tilewright::bench {
namespace {

TEST(Problem, ShapesAreReadInOrder) {
  const auto read = parse_shapes("1x2x3,40x50x60", BenchProgram::Gemm);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, (std::vector<Problem>{{BenchProgram::Gemm, {1, 2, 3}}, {BenchProgram::Gemm, {40, 50, 60}}}));
  EXPECT_EQ(parse_shapes("7x9", BenchProgram::Softmax)->front(), (Problem{BenchProgram::Softmax, {7, 9, 1}}));
}

TEST(Problem, EveryBadShapeIsToldAtOnce) {
  for (const char* text : {"", "1x2", "1x2x3x4", "0x2x3", "-1x2x3", "1x2x", "axbxc", "1x2x9999999", "1x2x3,"}) {
    const auto read = parse_shapes(text, BenchProgram::Gemm);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error()[0].code, DiagCode::BadOption);
  }
  EXPECT_EQ(parse_shapes("1x2,3x4", BenchProgram::Gemm).error().size(), 2U);
  EXPECT_EQ(parse_shapes("1000000x1000000x1", BenchProgram::Gemm).error()[0].code, DiagCode::BadOption);
}

TEST(Problem, NamesReadBack) {
  for (const BenchProgram program : kBenchPrograms)
    EXPECT_EQ(bench_program_from_name(bench_program_name(program)), program);
  EXPECT_FALSE(bench_program_from_name("gem").has_value());
}

TEST(Problem, Counts) {
  EXPECT_EQ(multiply_adds({BenchProgram::Gemm, {2, 3, 5}}), 30);
  EXPECT_EQ(multiply_adds({BenchProgram::Attention, {2, 10, 4}}), 2.0 * 2 * 10 * 10 * 4);
  EXPECT_EQ(multiply_adds({BenchProgram::AttentionCausal, {2, 10, 4}}), 2.0 * 55 * 2 * 4);
  EXPECT_EQ(operand_bytes({BenchProgram::Softmax, {8, 16, 1}}), 8 * 16 * 8);
}

TEST(Problem, LaneCover) {
  EXPECT_EQ(lane_cover(64, 16), 1);
  EXPECT_EQ(lane_cover(65, 16), 1);  // one column: K over the lanes
  EXPECT_DOUBLE_EQ(lane_cover(7, 16), 7.0 / 16);
  EXPECT_DOUBLE_EQ(lane_cover(100, 16), 1);
  EXPECT_DOUBLE_EQ(lane_cover(1537 + 6, 16), 1543.0 / 1552);
}

TEST(Operands, InputsDependOnTheirPlaceAlone) {
  const auto operands = Operands::make({BenchProgram::GemmBiasGelu, {3, 5, 7}});
  ASSERT_TRUE(operands.has_value());
  ASSERT_EQ(operands->input_count(), 3U);
  double sum = 0;
  for (std::size_t input = 0; input < 3; ++input)
    for (std::size_t i = 0; i < operands->input_values(input).size(); ++i) {
      const float value = operands->input_values(input)[i];
      EXPECT_EQ(value, input_element(input, i));
      EXPECT_GE(value, -1);
      EXPECT_LT(value, 1);
      sum += value;
    }
  EXPECT_LT(std::abs(sum), 20);
  for (const float value : operands->output_values()) EXPECT_NE(value, value);
  EXPECT_EQ(operands->harmed_guard_bytes(), 0);
  operands->output()[3 * 5] = 0;
  EXPECT_GT(operands->harmed_guard_bytes(), 0);
}

TEST(Message, FieldsComeBackWhateverTheyHold) {
  const Fields fields = {"prepare", "", "a\tb", "line\nline\n", "back\\slash\\t", "x"};
  const std::string line = encode_message(fields);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(decode_message(std::string_view(line).substr(0, line.size() - 1)), fields);
}

TEST(Environment, WhatChoosesKernelsOrThreadsIsLeftOut) {
  const std::vector<std::string> kept = neutral_environment(
      {"PATH=/bin", "OPENBLAS_CORETYPE=Haswell", "OMP_PROC_BIND=true", "MKL_NUM_THREADS=3", "HOME=/", "OMPX=1"});
  EXPECT_EQ(kept, (std::vector<std::string>{"PATH=/bin", "HOME=/", "OMPX=1"}));
}

}  // namespace
}  // namespace tilewright::bench
