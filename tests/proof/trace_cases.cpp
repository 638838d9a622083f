#include "proof/trace_cases.h"

#include <algorithm>
#include <set>

namespace tilewright::proof {

namespace {

using Executions = std::vector<Execution>;

/// Each execution of `first` followed by each of `second`.
Executions followed_by(const Executions& first, const Executions& second, std::size_t most) {
  Executions all;
  if (first.size() * second.size() > most) return all;  // empty: too many
  for (const Execution& a : first)
    for (const Execution& b : second) {
      all.push_back(a);
      all.back().insert(all.back().end(), b.begin(), b.end());
    }
  return all;
}

Executions executions_of(const EffectTrace& trace, TraceNodeId id, int trips, std::size_t most) {
  const TraceNode& node = trace[id];
  if (std::holds_alternative<TraceStep>(node) || std::holds_alternative<TraceFence>(node)) return {{id}};
  if (const auto* sequence = std::get_if<TraceSequence>(&node)) {
    Executions all = {{}};
    for (const TraceNodeId item : sequence->items)
      all = followed_by(all, executions_of(trace, item, trips, most), most);
    return all;
  }
  if (const auto* branch = std::get_if<TraceBranch>(&node)) {
    Executions all = executions_of(trace, branch->then_arm, trips, most);
    const Executions other =
        branch->else_arm.valid() ? executions_of(trace, branch->else_arm, trips, most) : Executions{{}};
    if (all.empty() || other.empty()) return {};
    all.insert(all.end(), other.begin(), other.end());
    return all;
  }
  const Executions once = executions_of(trace, std::get<TraceLoop>(node).body, trips, most);
  Executions all = {{}};
  Executions longest = {{}};
  for (int i = 0; i < trips; ++i) {
    longest = followed_by(longest, once, most);
    if (longest.empty()) return {};
    all.insert(all.end(), longest.begin(), longest.end());
  }
  return all;
}

bool stands(const EffectTrace& trace, TraceNodeId id, std::uint32_t but) {
  const auto* fence = std::get_if<TraceFence>(&trace[id]);
  return fence != nullptr && !fence->dropped && fence->owner == FenceOwner::Compiler && fence->identity != but &&
         fence->scope == FenceScope::Group && fence->orders_shared && fence->orders_external;
}

/// A step, or a fence that nothing is known of.
std::optional<TraceStep> effect_of(const EffectTrace& trace, TraceNodeId id) {
  if (const auto* step = std::get_if<TraceStep>(&trace[id])) return *step;
  const auto& fence = std::get<TraceFence>(trace[id]);
  const bool full = fence.owner == FenceOwner::Compiler && fence.scope == FenceScope::Group && fence.orders_shared &&
                    fence.orders_external;
  if (full || fence.dropped) return std::nullopt;
  TraceStep unknown;
  unknown.opaque = true;
  return unknown;
}

class TraceGenerator {
 public:
  explicit TraceGenerator(CaseRandom& random) : random_(random) {}

  EffectTrace run() {
    auto items = some_items(0);
    return writer_.finish(std::move(items));
  }

 private:
  std::vector<Location> locations() {
    std::vector<Location> list;
    for (std::int64_t i = random_.number(0, 1) + random_.number(0, 1); i > 0; --i) {
      const auto number = static_cast<std::uint32_t>(random_.number(0, 2));
      list.push_back(random_.chance(1, 5) ? external(number) : random_.chance(1, 5) ? local(number) : shared(number));
    }
    return list;
  }

  TraceNodeId fence() {
    TraceFence value;
    value.identity = next_fence_++;
    if (random_.chance(1, 60)) value.owner = FenceOwner::User;
    if (random_.chance(1, 80)) value.scope = FenceScope::Subgroup;
    if (random_.chance(1, 80)) value.orders_external = false;
    if (random_.chance(1, 20)) value.dropped = true;
    return writer_.fence(value);
  }

  std::vector<TraceNodeId> some_items(int depth) {
    std::vector<TraceNodeId> items;
    for (std::int64_t i = random_.number(depth == 0 ? 3 : 1, depth == 0 ? 12 : 4); i > 0; --i) {
      if (depth < 2 && random_.chance(1, 6))
        items.push_back(writer_.loop(some_items(depth + 1)));
      else if (depth < 2 && random_.chance(1, 10))
        items.push_back(branch(depth));
      else if (depth < 2 && random_.chance(1, 12))
        items.push_back(writer_.sequence(some_items(depth + 1)));
      else
        items.push_back(random_.chance(1, 100) ? writer_.opaque() : writer_.step(locations(), locations()));
      if (random_.chance(4, 5)) items.push_back(fence());
    }
    return items;
  }

  TraceNodeId branch(int depth) {
    auto then_items = some_items(depth + 1);
    if (random_.chance(1, 2)) return writer_.branch(std::move(then_items));
    return writer_.branch(std::move(then_items), some_items(depth + 1));
  }

  CaseRandom& random_;
  TraceWriter writer_;
  std::uint32_t next_fence_ = 1;
};

}  // namespace

std::optional<std::vector<Execution>> executions(const EffectTrace& trace, int trips, std::size_t most) {
  auto all = executions_of(trace, trace.root, trips, most);
  if (all.empty() || all.size() > most) return std::nullopt;
  return all;
}

bool order_matters(const TraceStep& a, const TraceStep& b) {
  if (a.opaque || b.opaque) return true;
  const auto meets = [](const std::vector<Location>& writes, const TraceStep& other) {
    for (const auto* list : {&other.reads, &other.writes})
      for (const Location& y : *list)
        for (const Location& x : writes) {
          if (x.storage == StorageClass::Shared && x == y) return true;
          if (x.storage == StorageClass::External && y.storage == StorageClass::External) return true;
        }
    return false;
  };
  return meets(a.writes, b) || meets(b.writes, a);
}

std::vector<UnseparatedPair> unseparated_pairs(const EffectTrace& trace, std::uint32_t fence,
                                               const std::vector<Execution>& all) {
  std::set<UnseparatedPair> found;
  const TraceNodeId candidate = fence_node(trace, fence);
  for (const Execution& execution : all)
    for (std::size_t at = 0; at < execution.size(); ++at) {
      if (execution[at] != candidate) continue;
      // Back to the last fence that stands, and on to the next.
      for (std::size_t i = at; i-- > 0 && !stands(trace, execution[i], fence);)
        for (std::size_t j = at + 1; j < execution.size() && !stands(trace, execution[j], fence); ++j) {
          const auto a = effect_of(trace, execution[i]);
          const auto b = effect_of(trace, execution[j]);
          if (a && b && order_matters(*a, *b)) found.insert({execution[i], execution[j]});
        }
    }
  return {found.begin(), found.end()};
}

EffectTrace random_trace(CaseRandom& random) { return TraceGenerator(random).run(); }

}  // namespace tilewright::proof
