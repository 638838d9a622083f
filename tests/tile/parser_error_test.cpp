// What the text front door says about wrong texts: code, place, expected, found and what to try; and hostile texts.
#include <gtest/gtest.h>

#include "parser_text.h"
#include "tile/lexer.h"
#include "tile/parser.h"
#include "tile/syntax.h"

namespace tilewright::tile {
namespace {

Diags faults_of(const std::string& text) {
  const Result<Program> program = parse_program(text, "test.tile");
  if (program) {
    ADD_FAILURE() << "no fault in\n" << text;
    return {};
  }
  return program.error();
}

void expect_diag(const Diag& diag, DiagCode code, std::uint32_t line, std::uint32_t column, const std::string& expected,
                 const std::string& found, const std::string& hint) {
  const std::string shown = render(diag);
  EXPECT_EQ(diag_code_name(diag.code), diag_code_name(code)) << shown;
  EXPECT_EQ(diag.place.line, line) << shown;
  EXPECT_EQ(diag.place.column, column) << shown;
  EXPECT_EQ(diag.place.file, "test.tile");
  EXPECT_NE(diag.message.find(expected), std::string::npos) << "wanted: " << expected << "\n" << shown;
  EXPECT_NE(diag.message.find(found), std::string::npos) << "wanted: " << found << "\n" << shown;
  EXPECT_NE(diag.hint.find(hint), std::string::npos) << "wanted: " << hint << "\n" << shown;
  EXPECT_GE(diag.place.length, 1u);
}

/// The only fault of a text.
void expect_fault(const std::string& text, DiagCode code, std::uint32_t line, std::uint32_t column,
                  const std::string& expected, const std::string& found, const std::string& hint = {}) {
  const Diags diags = faults_of(text);
  ASSERT_EQ(diags.size(), 1u) << render(diags) << text;
  expect_diag(diags[0], code, line, column, expected, found, hint);
}

/// The only fault of a body; `line` counts in the body from 1, and 0 is the line of the functions.
void expect_body_fault(const std::string& body, DiagCode code, std::uint32_t line, std::uint32_t column,
                       const std::string& expected, const std::string& found, const std::string& hint = {},
                       const std::string& functions = {}) {
  expect_fault(text_around(body, functions), code, line == 0 ? 1 : kBodyLine + line - 1, column, expected, found, hint);
}

constexpr auto kSyntax = DiagCode::SyntaxError;

// ---- Lexing --------------------------------------------------------------------------------------------------------

TEST(ParserErrors, Characters) {
  expect_body_fault("x = 1 | 2", kSyntax, 1, 7, "expected a name, a number", "found '|'", "'||'");
  expect_body_fault("x = $y", kSyntax, 1, 5, "expected a name", "found '$'");
  expect_body_fault("x = a \xc3\x97 b", kSyntax, 1, 7, "expected a name", "found '\xc3\x97'");
  expect_body_fault("x = \x01", kSyntax, 1, 5, "expected a name", "found the byte 0x01");
  expect_body_fault("x = \xff\xfe", kSyntax, 1, 5, "expected a name", "found the byte 0xff");
  expect_body_fault("# x", kSyntax, 1, 1, "expected a name", "found '#'", "//");
  expect_body_fault("x = 'a", kSyntax, 1, 5, "expected a name", "found '''", "double quotes");
  expect_body_fault("// \xff", kSyntax, 1, 1, "expected UTF-8 text in a comment", "found other bytes");
  EXPECT_FALSE(parse_program(std::string("program p() { \0 }", 17), "test.tile"));
}

TEST(ParserErrors, NamesAndNumbers) {
  expect_body_fault("x = 1.0f", kSyntax, 1, 5, "expected a number", "found '1.0f'", "no suffix");
  expect_body_fault("x = 1.", kSyntax, 1, 5, "expected a number", "found '1.'", "both sides");
  expect_body_fault("x = .5", kSyntax, 1, 5, "expected a name, a number", "found '.'", "0.5");
  expect_body_fault("x = 0x10", kSyntax, 1, 5, "expected a number", "found '0x10'");
  expect_body_fault("x = 1e", kSyntax, 1, 5, "expected a number", "found '1e'");
  expect_body_fault(std::string(200, 'a') + " = 1", kSyntax, 1, 1, "expected a name of at most 128",
                    "found a longer one");
  expect_body_fault("parallel = 1", kSyntax, 1, 10, "expected the name of a coordinate", "found '='");
  expect_body_fault("axis f32: 3", kSyntax, 1, 6, "expected the name of an axis", "found 'f32'",
                    "is a word of the language");
}

TEST(ParserErrors, LiteralsOutOfRange) {
  constexpr auto kRange = DiagCode::LiteralOutOfRange;
  expect_body_fault("x = 9223372036854775808", kRange, 1, 5, "expected an integer below 2^63", "found 2^63");
  expect_body_fault("x = 99999999999999999999", kRange, 1, 5, "expected an integer", "does not fit 64 bits");
  expect_body_fault("x = 1e400", kRange, 1, 5, "expected a number that FP64 can hold", "too large or too small", "inf");
  expect_body_fault("x = 1e-400", kRange, 1, 5, "expected a number that FP64 can hold", "too large or too small");
  expect_body_fault("x = A[m, 0] + 1e39", kRange, 1, 15, "within the range of f32", "found the number", "inf");
  expect_body_fault("x = H[m, 0] * 65520", kRange, 1, 15, "within the range of f16", "found the number 65520");
  expect_body_fault("x = I[m] * 2147483648", kRange, 1, 12, "within the range of i32", "found the number 2147483648");
  expect_body_fault("pipeline s in 3 window 65536 { }", kRange, 1, 24, "expected window from 0 to 65535",
                    "found 65536");
  expect_fault("program p(; B: {9223372036854775808} = 1) { }", kRange, 1, 17, "below 2^63", "found 2^63");
  EXPECT_TRUE(parse_program(text_around("x = H[m, 0] * 65519; y = H[m, 0] * inf"), ""));
}

TEST(ParserErrors, Strings) {
  expect_body_fault("stage \"abc", kSyntax, 1, 7, "expected the closing '\"'", "found the end of the line", "one line");
  expect_body_fault("stage \"a\\q\"", kSyntax, 1, 7, "expected the closing '\"'", "found an unknown escape",
                    "escapes are");
  expect_body_fault("stage \"a\x02\"", kSyntax, 1, 7, "expected the closing '\"'", "found a control character");
  expect_body_fault("stage \"\xff\"", kSyntax, 1, 7, "expected the closing '\"'", "found bytes that are not UTF-8");
}

// ---- Files and headers ---------------------------------------------------------------------------------------------

TEST(ParserErrors, Files) {
  expect_fault("", kSyntax, 1, 1, "expected 'fn' or 'program'", "found the end of the text", "one program");
  expect_fault("// only a comment\n", kSyntax, 2, 1, "expected 'fn' or 'program'", "found the end of the text");
  expect_fault("\nkernel f() { }\nprogram p() { }", kSyntax, 2, 1, "expected 'fn' or 'program'", "found 'kernel'");
  expect_fault("program p() { }\nprogram q() { }", kSyntax, 2, 1, "expected the end of the text", "found 'program'",
               "one program");
  expect_fault("program p() { }\nfn f(x) { return x }", kSyntax, 2, 1, "expected the end of the text", "found 'fn'",
               "before the program");
  expect_fault("program p() { }\n}", kSyntax, 2, 1, "expected the end of the text", "found '}'",
               "closed once too often");
  expect_fault("program p() {\n  out C: f32[4]", kSyntax, 2, 16, "expected '}'", "found the end of the text");
  EXPECT_EQ(faults_of("program p() {\n  out C: f32[4]")[0].notes[0].place.line, 1u);
}

TEST(ParserErrors, Headers) {
  expect_fault("program (M) { }", kSyntax, 1, 9, "expected the name of the program", "found '('");
  expect_fault("program p { }", kSyntax, 1, 11, "expected '('", "found '{'", "()");
  expect_fault("program p(M: {1} = 1) { }", kSyntax, 1, 12, "expected ',', ';' or ')'", "found ':'",
               "parameters follow ';'");
  expect_fault("program p(M = N) { }", kSyntax, 1, 15, "expected the default of a symbol", "found 'N'");
  expect_fault("program p(M; B) { }", kSyntax, 1, 15, "expected ':'", "found ')'", "BM: {32, 64} = 64");
  expect_fault("program p(M; B: 3) { }", kSyntax, 1, 17, "expected '{' or 'type'", "found '3'");
  expect_fault("program p(M; B: {N} = 3) { }", kSyntax, 1, 18, "expected an integer", "found 'N'");
  expect_fault("program p(M; B: {1, 2}) { }", kSyntax, 1, 23, "expected '='", "found ')'", "default");
  expect_fault("program p(M; B: {1 2} = 1) { }", kSyntax, 1, 20, "expected ',' or '}'", "found '2'");
  expect_fault("program p(M; T: type {f32, 3} = f32) { }", kSyntax, 1, 28, "expected an element type", "found '3'");
  expect_fault("program p(M, M) { }", DiagCode::Redefinition, 1, 14, "expected a new name",
               "found 'M', which is a symbol");
  expect_fault("program p(M; M: {1} = 1) { }", DiagCode::Redefinition, 1, 14, "expected a new name", "found 'M'");
  expect_fault("fn f(x { return x }\nprogram p() { }", kSyntax, 1, 8, "expected ',' or ')'", "found '{'");
  expect_fault("fn f(x) { y = x }\nprogram p() { }", kSyntax, 1, 17, "expected 'return'", "found '}'",
               "ends with return");
  expect_fault("fn f(x) { return x; y = x }\nprogram p() { }", kSyntax, 1, 21, "expected '}'", "found 'y'",
               "last statement");
}

TEST(ParserErrors, Declarations) {
  const auto in_program = [](const std::string& body) { return "program p(M) {\n" + body + "\n}"; };
  expect_fault(in_program("in A f32[M]"), kSyntax, 2, 6, "expected ':'", "found 'f32'", "in A: f32[M, N]");
  expect_fault(in_program("in A: [M]"), kSyntax, 2, 7, "expected an element type", "found '['");
  expect_fault(in_program("in A: f32[M"), kSyntax, 3, 1, "expected ',' or ']'", "found '}'");
  expect_fault(in_program("parallel i in M { }\nin A: f32[M]"), kSyntax, 3, 1, "expected a statement", "found 'in'",
               "before the first statement");
  expect_fault(in_program("out A: f32[M] = 1.0"), kSyntax, 2, 15, "expected the end of the declaration", "found '='",
               "scalar input");
  expect_fault(in_program("in A: f32[M] strides(1, 2)"), DiagCode::RankMismatch, 2, 1, "expected 1 strides", "found 2");
  expect_fault(in_program("in A: i8[M]"), DiagCode::ReservedType, 2, 7, "expected f32, f16",
               "found i8, which is reserved");
  expect_fault(in_program("in A: f64[M]"), DiagCode::ReservedType, 2, 7, "expected f32, f16", "found f64", "use f32");
  expect_fault(in_program("in A: float[M]"), DiagCode::UnknownName, 2, 7, "expected an element type", "found 'float'",
               "write f32");
  expect_fault(in_program("in A: f23[M]"), DiagCode::UnknownName, 2, 7, "expected an element type", "found 'f23'",
               "did you mean 'f32'?");
  expect_fault(in_program("in A: M[M]"), DiagCode::NotAValue, 2, 7, "expected an element type",
               "found 'M', which is a symbol", "type {f32");
  expect_fault(in_program("in A: index[M]"), DiagCode::TypeMismatch, 2, 1, "'A'", "index", "i32");
  expect_fault(in_program("in A: f32[M]\nin A: f32[M]"), DiagCode::Redefinition, 3, 4, "expected a new name",
               "which is a buffer already");
  expect_fault(in_program("in A: f32[W]"), DiagCode::UnknownName, 2, 11, "expected a value",
               "found 'W', which nothing defines");
  expect_fault(in_program("in A: f32[1.5]"), DiagCode::NotAValue, 2, 11, "expected an extent, an index expression",
               "found the number 1.5", "integer");
  expect_fault(in_program("in e: i32 = 1.5"), DiagCode::TypeMismatch, 2, 13, "expected an integer",
               "found the number 1.5");
  expect_fault(in_program("in e: bool = 1"), DiagCode::TypeMismatch, 2, 14, "expected bool", "found the number 1",
               "true or false");
  expect_fault(in_program("in e: f32 = M"), DiagCode::TypeMismatch, 2, 13, "expected a number of type f32", "found M");
  expect_fault(in_program("in e: f16 = 1e6"), DiagCode::LiteralOutOfRange, 2, 13, "within the range of f16",
               "found the number");
  expect_fault(in_program("require M"), kSyntax, 2, 9, "expected a comparison", "found another expression");
  expect_fault(in_program("require M > 1, M"), kSyntax, 2, 16, "expected a string", "found 'M'");
  expect_fault(in_program("in A: f32[M]\nrequire A > 1"), DiagCode::NotAValue, 3, 9, "expected a value",
               "found 'A', which is a buffer");
  expect_fault("program p(; T: type {f32, u8} = f32) { }", DiagCode::ReservedType, 1, 27, "expected f32", "found u8");
}

// ---- Statements ----------------------------------------------------------------------------------------------------

TEST(ParserErrors, StatementForms) {
  expect_body_fault("x", kSyntax, 1, 2, "expected '=', '[' or '+='", "found the end of the line");
  expect_body_fault("x == 3", kSyntax, 1, 3, "expected '=', '[' or '+='", "found '=='", "'=' defines");
  expect_body_fault("x = 3 4", kSyntax, 1, 7, "expected the end of the statement", "found '4'");
  expect_body_fault("x = y = 3", kSyntax, 1, 7, "expected the end of the statement", "found '='", "'==' compares");
  expect_body_fault("x[] = 1.0\n+ 2.0", kSyntax, 2, 1, "expected a statement", "found '+'", "end of the line before");
  expect_body_fault("foo(eps)", kSyntax, 1, 4, "expected '='", "found '('", "needs a name: y = foo(..)");
  expect_body_fault("for s in 4 { }", kSyntax, 1, 5, "expected '='", "found 's'", "serial i in N");
  expect_body_fault("let x = 4", kSyntax, 1, 5, "expected '='", "found 'x'", "name alone");
  expect_body_fault("C[m, n] += 1.0", kSyntax, 1, 9, "expected '='", "found '+='", "name stands alone");
  expect_body_fault("x[m: 3, n + 1: 4] = 0.0", kSyntax, 1, 14, "expected ',' or ']'", "found ':'");
  expect_body_fault("x in lds = 0.0", kSyntax, 1, 6, "expected a memory space", "found 'lds'", "private, shared");
  expect_body_fault("memory P f32[4]", kSyntax, 1, 10, "expected ':'", "found 'f32'");
  expect_body_fault("memory P: f32[4] layout(r) r", kSyntax, 1, 28, "expected '='", "found 'r'", "layout(r, c)");
  expect_body_fault("barrier device", kSyntax, 1, 9, "expected group, subgroup", "found 'device'");
  expect_body_fault("stage x", kSyntax, 1, 7, "expected a string", "found 'x'", "quotes");
  expect_body_fault("opaque f(eps)", kSyntax, 1, 8, "expected a string", "found 'f'", "quotes");
  expect_body_fault("return 3", kSyntax, 1, 1, "expected a statement", "found 'return'", "end of a function");
  expect_body_fault("else { }", kSyntax, 1, 1, "expected a statement", "found 'else'", "follows the '}'");
  expect_body_fault("temp W: f32[3]", kSyntax, 1, 1, "expected a statement", "found 'temp'", "top of the program");
  expect_body_fault("3 = x", kSyntax, 1, 1, "expected a statement", "found '3'");
}

TEST(ParserErrors, RegionForms) {
  expect_body_fault("serial s { }", kSyntax, 1, 10, "expected 'in'", "found '{'", "serial i in N");
  expect_body_fault("serial in 4 { }", kSyntax, 1, 8, "expected the name of a coordinate", "found 'in'");
  expect_body_fault("serial s in 4\nx[] = 1.0", kSyntax, 1, 14, "expected scope, window, interval, order or '{'",
                    "found the end of the line");
  expect_body_fault("serial s in 4 unroll 2 { }", kSyntax, 1, 15, "expected scope, window", "found 'unroll'");
  expect_body_fault("serial s in 4 window 2 { }", kSyntax, 1, 15, "expected scope", "found 'window'",
                    "belongs to a pipeline");
  expect_body_fault("parallel s in 4 order fold_left { }", kSyntax, 1, 17, "expected scope", "found 'order'",
                    "reduce region");
  expect_body_fault("parallel s in 4 scope warp { }", kSyntax, 1, 23, "expected a scope", "found 'warp'", "subgroup");
  expect_body_fault("pipeline s in 4 window x { }", kSyntax, 1, 24, "expected an integer after window", "found 'x'");
  expect_body_fault("if i = 3 { }", kSyntax, 1, 6, "expected '{'", "found '='", "'==' compares");
  expect_body_fault("if i < 3\nx[] = 1.0", kSyntax, 1, 9, "expected '{'", "found the end of the line");
}

TEST(ParserErrors, Expressions) {
  expect_body_fault("x = ", kSyntax, 2, 3, "expected an expression", "found '}'");
  expect_body_fault("x = (1 + 2", kSyntax, 2, 3, "expected ')'", "found '}'");
  expect_body_fault("x = A[m, 0", kSyntax, 2, 3, "expected ',' or ']'", "found '}'");
  expect_body_fault("x = A[m, 0\ny = 1", kSyntax, 2, 1, "expected ',' or ']'", "found 'y'", "is not closed");
  expect_body_fault("x = A[m,, 0]", kSyntax, 1, 9, "expected an expression", "found ','");
  expect_body_fault("x = max(1, 2", kSyntax, 2, 3, "expected ',' or ')'", "found '}'");
  expect_body_fault("x = 1 < i < 3", kSyntax, 1, 11, "expected the end of the comparison", "found '<'",
                    "a < b && b < c");
  expect_body_fault("x = i < 3 and i > 1", kSyntax, 1, 11, "expected the end of the statement", "found 'and'", "&&");
  expect_body_fault("x = f32", kSyntax, 1, 5, "expected an expression", "found 'f32'", "f32(x)");
  expect_body_fault("x = serial", kSyntax, 1, 5, "expected an expression", "found 'serial'");
  expect_body_fault("x = A[i = 3, 0]", kSyntax, 1, 9, "expected ',' or ']'", "found '='", "compares");
}

TEST(ParserErrors, SeveralSyntaxFaultsInOneText) {
  const Diags diags = faults_of(
      "program p(M) {\n"
      "  in A f32[M]\n"
      "  out C: f32[M]\n"
      "  parallel i M {\n"
      "    x = A[i\n"
      "    y = (x + 1.0\n"
      "    z ~ 4\n"
      "    C[i] = x +* 2\n"
      "  }\n"
      "}\n");
  ASSERT_GE(diags.size(), 5u) << render(diags);
  expect_diag(diags[0], kSyntax, 2, 8, "expected ':'", "found 'f32'", "");
  expect_diag(diags[1], kSyntax, 4, 14, "expected 'in'", "found 'M'", "");
  expect_diag(diags[2], kSyntax, 6, 5, "expected ',' or ']'", "found 'y'", "");
  expect_diag(diags.back(), kSyntax, 8, 15, "expected an expression", "found '*'", "");
}

TEST(ParserErrors, FaultsAreCapped) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "x = = 3\n";
  const Diags diags = faults_of(text_around(body));
  ASSERT_EQ(diags.size(), kMaxFaults);
  ASSERT_FALSE(diags.back().notes.empty());
  EXPECT_NE(diags.back().notes.back().message.find("more errors"), std::string::npos);
  std::string unknown;
  for (int i = 0; i < 100; ++i) unknown += "x" + std::to_string(i) + " = zzz" + std::to_string(i) + "\n";
  EXPECT_EQ(faults_of(text_around(unknown)).size(), kMaxFaults);
}

// ---- Names ---------------------------------------------------------------------------------------------------------

TEST(ParserErrors, UnknownNames) {
  constexpr auto kUnknown = DiagCode::UnknownName;
  expect_body_fault("accum[] = 0.0; x = acum", kUnknown, 1, 20, "expected a value", "found 'acum'",
                    "did you mean 'accum'?");
  expect_body_fault("x = AA[m, 0]", kUnknown, 1, 5, "expected a buffer, memory or tile", "found 'AA'",
                    "did you mean 'A'?");
  expect_body_fault("Cout[i*2, m] = 0.0", kUnknown, 1, 1, "expected a buffer or memory to store to", "found 'Cout'");
  expect_body_fault("x = sums(eps, m)", kUnknown, 1, 5, "expected a function", "found 'sums'", "did you mean 'sum'?");
  expect_body_fault("x = my(eps)", kUnknown, 1, 5, "expected a function", "found 'my'");
  expect_body_fault("x[p] = 0.0", kUnknown, 1, 3, "expected an axis", "found 'p'", "x[p: N]");
  expect_body_fault("x = sum(A[m, k], q)", kUnknown, 1, 18, "expected an axis", "found 'q'");
  expect_body_fault("zz += 1", kUnknown, 1, 1, "expected a tile to fold into", "found 'zz'");
  expect_body_fault("serial s in 2 { t[] = 0.0 }\nx = t + 1.0", kUnknown, 2, 5, "expected a value", "found 't'",
                    "ends with its block");
  expect_body_fault("x = y; z = y + y", kUnknown, 1, 5, "expected a value", "found 'y'");
  expect_body_fault("x = f(eps)", kUnknown, 0, 18, "expected a value", "found 'A'", "pass 'A'",
                    "fn f(x) { return A + x }");
  expect_body_fault("x = f", kUnknown, 1, 5, "expected a value", "found 'f'", "parentheses", "fn f(x) { return x }");
}

TEST(ParserErrors, Redefinitions) {
  constexpr auto kAgain = DiagCode::Redefinition;
  expect_body_fault("x[m: 3] = 0.0", kAgain, 1, 3, "expected a new name", "found 'm', which is an axis",
                    "without an extent");
  expect_body_fault("serial m in 2 { }", kAgain, 1, 8, "expected a new name", "which is an axis");
  expect_body_fault("serial s in 2 { serial s in 3 { } }", kAgain, 1, 24, "expected a new name",
                    "which is a coordinate");
  expect_body_fault("i[] = 0.0", kAgain, 1, 1, "expected a new name", "found 'i', which is a coordinate");
  expect_body_fault("M = 3", kAgain, 1, 1, "expected a new name", "found 'M', which is a symbol");
  expect_body_fault("T[] = 3.0", kAgain, 1, 1, "expected a new name", "which is a type parameter");
  expect_body_fault("idx = i + 1\nserial s in 2 { idx = s }", kAgain, 2, 17, "expected a new name",
                    "which is an index expression", "idx[] = ..");
  expect_body_fault("half = 0.5\nserial s in 2 { half = 0.25 }", kAgain, 2, 17, "expected a new name",
                    "which is a number", "half[] = ..");
  expect_body_fault("s = 0.0\nserial t in 2 { s = A[0, t] }", kAgain, 2, 17, "expected a new name", "which is a number",
                    "s[] = ..");
  expect_body_fault("x[] = 0.0\naxis x: 3", kAgain, 2, 6, "expected a new name", "which is a tile");
  expect_body_fault("memory A: f32[3]", kAgain, 1, 8, "expected a new name", "which is a buffer");
  expect_body_fault("x = f(eps)", kAgain, 0, 6, "expected a new name", "found 'M', which is a symbol", "",
                    "fn f(M) { return M }");
  expect_body_fault("", kAgain, 0, 26, "expected a new name", "which is a function already", "",
                    "fn f(x) { return x }; fn f(x) { return x }");
  expect_body_fault("", kAgain, 0, 4, "expected a new name", "found 'exp', which is a built-in", "",
                    "fn exp(x) { return x }");
  const Diags diags = faults_of(text_around("x[m: 3] = 0.0"));
  ASSERT_EQ(diags[0].notes.size(), 1u);
  EXPECT_EQ(diags[0].notes[0].place.line, kBodyLine - 1);
}

TEST(ParserErrors, KindsOfNames) {
  constexpr auto kKind = DiagCode::NotAValue;
  expect_body_fault("x = A + 1.0", kKind, 1, 5, "expected a value", "found 'A', which is a buffer",
                    "2 coordinates: A[..]");
  expect_body_fault("x = T + 1.0", kKind, 1, 5, "expected a value", "found 'T', which is a type parameter", "T(x)");
  expect_body_fault("x = i[0]", kKind, 1, 5, "expected a buffer, memory or tile", "found 'i', which is a coordinate");
  expect_body_fault("x = i(0)", kKind, 1, 5, "expected a function", "found 'i', which is a coordinate", "brackets");
  expect_body_fault("A = eps", kKind, 1, 1, "expected a tile to define", "found 'A', which is a buffer", "A[..] = ..");
  expect_body_fault("C += eps", kKind, 1, 1, "expected a tile to fold into", "found 'C', which is a buffer",
                    "C[..] = C[..] + x");
  expect_body_fault("idx = i; idx += 1", kKind, 1, 10, "expected a tile to fold into",
                    "found 'idx', which is an index expression", "idx[] = ..");
  expect_body_fault("x[i] = 0.0", kKind, 1, 3, "expected an axis", "found 'i', which is a coordinate");
  expect_body_fault("x[m] = 0.0; x[m + 1] = 1.0", kKind, 1, 15, "expected an axis", "'x' is a tile");
  expect_body_fault("x = sum(A[m, k], i)", kKind, 1, 18, "expected an axis", "found 'i', which is a coordinate");
  expect_body_fault("x = sum(A[m, k], k + 1)", kKind, 1, 18, "expected the name of an axis", "found an expression");
  expect_body_fault("x = A[eps, 0]", kKind, 1, 7, "expected a coordinate, an index expression", "found f32[]",
                    "gather");
  expect_body_fault("x = A[0.5, 0]", kKind, 1, 7, "expected a coordinate", "found the number 0.5", "integer");
  expect_body_fault("serial s in m { }", kKind, 1, 13, "expected the extent of a domain made of symbols",
                    "found the axis 'm'");
  expect_body_fault("axis q: i", kKind, 1, 9, "expected an extent made of symbols and parameters",
                    "found a coordinate");
  expect_body_fault("x = I[m] & 1", kKind, 1, 5, "expected index expressions around '&'", "found i32[m]", "&&");
  expect_body_fault("x = I[m] << 1", kKind, 1, 5, "expected index expressions around '<<'", "found i32[m]");
  expect_body_fault("x = ceildiv(eps, 2)", kKind, 1, 13, "expected the dividend of ceildiv", "found f32[]");
  expect_body_fault("x[m] = 0.0; y = x[0] else 1.0", kKind, 1, 22, "expected a load before 'else'",
                    "found an element of the tile 'x'");
  expect_body_fault("x[m] assume = 0.0", kKind, 1, 1, "expected a buffer or memory before 'assume'", "found 'x'");
  expect_body_fault("C[m: 3, n] = 0.0", kKind, 1, 6, "expected ',' or ']'", "found an extent");
  expect_body_fault("C[m, n] in shared = 0.0", kKind, 1, 1, "expected a tile to place", "found the buffer 'C'");
}

// ---- Types and axes ------------------------------------------------------------------------------------------------

TEST(ParserErrors, MissingCasts) {
  constexpr auto kType = DiagCode::TypeMismatch;
  expect_body_fault("x = A[m, 0] + H[m, 0]", kType, 1, 5, "expected one element type on both sides of '+'",
                    "found f32[m] and f16[m]", "write f32(H[m, 0])");
  expect_body_fault("x = Q[m, 0] * A[m, 0]", kType, 1, 5, "both sides of '*'", "found T[m] and f32[m]",
                    "write f32(Q[m, 0])");
  expect_body_fault("x = A[m, 0] * i", kType, 1, 5, "both sides of '*'", "found f32[m] and index[]", "write f32(i)");
  expect_body_fault("x = 2.0 * i", kType, 1, 5, "expected an integer of type index", "found the number 2.0", "f32(x)");
}

TEST(ParserErrors, Types) {
  constexpr auto kType = DiagCode::TypeMismatch;
  expect_body_fault("x = i && true", kType, 1, 5, "expected bool around '&&'", "found an index expression", "i != 0");
  expect_body_fault("if i { }", kType, 1, 4, "expected a bool condition", "found an index expression", "i != 0");
  expect_body_fault("if A[m, 0] < 1.0 { }", kType, 1, 4, "expected a bool condition without axes", "found bool[m]",
                    "select");
  expect_body_fault("x = exp(i + 1)", kType, 1, 9, "expected a float tile in exp", "found an index expression",
                    "f32(i + 1)");
  expect_body_fault("x = I[m] + 1.5", kType, 1, 12, "expected an integer of type i32", "found the number 1.5",
                    "f32(x)");
  expect_body_fault("x = true; y = x == 1", kType, 1, 20, "expected bool", "found the number 1", "true or false");
  expect_body_fault("x = select(i < 1, A[m, 0], H[m, 0])", kType, 1, 19, "both sides of select",
                    "found f32[m] and f16[m]", "f32(H[m, 0])");
  expect_body_fault("x = A[m, 0] else true", kType, 1, 18, "expected f32 without axes after 'else'", "found bool[]",
                    "write f32(true)");
  expect_body_fault("x = A[m, 0] else B[k, 0]", DiagCode::AxisMismatch, 1, 18, "expected f32 without axes",
                    "found f32[k]", "select");
  expect_body_fault("x = i8(eps)", DiagCode::ReservedType, 1, 5, "expected f32, f16", "found i8, which is reserved");
}

TEST(ParserErrors, Stores) {
  constexpr auto kType = DiagCode::TypeMismatch;
  expect_body_fault("acc[m, n] = 0.0\nD[m, n] = acc", kType, 2, 11, "expected T, the element type of 'D'",
                    "found f32[m, n]", "write T(acc)");
  expect_body_fault("C[m, n] = H[m, n]", kType, 1, 11, "expected f32", "found f16[m, n]", "write f32(H[m, n])");
  expect_body_fault("C[m, n] = m", kType, 1, 11, "expected f32", "found index[m]", "write f32(m)");
  expect_body_fault("C[m] = 0.0", DiagCode::RankMismatch, 1, 1, "2 dimensions", "found 1 coordinates");
  expect_body_fault("C[i, n] = A[m, 0]", DiagCode::AxisMismatch, 1, 1, "axis m", "'C'");
}

TEST(ParserErrors, Axes) {
  constexpr auto kAxes = DiagCode::AxisMismatch;
  expect_body_fault("x[m] = A[m, k]", kAxes, 1, 8, "axis k", "[m]", "sum");
  expect_body_fault("x[m, m] = 0.0", kAxes, 1, 6, "expected each axis once", "found 'm' twice");
  expect_body_fault("x = A[m, 0]; y = relabel(x, n: k)", kAxes, 1, 29, "expected an axis of f32[m]", "found 'n'");
  expect_body_fault("x = A[m, 0]; y = x[m, n]", DiagCode::RankMismatch, 1, 18, "expected 1 coordinates", "found 2");
  expect_body_fault("x = mma(A[m, k], B[k, n], A[m, k])", DiagCode::MmaRoles, 1, 5, "n",
                    "mma(f32[m, k], f32[k, n], f32[m, k])");
}

TEST(ParserErrors, Calls) {
  constexpr auto kCall = DiagCode::CallArguments;
  expect_body_fault("x = exp(eps, eps)", kCall, 1, 5, "expected 1 argument of exp", "found 2");
  expect_body_fault("x = max(eps)", kCall, 1, 5, "expected 2 to 3 arguments of max", "found 1");
  expect_body_fault("x = f(eps)", kCall, 1, 5, "expected 2 arguments of f", "found 1", "", "fn f(x, y) { return x }");
  expect_body_fault("x = sum(A[m, k], k, sideways)", kCall, 1, 21, "expected unordered_tree", "found 'sideways'");
  expect_body_fault("x = mma(A[m, k], B[k, n], 0.0, fast)", kCall, 1, 32, "expected 'ordered' or 'relaxed'",
                    "found fast", "10 bits");
  expect_body_fault("x = mma(A[m, k], B[k, n], 0.0, ordered, 2)", kCall, 1, 41, "expected 'ordered' or 'relaxed'",
                    "found 2");
  for (const std::string word : {"relaxed", "ordered"})
    expect_body_fault("x = mma(A[m, k], B[k, n], 0.0, " + word + ", " + word + ")", kCall, 1, 41,
                      "expected each word of mma once", "found '" + word + "' twice", "leave the second one out");
  expect_body_fault("x = mma(A[m, k], B[k, n], 0.0, ordered, relaxed, ordered)", kCall, 1, 5,
                    "expected 3 to 5 arguments of mma", "found 6");
  expect_body_fault("a[m, k] = i32(1); b[k, n] = i32(1); c[m, n] = i32(0); x = mma(a, b, c, relaxed)",
                    DiagCode::TypeMismatch, 1, 59, "expected float operands of a relaxed mma",
                    "found mma(i32[m, k], i32[k, n], i32[m, n])", "leave 'relaxed' out");
  expect_body_fault("x = relabel(A[m, k], m)", kCall, 1, 22, "expected a pair of axes", "found m");
  expect_body_fault("x = exp(m: k)", kCall, 1, 12, "expected ',' or ')'", "found a pair of axes", "relabel");
  expect_body_fault("x = broadcast()", kCall, 1, 5, "expected at least 1 arguments", "found 0");
  expect_body_fault("x = f(eps)", kCall, 0, 18, "expected a function that ends", "found a call of 'f' inside itself",
                    "loop", "fn f(x) { return f(x) }");
  expect_body_fault("x = f(eps)", kCall, 0, 43, "expected a function that ends", "found a call of 'f' inside itself",
                    "", "fn f(x) { return g(x) }; fn g(x) { return f(x) }");
}

TEST(ParserErrors, FaultsInFunctionsNameTheirCalls) {
  const Diags diags = faults_of(text_around("x = f(eps)", "fn f(x) { return g(x) } fn g(x) { return x + H2 }"));
  ASSERT_EQ(diags.size(), 1u) << render(diags);
  ASSERT_EQ(diags[0].notes.size(), 2u);
  EXPECT_EQ(diags[0].notes[0].message, "in the call of 'g' here");
  EXPECT_EQ(diags[0].notes[1].message, "in the call of 'f' here");
  EXPECT_EQ(diags[0].notes[1].place.line, kBodyLine);
}

// ---- Structure -----------------------------------------------------------------------------------------------------

TEST(ParserErrors, Carries) {
  expect_body_fault("s[m] = 0.0\nserial t in 2 {\n  s = H[m, 0]\n}", DiagCode::CarryType, 3, 3, "f32[m]", "f16[m]");
  expect_body_fault("s[m] = 0.0\nparallel t in 2 {\n  s = s + 1.0\n}", DiagCode::ParallelCarry, 3, 3, "parallel region",
                    "'s'", "serial");
}

TEST(ParserErrors, ReduceRegions) {
  constexpr auto kReduce = DiagCode::ReduceAccess;
  expect_body_fault("s[] = 0.0\nreduce t in 2 {\n  s += 1\n  x = s\n}", kReduce, 4, 7, "'s'", "cannot be read",
                    "serial");
  expect_body_fault("s[] = 0.0\nreduce t in 2 {\n  s += 1\n  s += 2\n}", kReduce, 4, 3, "'s'", "folded twice");
  expect_body_fault("s[] = 0.0\nreduce t in 2 {\n  s = 1.0\n}", kReduce, 3, 3, "s", "reduce", "+=");
  expect_body_fault("s[] = 0.0\nreduce t in 2 {\n  if t < 1 {\n    s += 1\n  }\n}", kReduce, 4, 5, "'s'", "body level");
}

TEST(ParserErrors, SeveralTypeFaultsInOneText) {
  const Diags diags =
      faults_of(text_around("x = A[m, 0] + H[m, 0]\ny = x + 1\nz = exp(i)\nC[m, n] = H[m, n]\nw = nope"));
  ASSERT_EQ(diags.size(), 4u) << render(diags);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t lines[] = {0, 2, 3, 4};
    EXPECT_EQ(diags[i].place.line, kBodyLine + lines[i]) << render(diags[i]);
  }
}

TEST(ParserErrors, RenderingShowsThePlace) {
  const Diags diags = faults_of(text_around("acc[m, n] = 0.0\nD[m, n] = acc"));
  EXPECT_EQ(render(diags),
            "test.tile:15:11: error: expected T, the element type of 'D', found f32[m, n] [TypeMismatch]\n"
            "  D[m, n] = acc\n            ^~~\n  try: write T(acc)\n");
}

// ---- Hostile texts -------------------------------------------------------------------------------------------------

std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

/// A refusal that takes forever meets the time limit of ctest.
void expect_refused(const std::string& text, DiagCode code) {
  const Result<Program> program = parse_program(text, "test.tile");
  ASSERT_FALSE(program) << text.substr(0, 200);
  EXPECT_EQ(diag_code_name(program.error()[0].code), diag_code_name(code)) << render(program.error()).substr(0, 2000);
}

TEST(ParserLimits, Nesting) {
  constexpr auto kDeep = DiagCode::NestingTooDeep;
  for (std::size_t count : {kMaxNesting + 1, 20'000u}) {
    expect_refused(text_around("x = " + repeated("(", count) + "1" + repeated(")", count)), kDeep);
    expect_refused(text_around("x = " + repeated("- ", count) + "eps"), kDeep);
    expect_refused(text_around("x = " + repeated("!", count) + "true"), kDeep);
    expect_refused(text_around("x = " + repeated("exp(", count) + "eps" + repeated(")", count)), kDeep);
    expect_refused(text_around("x = " + repeated("A[", count)), kDeep);
    expect_refused(text_around(repeated("if true {\n", count) + repeated("}\n", count)), kDeep);
    expect_refused(text_around(repeated("if true { } else ", count) + "{ }"), kDeep);
    expect_refused(text_around("x = " + repeated("eps[] else ", count) + "1.0"), kDeep);
  }
  EXPECT_TRUE(parse_program(text_around("x = " + repeated("(", 200) + "1" + repeated(")", 200)), ""));
}

TEST(ParserLimits, LongChainsAndLists) {
  EXPECT_TRUE(parse_program(text_around("x = eps" + repeated(" + eps", 900)), ""));
  expect_refused(text_around("x = eps" + repeated(" + eps", 100'000)), DiagCode::NestingTooDeep);
  expect_refused(text_around("x = A[0" + repeated(", 0", 100'000) + "]"), DiagCode::NestingTooDeep);
  expect_refused(text_around("x = max(0" + repeated(", 0", 100'000) + ")"), DiagCode::NestingTooDeep);
}

TEST(ParserLimits, SharedIndexExpressions) {
  std::string body = "a0 = i + 1\n";
  for (int n = 1; n < 60; ++n)
    body += "a" + std::to_string(n) + " = a" + std::to_string(n - 1) + " * a" + std::to_string(n - 1) + "\n";
  expect_refused(text_around(body), DiagCode::NestingTooDeep);
}

TEST(ParserLimits, Inlining) {
  std::string functions = "fn h0(x) { y = x; return y } ";
  for (int n = 1; n < 60; ++n) {
    const std::string f = "h" + std::to_string(n - 1);
    functions += "fn h" + std::to_string(n) + "(x) { a = " + f + "(x); b = " + f + "(x); return a + b } ";
  }
  expect_refused(text_around("x = h59(eps)", functions), DiagCode::NestingTooDeep);
  std::string chain = "fn g0(x) { return x } ";
  for (int n = 1; n < 5000; ++n)
    chain += "fn g" + std::to_string(n) + "(x) { return g" + std::to_string(n - 1) + "(x) } ";
  expect_refused(text_around("x = g4999(eps)", chain), DiagCode::NestingTooDeep);
}

TEST(ParserLimits, ManyAxes) {
  std::string body;
  for (int n = 0; n < 3; ++n) {
    std::string axes;
    for (int a = 0; a < 30; ++a) axes += (a ? ", a" : "a") + std::to_string(n) + "_" + std::to_string(a) + ": 1";
    body += "t" + std::to_string(n) + "[" + axes + "] = 0.0\n";
  }
  expect_refused(text_around(body + "x = t0 + t1 + t2"), DiagCode::NestingTooDeep);
}

TEST(ParserLimits, Garbage) {
  EXPECT_FALSE(parse_program(std::string(1000, '\0'), "test.tile"));
  EXPECT_FALSE(parse_program(repeated("\xff\xfe\n", 10'000), "test.tile"));
  EXPECT_FALSE(parse_program(repeated("{", 100'000), "test.tile"));
  EXPECT_FALSE(parse_program(repeated("fn ", 100'000), "test.tile"));
  EXPECT_FALSE(parse_program(repeated("program ", 100'000), "test.tile"));
  EXPECT_FALSE(parse_program(repeated("\"", 100'001), "test.tile"));
  EXPECT_FALSE(parse_program(text_around(repeated("x = [\n", 50'000)), "test.tile"));
  EXPECT_FALSE(parse_program(std::string(kMaxTextBytes + 1, ' '), "test.tile"));
  // A line too long to be shown keeps its place.
  const Diags diags = faults_of("program p() { " + std::string(100'000, ' ') + "x = }");
  EXPECT_EQ(diags[0].place.column, 100'019u);
  EXPECT_TRUE(diags[0].place.source_line.empty());
}

TEST(ParserLimits, EveryPrefixAndEveryMissingByteIsHandled) {
  const std::string text = text_around(
      "memory P: f32[4] in shared layout(r) = r\nacc[m, n] = 0.0\npipeline s in K window 2 {\n  a = A[m, s] assume "
      "else 0\n"
      "  if s < 3 && !(i == 2) { acc += f32(a) } else { stage \"x\" }\n}\nC[m, n] = max(acc, 1e-3)",
      "fn f(x, y) { return x * -y }");
  ASSERT_TRUE(parse_program(text, ""));
  for (std::size_t n = 0; n < text.size(); ++n) {
    const Result<Program> prefix = parse_program(std::string_view(text).substr(0, n), "test.tile");
    EXPECT_TRUE(prefix || !render(prefix.error()).empty());
    std::string without = text;
    without.erase(n, 1);
    const Result<Program> shorter = parse_program(without, "test.tile");
    EXPECT_TRUE(shorter || !render(shorter.error()).empty());
  }
}

}  // namespace
}  // namespace tilewright::tile
