#include "emit/msl/tensors.h"

#include <algorithm>

#include <fmt/format.h>

#include "emit/msl/expr.h"

namespace tilewright::emit_msl {

using namespace kernel;

TensorSide side_of(const AtomOp& atom, bool left) {
  const AtomView& view = left ? atom.a.view : atom.b.view;
  // Untransposed, the elements of a row follow each other: k is along the rows of A and across those of B.
  return {left ? view.rows : view.columns, left ? view.columns : view.rows, left ? atom.m : atom.n,
          left != view.transposed};
}

std::string handle_type(ScalarType scalar) {
  return fmt::format("tensor<device {}, dextents<int32_t, 2>, tensor_handle>", memory_word(scalar));
}

Tensors::Tensors(const Program& program, const Kernel& kernel, const Placement& placement, const Variables& variables,
                 const IndexRanges& ranges)
    : program_(program), kernel_(kernel), placement_(placement), ranges_(ranges) {
  for (ValueId value : program.values.ids()) parents_.push_back(value.index);
  // Operations are found while fragments are still being joined: they are noted by fragment first.
  operations_of_.resize(program.values.size());
  visit(kernel.body);
  for (ValueId value : program.values.ids())
    if (is_tensor(program.values[value]) && placement.is_held(value)) unite(value, ValueId{variables.of(value)});
  std::vector<std::vector<std::uint32_t>> by_root(program.values.size());
  for (std::uint32_t value = 0; value < operations_of_.size(); ++value)
    for (std::uint32_t operation : operations_of_[value])
      if (auto& known = by_root[root(value)]; std::ranges::find(known, operation) == known.end())
        known.push_back(operation);
  operations_of_ = std::move(by_root);
}

std::optional<std::uint32_t> Tensors::of(ValueId fragment) const {
  const std::vector<std::uint32_t>& known = operations_of_[root(fragment.index)];
  return known.size() == 1 ? std::optional(known[0]) : std::nullopt;
}

bool Tensors::is_of_several(ValueId fragment) const { return operations_of_[root(fragment.index)].size() > 1; }

std::optional<ValueId> Tensors::behind(ValueId fragment) const {
  if (!is_tensor(program_.values[fragment])) return std::nullopt;
  if (placement_.is_held(fragment)) return fragment;
  std::optional<ValueId> found;
  for_each_operand(program_.ops[placement_.definition(fragment)].payload, [&](ValueId operand) {
    if (!found) found = behind(operand);
  });
  return found;
}

bool Tensors::may_lack_operands(OpId id) const {
  const auto& atom = std::get<AtomOp>(program_.ops[id].payload);
  if (atom.atom != kTensorAtom) return false;
  const auto may_be_empty = [&](ValueId extent) { return extent.valid() && ranges_.of(extent).low <= 0; };
  return may_be_empty(side_of(atom, true).outer) || may_be_empty(side_of(atom, false).outer);
}

std::uint32_t Tensors::root(std::uint32_t value) const {
  while (parents_[value] != value) value = parents_[value];
  return value;
}

void Tensors::unite(ValueId a, ValueId b) {
  if (!is_tensor(program_.values[a]) || !is_tensor(program_.values[b])) return;
  // What is written out wherever it is used, as a number that fills, is of no operation.
  const auto is_number = [&](ValueId value) {
    const OpId op = placement_.definition(value);
    return !placement_.is_held(value) && op.valid() &&
           (std::holds_alternative<FragmentFillOp>(program_.ops[op].payload) ||
            std::holds_alternative<FragmentCoordinateOp>(program_.ops[op].payload));
  };
  if (!is_number(a) && !is_number(b)) parents_[root(a.index)] = root(b.index);
}

void Tensors::visit(BlockId id) {
  for (OpId op_id : program_.blocks[id].ops) {
    if (!placement_.is_live(op_id)) continue;
    const Op& op = program_.ops[op_id];
    if (const auto* atom = std::get_if<AtomOp>(&op.payload); atom != nullptr && atom->atom == kTensorAtom) {
      const TensorOperation operation = operation_of(*atom);
      const auto known =
          std::ranges::find_if(operations_, [&](const Used& used) { return used.operation == operation; });
      operations_of_[op.results[0].index].push_back(static_cast<std::uint32_t>(known - operations_.begin()));
      if (known == operations_.end()) operations_.push_back({operation, op_id});
    }
    visit(op);
    for (BlockId nested : nested_blocks(op.payload)) visit(nested);
  }
}

void Tensors::visit(const Op& op) {
  if (const auto* loop = std::get_if<LoopOp>(&op.payload)) {
    const Block& body = program_.blocks[loop->body];
    for (std::size_t i = 0; i < op.results.size(); ++i)
      for (ValueId other : {body.args[i + 1], loop->inits[i], body.yields[i]}) unite(op.results[i], other);
  } else if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
    for (std::size_t i = 0; i < op.results.size(); ++i)
      for (BlockId block : {branch->then_block, branch->else_block})
        unite(op.results[i], program_.blocks[block].yields[i]);
  } else if (op.results.size() == 1) {
    for_each_operand(op.payload, [&](ValueId operand) { unite(op.results[0], operand); });
  }
}

TensorOperation Tensors::operation_of(const AtomOp& atom) const {
  const auto operand = [&](bool left) {
    const AtomView& view = left ? atom.a.view : atom.b.view;
    const bool device = view.memory.buffer.valid();
    const bool handle = view.origin.is_known();
    const TensorSide side = side_of(atom, left);
    return TensorOperand{
        device, handle,
        device ? program_.buffers[view.memory.buffer].scalar : program_.allocations[view.memory.allocation].scalar,
        view.transposed, !handle && ranges_.of(side.outer).low >= side.extent};
  };
  TensorOperation operation{atom.m, atom.n, {}, {}, atom.c.valid()};
  operation.relaxed = atom.relaxed;
  if (atom.participants == Participants::Group)
    operation.subgroups = kernel_.group.workers / kernel_.group.subgroup_size;
  // Operands in fragments have no views; they are refused.
  if (!atom.a.fragment.valid()) operation.a = operand(true);
  if (!atom.b.fragment.valid()) operation.b = operand(false);
  return operation;
}

}  // namespace tilewright::emit_msl
