// subgroups.independent: the group program of a matrix product, every way to leave its form, random traces.
#include "proof/subgroups_independent.h"

#include <algorithm>
#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/check/check_trace.h"
#include "proof/trace_cases.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::subgroups_independent_test {
namespace {

using Family = SubgroupsIndependent;

TraceStep init_step() { return {StepRole::PrivateInit, {}, {local(0)}, false, true, false}; }
TraceStep matrix_step() {
  return {StepRole::Matrix, {external(0), external(1), local(0)}, {local(0)}, false, true, false};
}
TraceStep output_step() { return {StepRole::OutputStore, {local(0)}, {external(2)}, false, true, true}; }

/// init; fence; loop { matrix; fence }; output; fence; no-op, with one of its parts changed.
struct GroupParts {
  TraceStep init = init_step(), matrix = matrix_step(), output = output_step(), last{};
  TraceFence fence{};
  TraceLoop loop{{}, 8, 1, false};
  std::vector<std::uint32_t> inputs = {0, 1};
  std::uint32_t shared_allocations = 0;
  std::optional<TraceStep> before_output, in_loop, in_branch;
  bool output_in_loop = false, second_output = false, loop_at_end = false;

  EffectTrace trace() const {
    TraceWriter w;
    w.trace.immutable_inputs = inputs;
    w.trace.shared_allocations = shared_allocations;
    w.trace.premises = {{Guarantor::Proof, "inputs are immutable"}, {Guarantor::Proof, "parts are disjoint"}};
    TraceFence second = fence;
    second.identity = 2;
    std::vector<TraceNodeId> body = {w.step(matrix)};
    if (in_loop) body.push_back(w.step(*in_loop));
    if (output_in_loop) body.push_back(w.step(output));
    body.push_back(w.fence(second));
    TraceFence first = fence;
    first.identity = 1;
    std::vector<TraceNodeId> items = {w.step(init), w.fence(first)};
    TraceLoop whole = loop;
    whole.body = w.sequence(body);
    items.push_back(w.trace.nodes.push_back(whole));
    if (in_branch) items.push_back(w.branch({w.step(*in_branch)}));
    if (before_output) items.push_back(w.step(*before_output));
    if (!output_in_loop) items.push_back(w.step(output));
    if (second_output) items.push_back(w.step(output));
    TraceFence third;
    third.identity = 3;
    items.push_back(w.fence(third));
    items.push_back(w.step(last));
    if (loop_at_end) items.push_back(w.loop({}));
    return w.finish(items);
  }
  GroupParts() { last.role = StepRole::NoOp; }
};

std::string answer(const EffectTrace& trace) {
  const auto verdict = prove_subgroups_independent(trace);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return std::string(refuted->code);
  if (const auto* unknown = std::get_if<Unknown>(&verdict)) return std::string(unknown->code);
  const auto check = check_subgroups_independent(std::get<Proved<Family>>(verdict).certificate(), trace);
  EXPECT_TRUE(check) << render(check.error());
  return "proved";
}

std::string changed(const std::function<void(GroupParts&)>& change) {
  GroupParts parts;
  change(parts);
  return answer(parts.trace());
}

TEST(SubgroupsIndependent, TheMatrixProgramIsProved) {
  const EffectTrace trace = GroupParts().trace();
  const auto verdict = prove_subgroups_independent(trace);
  ASSERT_TRUE(is_proved(verdict)) << answer(trace);
  const auto& fields = std::get<Proved<Family>>(verdict).certificate().fields;
  EXPECT_EQ(fields[fields.size() - 2], (Field{"inputs", "0, 1"}));
  EXPECT_EQ(fields[fields.size() - 1], (Field{"fences", "1, 2, 3"}));
}

TEST(SubgroupsIndependent, SharedStorage) {
  EXPECT_EQ(changed([](GroupParts& p) { p.shared_allocations = 1; }), Family::kSharedStorage);
  EXPECT_EQ(changed([](GroupParts& p) { p.matrix.reads.push_back(shared(0)); }), Family::kSharedStorage);
  EXPECT_EQ(changed([](GroupParts& p) {
              p.init.writes.push_back(shared(0));
              p.matrix.reads.push_back(shared(0));
            }),
            Family::kSharedConflict);
}

TEST(SubgroupsIndependent, TheOutput) {
  EXPECT_EQ(changed([](GroupParts& p) { p.second_output = true; }), Family::kSecondEffect);
  EXPECT_EQ(changed([](GroupParts& p) {
              p.before_output = TraceStep{StepRole::Plain, {}, {external(9)}, false, true, false};
            }),
            Family::kSecondEffect);
  EXPECT_EQ(changed([](GroupParts& p) { p.output_in_loop = true; }), Family::kOutputInLoop);
  EXPECT_EQ(changed([](GroupParts& p) { p.output.role = StepRole::NoOp; }), Family::kUnknownStep);
  EXPECT_EQ(changed([](GroupParts& p) { p.output = p.last; }), Family::kNoOutput);
  EXPECT_EQ(changed([](GroupParts& p) { p.output.disjoint_parts = false; }), Family::kOverlappingParts);
  EXPECT_EQ(changed([](GroupParts& p) { p.output.writes = {local(1)}; }), Family::kUnknownStep);
  EXPECT_EQ(changed([](GroupParts& p) { p.last = init_step(); }), Family::kAfterOutput);
  EXPECT_EQ(changed([](GroupParts& p) { p.loop_at_end = true; }), Family::kAfterOutput);
}

TEST(SubgroupsIndependent, Inputs) {
  EXPECT_EQ(changed([](GroupParts& p) { p.inputs = {0}; }), Family::kReadOfOutput);  // all external are one class
  EXPECT_EQ(changed([](GroupParts& p) {
              p.inputs = {0};
              p.output = p.last;
            }),
            Family::kMutableInput);
  EXPECT_EQ(changed([](GroupParts& p) { p.output.writes = {external(1)}; }), Family::kReadOfOutput);
  EXPECT_EQ(changed([](GroupParts& p) { p.matrix.reads.push_back(external(2)); }), Family::kReadOfOutput);
  EXPECT_EQ(changed([](GroupParts& p) { p.init.reads.push_back(external(0)); }), Family::kMutableInput);
}

TEST(SubgroupsIndependent, FormAndParticipation) {
  EXPECT_EQ(changed([](GroupParts& p) { p.fence.owner = FenceOwner::User; }), Family::kExplicitFence);
  EXPECT_EQ(changed([](GroupParts& p) { p.in_branch = p.last; }), Family::kBranch);
  EXPECT_EQ(changed([](GroupParts& p) { p.loop.trip = std::nullopt; }), Family::kLoopForm);
  EXPECT_EQ(changed([](GroupParts& p) { p.loop.trip = 0; }), Family::kLoopForm);
  EXPECT_EQ(changed([](GroupParts& p) { p.loop.trip = 1; }), "proved");
  EXPECT_EQ(changed([](GroupParts& p) { p.loop.step = 2; }), Family::kLoopForm);
  EXPECT_EQ(changed([](GroupParts& p) { p.loop.annotated = true; }), Family::kLoopForm);
  EXPECT_EQ(changed([](GroupParts& p) { p.matrix.opaque = true; }), Family::kOpaque);
  EXPECT_EQ(changed([](GroupParts& p) { p.matrix.role = StepRole::Plain; }), Family::kUnknownStep);
  EXPECT_EQ(changed([](GroupParts& p) { p.matrix.full_subgroups = false; }), Family::kPartialSubgroup);
  EXPECT_EQ(changed([](GroupParts& p) { p.in_loop = p.last; }), "proved");
  EXPECT_EQ(changed([](GroupParts& p) { p.last.reads = {local(0)}; }), Family::kUnknownStep);
  EffectTrace broken = GroupParts().trace();
  broken.root = {};
  EXPECT_EQ(answer(broken), Family::kNotATrace);
}

TEST(SubgroupsIndependent, EveryAlterationIsRefused) {
  const EffectTrace trace = GroupParts().trace();
  const auto verdict = prove_subgroups_independent(trace);
  ASSERT_TRUE(is_proved(verdict));
  const CertificateCheck check = [&](const Certificate& c) { return check_subgroups_independent(c, trace); };
  EXPECT_GT(expect_alterations_refused(std::get<Proved<Family>>(verdict).certificate(), check), 80);
}

/// A trace in the form of the proof, with up to two parts changed at random.
EffectTrace random_group(CaseRandom& random) {
  GroupParts parts;
  const auto location = [&] {
    const auto number = static_cast<std::uint32_t>(random.number(0, 3));
    return random.chance(1, 3) ? shared(number) : random.chance(1, 2) ? external(number) : local(number);
  };
  const auto any_step = [&]() -> TraceStep& {
    return *std::array{&parts.init, &parts.matrix, &parts.output,
                       &parts.last}[static_cast<std::size_t>(random.number(0, 3))];
  };
  const std::int64_t changes = random.chance(1, 3) ? 0 : random.number(1, 2);
  for (std::int64_t i = 0; i < changes; ++i) {
    const bool write = random.chance(1, 2);
    TraceStep& step = any_step();
    switch (random.number(0, 11)) {
      case 0:
      case 1:
      case 2:
        (write ? step.writes : step.reads).push_back(location());
        break;
      case 3:
        parts.second_output = true;
        break;
      case 4:
        step.role = static_cast<StepRole>(random.number(0, 4));
        break;
      case 5:
        parts.in_loop =
            TraceStep{static_cast<StepRole>(random.number(0, 4)), {location()}, {location()}, false, true, false};
        break;
      case 6:
        parts.before_output = TraceStep{StepRole::Matrix, {location()}, {location()}, false, true, false};
        break;
      case 7:
        parts.inputs = {static_cast<std::uint32_t>(random.number(0, 2))};
        break;
      case 8:
        step.full_subgroups = step.disjoint_parts = false;
        break;
      case 9:
        parts.loop.trip = random.number(-1, 2);
        break;
      case 10:
        parts.fence.owner = random.chance(1, 2) ? FenceOwner::User : FenceOwner::Compiler;
        step.opaque = random.chance(1, 3);
        break;
      default:
        parts.output_in_loop = random.chance(1, 2);
        parts.shared_allocations = static_cast<std::uint32_t>(random.number(0, 1));
        break;
    }
  }
  return parts.trace();
}

/// Two different steps on two subgroups of which one writes what the other accesses; immutable inputs stay as they are.
bool observable(const EffectTrace& trace, const TraceStep& a, const TraceStep& b) {
  if (a.opaque || b.opaque) return false;
  const auto is_input = [&](const Location& location) {
    return location.storage == StorageClass::External &&
           std::count(trace.immutable_inputs.begin(), trace.immutable_inputs.end(), location.number) > 0;
  };
  const auto sees = [&](const TraceStep& writer, const TraceStep& other) {
    for (const Location& write : writer.writes) {
      if (write.storage == StorageClass::Private) continue;
      for (const Location& access : other.writes)
        if (access == write || (write.storage == StorageClass::External && access.storage == StorageClass::External))
          return true;
      for (const Location& access : other.reads)
        if (access == write ||
            (write.storage == StorageClass::External && access.storage == StorageClass::External && !is_input(access)))
          return true;
    }
    return false;
  };
  return sees(a, b) || sees(b, a);
}

TEST(SubgroupsIndependent, AgreesWithEveryPair) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(10'000, 25)); ++seed) {
    CaseRandom random(seed);
    const EffectTrace trace = random_group(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_effect_trace(trace));
    std::vector<std::pair<std::uint32_t, const TraceStep*>> steps;
    bool opaque = false;
    for (const TraceNodeId id : trace.nodes.ids())
      if (const auto* step = std::get_if<TraceStep>(&trace[id])) {
        steps.emplace_back(id.index, step);
        opaque = opaque || step->opaque;
      }
    bool clean = true;
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t j = i + 1; j < steps.size(); ++j)
        clean = clean && !observable(trace, *steps[i].second, *steps[j].second);
    const auto verdict = prove_subgroups_independent(trace);
    if (const auto* token = std::get_if<Proved<Family>>(&verdict)) {
      tally.add(Finding::Kind::Proved);
      ASSERT_TRUE(clean && !opaque);
      ASSERT_TRUE(check_subgroups_independent(token->certificate(), trace));
    } else if (const auto* no = std::get_if<Refuted>(&verdict)) {
      tally.add(Finding::Kind::Refuted);
      const auto at = [&](std::size_t i) {
        return std::get<TraceStep>(trace[{static_cast<std::uint32_t>(no->witness.point[i].value)}]);
      };
      ASSERT_TRUE(observable(trace, at(0), at(1)));
      ASSERT_NE(no->witness.point[0].value, no->witness.point[1].value);
    } else {
      tally.add(Finding::Kind::Unknown);
      ASSERT_TRUE(clean);
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::subgroups_independent_test
