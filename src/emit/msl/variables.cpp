#include "emit/msl/variables.h"

#include <algorithm>

namespace tilewright::emit_msl {

using namespace kernel;

Variables::Variables(const Program& program, const Kernel& kernel, const Placement& placement,
                     const IndexRanges& ranges)
    : program_(program),
      placement_(placement),
      ops_(program.ops.size()),
      blocks_(program.blocks.size()),
      lives_(program.values.size()) {
  for (ValueId value : program.values.ids()) {
    variables_.push_back(value.index);
    members_.push_back({value});
  }
  number(kernel.body);
  find_lives(kernel.body);
  join_carries(kernel.body);
  join_all(kernel.body);
  wide_.assign(program.values.size(), false);
  for (ValueId value : program.values.ids()) {
    if (program.values[value].scalar == ScalarType::I64 && !ranges.provably_fits_i32(value)) wide_[of(value)] = true;
  }
  // An index goes one step further than any value of it that the body sees.
  for (const Op& op : program.ops)
    if (const auto* loop = std::get_if<LoopOp>(&op.payload)) {
      const ValueId index = program.blocks[loop->body].args[0];
      if (ranges.of(index).high > INT32_MAX - std::min<std::int64_t>(loop->step, INT32_MAX)) wide_[of(index)] = true;
    }
}

void Variables::number(BlockId id) {
  blocks_[id.index].begin = clock_ += 2;
  for (OpId op : program_.blocks[id].ops) {
    ops_[op.index].begin = clock_ += 2;
    for (BlockId nested : nested_blocks(program_.ops[op].payload)) number(nested);
    ops_[op.index].end = clock_ += 2;
  }
  blocks_[id.index].end = clock_ += 2;
}

std::uint32_t Variables::time_of(Site site) const {
  const std::vector<OpId>& ops = program_.blocks[site.block].ops;
  return site.index < ops.size() ? ops_[ops[site.index].index].begin : blocks_[site.block.index].end;
}

/// Of a value that is written at `from` in its block: until the site, wherever that is.
void Variables::live_until(ValueId value, std::uint32_t from, Site site) {
  std::uint32_t until = time_of(site);
  while (site.block != placement_.home(value)) {
    live(value, blocks_[site.block.index].begin, until);
    const Site outer = placement_.parent(site.block);
    const OpId op = program_.blocks[outer.block].ops[outer.index];
    // What a loop reads from outside it reads in every iteration.
    const bool again = std::holds_alternative<LoopOp>(program_.ops[op].payload);
    until = again ? ops_[op.index].end : ops_[op.index].begin;
    if (again) live(value, ops_[op.index].begin, until);
    site = outer;
  }
  live(value, from, until);
}

void Variables::held(ValueId value, std::uint32_t from) {
  if (!placement_.is_held(value)) return;
  live(value, from, from + 1);
  for (const Site& site : placement_.sites(value)) live_until(value, from, site);
}

void Variables::find_lives(BlockId id) {
  for (OpId op_id : program_.blocks[id].ops) {
    if (!placement_.is_live(op_id)) continue;
    const Op& op = program_.ops[op_id];
    const bool nested = !nested_blocks(op.payload).empty();
    for (ValueId result : op.results) held(result, nested ? ops_[op_id.index].end : ops_[op_id.index].begin);
    if (const auto* loop = std::get_if<LoopOp>(&op.payload)) {
      const Span body = blocks_[loop->body.index];
      const std::vector<ValueId>& args = program_.blocks[loop->body].args;
      for (ValueId arg : args) held(arg, body.begin);
      // The loop itself changes its index.
      live(args[0], ops_[op_id.index].begin, ops_[op_id.index].end);
      for (std::size_t i = 1; i < args.size(); ++i) {
        live(args[i], ops_[op_id.index].begin, body.begin);
        live(args[i], body.end, ops_[op_id.index].end);
      }
    }
    if (const auto* atom = std::get_if<AtomOp>(&op.payload)) {
      // The operands are still read while the result is written.
      for (ValueId operand : {atom->a.fragment, atom->b.fragment})
        if (operand.valid()) live(operand, ops_[op_id.index].begin, ops_[op_id.index].begin + 1);
    }
    for (BlockId inner : nested_blocks(op.payload)) find_lives(inner);
  }
}

/// A carry and its result are one variable in any case: before anything else is tried.
void Variables::join_carries(BlockId id) {
  for (OpId op_id : program_.blocks[id].ops) {
    if (!placement_.is_live(op_id)) continue;
    const Op& op = program_.ops[op_id];
    if (const auto* loop = std::get_if<LoopOp>(&op.payload))
      for (std::size_t i = 0; i < loop->inits.size(); ++i)
        unite(program_.blocks[loop->body].args[i + 1], op.results[i]);
    for (BlockId nested : nested_blocks(op.payload)) join_carries(nested);
  }
}

void Variables::join_all(BlockId id) {
  for (OpId op_id : program_.blocks[id].ops) {
    if (!placement_.is_live(op_id)) continue;
    const Op& op = program_.ops[op_id];
    if (const auto* loop = std::get_if<LoopOp>(&op.payload)) join_loop(*loop);
    if (const auto* branch = std::get_if<IfOp>(&op.payload)) join_if(*branch, op);
    for (BlockId nested : nested_blocks(op.payload)) join_all(nested);
    if (const auto* atom = std::get_if<AtomOp>(&op.payload); atom != nullptr && atom->c.valid())
      try_to_unite(atom->c, op.results[0]);
    const bool by_element = op.results.size() == 1 && nested_blocks(op.payload).empty() &&
                            !std::holds_alternative<AtomOp>(op.payload) && is_tensor(program_.values[op.results[0]]);
    if (by_element && placement_.is_held(op.results[0]))
      for_each_operand(op.payload, [&](ValueId operand) { join_elements(op.results[0], operand); });
  }
}

/// Each element is made of those at the same place of the tensors that its expression reads.
void Variables::join_elements(ValueId result, ValueId operand) {
  if (!is_tensor(program_.values[operand]) || placement_.is_literal(operand)) return;
  if (placement_.is_held(operand)) return try_to_unite(operand, result);
  for_each_operand(program_.ops[placement_.definition(operand)].payload,
                   [&](ValueId inner) { join_elements(result, inner); });
}

void Variables::join_loop(const LoopOp& loop) {
  const Block& body = program_.blocks[loop.body];
  for (std::size_t i = 0; i < loop.inits.size(); ++i) {
    try_to_unite(body.args[i + 1], loop.inits[i]);
    try_to_unite(body.args[i + 1], body.yields[i]);
  }
}

void Variables::join_if(const IfOp& branch, const Op& op) {
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    try_to_unite(op.results[i], program_.blocks[branch.then_block].yields[i]);
    try_to_unite(op.results[i], program_.blocks[branch.else_block].yields[i]);
  }
}

bool Variables::meet(std::uint32_t a, std::uint32_t b) const {
  for (const Life& x : lives_[a])
    for (const Life& y : lives_[b])
      if (x.begin < y.end && y.begin < x.end) return true;
  return false;
}

void Variables::unite(ValueId a, ValueId b) {
  const std::uint32_t kept = of(a), gone = of(b);
  if (kept == gone) return;
  lives_[kept].insert(lives_[kept].end(), lives_[gone].begin(), lives_[gone].end());
  for (ValueId member : members_[gone]) variables_[member.index] = kept;
  members_[kept].insert(members_[kept].end(), members_[gone].begin(), members_[gone].end());
  members_[gone].clear();
}

void Variables::try_to_unite(ValueId a, ValueId b) {
  const bool variables = placement_.is_held(a) && placement_.is_held(b);
  if (variables && !placement_.is_literal(a) && !placement_.is_literal(b) && !meet(of(a), of(b))) unite(a, b);
}

}  // namespace tilewright::emit_msl
