#include "proof/statement.h"

#include "proof/matrix_text.h"
#include "proof/question_text.h"
#include "tile/printer.h"

namespace tilewright::proof {

namespace {

std::string list_text(const tile::Program& program, const std::vector<tile::IndexId>& ids) {
  std::string text;
  for (tile::IndexId id : ids) text += (text.empty() ? "" : ", ") + tile::print_index(program, id);
  return text;
}

}  // namespace

std::string domain_text(const tile::Program& program, const analysis::OverDomain& domain) {
  std::string text;
  for (const analysis::Dimension& dimension : domain.dimensions) {
    const std::string& label =
        dimension.is_coord() ? program.coords()[dimension.coord].name : program.axes()[dimension.axis].label;
    text += (text.empty() ? "" : ", ") + label + " in " + tile::print_index(program, dimension.extent);
  }
  return text.empty() ? "one point" : text;
}

std::string access_text(const tile::Program& program, const analysis::Access& access) {
  std::vector<tile::IndexId> coords;
  for (const analysis::AccessDimension& dimension : access.dimensions) coords.push_back(dimension.expr);
  return (access.is_store ? "store " : "load ") + program.object(access.object).name + "[" +
         list_text(program, coords) + "]";
}

std::string extents_text(const tile::Program& program, tile::ObjectId object) {
  const std::string text = list_text(program, program.object(object).extents);
  return text.empty() ? "1" : text;
}

std::string operation_text(const tile::Program& program, tile::OpId op) {
  const tile::OpPayload& payload = program.op(op).payload;
  std::string text = op_text(program, op);
  if (const auto* load = std::get_if<tile::LoadOp>(&payload))
    text = "load " + program.object(load->object).name + "[" + list_text(program, program.list(load->coords)) + "]";
  else if (const auto* store = std::get_if<tile::StoreOp>(&payload))
    text = "store " + program.object(store->object).name + "[" + list_text(program, program.list(store->coords)) + "]";
  else if (std::holds_alternative<tile::RegionOp>(payload))
    text = region_text(program, op);
  else if (const auto* mma = std::get_if<tile::MmaOp>(&payload); mma != nullptr && mma->relaxed)
    text.insert(text.rfind(')'), ", relaxed");
  return "op " + std::to_string(op.index) + " " + text;
}

std::string question_about(const Subject& subject, tile::OpId op, std::string_view what) {
  const analysis::Access* access = subject.accesses.of(op);
  return (access != nullptr ? access_text(subject.program, *access) : op_text(subject.program, op)) + " " +
         std::string(what);
}

Premise alias_premise(const Subject& subject) {
  const auto& promise = subject.assumptions.aliasing;
  const bool checked = promise.origin == analysis::AliasPromise::Origin::LaunchCheck;
  return {checked ? Guarantor::Launch : Guarantor::Caller, promise.premise()};
}

Certificate certificate_of(const Subject& subject, tile::OpId op) {
  return {"", subject.hash, op.index, common_premises(subject), {}};
}

}  // namespace tilewright::proof
