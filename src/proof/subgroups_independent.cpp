#include "proof/subgroups_independent.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proof/issuer.h"

namespace tilewright::proof {

namespace {

using Independent = SubgroupsIndependent;

struct PlacedStep {
  TraceNodeId node;
  const TraceStep* step = nullptr;
  std::size_t depth = 0;  ///< loops and branches around it
};

bool all_private(const std::vector<Location>& locations) {
  return std::all_of(locations.begin(), locations.end(),
                     [](const Location& location) { return location.storage == StorageClass::Private; });
}

class GroupQuestion {
 public:
  explicit GroupQuestion(const EffectTrace& trace)
      : trace_(trace), immutable_(trace.immutable_inputs.begin(), trace.immutable_inputs.end()) {
    visit(trace.root, 0);
  }

  Verdict<SubgroupsIndependent> answer() const {
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (std::size_t j = i + 1; j < steps_.size(); ++j)
        if (const auto code = observed(*steps_[i].step, *steps_[j].step); !code.empty())
          return refuted(code, steps_[i], steps_[j]);
    if (const auto reject = storage_reject()) return *reject;
    for (const PlacedStep& placed : steps_)
      if (const auto reject = step_reject(placed)) return *reject;
    if (const auto reject = output_reject()) return *reject;
    return proved();
  }

 private:
  void visit(TraceNodeId id, std::size_t depth) {
    const TraceNode& node = trace_[id];
    if (const auto* step = std::get_if<TraceStep>(&node)) steps_.push_back({id, step, depth});
    if (const auto* fence = std::get_if<TraceFence>(&node); fence != nullptr && !fence->dropped) {
      if (fence->owner == FenceOwner::User)
        form_ = form_.value_or(reject(Independent::kExplicitFence, id));
      else
        fences_.push_back(fence->identity);
    }
    if (const auto* sequence = std::get_if<TraceSequence>(&node))
      for (const TraceNodeId item : sequence->items) visit(item, depth);
    if (const auto* loop = std::get_if<TraceLoop>(&node)) {
      if (!is_plain_loop(*loop)) form_ = form_.value_or(reject(Independent::kLoopForm, id));
      visit(loop->body, depth + 1);
    }
    if (const auto* branch = std::get_if<TraceBranch>(&node)) {
      form_ = form_.value_or(reject(Independent::kBranch, id));
      visit(branch->then_arm, depth + 1);
      if (branch->else_arm.valid()) visit(branch->else_arm, depth + 1);
    }
  }

  static bool is_plain_loop(const TraceLoop& loop) {
    return loop.trip && *loop.trip > 0 && loop.step == 1 && !loop.annotated;
  }

  static Unknown reject(std::string_view code, TraceNodeId node) {
    return {code, fmt::format("node {} does not fit: {}", node.index, code)};
  }

  bool is_input(const Location& location) const {
    return location.storage == StorageClass::External && immutable_.contains(location.number);
  }

  /// The step without its reads of inputs that the other step leaves alone.
  TraceStep without_inputs(TraceStep step, const TraceStep& other) const {
    std::erase_if(step.reads, [&](const Location& read) {
      return is_input(read) && std::find(other.writes.begin(), other.writes.end(), read) == other.writes.end();
    });
    return step;
  }

  /// How one subgroup sees in step b what another did in step a, or the reverse; empty when it cannot.
  std::string_view observed(const TraceStep& a, const TraceStep& b) const {
    if (a.opaque || b.opaque) return {};
    const TraceStep x = without_inputs(a, b);
    const TraceStep y = without_inputs(b, a);
    if (!may_conflict(x, y)) return {};
    const auto writes_external = [](const TraceStep& step) {
      return std::any_of(step.writes.begin(), step.writes.end(),
                         [](const Location& location) { return location.storage == StorageClass::External; });
    };
    const auto only_external = [](TraceStep step) {
      for (auto* list : {&step.reads, &step.writes})
        std::erase_if(*list, [](const Location& location) { return location.storage != StorageClass::External; });
      return step;
    };
    if (!may_conflict(only_external(x), only_external(y))) return Independent::kSharedConflict;
    return writes_external(x) && writes_external(y) ? Independent::kSecondEffect : Independent::kReadOfOutput;
  }

  static Refuted refuted(std::string_view code, const PlacedStep& first, const PlacedStep& second) {
    Witness witness{{{"first", first.node.index}, {"second", second.node.index}},
                    fmt::format("steps {} and {} access one location, and one of them writes it", first.node.index,
                                second.node.index)};
    return {code, std::move(witness)};
  }

  std::optional<Unknown> storage_reject() const {
    if (trace_.shared_allocations != 0)
      return Unknown{Independent::kSharedStorage, fmt::format("{} shared allocations", trace_.shared_allocations)};
    return form_;
  }

  /// What disqualifies a step by itself.
  std::optional<Unknown> step_reject(const PlacedStep& placed) const {
    const TraceStep& step = *placed.step;
    const auto no = [&](std::string_view code) { return std::optional<Unknown>(reject(code, placed.node)); };
    if (step.opaque) return no(Independent::kOpaque);
    for (const auto* list : {&step.reads, &step.writes})
      for (const Location& location : *list)
        if (location.storage == StorageClass::Shared) return no(Independent::kSharedStorage);
    if (step.role == StepRole::Plain) return no(Independent::kUnknownStep);
    if (step.role == StepRole::NoOp)
      return step.reads.empty() && step.writes.empty() ? std::nullopt : no(Independent::kUnknownStep);
    if (!step.full_subgroups) return no(Independent::kPartialSubgroup);
    for (const Location& read : step.reads)
      if (read.storage == StorageClass::External && (step.role == StepRole::PrivateInit || !is_input(read)))
        return no(Independent::kMutableInput);
    if (step.role != StepRole::OutputStore && !all_private(step.writes)) return no(Independent::kUnknownStep);
    return std::nullopt;
  }

  /// Exactly one output step, at depth 0, with disjoint parts, and no other step after it.
  std::optional<Unknown> output_reject() const {
    const PlacedStep* output = nullptr;
    for (const PlacedStep& placed : steps_) {
      const StepRole role = placed.step->role;
      if (output != nullptr && role != StepRole::NoOp) return reject(Independent::kAfterOutput, placed.node);
      if (role == StepRole::OutputStore) output = &placed;
    }
    if (output == nullptr) return Unknown{Independent::kNoOutput, "no step stores the output"};
    if (output->depth != 0) return reject(Independent::kOutputInLoop, output->node);
    if (!output->step->disjoint_parts) return reject(Independent::kOverlappingParts, output->node);
    const auto& writes = output->step->writes;
    const bool writes_input = std::any_of(writes.begin(), writes.end(), [&](const Location& w) { return is_input(w); });
    if (all_private(writes) || writes_input) return reject(Independent::kUnknownStep, output->node);
    return loop_after_output(*output);
  }

  /// A loop after the output, even one of no-ops alone, is not "nothing but fences and no-ops".
  std::optional<Unknown> loop_after_output(const PlacedStep& output) const {
    bool after = false;
    std::vector<TraceNodeId> open{trace_.root};
    while (!open.empty()) {
      const TraceNodeId id = open.back();
      open.pop_back();
      if (after && std::holds_alternative<TraceLoop>(trace_[id])) return reject(Independent::kAfterOutput, id);
      after = after || id == output.node;
      if (const auto* sequence = std::get_if<TraceSequence>(&trace_[id]))
        open.insert(open.end(), sequence->items.rbegin(), sequence->items.rend());
    }
    return std::nullopt;
  }

  Verdict<SubgroupsIndependent> proved() const {
    std::set<std::uint32_t> inputs;
    std::uint32_t output = 0;
    for (const PlacedStep& placed : steps_) {
      if (placed.step->role == StepRole::OutputStore) output = placed.node.index;
      for (const Location& read : placed.step->reads)
        if (read.storage == StorageClass::External) inputs.insert(read.number);
    }
    Certificate certificate{{}, effect_trace_subject(trace_), kNoOperation, trace_.premises, {}};
    certificate.fields = effect_trace_fields(trace_);
    certificate.fields.push_back({"steps", fmt::format("{}", steps_.size())});
    certificate.fields.push_back({"output", fmt::format("{}", output)});
    certificate.fields.push_back({"inputs", inputs.empty() ? "none" : fmt::format("{}", fmt::join(inputs, ", "))});
    certificate.fields.push_back({"fences", fences_.empty() ? "none" : fmt::format("{}", fmt::join(fences_, ", "))});
    return Issuer::issue<Independent>(std::move(certificate));
  }

  const EffectTrace& trace_;
  std::set<std::uint32_t> immutable_;
  std::vector<PlacedStep> steps_;      ///< in program order
  std::vector<std::uint32_t> fences_;  ///< compiler-owned, by identity, in program order
  std::optional<Unknown> form_;        ///< the first fence, loop or branch that does not fit
};

}  // namespace

Verdict<SubgroupsIndependent> prove_subgroups_independent(const EffectTrace& trace) {
  if (const auto fault = effect_trace_fault(trace)) return Unknown{Independent::kNotATrace, *fault};
  return GroupQuestion(trace).answer();
}

}  // namespace tilewright::proof
