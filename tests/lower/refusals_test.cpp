#include "lower/lower_scalar.h"
#include "lower/lowering_case.h"

namespace tilewright::lower::testing {
namespace {

Diag refusal(std::string_view text, const Numbers& numbers) {
  const auto bound = bound_program(text, numbers);
  if (!bound) return {};
  const auto program = lower_scalar(*bound, {});
  if (program) {
    ADD_FAILURE() << "lowered";
    return {};
  }
  EXPECT_EQ(program.error().size(), 1u) << render(program.error());
  return program.error().front();
}

TEST(LowerRefusals, OpaqueCalls) {
  const Diag diag = refusal(R"(
program p(N) {
  out A: f32[N]
  parallel i in N {
    x = 1.0
    opaque "mystery"(x, A)
    A[i] = x
  }
})",
                            {{"N", 3}});
  EXPECT_EQ(diag.code, DiagCode::Unsupported);
  EXPECT_NE(diag.message.find("mystery"), std::string::npos) << diag.message;
  EXPECT_EQ(diag.place.line, 6u);
}

TEST(LowerRefusals, PlacesThatACpuDoesNotHave) {
  const Diag memory = refusal(R"(
program p(N) {
  out A: f32[N]
  parallel i in N {
    memory t: f32[1] in tensor
    axis m: 1
    t[m] = 1.0
    A[i] = t[0]
  }
})",
                              {{"N", 3}});
  EXPECT_EQ(memory.code, DiagCode::Unsupported);
  EXPECT_NE(memory.message.find("tensor"), std::string::npos) << memory.message;
}

TEST(LowerRefusals, TilesBeyondTheLimit) {
  const Diag diag = refusal(R"(
program p(N) {
  in A: f32[N]
  out B: f32[N]
  parallel i in 1 {
    a[m: 60000000] = A[m]
    b[m] = A[m + 1]
    c[m] = A[m + 2]
    d[m] = A[m + 3]
    e[m] = A[m + 4]
    B[m] = a + b * c - d * e
  }
})",
                            {{"N", 3}});
  EXPECT_EQ(diag.code, DiagCode::TileTooLarge);
  EXPECT_NE(diag.message.find("1200000000"), std::string::npos) << diag.message;
}

TEST(LowerRefusals, LoopsInsideEachOtherBeyondTheLimit) {
  std::string text = "program p(N) {\n out A: f32[N]\n parallel i in N {\n";
  for (int level = 0; level < 130; ++level) text += "serial s" + std::to_string(level) + " in 1 {\n";
  text += "A[i] = 1.0\n";
  for (int level = 0; level < 130; ++level) text += "}\n";
  const auto bound = bound_program(text + "}\n}", {{"N", 1}});
  if (!bound) GTEST_SKIP() << "the text is refused already";
  const auto program = lower_scalar(*bound, {});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().front().code, DiagCode::Unsupported);
}

}  // namespace
}  // namespace tilewright::lower::testing
