#include <gtest/gtest.h>

#include <string>

#include "support/result.h"

namespace tilewright {
namespace {

Diag example() {
  Diag diag{DiagCode::UnknownName, "nothing defines 'b'", {"f.tile", 2, 5, 3, "a = b_c"}, "define it", {}};
  diag.notes.push_back({"'a' is defined here", {"f.tile", 1, 1, 1, "a = 0"}});
  return diag;
}

TEST(Diag, RendersPlaceCaretNotesAndHint) {
  EXPECT_EQ(render(example()),
            "f.tile:2:5: error: nothing defines 'b' [UnknownName]\n"
            "  a = b_c\n"
            "      ^~~\n"
            "f.tile:1:1: note: 'a' is defined here\n"
            "  a = 0\n"
            "  ^\n"
            "  try: define it\n");
}

TEST(Diag, RendersWithoutAPlace) {
  EXPECT_EQ(render(Diag{DiagCode::Usage, "no program", {}, {}, {}}), "error: no program [Usage]\n");
}

TEST(Diag, CaretStaysInItsLine) {
  Diag diag{DiagCode::SyntaxError, "m", {"f", 1, 3, 9, "\tab"}, {}, {}};
  EXPECT_EQ(render(diag), "f:1:3: error: m [SyntaxError]\n  \tab\n  \t ^\n");
  diag.place.column = 9;
  EXPECT_EQ(render(diag), "f:1:9: error: m [SyntaxError]\n  \tab\n  \t  ^\n");
}

TEST(Diag, SeveralAreRenderedInOrder) {
  const Diags diags = {Diag{DiagCode::Usage, "one", {}, {}, {}}, Diag{DiagCode::Usage, "two", {}, {}, {}}};
  EXPECT_EQ(render(diags), "error: one [Usage]\nerror: two [Usage]\n");
}

TEST(Diag, CodesHaveNamesAndCategories) {
  EXPECT_EQ(diag_code_name(DiagCode::SyntaxError), "SyntaxError");
  EXPECT_EQ(diag_code_category(DiagCode::SyntaxError), DiagCategory::Input);
  EXPECT_EQ(diag_code_category(DiagCode::Unsupported), DiagCategory::Refused);
  EXPECT_EQ(diag_code_category(DiagCode::CheckFailed), DiagCategory::WrongResult);
  EXPECT_EQ(diag_code_name(DiagCode::InternalError), "InternalError");
  EXPECT_EQ(diag_code_category(DiagCode::InternalError), DiagCategory::Internal);
}

Result<int> half_of(int value) {
  if (value % 2 != 0) return failure(DiagCode::BadOption, "odd", "an even number");
  return value / 2;
}
Result<int> quarter_of(int value) {
  TW_TRY(const int half, half_of(value));
  TW_TRY(const int quarter, half_of(half));
  return quarter;
}
Result<void> check_quarter(int value) {
  TW_TRY_VOID(quarter_of(value));
  return {};
}

TEST(Result, TryUnwrapsOrReturns) {
  EXPECT_EQ(quarter_of(8), 2);
  ASSERT_FALSE(quarter_of(6));
  EXPECT_EQ(quarter_of(6).error()[0].message, "odd");
  EXPECT_EQ(quarter_of(6).error()[0].hint, "an even number");
  EXPECT_TRUE(check_quarter(4));
  EXPECT_FALSE(check_quarter(3));
}

}  // namespace
}  // namespace tilewright
