#include "proof/fence_redundant.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/issuer.h"

namespace tilewright::proof {

namespace {

/// An effect on one side of the fence. `exposed`: some execution leads from it to the fence (from the fence to it)
/// without passing another fence that is kept.
struct SideEffect {
  TraceNodeId node;
  bool exposed = true;
};

class FenceQuestion {
 public:
  FenceQuestion(const EffectTrace& trace, TraceNodeId fence) : trace_(trace), fence_(fence) {}

  Verdict<FenceRedundant> answer() {
    enter(trace_.root);
    if (last_)
      return Unknown{FenceRedundant::kLastOfSequence,
                     "the last fence of a sequence covers the back edge and what follows"};
    for (const SideEffect& first : before_)
      for (const SideEffect& second : after_)
        if (first.exposed && second.exposed && conflict_of_steps(first, second)) return refuted(first, second);
    for (const auto* side : {&before_, &after_})
      for (const SideEffect& effect : *side)
        if (is_opaque(effect.node))
          return Unknown{FenceRedundant::kOpaque, fmt::format("node {} beside the fence is opaque", effect.node.index)};
    for (const SideEffect& first : before_)
      for (const SideEffect& second : after_)
        if (conflict_of_steps(first, second))
          return Unknown{FenceRedundant::kNestedConflict,
                         fmt::format("steps {} and {} conflict, one of them inside a nested region", first.node.index,
                                     second.node.index)};
    return proved();
  }

 private:
  Verdict<FenceRedundant> proved() const {
    const std::uint32_t identity = std::get<TraceFence>(trace_[fence_]).identity;
    Certificate certificate{{}, effect_trace_subject(trace_), identity, trace_.premises, {}};
    certificate.fields = effect_trace_fields(trace_);
    certificate.fields.push_back({"fence", fmt::format("{}", identity)});
    return Issuer::issue<FenceRedundant>(std::move(certificate));
  }

  Refuted refuted(const SideEffect& first, const SideEffect& second) const {
    const auto& a = std::get<TraceStep>(trace_[first.node]);
    const auto& b = std::get<TraceStep>(trace_[second.node]);
    const auto drop_external = [](TraceStep step) {
      for (auto* list : {&step.reads, &step.writes})
        std::erase_if(*list, [](const Location& location) { return location.storage == StorageClass::External; });
      return step;
    };
    const bool shared = may_conflict(drop_external(a), drop_external(b));
    Witness witness{{{"first", first.node.index}, {"second", second.node.index}},
                    fmt::format("steps {} and {} conflict in {} storage, and no other fence separates them",
                                first.node.index, second.node.index, shared ? "shared" : "external")};
    return {shared ? FenceRedundant::kSharedConflict : FenceRedundant::kExternalConflict, std::move(witness)};
  }

  /// The one comparison of two effects.
  bool conflict_of_steps(const SideEffect& first, const SideEffect& second) const {
    if (is_opaque(first.node) || is_opaque(second.node)) return false;
    return may_conflict(std::get<TraceStep>(trace_[first.node]), std::get<TraceStep>(trace_[second.node]));
  }

  bool is_opaque(TraceNodeId node) const {
    const auto* step = std::get_if<TraceStep>(&trace_[node]);
    return step == nullptr || step->opaque;
  }

  /// Items of a sequence, those of sequences directly inside it in their place.
  std::vector<TraceNodeId> flat_items(TraceNodeId sequence) const {
    std::vector<TraceNodeId> items;
    for (const TraceNodeId item : std::get<TraceSequence>(trace_[sequence]).items) {
      if (!std::holds_alternative<TraceSequence>(trace_[item])) {
        items.push_back(item);
        continue;
      }
      for (const TraceNodeId inner : flat_items(item)) items.push_back(inner);
    }
    return items;
  }

  std::vector<TraceNodeId> bodies(TraceNodeId item) const {
    if (const auto* loop = std::get_if<TraceLoop>(&trace_[item])) return {loop->body};
    if (const auto* branch = std::get_if<TraceBranch>(&trace_[item])) {
      if (branch->else_arm.valid()) return {branch->then_arm, branch->else_arm};
      return {branch->then_arm};
    }
    return {};
  }

  bool keeps(TraceNodeId item) const {
    const auto* fence = std::get_if<TraceFence>(&trace_[item]);
    return fence != nullptr && is_full_fence(*fence);
  }

  bool is_gone(TraceNodeId item) const {
    const auto* fence = std::get_if<TraceFence>(&trace_[item]);
    return fence != nullptr && fence->dropped;
  }

  bool holds_fence(TraceNodeId item) const {
    if (item == fence_) return true;
    for (const TraceNodeId body : bodies(item))
      for (const TraceNodeId inner : flat_items(body))
        if (holds_fence(inner)) return true;
    return false;
  }

  /// Whether some execution passes the item without a fence that is kept.
  bool may_pass(TraceNodeId item) const {
    if (keeps(item)) return false;
    const auto* branch = std::get_if<TraceBranch>(&trace_[item]);
    if (branch == nullptr || !branch->else_arm.valid()) return true;
    const auto passes = [&](TraceNodeId arm) {
      const auto items = flat_items(arm);
      return std::all_of(items.begin(), items.end(), [&](TraceNodeId inner) { return may_pass(inner); });
    };
    return passes(branch->then_arm) || passes(branch->else_arm);
  }

  static void cover(std::vector<SideEffect>& effects) {
    for (SideEffect& effect : effects) effect.exposed = false;
  }

  /// Adds the effects of an item that is not a kept fence of the sequence itself, as seen from after it.
  void add_before(TraceNodeId item, std::vector<SideEffect>& effects) const {
    if (is_gone(item)) return;
    if (!may_pass(item)) cover(effects);
    const auto nested = bodies(item);
    if (nested.empty()) effects.push_back({item, true});
    for (const TraceNodeId body : nested) {
      std::vector<SideEffect> inside;
      for (const TraceNodeId inner : flat_items(body)) {
        if (keeps(inner))
          cover(inside);
        else
          add_before(inner, inside);
      }
      effects.insert(effects.end(), inside.begin(), inside.end());
    }
  }

  /// Likewise as seen from before it; `open` while no kept fence has been passed.
  void add_after(TraceNodeId item, bool open, std::vector<SideEffect>& effects) const {
    if (is_gone(item)) return;
    const auto nested = bodies(item);
    if (nested.empty()) effects.push_back({item, open});
    for (const TraceNodeId body : nested) {
      bool inside = open;
      for (const TraceNodeId inner : flat_items(body)) {
        if (!keeps(inner)) add_after(inner, inside, effects);
        inside = inside && may_pass(inner);
      }
    }
  }

  /// Walks the sequence that holds the fence, with before_ holding what is pending at its start.
  void enter(TraceNodeId sequence) {
    const auto items = flat_items(sequence);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i] == fence_) {
        collect_after(items, i + 1);
        return;
      }
      if (keeps(items[i])) {
        before_.clear();
        continue;
      }
      if (!holds_fence(items[i])) {
        add_before(items[i], before_);
        continue;
      }
      for (const TraceNodeId body : bodies(items[i])) {
        const auto inner = flat_items(body);
        if (std::none_of(inner.begin(), inner.end(), [&](TraceNodeId id) { return holds_fence(id); })) continue;
        if (std::holds_alternative<TraceLoop>(trace_[items[i]])) add_back_edge(inner);
        enter(body);
        return;
      }
    }
  }

  /// What the end of a loop body leaves pending for the next iteration.
  void add_back_edge(const std::vector<TraceNodeId>& items) {
    std::vector<SideEffect> tail;
    for (const TraceNodeId item : items) {
      if (keeps(item))
        tail.clear();
      else
        add_before(item, tail);
    }
    before_.insert(before_.end(), tail.begin(), tail.end());
  }

  void collect_after(const std::vector<TraceNodeId>& items, std::size_t first) {
    bool open = true;
    for (std::size_t i = first; i < items.size(); ++i) {
      if (keeps(items[i])) return;
      add_after(items[i], open, after_);
      open = open && may_pass(items[i]);
    }
    last_ = true;
  }

  const EffectTrace& trace_;
  TraceNodeId fence_;
  std::vector<SideEffect> before_, after_;
  bool last_ = false;
};

void fences_in_order(const EffectTrace& trace, TraceNodeId node, std::vector<std::uint32_t>& identities) {
  if (const auto* fence = std::get_if<TraceFence>(&trace[node])) {
    if (!fence->dropped) identities.push_back(fence->identity);
  } else if (const auto* sequence = std::get_if<TraceSequence>(&trace[node])) {
    for (const TraceNodeId item : sequence->items) fences_in_order(trace, item, identities);
  } else if (const auto* loop = std::get_if<TraceLoop>(&trace[node])) {
    fences_in_order(trace, loop->body, identities);
  } else if (const auto* branch = std::get_if<TraceBranch>(&trace[node])) {
    fences_in_order(trace, branch->then_arm, identities);
    if (branch->else_arm.valid()) fences_in_order(trace, branch->else_arm, identities);
  }
}

}  // namespace

Verdict<FenceRedundant> prove_fence_redundant(const EffectTrace& trace, std::uint32_t fence) {
  if (const auto fault = effect_trace_fault(trace)) return Unknown{FenceRedundant::kNotATrace, *fault};
  const TraceNodeId node = fence_node(trace, fence);
  if (!node.valid()) return Unknown{FenceRedundant::kNoSuchFence, fmt::format("no fence {} in the trace", fence)};
  const auto& site = std::get<TraceFence>(trace[node]);
  if (site.dropped) return Unknown{FenceRedundant::kAlreadyDropped, "the fence is marked dropped"};
  if (site.owner == FenceOwner::User)
    return Unknown{FenceRedundant::kExplicitFence, "the author of the program asked for the fence"};
  if (!is_full_fence(site))
    return Unknown{FenceRedundant::kNarrowFence, "the fence orders less than the group and all storage"};
  return FenceQuestion(trace, node).answer();
}

CoalescedFences coalesce_fences(const EffectTrace& trace) {
  CoalescedFences result{trace, {}};
  if (effect_trace_fault(trace)) return result;
  std::vector<std::uint32_t> identities;
  fences_in_order(trace, trace.root, identities);
  for (const std::uint32_t identity : identities) {
    auto verdict = prove_fence_redundant(result.trace, identity);
    if (is_proved(verdict)) result.trace = with_fence_dropped(std::move(result.trace), identity);
    result.verdicts.emplace_back(identity, std::move(verdict));
  }
  return result;
}

}  // namespace tilewright::proof
