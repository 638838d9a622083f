#include "kernel/accumulators.h"

namespace tilewright::kernel {

Accumulators::Accumulators(const Program& program, const Kernel& kernel)
    : program_(program), reach_(program.values.size(), false) {
  do {
    changed_ = false;
    walk(kernel.body);
  } while (changed_);
}

void Accumulators::mark(ValueId value) {
  if (!value.valid() || reach_[value.index]) return;
  reach_[value.index] = changed_ = true;
}

void Accumulators::walk(BlockId id) {
  for (OpId op : program_.blocks[id].ops) {
    const OpPayload& payload = program_.ops[op].payload;
    if (const auto* atom = std::get_if<AtomOp>(&payload)) mark(atom->c);
    if (const auto* loop = std::get_if<LoopOp>(&payload)) flow(*loop, program_.ops[op].results);
    for (BlockId nested : nested_blocks(payload)) walk(nested);
  }
}

void Accumulators::flow(const LoopOp& loop, const std::vector<ValueId>& results) {
  const Block& body = program_.blocks[loop.body];
  for (std::size_t i = 0; i < loop.inits.size(); ++i) {
    if (!reach_[body.args[i + 1].index] && !reach_[results[i].index]) continue;
    mark(body.args[i + 1]);
    mark(loop.inits[i]);
    mark(body.yields[i]);
  }
}

}  // namespace tilewright::kernel
