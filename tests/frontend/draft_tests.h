// Shared by the tests of the DSL: what a draft gives, and how it compares with a text.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <tilewright/dsl.h>

#include "frontend/capture.h"
#include "tile/parser.h"
#include "tile/printer.h"
#include "tile/verifier.h"

namespace tilewright {

inline Result<tile::Program> verified(dsl::Draft& draft) {
  auto program = frontend::capture(draft);
  if (!program) return program;
  auto sound = tile::verify(*program);
  if (!sound) return std::unexpected(sound.error());
  return program;
}

/// The draft gives the program of the text, and prints as it.
inline void expect_same(dsl::Draft& draft, const std::string& text) {
  auto parsed = tile::parse_program(text, "text");
  ASSERT_TRUE(parsed) << render(parsed.error());
  auto program = frontend::capture(draft);
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(tile::print_program(*program), tile::print_program(*parsed));
  EXPECT_TRUE(*program == *parsed);
  auto sound = tile::verify(*program);
  EXPECT_TRUE(sound) << render(sound.error());
}

/// Exactly this fault, at this line of this file (0: any).
inline void expect_fault(const Result<tile::Program>& result, DiagCode code, unsigned line = 0) {
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u) << render(result.error());
  const Diag& diag = result.error()[0];
  EXPECT_EQ(diag_code_name(diag.code), diag_code_name(code)) << render(result.error());
  if (line == 0) return;
  EXPECT_NE(diag.place.file.find("_test.cpp"), std::string::npos) << render(result.error());
  EXPECT_EQ(diag.place.line, line) << render(result.error());
}

/// A draft with buffers, for tests of one launch over the rows i; the text is the same declarations around a body.
struct Sheet {
  dsl::Draft p{"sheet"};
  dsl::Index M = p.symbol("M"), N = p.symbol("N");
  dsl::Buffer A = p.in("A", dsl::f32, {M, N}), I = p.in("I", dsl::i32, {M}), H = p.in("H", dsl::f16, {M, N});
  dsl::Buffer alpha = p.scalar("alpha", dsl::f32, 1.0);
  dsl::Buffer C = p.inout("C", dsl::f32, {M, N});
  dsl::Axis m = p.axis("m", 4), n = p.axis("n", 8), k = p.axis("k", 2);

  static std::string text(const std::string& body) {
    return "program sheet(M, N) {\n"
           "  in A: f32[M, N]\n  in I: i32[M]\n  in H: f16[M, N]\n  in alpha: f32 = 1.0\n  inout C: f32[M, N]\n"
           "  parallel i in M {\n    axis m: 4, n: 8, k: 2\n" +
           body + "\n  }\n}\n";
  }

  /// The launch around what `write` says gives the program of the body.
  template <class Write>
  void expect_body(Write write, const std::string& body) {
    for (auto [i] : p.parallel({"i", M})) write(i);
    expect_same(p, text(body));
  }
  template <class Write>
  Result<tile::Program> run(Write write) {
    for (auto [i] : p.parallel({"i", M})) write(i);
    return verified(p);
  }
};

}  // namespace tilewright
