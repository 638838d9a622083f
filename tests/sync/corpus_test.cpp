// The corpus before and after the passes, and with each of its fences taken out.
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "kernel/printer.h"
#include "kernel/verifier.h"
#include "kernels.h"
#include "sync/check.h"
#include "sync/coalesce.h"
#include "sync/synchronize.h"

namespace tilewright::sync::corpus_test {
namespace {

std::vector<UnorderedPair> unordered_pairs(const kernel::Program& program) {
  return unordered_accesses(program, 0, {.distinct_buffers = true});
}

std::string text_of(const std::vector<UnorderedPair>& list) {
  std::string text;
  for (const UnorderedPair& pair : list) text += unordered_text(pair) + "\n";
  return text;
}

Synchronized coalesced_of(const kernel::Program& program) {
  SyncRequest request{{KernelRequest{}}};
  request.kernels[0].premises.distinct_buffers = proof::Premise{proof::Guarantor::Launch, "no two buffers overlap"};
  auto result = synchronize(program, request);
  EXPECT_TRUE(result) << (result ? "" : render(result.error()));
  return result ? std::move(*result) : Synchronized{};
}

TEST(SyncCorpus, TheReferenceIsInOrder) {
  for (const NamedKernel& entry : corpus()) {
    EXPECT_TRUE(races(entry.program).empty()) << entry.name << render(races(entry.program));
    EXPECT_TRUE(unordered_pairs(entry.program).empty()) << entry.name << "\n"
                                                        << text_of(unordered_pairs(entry.program));
  }
}

TEST(SyncCorpus, CoalescedKernelsAreInOrderAndGiveTheSameValues) {
  for (const NamedKernel& entry : corpus()) {
    const Synchronized made = coalesced_of(entry.program);
    EXPECT_TRUE(kernel::verify(made.program)) << entry.name;
    EXPECT_TRUE(races(made.program).empty()) << entry.name << render(races(made.program));
    EXPECT_EQ(outcome(made.program), outcome(entry.program)) << entry.name;
    EXPECT_EQ(made.program, kernel::canonicalized(made.program)) << entry.name;
    const auto left = identities(made.program);
    std::vector<std::uint32_t> expected;
    for (const FenceFact& fence : made.facts[0].fences)
      if (fence.fate == FenceFate::Kept && !fence.by_user) expected.push_back(fence.identity);
    EXPECT_EQ(left, expected) << entry.name;
  }
}

TEST(SyncCorpus, FenceSites) {
  // before, after, and the identities that went
  using Sites = std::tuple<std::int64_t, std::int64_t, std::vector<std::uint32_t>>;
  const std::map<std::string, Sites> expected{
      {"window 1", {5, 4, {0}}},
      {"window 2", {7, 5, {0, 2}}},
      {"attention", {9, 7, {0, 2}}},
      {"own scratch", {2, 2, {}}},
      {"persistent", {2, 2, {}}},
      {"row sum, 32 workers", {2, 2, {}}},
      {"row sum, 48 workers", {2, 2, {}}},
      {"row sum, 96 workers", {2, 2, {}}},
      {"row sum, 256 workers", {2, 2, {}}},
      {"phases, 32 workers", {5, 4, {0}}},
      {"phases, 48 workers", {5, 4, {0}}},
      {"phases, 96 workers", {5, 4, {0}}},
      {"phases, 256 workers", {5, 4, {0}}},
  };
  std::map<std::string, Sites> found;
  for (const NamedKernel& entry : corpus()) {
    const KernelFences facts = coalesced_of(entry.program).facts[0];
    std::vector<std::uint32_t> gone;
    for (const FenceFact& fence : facts.fences)
      if (fence.fate == FenceFate::Coalesced) gone.push_back(fence.identity);
    found[entry.name] = {facts.sites_before, facts.sites_after, gone};
  }
  EXPECT_EQ(found, expected);
}

/// What taking one fence out of a kernel does.
struct Mutation {
  bool checker_objects = false, interpreter_objects = false;
};
Mutation mutated(const kernel::Program& program, std::uint32_t identity) {
  const kernel::Program less = without(program, identity);
  return {!unordered_pairs(less).empty(), !races(less).empty()};
}

/// Why a fence stays that nothing needs: the rule keeps it.
std::string kept_by(const kernel::Program& program, std::uint32_t identity) {
  for (const FenceVerdict& answer : redundant_fences(program, 0)) {
    if (answer.identity != identity) continue;
    if (const auto* unknown = std::get_if<proof::Unknown>(&answer.verdict)) return std::string(unknown->code);
    return std::holds_alternative<proof::Refuted>(answer.verdict) ? "refuted" : "proved";
  }
  return "not asked";
}

/// "window 1: 4 last_of_sequence" for each fence whose loss no execution shows, with why the rule keeps it; how many
/// others there are. Checker and interpreter agree about each.
std::pair<std::set<std::string>, int> take_each_out(bool coalesced) {
  std::set<std::string> silent;
  int needed = 0;
  for (const NamedKernel& entry : corpus()) {
    const kernel::Program program = coalesced ? coalesced_of(entry.program).program : entry.program;
    for (std::uint32_t identity : identities(program)) {
      const Mutation result = mutated(program, identity);
      EXPECT_EQ(result.checker_objects, result.interpreter_objects)
          << entry.name << " fence " << identity << "\n"
          << text_of(unordered_pairs(without(program, identity)));
      const std::string why = kept_by(program, identity);
      if (result.checker_objects) {
        ++needed;
        EXPECT_NE(why, "proved") << entry.name << " fence " << identity;
      } else {
        silent.insert(fmt::format("{}: {} {}", entry.name, identity, why));
      }
    }
  }
  return {silent, needed};
}

/// Fences that stay by the rule although no execution needs them: nothing follows the last one of a kernel; matrix
/// operations are opaque; an allocation counts whole, and a loop may run not at all.
const std::set<std::string> kKeptByTheRule{
    "window 1: 4 last_of_sequence",
    "window 2: 1 refuted",
    "window 2: 3 opaque",
    "window 2: 5 opaque",
    "window 2: 6 last_of_sequence",
    "attention: 1 refuted",
    "attention: 8 last_of_sequence",
    "own scratch: 1 last_of_sequence",
    "phases, 256 workers: 4 last_of_sequence",
    "phases, 32 workers: 4 last_of_sequence",
    "phases, 48 workers: 4 last_of_sequence",
    "phases, 96 workers: 4 last_of_sequence",
    "row sum, 256 workers: 1 last_of_sequence",
    "row sum, 32 workers: 1 last_of_sequence",
    "row sum, 48 workers: 1 last_of_sequence",
    "row sum, 96 workers: 1 last_of_sequence",
};

TEST(SyncCorpus, EveryFenceThatCoalescingLeavesIsNeededOrKeptByTheRule) {
  const auto [silent, needed] = take_each_out(true);
  EXPECT_EQ(silent, kKeptByTheRule);
  EXPECT_EQ(needed, 27);
}

TEST(SyncCorpus, EveryFenceOfTheReferenceIsNeededOrProvedRedundantOrKeptByTheRule) {
  const auto [silent, needed] = take_each_out(false);
  std::set<std::string> expected = kKeptByTheRule;
  expected.insert("attention: 3 opaque");
  for (const char* proved :
       {"window 1: 0", "window 2: 0", "window 2: 2", "attention: 0", "attention: 2", "phases, 32 workers: 0",
        "phases, 48 workers: 0", "phases, 96 workers: 0", "phases, 256 workers: 0"})
    expected.insert(fmt::format("{} proved", proved));
  EXPECT_EQ(silent, expected);
  EXPECT_EQ(needed, 26);
}

TEST(SyncCorpus, AWeakerFenceIsNone) {
  // Each fence that is needed, weakened to one that orders the wrong memory, or a subgroup alone.
  int weakened = 0;
  for (const NamedKernel& entry : corpus())
    for (kernel::OpId op : entry.program.ops.ids()) {
      const auto* fence = std::get_if<kernel::FenceOp>(&entry.program.ops[op].payload);
      if (fence == nullptr || fence->origin != kernel::FenceOrigin::Compiler) continue;
      if (unordered_pairs(without(entry.program, fence->identity)).empty()) continue;
      for (const bool narrow : {false, true}) {
        kernel::Program weaker = entry.program;
        auto& changed = std::get<kernel::FenceOp>(weaker.ops[op].payload);
        if (narrow)
          changed.participants = changed.scope = kernel::Participants::Subgroup;
        else
          changed.memory.shared = false;
        const bool objects = !unordered_pairs(weaker).empty();
        EXPECT_EQ(objects, !races(weaker).empty()) << entry.name << " fence " << fence->identity << " " << narrow;
        weakened += objects ? 1 : 0;
      }
    }
  EXPECT_EQ(weakened, 46);
}

}  // namespace
}  // namespace tilewright::sync::corpus_test
