// Every verdict about every program of the library at three bindings, against tests/proof/expected/PROGRAM.txt; and the
// codes of all families against docs/proofs.md. TILEWRIGHT_UPDATE=1 rewrites the files: read the difference.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proof/prove_program.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TILEWRIGHT_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot / "programs"))
    if (entry.path().extension() == ".tile") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// Sizes by symbol; a whole number of tiles in every program, or ragged everywhere.
std::int64_t size_of(const std::string& symbol, bool ragged) {
  static const std::map<std::string, std::pair<std::int64_t, std::int64_t>> kSizes = {
      {"B", {2, 1}},      {"G", {2, 3}},      {"Hq", {4, 2}},  {"Hkv", {2, 1}},   {"Lq", {64, 37}}, {"Lk", {64, 45}},
      {"Dv", {16, 5}},    {"W", {34, 9}},     {"F", {64, 7}},  {"R", {3, 3}},     {"S", {3, 2}},    {"pad", {0, 1}},
      {"stride", {1, 2}}, {"causal", {0, 1}}, {"L", {16, 13}}, {"M", {128, 100}}, {"K", {64, 70}},
  };
  const auto found = kSizes.find(symbol);
  if (found == kSizes.end()) return ragged ? 70 : 128;
  return ragged ? found->second.second : found->second.first;
}

tile::Program closed(const tile::Program& family, bool ragged) {
  tile::Bindings bindings;
  for (const tile::Symbol& symbol : family.symbols()) bindings.numbers[symbol.name] = size_of(symbol.name, ragged);
  auto bound = tile::bind(family, bindings);
  EXPECT_TRUE(bound) << render(bound.error());
  return std::move(*bound);
}

/// A line a question: verdict, family, code, and what it is about.
std::string verdict_lines(const std::string& title, const tile::Program& program, bool recheck_too) {
  const Assumptions assumptions{{true, analysis::AliasPromise::Origin::LaunchCheck}, 1};
  std::string text = "== " + title + "\n";
  for (const Finding& finding : prove_program(program, assumptions).findings) {
    text += fmt::format("{:<8} {:<21} {:<16} {}\n", kind_name(finding.kind), finding.family,
                        finding.code.empty() ? std::string("-") : std::string(finding.code), finding.question);
    if (finding.kind != Finding::Kind::Proved || !recheck_too) continue;
    const auto held = recheck(program, assumptions, finding);
    EXPECT_TRUE(held) << title << "\n" << render(held.error()) << print_certificate(*finding.certificate);
  }
  return text;
}

class Verdicts : public testing::TestWithParam<std::string> {};

TEST_P(Verdicts, AreAsExpectedAndRecheck) {
  const auto family = tile::parse_program(text_of(kRoot / "programs" / (GetParam() + ".tile")), GetParam() + ".tile");
  ASSERT_TRUE(family) << render(family.error());
  const auto open = tile::choose_params(*family, {});
  ASSERT_TRUE(open) << render(open.error());
  // The certificates for all sizes take the checkers longest: the command line tests them.
  const std::string found = verdict_lines("whole tiles", closed(*family, false), true) +
                            verdict_lines("ragged", closed(*family, true), true) +
                            verdict_lines("all sizes", *open, false);
  const fs::path file = kRoot / "tests/proof/expected" / (GetParam() + ".txt");
  if (std::getenv("TILEWRIGHT_UPDATE") != nullptr) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << found;
  }
  EXPECT_EQ(found, text_of(file)) << file;
}

/// Every size 0 or 1, each in turn the other one; tiles as written and of one element.
TEST_P(Verdicts, RecheckAtTheSmallestSizes) {
  const auto family = tile::parse_program(text_of(kRoot / "programs" / (GetParam() + ".tile")), GetParam() + ".tile");
  ASSERT_TRUE(family) << render(family.error());
  const auto symbols = static_cast<std::uint32_t>(family->symbols().size());
  int bound = 0;
  for (const std::int64_t usual : {0, 1})
    for (std::uint32_t other = 0; other <= symbols; ++other)
      for (const bool narrow : {false, true}) {
        tile::Bindings bindings;
        for (tile::SymbolId id : family->symbols().ids())
          bindings.numbers[family->symbols()[id].name] = id.index == other ? 1 - usual : usual;
        for (const tile::Param& param : family->params())
          bindings.numbers[param.name] = narrow ? 1 : param.default_value;
        const auto program = tile::bind(*family, bindings);
        if (!program) continue;  // the program requires other sizes
        ++bound;
        verdict_lines(fmt::format("{}, {} but for symbol {}", GetParam(), usual, other), *program, true);
      }
  EXPECT_GT(bound, 3);
}

INSTANTIATE_TEST_SUITE_P(Programs, Verdicts, testing::ValuesIn(program_names()),
                         [](const auto& info) { return info.param; });

TEST(ProofDocs, NameEveryCodeOfEveryFamily) {
  const std::string docs = text_of(kRoot / "docs/proofs.md");
  const std::regex constant(R"re(constexpr std::string_view k\w+ =\s*"([a-z0-9_.]+)")re");
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "src/proof")) {
    if (entry.path().extension() != ".h") continue;
    const std::string header = text_of(entry.path());
    for (std::sregex_iterator it(header.begin(), header.end(), constant), end; it != end; ++it, ++count)
      EXPECT_NE(docs.find((*it)[1].str()), std::string::npos) << entry.path().filename() << ": " << (*it)[1];
  }
  EXPECT_GT(count, 80);
}

}  // namespace
}  // namespace tilewright::proof
