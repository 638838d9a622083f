#include "tile/builder.h"

#include <algorithm>

#include "tile/copy.h"

namespace tilewright::tile {

// Builder: places, declarations, operations. Regions and carries are in builder_regions.cpp.

Builder::Builder(std::string name, SourceText source, std::vector<std::string> comment) {
  program_.name_ = std::move(name);
  program_.source_ = std::move(source);
  program_.comment_ = std::move(comment);
  program_.root_ = program_.blocks_.push_back(Block{});
  open_root();
}

Builder::~Builder() = default;

void Builder::at(Location location) { location_ = program_.locations_.push_back(location); }

std::uint32_t Builder::add_file(std::string name) {
  program_.source_.more_files.push_back(std::move(name));
  return static_cast<std::uint32_t>(program_.source_.more_files.size());
}

void Builder::report(DiagCode code, std::string message, std::string hint) {
  report(Diag{code, std::move(message), {}, std::move(hint), {}});
}

void Builder::report(Diag diag) {
  if (!diag.place.known()) diag.place = program_.place(location_);
  diags_.push_back(std::move(diag));
}

void Builder::report_redefinition(const std::string& name) {
  report(DiagCode::Redefinition, "the name '" + name + "' is already taken in this program", "choose another name");
}

bool Builder::claim_name(const std::string& name) {
  if (interface_names_.insert(name).second) return true;
  report_redefinition(name);
  return false;
}

SymbolId Builder::symbol(std::string name, std::optional<std::int64_t> default_value) {
  claim_name(name);
  return program_.symbols_.push_back(Symbol{std::move(name), default_value});
}

ParamId Builder::param(Param param) {
  claim_name(param.name);
  return program_.params_.push_back(std::move(param));
}

TypeParamId Builder::type_param(TypeParam param) {
  claim_name(param.name);
  for (DataType type : param.choices) check_storable(ElementType{type, {}}, param.name);
  check_storable(ElementType{param.default_type, {}}, param.name);
  return program_.type_params_.push_back(std::move(param));
}

void Builder::require(IndexId lhs, Comparison comparison, IndexId rhs, std::string message) {
  program_.requirements_.push_back(Requirement{lhs, rhs, comparison, std::move(message), location_});
}

bool Builder::check_storable(ElementType element, const std::string& name) {
  if (element.symbolic()) return true;
  if (is_reserved(element.data)) {
    report(
        DiagCode::ReservedType,
        "'" + name + "' has the element type " + TypeNames::element(element) + ", which is reserved and not built yet",
        "use f32, f16, bf16, i32 or bool");
    return false;
  }
  if (element.data == DataType::Index) {
    report(DiagCode::TypeMismatch, "'" + name + "' cannot hold index values: index exists in tiles only", "use i32");
    return false;
  }
  return true;
}

ObjectId Builder::object(Object object) {
  claim_name(object.name);
  check_storable(object.element, object.name);
  if (!object.strides.empty() && object.strides.size() != object.extents.size())
    report(DiagCode::RankMismatch, "'" + object.name + "' has " + std::to_string(object.extents.size()) +
                                       " dimensions and " + std::to_string(object.strides.size()) + " strides");
  object.location = location_;
  return program_.objects_.push_back(std::move(object));
}

AxisId Builder::axis(std::string label, IndexId extent) {
  return program_.axes_.push_back(Axis{std::move(label), extent});
}

// ---- Values --------------------------------------------------------------------------------------------------------

std::vector<DataType> Builder::possible(ElementType type) const {
  if (!type.symbolic()) return {type.data};
  std::vector<DataType> types = program_.type_params_[type.param].choices;
  types.push_back(program_.type_params_[type.param].default_type);
  return types;
}

TileType Builder::type_of(ValueId value) const {
  const Value& v = program_.values_[value];
  return TileType{v.element, program_.list(v.axes)};
}

ValueId Builder::add_value(const TileType& type, OpId def) {
  return program_.values_.push_back(Value{type.element, program_.pool_.add(type.axes), MemorySpace::Auto, def, {}});
}

OpId Builder::emit(OpPayload payload, std::vector<ValueId> results) {
  OpId id = program_.ops_.push_back(Op{std::move(payload), {}, location_});
  for (ValueId result : results) program_.values_[result].def = id;
  program_.ops_[id].results = program_.pool_.add(results);
  program_.blocks_[current_block()].ops.push_back(id);
  return id;
}

ValueId Builder::emit_value(OpPayload payload, const TileType& type) {
  ValueId value = add_value(type, OpId{});
  emit(std::move(payload), {value});
  return value;
}

ValueId Builder::emit_typed(OpPayload payload, const TypeResult<TileType>& type) {
  if (type) return emit_value(std::move(payload), *type);
  report(type.error().code, type.error().message, type.error().hint);
  return {};
}

std::vector<AxisId> Builder::axes_of(const std::vector<IndexId>& coords) const {
  std::vector<AxisId> axes;
  for (IndexId coord : coords) axes = join_axes(axes, program_.index_.axes(coord));
  return axes;
}

ValueId Builder::constant(Literal literal, ElementType element, std::vector<AxisId> axes) {
  if (element == kIndex) {
    ValueId value = index_value(program_.index_.constant(static_cast<std::int64_t>(literal.value())));
    return axes.empty() ? value : broadcast(value, std::move(axes));
  }
  TypeResult<TileType> type = type_broadcast(TileType{element, {}}, axes, *this);
  return emit_typed(ConstantOp{literal}, type);
}

std::vector<AxisId> Builder::order_result(const std::vector<AxisId>& inferred,
                                          const std::optional<std::vector<AxisId>>& wanted) const {
  if (!wanted || !subset_of(inferred, *wanted)) return inferred;
  std::vector<AxisId> ordered;
  for (AxisId axis : *wanted)
    if (tile::contains(inferred, axis)) ordered.push_back(axis);
  return ordered;
}

ValueId Builder::widen(ValueId value, const std::optional<std::vector<AxisId>>& wanted) {
  if (!value.valid() || !wanted || type_of(value).axes == *wanted) return value;
  return broadcast(value, *wanted);
}

ValueId Builder::index_value(IndexId expr, std::optional<std::vector<AxisId>> axes) {
  if (!expr.valid()) return {};
  TileType type{kIndex, order_result(program_.index_.axes(expr), axes)};
  return widen(emit_value(IndexValueOp{expr}, type), axes);
}

ValueId Builder::unary(UnaryKind kind, ValueId x) {
  if (!x.valid()) return {};
  return emit_typed(UnaryOp{kind, x}, type_unary(kind, type_of(x), *this, *this));
}

ValueId Builder::binary(BinaryKind kind, ValueId a, ValueId b) {
  if (!a.valid() || !b.valid()) return {};
  return emit_typed(BinaryOp{kind, a, b}, type_binary(kind, type_of(a), type_of(b), *this, *this));
}

ValueId Builder::select(ValueId condition, ValueId if_true, ValueId if_false) {
  if (!condition.valid() || !if_true.valid() || !if_false.valid()) return {};
  return emit_typed(SelectOp{condition, if_true, if_false},
                    type_select(type_of(condition), type_of(if_true), type_of(if_false), *this));
}

ValueId Builder::cast(ValueId x, ElementType to) {
  if (!x.valid()) return {};
  if (type_of(x).element == to) return x;
  return emit_typed(CastOp{x}, type_cast(type_of(x), to, *this));
}

ValueId Builder::broadcast(ValueId x, std::vector<AxisId> axes) {
  if (!x.valid()) return {};
  return emit_typed(BroadcastOp{x}, type_broadcast(type_of(x), axes, *this));
}

ValueId Builder::reindex(ValueId x, std::vector<IndexId> coords, std::optional<std::vector<AxisId>> axes) {
  if (!x.valid() || !all_valid(coords)) return {};
  TileType type = type_of(x);
  if (coords.size() != type.axes.size()) {
    report(DiagCode::RankMismatch, "expected " + std::to_string(type.axes.size()) + " coordinates for " +
                                       TypeNames::tile(type) + ", found " + std::to_string(coords.size()));
    return {};
  }
  TileType result{type.element, order_result(axes_of(coords), axes)};
  return widen(emit_value(ReindexOp{x, program_.pool_.add(coords)}, result), axes);
}

ValueId Builder::gather(ValueId x, AxisId axis, ValueId indices, ValueId fallback) {
  if (!x.valid() || !indices.valid() || !fallback.valid()) return {};
  return emit_typed(GatherOp{x, axis, indices, fallback},
                    type_gather(type_of(x), axis, type_of(indices), type_of(fallback), *this));
}

ValueId Builder::reduce(FoldKind kind, ValueId x, AxisId axis, FoldOrder order) {
  if (!x.valid()) return {};
  return emit_typed(ReduceOp{kind, order, axis, x}, type_reduce(kind, type_of(x), axis, *this, *this));
}

ValueId Builder::mma(ValueId a, ValueId b, ValueId c, bool reassociate, bool relaxed) {
  if (!a.valid() || !b.valid() || !c.valid()) return {};
  return emit_typed(MmaOp{a, b, c, reassociate, relaxed},
                    type_mma(type_of(a), type_of(b), type_of(c), relaxed, *this, *this));
}

// ---- Memory --------------------------------------------------------------------------------------------------------

bool Builder::all_valid(const std::vector<IndexId>& ids) const {
  return std::all_of(ids.begin(), ids.end(), [](IndexId id) { return id.valid(); });
}

bool Builder::check_coords(const Object& object, std::size_t count) {
  if (count == object.rank()) return true;
  report(DiagCode::RankMismatch, "'" + object.name + "' has " + std::to_string(object.rank()) + " dimensions, found " +
                                     std::to_string(count) + " coordinates");
  return false;
}

ValueId Builder::load(ObjectId object, std::vector<IndexId> coords, LoadOptions options) {
  if (!object.valid() || !all_valid(coords)) return {};
  const Object& source = program_.objects_[object];
  if (!check_coords(source, coords.size())) return {};
  if (options.fallback.valid()) {
    TileType fallback = type_of(options.fallback);
    if (fallback.element != source.element || !fallback.axes.empty()) {
      report(DiagCode::TypeMismatch, "expected a fallback of type " + TypeNames::element(source.element) +
                                         " without axes, found " + TypeNames::tile(fallback));
      return {};
    }
  }
  TileType type{source.element, order_result(axes_of(coords), options.axes)};
  LoadOp op{object, program_.pool_.add(coords), options.bounds, options.fallback};
  return widen(emit_value(op, type), options.axes);
}

void Builder::store(ObjectId object, std::vector<IndexId> coords, ValueId value, BoundsPolicy bounds) {
  if (!object.valid() || !value.valid() || !all_valid(coords)) return;
  const Object& target = program_.objects_[object];
  if (!check_coords(target, coords.size())) return;
  auto stored = type_store(type_of(value), axes_of(coords), target.element, target.name, *this);
  if (!stored) {
    report(stored.error().code, stored.error().message, stored.error().hint);
    return;
  }
  emit(StoreOp{object, program_.pool_.add(coords), bounds, value});
}

ObjectId Builder::memory(Object object) {
  object.kind = ObjectKind::Memory;
  if (!check_storable(object.element, object.name)) return {};
  if (!object.layout_axes.empty() && object.layout_axes.size() != object.extents.size()) {
    report(DiagCode::RankMismatch, "'" + object.name + "' has " + std::to_string(object.extents.size()) +
                                       " dimensions and a layout over " + std::to_string(object.layout_axes.size()));
    return {};
  }
  object.location = location_;
  ObjectId id = program_.objects_.push_back(std::move(object));
  emit(MemoryOp{id});
  return id;
}

void Builder::barrier(Scope scope) { emit(BarrierOp{scope}); }

void Builder::opaque(std::string symbol, std::vector<ValueId> values, std::vector<ObjectId> objects) {
  for (ValueId value : values)
    if (!value.valid()) return;
  OpaqueOp op;
  op.symbol = static_cast<std::uint32_t>(program_.opaque_symbols_.size());
  program_.opaque_symbols_.push_back(std::move(symbol));
  op.values = program_.pool_.add(values);
  op.objects = program_.pool_.add(objects);
  emit(op);
}

void Builder::stage_cut(std::string label) {
  StageCutOp op;
  if (!label.empty()) {
    op.label = static_cast<std::uint32_t>(program_.stage_labels_.size());
    program_.stage_labels_.push_back(std::move(label));
  }
  emit(op);
}

Result<Program> Builder::finish() {
  if (!diags_.empty()) return std::unexpected(std::move(diags_));
  TW_CHECK(frames_.size() == 1);
  CopyRules rules;
  rules.resolve = [&](ValueId value) { return resolve(value); };
  return copy_program(program_, rules);
}

}  // namespace tilewright::tile
