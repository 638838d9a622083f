#include "sync/trace.h"

#include <algorithm>
#include <utility>

#include "kernel/effects.h"

namespace tilewright::sync {

namespace {

using kernel::EffectKind;
using proof::TraceNodeId;

/// Walks a kernel into a trace; derived classes say what an operation that is no fence and no control is.
class TraceWalk {
 public:
  TraceWalk(const kernel::Program& program, const kernel::Kernel& kernel) : program_(program), kernel_(kernel) {
    for (kernel::AllocationId id : kernel.allocations)
      if (program.allocations[id].space == kernel::AllocationSpace::Shared)
        shared_[id] = static_cast<std::uint32_t>(shared_.size());
    result_.trace.shared_allocations = static_cast<std::uint32_t>(shared_.size());
    result_.trace.premises.push_back(
        {proof::Guarantor::Verifier, "the kernel is verified: its operations touch the objects that they name"});
  }
  virtual ~TraceWalk() = default;

  KernelTrace run() {
    result_.trace.root = sequence(kernel_.body);
    return std::move(result_);
  }

 protected:
  virtual proof::TraceStep step_of(const kernel::OpEffects& effects, const kernel::Op& op) const = 0;
  /// Whether an operation that is no fence and no control is left out.
  virtual bool is_silent(const kernel::OpEffects& effects, const kernel::Op& op) const = 0;
  /// Whether a second step may be one with the first, which stands right before it.
  virtual bool may_join(const proof::TraceStep& first, const proof::TraceStep& second) const = 0;

  proof::TraceStep accesses(const kernel::OpEffects& effects) const {
    proof::TraceStep step;
    for (kernel::MemoryRef memory : effects.reads) step.reads.push_back(location(memory));
    for (kernel::MemoryRef memory : effects.writes) step.writes.push_back(location(memory));
    std::ranges::sort(step.reads);
    std::ranges::sort(step.writes);
    return step;
  }
  proof::Location location(kernel::MemoryRef memory) const {
    if (memory.buffer.valid()) return {proof::StorageClass::External, memory.buffer.index};
    const auto shared = shared_.find(memory.allocation);
    if (shared != shared_.end()) return {proof::StorageClass::Shared, shared->second};
    return {proof::StorageClass::Private, memory.allocation.index};
  }
  static proof::TraceStep opaque_step() {
    proof::TraceStep step;
    step.opaque = true;
    return step;
  }

  const kernel::Program& program_;
  const kernel::Kernel& kernel_;
  KernelTrace result_;

 private:
  TraceNodeId add(proof::TraceNode node, kernel::OpId op) {
    result_.ops.emplace_back();
    if (op.valid()) result_.ops.back().push_back(op);
    return result_.trace.nodes.push_back(std::move(node));
  }

  TraceNodeId sequence(kernel::BlockId block) {
    std::vector<TraceNodeId> items;
    for (kernel::OpId op : program_.blocks[block].ops) item(op, items);
    return add(proof::TraceSequence{std::move(items)}, {});
  }

  void item(kernel::OpId id, std::vector<TraceNodeId>& items) {
    const kernel::Op& op = program_.ops[id];
    const kernel::OpEffects effects = kernel::effects_of(program_, id);
    if (const auto* number = std::get_if<kernel::ConstOp>(&op.payload)) constants_[op.results[0]] = number->integer;
    if (const auto* fence = std::get_if<kernel::FenceOp>(&op.payload)) {
      if (fence->proxy == kernel::FenceProxy::Generic)
        items.push_back(add(fence_of(*fence), id));
      else
        items.push_back(add(opaque_step(), id));
    } else if (effects.kind == EffectKind::Control) {
      items.push_back(control(op, id));
    } else if (!is_silent(effects, op)) {
      append(step_of(effects, op), id, items);
    }
  }

  static proof::TraceFence fence_of(const kernel::FenceOp& op) {
    proof::TraceFence fence;
    fence.identity = op.identity;
    fence.owner = op.origin == kernel::FenceOrigin::User ? proof::FenceOwner::User : proof::FenceOwner::Compiler;
    fence.scope =
        op.participants == kernel::Participants::Group ? proof::FenceScope::Group : proof::FenceScope::Subgroup;
    fence.orders_shared = op.memory.shared;
    fence.orders_external = op.memory.device;
    return fence;
  }

  TraceNodeId control(const kernel::Op& op, kernel::OpId id) {
    if (const auto* loop = std::get_if<kernel::LoopOp>(&op.payload)) {
      const TraceNodeId body = sequence(loop->body);
      return add(proof::TraceLoop{body, trip_of(*loop), loop->step, false}, id);
    }
    if (const auto* tasks = std::get_if<kernel::TaskLoopOp>(&op.payload)) {
      const TraceNodeId body = sequence(tasks->body);
      return add(proof::TraceLoop{body, std::nullopt, 1, false}, id);
    }
    if (const auto* branch = std::get_if<kernel::IfOp>(&op.payload)) {
      const TraceNodeId then_arm = sequence(branch->then_block);
      const TraceNodeId else_arm = branch->else_block.valid() ? sequence(branch->else_block) : TraceNodeId{};
      return add(proof::TraceBranch{then_arm, else_arm}, id);
    }
    return add(opaque_step(), id);
  }

  std::optional<std::int64_t> trip_of(const kernel::LoopOp& loop) const {
    const auto low = constants_.find(loop.low), high = constants_.find(loop.high);
    if (low == constants_.end() || high == constants_.end()) return std::nullopt;
    if (high->second <= low->second) return 0;
    std::int64_t distance = 0;
    if (__builtin_sub_overflow(high->second, low->second, &distance)) return std::nullopt;
    return (distance - 1) / loop.step + 1;
  }

  void append(proof::TraceStep step, kernel::OpId op, std::vector<TraceNodeId>& items) {
    proof::TraceStep* last =
        items.empty() ? nullptr : std::get_if<proof::TraceStep>(&result_.trace.nodes[items.back()]);
    if (last == nullptr || !may_join(*last, step)) {
      items.push_back(add(std::move(step), op));
      return;
    }
    join(last->reads, step.reads);
    join(last->writes, step.writes);
    result_.ops[items.back().index].push_back(op);
  }
  static void join(std::vector<proof::Location>& into, const std::vector<proof::Location>& from) {
    for (const proof::Location& location : from)
      if (!std::ranges::binary_search(into, location)) into.insert(std::ranges::upper_bound(into, location), location);
  }

  std::map<kernel::AllocationId, std::uint32_t> shared_;
  std::map<kernel::ValueId, std::int64_t> constants_;
};

class OrderWalk : public TraceWalk {
 public:
  using TraceWalk::TraceWalk;

 private:
  bool is_silent(const kernel::OpEffects& effects, const kernel::Op&) const override {
    return effects.kind == EffectKind::Value;
  }
  proof::TraceStep step_of(const kernel::OpEffects& effects, const kernel::Op&) const override {
    return effects.kind == EffectKind::Access ? accesses(effects) : opaque_step();
  }
  bool may_join(const proof::TraceStep& first, const proof::TraceStep& second) const override {
    return first.opaque == second.opaque;
  }
};

class IsolationWalk : public TraceWalk {
 public:
  IsolationWalk(const kernel::Program& program, const kernel::Kernel& kernel, const IsolationPremises& premises)
      : TraceWalk(program, kernel), parts_known_(premises.disjoint_parts.has_value()) {
    proof::EffectTrace& trace = result_.trace;
    trace.premises.push_back({proof::Guarantor::Verifier, "whole subgroups make what is done with fragments"});
    for (const auto* premise : {&premises.distinct_buffers, &premises.disjoint_parts})
      if (*premise) trace.premises.push_back(**premise);
    const kernel::OpEffects all = kernel::effects_of_block(program, kernel.body);
    for (kernel::MemoryRef memory : all.reads) {
      const bool apart = premises.distinct_buffers || (memory.buffer.valid() && program.buffers[memory.buffer].kind ==
                                                                                    kernel::BufferKind::Temporary);
      if (memory.buffer.valid() && apart && std::ranges::find(all.writes, memory) == all.writes.end())
        trace.immutable_inputs.push_back(memory.buffer.index);
    }
  }

 private:
  bool is_silent(const kernel::OpEffects& effects, const kernel::Op& op) const override {
    return effects.kind == EffectKind::Value && !std::holds_alternative<kernel::FragmentFillOp>(op.payload);
  }

  proof::TraceStep step_of(const kernel::OpEffects& effects, const kernel::Op& op) const override {
    proof::TraceStep step = accesses(effects);
    if (std::holds_alternative<kernel::FragmentFillOp>(op.payload))
      return as(std::move(step), op, proof::StepRole::PrivateInit);
    if (effects.kind == EffectKind::Access) return step;
    if (effects.kind != EffectKind::Fragment || effects.together != kernel::Participants::Subgroup)
      return opaque_step();
    if (!std::holds_alternative<kernel::FragmentStoreOp>(op.payload))
      return as(std::move(step), op, proof::StepRole::Matrix);
    step = as(std::move(step), op, proof::StepRole::OutputStore);
    step.disjoint_parts = parts_known_;
    return step;
  }
  /// Fragments are private storage under the number of their value, behind the numbers of allocations.
  proof::TraceStep as(proof::TraceStep step, const kernel::Op& op, proof::StepRole role) const {
    step.role = role;
    step.full_subgroups = true;
    const auto fragment = [&](kernel::ValueId value, std::vector<proof::Location>& list) {
      if (!program_.values[value].is_fragment()) return;
      const auto number = static_cast<std::uint32_t>(program_.allocations.size()) + value.index;
      const proof::Location held{proof::StorageClass::Private, number};
      if (std::ranges::find(list, held) == list.end()) list.insert(std::ranges::upper_bound(list, held), held);
    };
    kernel::for_each_operand(op.payload, [&](kernel::ValueId operand) { fragment(operand, step.reads); });
    for (kernel::ValueId result : op.results) fragment(result, step.writes);
    return step;
  }

  bool may_join(const proof::TraceStep& first, const proof::TraceStep& second) const override {
    if (first.opaque || second.opaque || first.role != second.role) return first.opaque && second.opaque;
    return first.role != proof::StepRole::OutputStore || first.writes == second.writes;
  }

  bool parts_known_;
};

}  // namespace

KernelTrace order_trace(const kernel::Program& program, const kernel::Kernel& kernel) {
  return OrderWalk(program, kernel).run();
}

KernelTrace isolation_trace(const kernel::Program& program, const kernel::Kernel& kernel,
                            const IsolationPremises& premises) {
  return IsolationWalk(program, kernel, premises).run();
}

}  // namespace tilewright::sync
