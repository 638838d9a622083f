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
                 [&](FoldLanesOp& op) { f(op.operand); },
                 [&](LoadOp& op) {
                   f(op.index);
                   if (op.mask.valid()) f(op.mask);
                 },
                 [&](StoreOp& op) {
                   f(op.index), f(op.value);
                   if (op.mask.valid()) f(op.mask);
                 },
                 [&](LoopOp& op) {
                   f(op.low), f(op.high);
                   for (ValueId& init : op.inits) f(init);
                 },
                 [&](IfOp& op) { f(op.condition); },
             },
             payload);
}
template <class F>
void for_each_operand(const OpPayload& payload, F&& f) {
  // The visitor above only reads the ids when f takes them by value.
  for_each_operand(const_cast<OpPayload&>(payload), [&](ValueId& id) { f(ValueId{id}); });
}

}  // namespace tilewright::kernel
