// The matrix families against plain loops and against the features that a text was made of.
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/matrix_cases.h"
#include "proof/store_bounded_prefix.h"

namespace tilewright::proof {
namespace {

/// kind of each finding of a family, first operation; rechecked when proved.
struct Asked {
  std::map<std::string, Finding> first;
  bool proved(const std::string& family) const {
    const auto at = first.find(family);
    return at != first.end() && at->second.kind == Finding::Kind::Proved;
  }
  bool refuted(const std::string& family) const {
    const auto at = first.find(family);
    return at != first.end() && at->second.kind == Finding::Kind::Refuted;
  }
};

Asked ask_everything(const tile::Program& program) {
  Asked asked;
  const sets::Context context;
  for (Finding& finding : prove_matrix_questions(make_subject(program, noalias()), context)) {
    if (finding.kind == Finding::Kind::Proved) {
      const auto held = recheck_matrix(program, noalias(), finding);
      EXPECT_TRUE(held && *held) << print_certificate(*finding.certificate);
    }
    asked.first.emplace(finding.family, finding);
  }
  return asked;
}

struct Features {
  int steps = 0, init = 0, observer = 0, order = 0, sink = 0;
};

Changes changes_of(const Features& features) {
  const char* const inits[] = {"0.0", "-0.0", "1.0", "bias[j*8 + n]"};
  const std::string mma = features.order == 0 ? "mma(a, b, acc)" : "mma(a, b, acc, ordered)";
  const std::string updates[] = {"acc = " + mma, "acc = " + mma + "\n      D[i*8 + m, j*8 + n] = acc",
                                 "D[i*8 + m, j*8 + n] = acc\n      acc = " + mma};
  const std::string store = "C[i*8 + m, j*8 + n] = ";
  const std::string sinks[] = {store + "acc", store + "max(acc, 0.0)", store + "acc + bias[j*8 + n]",
                               store + "acc\n    D[j, i] = acc[0, 0]", "if i == 0 {\n      " + store + "acc\n    }"};
  return {{"= 0.0", std::string("= ") + inits[features.init]},
          {"acc = mma(a, b, acc)", updates[features.observer]},
          {store + "acc", sinks[features.sink]}};
}

void expect_verdicts(const Features& is, const Asked& asked) {
  const bool closed = is.steps > 0 && is.observer == 0;
  const bool direct = closed && is.init != 3 && is.sink == 0;
  const bool overwrite = closed && is.steps <= 4 && is.init == 0 && is.order == 0;
  const bool epilogue = closed && is.sink <= 2;
  EXPECT_EQ(asked.proved("recurrence.closed"), closed);
  EXPECT_EQ(asked.refuted("recurrence.closed"), !closed);
  EXPECT_EQ(asked.proved("output.direct"), direct);
  EXPECT_EQ(asked.refuted("output.direct"), !direct);
  EXPECT_EQ(asked.proved("overwrite.allowed"), overwrite);
  EXPECT_EQ(asked.refuted("overwrite.allowed"), !overwrite);
  EXPECT_EQ(asked.proved("epilogue.same_owner"), epilogue);
  EXPECT_EQ(asked.proved("operands.congruent"), is.sink == 2);
  EXPECT_EQ(asked.proved("load.forwardable"), is.order == 0);
  EXPECT_EQ(asked.proved("extent.bounded_mn"), is.order == 0);
}

TEST(MatrixEnumeration, EveryCombinationOfFeatures) {
  int programs = 0;
  for (int steps : {0, 1, 4, 5})
    for (int init = 0; init < 4; ++init)
      for (int observer = 0; observer < 3; ++observer)
        for (int order = 0; order < 2; ++order)
          for (int sink = 0; sink < 5; ++sink) {
            if (++programs % (kSanitized ? 9 : 1) != 0) continue;
            const Features features{steps, init, observer, order, sink};
            SCOPED_TRACE(fmt::format("{} {} {} {} {}", steps, init, observer, order, sink));
            const tile::Program program =
                matrix_program(product_text(changes_of(features)), {{"M", 13}, {"N", 11}, {"K", steps}});
            expect_verdicts(features, ask_everything(program));
          }
  EXPECT_EQ(programs, 480);
}

void expect_quarters(const std::map<bool, int>& seen) {
  int total = 0;
  for (const auto& [holds, count] : seen) total += count;
  for (const auto& [holds, count] : seen) EXPECT_GE(count * 5, total) << holds;
  EXPECT_EQ(seen.size(), 2u);
}

struct RandomDraw {
  std::mt19937 random;
  int operator()(int low, int high) { return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)); }
};

/// Whether what lies inside is a prefix with an origin of at least 0, by visiting every point.
bool prefix_by_loops(int size, int regions, int step, int coefficient, int constant) {
  for (int i = 0; i < regions; ++i) {
    if (coefficient != 1 || i * step + constant < 0) return false;
    for (int a = 0; a < 4; ++a) {
      const int at = i * step + a + constant;
      if ((at < size) != (a < std::max(0, size - (i * step + constant)))) return false;
    }
  }
  return true;
}

TEST(MatrixEnumeration, RandomStores) {
  RandomDraw draw{std::mt19937(20261130)};
  std::map<bool, int> seen;
  for (int n = 0; n < case_count(2000); ++n) {
    const int size = draw(1, 30), regions = draw(1, 5), step = draw(-3, 9), constant = draw(-2, 12);
    const int coefficient = draw(0, 5) == 0 ? 2 : 1;
    const std::string at = fmt::format("i*{} + a*{} + {}", step, coefficient, constant);
    const tile::Program program = matrix_program(fmt::format("program p() {{\n inout Y: f32[{}]\n parallel i in {} {{\n"
                                                             " axis a: 4\n Y[{}] = 1.0\n }}\n}}",
                                                             size, regions, at),
                                                 {});
    const bool expected = prefix_by_loops(size, regions, step, coefficient, constant);
    const Asked asked = ask_everything(program);
    EXPECT_EQ(asked.proved("store.bounded_prefix"), expected) << at << " of " << size << ", i in " << regions;
    EXPECT_EQ(asked.refuted("store.bounded_prefix"), !expected) << at << " of " << size << ", i in " << regions;
    ++seen[expected];
  }
  expect_quarters(seen);
}

struct Side {
  int extent, step, constant;
};

bool extents_by_loops(const Side& a, const Side& b, int trips) {
  for (int s = 0; s < trips; ++s) {
    const int at_a = s * a.step + a.constant, at_b = s * b.step + b.constant;
    if (at_a < 0 || at_b < 0 || at_a >= a.extent || at_b >= b.extent || a.extent - at_a != b.extent - at_b)
      return false;
  }
  return true;
}

TEST(MatrixEnumeration, RandomContractions) {
  RandomDraw draw{std::mt19937(7)};
  std::map<bool, int> seen;
  for (int n = 0; n < case_count(1000); ++n) {
    Side a{draw(1, 16), draw(1, 4), draw(-1, 2)}, b = a;
    if (draw(0, 2) == 0) b.constant += draw(-1, 1);
    if (draw(0, 2) == 0) b.extent = std::max(1, b.extent + b.constant - a.constant);
    if (draw(0, 4) == 0) b.step = draw(1, 4);
    const int trips = draw(0, 4);
    const tile::Program program =
        matrix_program(product_text({{"A: f32[M, K]", fmt::format("A: f32[M, {}]", a.extent)},
                                     {"B: f32[K, N]", fmt::format("B: f32[{}, N]", b.extent)},
                                     {"ceildiv(K, 4)", std::to_string(trips)},
                                     {"s*4 + k]", fmt::format("s*{} + k + {}]", a.step, a.constant)},
                                     {"B[s*4 + k", fmt::format("B[s*{} + k + {}", b.step, b.constant)}}));
    const bool expected = extents_by_loops(a, b, trips);
    const Asked asked = ask_everything(program);
    EXPECT_EQ(asked.proved("extent.bounded_mn"), expected);
    EXPECT_EQ(asked.refuted("extent.bounded_mn"), !expected);
    ++seen[expected];
  }
  expect_quarters(seen);
}

TEST(MatrixEnumeration, AQuotaIsUnknown) {
  // Rounded up by hand, so that only the sets know where the last step begins.
  const tile::Program open = matrix_program(product_text({{"ceildiv(K, 4)", "(K + 3)/4"}}), {});
  sets::Context context;
  context.set_quota(1);
  int quotas = 0;
  for (const Finding& finding : prove_matrix_questions(make_subject(open, noalias()), context)) {
    if (finding.family != "extent.bounded_mn") continue;
    EXPECT_EQ(finding.kind, Finding::Kind::Unknown) << finding.family;
    EXPECT_EQ(finding.code, "quota") << finding.family;
    ++quotas;
  }
  EXPECT_EQ(quotas, 1);
  const tile::Program store = matrix_program(
      "program p(M) {\n out Y: f32[M]\n parallel i in M {\n axis a: 4\n Y[M - 1 - i + a] = 1.0\n }\n}", {});
  for (const Finding& finding : prove_matrix_questions(make_subject(store, noalias()), context))
    EXPECT_EQ(finding.code, StoreBoundedPrefix::kQuota);
}

}  // namespace
}  // namespace tilewright::proof
