// Expressions: index expressions, literals and tiles, and how they adapt to each other.
#include <algorithm>

#include "support/number_text.h"
#include "tile/parser_internal.h"

namespace tilewright::tile {

namespace {

std::optional<IndexKind> index_kind(TokenKind op) {
  switch (op) {
    case TokenKind::Plus:
      return IndexKind::Add;
    case TokenKind::Minus:
      return IndexKind::Sub;
    case TokenKind::Star:
      return IndexKind::Mul;
    case TokenKind::Slash:
      return IndexKind::FloorDiv;
    case TokenKind::Percent:
      return IndexKind::Mod;
    case TokenKind::Amp:
      return IndexKind::BitAnd;
    case TokenKind::Caret:
      return IndexKind::BitXor;
    case TokenKind::ShiftLeft:
      return IndexKind::ShiftLeft;
    case TokenKind::ShiftRight:
      return IndexKind::ShiftRight;
    default:
      return std::nullopt;
  }
}

std::optional<BinaryKind> binary_kind(TokenKind op) {
  switch (op) {
    case TokenKind::Plus:
      return BinaryKind::Add;
    case TokenKind::Minus:
      return BinaryKind::Sub;
    case TokenKind::Star:
      return BinaryKind::Mul;
    case TokenKind::Slash:
      return BinaryKind::Div;
    case TokenKind::Percent:
      return BinaryKind::Mod;
    case TokenKind::Less:
      return BinaryKind::Lt;
    case TokenKind::LessEqual:
      return BinaryKind::Le;
    case TokenKind::Greater:
      return BinaryKind::Gt;
    case TokenKind::GreaterEqual:
      return BinaryKind::Ge;
    case TokenKind::Equal:
      return BinaryKind::Eq;
    case TokenKind::NotEqual:
      return BinaryKind::Ne;
    case TokenKind::AndAnd:
      return BinaryKind::And;
    case TokenKind::OrOr:
      return BinaryKind::Or;
    default:
      return std::nullopt;
  }
}

}  // namespace

Operand Elaborator::eval(ExprId id) {
  const Expr& expr = tree_.exprs[id];
  const Level level(*this, expr.range);
  if (!level.ok()) return ValueId{};
  return std::visit(Overloaded{
                        [&](const IntegerExpr& node) -> Operand { return builder_.index().constant(node.value); },
                        [&](const RealExpr& node) -> Operand { return RealNumber{node.value}; },
                        [&](const BoolExpr& node) -> Operand {
                          at(expr.range);
                          return made(builder_.constant(Literal::of(node.value ? 1.0 : 0.0), kBool), expr.range);
                        },
                        [&](const NameExpr& node) { return eval_name(node.name); },
                        [&](const UnaryExpr& node) { return eval_unary(node, expr.range); },
                        [&](const BinaryExpr&) { return eval_chain(id); },
                        [&](const AccessExpr& node) { return eval_access(node, expr.range, nullptr); },
                        [&](const CallExpr& node) { return eval_call(node, expr.range); },
                    },
                    expr.node);
}

Operand Elaborator::eval_name(const SyntaxName& name) {
  const Entity* entity = find(name.text);
  if (!entity) {
    unknown_name(name, "a value");
    return ValueId{};
  }
  at(name.range);
  const std::string text(name.text);
  return std::visit(Overloaded{
                        [&](const TileEntity& tile) -> Operand {
                          // Each loop around a use makes an argument of its own.
                          charge(scopes_.size() - entity->scope, name.range);
                          return builder_.read(tile.variable);
                        },
                        [&](const IndexEntity& index) -> Operand { return index.id; },
                        [&](const ObjectEntity& object) -> Operand {
                          const std::size_t rank = builder_.object_of(object.id).rank();
                          if (rank == 0) return made(builder_.load(object.id, {}), name.range);
                          report(DiagCode::NotAValue, name.range,
                                 "expected a value, found '" + text + "', which is " + describe(*entity, text),
                                 "a load names its " + std::to_string(rank) + " coordinates: " + text + "[..]");
                          return ValueId{};
                        },
                        [&](const TypeEntity&) -> Operand {
                          report(DiagCode::NotAValue, name.range,
                                 "expected a value, found '" + text + "', which is a type parameter",
                                 "a cast has its operand in parentheses: " + text + "(x)");
                          return ValueId{};
                        },
                        [&](const NumberEntity& number) -> Operand { return number.number; },
                        [&](const FailedEntity&) -> Operand { return ValueId{}; },
                    },
                    entity->what);
}

Operand Elaborator::eval_unary(const UnaryExpr& unary, TextRange range) {
  const Side operand{eval(unary.operand), tree_.exprs[unary.operand].range};
  if (failed(operand.operand)) return ValueId{};
  if (unary.op == TokenKind::Minus) {
    if (const auto* index = std::get_if<IndexId>(&operand.operand))
      return index_op(IndexKind::Sub, builder_.index().constant(0), *index, range);
    if (const auto* real = std::get_if<RealNumber>(&operand.operand)) return RealNumber{-real->value};
  }
  const ValueId value = value_of(operand);
  at(range);
  return made(builder_.unary(unary.op == TokenKind::Minus ? UnaryKind::Neg : UnaryKind::Not, value), range);
}

Operand Elaborator::eval_chain(ExprId id) {
  // a + b + c + .. nests to the left: walked down and up again without recursion.
  std::vector<ExprId> chain;
  ExprId leftmost = id;
  while (const auto* binary = std::get_if<BinaryExpr>(&tree_.exprs[leftmost].node)) {
    chain.push_back(leftmost);
    leftmost = binary->lhs;
  }
  Side left{eval(leftmost), tree_.exprs[leftmost].range};
  while (!chain.empty() && !stopped_) {
    const Expr& expr = tree_.exprs[chain.back()];
    const auto& binary = std::get<BinaryExpr>(expr.node);
    chain.pop_back();
    const Side right{eval(binary.rhs), tree_.exprs[binary.rhs].range};
    charge(1, expr.range);
    left = {eval_binary(binary.op, left, right, expr.range), expr.range};
  }
  return left.operand;
}

Operand Elaborator::eval_binary(TokenKind op, const Side& lhs, const Side& rhs, TextRange range) {
  if (failed(lhs.operand) || failed(rhs.operand)) return ValueId{};
  const auto on_index = index_kind(op);
  const auto on_tiles = binary_kind(op);
  const auto* a = std::get_if<IndexId>(&lhs.operand);
  const auto* b = std::get_if<IndexId>(&rhs.operand);
  if (a && b && on_index) return index_op(*on_index, *a, *b, range);
  if (!on_tiles) {
    const Side& tile = a ? rhs : lhs;
    report(
        DiagCode::NotAValue, tile.range,
        "expected index expressions around '" + std::string(token_kind_text(op)) + "', found " + describe(tile.operand),
        op == TokenKind::Amp ? "the logical and of tiles is &&" : "");
    return ValueId{};
  }
  if (op == TokenKind::AndAnd || op == TokenKind::OrOr) {
    if (a || b) {
      const Side& side = a ? lhs : rhs;
      report(DiagCode::TypeMismatch, side.range,
             "expected bool around '" + std::string(token_kind_text(op)) + "', found " + describe(side.operand),
             "compare it: " + shown(side.range) + " != 0");
      return ValueId{};
    }
  }
  return binary_value(*on_tiles, lhs, rhs, range);
}

// ---- Loads and elements --------------------------------------------------------------------------------------------

Operand Elaborator::eval_access(const AccessExpr& access, TextRange range, const std::vector<AxisId>* axes) {
  const Entity* entity = find(access.name.text);
  if (!entity) {
    unknown_name(access.name, "a buffer, memory or tile");
    return ValueId{};
  }
  if (const auto* object = std::get_if<ObjectEntity>(&entity->what)) return eval_load(object->id, access, range, axes);
  if (const auto* tile = std::get_if<TileEntity>(&entity->what)) {
    const VariableId variable = tile->variable;
    if (access.assume || access.fallback.valid())
      report(DiagCode::NotAValue, access.suffix,
             "expected a load before '" + std::string(map_.text(access.suffix)) + "', found an element of the tile '" +
                 std::string(access.name.text) + "'",
             "an element of a tile is never outside it; gather(x, axis, indices, fallback) has a fallback");
    at(access.name.range);
    const ValueId value = builder_.read(variable);
    std::vector<IndexId> coords = eval_coords(access.coords);
    at(range);
    return made(builder_.reindex(value, std::move(coords), axes ? std::optional(*axes) : std::nullopt), range);
  }
  if (!std::holds_alternative<FailedEntity>(entity->what))
    report(DiagCode::NotAValue, access.name.range,
           "expected a buffer, memory or tile before '[', found '" + std::string(access.name.text) + "', which is " +
               describe(*entity, access.name.text));
  return ValueId{};
}

ValueId Elaborator::eval_load(ObjectId object, const AccessExpr& access, TextRange range,
                              const std::vector<AxisId>* axes) {
  LoadOptions options;
  if (access.assume) options.bounds = BoundsPolicy::Assume;
  if (axes) options.axes = *axes;
  std::vector<IndexId> coords = eval_coords(access.coords);
  if (access.fallback.valid()) {
    const ElementType element = builder_.object_of(object).element;
    const TextRange fallback_range = tree_.exprs[access.fallback].range;
    options.fallback = eval_value(access.fallback, element);
    if (!options.fallback.valid()) return {};
    const TileType type = builder_.type_of(options.fallback);
    if (type.element != element || !type.axes.empty()) {
      report(type.element != element ? DiagCode::TypeMismatch : DiagCode::AxisMismatch, fallback_range,
             "expected " + type_name(element) + " without axes after 'else', found " + builder_.describe(type),
             type.element != element ? "write " + type_name(element) + "(" + shown(fallback_range) + ")"
                                     : "select(condition, a, b) chooses for each element");
      return {};
    }
  }
  at(range);
  return made(builder_.load(object, std::move(coords), options), range);
}

Operand Elaborator::eval_for_axes(ExprId id, const std::vector<AxisId>& axes) {
  const Expr& expr = tree_.exprs[id];
  if (const auto* access = std::get_if<AccessExpr>(&expr.node)) return eval_access(*access, expr.range, &axes);
  if (const auto* truth = std::get_if<BoolExpr>(&expr.node)) {
    at(expr.range);
    return made(builder_.constant(Literal::of(truth->value ? 1.0 : 0.0), kBool, axes), expr.range);
  }
  if (const auto* call = std::get_if<CallExpr>(&expr.node))
    if (const auto type = cast_type(*call)) return eval_cast(*type, *call, expr.range, &axes);
  const auto* name = std::get_if<NameExpr>(&expr.node);
  const auto* scalar = name ? find_as<ObjectEntity>(name->name) : nullptr;
  if (scalar && builder_.object_of(scalar->id).rank() == 0)
    return eval_load(scalar->id, AccessExpr{name->name, {}, false, {}, {}}, expr.range, &axes);
  return eval(id);
}

ValueId Elaborator::eval_shaped(ExprId id, const std::vector<AxisId>& axes, std::optional<ElementType> beside) {
  const TextRange range = tree_.exprs[id].range;
  const ValueId value = value_of({eval_for_axes(id, axes), range}, beside, &axes);
  if (!value.valid() || builder_.type_of(value).axes == axes) return value;
  at(range);
  return made(builder_.broadcast(value, axes), range);
}

ValueId Elaborator::eval_value(ExprId id, std::optional<ElementType> beside) { return value_of(eval_side(id), beside); }

// ---- Index expressions ---------------------------------------------------------------------------------------------

IndexId Elaborator::eval_index(ExprId id, std::string_view what) {
  const TextRange range = tree_.exprs[id].range;
  const Operand operand = eval(id);
  if (failed(operand)) return {};
  if (const auto* index = std::get_if<IndexId>(&operand)) {
    use_index(*index, range);
    return *index;
  }
  std::string hint;
  if (std::holds_alternative<RealNumber>(operand)) hint = "an integer has no point";
  if (std::holds_alternative<ValueId>(operand))
    hint = "a tile's elements are known only when the program runs; gather(x, axis, indices, fallback) reads by a tile";
  report(DiagCode::NotAValue, range,
         "expected " + std::string(what) + ", an index expression, found " + describe(operand), std::move(hint));
  return {};
}

std::vector<IndexId> Elaborator::eval_coords(const std::vector<ExprId>& ids) {
  std::vector<IndexId> coords;
  coords.reserve(ids.size());
  for (ExprId id : ids) coords.push_back(eval_index(id, "a coordinate"));
  return coords;
}

IndexId Elaborator::family_index(ExprId id, std::string_view what, bool coordinates_too) {
  const IndexId index = eval_index(id, what);
  if (!index.valid()) return index;
  const IndexArena& arena = builder_.index();
  std::string found;
  if (const auto axes = arena.axes(index); !axes.empty()) found = "the axis '" + builder_.axis_label(axes[0]) + "'";
  if (!coordinates_too && !arena.coords(index).empty()) found = "a coordinate";
  if (found.empty()) return index;
  report(DiagCode::NotAValue, tree_.exprs[id].range,
         "expected " + std::string(what) + " made of symbols and parameters" +
             (coordinates_too ? " and coordinates of enclosing regions" : "") + ", found " + found);
  return {};
}

std::uint32_t Elaborator::terms(IndexId id) const {
  const std::uint32_t known = id.index < index_terms_.size() ? index_terms_[id.index] : 0;
  return known == 0 ? 1 : known;
}

IndexId Elaborator::index_op(IndexKind kind, IndexId lhs, IndexId rhs, TextRange range) {
  const std::uint32_t count = terms(lhs) + terms(rhs) + 1;
  if (count > kMaxIndexTerms) {
    stop(range,
         "expected an index expression of at most " + std::to_string(kMaxIndexTerms) + " terms, found a larger one",
         {});
    return {};
  }
  const IndexId id = builder_.index().make(kind, lhs, rhs);
  if (is_index_leaf(builder_.index()[id].kind)) return id;
  if (id.index >= index_terms_.size()) index_terms_.resize(id.index + 1, 0);
  index_terms_[id.index] = count;
  return id;
}

// ---- Values --------------------------------------------------------------------------------------------------------

bool Elaborator::failed(const Operand& operand) const {
  if (const auto* value = std::get_if<ValueId>(&operand)) return !value->valid();
  if (const auto* index = std::get_if<IndexId>(&operand)) return !index->valid();
  return false;
}

std::string Elaborator::describe(const Operand& operand) const {
  return std::visit(Overloaded{
                        [&](ValueId value) {
                          return value.valid() ? builder_.describe(builder_.type_of(value)) : std::string("nothing");
                        },
                        [&](IndexId index) {
                          const auto constant = builder_.index().as_constant(index);
                          return constant ? "the integer " + std::to_string(*constant)
                                          : std::string("an index expression");
                        },
                        [&](RealNumber real) { return "the number " + format_double(real.value); },
                    },
                    operand);
}

std::optional<ElementType> Elaborator::element_beside(const Operand& other) const {
  return std::visit(Overloaded{
                        [&](ValueId value) -> std::optional<ElementType> { return builder_.type_of(value).element; },
                        [&](IndexId index) -> std::optional<ElementType> {
                          if (builder_.index().as_constant(index)) return std::nullopt;
                          return kIndex;
                        },
                        [&](RealNumber) -> std::optional<ElementType> { return kF32; },
                    },
                    other);
}

bool Elaborator::number_fits(double value, bool integral, ElementType element, TextRange range) {
  const auto fault = number_fault(value, integral, element, builder_.element_facts());
  if (fault) report(fault->code, range, fault->message, fault->hint);
  return !fault;
}

ValueId Elaborator::number(double value, bool integral, ElementType element, TextRange range,
                           std::vector<AxisId> axes) {
  if (!number_fits(value, integral, element, range)) return {};
  at(range);
  return made(builder_.constant(Literal::of(value), element, std::move(axes)), range);
}

ValueId Elaborator::value_of(const Side& side, std::optional<ElementType> beside, const std::vector<AxisId>* axes) {
  if (failed(side.operand)) return {};
  const std::vector<AxisId> wanted = axes ? *axes : std::vector<AxisId>{};
  return std::visit(
      Overloaded{
          [&](ValueId value) { return value; },
          [&](IndexId index) {
            const auto constant = builder_.index().as_constant(index);
            if (constant && beside && *beside != kIndex)
              return number(static_cast<double>(*constant), true, *beside, side.range, wanted);
            use_index(index, side.range);
            at(side.range);
            return made(builder_.index_value(index, axes ? std::optional(*axes) : std::nullopt), side.range);
          },
          [&](RealNumber real) { return number(real.value, false, beside.value_or(kF32), side.range, wanted); },
      },
      side.operand);
}

std::string Elaborator::cast_hint(ElementType a, TextRange a_range, ElementType b, TextRange b_range) const {
  // The side of the smaller type is the one to convert.
  const auto size = [](ElementType element) {
    if (element.symbolic()) return 3;
    if (element == kF32) return 4;
    return is_float(element.data) ? 2 : element == kBool ? 0 : 1;
  };
  const bool convert_a = size(a) < size(b);
  return "write " + type_name(convert_a ? b : a) + "(" + shown(convert_a ? a_range : b_range) + ")";
}

bool Elaborator::unify(const Side& a, const Side& b, std::string_view what, ValueId& x, ValueId& y) {
  if (failed(a.operand) || failed(b.operand)) return false;
  x = value_of(a, element_beside(b.operand));
  y = value_of(b, element_beside(a.operand));
  if (!x.valid() || !y.valid()) return false;
  const auto to_index = [&](ValueId& value, TextRange range) {
    at(range);
    value = made(builder_.cast(value, kIndex), range);
  };
  ElementType left = builder_.type_of(x).element;
  ElementType right = builder_.type_of(y).element;
  if (left == kI32 && right == kIndex) to_index(x, a.range);
  if (left == kIndex && right == kI32) to_index(y, b.range);
  if (!x.valid() || !y.valid()) return false;
  left = builder_.type_of(x).element;
  right = builder_.type_of(y).element;
  if (left == right) return true;
  report(DiagCode::TypeMismatch, join(a.range, b.range),
         "expected one element type on both sides of " + std::string(what) + ", found " +
             builder_.describe(builder_.type_of(x)) + " and " + builder_.describe(builder_.type_of(y)),
         cast_hint(left, a.range, right, b.range));
  return false;
}

ValueId Elaborator::binary_value(BinaryKind kind, const Side& a, const Side& b, TextRange range) {
  static constexpr std::string_view kNames[] = {"'+'",  "'-'", "'*'",  "'/'",  "'%'",  "max",  "min", "'<'",
                                                "'<='", "'>'", "'>='", "'=='", "'!='", "'&&'", "'||'"};
  ValueId x, y;
  if (!unify(a, b, kNames[static_cast<std::size_t>(kind)], x, y)) return {};
  at(range);
  return made(builder_.binary(kind, x, y), range);
}

}  // namespace tilewright::tile
