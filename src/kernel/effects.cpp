#include "kernel/effects.h"

#include <algorithm>

namespace tilewright::kernel {

namespace {

class OwnEffects {
 public:
  OwnEffects(const Program& program, const Op& op) : program_(program) {
    std::visit([&](const auto& payload) { look(payload); }, op.payload);
    bool fragments = false;
    const auto form = [&](ValueId value) { fragments = fragments || program.values[value].is_fragment(); };
    for_each_operand(op.payload, form);
    for (ValueId result : op.results) form(result);
    // A loop or branch that carries a fragment is no act of its subgroup: what stands inside is.
    if (fragments && !effects_.together && effects_.kind != EffectKind::Control)
      effects_.together = Participants::Subgroup;
  }

  OpEffects take() { return std::move(effects_); }

 private:
  void add(std::vector<MemoryRef>& list, MemoryRef memory) {
    if (memory.buffer.valid() && program_.buffers[memory.buffer].kind == BufferKind::Scalar) return;
    if (std::ranges::find(list, memory) != list.end()) return;
    list.insert(std::ranges::upper_bound(list, memory, memory_before), memory);
  }
  void read(MemoryRef memory) { add(effects_.reads, memory); }
  void write(MemoryRef memory) { add(effects_.writes, memory); }
  void is(EffectKind kind, std::optional<Participants> together = std::nullopt) {
    effects_.kind = kind;
    effects_.together = together;
  }

  /// Every kind of operation that is not named below computes values.
  template <class Payload>
  void look(const Payload&) {}
  void look(const LoadOp& op) { is(EffectKind::Access), read(op.memory); }
  void look(const StoreOp& op) { is(EffectKind::Access), write(op.memory); }
  void look(const LoopOp&) { is(EffectKind::Control); }
  void look(const IfOp&) { is(EffectKind::Control); }
  void look(const TaskLoopOp&) { is(EffectKind::Control); }
  void look(const RolesOp&) { is(EffectKind::Control); }
  void look(const SubgroupReduceOp&) { is(EffectKind::Exchange, Participants::Subgroup); }
  void look(const ShuffleOp&) { is(EffectKind::Exchange, Participants::Subgroup); }
  void look(const FragmentLoadOp& op) { is(EffectKind::Fragment, op.participants), read(op.memory); }
  void look(const FragmentStoreOp& op) { is(EffectKind::Fragment, op.participants), write(op.memory); }
  void look(const AtomOp& op) {
    is(EffectKind::Fragment, op.participants);
    for (const AtomOperand* operand : {&op.a, &op.b})
      if (!operand->fragment.valid()) read(operand->view.memory);
  }
  void look(const FenceOp& op) { is(EffectKind::Fence, op.participants); }
  void look(const AsyncCopyOp& op) {
    is(EffectKind::Copy);
    if (op.cooperative) effects_.together = op.participants;
    read(op.source), write(op.destination);
  }
  void look(const WaitOp&) { is(EffectKind::Copy); }
  void look(const RingOp&) { is(EffectKind::Ring, Participants::Group); }

  const Program& program_;
  OpEffects effects_;
};

void merge(std::vector<MemoryRef>& into, const std::vector<MemoryRef>& from) {
  std::vector<MemoryRef> both;
  std::ranges::set_union(into, from, std::back_inserter(both), memory_before);
  into = std::move(both);
}

void add_block(const Program& program, BlockId block, OpEffects& effects) {
  for (OpId op : program.blocks[block].ops) {
    const OpEffects inner = effects_within(program, op);
    merge(effects.reads, inner.reads);
    merge(effects.writes, inner.writes);
  }
}

}  // namespace

bool memory_before(MemoryRef a, MemoryRef b) {
  if (a.buffer.valid() != b.buffer.valid()) return a.buffer.valid();
  return a.buffer.valid() ? a.buffer < b.buffer : a.allocation < b.allocation;
}

bool is_private(const Program& program, MemoryRef memory) {
  return memory.allocation.valid() && program.allocations[memory.allocation].space == AllocationSpace::Private;
}

OpEffects effects_of(const Program& program, OpId op) { return OwnEffects(program, program.ops[op]).take(); }

OpEffects effects_within(const Program& program, OpId op) {
  OpEffects effects = effects_of(program, op);
  for (BlockId block : nested_blocks(program.ops[op].payload)) add_block(program, block, effects);
  return effects;
}

OpEffects effects_of_block(const Program& program, BlockId block) {
  OpEffects effects;
  add_block(program, block, effects);
  return effects;
}

}  // namespace tilewright::kernel
