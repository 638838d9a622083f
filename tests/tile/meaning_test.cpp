// The meaning hash: what it must not see, and what it must.
#include "tile/meaning.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "case_count.h"
#include "generator.h"
#include "support/files.h"
#include "tile/parser.h"
#include "tile/printer.h"

namespace tilewright::tile {
namespace {

Hash128 hash_of(const std::string& text) {
  const Result<Program> program = parse_program(text, "test.tile");
  if (!program) {
    ADD_FAILURE() << render(program.error()) << text;
    return {};
  }
  return meaning_hash(*program);
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  }
  return text;
}

const char* const kText = R"(program p(M, N; BM: {8, 16} = 8) {
  in A: f32[M, N]
  in B: f32[N]
  out C: f32[M, N]
  require M >= 1, "rows"
  require N <= 4096, "columns"
  parallel i in ceildiv(M, BM) {
    axis m: BM
    total[m] = 0.0
    serial s in N {
      a[m] = A[i*BM + m, s]
      total = total + a * 2.0
    }
    b[n: N] = B[n]
    C[i*BM + m, n] = select(b < 1.0, exp(b) + total, -0.0)
  }
}
)";

TEST(MeaningHash, DoesNotSeeNames) {
  const Hash128 hash = hash_of(kText);
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"program p", "program other"}, {"BM", "ROWS"}, {"total", "sum_of_row"}})));
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"A", "first"}, {"B:", "second:"}, {"B[", "second["}, {"C", "result"}})));
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"M", "height"},
                                           {"N", "width"},
                                           {"[m]", "[row]"},
                                           {" m:", " row:"},
                                           {" m,", " row,"},
                                           {"[n:", "[column:"},
                                           {"[n]", "[column]"},
                                           {", n]", ", column]"}})));
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"\"rows\"", "\"there must be rows\""}})));
  EXPECT_EQ(hash, hash_of(std::string("// A comment.\n") + kText));
}

TEST(MeaningHash, DoesNotSeeTheOrderOfDeclarations) {
  const Hash128 hash = hash_of(kText);
  EXPECT_EQ(hash,
            hash_of(replaced(kText, {{"  in A: f32[M, N]\n  in B: f32[N]\n", "  in B: f32[N]\n  in A: f32[M, N]\n"}})));
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"program p(M, N;", "program p(N, M;"}})));
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"  require M >= 1, \"rows\"\n  require N <= 4096, \"columns\"\n",
                                            "  require N <= 4096, \"columns\"\n  require M >= 1, \"rows\"\n"}})));
  EXPECT_EQ(hash, hash_of(replaced(kText, {{"  in B: f32[N]\n", "  in B: f32[N]\n  in unused: f32[M]\n"}})));
}

TEST(MeaningHash, SeesEverythingElse) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"in A: f32", "in A: f16"},
      {"in A: f32[M, N]", "in A: f32[N, M]"},
      {"out C", "inout C"},
      {"in B: f32[N]", "in B: f32[N + 1]"},
      {"M >= 1", "M >= 2"},
      {"M >= 1", "M > 1"},
      {"  require N <= 4096, \"columns\"\n", ""},
      {"ceildiv(M, BM)", "M"},
      {"axis m: BM", "axis m: BM + 1"},
      {"total[m] = 0.0", "total[m] = -0.0"},
      {"serial s", "pipeline s"},
      {"A[i*BM + m, s]", "A[i*BM + m, s + 1]"},
      {"A[i*BM + m, s]", "A[i*BM + m, s] else 1.0"},
      {"A[i*BM + m, s]", "A[i*BM + m, s, assume]"},
      {"total + a * 2.0", "total - a * 2.0"},
      {"total + a * 2.0", "total + 2.0 * a"},
      {"total + a * 2.0", "total + a * 2.5"},
      {"b < 1.0", "b <= 1.0"},
      {"exp(b)", "log(b)"},
      {"-0.0)", "0.0)"},
      {"C[i*BM + m, n]", "C[m, n]"},
  };
  std::set<std::string> seen{hash_text(hash_of(kText))};
  int applied = 0;
  for (const auto& change : changes) {
    const std::string text = replaced(kText, {change});
    const Result<Program> program = parse_program(text, "test.tile");
    if (!program) continue;  // a form that this version of the text does not have
    ++applied;
    EXPECT_TRUE(seen.insert(hash_text(meaning_hash(*program))).second) << change.first << " -> " << change.second;
  }
  EXPECT_GE(applied, 19);
}

/// The hash of a product without words was in use before the others had theirs.
TEST(MeaningHash, SeesThePermissionsOfAProduct) {
  const std::string text =
      "program p(N) { in A: f32[N, N]\n out C: f32[N, N]\n parallel i in 1 { axis m: N, n: N, k: N\n"
      "c[m, n] = 0.0\n C[m, n] = mma(A[m, k], A[k, n], c) } }";
  std::set<std::string> seen;
  for (const char* words : {"c)", "c, ordered)", "c, relaxed)", "c, ordered, relaxed)"})
    EXPECT_TRUE(seen.insert(hash_text(hash_of(replaced(text, {{"c)", words}})))).second) << words;
  EXPECT_EQ(hash_of(replaced(text, {{"c)", "c, relaxed, ordered)"}})),
            hash_of(replaced(text, {{"c)", "c, ordered, relaxed)"}})));
  EXPECT_EQ(hash_text(hash_of(text)), "41ac0a0870d10b2616f62d3770256f43");
}

TEST(MeaningHash, SurvivesPrintingAndTellsRandomProgramsApart) {
  std::set<std::string> seen;
  const int count = case_count(400, 10);
  for (int seed = 0; seed < count; ++seed) {
    const Program program = generate_program(static_cast<std::uint64_t>(seed), {.legal = true}).family;
    const std::string text = print_program(program);
    const Result<Program> again = parse_program(text, "again");
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(meaning_hash(program), meaning_hash(*again)) << "seed " << seed << "\n" << text;
    seen.insert(hash_text(meaning_hash(program)));
  }
  EXPECT_GE(seen.size(), static_cast<std::size_t>(count) * 9 / 10);
}

}  // namespace
}  // namespace tilewright::tile
