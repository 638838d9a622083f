#include "proof/check/program_scan.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/meaning.h"
#include "tile/printer.h"

namespace tilewright::proof::check {

using tile::OpId;
using tile::ValueId;

ProgramScan::ProgramScan(const tile::Program& program) : program_(program) {
  uses_.resize(program.values().size());
  blocks_.resize(program.ops().size());
  owners_.resize(program.blocks().size());
  scan(program.root(), {});
}

void ProgramScan::scan(tile::BlockId block, OpId owner) {
  owners_[block] = owner;
  for (OpId op : program_.block(block).ops) {
    order_.push_back(op);
    blocks_[op] = block;
    std::uint32_t position = 0;
    tile::for_each_operand(program_, program_.op(op).payload,
                           [&](ValueId value) { uses_[value].push_back({op, position++, false}); });
    if (const auto* region = as<tile::RegionOp>(op)) scan(region->body, op);
    if (const auto* branch = as<tile::IfOp>(op)) {
      if (branch->then_block.valid()) scan(branch->then_block, op);
      if (branch->else_block.valid()) scan(branch->else_block, op);
    }
  }
  std::uint32_t position = 0;
  for (ValueId value : program_.list(program_.block(block).yields)) uses_[value].push_back({owner, position++, true});
}

bool ProgramScan::inside(OpId outer, OpId op) const {
  for (OpId at = owner_of(block_of(op)); at.valid(); at = owner_of(block_of(at)))
    if (at == outer) return true;
  return false;
}

OpId ProgramScan::launch_of(OpId op) const {
  while (owner_of(block_of(op)).valid()) op = owner_of(block_of(op));
  return op;
}

int ProgramScan::branches_around(OpId op) const {
  int count = 0;
  for (OpId at = owner_of(block_of(op)); at.valid(); at = owner_of(block_of(at)))
    count += as<tile::IfOp>(at) != nullptr;
  return count;
}

std::optional<tile::Literal> ProgramScan::literal(ValueId value) const {
  if (const auto* constant = made_by<tile::ConstantOp>(value)) return constant->literal;
  const auto* spread = made_by<tile::BroadcastOp>(value);
  return spread != nullptr ? literal(spread->operand) : std::nullopt;
}

std::string ProgramScan::value_name(ValueId value) const {
  return program_.value(value).name + "#" + std::to_string(value.index);
}

std::string ProgramScan::call(OpId op) const {
  const tile::OpPayload& payload = program_.op(op).payload;
  std::string text = std::visit([](const auto& of) { return std::string(of.kName); }, payload) + "(";
  bool first = true;
  tile::for_each_operand(program_, payload, [&](ValueId value) {
    text += (first ? "" : ", ") + value_name(value);
    first = false;
  });
  return text + ")";
}

std::string ProgramScan::loop(OpId op) const {
  const auto* region = as<tile::RegionOp>(op);
  std::string text = region->kind == tile::RegionKind::Serial     ? "serial "
                     : region->kind == tile::RegionKind::Pipeline ? "pipeline "
                                                                  : "region ";
  bool first = true;
  for (tile::CoordId id : program_.list(region->coords)) {
    text += (first ? "" : ", ") + program_.coords()[id].name + " in " +
            tile::print_index(program_, program_.coords()[id].extent);
    first = false;
  }
  return text;
}

std::string ProgramScan::axis_list(ValueId value) const {
  std::string text;
  for (tile::AxisId id : program_.list(program_.value(value).axes))
    text += (text.empty() ? "" : ", ") + program_.axes()[id].label + " in " +
            tile::print_index(program_, program_.axes()[id].extent);
  return text.empty() ? "one element" : text;
}

std::string ProgramScan::touch(OpId op) const {
  const auto* load = as<tile::LoadOp>(op);
  const auto* store = as<tile::StoreOp>(op);
  std::string coords;
  for (tile::IndexId id : program_.list(load != nullptr ? load->coords : store->coords))
    coords += (coords.empty() ? "" : ", ") + tile::print_index(program_, id);
  const tile::ObjectId object = load != nullptr ? load->object : store->object;
  return fmt::format("{} {}[{}]", load != nullptr ? "load" : "store", program_.object(object).name, coords);
}

std::string ProgramScan::sizes(tile::ObjectId object) const {
  std::string text;
  for (tile::IndexId id : program_.object(object).extents)
    text += (text.empty() ? "" : ", ") + tile::print_index(program_, id);
  return text.empty() ? "1" : text;
}

std::string ProgramScan::domain(const ProgramPoints& points) const {
  std::string text;
  for (const ProgramPoints::Dimension& dimension : points.dimensions())
    text +=
        (text.empty() ? "" : ", ") +
        (dimension.coord.valid() ? program_.coords()[dimension.coord].name : program_.axes()[dimension.axis].label) +
        " in " + tile::print_index(program_, dimension.extent);
  return text.empty() ? "one point" : text;
}

std::string ProgramScan::number(tile::Literal literal) {
  if (literal.bits == 0) return "+0";
  if (literal.bits == std::uint64_t{1} << 63) return "-0";
  return fmt::format("{} (bits {:016x})", literal.value(), literal.bits);
}

bool placed_by_caller(const tile::Object& object) {
  return object.kind == tile::ObjectKind::Out || object.kind == tile::ObjectKind::InOut ||
         (object.kind == tile::ObjectKind::In && !object.extents.empty());
}

Premise alias_premise(const Assumptions& assumptions) {
  const bool at_launch = assumptions.aliasing.origin == analysis::AliasPromise::Origin::LaunchCheck;
  return {at_launch ? Guarantor::Launch : Guarantor::Caller, assumptions.aliasing.premise()};
}

std::vector<Premise> head_premises(const tile::Program& program, const Assumptions& assumptions) {
  std::vector<Premise> premises{{Guarantor::Verifier, "the program passes the verifier"}};
  std::vector<std::string> from_less;
  for (const tile::Symbol& symbol : program.symbols())
    if (symbol.default_value && *symbol.default_value < assumptions.least_size)
      from_less.push_back(fmt::format("{} at least {}", symbol.name, *symbol.default_value));
  if (!program.symbols().empty())
    premises.push_back(
        {Guarantor::Launch, fmt::format("every size is at least {}{} and at most 1099511627776", assumptions.least_size,
                                        from_less.empty() ? "" : fmt::format(" ({})", fmt::join(from_less, ", ")))});
  if (!program.requirements().empty())
    premises.push_back({Guarantor::Verifier, "the sizes meet the requirements of the program"});
  return premises;
}

Certificate ProgramScan::head(std::string_view family, std::uint32_t operation, const Assumptions& assumptions) const {
  return {std::string(family), tile::meaning_hash(program_), operation, head_premises(program_, assumptions), {}};
}

}  // namespace tilewright::proof::check
