// What is a row reduction and what is not: every refusal, and beside each the nearest program that is accepted.
#include <limits>

#include <gtest/gtest.h>

#include "realize_rows/row_cases.h"

namespace tilewright::realize {
namespace {

/// Rows of 100 elements in blocks of 32; @BODY@ stands in for the launch.
std::string rows_text(const std::string& body, const std::string& more = "", const std::string& head = "") {
  return "program p() {\n  in X: f32[8, 100]\n  in W: f32[100]\n  out S: f32[8]\n" + more + "  parallel i in 8" + head +
         " {\n" + body + "  }\n}\n";
}

std::string rows_answer(const std::string& body, const std::string& more = "", const std::string& head = "") {
  return answer_of(rows_program(rows_text(body, more, head)));
}

const std::string kSumLoop = R"(    t[] = 0.0
    serial s in ceildiv(100, 32) {
      x[c: 32] = X[i, s*32 + c]
      t = t + sum(x, c)
    }
    S[i] = t
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(RowFacts, SumOfBlocksIsOneFold) {
  const RowReductionWorkload rows = workload_of(rows_program(rows_text(kSumLoop)));
  EXPECT_EQ(sweeps_of(rows), "fold 4x32/100, store 1r");
  EXPECT_EQ(rows.programs, 8);
  EXPECT_EQ(rows.collectives, 1);
  EXPECT_EQ(rows.partial_slots, 1);
  EXPECT_EQ(rows.elements, 100);
  EXPECT_EQ(rows.joint_loops.size(), 1u);
  EXPECT_FALSE(rows.has_repeated_folds);
  EXPECT_TRUE(rows.payload_known);
  EXPECT_EQ(rows.sweeps[0].identity, tile::Literal::of(0.0));
  ASSERT_EQ(rows.premises.size(), 2u);
  EXPECT_EQ(rows.premises[1].text, "distinct buffer arguments do not overlap (promised by the caller)");
  ASSERT_EQ(rows.store_proofs.size(), 1u);
}

TEST(RowFacts, FoldKindsAndIdentities) {
  const std::string loop = R"(    t[] = 0.0
    serial s in ceildiv(100, 32) {
      x[c: 32] = X[i, s*32 + c] else 0.0
      t = max(t, max(x, c))
    }
    S[i] = t
)";
  const RowReductionWorkload max = workload_of(rows_program(rows_text(loop)));
  EXPECT_EQ(max.sweeps[0].fold, tile::FoldKind::Max);
  EXPECT_EQ(max.sweeps[0].identity, tile::Literal::of(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(max.sweeps[0].live_elements, 128) << "a 0 beyond the edge may be the largest";
  const RowReductionWorkload padded = workload_of(rows_program(rows_text(changed(loop, "else 0.0", "else -inf"))));
  EXPECT_EQ(padded.sweeps[0].live_elements, 100);
  std::string low = changed(changed(loop, "max(t, max(x, c))", "min(t, min(x, c))"), "else 0.0", "else inf");
  const RowReductionWorkload min = workload_of(rows_program(rows_text(low)));
  EXPECT_EQ(min.sweeps[0].identity, tile::Literal::of(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(min.sweeps[0].live_elements, 100);
}

TEST(RowFacts, RegionsBeginAtMinusZero) {
  const RowReductionWorkload rows = workload_of(rows_program(rows_text(R"(    t[] = 0.0
    reduce s in 100 { t += X[i, s] }
    S[i] = t
)")));
  EXPECT_EQ(sweeps_of(rows), "fold 100x1/100, store 1r");
  EXPECT_EQ(rows.sweeps[0].identity, tile::Literal::of(-0.0));
}

// ---- Merging ----

std::string merged(const std::string& update) {
  const RowReductionWorkload rows =
      workload_of(rows_program(rows_text(changed(kSumLoop, "t = t + sum(x, c)", update))));
  return sweeps_of(rows);
}

TEST(RowFacts, OnlyTheExactChainMerges) {
  EXPECT_EQ(merged("t = sum(x, c) + t"), "fold 4x32/100, store 1r");
  EXPECT_EQ(merged("t += sum(x, c)"), "fold 4x32/100, store 1r");
  EXPECT_EQ(merged("t = t * 1.0 + sum(x, c)"), "fold 1x32/32@4, store 1r") << "another operation on the carry";
  EXPECT_EQ(merged("t = t + sum(x, c) * 1.0"), "fold 1x32/32@4, store 1r") << "and on the fold";
  EXPECT_EQ(merged("t = t - sum(x, c)"), "fold 1x32/32@4, store 1r") << "another operation";
  EXPECT_EQ(merged("t = max(t, sum(x, c))"), "fold 1x32/32@4, store 1r") << "another kind";
  EXPECT_EQ(merged("t = t + sum(x - t, c)"), "fold 1x32/32@4, store 1r") << "the carry is seen by the elements";
  EXPECT_EQ(merged("y = sum(x, c)\n      t = t + (y + y)"), "fold 1x32/32@4, store 1r") << "the fold is used twice";
}

TEST(RowFacts, OneUnmergedCarryStepsTheWholeLoop) {
  EXPECT_EQ(sweeps_of(workload_of(rows_program(rows_text(R"(    t[] = 0.0
    n[] = 0.0
    serial s in ceildiv(100, 32) {
      x[c: 32] = X[i, s*32 + c]
      t = t + sum(x, c)
      n = n + 1.0
    }
    S[i] = t / n
)")))),
            "fold 1x32/32@4, store 1r");
}

TEST(RowFacts, WithoutTheRuleSumsAreStepped) {
  const tile::Program sum = rows_program(rows_text(kSumLoop));
  EXPECT_EQ(sweeps_of(workload_of(sum, {.merge_sums = false})), "fold 1x32/32@4, store 1r");
  const tile::Program max = rows_program(
      rows_text(changed(changed(kSumLoop, "t + sum(x, c)", "max(t, max(x, c))"), "s*32 + c]", "s*32 + c] else -inf")));
  EXPECT_EQ(sweeps_of(workload_of(max, {.merge_sums = false})), "fold 4x32/100, store 1r");
}

TEST(RowFacts, OnlineSoftmaxKeepsItsIterations) {
  const RowReductionWorkload rows =
      workload_of(rows_program(rows_library_text("softmax"), {{"N", 17}, {"C", 257}, {"BR", 4}, {"BC", 128}}));
  EXPECT_EQ(sweeps_of(rows), "fold 1x128/128*4@3, fold 1x128/128*4@3, store 3x128/257*4");
  EXPECT_EQ(rows.collectives, 2 * 4 * 3);
  EXPECT_EQ(rows.partial_slots, 2 * 4);
  EXPECT_TRUE(rows.has_repeated_folds);
}

TEST(RowFacts, RetainedExponentials) {
  const RowReductionWorkload rows = workload_of(rows_program(kRowSoftmax, {{"N", 5}, {"C", 100}}));
  EXPECT_EQ(sweeps_of(rows), "fold 1x100/100, retain 1x100/100, fold 1x100/100, store 1x100/100");
  EXPECT_EQ(rows.sweeps[1].consumers, 2);
  ASSERT_EQ(rows.reused_inputs.size(), 1u);
  EXPECT_EQ(rows.reused_inputs[0].visits, 2) << "maximum and exponentials";
}

TEST(RowFacts, CheapOrMovedValuesAreComputedAnew) {
  const std::string softmax = kRowSoftmax;
  EXPECT_EQ(sweeps_of(workload_of(
                rows_program(changed(softmax, "exp(x - max(x, c))", "x - max(x, c)"), {{"N", 5}, {"C", 100}}))),
            "fold 1x100/100, fold 1x100/100, store 1x100/100");
  EXPECT_EQ(sweeps_of(workload_of(rows_program(changed(softmax, "= e /", "= e[C - 1 - c] /"), {{"N", 5}, {"C", 100}}))),
            "fold 1x100/100, fold 1x100/100, store 1x100/100")
      << "another worker's element cannot be kept";
}

TEST(RowFacts, ReusedInputsOfSeveralLoops) {
  const RowReductionWorkload rows =
      workload_of(rows_program(rows_library_text("layernorm"), {{"N", 8}, {"C", 300}, {"BR", 2}, {"BC", 128}}));
  ASSERT_EQ(rows.reused_inputs.size(), 1u);
  EXPECT_EQ(rows.reused_inputs[0].visits, 3);
  EXPECT_EQ(rows.reused_inputs[0].loads.size(), 3u);
  EXPECT_EQ(rows.reused_inputs[0].span, (RowSpan{3, 128}));
  EXPECT_EQ(rows.reused_inputs[0].live_elements, 300);
  EXPECT_EQ(rows.reused_inputs[0].rows, 2);
}

// ---- Padding ----

std::string live(const std::string& contribution, const std::string& outside = "") {
  std::string body = changed(kSumLoop, "sum(x, c)", "sum(" + contribution + ", c)");
  body = changed(body, "X[i, s*32 + c]", "X[i, s*32 + c]" + outside + "\n      w[c] = W[s*32 + c]");
  return sweeps_of(workload_of(rows_program(rows_text(body)))).substr(0, 13);
}

TEST(RowFacts, PaddingThatAddsNothingIsLeftOut) {
  EXPECT_EQ(live("x"), "fold 4x32/100");
  EXPECT_EQ(live("x * x"), "fold 4x32/100");
  EXPECT_EQ(live("x * w"), "fold 4x32/100");
  EXPECT_EQ(live("abs(x) + w"), "fold 4x32/100");
  EXPECT_EQ(live("exp(x)", " else -inf"), "fold 4x32/100");
  EXPECT_EQ(live("select(s*32 + c < 100, x + 1.0, 0.0)"), "fold 4x32/100");
  EXPECT_EQ(live("select(100 > s*32 + c, x + 1.0, 0.0)"), "fold 4x32/100");
  EXPECT_EQ(live("select(s*32 + c >= 100, 0.0, x + 1.0)"), "fold 4x32/100");
  EXPECT_EQ(live("exp(x)"), "fold 4x32/128") << "exp(0) is 1";
  EXPECT_EQ(live("x + 1.0"), "fold 4x32/128");
  EXPECT_EQ(live("select(s*32 + c < 101, x + 1.0, 0.0)"), "fold 4x32/128") << "one element too many";
  EXPECT_EQ(live("select(c < 100, x + 1.0, 0.0)"), "fold 4x32/128") << "not the place in the row";
  EXPECT_EQ(live("x * exp(w)"), "fold 4x32/128") << "0 * 1 is 0, but that is not looked into";
  EXPECT_EQ(live("x - x", " else inf"), "fold 4x32/128") << "Inf - Inf is NaN";
}

TEST(RowFacts, StoresBeyondTheEdgeAreLeftOut) {
  const std::string body = kSumLoop + R"(    serial s in ceildiv(100, 32) {
      x[c: 32] = X[i, s*32 + c]
      Y[i, s*32 + c] = x - t
    }
)";
  EXPECT_EQ(sweeps_of(workload_of(rows_program(rows_text(body, "  out Y: f32[8, 100]\n")))),
            "fold 4x32/100, store 1r, store 4x32/100");
}

// ---- Refusals ----

TEST(RowFacts, KindsThatHaveNoPlaceHere) {
  EXPECT_EQ(rows_answer(kSumLoop), "rows");
  EXPECT_EQ(rows_answer(kSumLoop, "", " scope group"), "fixed_scope");
  EXPECT_EQ(rows_answer("    parallel j in 1 {\n    x[c: 100] = X[i, c]\n    S[i] = sum(x, c)\n    }\n"),
            "nested_parallel");
  EXPECT_EQ(rows_answer("    barrier\n" + kSumLoop), "author_barrier");
  EXPECT_EQ(rows_answer("    opaque \"look\"()\n" + kSumLoop), "opaque_call");
  EXPECT_EQ(rows_answer("    memory Q: f32[4]\n" + kSumLoop), "explicit_memory");
  EXPECT_EQ(rows_answer("    z[k: 100] in shared = W[k]\n" + kSumLoop), "fixed_placement");
  EXPECT_EQ(rows_answer("    y[] = 0.0\n    if y < 1.0 { y = 2.0 }\n" + kSumLoop), "branch");
  EXPECT_EQ(rows_answer("    a[m: 8, k: 8] = X[m, k]\n    b[k, n: 8] = X[n, k]\n    p = matmul(a, b, m, n)\n" +
                        changed(kSumLoop, "sum(x, c)", "sum(x, c) + p[0, 0]")),
            "matrix_product");
}

TEST(RowFacts, FoldsThatMayNotBeMoved) {
  EXPECT_EQ(rows_answer("    S[i] = 0.0\n"), "no_fold");
  EXPECT_EQ(rows_answer(changed(kSumLoop, "sum(x, c)", "sum(x, c, fold_left)")), "fold_ordered");
  EXPECT_EQ(rows_answer(changed(kSumLoop, "sum(x, c)", "sum(x, c, ordered_tree)")), "fold_ordered");
  EXPECT_EQ(rows_answer(changed(kSumLoop, "sum(x, c)", "sum(x, c, unordered_tree)")), "rows");
  EXPECT_EQ(rows_answer(changed(kSumLoop, "sum(x, c)", "f32(sum(f16(x), c))")), "fold_not_f32");
  EXPECT_EQ(rows_answer(changed(kSumLoop, "sum(x, c)", "f32(sum(i32(x), c))")), "fold_not_f32");
  EXPECT_EQ(rows_answer("    t[] = 0.0\n    reduce s in 100 order fold_left { t += X[i, s] }\n    S[i] = t\n"),
            "fold_ordered");
  EXPECT_EQ(rows_answer("    n[] = i32(0)\n    reduce s in 100 { n += i32(X[i, s]) }\n    S[i] = f32(n)\n"), "no_fold")
      << "every worker counts for itself";
}

TEST(RowFacts, CountsThatAreNotKnownOrNone) {
  const std::string open = changed(kSumLoop, "ceildiv(100, 32)", "i");
  EXPECT_EQ(rows_answer(open), "loop_not_static");
  EXPECT_EQ(rows_answer(changed(kSumLoop, "ceildiv(100, 32)", "0")), "no_elements");
  EXPECT_EQ(answer_of(rows_program(kRowSum, {{"N", 3}, {"C", 0}})), "no_elements");
  EXPECT_EQ(answer_of(rows_program(kRowSum, {{"N", 0}, {"C", 3}})), "no_programs");
  EXPECT_EQ(answer_of(rows_program(kRowSum, {{"N", 1}, {"C", 1}})), "rows");
  const std::string far = R"(    t[] = 0.0
    reduce s in 1099511627776 { t += X[i, s % 100] }
    S[i] = t
)";
  EXPECT_EQ(rows_answer(far), "rows");
  EXPECT_EQ(rows_answer(changed(far, "1099511627776", "1099511627777")), "too_large");
  EXPECT_EQ(rows_answer("    serial a in 257 {\n" + far + "    }\n"), "too_large");
}

TEST(RowFacts, AxesThatHaveTwoRoles) {
  const std::string tile = "    x[r: 4, c: 25] = X[i, r*25 + c]\n";
  EXPECT_EQ(rows_answer(tile + "    S[i] = sum(sum(x, c), r)\n"), "row_is_folded");
  EXPECT_EQ(rows_answer(tile + "    t = sum(x, c)\n    S[i] = t[0]\n"), "rows");
  EXPECT_EQ(rows_answer("    w[c: 100] = W[c]\n    S[i] = sum(w, c)\n    x[r: 4, k: 25] = X[i, r*25 + k]\n"
                        "    Y[i, r*25 + k] = x\n",
                        "  out Y: f32[8, 100]\n"),
            "several_elements");
  EXPECT_EQ(rows_answer(R"(    part[c: 32] = 0.0
    serial s in ceildiv(100, 32) {
      part = part + X[i, s*32 + c]
    }
    S[i] = sum(part, c)
)"),
            "carry_has_elements");
}

std::string alias_answer(analysis::AliasPromise::Origin origin) {
  proof::Assumptions assumptions;
  assumptions.aliasing = {origin != analysis::AliasPromise::Origin::None, origin};
  return answer_of(rows_program(rows_text(kSumLoop)), assumptions);
}

TEST(RowFacts, WithoutThePromiseEveryStoreMayBeSeen) {
  EXPECT_EQ(alias_answer(analysis::AliasPromise::Origin::None), "source_may_alias");
  EXPECT_EQ(alias_answer(analysis::AliasPromise::Origin::LaunchCheck), "rows");
  const RowReductionFacts facts = facts_of(rows_program(rows_text(kSumLoop)), {});
  const auto& refusal = std::get<Refusal>(facts);
  EXPECT_TRUE(refusal.op.valid() && refusal.other.valid());
  EXPECT_EQ(refusal_text(refusal), "source_may_alias: X may overlap S, which store S[i] writes");
}

TEST(RowFacts, NoPromiseIsListedThatIsNotNeeded) {
  // Only a temporary is stored to: nothing of the caller's can overlap it.
  const tile::Program program = rows_program(R"(program p() {
  in X: f32[8, 100]
  temp T: f32[8]
  out S: f32[8]
  parallel i in 8 {
    x[c: 100] = X[i, c]
    T[i] = sum(x, c)
  }
  parallel i in 8 { S[i] = T[i] }
})");
  const RowReductionFacts facts = facts_of(program, {});
  ASSERT_TRUE(std::holds_alternative<RowReductionWorkload>(facts));
  EXPECT_EQ(std::get<RowReductionWorkload>(facts).premises.size(), 1u);
  EXPECT_EQ(answer_of(program, apart(), 1), "no_fold");
}

TEST(RowFacts, StoresThatMeet) {
  const std::string outputs = "  out Y: f32[8, 100]\n";
  const std::string tile = "    x[c: 100] = X[i, c]\n    S[i] = sum(x, c)\n";
  EXPECT_EQ(rows_answer(tile + "    Y[i, c] = x\n", outputs), "rows");
  EXPECT_EQ(rows_answer(tile + "    Y[i, 99 - c] = x\n", outputs), "rows");
  EXPECT_EQ(rows_answer(tile + "    Y[i, c % 50] = x\n", outputs), "store_not_once");
  EXPECT_EQ(rows_answer(tile + "    Y[i, 0*c] = x\n", outputs), "store_not_once");
  EXPECT_EQ(rows_answer(tile + "    Y[i, c] = x\n    Y[i, c] = x\n", outputs), "stored_twice");
  EXPECT_EQ(rows_answer(tile + "    serial s in 2 { Y[i, c] = x }\n", outputs), "store_not_once")
      << "every iteration stores the same elements";
  EXPECT_EQ(rows_answer(tile + "    serial s in 2 { Y[i, s*100 + c] = x }\n", outputs), "rows");
  EXPECT_EQ(rows_answer(tile + "    serial s in 2 { Y[i, s*99 + c] = x }\n", outputs), "store_not_once");
  const tile::Program two = rows_program(rows_text(tile + "    Y[i, c] = x\n", outputs));
  proof::Assumptions assumptions;
  EXPECT_EQ(answer_of(two, assumptions), "stored_twice") << "Y and S may overlap";
  const auto facts = facts_of(rows_program(rows_text(tile + "    serial s in 2 { Y[i, s*99 + c] = x }\n", outputs)));
  EXPECT_EQ(
      std::get<Refusal>(facts).reason,
      "store Y[i, s*99 + c] is not shown to write every element at most once: s = 1, c = 0 and s = 0, c = 99 meet");
}

// ---- One buffer, read and written ----

std::string in_place(const std::string& body) {
  return answer_of(rows_program("program p() {\n  inout X: f32[8, 100]\n  out S: f32[8]\n  parallel i in 8 {\n" + body +
                                "  }\n}\n"));
}

TEST(RowFacts, AnElementMayBeReplacedByItsWorker) {
  const std::string load = "    x[c: 100] = X[i, c]\n";
  EXPECT_EQ(in_place(load + "    S[i] = 0.0\n    X[i, c] = x / sum(x, c)\n"), "rows");
  EXPECT_EQ(in_place(load + "    t = sum(x, c)\n    X[i, c] = x\n    S[i] = t\n"), "rows");
  EXPECT_EQ(in_place(load + "    X[i, c] = x * 2.0\n    S[i] = sum(x, c)\n"), "source_written")
      << "the sum would see what is stored before it";
  EXPECT_EQ(in_place(load + "    X[i, c] = x * 2.0\n    y[c] = X[i, c]\n    S[i] = sum(y, c)\n"), "rows")
      << "the sum shall see it";
}

TEST(RowFacts, OtherElementsMayNot) {
  const std::string load = "    x[c: 100] = X[i, c]\n    S[i] = sum(x, c)\n";
  EXPECT_EQ(in_place(load + "    X[i, c] = x\n"), "rows");
  EXPECT_EQ(in_place(load + "    X[i, c] = x[99 - c]\n"), "source_written") << "of another worker";
  EXPECT_EQ(in_place(load + "    X[i, 99 - c] = x\n"), "source_written") << "of another worker";
  EXPECT_EQ(in_place(load + "    X[i, c] = x + X[i, 0]\n"), "source_written") << "of worker 0, by all";
  EXPECT_EQ(in_place(load + "    X[i, 0] = 1.0\n"), "source_written");
  EXPECT_EQ(in_place("    x[r: 4, c: 25] = X[i, r*25 + c]\n    t = sum(x, c)\n    S[i] = t[0]\n"
                     "    X[i, r*25 + c] = x[3 - r, c]\n"),
            "source_written")
      << "of another row, which the same worker may have replaced";
}

TEST(RowFacts, BlocksInPlace) {
  const std::string sum =
      "    t[] = 0.0\n    serial s in ceildiv(100, 32) {\n      x[c: 32] = X[i, s*32 + c]\n"
      "      t = t + sum(x, c)\n    }\n    S[i] = t\n";
  const std::string store =
      "    serial s in ceildiv(100, 32) {\n      x[c: 32] = X[i, s*32 + c]\n"
      "      X[i, s*32 + c] = x - t\n    }\n";
  EXPECT_EQ(in_place(sum + store), "rows");
  const std::string other =
      changed(changed(changed(changed(store, "32)", "16)"), "32]", "16]"), "s*32", "s*16"), "s*32", "s*16");
  EXPECT_EQ(in_place(sum + other), "source_written") << "blocks of 16 belong to other workers than blocks of 32";
  const std::string stepped = changed(sum, "t + sum", "t * 0.5 + sum");
  EXPECT_EQ(in_place(stepped + store), "source_written") << "a stepped loop deals out each block anew";
  const RowReductionWorkload rows = workload_of(rows_program(
      "program p() {\n  inout X: f32[8, 100]\n  out S: f32[8]\n  parallel i in 8 {\n" + sum + store + "  }\n}\n"));
  EXPECT_TRUE(rows.reads_written_buffer);
  EXPECT_TRUE(rows.reused_inputs.empty()) << "only immutable inputs are kept";
}

}  // namespace
}  // namespace tilewright::realize
