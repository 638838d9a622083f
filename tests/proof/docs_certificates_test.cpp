// The worked examples of docs/proofs.md: every certificate printed there is what the prover says today, parses, and
// re-checks. A block begins with ```certificate EXAMPLE, where EXAMPLE is one of the names below, or a program of the
// library with sizes (none: open). TILEWRIGHT_UPDATE=1 rewrites the blocks.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proof/check/check_map.h"
#include "proof/check/check_trace.h"
#include "proof/fence_redundant.h"
#include "proof/map_bijective.h"
#include "proof/map_exact_cover.h"
#include "proof/map_injective.h"
#include "proof/map_total_in_bounds.h"
#include "proof/prove_program.h"
#include "proof/subgroups_independent.h"
#include "proof/trace_cases.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof::docs_certificates_test {
namespace {

const std::filesystem::path kSourceRoot = TILEWRIGHT_SOURCE_DIR;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A certificate and its checker.
struct Answer {
  Certificate certificate;
  std::function<Result<void>(const Certificate&)> check;
};

template <class Family>
std::optional<Certificate> certificate_in(const Verdict<Family>& verdict) {
  const auto* proved = std::get_if<Proved<Family>>(&verdict);
  return proved != nullptr ? std::optional(proved->certificate()) : std::nullopt;
}

std::optional<Answer> about_map(const std::string& family, const std::string& text) {
  const auto guarded = parse_guarded_map(text);
  EXPECT_TRUE(guarded) << text;
  if (family == MapExactCover::kId) {
    const auto found = certificate_in(prove_map_exact_cover(*guarded));
    if (!found) return std::nullopt;
    return Answer{*found, [map = *guarded](const Certificate& c) { return check_map_exact_cover(c, map); }};
  }
  const IndexMap& map = guarded->map;
  const auto total = prove_map_total_in_bounds(map);
  const auto* token = std::get_if<Proved<MapTotalInBounds>>(&total);
  if (token == nullptr) return std::nullopt;
  if (family == MapTotalInBounds::kId)
    return Answer{token->certificate(), [map](const Certificate& c) { return check_map_total_in_bounds(c, map); }};
  if (family == MapInjective::kId)
    return Answer{certificate_in(prove_map_injective(map, *token)).value(),
                  [map](const Certificate& c) { return check_map_injective(c, map); }};
  if (family == MapBijective::kId)
    return Answer{certificate_in(prove_map_bijective(map, *token)).value(),
                  [map](const Certificate& c) { return check_map_bijective(c, map); }};
  return std::nullopt;
}

/// Two copies to different shared tiles, which one fence publishes together.
EffectTrace two_copies() {
  TraceWriter w;
  w.trace.shared_allocations = 2;
  return w.finish({w.step({external(0)}, {shared(0)}), w.fence(1), w.step({external(1)}, {shared(1)}), w.fence(2),
                   w.step({shared(0), shared(1), local(0)}, {local(0)}), w.fence(3)});
}

/// A product that each subgroup makes for itself, from device memory.
EffectTrace own_products() {
  TraceWriter w;
  w.trace.immutable_inputs = {0, 1};
  w.trace.premises = {{Guarantor::Launch, "distinct buffer arguments do not overlap (checked at launch)"},
                      {Guarantor::Proof, "the parts of the output are disjoint"}};
  const auto init = w.step({StepRole::PrivateInit, {}, {local(0)}, false, true, false});
  const auto first = w.fence(1);
  const auto product = w.step({StepRole::Matrix, {external(0), external(1), local(0)}, {local(0)}, false, true, false});
  const auto loop = w.loop({product, w.fence(2)}, 8);
  return w.finish({init, first, loop, w.step({StepRole::OutputStore, {local(0)}, {external(2)}, false, true, true})});
}

std::optional<Answer> about_trace(const std::string& family, const EffectTrace& trace) {
  constexpr std::uint32_t kFence = 1;
  if (family == FenceRedundant::kId)
    return Answer{certificate_in(prove_fence_redundant(trace, kFence)).value(),
                  [trace](const Certificate& c) { return check_fence_redundant(c, trace, kFence); }};
  if (family == SubgroupsIndependent::kId)
    return Answer{certificate_in(prove_subgroups_independent(trace)).value(),
                  [trace](const Certificate& c) { return check_subgroups_independent(c, trace); }};
  return std::nullopt;
}

/// "gemm M=100 N=60": the first proof of the family about a program of the library.
std::optional<Answer> about_program(const std::string& family, const std::string& name) {
  std::istringstream words(name);
  std::string program_name, word;
  words >> program_name;
  tile::Bindings bindings;
  while (words >> word) bindings.numbers[word.substr(0, word.find('='))] = std::stoll(word.substr(word.find('=') + 1));
  const auto parsed =
      tile::parse_program(content_of(kSourceRoot / "programs" / (program_name + ".tile")), program_name);
  EXPECT_TRUE(parsed) << name;
  if (!parsed) return std::nullopt;
  const auto program = bindings.numbers.empty() ? tile::choose_params(*parsed, {}) : tile::bind(*parsed, bindings);
  EXPECT_TRUE(program) << name << render(program.error());
  const Assumptions assumptions{{true, analysis::AliasPromise::Origin::LaunchCheck}, 1};
  for (const Finding& finding : prove_program(*program, assumptions).findings)
    if (finding.family == family && finding.kind == Finding::Kind::Proved)
      return Answer{*finding.certificate, [finding, program = *program, assumptions](const Certificate& certificate) {
                      Finding read = finding;
                      read.certificate = std::make_shared<const Certificate>(certificate);
                      return recheck(program, assumptions, read);
                    }};
  return std::nullopt;
}

std::optional<Answer> answer_to(const std::string& family, const std::string& example) {
  const std::map<std::string, std::string> maps = {
      {"swizzle", "in 8, 16\nout 128\nto (d0 * 16) + (d1 ^ d0)\n"},
      {"padded rows", "in 8, 16\nout 136\nto (d0 * 17) + d1\n"},
      {"three tiles", "in 3, 32\nout 70\nto (d0 * 32) + d1\nif (d0 * 32) + d1 < 70\n"},
  };
  if (const auto map = maps.find(example); map != maps.end()) return about_map(family, map->second);
  if (example == "two copies") return about_trace(family, two_copies());
  if (example == "own products") return about_trace(family, own_products());
  return about_program(family, example);
}

struct Block {
  std::size_t begin = 0, size = 0;  ///< of its body in the page
  std::string example, body;
};

std::vector<Block> blocks_of(const std::string& page) {
  static const std::string kOpen = "\n```certificate ";
  std::vector<Block> blocks;
  for (auto at = page.find(kOpen); at != std::string::npos; at = page.find(kOpen, at + 1)) {
    const auto line = at + kOpen.size();
    const auto body = page.find('\n', line) + 1;
    const auto end = page.find("```\n", body);
    blocks.push_back({body, end - body, page.substr(line, body - 1 - line), page.substr(body, end - body)});
  }
  return blocks;
}

std::string family_of(const std::string& certificate) {
  const std::string head = certificate.substr(0, certificate.find('\n'));
  return head.substr(head.find(' ') + 1);
}

TEST(ProofDocs, CertificatesAreWhatTheProverSays) {
  const auto path = kSourceRoot / "docs/proofs.md";
  std::string page = content_of(path), updated = page;
  std::vector<Block> blocks = blocks_of(page);
  std::set<std::string> shown;
  std::reverse(blocks.begin(), blocks.end());  // so that a block that grows moves none that follows
  for (const Block& block : blocks) {
    const std::string family = family_of(block.body);
    SCOPED_TRACE(family + " about " + block.example);
    shown.insert(family);
    const auto answer = answer_to(family, block.example);
    ASSERT_TRUE(answer) << "not proved";
    updated.replace(block.begin, block.size, print_certificate(answer->certificate));
    if (std::getenv("TILEWRIGHT_UPDATE") != nullptr) continue;
    EXPECT_EQ(block.body, print_certificate(answer->certificate));
    const auto read = parse_certificate(block.body);
    ASSERT_TRUE(read) << render(read.error());
    const auto held = answer->check(*read);
    EXPECT_TRUE(held) << render(held.error());
  }
  if (std::getenv("TILEWRIGHT_UPDATE") != nullptr) std::ofstream(path, std::ios::binary) << updated;
  EXPECT_EQ(page.find("\n```\ncertificate "), std::string::npos) << "a certificate without the name of its example";

  const std::regex id(R"re(std::string_view kId = "([a-z_.]+)")re");
  for (const auto& entry : std::filesystem::directory_iterator(kSourceRoot / "src/proof")) {
    if (entry.path().extension() != ".h") continue;
    const std::string header = content_of(entry.path());
    for (std::sregex_iterator it(header.begin(), header.end(), id), end; it != end; ++it)
      EXPECT_TRUE(shown.contains((*it)[1].str())) << "no worked example of " << (*it)[1];
  }
}

}  // namespace
}  // namespace tilewright::proof::docs_certificates_test
