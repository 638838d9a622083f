#include "tile/meaning.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::tile {

namespace {

/// First come, first numbered.
class Numbering {
 public:
  /// The number, and whether it is new.
  std::pair<std::int64_t, bool> of(std::uint32_t index) {
    const auto [at, fresh] = numbers_.try_emplace(index, static_cast<std::int64_t>(numbers_.size()));
    return {at->second, fresh};
  }

 private:
  std::unordered_map<std::uint32_t, std::int64_t> numbers_;
};

class MeaningWriter {
 public:
  explicit MeaningWriter(const Program& program) : program_(program) {}

  Hash128 run() {
    block(program_.root());
    requirements();
    return hash_.finish();
  }

 private:
  void number(std::int64_t value) { hash_.add_int(value); }
  template <class E>
  void tag(E kind) {
    hash_.add_int(static_cast<std::int64_t>(kind));
  }

  void index(IndexId id) {
    if (!id.valid()) return number(-1);
    const auto [position, fresh] = indices_.of(id.index);
    number(position);
    if (!fresh) return;
    const IndexNode& node = program_.index()[id];
    tag(node.kind);
    switch (node.kind) {
      case IndexKind::Constant:
        return number(node.value);
      case IndexKind::Symbol:
        return number(symbols_.of(node.symbol().index).first);
      case IndexKind::Param:
        return number(params_.of(node.param().index).first);
      case IndexKind::Coord:
        return coord(node.coord());
      case IndexKind::Axis:
        return axis(node.axis());
      default:
        index(node.lhs);
        index(node.rhs);
    }
  }

  template <class IdType, class F>
  void each(const std::vector<IdType>& ids, F&& write) {
    number(static_cast<std::int64_t>(ids.size()));
    for (IdType id : ids) write(id);
  }
  void indices(const std::vector<IndexId>& ids) {
    each(ids, [this](IndexId id) { index(id); });
  }

  void element(const ElementType& type) {
    if (type.symbolic()) return number(-1 - type_params_.of(type.param.index).first);
    tag(type.data);
  }
  void axis(AxisId id) {
    const auto [position, fresh] = axes_.of(id.index);
    number(position);
    if (fresh) index(program_.axes()[id].extent);
  }
  void coord(CoordId id) {
    const auto [position, fresh] = coords_.of(id.index);
    number(position);
    if (fresh) index(program_.coords()[id].extent);
  }
  void object(ObjectId id) {
    const auto [position, fresh] = objects_.of(id.index);
    number(position);
    if (!fresh) return;
    const Object& object = program_.object(id);
    tag(object.kind);
    element(object.element);
    tag(object.space);
    number(object.default_value ? static_cast<std::int64_t>(Literal::of(*object.default_value).bits) : -1);
    indices(object.extents);
    indices(object.strides);
    each(object.layout_axes, [this](AxisId axis_id) { axis(axis_id); });
    index(object.layout);
  }
  void value(ValueId id) { number(id.valid() ? values_.of(id.index).first : -1); }
  void values(const std::vector<ValueId>& ids) {
    each(ids, [this](ValueId id) { value(id); });
  }
  /// A value where it is defined.
  void definition(ValueId id) {
    value(id);
    const Value& defined = program_.value(id);
    element(defined.element);
    tag(defined.placement);
    each(program_.list(defined.axes), [this](AxisId axis_id) { axis(axis_id); });
  }

  void block(BlockId id) {
    const Block& block = program_.block(id);
    each(program_.list(block.args), [this](ValueId argument) { definition(argument); });
    number(static_cast<std::int64_t>(block.ops.size()));
    for (OpId op : block.ops) operation(program_.op(op));
    values(program_.list(block.yields));
  }

  void operation(const Op& op) {
    number(static_cast<std::int64_t>(op.payload.index()));
    std::visit([this](const auto& payload) { own(payload); }, op.payload);
    std::vector<ValueId> operands;
    for_each_operand(program_, op.payload, [&](ValueId operand) { operands.push_back(operand); });
    values(operands);
    if (const auto* region = std::get_if<RegionOp>(&op.payload)) block(region->body);
    if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
      block(branch->then_block);
      block(branch->else_block);
    }
    each(program_.list(op.results), [this](ValueId result) { definition(result); });
  }

  // What a payload holds beside its operands and blocks.
  void own(const ConstantOp& op) { number(static_cast<std::int64_t>(op.literal.bits)); }
  void own(const IndexValueOp& op) { index(op.expr); }
  void own(const UnaryOp& op) { tag(op.kind); }
  void own(const BinaryOp& op) { tag(op.kind); }
  void own(const SelectOp&) {}
  void own(const CastOp&) {}
  void own(const BroadcastOp&) {}
  void own(const ReindexOp& op) { indices(program_.list(op.coords)); }
  void own(const GatherOp& op) { axis(op.axis); }
  void own(const ReduceOp& op) {
    tag(op.kind);
    tag(op.order);
    axis(op.axis);
  }
  void own(const MmaOp& op) { number((op.reassociate ? 1 : 0) + (op.relaxed ? 2 : 0)); }
  void own(const LoadOp& op) {
    object(op.object);
    tag(op.bounds);
    number(op.fallback.valid() ? 1 : 0);
    indices(program_.list(op.coords));
  }
  void own(const StoreOp& op) {
    object(op.object);
    tag(op.bounds);
    indices(program_.list(op.coords));
  }
  void own(const MemoryOp& op) { object(op.object); }
  void own(const BarrierOp& op) { tag(op.scope); }
  void own(const OpaqueOp& op) {
    hash_.add_bytes(program_.opaque_symbols()[op.symbol]);
    each(program_.list(op.objects), [this](ObjectId id) { object(id); });
  }
  void own(const StageCutOp&) {}
  void own(const RegionOp& op) {
    tag(op.kind);
    tag(op.scope);
    tag(op.order);
    number(op.window);
    number(op.interval);
    number(op.folds);
    each(program_.list(op.coords), [this](CoordId id) { coord(id); });
  }
  void own(const IfOp&) {}

  /// As a set: each by a hash of its own, in which its leaves have the numbers of the operations.
  void requirements() {
    std::vector<Hash128> all;
    for (const Requirement& requirement : program_.requirements()) {
      HashBuilder one;
      one.add_int(static_cast<std::int64_t>(requirement.comparison));
      all.push_back(one.add_hash(tree(requirement.lhs)).add_hash(tree(requirement.rhs)).finish());
    }
    std::sort(all.begin(), all.end());
    for (const Hash128& hash : all) hash_.add_hash(hash);
  }
  Hash128 tree(IndexId id) {
    if (const auto known = trees_.find(id.index); known != trees_.end()) return known->second;
    const IndexNode& node = program_.index()[id];
    HashBuilder own;
    own.add_int(static_cast<std::int64_t>(node.kind));
    if (node.kind == IndexKind::Constant)
      own.add_int(node.value);
    else if (node.kind == IndexKind::Symbol)
      own.add_int(symbols_.of(node.symbol().index).first);
    else if (node.kind == IndexKind::Param)
      own.add_int(params_.of(node.param().index).first);
    else
      own.add_hash(tree(node.lhs)).add_hash(tree(node.rhs));
    return trees_.emplace(id.index, own.finish()).first->second;
  }

  const Program& program_;
  HashBuilder hash_;
  Numbering symbols_, params_, type_params_, axes_, coords_, objects_, values_, indices_;
  std::unordered_map<std::uint32_t, Hash128> trees_;
};

}  // namespace

Hash128 meaning_hash(const Program& program) { return MeaningWriter(program).run(); }

}  // namespace tilewright::tile
