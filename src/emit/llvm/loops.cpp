// Which kernels LLVM's vectorizer has something to do in.
#include <algorithm>

#include "emit/llvm/emit_internal.h"

namespace tilewright::emit_llvm {

namespace {

using namespace kernel;

bool has_vectors(const Program& program, const Op& op) {
  const auto is_vector = [&](ValueId value) { return program.values[value].lanes > 1; };
  bool found = std::ranges::any_of(op.results, is_vector);
  for_each_operand(op.payload, [&](ValueId operand) { found = found || is_vector(operand); });
  return found;
}

/// An innermost loop that computes and stores numbers, one by one.
bool is_scalar_loop(const Program& program, const LoopOp& loop) {
  bool stores = !loop.inits.empty();
  for (OpId id : program.blocks[loop.body].ops) {
    const Op& op = program.ops[id];
    if (!nested_blocks(op.payload).empty() || has_vectors(program, op)) return false;
    stores = stores || std::holds_alternative<StoreOp>(op.payload);
  }
  return stores;
}

}  // namespace

bool has_scalar_loops(const Program& program) {
  return std::ranges::any_of(program.ops, [&](const Op& op) {
    const auto* loop = std::get_if<LoopOp>(&op.payload);
    return loop != nullptr && is_scalar_loop(program, *loop);
  });
}

}  // namespace tilewright::emit_llvm
