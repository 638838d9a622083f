#include "proof/check/check_trace.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proof/check/check_fields.h"

namespace tilewright::proof {

namespace {

using LocationSet = std::set<std::pair<int, std::uint32_t>>;

/// Locations whose order can be observed: shared allocations, and one for all external buffers.
LocationSet ordered_locations(const std::vector<Location>& locations) {
  LocationSet set;
  for (const Location& location : locations) {
    if (location.storage == StorageClass::Shared) set.emplace(0, location.number);
    if (location.storage == StorageClass::External) set.emplace(1, 0);
  }
  return set;
}

bool meet(const LocationSet& a, const LocationSet& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& location) { return b.contains(location); });
}

/// A leaf of the control flow, or a point between (neither step nor fence).
struct FlowVertex {
  std::uint32_t node = 0;
  bool is_step = false, opaque = false;
  bool stops = false;      ///< a fence that orders everything and is kept
  bool candidate = false;  ///< the fence in question
  LocationSet reads, writes;
  std::vector<std::size_t> next;
};

bool is_hazard(const FlowVertex& a, const FlowVertex& b) {
  if (a.opaque || b.opaque) return true;
  return meet(a.writes, b.reads) || meet(a.reads, b.writes) || meet(a.writes, b.writes);
}

class FlowGraph {
 public:
  FlowGraph(const EffectTrace& trace, std::uint32_t fence) : trace_(trace), fence_(fence) { build(trace.root); }

  /// Two steps that only the fence in question separates; nothing when there are none.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> unprotected_pair() const {
    for (std::size_t start = 0; start < vertices_.size(); ++start)
      if (vertices_[start].is_step)
        if (const auto second = reach_hazard(start)) return std::pair(vertices_[start].node, vertices_[*second].node);
    return std::nullopt;
  }

 private:
  struct Ends {
    std::size_t in = 0, out = 0;
  };

  std::size_t add(FlowVertex vertex) {
    vertices_.push_back(std::move(vertex));
    return vertices_.size() - 1;
  }
  void link(std::size_t from, std::size_t to) { vertices_[from].next.push_back(to); }

  Ends build(TraceNodeId id) {
    const TraceNode& node = trace_[id];
    if (const auto* step = std::get_if<TraceStep>(&node)) {
      const std::size_t vertex = add({id.index,
                                      true,
                                      step->opaque,
                                      false,
                                      false,
                                      ordered_locations(step->reads),
                                      ordered_locations(step->writes),
                                      {}});
      return {vertex, vertex};
    }
    if (const auto* fence = std::get_if<TraceFence>(&node)) return build_fence(id, *fence);
    const Ends ends{add({}), add({})};
    if (const auto* sequence = std::get_if<TraceSequence>(&node)) {
      std::size_t last = ends.in;
      for (const TraceNodeId item : sequence->items) {
        const Ends inner = build(item);
        link(last, inner.in);
        last = inner.out;
      }
      link(last, ends.out);
    } else if (const auto* loop = std::get_if<TraceLoop>(&node)) {
      const Ends body = build(loop->body);
      link(ends.in, body.in);
      link(body.out, ends.in);
      link(ends.in, ends.out);
    } else if (const auto* branch = std::get_if<TraceBranch>(&node)) {
      for (const TraceNodeId arm : {branch->then_arm, branch->else_arm}) {
        if (!arm.valid()) {
          link(ends.in, ends.out);
          continue;
        }
        const Ends inner = build(arm);
        link(ends.in, inner.in);
        link(inner.out, ends.out);
      }
    }
    return ends;
  }

  Ends build_fence(TraceNodeId id, const TraceFence& fence) {
    FlowVertex vertex;
    vertex.node = id.index;
    const bool whole = fence.owner == FenceOwner::Compiler && fence.scope == FenceScope::Group && fence.orders_shared &&
                       fence.orders_external;
    vertex.candidate = fence.identity == fence_;
    vertex.stops = whole && !fence.dropped && !vertex.candidate;
    vertex.is_step = vertex.opaque = !whole && !fence.dropped;
    const std::size_t added = add(std::move(vertex));
    return {added, added};
  }

  std::optional<std::size_t> reach_hazard(std::size_t start) const {
    std::vector<char> seen(2 * vertices_.size(), 0);
    std::vector<std::pair<std::size_t, bool>> open;
    const auto push_next = [&](std::size_t vertex, bool crossed) {
      for (const std::size_t next : vertices_[vertex].next) {
        if (seen[2 * next + (crossed ? 1 : 0)] != 0) continue;
        seen[2 * next + (crossed ? 1 : 0)] = 1;
        open.emplace_back(next, crossed);
      }
    };
    push_next(start, false);
    while (!open.empty()) {
      auto [vertex, crossed] = open.back();
      open.pop_back();
      const FlowVertex& here = vertices_[vertex];
      if (here.stops) continue;
      if (here.is_step && crossed && is_hazard(vertices_[start], here)) return vertex;
      push_next(vertex, crossed || here.candidate);
    }
    return std::nullopt;
  }

  const EffectTrace& trace_;
  std::uint32_t fence_;
  std::vector<FlowVertex> vertices_;
};

/// One pass over the trace that lists what the claim of independent subgroups is about.
class IsolationScan {
 public:
  explicit IsolationScan(const EffectTrace& trace)
      : trace_(trace), immutable_(trace.immutable_inputs.begin(), trace.immutable_inputs.end()) {
    scan(trace.root, 0);
    if (!output_) complain("no output step");
    if (trace.shared_allocations != 0) complain("shared storage");
  }

  const std::string& fault() const { return fault_; }

  std::vector<Field> fields() const {
    const auto list = [](const auto& numbers) {
      return numbers.empty() ? std::string("none") : fmt::format("{}", fmt::join(numbers, ", "));
    };
    return {{"steps", fmt::format("{}", steps_.size())},
            {"output", output_ ? fmt::format("{}", *output_) : "none"},
            {"inputs", list(inputs_)},
            {"fences", list(fences_)}};
  }

  /// Two different steps of which one writes an external or shared location that the other accesses.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> shared_pair() const {
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (std::size_t j = 0; j < steps_.size(); ++j) {
        if (i == j) continue;
        const TraceStep& writer = *steps_[i].second;
        const TraceStep& other = *steps_[j].second;
        for (const Location& write : writer.writes)
          for (const auto* list : {&other.reads, &other.writes})
            for (const Location& access : *list)
              if (is_common(write, access, list == &other.reads)) return std::pair(steps_[i].first, steps_[j].first);
      }
    return std::nullopt;
  }

 private:
  bool is_common(const Location& write, const Location& access, bool read) const {
    if (write.storage == StorageClass::Private || write.storage != access.storage) return false;
    if (write.number == access.number) return true;
    if (write.storage == StorageClass::Shared) return false;
    return !(read && immutable_.contains(access.number));
  }

  void complain(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  void scan(TraceNodeId id, int depth) {
    const TraceNode& node = trace_[id];
    if (const auto* step = std::get_if<TraceStep>(&node)) {
      steps_.emplace_back(id.index, step);
      scan_step(id.index, *step, depth);
    } else if (const auto* fence = std::get_if<TraceFence>(&node)) {
      if (fence->dropped) return;
      if (fence->owner == FenceOwner::User) complain("an explicit fence");
      fences_.push_back(fence->identity);
    } else if (const auto* sequence = std::get_if<TraceSequence>(&node)) {
      for (const TraceNodeId item : sequence->items) scan(item, depth);
    } else if (const auto* loop = std::get_if<TraceLoop>(&node)) {
      if (loop->trip.value_or(0) < 1 || loop->step != 1 || loop->annotated) complain("a loop of another form");
      if (output_) complain("a loop after the output");
      scan(loop->body, depth + 1);
    } else {
      complain("a branch");
    }
  }

  void scan_step(std::uint32_t node, const TraceStep& step, int depth) {
    if (step.opaque) complain("an opaque step");
    for (const Location& read : step.reads) {
      if (read.storage == StorageClass::Shared) complain("a read of shared storage");
      if (read.storage != StorageClass::External) continue;
      inputs_.insert(read.number);
      if (!immutable_.contains(read.number)) complain("a read of a buffer that may change");
    }
    bool external = false;
    for (const Location& write : step.writes) {
      if (write.storage == StorageClass::Shared) complain("a write of shared storage");
      external = external || write.storage == StorageClass::External;
      if (write.storage == StorageClass::External && immutable_.contains(write.number)) complain("a write of an input");
    }
    const bool idle = step.reads.empty() && step.writes.empty();
    switch (step.role) {
      case StepRole::Plain:
        return complain("a step of unknown kind");
      case StepRole::NoOp:
        if (!idle) complain("a no-op with effects");
        return;
      case StepRole::PrivateInit:
        for (const Location& read : step.reads)
          if (read.storage != StorageClass::Private) complain("an init that reads more than private storage");
        [[fallthrough]];
      case StepRole::Matrix:
        if (external) complain("a write outside private storage");
        break;
      case StepRole::OutputStore:
        if (depth > 0 || !external || !step.disjoint_parts) complain("an output step of another form");
        break;
    }
    if (!step.full_subgroups) complain("a step without full subgroups");
    if (output_) complain("a step after the output");
    if (step.role == StepRole::OutputStore) output_ = node;
  }

  const EffectTrace& trace_;
  std::set<std::uint32_t> immutable_, inputs_;
  std::vector<std::pair<std::uint32_t, const TraceStep*>> steps_;
  std::vector<std::uint32_t> fences_;
  std::optional<std::uint32_t> output_;
  std::string fault_;
};

}  // namespace

Result<void> check_fence_redundant(const Certificate& certificate, const EffectTrace& trace, std::uint32_t fence) {
  if (const auto fault = effect_trace_fault(trace)) return certificate_refused("subject", *fault);
  Certificate expected{"fence.redundant", effect_trace_subject(trace), fence, trace.premises,
                       effect_trace_fields(trace)};
  expected.fields.push_back({"fence", fmt::format("{}", fence)});
  TW_TRY_VOID(compare_certificates(certificate, expected));
  const TraceFence* site = nullptr;
  for (const TraceNode& node : trace.nodes)
    if (const auto* found = std::get_if<TraceFence>(&node); found != nullptr && found->identity == fence) site = found;
  if (site == nullptr || site->dropped || site->owner != FenceOwner::Compiler)
    return certificate_refused("fence", "the trace has no such fence of the compiler");
  if (const auto pair = FlowGraph(trace, fence).unprotected_pair())
    return certificate_refused("statement",
                               fmt::format("only the fence separates the steps {} and {}", pair->first, pair->second));
  return {};
}

Result<void> check_subgroups_independent(const Certificate& certificate, const EffectTrace& trace) {
  if (const auto fault = effect_trace_fault(trace)) return certificate_refused("subject", *fault);
  const IsolationScan scan(trace);
  Certificate expected{"subgroups.independent", effect_trace_subject(trace), kNoOperation, trace.premises,
                       effect_trace_fields(trace)};
  for (Field& field : scan.fields()) expected.fields.push_back(std::move(field));
  TW_TRY_VOID(compare_certificates(certificate, expected));
  if (!scan.fault().empty()) return certificate_refused("statement", "the trace has " + scan.fault());
  if (const auto pair = scan.shared_pair())
    return certificate_refused("statement",
                               fmt::format("steps {} and {} access one location", pair->first, pair->second));
  return {};
}

}  // namespace tilewright::proof
