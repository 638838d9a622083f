// Statements: definitions, stores, folds, regions.
#include <algorithm>

#include "tile/parser_internal.h"

namespace tilewright::tile {

void Elaborator::run_block(const SyntaxBlock& block) {
  for (StmtId id : block.statements) {
    if (stopped_) return;
    run_statement(id);
  }
}

void Elaborator::run_scoped(const SyntaxBlock& block, ScopeKind kind) {
  push(kind);
  run_block(block);
  pop();
}

void Elaborator::run_statement(StmtId id) {
  const Stmt& statement = tree_.stmts[id];
  const Level level(*this, statement.range);
  if (++statements_ > kMaxInlinedStatements)
    stop(statement.range,
         "expected at most " + std::to_string(kMaxInlinedStatements) +
             " statements once functions are written out, found more",
         "call fewer functions inside functions");
  if (!level.ok()) return;
  at(statement.range);
  std::visit([&](const auto& node) { run(node, statement.range); }, statement.node);
}

// ---- Definitions ---------------------------------------------------------------------------------------------------

void Elaborator::run(const AxisStmt& statement, TextRange) {
  for (const auto& [name, extent] : statement.axes) define_axis(name, extent);
}

void Elaborator::define_axis(const SyntaxName& name, ExprId extent) {
  const IndexId size = family_index(extent, "an extent");
  at(name.range);
  if (const Entity* first = find(name.text); first && !std::holds_alternative<FailedEntity>(first->what))
    return redefinition(name, *first);
  if (!size.valid()) {
    define(name, FailedEntity{});
    return;
  }
  const AxisId axis = builder_.axis(std::string(name.text), size);
  define(name, IndexEntity{builder_.index().axis(axis), IndexEntity::Role::Axis});
}

bool Elaborator::define_layout(const MemoryStmt& statement, Object& object) {
  const std::size_t rank = object.extents.size();
  if (statement.layout_axes.size() != rank) {
    report(DiagCode::RankMismatch, statement.name.range,
           "expected " + std::to_string(rank) + " coordinates of the layout of '" + object.name + "', found " +
               std::to_string(statement.layout_axes.size()));
    return false;
  }
  push(ScopeKind::Block);
  for (std::size_t i = 0; i < rank; ++i) {
    const SyntaxName& name = statement.layout_axes[i];
    const auto* index = find_as<IndexEntity>(name);
    if (!index || builder_.index()[index->id].kind != IndexKind::Axis) {
      define_axis(name, statement.extents[i]);
      index = find_as<IndexEntity>(name);
    }
    if (index && builder_.index()[index->id].kind == IndexKind::Axis)
      object.layout_axes.push_back(builder_.index()[index->id].axis());
  }
  object.layout = eval_index(statement.layout, "a layout");
  scopes_.pop_back();
  return object.layout.valid() && object.layout_axes.size() == rank;
}

void Elaborator::run(const MemoryStmt& statement, TextRange range) {
  Object object;
  object.kind = ObjectKind::Memory;
  object.name = std::string(statement.name.text);
  object.space = statement.space;
  auto element = element_type(statement.element);
  object.extents = family_indices(statement.extents, "an extent");
  bool ok = element && std::all_of(object.extents.begin(), object.extents.end(), [](IndexId id) { return id.valid(); });
  if (ok && statement.layout.valid()) ok = define_layout(statement, object);
  if (const Entity* first = find(statement.name.text); first && !std::holds_alternative<FailedEntity>(first->what))
    return redefinition(statement.name, *first);
  at(range);
  ObjectId id;
  if (ok) {
    object.element = *element;
    id = builder_.memory(std::move(object));
  }
  if (id.valid()) {
    define(statement.name, ObjectEntity{id});
  } else {
    define(statement.name, FailedEntity{});
  }
}

void Elaborator::run(const AssignStmt& statement, TextRange range) {
  const Entity* entity = find(statement.name.text);
  if (entity && std::holds_alternative<ObjectEntity>(entity->what) && statement.bracketed) {
    store(statement, std::get<ObjectEntity>(entity->what).id, range);
    return;
  }
  if (statement.assume)
    report(DiagCode::NotAValue, statement.name.range,
           "expected a buffer or memory before 'assume', found '" + std::string(statement.name.text) + "'",
           "assume promises that a load or store stays inside its buffer");
  if (statement.bracketed) {
    define_shaped(statement, range);
  } else {
    define_plain(statement, range);
  }
}

void Elaborator::store(const AssignStmt& statement, ObjectId object, TextRange range) {
  std::vector<ExprId> coords;
  for (const BracketItem& item : statement.items) {
    coords.push_back(item.expr);
    if (item.extent.valid())
      report(DiagCode::NotAValue, tree_.exprs[item.extent].range,
             "expected ',' or ']', found an extent: '" + std::string(statement.name.text) +
                 "' is a buffer, and a store has coordinates only",
             "define the axis before: axis m: BM");
  }
  if (statement.space != MemorySpace::Auto)
    report(DiagCode::NotAValue, statement.name.range,
           "expected a tile to place, found the buffer '" + std::string(statement.name.text) + "'",
           "buffers and memory have the place of their declaration");
  const ElementType element = builder_.object_of(object).element;
  std::vector<IndexId> indices = eval_coords(coords);
  const TextRange value_range = tree_.exprs[statement.value].range;
  const ValueId value = eval_value(statement.value, element);
  if (!value.valid()) return;
  const TileType type = builder_.type_of(value);
  if (type.element != element) {
    report(DiagCode::TypeMismatch, value_range,
           "expected " + type_name(element) + ", the element type of '" + std::string(statement.name.text) +
               "', found " + builder_.describe(type),
           "write " + type_name(element) + "(" + shown(value_range) + ")");
    return;
  }
  at(range);
  builder_.store(object, std::move(indices), value, statement.assume ? BoundsPolicy::Assume : BoundsPolicy::Zero);
}

std::optional<AxisId> Elaborator::bracket_axis(const BracketItem& item, const AssignStmt& statement) {
  const Expr& expr = tree_.exprs[item.expr];
  const std::string target(statement.name.text);
  const auto* name = std::get_if<NameExpr>(&expr.node);
  if (!name) {
    const Entity* known = find(statement.name.text);
    if (!known) {
      unknown_name(statement.name, "a buffer or memory to store to");
    } else if (!std::holds_alternative<FailedEntity>(known->what)) {
      report(DiagCode::NotAValue, expr.range, "expected an axis, found an expression: '" + target + "' is a tile",
             "a tile is defined whole, over its axes; only buffers and memory are stored to at coordinates");
    }
    return std::nullopt;
  }
  if (item.extent.valid()) define_axis(name->name, item.extent);
  const Entity* entity = find(name->name.text);
  if (!entity) {
    const std::string axis(name->name.text);
    unknown_name(name->name, "an axis", "a new axis has an extent: " + target + "[" + axis + ": N] = ..");
    return std::nullopt;
  }
  if (const auto* index = std::get_if<IndexEntity>(&entity->what))
    if (builder_.index()[index->id].kind == IndexKind::Axis) return builder_.index()[index->id].axis();
  if (!std::holds_alternative<FailedEntity>(entity->what) && !item.extent.valid())
    report(DiagCode::NotAValue, expr.range,
           "expected an axis, found '" + std::string(name->name.text) + "', which is " +
               describe(*entity, name->name.text),
           "the brackets of a tile list its axes; a new one has an extent");
  return std::nullopt;
}

std::optional<std::vector<AxisId>> Elaborator::bracket_axes(const AssignStmt& statement) {
  std::vector<AxisId> axes;
  bool ok = true;
  for (const BracketItem& item : statement.items) {
    auto axis = bracket_axis(item, statement);
    ok = ok && axis.has_value();
    if (!axis) continue;
    if (contains(axes, *axis)) {
      report(DiagCode::AxisMismatch, tree_.exprs[item.expr].range,
             "expected each axis once, found '" + builder_.axis_label(*axis) + "' twice");
      ok = false;
    }
    axes.push_back(*axis);
  }
  if (!ok) return std::nullopt;
  return axes;
}

std::optional<ElementType> Elaborator::element_of(const SyntaxName& name) {
  const auto* tile = find_as<TileEntity>(name);
  return tile ? std::optional(tile->type.element) : std::nullopt;
}

void Elaborator::define_shaped(const AssignStmt& statement, TextRange range) {
  const auto axes = bracket_axes(statement);
  ValueId value;
  if (axes) {
    value = eval_shaped(statement.value, *axes, element_of(statement.name));
  } else {
    // Faults of the right side are independent.
    eval(statement.value);
  }
  define_tile(statement, value, range);
}

bool Elaborator::replaceable(const Entity* entity) const {
  if (!entity || entity->scope != scopes_.size() - 1) return false;
  const auto* index = std::get_if<IndexEntity>(&entity->what);
  return std::holds_alternative<NumberEntity>(entity->what) || (index && index->role == IndexEntity::Role::Alias);
}

void Elaborator::define_plain(const AssignStmt& statement, TextRange range) {
  const Side side = eval_side(statement.value);
  const auto* index = std::get_if<IndexId>(&side.operand);
  const auto* real = std::get_if<RealNumber>(&side.operand);
  const auto beside = element_of(statement.name);
  Entity* entity = find(statement.name.text);
  const bool object = entity && std::holds_alternative<ObjectEntity>(entity->what);
  if ((!index && !real) || beside || object || statement.space != MemorySpace::Auto)
    return define_tile(statement, value_of(side, beside), range);
  if (replaceable(entity)) entity->what = FailedEntity{};
  if (!index) {
    define(statement.name, NumberEntity{*real});
  } else if (index->valid()) {
    define(statement.name, IndexEntity{*index, IndexEntity::Role::Alias});
  } else {
    define(statement.name, FailedEntity{});
  }
}

void Elaborator::define_tile(const AssignStmt& statement, ValueId value, TextRange range) {
  const SyntaxName& name = statement.name;
  Entity* entity = find(name.text);
  at(range);
  if (statement.space != MemorySpace::Auto) builder_.place(value, statement.space);
  if (auto* tile = entity ? std::get_if<TileEntity>(&entity->what) : nullptr) {
    charge(scopes_.size() - entity->scope, range);
    builder_.assign(tile->variable, value);
    if (value.valid() && entity->scope == scopes_.size() - 1) tile->type = builder_.type_of(value);
    return;
  }
  if (entity && std::holds_alternative<ObjectEntity>(entity->what)) {
    report(
        DiagCode::NotAValue, name.range,
        "expected a tile to define, found '" + std::string(name.text) + "', which is " + describe(*entity, name.text),
        "a store names its coordinates: " + std::string(name.text) + "[..] = ..");
    return;
  }
  if (replaceable(entity)) entity->what = FailedEntity{};
  if (entity && !std::holds_alternative<FailedEntity>(entity->what)) return redefinition(name, *entity);
  if (value.valid()) {
    const TileType type = builder_.type_of(value);
    define(name, TileEntity{builder_.declare(std::string(name.text), value), type});
  } else {
    define(name, FailedEntity{});
  }
}

// ---- Folds ---------------------------------------------------------------------------------------------------------

bool Elaborator::inside_reduce(const Entity& variable) const {
  for (std::size_t i = scopes_.size(); i-- > variable.scope + 1;)
    if (scopes_[i].kind == ScopeKind::Reduce) return true;
  return false;
}

void Elaborator::run(const FoldStmt& statement, TextRange range) {
  const SyntaxName& name = statement.name;
  Entity* entity = find(name.text);
  auto* tile = entity ? std::get_if<TileEntity>(&entity->what) : nullptr;
  if (!tile) {
    if (!entity) {
      unknown_name(name, "a tile to fold into");
    } else if (!std::holds_alternative<FailedEntity>(entity->what)) {
      const bool object = std::holds_alternative<ObjectEntity>(entity->what);
      report(
          DiagCode::NotAValue, name.range,
          "expected a tile to fold into, found '" + std::string(name.text) + "', which is " +
              describe(*entity, name.text),
          object ? "load, add and store: C[..] = C[..] + x" : "define a tile: " + std::string(name.text) + "[] = ..");
    }
    eval(statement.value);
    return;
  }
  const VariableId variable = tile->variable;
  const TileType type = tile->type;
  const bool own = entity->scope == scopes_.size() - 1;
  const TextRange value_range = tree_.exprs[statement.value].range;
  if (inside_reduce(*entity)) {
    const ValueId value = eval_value(statement.value, type.element);
    at(range);
    builder_.fold(variable, statement.kind, value);
    return;
  }
  const Operand operand = eval(statement.value);
  at(name.range);
  const Side before{builder_.read(variable), name.range};
  const BinaryKind kind = statement.kind == FoldKind::Add   ? BinaryKind::Add
                          : statement.kind == FoldKind::Max ? BinaryKind::Max
                                                            : BinaryKind::Min;
  const ValueId value = binary_value(kind, before, {operand, value_range}, range);
  at(range);
  builder_.assign(variable, value);
  if (Entity* again = find(name.text); value.valid() && own && again)
    if (auto* own_tile = std::get_if<TileEntity>(&again->what)) own_tile->type = builder_.type_of(value);
}

// ---- Regions -------------------------------------------------------------------------------------------------------

void Elaborator::run(const RegionStmt& statement, TextRange range) {
  RegionSpec spec;
  spec.kind = statement.kind;
  spec.scope = statement.scope;
  spec.order = statement.order;
  spec.window = statement.window;
  spec.interval = statement.interval;
  for (const auto& [name, extent] : statement.domains) {
    IndexId size = family_index(extent, "the extent of a domain", true);
    // The body is worth a look even then; the fault is recorded.
    if (!size.valid()) size = builder_.index().constant(1);
    spec.domains.emplace_back(std::string(name.text), size);
  }
  at(range);
  const std::vector<CoordId> coords = builder_.begin_region(std::move(spec));
  push(statement.kind == RegionKind::Reduce ? ScopeKind::Reduce : ScopeKind::Block);
  for (std::size_t i = 0; i < statement.domains.size(); ++i) {
    at(statement.domains[i].first.range);
    define(statement.domains[i].first, IndexEntity{builder_.index().coord(coords[i]), IndexEntity::Role::Coord});
  }
  run_block(statement.body);
  pop();
  at(range);
  builder_.end_region();
}

void Elaborator::run(const IfStmt& statement, TextRange range) {
  const TextRange condition_range = tree_.exprs[statement.condition].range;
  const Operand operand = eval(statement.condition);
  ValueId condition;
  if (const auto* index = std::get_if<IndexId>(&operand)) {
    report(DiagCode::TypeMismatch, condition_range, "expected a bool condition, found " + describe(*index),
           "compare it: " + shown(condition_range) + " != 0");
  } else {
    condition = value_of({operand, condition_range});
  }
  at(condition_range);
  builder_.begin_if(condition);
  run_scoped(statement.then_block, ScopeKind::Block);
  builder_.begin_else();
  run_scoped(statement.else_block, ScopeKind::Block);
  at(range);
  builder_.end_if();
}

// ---- Others --------------------------------------------------------------------------------------------------------

void Elaborator::run(const BarrierStmt& statement, TextRange) { builder_.barrier(statement.scope); }

void Elaborator::run(const StageStmt& statement, TextRange) { builder_.stage_cut(statement.label); }

void Elaborator::run(const OpaqueStmt& statement, TextRange range) {
  std::vector<Side> sides;
  std::vector<ObjectId> objects;
  for (ExprId id : statement.arguments) {
    const auto* name = std::get_if<NameExpr>(&tree_.exprs[id].node);
    if (const auto* object = name ? find_as<ObjectEntity>(name->name) : nullptr) {
      objects.push_back(object->id);
    } else {
      sides.push_back(eval_side(id));
    }
  }
  std::vector<ValueId> values;
  values.reserve(sides.size());
  for (const Side& side : sides) values.push_back(value_of(side));
  at(range);
  builder_.opaque(statement.symbol, std::move(values), std::move(objects));
}

}  // namespace tilewright::tile
