#include "proof/matrix_cases.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "proof/altered_certificate.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {

namespace {

// Many tests ask for the same few certificates; altered_certificates_test.cpp tries all alterations.
constexpr std::size_t kAlterationStride = 8;

constexpr const char* kProduct = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  in bias: f32[N]
  out C: f32[M, N]
  inout D: f32[M, N]
  parallel i in ceildiv(M, 8), j in ceildiv(N, 8) {
    axis m: 8, n: 8, k: 4
    acc[m, n] = 0.0
    serial s in ceildiv(K, 4) {
      a[m, k] = A[i*8 + m, s*4 + k]
      b[k, n] = B[s*4 + k, j*8 + n]
      acc = mma(a, b, acc)
    }
    C[i*8 + m, j*8 + n] = acc
  }
}
)";

tile::Program bound(const std::string& text, const Numbers& numbers) {
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error()) << text;
  const auto verified = tile::verify(*family);
  EXPECT_TRUE(verified) << render(verified.error()) << text;
  auto program =
      numbers.empty() ? tile::choose_params(*family, {}) : tile::bind(*family, {.numbers = numbers, .types = {}});
  EXPECT_TRUE(program) << render(program.error());
  return std::move(*program);
}

}  // namespace

std::string product_text(const Changes& changes) {
  std::string text = kProduct;
  for (const auto& [from, to] : changes) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

tile::Program matrix_program(const std::string& text, const Numbers& numbers) { return bound(text, numbers); }

tile::Program library_program(const std::string& name, const Numbers& numbers) {
  std::ifstream file(std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "programs" / (name + ".tile"));
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return bound(text.str(), numbers);
}

Assumptions noalias() { return {{true, analysis::AliasPromise::Origin::Caller}, 1}; }

std::vector<Finding> ask_family(const tile::Program& program, std::string_view family, const Assumptions& assumptions) {
  std::vector<Finding> found;
  const sets::Context context;
  for (Finding& finding : prove_matrix_questions(make_subject(program, assumptions), context)) {
    if (finding.family != family) continue;
    if (finding.kind != Finding::Kind::Proved) {
      EXPECT_FALSE(finding.reason.empty()) << finding.code;
    } else {
      const auto check = [&](const Certificate& certificate) {
        Finding changed = finding;
        changed.certificate = std::make_shared<const Certificate>(certificate);
        return *recheck_matrix(program, assumptions, changed);
      };
      expect_alterations_refused(*finding.certificate, check, kAlterationStride);
    }
    found.push_back(std::move(finding));
  }
  return found;
}

std::string answer(const tile::Program& program, std::string_view family, const Assumptions& assumptions) {
  const std::string all = answers(program, family, assumptions);
  return all.substr(0, all.find(' '));
}

std::string answers(const tile::Program& program, std::string_view family, const Assumptions& assumptions) {
  std::string text;
  for (const Finding& finding : ask_family(program, family, assumptions))
    text += (text.empty() ? "" : " ") +
            (finding.kind == Finding::Kind::Proved ? std::string("proved") : std::string(finding.code));
  return text;
}

}  // namespace tilewright::proof
