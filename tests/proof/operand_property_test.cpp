// load.forwardable, extent.bounded_k and extent.bounded_mn: verdicts about random small programs against runs of them
// that are written out in full.
#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/check/check_matrix.h"
#include "proof/extent_bounded.h"
#include "proof/load_forwardable.h"
#include "proof/named_points.h"
#include "proof/product_cases.h"
#include "proof/product_truth.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::operand_property_test {
namespace {

constexpr MatrixCheckLimits kOperandLimits{300, 16};

std::uint64_t operand_cases() { return static_cast<std::uint64_t>(case_count(300, 10)); }

std::string operand_text(std::uint64_t seed, const ProductCase& made) {
  return "seed " + std::to_string(seed) + (made.is_open ? ", open" : "") + (made.promised ? ", promised" : "") + "\n" +
         made.text;
}

struct Runs {
  int holds = 0, fails = 0;
};
template <class F>
Runs runs_of(const ProductCase& made, const tile::Program& program, F&& f) {
  Runs runs;
  for (const auto& sizes : made.trials()) {
    const std::optional<bool> one = f(unroll(program, sizes));
    if (one) ++(*one ? runs.holds : runs.fails);
  }
  return runs;
}

TEST(LoadForwardableProperty, AgreesWithRuns) {
  VerdictTally tally("load.forwardable");
  const OperandProfile profile{.open = 15, .unpromised = 40, .use = 55, .bounds = 10, .coordinate = 10, .branch = 5};
  for (std::uint64_t seed = 1; seed <= operand_cases(); ++seed) {
    CaseRandom random(seed);
    const ProductCase made = random_operands(random, profile);
    SCOPED_TRACE(operand_text(seed, made));
    const tile::Program program = made.program();
    const auto loads = operations_of<tile::LoadOp>(program);
    const tile::OpId op = loads[static_cast<std::size_t>(random.number(0, 1))];
    const auto verdict = prove_load_forwardable(make_subject(program, made.assumptions()), op);
    tally.add(verdict);
    const auto runs = [&](bool overlap) {
      return runs_of(made, program, [&](const UnrolledProgram& run) { return truly_forwardable(run, op, overlap); });
    };
    if (const auto* proved = std::get_if<Proved<LoadForwardable>>(&verdict)) {
      ASSERT_EQ(runs(!made.promised).fails, 0);
      const auto held = check_load_forwardable(proved->certificate(), program, made.assumptions(), op, kOperandLimits);
      ASSERT_TRUE(held) << render(held.error());
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      ASSERT_GT(runs(false).fails, 0) << refuted->code;
    } else {
      // Only where buffers may overlap.
      ASSERT_FALSE(made.promised);
      ASSERT_GT(runs(true).fails, 0);
    }
  }
  tally.expect_quarters();
}

template <class Family, class Prove, class Check>
void expect_extents(const OperandProfile& profile, bool prefix, Prove prove, Check check) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= operand_cases(); ++seed) {
    CaseRandom random(seed);
    const ProductCase made = random_operands(random, profile);
    SCOPED_TRACE(operand_text(seed, made));
    const tile::Program program = made.program();
    const tile::OpId op = operations_of<tile::MmaOp>(program).back();
    const auto verdict = prove(make_subject(program, made.assumptions()), op, sets::Context());
    tally.add(verdict);
    const Runs runs = runs_of(
        made, program, [&](const UnrolledProgram& run) { return truly_bounded(run, op, prefix, !made.promised); });
    if (const auto* proved = std::get_if<Proved<Family>>(&verdict)) {
      ASSERT_EQ(runs.fails, 0);
      const auto held = check(proved->certificate(), program, made.assumptions(), op, kOperandLimits);
      ASSERT_TRUE(held) << render(held.error()) << print_certificate(proved->certificate());
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      // A witness may be larger than the trials of an open size.
      ASSERT_TRUE(runs.fails > 0 || (made.is_open && !refuted->witness.point.empty())) << refuted->code;
    } else {
      ASSERT_TRUE(!made.promised || made.restricted || made.not_affine) << std::get<Unknown>(verdict).code;
    }
  }
  tally.expect_quarters();
}

TEST(ExtentBoundedKProperty, AgreesWithRuns) {
  const OperandProfile profile{
      .unpromised = 20, .use = 5, .bounds = 3, .coordinate = 15, .outer = 10, .not_affine = 10};
  expect_extents<ExtentBoundedK>(profile, false, prove_extent_bounded_k, check_extent_bounded_k);
}

TEST(ExtentBoundedMnProperty, AgreesWithRuns) {
  const OperandProfile profile{.unpromised = 20, .use = 5, .bounds = 3, .coordinate = 25, .not_affine = 10};
  expect_extents<ExtentBoundedMn>(profile, true, prove_extent_bounded_mn, check_extent_bounded_mn);
}

}  // namespace
}  // namespace tilewright::proof::operand_property_test
