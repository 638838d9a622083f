// Templates of kernel/program.h.
#pragma once

#include "kernel/program.h"

namespace tilewright::kernel {

namespace internal {
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
}  // namespace internal

namespace internal {
template <class F>
void visit_atom_operand(AtomOperand& operand, F& f) {
  if (operand.fragment.valid()) {
    f(operand.fragment);
    return;
  }
  AtomView& view = operand.view;
  // An emitter drops one of the two places.
  if (view.index.valid()) f(view.index), f(view.row_stride);
  f(view.rows), f(view.columns);
  if (view.origin.is_known()) f(view.origin.inner), f(view.origin.outer);
}
template <class F>
void visit_part(FragmentPart& part, F& f) {
  if (part.rows.valid()) f(part.rows);
  if (part.columns.valid()) f(part.columns);
}
}  // namespace internal

template <class F>
void for_each_operand(OpPayload& payload, F&& f) {
  std::visit(internal::Overloaded{
                 [](ConstOp&) {},
                 [](IotaOp&) {},
                 [&](UnaryOp& op) { f(op.operand); },
                 [&](BinaryOp& op) { f(op.lhs), f(op.rhs); },
                 [&](CompareOp& op) { f(op.lhs), f(op.rhs); },
                 [&](SelectOp& op) { f(op.condition), f(op.if_true), f(op.if_false); },
                 [&](CastOp& op) { f(op.operand); },
                 [&](FmaOp& op) { f(op.a), f(op.b), f(op.c); },
                 [&](SplatOp& op) { f(op.operand); },
                 [&](ExtractOp& op) { f(op.operand); },
                 [&](ZipOp& op) {
                   f(op.lhs);
                   f(op.rhs);
                 },
                 [&](FoldLanesOp& op) { f(op.operand); },
                 [&](LoadOp& op) {
                   f(op.index);
                   if (op.mask.valid()) f(op.mask);
                 },
                 [&](StoreOp& op) {
                   f(op.index), f(op.value);
                   if (op.mask.valid()) f(op.mask);
                 },
                 [&](PrefetchOp& op) { f(op.index); },
                 [&](LoopOp& op) {
                   f(op.low), f(op.high);
                   for (ValueId& init : op.inits) f(init);
                 },
                 [&](IfOp& op) { f(op.condition); },
                 [](WorkerOp&) {},
                 [](GroupOrdinalOp&) {},
                 [&](SubgroupReduceOp& op) { f(op.operand); },
                 [&](ShuffleOp& op) { f(op.operand); },
                 [&](FragmentFillOp& op) { f(op.scalar); },
                 [&](FragmentLoadOp& op) {
                   f(op.index), f(op.row_stride);
                   internal::visit_part(op.part, f);
                 },
                 [&](FragmentStoreOp& op) {
                   f(op.index), f(op.row_stride);
                   internal::visit_part(op.part, f);
                   f(op.fragment);
                 },
                 [](FragmentCoordinateOp&) {},
                 [&](AtomOp& op) {
                   f(op.k);
                   internal::visit_atom_operand(op.a, f);
                   internal::visit_atom_operand(op.b, f);
                   if (op.c.valid()) f(op.c);
                 },
                 [](FenceOp&) {},
                 [&](AsyncCopyOp& op) { f(op.destination_index), f(op.source_index), f(op.count); },
                 [&](WaitOp& op) {
                   for (ValueId& token : op.tokens) f(token);
                 },
                 [&](RingOp& op) { f(op.step); },
                 [](TaskLoopOp&) {},
                 [](RolesOp&) {},
             },
             payload);
}
template <class F>
void for_each_operand(const OpPayload& payload, F&& f) {
  // The visitor above only reads the ids when f takes them by value.
  for_each_operand(const_cast<OpPayload&>(payload), [&](ValueId& id) { f(ValueId{id}); });
}

template <class F>
void for_each_memory(OpPayload& payload, F&& f) {
  const auto operand = [&](AtomOperand& atom) {
    if (!atom.fragment.valid()) f(atom.view.memory);
  };
  std::visit(internal::Overloaded{
                 [](auto&) {},
                 [&](LoadOp& op) { f(op.memory); },
                 [&](StoreOp& op) { f(op.memory); },
                 [&](PrefetchOp& op) { f(op.memory); },
                 [&](FragmentLoadOp& op) { f(op.memory); },
                 [&](FragmentStoreOp& op) { f(op.memory); },
                 [&](AtomOp& op) { operand(op.a), operand(op.b); },
                 [&](AsyncCopyOp& op) { f(op.destination), f(op.source); },
             },
             payload);
}
template <class F>
void for_each_memory(const OpPayload& payload, F&& f) {
  for_each_memory(const_cast<OpPayload&>(payload), [&](MemoryRef& memory) { f(MemoryRef{memory}); });
}

template <class F>
void for_each_block(OpPayload& payload, F&& f) {
  std::visit(internal::Overloaded{
                 [](auto&) {},
                 [&](LoopOp& op) { f(op.body); },
                 [&](IfOp& op) {
                   f(op.then_block);
                   if (op.else_block.valid()) f(op.else_block);
                 },
                 [&](TaskLoopOp& op) { f(op.body); },
                 [&](RolesOp& op) {
                   for (Role& role : op.roles) f(role.block);
                 },
             },
             payload);
}

}  // namespace tilewright::kernel
