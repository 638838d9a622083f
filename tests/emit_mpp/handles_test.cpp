// Operands that are bound as tensor handles: which they are, the text, and the emulated text against the interpreter.
#include <algorithm>

#include <gtest/gtest.h>

#include "emit_msl/emulated.h"
#include "kernel/group_programs.h"
#include "kernel/verifier.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// A product of matrices whose sizes no tile divides: C[40, 24] = A[40, 21] B[21, 24], A with rows 23 apart.
constexpr const char* kHandleProduct = R"(kernel program p {
  buffer A: f32[920] read matrix 40 of 21 stride 23
  buffer B: f32[504] read matrix 21 of 24 stride 24
  buffer C: f32[960] write
  kernel p tasks(%t: 3) group 32 of 32 {
    %0: i64 = const 0
    %3: i64 = const 3
    %8: i64 = const 8
    %16: i64 = const 16
    %21: i64 = const 21
    %23: i64 = const 23
    %24: i64 = const 24
    %40: i64 = const 40
    %row: i64 = mul %t, %16
    %rest: i64 = sub %40, %row
    %rows: i64 = min %rest, %16
    %zero: f32 = const 0.0
    %first: f32.16x24 = fragment_fill %zero
    %line: i64 = mul %row, %23
    %sum: f32.16x24 = loop %s = %0 to %3 step 1 carry (%acc: f32.16x24 = %first) {
      %at: i64 = mul %s, %8
      %left: i64 = sub %21, %at
      %k: i64 = min %left, %8
      %a_at: i64 = add %line, %at
      %b_at: i64 = mul %at, %24
      %next: f32.16x24 = atom metal.mpp m 16 n 24 k dynamic %k subgroup a view A[%a_at] stride %23 rows %rows columns %k inner %at outer %row step 8 b view B[%b_at] stride %24 rows %k columns %24 inner %0 outer %at step 8 c %acc
      yield %next
    }
    %to: i64 = mul %row, %24
    fragment_store C[%to] stride %24 rows %rows columns %24 = %sum
  }
}
)";

artifact::Artifact handle_text(const Program& program, bool handles = true) {
  EmitOptions options;
  options.tensor_handles = handles;
  Result<artifact::Artifact> made = emit(program, options);
  if (made) return std::move(*made);
  ADD_FAILURE() << render(made.error());
  return {};
}
artifact::Artifact handle_text(const std::string& text, bool handles = true) {
  return handle_text(parsed(text), handles);
}

std::string names_of_handles(const artifact::Artifact& artifact) {
  std::string names;
  for (const artifact::Binding& binding : artifact.bindings)
    if (binding.tensor) names += binding.name;
  return names;
}

void expect_lines(const artifact::Artifact& artifact, std::initializer_list<const char*> lines) {
  for (const char* line : lines)
    EXPECT_NE(artifact.code.find(line), std::string::npos) << line << "\nin " << artifact.code;
}

/// What the kernel leaves in C with handles, which has to be what the interpreter leaves there.
void expect_handles_agree(const Program& program) {
  ASSERT_TRUE(verify(program));
  BufferBytes expected(program);
  for (BufferId id : program.buffers.ids()) {
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < program.buffers[id].count; ++i)
      numbers.push_back(static_cast<float>((i * 7 + static_cast<std::int64_t>(id.index)) % 11 - 5));
    expected.set(id, numbers);
  }
  BufferBytes found = expected;
  const auto counts = interpret(program, expected.bases());
  ASSERT_TRUE(counts) << render(counts.error());
  const artifact::Artifact artifact = handle_text(program);
  EXPECT_EQ(run_emulated(artifact, found, {.schedules = 2, .seed = 5}).fault, "");
  EXPECT_EQ(expected.difference(program, found), "") << artifact.code;
}

TEST(TensorHandles, AProductThatNoTileDivides) {
  const artifact::Artifact artifact = handle_text(std::string(kHandleProduct));
  EXPECT_EQ(names_of_handles(artifact), "AB");
  EXPECT_EQ(artifact.bindings[0].tensor, (artifact::TensorBinding{{21, 40}, {1, 23}}));
  EXPECT_EQ(artifact.bindings[1].tensor, (artifact::TensorBinding{{24, 21}, {1, 24}}));
  EXPECT_EQ(artifact.bindings[0].kind, artifact::BindingKind::Argument);
  EXPECT_EQ(std::ranges::count(artifact.flags, "tensor-bindings=handle"), 1);
  expect_lines(
      artifact,
      {"//   0 = A: f32[920], read, tensor handle of 21 x 40 with strides 1, 23\n", "//   2 = C: f32[960], write\n",
       "(tensor<device float, dextents<int32_t, 2>, tensor_handle> A [[buffer(0)]],\n",
       " tensor<device float, dextents<int32_t, 2>, tensor_handle> B [[buffer(1)]],\n",
       " device float* C [[buffer(2)]],\n",
       // A whole step of k, then what is left; the rows are those that A has, the columns all 24.
       "if (at_3 == 8) {\n", "auto A_part = A.slice<8, dynamic_extent>(", "auto B_part = B.slice<24, 8>(0, ",
       "} else {\n", "auto A_part = A.slice(", "auto B_part = B.slice<24, dynamic_extent>(0, "});
  EXPECT_EQ(artifact.code.find("tensor_inline"), std::string::npos);
  const std::string body = artifact.code.substr(artifact.code.find("void p("));
  EXPECT_EQ(body.find("23"), std::string::npos) << "the stride of A belongs to its binding";
  expect_handles_agree(parsed(kHandleProduct));
}

/// Each view by the flag of the operation, whichever of its axes runs along the rows.
TEST(TensorHandles, TransposedOperands) {
  std::string text = replaced(kHandleProduct, "A: f32[920] read matrix 40 of 21 stride 23",
                              "A: f32[861] read matrix 21 of 40 stride 41");
  text = replaced(text, "%23: i64 = const 23", "%41: i64 = const 41");
  text = replaced(text, "%line: i64 = mul %row, %23", "%line: i64 = mul %row, %40");
  text = replaced(text, "%a_at: i64 = add %line, %at",
                  "%a_line: i64 = mul %at, %41\n      %a_at: i64 = add %a_line, %row");
  text = replaced(text, "stride %23 rows %rows columns %k inner %at outer %row",
                  "stride %41 rows %rows columns %k transposed inner %row outer %at");
  text = replaced(text, "B: f32[504] read matrix 21 of 24 stride 24", "B: f32[504] read matrix 24 of 21 stride 21");
  text = replaced(text, "stride %24 rows %k columns %24 inner %0 outer %at",
                  "stride %21 rows %k columns %24 transposed inner %at outer %0");
  text = replaced(text, "%b_at: i64 = mul %at, %24", "%b_at: i64 = add %at, %0");
  const artifact::Artifact artifact = handle_text(text);
  EXPECT_EQ(names_of_handles(artifact), "AB");
  expect_lines(artifact, {"16, 24, static_cast<int>(dynamic_extent), true, true, false",
                          "auto A_part = A.slice<dynamic_extent, 8>(", "auto B_part = B.slice<8, 24>(",
                          "auto A_part = A.slice(", "auto B_part = B.slice<dynamic_extent, 24>("});
  expect_handles_agree(parsed(text));
}

/// One is a handle, the other stays a view of memory.
TEST(TensorHandles, BesideAViewOfMemory) {
  const std::string text = replaced(kHandleProduct, " inner %0 outer %at step 8", "");
  const artifact::Artifact artifact = handle_text(text);
  EXPECT_EQ(names_of_handles(artifact), "A");
  expect_lines(artifact, {"device float* B [[buffer(1)]]", "B_view B_part(B + ", "A.slice<8, dynamic_extent>("});
  expect_handles_agree(parsed(text));
}

TEST(TensorHandles, WhatStaysABuffer) {
  const auto expect_names = [](const std::string& text, const std::string& names) {
    EXPECT_EQ(names_of_handles(handle_text(text)), names) << text;
  };
  const auto with_line = [](const std::string& line) {
    return replaced(kHandleProduct, "    %to: i64", "    " + line + "\n    %to: i64");
  };
  expect_names(kHandleProduct, "AB");
  // Read otherwise too, unless nobody needs what is read.
  expect_names(with_line("%one: f32 = load A[%0]\n    store C[%0] = %one"), "B");
  expect_names(with_line("%one: f32 = load A[%0]"), "AB");
  // Temporaries, and what is written.
  expect_names(replaced(kHandleProduct, "buffer A: f32[920] read ", "temporary A: f32[920] readwrite "), "B");
  expect_names(replaced(kHandleProduct, "A: f32[920] read ", "A: f32[920] readwrite "), "B");
  // Places of 32 bits.
  expect_names(replaced(kHandleProduct, "A: f32[920] read matrix 40 of 21 stride 23",
                        "A: f32[2147483668] read matrix 2 of 21 stride 2147483647"),
               "B");
  expect_names(replaced(kHandleProduct, "A: f32[920] read matrix 40 of 21 stride 23",
                        "A: f32[2147483668] read matrix 2 of 21 stride 2147483626"),
               "AB");
  // Without rows of A the product is made from the elements of B.
  expect_names(replaced(kHandleProduct, "tasks(%t: 3)", "tasks(%t: 4)"), "A");
  // Two steps of one k, and k that is not the extent of the view.
  expect_names(replaced(kHandleProduct, "outer %row step 8", "outer %row step 9"), "");
  const std::string other_depth = replaced(kHandleProduct, "rows %rows columns %k ", "rows %rows columns %8 ");
  expect_names(other_depth, "B");
}

/// Without the option, or where no operand qualifies, the text is that of a program without matrices.
TEST(TensorHandles, TheTextOfBuffersIsTheSame) {
  std::string plain = kHandleProduct;
  for (const char* part : {" matrix 40 of 21 stride 23", " matrix 21 of 24 stride 24", " inner %at outer %row step 8",
                           " inner %0 outer %at step 8"})
    plain = replaced(plain, part, "");
  const artifact::Artifact expected = handle_text(plain, false);
  EXPECT_EQ(handle_text(std::string(kHandleProduct), false).code, expected.code);
  EXPECT_EQ(expected.code.find("tensor-bindings"), std::string::npos);
  const artifact::Artifact none = handle_text(plain);
  EXPECT_EQ(std::ranges::count(none.flags, "tensor-bindings=inline"), 1);
  const auto body = [](const std::string& code) { return code.substr(code.find("#include")); };
  EXPECT_EQ(body(none.code), body(expected.code));
}

}  // namespace
}  // namespace tilewright::emit_msl
