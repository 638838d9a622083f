// PROOF subgroups.independent
// Question    For a group program given as an effect trace: can no subgroup observe what another does, so that every
//             compiler-owned fence of the group may be removed?
// Premises    P1 the trace holds every effect of the group program. P2 init, matrix and output steps are executed by
//             full subgroups, each on its own fragments. P3 the parts of the output that different subgroups store are
//             disjoint. P4 the immutable inputs are written by nothing while the group runs. All from kernel code,
//             which quotes who answers for them (verifier, matrix distribution, view analysis, noalias of the caller).
// Method      Exact on the form of the trace. No shared allocation or access; exactly one output step, in the outermost
//             sequence, with disjoint parts and nothing but fences and no-ops after it; every other step a private
//             init, or a matrix step that reads private storage and immutable inputs and writes private storage; no
//             opaque step, explicit fence or branch; loops with a constant positive trip, unit step and no annotation.
//             To disprove: two steps of which one writes what the other accesses, inputs aside.
// Conclusion  Proved: legal to keep or to remove all compiler-owned fences; which of the two pays is for the plan.
//             Refuted: kSharedConflict, kSecondEffect, kReadOfOutput with the steps "first" and "second" (node ids).
//             Unknown: kSharedStorage, kOpaque, kExplicitFence, kBranch, kLoopForm, kUnknownStep, kMutableInput,
//             kPartialSubgroup, kNoOutput, kOutputInLoop, kOverlappingParts, kAfterOutput, kNotATrace.
// Fallback    Fences stay, but for those that fence.redundant removes.
// Check       check_subgroups_independent: every pair of steps, and the form of the trace.
// Tests       tests/proof/subgroups_independent_test.cpp
#pragma once

#include "proof/effect_trace.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct SubgroupsIndependent {
  static constexpr std::string_view kId = "subgroups.independent";
  static constexpr std::string_view kSharedConflict = "shared_conflict";
  static constexpr std::string_view kSecondEffect = "second_effect";
  static constexpr std::string_view kReadOfOutput = "read_of_output";
  static constexpr std::string_view kSharedStorage = "shared_storage";
  static constexpr std::string_view kOpaque = "opaque";
  static constexpr std::string_view kExplicitFence = "explicit_fence";
  static constexpr std::string_view kBranch = "branch";
  static constexpr std::string_view kLoopForm = "loop_form";
  static constexpr std::string_view kUnknownStep = "unknown_step";
  static constexpr std::string_view kMutableInput = "mutable_input";
  static constexpr std::string_view kPartialSubgroup = "partial_subgroup";
  static constexpr std::string_view kNoOutput = "no_output";
  static constexpr std::string_view kOutputInLoop = "output_in_loop";
  static constexpr std::string_view kOverlappingParts = "overlapping_parts";
  static constexpr std::string_view kAfterOutput = "after_output";
  static constexpr std::string_view kNotATrace = "not_a_trace";
};

Verdict<SubgroupsIndependent> prove_subgroups_independent(const EffectTrace& trace);

}  // namespace tilewright::proof
