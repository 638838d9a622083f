// recurrence.closed, output.direct, overwrite.allowed and epilogue.same_owner: verdicts about random small programs
// against runs of them that are written out in full.
#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/check/check_matrix.h"
#include "proof/epilogue_same_owner.h"
#include "proof/named_points.h"
#include "proof/output_direct.h"
#include "proof/overwrite_allowed.h"
#include "proof/product_cases.h"
#include "proof/product_truth.h"
#include "proof/recurrence_closed.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::product_property_test {
namespace {

constexpr MatrixCheckLimits kCheckLimits{300, 16};

/// One verdict about one operation, and what the runs say about it.
struct Asked {
  ProductCase made;
  tile::Program program;
  Assumptions assumptions;

  explicit Asked(ProductCase from) : made(std::move(from)), program(made.program()), assumptions(made.assumptions()) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  /// Of the trials: how many hold and how many do not.
  struct Truth {
    int holds = 0, fails = 0;
  };
  template <class F>
  Truth truth(F&& f) const {
    Truth truth;
    for (const auto& sizes : made.trials()) {
      const std::optional<bool> one = f(unroll(program, sizes));
      if (one) ++(*one ? truth.holds : truth.fails);
    }
    return truth;
  }
};

template <class Family>
using Checker = Result<void> (*)(const Certificate&, const tile::Program&, const Assumptions&, tile::OpId,
                                 const MatrixCheckLimits&);

/// Unknown is allowed of an open K alone; `unknown_too` of a bound one.
template <class Family>
void expect_agreement(const Asked& asked, tile::OpId op, const Verdict<Family>& verdict, const Asked::Truth& truth,
                      Checker<Family> check, bool unknown_too = false) {
  if (const auto* proved = std::get_if<Proved<Family>>(&verdict)) {
    ASSERT_EQ(truth.fails, 0) << print_certificate(proved->certificate());
    const auto held = check(proved->certificate(), asked.program, asked.assumptions, op, kCheckLimits);
    ASSERT_TRUE(held) << render(held.error());
  } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    ASSERT_TRUE(truth.fails > 0 || truth.holds == 0) << refuted->code << ": " << refuted->witness.violates;
  } else {
    ASSERT_TRUE(asked.made.is_open || unknown_too) << std::get<Unknown>(verdict).code;
  }
}

/// One operation of a kind, mostly the last.
template <class Payload>
tile::OpId choose(const tile::Program& program, CaseRandom& random) {
  const auto all = operations_of<Payload>(program);
  return random.chance(3, 4)
             ? all.back()
             : all[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(all.size()) - 1))];
}

std::string seed_text(std::uint64_t seed, const ProductCase& made) {
  return "seed " + std::to_string(seed) + ", K " +
         (made.is_open ? "from " + std::to_string(made.least) : std::to_string(made.size)) + "\n" + made.text;
}

std::uint64_t cases() { return static_cast<std::uint64_t>(case_count(300, 10)); }

TEST(RecurrenceClosedProperty, AgreesWithRuns) {
  VerdictTally tally("recurrence.closed");
  const ProductProfile profile{.open = 60, .from_zero = 80};
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    CaseRandom random(seed);
    const Asked asked(random_product(random, profile));
    SCOPED_TRACE(seed_text(seed, asked.made));
    const tile::OpId op = choose<tile::MmaOp>(asked.program, random);
    const auto verdict = prove_recurrence_closed(make_subject(asked.program, asked.assumptions), op);
    tally.add(verdict);
    expect_agreement(asked, op, verdict, asked.truth([&](const UnrolledProgram& run) { return truly_closed(run, op); }),
                     check_recurrence_closed);
    if (HasFatalFailure()) return;
  }
  tally.expect_quarters();
}

TEST(OutputDirectProperty, AgreesWithRuns) {
  VerdictTally tally("output.direct");
  const ProductProfile profile{.open = 60, .from_zero = 75, .others = 10, .epilogue = 8, .sink = 18};
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    CaseRandom random(seed);
    const Asked asked(random_product(random, profile));
    SCOPED_TRACE(seed_text(seed, asked.made));
    const tile::OpId op = choose<tile::MmaOp>(asked.program, random);
    const auto verdict = prove_output_direct(make_subject(asked.program, asked.assumptions), op);
    tally.add(verdict);
    expect_agreement(asked, op, verdict, asked.truth([&](const UnrolledProgram& run) { return truly_direct(run, op); }),
                     check_output_direct, asked.made.not_affine);
    if (HasFatalFailure()) return;
  }
  tally.expect_quarters();
}

TEST(OverwriteAllowedProperty, AgreesWithRuns) {
  VerdictTally tally("overwrite.allowed");
  const ProductProfile profile{.open = 32, .no_trip = 3, .one_trip = 88, .init = 10, .update = 10, .others = 20};
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    CaseRandom random(seed);
    const Asked asked(random_product(random, profile));
    SCOPED_TRACE(seed_text(seed, asked.made));
    const tile::OpId op = choose<tile::MmaOp>(asked.program, random);
    const auto verdict = prove_overwrite_allowed(make_subject(asked.program, asked.assumptions), op);
    tally.add(verdict);
    expect_agreement(asked, op, verdict,
                     asked.truth([&](const UnrolledProgram& run) { return truly_overwrites(run, op); }),
                     check_overwrite_allowed, asked.made.trips_vary);
    if (HasFatalFailure()) return;
  }
  tally.expect_quarters();
}

TEST(EpilogueSameOwnerProperty, AgreesWithRuns) {
  VerdictTally tally("epilogue.same_owner");
  const ProductProfile profile{
      .open = 65, .from_zero = 80, .update = 8, .observer = 5, .others = 10, .epilogue = 70, .sink = 10};
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    CaseRandom random(seed);
    const Asked asked(random_product(random, profile));
    SCOPED_TRACE(seed_text(seed, asked.made));
    const tile::OpId op = choose<tile::StoreOp>(asked.program, random);
    const auto verdict =
        prove_epilogue_same_owner(make_subject(asked.program, asked.assumptions), op, EpilogueOperands::None);
    tally.add(verdict);
    expect_agreement(asked, op, verdict,
                     asked.truth([&](const UnrolledProgram& run) { return truly_same_owner(run, op); }),
                     check_epilogue_same_owner);
    if (HasFatalFailure()) return;
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::product_property_test
