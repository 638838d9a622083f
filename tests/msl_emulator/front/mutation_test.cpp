// Damaged texts: the rewriter answers each with a text or with diagnostics, never with a broken invariant, and keeps
// the number of lines.
#include <algorithm>
#include <random>

#include "case_count.h"
#include "msl_emulator/front/front_test.h"

namespace tilewright::msl_emulator {
namespace {

constexpr const char* kSeed =
    "constant int N [[function_constant(0)]];\n"
    "constant bool B = is_function_constant_defined(N);\n"
    "namespace n { template <class T, int M = 4> struct S { S() thread : x{0} {} T get() const constant { return x[0]; "
    "} T x[M]; }; }\n"
    "template <> struct n::S<device int*> { enum { A = 1 }; };\n"
    "template <class T, void (*F)(int)>\n"
    "[[kernel, max_total_threads_per_threadgroup(64)]] void t(device T* a [[buffer(N + 1)]], constant int& b) {\n"
    "  threadgroup T s[2][M > 2 ? 1 : 2], u; alignas(16) threadgroup float v = {0};\n"
    "# 40 \"k.metal\"\n"
    "  for (int i = 0; i < 4; ++i) { a[i] = s[0][i].xy + 1.0h; }\n"
    "}\n"
    "typedef decltype(t<int, f>) t_t;\n"
    "template [[host_name(\"x\" \"y\")]] [[kernel]] t_t t<int, f>;\n"
    "float g(device float* p) { return *p; } float g(threadgroup float* p) { return *p; }\n"
    "kernel void f(threadgroup float* m [[threadgroup(0)]], uint i [[thread_position_in_grid]]) { m[i] = "
    "static_cast<bfloat>(1); }\n";

/// The seed's pieces: words, numbers, single characters.
std::vector<std::string> seed_pieces() {
  std::vector<std::string> pieces;
  for (const char* at = kSeed; *at != '\0'; ++at) {
    const bool word = std::isalnum(static_cast<unsigned char>(*at)) != 0 || *at == '_';
    const bool joins =
        word && !pieces.empty() &&
        (std::isalnum(static_cast<unsigned char>(pieces.back().back())) != 0 || pieces.back().back() == '_');
    if (joins) {
      pieces.back() += *at;
    } else {
      pieces.emplace_back(1, *at);
    }
  }
  return pieces;
}

std::string damaged(std::mt19937& random) {
  std::vector<std::string> pieces = seed_pieces();
  const auto pick = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
  for (std::size_t edits = 1 + pick(6); edits > 0; --edits) {
    const std::size_t at = pick(pieces.size()), from = pick(pieces.size());
    switch (pick(4)) {
      case 0:
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        pieces[at] = pieces[from];
        break;
      case 2:
        std::swap(pieces[at], pieces[from]);
        break;
      default:
        pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(at), pieces[from]);
        break;
    }
  }
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

TEST(Mutation, DamagedTextsAreAnswered) {
  std::mt19937 random(7);
  int rewritten = 0;
  for (int i = 0; i < case_count(4000); ++i) {
    const std::string text = damaged(random);
    for (const Dialect dialect : {Dialect::OpenCl, Dialect::Cpp20}) {
      RewriteRequest request = rewrite_request(dialect);
      if (i % 2 == 0) request.kernels = {"xy", "f"};
      const auto result = rewrite_text(text, request);
      if (!result) {
        EXPECT_FALSE(result.error().empty());
        for (const Diag& diag : result.error()) EXPECT_FALSE(diag.message.empty());
        continue;
      }
      ++rewritten;
      const std::string body = body_of(result);
      EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), std::count(text.begin(), text.end(), '\n')) << text;
    }
  }
  EXPECT_GT(rewritten, 10);
}

}  // namespace
}  // namespace tilewright::msl_emulator
