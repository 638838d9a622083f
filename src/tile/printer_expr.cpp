// Expressions of the printed text: numbers, index expressions and the operations on tiles.
#include <cmath>

#include "support/number_text.h"
#include "tile/printer.h"
#include "tile/printer_internal.h"
#include "tile/syntax.h"

namespace tilewright::tile {

namespace printing {

std::string within(const Text& text, Level least) { return text.level >= least ? text.text : "(" + text.text + ")"; }

std::string comma_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

std::string element_text(const Program& program, ElementType type) {
  if (type.symbolic()) return program.type_params()[type.param].name;
  return std::string(data_type_name(type.data));
}

// ---- Numbers -------------------------------------------------------------------------------------------------------

namespace {

/// A type parameter that may stand for an integer type takes no number with a point.
bool written_as_integer(const Program& program, double value, ElementType type) {
  if (std::trunc(value) != value || std::abs(value) >= 0x1p63 || (value == 0 && std::signbit(value))) return false;
  if (!type.symbolic()) return !is_float(type.data);
  const TypeParam& param = program.type_params()[type.param];
  bool floats = is_float(param.default_type);
  for (DataType choice : param.choices) floats = floats && is_float(choice);
  return !floats;
}

}  // namespace

Text number_text(const Program& program, Literal literal, ElementType type) {
  const double value = literal.value();
  if (type == kBool) return {value != 0.0 ? "true" : "false", Level::Primary};
  const bool integer = written_as_integer(program, value, type);
  std::string text = integer ? std::to_string(static_cast<std::int64_t>(value)) : format_double(value);
  const Level level = text[0] == '-' ? Level::Unary : Level::Primary;
  return {std::move(text), level};
}

Text typed_number_text(const Program& program, Literal literal, ElementType type) {
  Text number = number_text(program, literal, type);
  if (type == kBool) return number;
  return {element_text(program, type) + "(" + number.text + ")", Level::Primary};
}

// ---- Index expressions ---------------------------------------------------------------------------------------------

namespace {

struct IndexSyntax {
  Level level;
  std::string_view sign;  ///< between the operands; empty for calls
  std::string_view call;
};

IndexSyntax index_syntax(IndexKind kind) {
  switch (kind) {
    case IndexKind::Add:
      return {Level::Sum, " + ", {}};
    case IndexKind::Sub:
      return {Level::Sum, " - ", {}};
    case IndexKind::Mul:
      return {Level::Product, "*", {}};
    case IndexKind::FloorDiv:
      return {Level::Product, "/", {}};
    case IndexKind::Mod:
      return {Level::Product, "%", {}};
    case IndexKind::BitAnd:
      return {Level::Bits, " & ", {}};
    case IndexKind::BitXor:
      return {Level::Bits, " ^ ", {}};
    case IndexKind::ShiftLeft:
      return {Level::Shift, " << ", {}};
    case IndexKind::ShiftRight:
      return {Level::Shift, " >> ", {}};
    case IndexKind::CeilDiv:
      return {Level::Primary, {}, "ceildiv"};
    case IndexKind::Min:
      return {Level::Primary, {}, "min"};
    case IndexKind::Max:
      return {Level::Primary, {}, "max"};
    case IndexKind::Constant:
    case IndexKind::Symbol:
    case IndexKind::Param:
    case IndexKind::Coord:
    case IndexKind::Axis:
      break;
  }
  TW_CHECK(!"leaf kinds are not operations");
  return {Level::Primary, {}, {}};
}

Level above(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

}  // namespace

Text index_text(const IndexArena& arena, IndexId id, const LeafName& leaf) {
  const IndexNode& node = arena[id];
  if (node.kind == IndexKind::Constant)
    return {std::to_string(node.value), node.value < 0 ? Level::Unary : Level::Primary};
  if (is_index_leaf(node.kind)) return {leaf(node), Level::Primary};
  const Text lhs = index_text(arena, node.lhs, leaf);
  const Text rhs = index_text(arena, node.rhs, leaf);
  const IndexSyntax syntax = index_syntax(node.kind);
  if (!syntax.call.empty()) return {std::string(syntax.call) + "(" + lhs.text + ", " + rhs.text + ")", Level::Primary};
  return {within(lhs, syntax.level) + std::string(syntax.sign) + within(rhs, above(syntax.level)), syntax.level};
}

// ---- Operations ----------------------------------------------------------------------------------------------------

namespace {

std::string_view unary_call(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::Neg:
      return {};
    case UnaryKind::Not:
      return {};
    case UnaryKind::Abs:
      return "abs";
    case UnaryKind::Exp:
      return "exp";
    case UnaryKind::Log:
      return "log";
    case UnaryKind::Sqrt:
      return "sqrt";
    case UnaryKind::Tanh:
      return "tanh";
    case UnaryKind::Sin:
      return "sin";
    case UnaryKind::Cos:
      return "cos";
    case UnaryKind::Floor:
      return "floor";
  }
  return {};
}

struct BinarySyntax {
  Level level;  ///< of the whole
  Level left, right;
  std::string_view sign;
};

BinarySyntax binary_syntax(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::Add:
      return {Level::Sum, Level::Sum, Level::Product, " + "};
    case BinaryKind::Sub:
      return {Level::Sum, Level::Sum, Level::Product, " - "};
    case BinaryKind::Mul:
      return {Level::Product, Level::Product, Level::Unary, " * "};
    case BinaryKind::Div:
      return {Level::Product, Level::Product, Level::Unary, " / "};
    case BinaryKind::Mod:
      return {Level::Product, Level::Product, Level::Unary, " % "};
    case BinaryKind::Max:
      return {Level::Primary, Level::Or, Level::Or, "max"};
    case BinaryKind::Min:
      return {Level::Primary, Level::Or, Level::Or, "min"};
    case BinaryKind::Lt:
      return {Level::Compare, Level::Bits, Level::Bits, " < "};
    case BinaryKind::Le:
      return {Level::Compare, Level::Bits, Level::Bits, " <= "};
    case BinaryKind::Gt:
      return {Level::Compare, Level::Bits, Level::Bits, " > "};
    case BinaryKind::Ge:
      return {Level::Compare, Level::Bits, Level::Bits, " >= "};
    case BinaryKind::Eq:
      return {Level::Compare, Level::Bits, Level::Bits, " == "};
    case BinaryKind::Ne:
      return {Level::Compare, Level::Bits, Level::Bits, " != "};
    case BinaryKind::And:
      return {Level::And, Level::And, Level::Compare, " && "};
    case BinaryKind::Or:
      return {Level::Or, Level::Or, Level::And, " || "};
  }
  return {Level::Primary, Level::Or, Level::Or, "?"};
}

std::string_view fold_call(FoldKind kind) {
  switch (kind) {
    case FoldKind::Add:
      return "sum";
    case FoldKind::Max:
      return "max";
    case FoldKind::Min:
      return "min";
  }
  return {};
}

std::string call(std::string_view name, const std::vector<std::string>& arguments) {
  return std::string(name) + "(" + comma_list(arguments) + ")";
}

}  // namespace

std::string OperationText::coords(IdList<IndexId> list) const {
  std::vector<std::string> texts;
  for (IndexId coord : program_.list(list)) texts.push_back(index(coord).text);
  return "[" + comma_list(texts) + "]";
}

Text OperationText::unary(UnaryKind kind, const Text& operand) const {
  if (kind == UnaryKind::Neg) return {"-" + within(operand, Level::Primary), Level::Unary};
  if (kind == UnaryKind::Not) return {"!" + within(operand, Level::Primary), Level::Unary};
  return {call(unary_call(kind), {operand.text}), Level::Primary};
}

Text OperationText::binary(BinaryKind kind, const Text& lhs, const Text& rhs) const {
  const BinarySyntax syntax = binary_syntax(kind);
  if (kind == BinaryKind::Max || kind == BinaryKind::Min)
    return {call(syntax.sign, {lhs.text, rhs.text}), Level::Primary};
  return {within(lhs, syntax.left) + std::string(syntax.sign) + within(rhs, syntax.right), syntax.level};
}

Text OperationText::load(const LoadOp& op, const std::vector<Text>& operands) const {
  const Object& object = program_.object(op.object);
  if (object.kind == ObjectKind::In && object.rank() == 0 && op.bounds == BoundsPolicy::Zero && !op.fallback.valid())
    return {object_(op.object), Level::Primary};
  Text text{object_(op.object) + coords(op.coords), Level::Primary};
  if (op.bounds == BoundsPolicy::Assume) text.text += " assume";
  if (op.fallback.valid()) text.text += " else " + within(operands[0], Level::Unary);
  // A word behind the brackets reads better in parentheses of its own.
  if (op.bounds == BoundsPolicy::Assume || op.fallback.valid()) text.level = Level::Or;
  return text;
}

Text OperationText::reduce(const ReduceOp& op, const Text& operand) const {
  std::vector<std::string> arguments{operand.text, axis_(op.axis)};
  if (op.order != FoldOrder::UnorderedTree) arguments.emplace_back(order_text(op.order));
  return {call(fold_call(op.kind), arguments), Level::Primary};
}

Text OperationText::operator()(const Op& op, const std::vector<Text>& operands) const {
  const auto plain = [&](std::size_t i) { return operands[i].text; };
  const auto result = [&] { return program_.value(program_.list(op.results)[0]); };
  return std::visit(
      Overloaded{
          [&](const UnaryOp& o) { return unary(o.kind, operands[0]); },
          [&](const BinaryOp& o) { return binary(o.kind, operands[0], operands[1]); },
          [&](const SelectOp&) { return Text{call("select", {plain(0), plain(1), plain(2)})}; },
          [&](const CastOp&) { return Text{call(element_text(program_, result().element), {plain(0)})}; },
          [&](const BroadcastOp&) {
            std::vector<std::string> arguments{plain(0)};
            for (AxisId axis : program_.list(result().axes)) arguments.push_back(axis_(axis));
            return Text{call("broadcast", arguments)};
          },
          [&](const ReindexOp& o) { return Text{plain(0) + coords(o.coords)}; },
          [&](const GatherOp& o) { return Text{call("gather", {plain(0), axis_(o.axis), plain(1), plain(2)})}; },
          [&](const ReduceOp& o) { return reduce(o, operands[0]); },
          [&](const MmaOp& o) {
            std::vector<std::string> arguments{plain(0), plain(1), plain(2)};
            if (!o.reassociate) arguments.emplace_back("ordered");
            if (o.relaxed) arguments.emplace_back("relaxed");
            return Text{call("mma", arguments)};
          },
          [&](const LoadOp& o) { return load(o, operands); },
          [](const auto&) {
            TW_CHECK(!"the operation has no expression of its own");
            return Text{};
          },
      },
      op.payload);
}

std::string_view default_label(const Op& op) {
  return std::visit(Overloaded{
                        [](const ConstantOp&) { return "c"; },
                        [](const IndexValueOp&) { return "pos"; },
                        [](const SelectOp&) { return "pick"; },
                        [](const ReduceOp&) { return "folded"; },
                        [](const MmaOp&) { return "acc"; },
                        [](const LoadOp&) { return "x"; },
                        [](const RegionOp&) { return "r"; },
                        [](const IfOp&) { return "r"; },
                        [](const auto&) { return "t"; },
                    },
                    op.payload);
}

}  // namespace printing

std::string print_index(const Program& program, IndexId id) {
  const printing::LeafName leaf = [&](const IndexNode& node) -> std::string {
    switch (node.kind) {
      case IndexKind::Symbol:
        return program.symbols()[node.symbol()].name;
      case IndexKind::Param:
        return program.params()[node.param()].name;
      case IndexKind::Coord:
        return program.coords()[node.coord()].name;
      case IndexKind::Axis:
        return program.axes()[node.axis()].label;
      default:
        return "?";
    }
  };
  return printing::index_text(program.index(), id, leaf).text;
}

}  // namespace tilewright::tile
