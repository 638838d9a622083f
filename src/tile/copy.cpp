#include "tile/copy.h"

#include <map>
#include <optional>

namespace tilewright::tile {

class ProgramCopier {
 public:
  ProgramCopier(const Program& source, const CopyRules& rules) : from_(source), rules_(rules) {}

  Program run() {
    to_.name_ = from_.name_;
    to_.comment_ = from_.comment_;
    to_.source_ = from_.source_;
    if (rules_.kept != FamilyPart::None) copy_family();
    for (ObjectId id : from_.objects_.ids())
      if (from_.objects_[id].kind != ObjectKind::Memory) copy_object(id);
    to_.root_ = copy_block(from_.root_);
    return std::move(to_);
  }

 private:
  void copy_family() {
    to_.symbols_ = from_.symbols_;
    if (rules_.kept == FamilyPart::Whole) {
      to_.params_ = from_.params_;
      to_.type_params_ = from_.type_params_;
    }
    for (Requirement requirement : from_.requirements_) {
      requirement.lhs = index(requirement.lhs);
      requirement.rhs = index(requirement.rhs);
      requirement.location = location(requirement.location);
      to_.requirements_.push_back(requirement);
    }
  }

  LocationId location(LocationId id) {
    return id.valid() ? to_.locations_.push_back(from_.locations_[id]) : LocationId{};
  }

  ElementType element(ElementType type) const { return rules_.element ? rules_.element(type) : type; }

  IndexId index(IndexId id) {
    if (!id.valid()) return id;
    return from_.index_.copy_to(to_.index_, id, [&](const IndexNode& node) { return leaf(node); });
  }

  IndexId leaf(const IndexNode& node) {
    if (node.kind == IndexKind::Axis) return to_.index_.axis(axis(node.axis()));
    if (node.kind == IndexKind::Coord) {
      auto found = coords_.find(node.coord());
      TW_CHECK(found != coords_.end());
      return to_.index_.coord(found->second);
    }
    if (rules_.family_leaf) return rules_.family_leaf(to_.index_, node);
    return node.kind == IndexKind::Symbol ? to_.index_.symbol(node.symbol()) : to_.index_.param(node.param());
  }

  std::vector<IndexId> indices(const std::vector<IndexId>& ids) {
    std::vector<IndexId> copies;
    for (IndexId id : ids) copies.push_back(index(id));
    return copies;
  }

  AxisId axis(AxisId id) {
    if (auto found = axes_.find(id); found != axes_.end()) return found->second;
    Axis copy = from_.axes_[id];
    copy.extent = index(copy.extent);
    return axes_[id] = to_.axes_.push_back(std::move(copy));
  }

  std::vector<AxisId> axes(const std::vector<AxisId>& ids) {
    std::vector<AxisId> copies;
    for (AxisId id : ids) copies.push_back(axis(id));
    return copies;
  }

  ObjectId copy_object(ObjectId id) {
    Object object = from_.objects_[id];
    object.element = element(object.element);
    object.extents = indices(object.extents);
    object.strides = strides(id, object.strides);
    object.layout_axes = axes(object.layout_axes);
    object.layout = index(object.layout);
    object.location = location(object.location);
    return objects_[id] = to_.objects_.push_back(std::move(object));
  }

  std::vector<IndexId> strides(ObjectId id, const std::vector<IndexId>& declared) {
    const auto given = rules_.strides ? rules_.strides(id) : std::nullopt;
    if (!given) return indices(declared);
    std::vector<IndexId> replaced;
    for (std::int64_t stride : *given) replaced.push_back(to_.index_.constant(stride));
    return replaced;
  }
  ObjectId object(ObjectId id) const {
    auto found = objects_.find(id);
    TW_CHECK(found != objects_.end());
    return found->second;
  }

  ValueId define(ValueId id, OpId def) {
    Value value = from_.values_[id];
    value.element = element(value.element);
    value.axes = to_.pool_.add(axes(from_.list(value.axes)));
    value.def = def;
    return values_[id] = to_.values_.push_back(std::move(value));
  }

  ValueId value(ValueId id) const {
    if (!id.valid()) return id;
    if (rules_.resolve) id = rules_.resolve(id);
    auto found = values_.find(id);
    TW_CHECK(found != values_.end());
    return found->second;
  }

  IdList<ValueId> values(IdList<ValueId> list) {
    std::vector<ValueId> copies;
    for (ValueId id : from_.list(list)) copies.push_back(value(id));
    return to_.pool_.add(copies);
  }

  IdList<IndexId> index_list(IdList<IndexId> list) { return to_.pool_.add(indices(from_.list(list))); }

  BlockId copy_block(BlockId id) {
    if (!id.valid()) return id;
    const Block& source = from_.blocks_[id];
    BlockId copy_id = to_.blocks_.push_back(Block{});
    std::vector<ValueId> args;
    for (ValueId arg : from_.list(source.args)) args.push_back(define(arg, OpId{}));
    std::vector<OpId> ops;
    for (OpId op : source.ops)
      if (!drop_identity_cast(op)) ops.push_back(copy_op(op));
    Block copy;
    copy.args = to_.pool_.add(args);
    copy.ops = std::move(ops);
    copy.yields = values(source.yields);
    to_.blocks_[copy_id] = std::move(copy);
    return copy_id;
  }

  bool drop_identity_cast(OpId id) {
    const Op& op = from_.ops_[id];
    const auto* cast = std::get_if<CastOp>(&op.payload);
    if (cast == nullptr) return false;
    const ValueId result = from_.pool_.at(op.results, 0);
    const ValueId operand = value(cast->operand);
    if (element(from_.values_[result].element) != to_.values_[operand].element) return false;
    if (to_.values_[operand].placement == MemorySpace::Auto)
      to_.values_[operand].placement = from_.values_[result].placement;
    values_[result] = operand;
    return true;
  }

  OpId copy_op(OpId id) {
    const Op& source = from_.ops_[id];
    OpId copy_id = to_.ops_.push_back(Op{});
    to_.ops_[copy_id].location = location(source.location);
    OpPayload payload = std::visit([&](const auto& op) -> OpPayload { return copy_payload(op); }, source.payload);
    std::vector<ValueId> results;
    for (ValueId result : from_.list(source.results)) results.push_back(define(result, copy_id));
    to_.ops_[copy_id].payload = payload;
    to_.ops_[copy_id].results = to_.pool_.add(results);
    return copy_id;
  }

  ConstantOp copy_payload(const ConstantOp& op) { return op; }
  IndexValueOp copy_payload(const IndexValueOp& op) { return {index(op.expr)}; }
  UnaryOp copy_payload(const UnaryOp& op) { return {op.kind, value(op.operand)}; }
  BinaryOp copy_payload(const BinaryOp& op) { return {op.kind, value(op.lhs), value(op.rhs)}; }
  SelectOp copy_payload(const SelectOp& op) { return {value(op.condition), value(op.if_true), value(op.if_false)}; }
  CastOp copy_payload(const CastOp& op) { return {value(op.operand)}; }
  BroadcastOp copy_payload(const BroadcastOp& op) { return {value(op.operand)}; }
  ReindexOp copy_payload(const ReindexOp& op) { return {value(op.operand), index_list(op.coords)}; }
  GatherOp copy_payload(const GatherOp& op) {
    return {value(op.operand), axis(op.axis), value(op.indices), value(op.fallback)};
  }
  ReduceOp copy_payload(const ReduceOp& op) { return {op.kind, op.order, axis(op.axis), value(op.operand)}; }
  MmaOp copy_payload(const MmaOp& op) { return {value(op.a), value(op.b), value(op.c), op.reassociate, op.relaxed}; }
  LoadOp copy_payload(const LoadOp& op) {
    return {object(op.object), index_list(op.coords), op.bounds, value(op.fallback)};
  }
  StoreOp copy_payload(const StoreOp& op) {
    return {object(op.object), index_list(op.coords), op.bounds, value(op.value)};
  }
  MemoryOp copy_payload(const MemoryOp& op) { return {copy_object(op.object)}; }
  BarrierOp copy_payload(const BarrierOp& op) { return op; }
  OpaqueOp copy_payload(const OpaqueOp& op) {
    OpaqueOp copy;
    copy.symbol = intern(to_.opaque_symbols_, from_.opaque_symbols_[op.symbol]);
    copy.values = values(op.values);
    std::vector<ObjectId> objects;
    for (ObjectId id : from_.list(op.objects)) objects.push_back(object(id));
    copy.objects = to_.pool_.add(objects);
    return copy;
  }
  StageCutOp copy_payload(const StageCutOp& op) { return {intern(to_.stage_labels_, from_.stage_labels_[op.label])}; }
  RegionOp copy_payload(const RegionOp& op) {
    RegionOp copy = op;
    std::vector<CoordId> coords;
    for (CoordId id : from_.list(op.coords)) {
      Coord coord = from_.coords_[id];
      coord.extent = index(coord.extent);
      coords.push_back(coords_[id] = to_.coords_.push_back(std::move(coord)));
    }
    copy.coords = to_.pool_.add(coords);
    copy.inits = values(op.inits);
    copy.body = copy_block(op.body);
    return copy;
  }
  IfOp copy_payload(const IfOp& op) {
    IfOp copy;
    copy.condition = value(op.condition);
    copy.inits = values(op.inits);
    copy.then_block = copy_block(op.then_block);
    copy.else_block = copy_block(op.else_block);
    return copy;
  }

  static std::uint32_t intern(std::vector<std::string>& table, const std::string& text) {
    for (std::size_t i = 0; i < table.size(); ++i)
      if (table[i] == text) return static_cast<std::uint32_t>(i);
    table.push_back(text);
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  const Program& from_;
  const CopyRules& rules_;
  Program to_;
  std::map<AxisId, AxisId> axes_;
  std::map<CoordId, CoordId> coords_;
  std::map<ObjectId, ObjectId> objects_;
  std::map<ValueId, ValueId> values_;
};

Program copy_program(const Program& source, const CopyRules& rules) { return ProgramCopier(source, rules).run(); }

Program with_strides(const Program& source, const std::map<ObjectId, std::vector<std::int64_t>>& strides) {
  CopyRules rules;
  rules.strides = [&](ObjectId id) {
    const auto found = strides.find(id);
    return found == strides.end() ? std::nullopt : std::optional(found->second);
  };
  return copy_program(source, rules);
}

}  // namespace tilewright::tile
