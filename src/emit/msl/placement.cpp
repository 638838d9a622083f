#include "emit/msl/placement.h"

#include <algorithm>

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

/// What several workers make together, or what changes memory or order: its place is fixed.
bool has_effect(const OpPayload& payload) {
  return std::holds_alternative<StoreOp>(payload) || std::holds_alternative<FragmentStoreOp>(payload) ||
         std::holds_alternative<FenceOp>(payload);
}

bool can_be_expression(const Op& op, const Program& program) {
  const auto is = [&]<class... P>(std::variant<P...>*) { return (std::holds_alternative<P>(op.payload) || ...); };
  using Pure = std::variant<ConstOp, UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, FmaOp, SplatOp, IotaOp, WorkerOp,
                            FragmentFillOp, FragmentCoordinateOp, LoadOp>;
  const bool is_tensor_load =
      std::holds_alternative<FragmentLoadOp>(op.payload) && is_tensor(program.values[op.results[0]]);
  return is_tensor_load || (is(static_cast<Pure*>(nullptr)) && op.results.size() == 1 &&
                            program.values[op.results[0]].kind != ValueKind::Token);
}

}  // namespace

Placement::Placement(const Program& program, const Kernel& kernel, const IndexRanges& ranges)
    : program_(program),
      ranges_(ranges),
      live_(program.ops.size(), false),
      held_(program.values.size(), true),
      effect_(program.ops.size(), false),
      taken_(program.values.size(), Taken::Freely),
      sites_(program.values.size()),
      definitions_(program.values.size()),
      homes_(program.values.size()),
      parents_(program.blocks.size()),
      effects_before_(program.blocks.size()) {
  number(kernel.body);
  find_effects(kernel.body);
  for (OpId op : program.ops.ids())
    if (effect_[op.index]) mark_live(op);
  place(kernel.body);
}

bool Placement::is_literal(ValueId value) const {
  const ValueType type = program_.values[value];
  if (is_float_scalar(type.scalar)) {
    const OpId op = definitions_[value.index];
    return op.valid() && std::holds_alternative<ConstOp>(program_.ops[op].payload);
  }
  return ranges_.of(value).is_point();
}

void Placement::number(BlockId id) {
  const Block& block = program_.blocks[id];
  for (ValueId arg : block.args) homes_[arg.index] = id;
  for (std::uint32_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = program_.ops[block.ops[i]];
    for (ValueId result : op.results) {
      definitions_[result.index] = block.ops[i];
      homes_[result.index] = id;
    }
    for (BlockId nested : nested_blocks(op.payload)) {
      parents_[nested.index] = {id, i};
      number(nested);
    }
  }
}

bool Placement::find_effects(BlockId id) {
  std::uint32_t before = 0;
  for (OpId op : program_.blocks[id].ops) {
    effects_before_[id.index].push_back(before);
    bool effect = has_effect(program_.ops[op].payload);
    for (BlockId nested : nested_blocks(program_.ops[op].payload)) effect = find_effects(nested) || effect;
    effect_[op.index] = effect;
    before += effect ? 1 : 0;
  }
  effects_before_[id.index].push_back(before);
  return before != 0;
}

void Placement::mark_live(ValueId value) {
  if (const OpId op = definitions_[value.index]; op.valid()) return mark_live(op);
  // The argument of a loop lives by the loop.
  const Site outer = parents_[homes_[value.index].index];
  if (outer.block.valid()) mark_live(program_.blocks[outer.block].ops[outer.index]);
}

void Placement::mark_live(OpId id) {
  if (live_[id.index]) return;
  live_[id.index] = true;
  const OpPayload& payload = program_.ops[id].payload;
  for_each_operand(payload, [this](ValueId operand) { mark_live(operand); });
  for (BlockId nested : nested_blocks(payload))
    for (ValueId yielded : program_.blocks[nested].yields) mark_live(yielded);
}

void Placement::use(ValueId value, Site site, Taken taken) {
  sites_[value.index].push_back(site);
  taken_[value.index] = std::max(taken_[value.index], taken);
}

/// Backwards: when an operation is met, all uses of its results are known, and where they stand.
void Placement::place(BlockId id) {
  const Block& block = program_.blocks[id];
  const auto end = static_cast<std::uint32_t>(block.ops.size());
  for (ValueId yielded : block.yields) use(yielded, {id, end}, Taken::Freely);
  for (std::uint32_t i = end; i-- > 0;)
    if (live_[block.ops[i].index]) place(block.ops[i], {id, i});
}

void Placement::place(OpId id, Site here) {
  const Op& op = program_.ops[id];
  for (BlockId nested : nested_blocks(op.payload)) place(nested);
  if (op.results.size() == 1 && can_be_expression(op, program_)) {
    const ValueId value = op.results[0];
    if (sites_[value.index].empty()) live_[id.index] = false;
    held_[value.index] = live_[id.index] && !is_literal(value) && !may_stand(value, op, here);
    if (!live_[id.index] || is_literal(value)) return;
    if (!held_[value.index]) {
      const std::vector<Site> sites = sites_[value.index];
      for (const Site& site : sites)
        for_each_operand(op.payload, [&](ValueId operand) { use(operand, site, taken_[value.index]); });
      return;
    }
  }
  for_each_operand(op.payload, [&](ValueId operand) { use(operand, here, taken_by(op, operand)); });
  // Asked anew in every iteration.
  if (const auto* loop = std::get_if<LoopOp>(&op.payload))
    use(loop->high, {loop->body, static_cast<std::uint32_t>(program_.blocks[loop->body].ops.size())}, Taken::Freely);
}

Placement::Taken Placement::taken_by(const Op& op, ValueId operand) const {
  // The statement of a vector store is a loop over its lanes: what it reads from memory has to be read before.
  if (const auto* store = std::get_if<StoreOp>(&op.payload))
    return program_.values[store->value].lanes > 1 ? Taken::WithoutLoads : Taken::Freely;
  // A tensor operation leaves f32, which a tensor stores whole; anything else is computed and stored by element.
  const auto* stored = std::get_if<FragmentStoreOp>(&op.payload);
  const bool by_element = stored != nullptr && operand == stored->fragment && is_tensor(program_.values[operand]) &&
                          program_.values[operand].scalar != ScalarType::F32;
  if (by_element) return Taken::Freely;
  const bool refers = std::holds_alternative<AtomOp>(op.payload) || stored != nullptr;
  return refers && program_.values[operand].is_fragment() ? Taken::ByReference : Taken::Freely;
}

bool Placement::is_free(const Op& op) const {
  if (std::holds_alternative<ConstOp>(op.payload) || std::holds_alternative<WorkerOp>(op.payload) ||
      std::holds_alternative<IotaOp>(op.payload) || std::holds_alternative<FragmentCoordinateOp>(op.payload))
    return true;
  if (const auto* splat = std::get_if<SplatOp>(&op.payload)) return is_literal(splat->operand);
  if (const auto* fill = std::get_if<FragmentFillOp>(&op.payload)) return is_literal(fill->scalar);
  return false;
}

/// Whether only ifs lie between the two, outer around inner.
bool Placement::same_iteration(BlockId outer, BlockId inner) const {
  while (inner != outer) {
    const Site parent = parents_[inner.index];
    if (!parent.block.valid()) return false;
    if (!std::holds_alternative<IfOp>(program_.ops[program_.blocks[parent.block].ops[parent.index]].payload))
      return false;
    inner = parent.block;
  }
  return true;
}

/// Where elements are stored one after the other, each is read before: no other one may be what is written there.
bool Placement::survives_writing(const FragmentLoadOp& load, Site site) const {
  const std::vector<OpId>& ops = program_.blocks[site.block].ops;
  const auto* store =
      site.index < ops.size() ? std::get_if<FragmentStoreOp>(&program_.ops[ops[site.index]].payload) : nullptr;
  if (store == nullptr || store->memory != load.memory) return true;
  return store->index == load.index && store->row_stride == load.row_stride && store->transposed == load.transposed;
}

bool Placement::may_stand(ValueId value, const Op& op, Site here) const {
  const Taken taken = taken_[value.index];
  if (taken == Taken::ByReference) return false;
  if (is_free(op)) return true;
  const std::vector<Site>& sites = sites_[value.index];
  if (sites.size() != 1) return false;
  const Site site = sites[0];
  if (std::holds_alternative<LoadOp>(op.payload)) {
    const std::vector<std::uint32_t>& effects = effects_before_[here.block.index];
    return taken == Taken::Freely && site.block == here.block && effects[here.index] == effects[site.index];
  }
  if (const auto* load = std::get_if<FragmentLoadOp>(&op.payload)) {
    const std::vector<std::uint32_t>& effects = effects_before_[here.block.index];
    return site.block == here.block && effects[here.index] == effects[site.index] && survives_writing(*load, site);
  }
  return same_iteration(here.block, site.block);
}

}  // namespace tilewright::emit_msl
