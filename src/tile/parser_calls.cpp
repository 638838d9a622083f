// Calls: built-in functions, casts, and functions of the text, which are written out where they are called.
#include <algorithm>
#include <utility>

#include "support/spelling.h"
#include "tile/parser_internal.h"

namespace tilewright::tile {

struct Elaborator::Builtin {
  std::string_view name;
  Operand (*call)(Elaborator&, const CallExpr&, TextRange);

  template <UnaryKind kind>
  static Operand unary(Elaborator& e, const CallExpr& call, TextRange range) {
    return e.call_unary(kind, call, range);
  }
  template <Operand (Elaborator::*member)(const CallExpr&, TextRange)>
  static Operand forward(Elaborator& e, const CallExpr& call, TextRange range) {
    return (e.*member)(call, range);
  }
  template <FoldKind kind>
  static Operand extreme(Elaborator& e, const CallExpr& call, TextRange range) {
    return e.call_extreme(kind, call, range);
  }
  static Operand sum(Elaborator& e, const CallExpr& call, TextRange range) {
    return e.call_fold(FoldKind::Add, call, range);
  }
  static const Builtin* find(std::string_view name);
  static const std::vector<Builtin>& all();
};

const std::vector<Elaborator::Builtin>& Elaborator::Builtin::all() {
  static const std::vector<Builtin> kTable = {
      {"abs", unary<UnaryKind::Abs>},
      {"broadcast", forward<&Elaborator::call_broadcast>},
      {"ceildiv", forward<&Elaborator::call_ceildiv>},
      {"cos", unary<UnaryKind::Cos>},
      {"exp", unary<UnaryKind::Exp>},
      {"floor", unary<UnaryKind::Floor>},
      {"gather", forward<&Elaborator::call_gather>},
      {"log", unary<UnaryKind::Log>},
      {"matmul", forward<&Elaborator::call_matmul>},
      {"max", extreme<FoldKind::Max>},
      {"min", extreme<FoldKind::Min>},
      {"mma", forward<&Elaborator::call_mma>},
      {"relabel", forward<&Elaborator::call_relabel>},
      {"select", forward<&Elaborator::call_select>},
      {"sin", unary<UnaryKind::Sin>},
      {"sqrt", unary<UnaryKind::Sqrt>},
      {"sum", sum},
      {"tanh", unary<UnaryKind::Tanh>},
  };
  return kTable;
}

const Elaborator::Builtin* Elaborator::Builtin::find(std::string_view name) {
  for (const Builtin& builtin : all())
    if (builtin.name == name) return &builtin;
  return nullptr;
}

std::vector<std::string_view> Elaborator::builtin_names() {
  std::vector<std::string_view> names;
  names.reserve(Builtin::all().size());
  for (const Builtin& builtin : Builtin::all()) names.push_back(builtin.name);
  return names;
}

std::optional<ElementType> Elaborator::cast_type(const CallExpr& call) {
  if (data_type_from_name(call.name.text)) {
    auto type = data_type(call.name);
    if (type) return ElementType{*type, {}};
    return std::nullopt;
  }
  const auto* type = find_as<TypeEntity>(call.name);
  return type ? std::optional(ElementType{DataType::F32, type->id}) : std::nullopt;
}

Operand Elaborator::eval_call(const CallExpr& call, TextRange range) {
  for (const SyntaxArgument& argument : call.arguments) {
    if (argument.target.text.empty() || call.name.text == "relabel") continue;
    report(DiagCode::CallArguments, argument.target.range, "expected ',' or ')', found a pair of axes",
           "m: r is an argument of relabel only");
    return ValueId{};
  }
  if (const auto type = cast_type(call)) return eval_cast(*type, call, range);
  if (data_type_from_name(call.name.text)) return ValueId{};
  if (const Builtin* builtin = Builtin::find(call.name.text)) return builtin->call(*this, call, range);
  if (auto function = functions_.find(call.name.text); function != functions_.end())
    return call_function(*function->second, call, range);
  if (const Entity* entity = find(call.name.text)) {
    if (std::holds_alternative<FailedEntity>(entity->what)) return ValueId{};
    report(DiagCode::NotAValue, call.name.range,
           "expected a function before '(', found '" + std::string(call.name.text) + "', which is " +
               describe(*entity, call.name.text),
           "coordinates stand in brackets, and a product has its '*'");
    return ValueId{};
  }
  std::vector<std::string_view> names = builtin_names();
  for (const auto& [name, function] : functions_) names.push_back(name);
  std::string hint = did_you_mean(call.name.text, names);
  if (hint.empty()) hint = "functions are defined before the program: fn name(x) { return x }";
  unknown_name(call.name, "a function", std::move(hint));
  return ValueId{};
}

ValueId Elaborator::eval_cast(ElementType to, const CallExpr& call, TextRange range, const std::vector<AxisId>* axes) {
  if (!check_count(call, range, 1, 1)) return {};
  const Side side = eval_side(call.arguments[0].value);
  const auto* index = std::get_if<IndexId>(&side.operand);
  const bool is_number = std::holds_alternative<RealNumber>(side.operand) ||
                         (index && index->valid() && builder_.index().as_constant(*index));
  if (is_number) return value_of({side.operand, range}, to, axes);
  const ValueId value = value_of(side);
  at(range);
  return made(builder_.cast(value, to), range);
}

// ---- Functions -----------------------------------------------------------------------------------------------------

Operand Elaborator::call_function(const FunctionDecl& function, const CallExpr& call, TextRange range) {
  if (!check_count(call, range, function.parameters.size(), function.parameters.size())) return ValueId{};
  for (const ActiveCall& active : calls_) {
    if (active.function != &function) continue;
    report(DiagCode::CallArguments, range,
           "expected a function that ends, found a call of '" + std::string(call.name.text) + "' inside itself",
           "functions are written out where they are called; write a loop");
    return ValueId{};
  }
  std::vector<decltype(Entity::what)> arguments;
  arguments.reserve(function.parameters.size());
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    arguments.push_back(argument(call.arguments[i].value, function.parameters[i]));
  if (stopped_) return ValueId{};
  calls_.push_back({&function, range});
  push(ScopeKind::Function);
  const std::size_t outer_base = std::exchange(base_, scopes_.size() - 1);
  for (std::size_t i = 0; i < arguments.size(); ++i) define(function.parameters[i], std::move(arguments[i]));
  run_block(function.body);
  Operand result = eval(function.result);
  pop();
  base_ = outer_base;
  calls_.pop_back();
  return result;
}

decltype(Entity::what) Elaborator::argument(ExprId id, const SyntaxName& parameter) {
  const TextRange range = tree_.exprs[id].range;
  const auto* name = std::get_if<NameExpr>(&tree_.exprs[id].node);
  if (const auto* object = name ? find_as<ObjectEntity>(name->name) : nullptr;
      object && builder_.object_of(object->id).rank() > 0)
    return *object;
  const Operand operand = eval(id);
  if (failed(operand)) return FailedEntity{};
  if (const auto* index = std::get_if<IndexId>(&operand)) return IndexEntity{*index, IndexEntity::Role::Alias};
  if (const auto* real = std::get_if<RealNumber>(&operand)) return NumberEntity{*real};
  const ValueId value = std::get<ValueId>(operand);
  at(range);
  return TileEntity{builder_.declare(std::string(parameter.text), value), builder_.type_of(value)};
}

// ---- Arguments -----------------------------------------------------------------------------------------------------

bool Elaborator::check_count(const CallExpr& call, TextRange range, std::size_t least, std::size_t most) {
  const std::size_t count = call.arguments.size();
  if (count >= least && count <= most) return true;
  std::string expected = std::to_string(least);
  if (most == kMaxListLength) {
    expected = "at least " + expected;
  } else if (most != least) {
    expected += " to " + std::to_string(most);
  }
  report(DiagCode::CallArguments, range,
         "expected " + expected + (least == 1 && most == 1 ? " argument" : " arguments") + " of " +
             std::string(call.name.text) + ", found " + std::to_string(count));
  return false;
}

bool Elaborator::is_axis_name(ExprId id) {
  const auto* name = std::get_if<NameExpr>(&tree_.exprs[id].node);
  const auto* index = name ? find_as<IndexEntity>(name->name) : nullptr;
  return index && builder_.index()[index->id].kind == IndexKind::Axis;
}

std::optional<AxisId> Elaborator::axis_argument(ExprId id) {
  const Expr& expr = tree_.exprs[id];
  const auto* name = std::get_if<NameExpr>(&expr.node);
  if (!name) {
    report(DiagCode::NotAValue, expr.range, "expected the name of an axis, found an expression");
    return std::nullopt;
  }
  const Entity* entity = find(name->name.text);
  if (!entity) {
    unknown_name(name->name, "an axis");
    return std::nullopt;
  }
  if (is_axis_name(id)) return builder_.index()[std::get<IndexEntity>(entity->what).id].axis();
  if (!std::holds_alternative<FailedEntity>(entity->what))
    report(DiagCode::NotAValue, expr.range,
           "expected an axis, found '" + std::string(name->name.text) + "', which is " +
               describe(*entity, name->name.text));
  return std::nullopt;
}

std::optional<std::vector<AxisId>> Elaborator::axis_arguments(const CallExpr& call, std::size_t first) {
  std::vector<AxisId> axes;
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    auto axis = axis_argument(call.arguments[i].value);
    if (!axis) return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

// ---- Built-in functions --------------------------------------------------------------------------------------------

Operand Elaborator::call_unary(UnaryKind kind, const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 1, 1)) return ValueId{};
  const Side side = eval_side(call.arguments[0].value);
  if (failed(side.operand)) return ValueId{};
  if (std::holds_alternative<IndexId>(side.operand) && kind != UnaryKind::Abs) {
    report(DiagCode::TypeMismatch, side.range,
           "expected a float tile in " + std::string(call.name.text) + ", found " + describe(side.operand),
           "write f32(" + shown(side.range) + ")");
    return ValueId{};
  }
  const ValueId value = value_of(side);
  at(range);
  return made(builder_.unary(kind, value), range);
}

Operand Elaborator::call_fold(FoldKind kind, const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 2, 3)) return ValueId{};
  const ValueId value = eval_value(call.arguments[0].value);
  const auto axis = axis_argument(call.arguments[1].value);
  FoldOrder order = FoldOrder::UnorderedTree;
  if (call.arguments.size() == 3) {
    const Expr& word = tree_.exprs[call.arguments[2].value];
    const auto* name = std::get_if<NameExpr>(&word.node);
    if (!name || !order_from_text(name->name.text, order)) {
      report(DiagCode::CallArguments, word.range,
             "expected unordered_tree, ordered_tree, fold_left or fold_right as third argument of " +
                 std::string(call.name.text) + ", found " +
                 (name ? "'" + std::string(name->name.text) + "'" : "an expression"));
      return ValueId{};
    }
  }
  if (!axis) return ValueId{};
  at(range);
  return made(builder_.reduce(kind, value, *axis, order), range);
}

Operand Elaborator::call_extreme(FoldKind kind, const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 2, 3)) return ValueId{};
  if (call.arguments.size() == 3) return call_fold(kind, call, range);
  const ExprId second = call.arguments[1].value;
  const Side a = eval_side(call.arguments[0].value);
  const auto* tile = std::get_if<ValueId>(&a.operand);
  if (tile && is_axis_name(second)) {
    const auto axis = axis_argument(second);
    at(range);
    return made(builder_.reduce(kind, *tile, *axis), range);
  }
  const Side b = eval_side(second);
  if (failed(a.operand) || failed(b.operand)) return ValueId{};
  const auto* x = std::get_if<IndexId>(&a.operand);
  const auto* y = std::get_if<IndexId>(&b.operand);
  if (x && y) return index_op(kind == FoldKind::Max ? IndexKind::Max : IndexKind::Min, *x, *y, range);
  return binary_value(kind == FoldKind::Max ? BinaryKind::Max : BinaryKind::Min, a, b, range);
}

Operand Elaborator::call_ceildiv(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 2, 2)) return ValueId{};
  const IndexId a = eval_index(call.arguments[0].value, "the dividend of ceildiv");
  const IndexId b = eval_index(call.arguments[1].value, "the divisor of ceildiv");
  if (!a.valid() || !b.valid()) return ValueId{};
  return index_op(IndexKind::CeilDiv, a, b, range);
}

Operand Elaborator::call_select(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 3, 3)) return ValueId{};
  const Side condition = eval_side(call.arguments[0].value);
  const Side a = eval_side(call.arguments[1].value);
  const Side b = eval_side(call.arguments[2].value);
  const ValueId chosen = value_of(condition);
  ValueId x, y;
  if (!unify(a, b, "select", x, y)) return ValueId{};
  at(range);
  return made(builder_.select(chosen, x, y), range);
}

bool Elaborator::read_mma_word(ExprId id, bool& ordered, bool& relaxed) {
  const Expr& word = tree_.exprs[id];
  const auto* name = std::get_if<NameExpr>(&word.node);
  const std::string_view text = name ? name->name.text : std::string_view();
  if (text == "ordered" || text == "relaxed") {
    bool& said = text == "ordered" ? ordered : relaxed;
    if (said)
      report(DiagCode::CallArguments, word.range,
             "expected each word of mma once, found '" + std::string(text) + "' twice", "leave the second one out");
    return !std::exchange(said, true);
  }
  report(DiagCode::CallArguments, word.range,
         "expected 'ordered' or 'relaxed' after the accumulator of mma, found " + shown(word.range, "an expression"),
         "mma(a, b, c, ordered) forbids another order of the sum, mma(a, b, c, relaxed) permits f32 operands to be "
         "rounded to " +
             std::to_string(kRelaxedMantissaBits) + " bits of mantissa");
  return false;
}

Operand Elaborator::call_mma(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 3, 5)) return ValueId{};
  bool ordered = false, relaxed = false;
  for (std::size_t i = 3; i < call.arguments.size(); ++i)
    if (!read_mma_word(call.arguments[i].value, ordered, relaxed)) return ValueId{};
  const Side sides[] = {eval_side(call.arguments[0].value), eval_side(call.arguments[1].value),
                        eval_side(call.arguments[2].value)};
  const ValueId a = value_of(sides[0]);
  const ValueId b = value_of(sides[1]);
  const ValueId c = value_of(sides[2]);
  at(range);
  return made(builder_.mma(a, b, c, !ordered, relaxed), range);
}

Operand Elaborator::call_matmul(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 3, kMaxListLength)) return ValueId{};
  const Side sides[] = {eval_side(call.arguments[0].value), eval_side(call.arguments[1].value)};
  const ValueId a = value_of(sides[0]);
  const ValueId b = value_of(sides[1]);
  const auto axes = axis_arguments(call, 2);
  if (!a.valid() || !b.valid() || !axes) return ValueId{};
  const bool integers = builder_.type_of(a).element == kI32 && builder_.type_of(b).element == kI32;
  at(range);
  const ValueId zeros = made(builder_.constant(Literal::of(0.0), integers ? kI32 : kF32, *axes), range);
  return made(builder_.mma(a, b, zeros), range);
}

Operand Elaborator::call_gather(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 4, 4)) return ValueId{};
  const Side sides[] = {eval_side(call.arguments[0].value), eval_side(call.arguments[2].value),
                        eval_side(call.arguments[3].value)};
  const auto axis = axis_argument(call.arguments[1].value);
  const ValueId x = value_of(sides[0]);
  const ValueId indices = value_of(sides[1]);
  std::optional<ElementType> element;
  if (x.valid()) element = builder_.type_of(x).element;
  const ValueId fallback = value_of(sides[2], element);
  if (!axis) return ValueId{};
  at(range);
  return made(builder_.gather(x, *axis, indices, fallback), range);
}

Operand Elaborator::call_relabel(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 2, kMaxListLength)) return ValueId{};
  const ValueId x = eval_value(call.arguments[0].value);
  std::map<AxisId, AxisId> targets;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const SyntaxArgument& argument = call.arguments[i];
    if (argument.target.text.empty()) {
      report(DiagCode::CallArguments, tree_.exprs[argument.value].range,
             "expected a pair of axes m: r, found " + shown(tree_.exprs[argument.value].range, "an expression"));
      return ValueId{};
    }
    const auto from = axis_argument(argument.value);
    const Entity* to = find(argument.target.text);
    if (!to)
      unknown_name(argument.target, "an axis", "define it before: axis " + std::string(argument.target.text) + ": N");
    const auto* index = to ? std::get_if<IndexEntity>(&to->what) : nullptr;
    const bool is_axis = index && builder_.index()[index->id].kind == IndexKind::Axis;
    if (to && !is_axis && !std::holds_alternative<FailedEntity>(to->what))
      report(DiagCode::NotAValue, argument.target.range,
             "expected an axis, found '" + std::string(argument.target.text) + "', which is " +
                 describe(*to, argument.target.text));
    if (!from || !is_axis) return ValueId{};
    if (x.valid() && !contains(builder_.type_of(x).axes, *from)) {
      report(DiagCode::AxisMismatch, tree_.exprs[argument.value].range,
             "expected an axis of " + builder_.describe(builder_.type_of(x)) + ", found '" +
                 builder_.axis_label(*from) + "'");
      return ValueId{};
    }
    targets[*from] = builder_.index()[index->id].axis();
  }
  if (!x.valid()) return ValueId{};
  std::vector<IndexId> coords;
  for (AxisId axis : builder_.type_of(x).axes)
    coords.push_back(builder_.index().axis(targets.contains(axis) ? targets[axis] : axis));
  at(range);
  return made(builder_.reindex(x, std::move(coords)), range);
}

Operand Elaborator::call_broadcast(const CallExpr& call, TextRange range) {
  if (!check_count(call, range, 1, kMaxListLength)) return ValueId{};
  const ValueId x = eval_value(call.arguments[0].value);
  const auto axes = axis_arguments(call, 1);
  if (!axes) return ValueId{};
  at(range);
  return made(builder_.broadcast(x, *axes), range);
}

}  // namespace tilewright::tile
