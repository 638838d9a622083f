#include "kernel/program.h"

#include <utility>

#include "support/check.h"

namespace tilewright::kernel {

std::size_t scalar_bytes(ScalarType type) {
  switch (type) {
    case ScalarType::I1:
      return 1;
    case ScalarType::F16:
    case ScalarType::BF16:
      return 2;
    case ScalarType::I32:
    case ScalarType::F32:
      return 4;
    case ScalarType::I64:
      return 8;
  }
  TW_CHECK(!"a scalar type");
  return 0;
}

namespace {

/// Copies a program definition by definition, in the order of the text.
class Renumbering {
 public:
  explicit Renumbering(const Program& source)
      : from_(source), values_(source.values.size()), allocations_(source.allocations.size()) {}

  Program run() {
    to_.name = from_.name;
    to_.buffers = from_.buffers;
    for (const Kernel& kernel : from_.kernels) {
      Kernel copy = kernel;
      for (AllocationId& id : copy.allocations) {
        const AllocationId old = id;
        id = to_.allocations.push_back(from_.allocations[old]);
        allocations_[old.index] = id;
      }
      copy.body = block(kernel.body);
      to_.kernels.push_back(std::move(copy));
    }
    return std::move(to_);
  }

 private:
  ValueId define(ValueId old) { return values_[old.index] = to_.values.push_back(from_.values[old]); }

  BlockId block(BlockId old) {
    const BlockId id = to_.blocks.push_back({});
    const Block& source = from_.blocks[old];
    Block made;
    for (ValueId arg : source.args) made.args.push_back(define(arg));
    for (OpId op : source.ops) made.ops.push_back(operation(op));
    for (ValueId yielded : source.yields) made.yields.push_back(values_[yielded.index]);
    to_.blocks[id] = std::move(made);
    return id;
  }

  OpId operation(OpId old) {
    const OpId id = to_.ops.push_back(from_.ops[old]);
    OpPayload payload = from_.ops[old].payload;
    for_each_operand(payload, [&](ValueId& operand) { operand = values_[operand.index]; });
    for_each_memory(payload, [&](MemoryRef& memory) { renumber(memory); });
    for_each_block(payload, [&](BlockId& nested) { nested = block(nested); });
    std::vector<ValueId> results;
    for (ValueId result : from_.ops[old].results) results.push_back(define(result));
    to_.ops[id] = {std::move(payload), std::move(results)};
    return id;
  }

  void renumber(MemoryRef& memory) const {
    if (memory.allocation.valid()) memory.allocation = allocations_[memory.allocation.index];
  }

  const Program& from_;
  Program to_;
  std::vector<ValueId> values_;
  std::vector<AllocationId> allocations_;
};

}  // namespace

std::vector<BlockId> nested_blocks(const OpPayload& payload) {
  std::vector<BlockId> blocks;
  for_each_block(const_cast<OpPayload&>(payload), [&](BlockId& block) { blocks.push_back(block); });
  return blocks;
}

Program canonicalized(const Program& program) { return Renumbering(program).run(); }

}  // namespace tilewright::kernel
