// Included by tile/program.h: the operand walk over every payload.
#pragma once

namespace tilewright::tile {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

template <class F>
void for_each_operand(const Program& program, const OpPayload& payload, F&& f) {
  auto each = [&](IdList<ValueId> list) {
    for (ValueId id : program.list(list)) f(id);
  };
  std::visit(Overloaded{
                 [&](const ConstantOp&) {},
                 [&](const IndexValueOp&) {},
                 [&](const UnaryOp& op) { f(op.operand); },
                 [&](const BinaryOp& op) {
                   f(op.lhs);
                   f(op.rhs);
                 },
                 [&](const SelectOp& op) {
                   f(op.condition);
                   f(op.if_true);
                   f(op.if_false);
                 },
                 [&](const CastOp& op) { f(op.operand); },
                 [&](const BroadcastOp& op) { f(op.operand); },
                 [&](const ReindexOp& op) { f(op.operand); },
                 [&](const GatherOp& op) {
                   f(op.operand);
                   f(op.indices);
                   f(op.fallback);
                 },
                 [&](const ReduceOp& op) { f(op.operand); },
                 [&](const MmaOp& op) {
                   f(op.a);
                   f(op.b);
                   f(op.c);
                 },
                 [&](const LoadOp& op) {
                   if (op.fallback.valid()) f(op.fallback);
                 },
                 [&](const StoreOp& op) { f(op.value); },
                 [&](const MemoryOp&) {},
                 [&](const BarrierOp&) {},
                 [&](const OpaqueOp& op) { each(op.values); },
                 [&](const StageCutOp&) {},
                 [&](const RegionOp& op) { each(op.inits); },
                 [&](const IfOp& op) {
                   f(op.condition);
                   each(op.inits);
                 },
             },
             payload);
}

}  // namespace tilewright::tile
