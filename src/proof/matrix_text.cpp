#include "proof/matrix_text.h"

#include <fmt/format.h>

#include "tile/printer.h"

namespace tilewright::proof {

using tile::OpId;
using tile::ValueId;

namespace {

std::string_view region_name(tile::RegionKind kind) {
  constexpr std::string_view kNames[] = {"parallel", "serial", "pipeline", "reduce"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view kind_of(const tile::OpPayload& payload) {
  return std::visit([](const auto& op) { return std::string_view(op.kName); }, payload);
}

}  // namespace

std::string value_text(const tile::Program& program, ValueId value) {
  return fmt::format("{}#{}", program.value(value).name, value.index);
}

std::string op_text(const tile::Program& program, OpId op) {
  const tile::OpPayload& payload = program.op(op).payload;
  std::string operands;
  tile::for_each_operand(program, payload, [&](ValueId operand) {
    operands += (operands.empty() ? "" : ", ") + value_text(program, operand);
  });
  return fmt::format("{}({})", kind_of(payload), operands);
}

std::string region_text(const tile::Program& program, OpId region) {
  const auto& payload = std::get<tile::RegionOp>(program.op(region).payload);
  std::string coords;
  for (tile::CoordId id : program.list(payload.coords)) {
    const tile::Coord& coord = program.coords()[id];
    coords += (coords.empty() ? "" : ", ") + coord.name + " in " + tile::print_index(program, coord.extent);
  }
  return fmt::format("{} {}", region_name(payload.kind), coords);
}

std::string axes_text(const tile::Program& program, ValueId value) {
  std::string text;
  for (tile::AxisId id : program.list(program.value(value).axes)) {
    const tile::Axis& axis = program.axes()[id];
    text += (text.empty() ? "" : ", ") + axis.label + " in " + tile::print_index(program, axis.extent);
  }
  return text.empty() ? "one element" : text;
}

std::string literal_text(tile::Literal literal) {
  if (is_positive_zero(literal)) return "+0";
  if (literal == tile::Literal::of(-0.0)) return "-0";
  return fmt::format("{} (bits {:016x})", literal.value(), literal.bits);
}

std::string place_text(const tile::Program& program, OpId op) {
  const SourcePlace place = program.place(program.op(op).location);
  std::string excerpt = place.source_line;
  excerpt.erase(0, excerpt.find_first_not_of(" \t"));
  return fmt::format("{}, line {}: {}", operation_text(program, op), place.line, excerpt);
}

std::string use_text(const tile::Program& program, const analysis::Use& use) {
  constexpr std::string_view kKinds[] = {"operand", "init", "yield"};
  return fmt::format("{} {} of {}", kKinds[static_cast<std::size_t>(use.kind)], use.position,
                     place_text(program, use.op));
}

std::optional<tile::Literal> literal_of(const tile::Program& program, ValueId value) {
  while (program.value(value).def.valid()) {
    const tile::OpPayload& payload = program.op(program.value(value).def).payload;
    if (const auto* constant = std::get_if<tile::ConstantOp>(&payload)) return constant->literal;
    const auto* broadcast = std::get_if<tile::BroadcastOp>(&payload);
    if (broadcast == nullptr) return std::nullopt;
    value = broadcast->operand;
  }
  return std::nullopt;
}

bool is_positive_zero(tile::Literal literal) { return literal.bits == 0; }

std::optional<std::string> form_fault(const tile::Program& program, const analysis::Access& access) {
  for (const analysis::AccessDimension& dimension : access.dimensions)
    if (!dimension.form && !dimension.over_axes.empty()) return analysis::to_text(program, dimension.form.error());
  return std::nullopt;
}

Refuted broken_by(std::string_view code, std::string what) { return {code, {{}, std::move(what)}}; }

}  // namespace tilewright::proof
