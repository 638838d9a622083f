#include "runtime/msl_emulator/front/tokens.h"

#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

std::vector<std::string> spellings(const TokenText& text) {
  std::vector<std::string> out;
  for (const Token& token : text.tokens) out.emplace_back(text.spelling(token));
  return out;
}

using Words = std::vector<std::string>;

TEST(Tokens, SplitIntoWordsNumbersTextsAndSymbols) {
  const auto text = tokenize("a->b::c<<=1.5e-3f+.5 >>= 0x1p+2 u8\"x\\\"y\" 'q' 1'000 ... x<=y", "/shim");
  ASSERT_TRUE(text);
  EXPECT_EQ(spellings(*text), (Words{"a", "->", "b", "::", "c", "<<=", "1.5e-3f", "+", ".5", ">", ">=", "0x1p+2",
                                     "u8\"x\\\"y\"", "'q'", "1'000", "...", "x", "<=", "y"}));
  EXPECT_EQ(text->tokens[6].kind, TokenKind::Number);
  EXPECT_EQ(text->tokens[12].kind, TokenKind::Text);
  EXPECT_EQ(text->tokens[13].kind, TokenKind::Character);
}

TEST(Tokens, LineMarkersGivePlaces) {
  const auto text =
      tokenize("# 7 \"a b.metal\"\nx\n  y\n# 1 \"/shim/metal_stdlib\" 1 3\nz\n# 12 \"a b.metal\" 2\nw", "/shim");
  ASSERT_TRUE(text);
  const auto place = [&](std::size_t i) { return text->place(text->tokens[i]); };
  EXPECT_EQ(place(1).file, "a b.metal");
  EXPECT_EQ(place(1).line, 7u);
  EXPECT_EQ(place(2).line, 8u);
  EXPECT_EQ(place(2).column, 3u);
  EXPECT_FALSE(text->tokens[2].shim);
  EXPECT_TRUE(text->tokens[4].shim);
  EXPECT_EQ(place(6).line, 12u);
  EXPECT_FALSE(text->tokens[6].shim);
}

TEST(Tokens, RawStringsKeepTheirLines) {
  const auto text = tokenize("auto s = R\"x(a\n#include \"b\"\n)\")x\"; t", "/shim");
  ASSERT_TRUE(text);
  EXPECT_EQ(spellings(*text), (Words{"auto", "s", "=", "R\"x(a\n#include \"b\"\n)\")x\"", ";", "t"}));
  EXPECT_EQ(text->tokens.back().line, 3u);
}

TEST(Tokens, FaultsHavePlaces) {
  expect_fault(tokenize("\n x = \"abc\n;", "/shim"), DiagCode::KernelCompile, 2, "has no end on its line");
  expect_fault(tokenize("R\"(abc", "/shim"), DiagCode::KernelCompile, 1, "a raw string has no end");
  expect_fault(tokenize("R\"abc", "/shim"), DiagCode::KernelCompile, 1, "no opening parenthesis");
  expect_fault(tokenize("a\n\\ b", "/shim"), DiagCode::KernelCompile, 2, "stray '\\'");
  expect_fault(tokenize("a \x01", "/shim"), DiagCode::KernelCompile, 1, "stray character with code 1");
}

TEST(Tokens, DirectivesOfMacrosAreRefused) {
  expect_fault(tokenize("a\n # include \"/etc/passwd\"", "/shim"), DiagCode::KernelCompile, 2,
               "after macros were expanded");
  expect_fault(tokenize("a\n%: define x", "/shim"), DiagCode::KernelCompile, 2, "after macros were expanded");
  EXPECT_TRUE(tokenize("#pragma unroll\n", "/shim"));
}

TEST(Tokens, InsideIsAQuestionOfFolders) {
  EXPECT_TRUE(is_inside("/a/b/c", "/a/b"));
  EXPECT_TRUE(is_inside("/a/b/c", "/a/b/"));
  EXPECT_FALSE(is_inside("/a/bc", "/a/b"));
  EXPECT_FALSE(is_inside("/a/b", "/a/b"));
  EXPECT_FALSE(is_inside("/a", ""));
  EXPECT_TRUE(is_inside("/a", "/"));
}

}  // namespace
}  // namespace tilewright::msl_emulator
