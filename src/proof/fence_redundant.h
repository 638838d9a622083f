// PROOF fence.redundant
// Question    For a compiler-owned fence F of an effect trace, with the fences marked dropped gone: on every execution,
//             is every pair of conflicting steps that F stands between also separated by another fence that is kept?
// Premises    P1 the trace holds every effect of the group program (kernel code; its premises are quoted). Conflicts
// are
//             over-approximate: all external buffers are one location, whatever their names or constness.
// Method      Along the sequences that enclose F: P, all effects since the last kept fence (effects before a loop or
//             branch that encloses F, and those that the back edge brings, included), against S, the effects up to the
//             next kept fence of F's own sequence. F is redundant when neither side is opaque and no write of one meets
//             a read or write of the other. The last fence of a sequence stays, for the back edge or the consumer
//             outside. Explicit fences are never dropped and are opaque, like narrower ones. Effects of nested loops
//             and branches count whole; fences inside them do not shorten P or S.
// Conclusion  Proved: F may be removed; accesses and other fences stay where they are. Apply one at a time: the next
//             question is about the trace with F marked dropped (coalesce_fences does so in program order).
//             Refuted: kSharedConflict, kExternalConflict with the steps "first" and "second" (node ids): on an
//             execution from first over F to second no other fence is kept.
//             Unknown: kOpaque, kLastOfSequence, kExplicitFence, kNarrowFence, kNestedConflict (only effects inside a
//             nested region conflict), kAlreadyDropped, kNoSuchFence, kNotATrace.
// Fallback    The fence stays.
// Check       check_fence_redundant: a search over the control flow from every step, pair by pair.
// Tests       tests/proof/fence_redundant_test.cpp
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "proof/effect_trace.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct FenceRedundant {
  static constexpr std::string_view kId = "fence.redundant";
  static constexpr std::string_view kSharedConflict = "shared_conflict";
  static constexpr std::string_view kExternalConflict = "external_conflict";
  static constexpr std::string_view kOpaque = "opaque";
  static constexpr std::string_view kLastOfSequence = "last_of_sequence";
  static constexpr std::string_view kExplicitFence = "explicit_fence";
  static constexpr std::string_view kNarrowFence = "narrow_fence";
  static constexpr std::string_view kNestedConflict = "nested_conflict";
  static constexpr std::string_view kAlreadyDropped = "already_dropped";
  static constexpr std::string_view kNoSuchFence = "no_such_fence";
  static constexpr std::string_view kNotATrace = "not_a_trace";
};

/// The token's operation is the identity of the fence, its subject the trace as given (effect_trace_subject).
Verdict<FenceRedundant> prove_fence_redundant(const EffectTrace& trace, std::uint32_t fence);

struct CoalescedFences {
  EffectTrace trace;  ///< as given, with every fence that was proved redundant marked dropped
  std::vector<std::pair<std::uint32_t, Verdict<FenceRedundant>>>
      verdicts;  ///< each fence by identity, in program order
};
/// Asks about every fence that is not marked dropped, in program order; each proof holds for the trace at its turn.
CoalescedFences coalesce_fences(const EffectTrace& trace);

}  // namespace tilewright::proof
