#include "lower/value_plan.h"

#include <algorithm>

#include "support/checked_math.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

namespace {

using namespace tile;

/// Operations below one root: a bound on code size and on the depth of the recursion that emits them.
constexpr std::size_t kMaxFusedOps = 256;

bool is_external(const Object& object) {
  return object.kind == ObjectKind::In || object.kind == ObjectKind::Out || object.kind == ObjectKind::InOut;
}

bool may_alias(const Program& program, ObjectId a, ObjectId b) {
  return a == b || (is_external(program.object(a)) && is_external(program.object(b)));
}

bool has_blocks(const OpPayload& payload) {
  return std::holds_alternative<RegionOp>(payload) || std::holds_alternative<IfOp>(payload);
}

bool is_pure(const OpPayload& payload) {
  return !has_blocks(payload) && !std::holds_alternative<StoreOp>(payload) &&
         !std::holds_alternative<MemoryOp>(payload) && !std::holds_alternative<BarrierOp>(payload) &&
         !std::holds_alternative<OpaqueOp>(payload) && !std::holds_alternative<StageCutOp>(payload);
}

bool is_rearrangement(const OpPayload& payload) {
  return std::holds_alternative<BroadcastOp>(payload) || std::holds_alternative<ReindexOp>(payload);
}

bool is_always_free(const OpPayload& payload) {
  return std::holds_alternative<ConstantOp>(payload) || std::holds_alternative<IndexValueOp>(payload);
}

/// A condition on indices alone: cheaper to work out than to load.
bool is_index_condition(const Program& program, ValueId value) {
  const OpId def = program.value(value).def;
  if (!def.valid()) return false;
  const auto* op = std::get_if<BinaryOp>(&program.op(def).payload);
  if (op == nullptr) return false;
  const auto both = [&](const auto& holds) { return holds(op->lhs) && holds(op->rhs); };
  if (op->kind == tile::BinaryKind::And || op->kind == tile::BinaryKind::Or)
    return both([&](ValueId operand) { return is_index_condition(program, operand); });
  return is_comparison(op->kind) && both([&](ValueId operand) {
           const OpId made = program.value(operand).def;
           return made.valid() && is_always_free(program.op(made).payload) &&
                  program.value(operand).element.data == DataType::Index;
         });
}

bool may_be_fused(const OpPayload& payload) {
  return is_rearrangement(payload) || std::holds_alternative<UnaryOp>(payload) ||
         std::holds_alternative<BinaryOp>(payload) || std::holds_alternative<SelectOp>(payload) ||
         std::holds_alternative<CastOp>(payload) || std::holds_alternative<GatherOp>(payload) ||
         std::holds_alternative<LoadOp>(payload);
}

std::vector<BlockId> blocks_of(const OpPayload& payload) {
  if (const auto* region = std::get_if<RegionOp>(&payload)) return {region->body};
  if (const auto* branch = std::get_if<IfOp>(&payload)) return {branch->then_block, branch->else_block};
  return {};
}

}  // namespace

ValuePlan::ValuePlan(const Program& program, bool mma_loads) : program_(program), mma_loads_(mma_loads) {
  facts_.resize(program.values().size());
  uses_.resize(program.values().size());
  op_places_.resize(program.ops().size());
  owners_.resize(program.blocks().size());
  ending_.resize(program.blocks().size());
  index_block(program.root(), {});
  classify_block(program.root());
}

std::vector<ValueId> ValuePlan::ending_at(Place place) const {
  const auto& positions = ending_[place.block];
  const auto found = positions.find(place.position);
  return found == positions.end() ? std::vector<ValueId>{} : found->second;
}

std::int64_t ValuePlan::volume(const std::vector<AxisId>& axes) const {
  std::int64_t product = 1;
  for (AxisId axis : axes) product = checked_mul(product, bound_extent(program_, axis)).value_or(INT64_MAX);
  return product;
}

// ---- Places --------------------------------------------------------------------------------------------------------

void ValuePlan::index_block(BlockId id, Owner owner) {
  const Block& block = program_.block(id);
  owners_[id] = owner;
  for (ValueId arg : program_.list(block.args)) facts_[arg].home = {id, 0};
  for (std::size_t position = 0; position < block.ops.size(); ++position) {
    const OpId op = block.ops[position];
    const OpPayload& payload = program_.op(op).payload;
    op_places_[op] = {id, position};
    for (ValueId result : program_.list(program_.op(op).results)) facts_[result].home = {id, position};
    if (const auto* store = std::get_if<StoreOp>(&payload)) stores_[op].insert(store->object);
    for (BlockId inner : blocks_of(payload)) {
      index_block(inner, {op, std::holds_alternative<RegionOp>(payload)});
      for (OpId nested : program_.block(inner).ops)
        if (const auto found = stores_.find(nested); found != stores_.end())
          stores_[op].insert(found->second.begin(), found->second.end());
    }
  }
}

std::optional<Place> ValuePlan::lifted(Place place, BlockId to) const {
  while (place.block != to) {
    const OpId owner = owners_[place.block].op;
    if (!owner.valid()) return std::nullopt;
    place = op_places_[owner];
  }
  return place;
}

/// Whether one run of `home` runs `block` at most once.
bool ValuePlan::inside_one_run(BlockId block, BlockId home) const {
  while (block != home) {
    const Owner& owner = owners_[block];
    if (!owner.op.valid() || owner.is_loop) return false;
    block = op_places_[owner.op].block;
  }
  return true;
}

bool ValuePlan::dead_after(ValueId value, Place place) const {
  if (!inside_one_run(place.block, facts_[value].home.block)) return false;
  for (const Place& read : facts_[value].reads) {
    Place here = place;
    std::optional<Place> there = lifted(read, here.block);
    // Places in different branches of one if meet in the block around it, at one position.
    while (!there) {
      here = op_places_[owners_[here.block].op];
      there = lifted(read, here.block);
    }
    if (there->position > here.position) return false;
  }
  return true;
}

ValuePlan::ReadCount ValuePlan::reads_at(ValueId value, Place place) const {
  ReadCount count;
  for (const Place& read : facts_[value].reads) {
    const std::optional<Place> there = lifted(read, place.block);
    if (!there || there->position != place.position) continue;
    ++count.all;
    if (read == place) ++count.direct;
  }
  return count;
}

// ---- Forms ---------------------------------------------------------------------------------------------------------

void ValuePlan::classify_block(BlockId id) {
  const Block& block = program_.block(id);
  for (ValueId yield : program_.list(block.yields)) uses_[yield].push_back({{id, block.ops.size()}, {}});
  // Consumers first: the form of a value depends on theirs.
  for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) classify_op(*op);
  for (ValueId arg : program_.list(block.args)) {
    facts_[arg].form = program_.value(arg).axes.empty() ? ValueForm::Scalar : ValueForm::Stored;
    finish_value(arg);
  }
}

void ValuePlan::classify_op(OpId id) {
  const Op& op = program_.op(id);
  for (BlockId inner : blocks_of(op.payload)) classify_block(inner);
  bool needed = !is_pure(op.payload);
  for (ValueId result : program_.list(op.results)) {
    classify_value(result, id);
    finish_value(result);
    needed = needed || facts_[result].form != ValueForm::Dead;
  }
  if (!needed) return;
  for_each_operand(program_, op.payload, [&](ValueId operand) { add_use(operand, op_places_[id], id); });
}

void ValuePlan::add_use(ValueId value, Place place, OpId consumer) {
  std::vector<Use>& uses = uses_[value];
  if (!has_blocks(program_.op(consumer).payload))
    for (const Use& use : uses)
      if (use.consumer == consumer) return;
  uses.push_back({place, consumer});
}

void ValuePlan::classify_value(ValueId id, OpId def) {
  const Value& value = program_.value(id);
  const OpPayload& payload = program_.op(def).payload;
  ValueForm& form = facts_[id].form;
  if (uses_[id].empty() && is_pure(payload))
    form = ValueForm::Dead;
  else if (value.axes.empty())
    form = ValueForm::Scalar;
  else if (value.placement != MemorySpace::Auto)
    form = ValueForm::Stored;
  else if (is_always_free(payload) || (mma_loads_ && is_index_condition(program_, id)))
    form = ValueForm::Free;
  else if (may_be_fused(payload) && fits_consumer(id, def))
    form = ValueForm::Fused;
  else
    form = is_rearrangement(payload) ? ValueForm::Free : ValueForm::Stored;
}

bool ValuePlan::fits_consumer(ValueId id, OpId def) {
  if (uses_[id].size() != 1) return false;
  const Use& use = uses_[id].front();
  if (use.place.block != facts_[id].home.block) return false;
  Place root = use.place;
  if (use.consumer.valid() && is_mma_load(use.consumer, id)) {
    return load_may_move(std::get<LoadOp>(program_.op(def).payload), facts_[id].home, root);
  }
  if (use.consumer.valid()) {
    if (!accepts(use.consumer, id)) return false;
    if (evaluations(use.consumer, id) > volume(program_.list(program_.value(id).axes))) return false;
    const auto results = program_.list(program_.op(use.consumer).results);
    if (!results.empty() && facts_[results.front()].form == ValueForm::Free) return false;
    if (!results.empty() && facts_[results.front()].form == ValueForm::Fused) root = facts_[results.front()].root;
  } else {
    const OpId owner = owners_[use.place.block].op;
    const auto* region = owner.valid() ? std::get_if<RegionOp>(&program_.op(owner).payload) : nullptr;
    if (region == nullptr || region->kind != RegionKind::Reduce) return false;
  }
  const auto* load = std::get_if<LoadOp>(&program_.op(def).payload);
  if (load != nullptr && !load_may_move(*load, facts_[id].home, root)) return false;
  std::size_t& size = root_sizes_[{root.block, root.position}];
  if (size >= kMaxFusedOps) return false;
  ++size;
  facts_[id].root = root;
  return true;
}

bool ValuePlan::is_mma_load(OpId consumer, ValueId operand) const {
  const auto* mma = std::get_if<MmaOp>(&program_.op(consumer).payload);
  const OpId def = program_.value(operand).def;
  return mma_loads_ && mma != nullptr && mma->c != operand && (mma->a == operand) != (mma->b == operand) &&
         def.valid() && std::holds_alternative<LoadOp>(program_.op(def).payload);
}

/// Whether the consumer can compute this operand element by element.
bool ValuePlan::accepts(OpId consumer, ValueId operand) const {
  const OpPayload& payload = program_.op(consumer).payload;
  if (const auto* gather = std::get_if<GatherOp>(&payload))
    return gather->indices == operand && gather->operand != operand && gather->fallback != operand;
  if (const auto* mma = std::get_if<MmaOp>(&payload))
    return mma->c == operand && mma->a != operand && mma->b != operand;
  return std::holds_alternative<UnaryOp>(payload) || std::holds_alternative<BinaryOp>(payload) ||
         std::holds_alternative<SelectOp>(payload) || std::holds_alternative<CastOp>(payload) ||
         is_rearrangement(payload) || std::holds_alternative<ReduceOp>(payload) ||
         std::holds_alternative<StoreOp>(payload);
}

/// How many elements of the operand the consumer computes when it is fused.
std::int64_t ValuePlan::evaluations(OpId consumer, ValueId operand) const {
  const OpPayload& payload = program_.op(consumer).payload;
  if (std::holds_alternative<ReduceOp>(payload)) return volume(program_.list(program_.value(operand).axes));
  if (const auto* store = std::get_if<StoreOp>(&payload)) {
    std::vector<AxisId> axes;
    for (IndexId coord : program_.list(store->coords)) axes = join_axes(axes, program_.index().axes(coord));
    return volume(axes);
  }
  return volume(program_.list(program_.value(program_.list(program_.op(consumer).results).front()).axes));
}

bool ValuePlan::load_may_move(const LoadOp& load, Place from, Place root) const {
  const std::vector<OpId>& ops = program_.block(from.block).ops;
  for (std::size_t position = from.position + 1; position < ops.size() && position <= root.position; ++position) {
    const auto found = stores_.find(ops[position]);
    if (found == stores_.end()) continue;
    for (ObjectId stored : found->second)
      if (may_alias(program_, load.object, stored)) return false;
  }
  return true;
}

void ValuePlan::finish_value(ValueId id) {
  Facts& facts = facts_[id];
  facts.last_use = facts.home.position;
  for (const Use& use : uses_[id]) {
    const auto results = use.consumer.valid() && !has_blocks(program_.op(use.consumer).payload)
                             ? program_.list(program_.op(use.consumer).results)
                             : std::vector<ValueId>{};
    const ValueForm form = results.empty() ? ValueForm::Stored : facts_[results.front()].form;
    if (form == ValueForm::Free || form == ValueForm::Fused) {
      const std::vector<Place>& through = facts_[results.front()].reads;
      facts.reads.insert(facts.reads.end(), through.begin(), through.end());
    } else {
      facts.reads.push_back(use.place);
    }
  }
  for (const Place& read : facts.reads) {
    const std::optional<Place> there = lifted(read, facts.home.block);
    TW_CHECK(there.has_value());
    facts.last_use = std::max(facts.last_use, there->position);
  }
  if (facts.form == ValueForm::Stored) ending_[facts.home.block][facts.last_use].push_back(id);
}

}  // namespace tilewright::lower
