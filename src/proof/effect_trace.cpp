#include "proof/effect_trace.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace tilewright::proof {

namespace {

constexpr std::array<std::string_view, 3> kStorageNames = {"shared", "external", "private"};
constexpr std::array<std::string_view, 5> kRoleNames = {"plain", "noop", "init", "matrix", "output"};

/// Visits the tree once and collects the first fault.
class TraceAudit {
 public:
  explicit TraceAudit(const EffectTrace& trace) : trace_(trace), seen_(trace.nodes.size()) {}

  std::optional<std::string> run() {
    for (const Premise& premise : trace_.premises)
      if (premise.text.find('\n') != std::string::npos) return "a premise has more than one line";
    visit_sequence(trace_.root, 0);
    if (fault_.empty() && std::find(seen_.begin(), seen_.end(), false) != seen_.end())
      fault_ = "a node is outside the tree";
    if (fault_.empty()) return std::nullopt;
    return fault_;
  }

 private:
  void visit_sequence(TraceNodeId id, std::size_t depth) {
    if (!enter(id, depth)) return;
    if (const auto* sequence = std::get_if<TraceSequence>(&trace_[id])) {
      for (const TraceNodeId item : sequence->items) visit_item(item, depth + 1);
    } else {
      fault_ = fmt::format("node {} must be a sequence", id.index);
    }
  }

  void visit_item(TraceNodeId id, std::size_t depth) {
    if (!fault_.empty()) return;
    if (id.index < trace_.nodes.size() && std::holds_alternative<TraceSequence>(trace_[id])) {
      visit_sequence(id, depth);
      return;
    }
    if (!enter(id, depth)) return;
    if (const auto* fence = std::get_if<TraceFence>(&trace_[id])) {
      if (fence->identity == kNoOperation)
        fault_ = "a fence without identity";
      else if (!identities_.insert(fence->identity).second)
        fault_ = fmt::format("two fences {}", fence->identity);
    } else if (const auto* loop = std::get_if<TraceLoop>(&trace_[id])) {
      visit_sequence(loop->body, depth + 1);
    } else if (const auto* branch = std::get_if<TraceBranch>(&trace_[id])) {
      visit_sequence(branch->then_arm, depth + 1);
      if (branch->else_arm.valid()) visit_sequence(branch->else_arm, depth + 1);
    }
  }

  bool enter(TraceNodeId id, std::size_t depth) {
    if (!fault_.empty()) return false;
    if (depth > kMaxTraceDepth)
      fault_ = fmt::format("nesting above {}", kMaxTraceDepth);
    else if (id.index >= trace_.nodes.size())
      fault_ = "an id names no node";
    else if (seen_[id.index])
      fault_ = fmt::format("node {} is in the tree twice", id.index);
    if (!fault_.empty()) return false;
    seen_[id.index] = true;
    return true;
  }

  const EffectTrace& trace_;
  std::vector<bool> seen_;
  std::set<std::uint32_t> identities_;
  std::string fault_;
};

bool same_place(const Location& a, const Location& b) {
  if (a.storage != b.storage || a.storage == StorageClass::Private) return false;
  return a.storage == StorageClass::External || a.number == b.number;
}

bool touches(const std::vector<Location>& a, const std::vector<Location>& b) {
  for (const Location& x : a)
    for (const Location& y : b)
      if (same_place(x, y)) return true;
  return false;
}

std::string locations_text(std::string_view word, const std::vector<Location>& locations) {
  std::string text;
  for (const Location& location : locations)
    text += fmt::format("{}{} {}", text.empty() ? fmt::format(" {} ", word) : ", ",
                        kStorageNames[static_cast<std::size_t>(location.storage)], location.number);
  return text;
}

std::string step_line(std::uint32_t node, const TraceStep& step) {
  return fmt::format("step {} {}{}{}{}{}{}", node, kRoleNames[static_cast<std::size_t>(step.role)],
                     locations_text("reads", step.reads), locations_text("writes", step.writes),
                     step.opaque ? " opaque" : "", step.full_subgroups ? " full" : "",
                     step.disjoint_parts ? " disjoint" : "");
}

std::string fence_line(const TraceFence& fence) {
  return fmt::format("fence {} {} {}{}{}{}", fence.identity, fence.owner == FenceOwner::User ? "user" : "compiler",
                     fence.scope == FenceScope::Group ? "group" : "subgroup", fence.orders_shared ? " shared" : "",
                     fence.orders_external ? " external" : "", fence.dropped ? " dropped" : "");
}

std::string loop_line(std::uint32_t node, const TraceLoop& loop) {
  return fmt::format("loop {} {} step {}{}", node, loop.trip ? fmt::format("constant {}", *loop.trip) : "open",
                     loop.step, loop.annotated ? " annotated" : "");
}

class TracePrinter {
 public:
  explicit TracePrinter(const EffectTrace& trace) : trace_(trace) {}

  std::vector<std::string> run() {
    std::string head = fmt::format("trace shared {}", trace_.shared_allocations);
    for (std::size_t i = 0; i < trace_.immutable_inputs.size(); ++i)
      head += fmt::format("{} {}", i == 0 ? " immutable" : ",", trace_.immutable_inputs[i]);
    lines_.push_back(head);
    for (const Premise& premise : trace_.premises)
      lines_.push_back(fmt::format("premise {}: {}", guarantor_name(premise.by), premise.text));
    print(trace_.root, 0);
    return std::move(lines_);
  }

 private:
  void print(TraceNodeId id, std::size_t depth) {
    const TraceNode& node = trace_[id];
    if (const auto* step = std::get_if<TraceStep>(&node)) add(depth, step_line(id.index, *step));
    if (const auto* fence = std::get_if<TraceFence>(&node)) add(depth, fence_line(*fence));
    if (const auto* sequence = std::get_if<TraceSequence>(&node)) {
      add(depth, "sequence");
      for (const TraceNodeId item : sequence->items) print(item, depth + 1);
    }
    if (const auto* loop = std::get_if<TraceLoop>(&node)) {
      add(depth, loop_line(id.index, *loop));
      print(loop->body, depth + 1);
    }
    if (const auto* branch = std::get_if<TraceBranch>(&node)) {
      add(depth, fmt::format("branch {}", id.index));
      print(branch->then_arm, depth + 1);
      if (branch->else_arm.valid()) print(branch->else_arm, depth + 1);
    }
  }

  void add(std::size_t depth, const std::string& line) { lines_.push_back(std::string(2 * depth, ' ') + line); }

  const EffectTrace& trace_;
  std::vector<std::string> lines_;
};

}  // namespace

std::optional<std::string> effect_trace_fault(const EffectTrace& trace) { return TraceAudit(trace).run(); }

bool is_full_fence(const TraceFence& fence) {
  return !fence.dropped && fence.owner == FenceOwner::Compiler && fence.scope == FenceScope::Group &&
         fence.orders_shared && fence.orders_external;
}

bool may_conflict(const TraceStep& a, const TraceStep& b) {
  return a.opaque || b.opaque || touches(a.writes, b.reads) || touches(a.reads, b.writes) ||
         touches(a.writes, b.writes);
}

TraceNodeId fence_node(const EffectTrace& trace, std::uint32_t identity) {
  for (const TraceNodeId id : trace.nodes.ids())
    if (const auto* fence = std::get_if<TraceFence>(&trace[id]); fence != nullptr && fence->identity == identity)
      return id;
  return {};
}

EffectTrace with_fence_dropped(EffectTrace trace, std::uint32_t identity) {
  const TraceNodeId id = fence_node(trace, identity);
  TW_CHECK(id.valid());
  std::get<TraceFence>(trace.nodes[id]).dropped = true;
  return trace;
}

std::string print_effect_trace(const EffectTrace& trace) {
  std::string text;
  for (const std::string& line : TracePrinter(trace).run()) text += line + "\n";
  return text;
}

Hash128 effect_trace_subject(const EffectTrace& trace) { return hash128(print_effect_trace(trace)); }

std::vector<Field> effect_trace_fields(const EffectTrace& trace) {
  std::vector<Field> fields;
  for (const std::string& line : TracePrinter(trace).run()) fields.push_back({"trace", line});
  return fields;
}

}  // namespace tilewright::proof
