// Tensor operations that are refused, with the words that say why.
#include <gtest/gtest.h>

#include "emit/msl/emit.h"
#include "kernel/group_programs.h"
#include "kernel/verifier.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// One subgroup, one product of 16 x 16.
constexpr const char* kProduct = R"(kernel program p {
  buffer A: f32[256] read
  buffer B: f32[256] read
  buffer D: f32[512] write
  buffer sizes: i64[4] read
  kernel p tasks() group 32 of 32 {
    %0: i64 = const 0
    %16: i64 = const 16
    %one: f32 = const 1.0
    %size: i64 = load sizes[%0]
    %start: f32.16x16 = fragment_fill %one
    %sum: f32.16x16 = atom metal.mpp m 16 n 16 k dynamic %16 subgroup a view A[%0] stride %16 rows %16 columns %16 b view B[%0] stride %16 rows %16 columns %16 c %start
    fragment_store D[%0] stride %16 = %sum
  }
}
)";

void expect_tensor_refusal(const std::string& text, const std::string& words) {
  const Program program = parsed(text);
  const Result<void> sound = verify(program);
  ASSERT_TRUE(sound) << render(sound.error());
  const Result<artifact::Artifact> emitted = emit(program);
  ASSERT_FALSE(emitted) << words;
  EXPECT_EQ(emitted.error()[0].code, DiagCode::Unsupported);
  EXPECT_NE(emitted.error()[0].message.find(words), std::string::npos) << render(emitted.error());
  EXPECT_FALSE(emitted.error()[0].hint.empty());
}
void expect_tensor_refusal(const std::string& from, const std::string& to, const std::string& words) {
  expect_tensor_refusal(replaced(kProduct, from, to), words);
}

TEST(TensorRefusals, TheProductItselfIsMade) {
  const Result<artifact::Artifact> emitted = emit(parsed(kProduct));
  ASSERT_TRUE(emitted) << render(emitted.error());
  EXPECT_EQ(emitted->families, std::vector<std::string>{"metal.mpp"});
  EXPECT_EQ(emitted->language_version, 400);
  EXPECT_NE(emitted->code.find("// atoms: metal.mpp; MSL 4.0"), std::string::npos);
}

TEST(TensorRefusals, WhatAnOperationDoesNotTake) {
  expect_tensor_refusal("buffer A: f32", "buffer A: i32", "metal.mpp multiplies f16, bf16 or f32, not i32");
  expect_tensor_refusal("view A[%0] stride %16", "view A[%0] stride %size", "reach past 2147483647 elements, or back");
  expect_tensor_refusal("rows %16 columns %16 b", "rows %16 columns %size b",
                        "the view of a may have fewer elements along k");
  expect_tensor_refusal("rows %16 columns %16 c", "rows %size columns %16 c",
                        "the view of b may have fewer elements along k");
}

/// What the group makes together it loads and stores together, and no subgroup alone.
TEST(TensorRefusals, FragmentsOfTheGroup) {
  const std::string two = replaced(kProduct, "group 32 of 32", "group 64 of 32");
  const std::string group = replaced(two, " subgroup a view", " group a view");
  expect_tensor_refusal(group, "held by the group, and accessed by subgroup");
  expect_tensor_refusal(replaced(two, "fragment_store D", "fragment_store together D"),
                        "held by a subgroup, and accessed by group");
  const Result<artifact::Artifact> emitted =
      emit(parsed(replaced(group, "fragment_store D", "fragment_store together D")));
  ASSERT_TRUE(emitted) << render(emitted.error());
  EXPECT_NE(emitted->code.find("execution_simdgroups<2>"), std::string::npos);
}

TEST(TensorRefusals, ExtentsThatNoOperationHas) {
  std::string text = kProduct;
  for (const char* from : {"f32.16x16 = fragment_fill", "f32.16x16 = atom"})
    text = replaced(text, from, std::string("f32.8x24") + (from + 9));
  expect_tensor_refusal(replaced(text, "m 16 n 16", "m 8 n 24"), "m and n are 8 and 24");
}

/// A sum that another operation goes on with.
TEST(TensorRefusals, FragmentsOfTwoOperations) {
  const std::string second =
      "%more: f32.16x16 = atom metal.mpp m 16 n 16 k dynamic %16 subgroup a view A[%0] stride %16 rows %16 columns %16 "
      "transposed b view B[%0] stride %16 rows %16 columns %16 c %sum\n    fragment_store D[%0] stride %16 = %more";
  expect_tensor_refusal("fragment_store D[%0] stride %16 = %sum", second, "belongs to tensor operations of different");
  const std::string both = replaced(second, " transposed", "");
  EXPECT_TRUE(emit(parsed(replaced(kProduct, "fragment_store D[%0] stride %16 = %sum", both))));
  expect_tensor_refusal("fragment_store D[%0] stride %16 = %sum", replaced(both, " subgroup a", " subgroup relaxed a"),
                        "different shapes, modes, precision or operands");
  // One of them would overwrite what the other one adds to.
  expect_tensor_refusal(
      without_line(replaced(replaced(kProduct, "fragment_store D[%0] stride %16 = %sum", both), " c %start", ""),
                   "%start: "),
      "belongs to tensor operations of different");
}

/// Floats and truth values are kept as the f32 that they are among; other integers are not.
TEST(TensorRefusals, FragmentsBesideF32) {
  const std::string store = "fragment_store D[%0] stride %16 = ";
  const auto twice = [&](const std::string& type, const std::string& made, const std::string& back) {
    return "%kept: " + type + ".16x16 = " + made + "\n    " + back + "\n    %16x: i64 = const 256\n    " + store +
           "%s\n    fragment_store D[%16x] stride %16 = %r";
  };
  const std::string truth = twice("i1", "gt %sum, %start",
                                  "%s: f32.16x16 = select %kept, %sum, %start\n    "
                                  "%r: f32.16x16 = select %kept, %start, %sum");
  EXPECT_TRUE(emit(parsed(replaced(kProduct, store + "%sum", truth))));
  const std::string back = "%s: f32.16x16 = cast %kept\n    %t: f32.16x16 = cast %kept\n    %r: f32.16x16 = add %t, %s";
  EXPECT_TRUE(emit(parsed(replaced(kProduct, store + "%sum", twice("f16", "cast %sum", back)))));
  expect_tensor_refusal(store + "%sum", twice("i32", "cast %sum", back), "i32.16x16 cannot be kept beside it");
}

TEST(TensorRefusals, AFragmentOfNoOperation) {
  const std::string text =
      replaced(kProduct, "fragment_store D[%0] stride %16 = %sum",
               "fragment_store D[%0] stride %16 = %sum\n    %half: f16 = const 0.5\n    "
               "%filled: f16.16x16 = fragment_fill %half\n    fragment_store E[%0] stride %16 = %filled");
  expect_tensor_refusal(replaced(text, "buffer D: f32", "buffer E: f16 [256] write\n  buffer D: f32"),
                        "f16.16x16 is of no tensor operation");
}

}  // namespace
}  // namespace tilewright::emit_msl
