// fence.redundant: proved, refuted and unknown fences; against every execution of random traces.
#include "proof/fence_redundant.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/check/check_trace.h"
#include "proof/trace_cases.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::fence_redundant_test {
namespace {

using Family = FenceRedundant;

std::string answer(const EffectTrace& trace, std::uint32_t fence) {
  const auto verdict = prove_fence_redundant(trace, fence);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return std::string(refuted->code);
  if (const auto* unknown = std::get_if<Unknown>(&verdict)) return std::string(unknown->code);
  const auto& token = std::get<Proved<Family>>(verdict);
  EXPECT_TRUE(token.holds_for(effect_trace_subject(trace), fence));
  const auto check = check_fence_redundant(token.certificate(), trace, fence);
  EXPECT_TRUE(check) << render(check.error());
  return "proved";
}

/// The identities that coalescing drops.
std::vector<std::uint32_t> dropped(const EffectTrace& trace) {
  std::vector<std::uint32_t> list;
  for (const auto& [fence, verdict] : coalesce_fences(trace).verdicts)
    if (is_proved(verdict)) list.push_back(fence);
  return list;
}

using Fences = std::vector<std::uint32_t>;

TEST(FenceRedundant, TwoCopiesPublishTogether) {
  TraceWriter w;
  const EffectTrace trace =
      w.finish({w.step({external(0)}, {shared(0)}), w.fence(1), w.step({external(1)}, {shared(1)}), w.fence(2),
                w.step({shared(0), shared(1), local(0)}, {local(0)}), w.fence(3)});
  EXPECT_EQ(dropped(trace), Fences{1});
  EXPECT_EQ(answer(trace, 1), "proved");
  EXPECT_EQ(answer(trace, 2), Family::kSharedConflict);
  EXPECT_EQ(answer(trace, 3), Family::kLastOfSequence);
}

TEST(FenceRedundant, EffectsAccumulateOverDroppedFences) {
  // write A; unrelated B; read A: the neighbours are independent, the outer two are not.
  TraceWriter w;
  const EffectTrace trace = w.finish({w.step({}, {shared(0)}), w.fence(1), w.step({}, {shared(1)}), w.fence(2),
                                      w.step({shared(0)}, {}), w.fence(3), w.step({}, {shared(2)}), w.fence(4)});
  EXPECT_EQ(dropped(trace), (Fences{1, 3}));
  EXPECT_EQ(answer(trace, 2), "proved");  // while fence 1 stands
  EXPECT_EQ(answer(with_fence_dropped(trace, 1), 2), Family::kSharedConflict);
}

TEST(FenceRedundant, EachKindOfDependence) {
  const auto pair = [](std::vector<Location> r1, std::vector<Location> w1, std::vector<Location> r2,
                       std::vector<Location> w2) {
    TraceWriter w;
    return answer(
        w.finish({w.step(std::move(r1), std::move(w1)), w.fence(1), w.step(std::move(r2), std::move(w2)), w.fence(2)}),
        1);
  };
  EXPECT_EQ(pair({}, {shared(0)}, {shared(0)}, {}), Family::kSharedConflict);
  EXPECT_EQ(pair({shared(0)}, {}, {}, {shared(0)}), Family::kSharedConflict);
  EXPECT_EQ(pair({}, {shared(0)}, {}, {shared(0)}), Family::kSharedConflict);
  EXPECT_EQ(pair({shared(0)}, {}, {shared(0)}, {}), "proved");
  EXPECT_EQ(pair({}, {shared(0)}, {shared(1)}, {shared(2)}), "proved");
  // All external buffers are one location.
  EXPECT_EQ(pair({}, {external(0)}, {external(1)}, {}), Family::kExternalConflict);
  EXPECT_EQ(pair({external(0)}, {}, {}, {external(1)}), Family::kExternalConflict);
  EXPECT_EQ(pair({}, {external(0)}, {}, {external(1)}), Family::kExternalConflict);
  EXPECT_EQ(pair({external(0)}, {}, {external(0)}, {}), "proved");
  EXPECT_EQ(pair({}, {local(0)}, {local(0)}, {local(0)}), "proved");
}

TEST(FenceRedundant, OpaqueAndForeignFencesAreBoundaries) {
  TraceFence twin;
  twin.identity = 2;
  twin.owner = FenceOwner::User;
  TraceFence narrow;
  narrow.identity = 4;
  narrow.orders_external = false;
  TraceWriter w;
  const EffectTrace trace =
      w.finish({w.step({}, {shared(0)}), w.fence(1), w.step({}, {shared(1)}), w.fence(twin), w.step({}, {shared(2)}),
                w.fence(3), w.step({}, {shared(3)}), w.fence(narrow), w.opaque(), w.fence(5), w.fence(6)});
  EXPECT_EQ(answer(trace, 1), Family::kOpaque);
  EXPECT_EQ(answer(trace, 2), Family::kExplicitFence);
  EXPECT_EQ(answer(trace, 3), Family::kOpaque);
  EXPECT_EQ(answer(trace, 4), Family::kNarrowFence);
  EXPECT_EQ(answer(trace, 5), Family::kOpaque);
  EXPECT_EQ(dropped(trace), Fences{});
}

TEST(FenceRedundant, MissingFencesAndTraces) {
  TraceWriter w;
  EffectTrace trace = w.finish({w.fence(1), w.fence(2)});
  EXPECT_EQ(answer(trace, 9), Family::kNoSuchFence);
  EXPECT_EQ(answer(with_fence_dropped(trace, 1), 1), Family::kAlreadyDropped);
  EXPECT_EQ(answer(trace, 1), "proved");  // nothing on either side
  trace.nodes.push_back(TraceSequence{});
  EXPECT_EQ(answer(trace, 1), Family::kNotATrace);
  EXPECT_TRUE(coalesce_fences(trace).verdicts.empty());
}

TEST(FenceRedundant, TheBackEdgeCounts) {
  // The body reads first what the end of the iteration before wrote after its last fence.
  TraceWriter w;
  const EffectTrace trace =
      w.finish({w.loop({w.fence(1), w.step({shared(0)}, {}), w.fence(2), w.step({}, {shared(0)})})});
  EXPECT_EQ(answer(trace, 1), Family::kSharedConflict);
  TraceWriter v;
  const EffectTrace covered =
      v.finish({v.loop({v.fence(1), v.step({shared(0)}, {}), v.fence(2), v.step({}, {shared(0)}), v.fence(3)})});
  EXPECT_EQ(answer(covered, 1), "proved");
  EXPECT_EQ(answer(covered, 2), Family::kSharedConflict);
  // An output that the next iteration reads: the last fence of the body stays.
  TraceWriter u;
  const EffectTrace output = u.finish(
      {u.loop({u.step({external(0)}, {shared(0)}), u.fence(1), u.step({shared(0)}, {external(1)}), u.fence(2)})});
  EXPECT_EQ(answer(output, 2), Family::kLastOfSequence);
  EXPECT_EQ(dropped(output), Fences{});
}

TEST(FenceRedundant, EffectsBeforeALoopReachIntoIt) {
  const auto trace = [](Location before) {
    TraceWriter w;
    return w.finish({w.step({}, {before}),
                     w.loop({w.step({}, {shared(1)}), w.fence(1), w.step({shared(0)}, {}), w.fence(2)}), w.fence(3)});
  };
  EXPECT_EQ(answer(trace(shared(0)), 1), Family::kSharedConflict);
  EXPECT_EQ(answer(trace(shared(2)), 1), "proved");
}

TEST(FenceRedundant, NothingCrossesLoopsAndBranches) {
  // The fence inside covers the pair, and does not shorten what counts as pending.
  TraceWriter w;
  const EffectTrace trace =
      w.finish({w.loop({w.step({}, {shared(0)}), w.fence(1)}), w.fence(2), w.step({shared(0)}, {}), w.fence(3)});
  EXPECT_EQ(answer(trace, 1), Family::kLastOfSequence);
  EXPECT_EQ(answer(trace, 2), Family::kNestedConflict);
  TraceWriter v;
  const EffectTrace open = v.finish({v.loop({v.fence(1), v.step({}, {shared(0)})}), v.fence(2),
                                     v.branch({v.step({shared(0)}, {}), v.fence(3)}), v.fence(4)});
  EXPECT_EQ(answer(open, 2), Family::kSharedConflict);
  // Both arms hold a fence: no execution leads from the write to fence 3 without one.
  TraceWriter u;
  const EffectTrace arms = u.finish({u.step({}, {shared(0)}), u.branch({u.fence(1)}, std::vector{u.fence(2)}),
                                     u.fence(3), u.step({shared(0)}, {}), u.fence(4)});
  EXPECT_EQ(answer(arms, 3), Family::kNestedConflict);
}

TEST(FenceRedundant, InnerSequencesAreFlat) {
  TraceWriter w;
  const EffectTrace trace =
      w.finish({w.sequence({w.step({}, {shared(0)}), w.fence(1)}), w.sequence({w.step({}, {shared(1)}), w.fence(2)}),
                w.sequence({w.step({shared(0), shared(1)}, {}), w.fence(3)})});
  EXPECT_EQ(dropped(trace), Fences{1});
}

TEST(FenceRedundant, EveryAlterationIsRefused) {
  TraceWriter w;
  EffectTrace trace = w.finish(
      {w.step({external(0)}, {shared(0)}), w.fence(1),
       w.loop({w.step({external(1)}, {shared(1)}), w.fence(2), w.step({}, {shared(2)}), w.fence(3)}), w.fence(4)});
  trace.premises = {{Guarantor::Verifier, "every effect is listed"}, {Guarantor::Caller, "none"}};
  const auto verdict = prove_fence_redundant(trace, 2);
  ASSERT_TRUE(is_proved(verdict));
  const CertificateCheck check = [&](const Certificate& c) { return check_fence_redundant(c, trace, 2); };
  EXPECT_GT(expect_alterations_refused(std::get<Proved<Family>>(verdict).certificate(), check), 60);
}

TEST(FenceRedundant, AFalseStatementIsRefused) {
  TraceWriter w;
  const EffectTrace trace = w.finish({w.step({}, {shared(0)}), w.fence(1), w.step({shared(0)}, {}), w.fence(2)});
  Certificate certificate{std::string(Family::kId), effect_trace_subject(trace), 1, {}, effect_trace_fields(trace)};
  certificate.fields.push_back({"fence", "1"});
  const auto result = check_fence_redundant(certificate, trace, 1);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error()[0].message.find("statement: only the fence separates"), std::string::npos);
}

TEST(FenceRedundant, AgreesWithEveryExecution) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; tally.total() < case_count(10'000, 25); ++seed) {
    CaseRandom random(seed);
    const EffectTrace trace = random_trace(random);
    const auto all = executions(trace, 3, 400);
    if (!all) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_effect_trace(trace));
    for (const TraceNode& node : trace.nodes) {
      const auto* fence = std::get_if<TraceFence>(&node);
      if (fence == nullptr || fence->dropped) continue;
      const auto pairs = unseparated_pairs(trace, fence->identity, *all);
      const auto verdict = prove_fence_redundant(trace, fence->identity);
      if (const auto* token = std::get_if<Proved<Family>>(&verdict)) {
        tally.add(Finding::Kind::Proved);
        ASSERT_TRUE(pairs.empty()) << fence->identity;
        ASSERT_TRUE(check_fence_redundant(token->certificate(), trace, fence->identity));
      } else if (const auto* no = std::get_if<Refuted>(&verdict)) {
        tally.add(Finding::Kind::Refuted);
        const UnseparatedPair pair{{static_cast<std::uint32_t>(no->witness.point[0].value)},
                                   {static_cast<std::uint32_t>(no->witness.point[1].value)}};
        ASSERT_TRUE(std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) << fence->identity;
      } else {
        tally.add(Finding::Kind::Unknown);
      }
    }
  }
  tally.expect_quarters();
}

TEST(FenceRedundant, CoalescingKeepsEveryPairSeparated) {
  int traces = 0, sites = 0, gone = 0;
  for (std::uint64_t seed = 1; traces < case_count(3000); ++seed) {
    CaseRandom random(seed + 1'000'000);
    const EffectTrace trace = random_trace(random);
    const auto all = executions(trace, 3, 200);
    if (!all) continue;
    ++traces;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_effect_trace(trace));
    const CoalescedFences result = coalesce_fences(trace);
    for (const auto& [fence, verdict] : result.verdicts) {
      ++sites;
      if (!is_proved(verdict)) continue;
      ++gone;
      // With all of them gone, what each separated in the trace as given is still separated by another.
      EffectTrace restored = result.trace;
      std::get<TraceFence>(restored.nodes[fence_node(restored, fence)]).dropped = false;
      ASSERT_TRUE(unseparated_pairs(restored, fence, *all).empty()) << fence;
    }
  }
  EXPECT_GT(gone, sites / 8);
}

}  // namespace
}  // namespace tilewright::proof::fence_redundant_test
