#include "realize/admission.h"

#include <fmt/format.h>

#include "analysis/roles.h"

namespace tilewright::realize {

using tile::OpId;

namespace {

/// Whether a group can give the space that is asked for; without an explicit group only what is left to the planner.
bool is_given(tile::MemorySpace space, bool explicit_group) {
  if (space == tile::MemorySpace::Auto) return true;
  return explicit_group && (space == tile::MemorySpace::Shared || space == tile::MemorySpace::Private);
}

std::optional<Refusal> fault_of(const tile::Program& program, OpId op, bool explicit_group) {
  const tile::OpPayload& payload = program.op(op).payload;
  if (std::holds_alternative<tile::OpaqueOp>(payload))
    return Refusal{AdmissionCodes::kOpaque, "the launch holds an opaque call"};
  if (std::holds_alternative<tile::BarrierOp>(payload) && !explicit_group)
    return Refusal{AdmissionCodes::kBarrier, "the launch holds a barrier of the author"};
  if (const auto* region = std::get_if<tile::RegionOp>(&payload);
      region != nullptr && (region->kind == tile::RegionKind::Parallel || region->scope != tile::Scope::Auto))
    return Refusal{AdmissionCodes::kNestedScope, "the launch holds a parallel region or one with a scope"};
  if (const auto* memory = std::get_if<tile::MemoryOp>(&payload);
      memory != nullptr && !is_given(program.object(memory->object).space, explicit_group))
    return Refusal{AdmissionCodes::kPlaced,
                   fmt::format("memory {} has a placement", program.object(memory->object).name)};
  for (tile::ValueId result : program.list(program.op(op).results))
    if (!is_given(program.value(result).placement, explicit_group))
      return Refusal{AdmissionCodes::kPlaced, "a tile has a placement"};
  return std::nullopt;
}

}  // namespace

OpId shared_scope(const proof::Subject& subject, std::uint32_t launch) {
  for (OpId op : subject.walk.order) {
    const auto* region = std::get_if<tile::RegionOp>(&subject.program.op(op).payload);
    if (region == nullptr || subject.walk.places[op].launch != launch) continue;
    if (region->scope == tile::Scope::Group || region->scope == tile::Scope::Subgroup ||
        region->scope == tile::Scope::Vector)
      return op;
  }
  return {};
}

AdmissionAnswer admit_cooperative(const proof::Subject& subject, std::uint32_t launch) {
  const tile::Program& program = subject.program;
  const OpId region = subject.walk.launches[launch];
  const tile::Scope scope = std::get<tile::RegionOp>(program.op(region).payload).scope;
  if (scope != tile::Scope::Auto && scope != tile::Scope::Group && scope != tile::Scope::Device)
    return {Admission::Refused, Refusal{AdmissionCodes::kExplicitScope, "the launch is bound to another scope"}};
  bool has_matrix = false;
  for (OpId op : subject.walk.order) {
    if (op == region || subject.walk.places[op].launch != launch) continue;
    if (auto fault = fault_of(program, op, scope == tile::Scope::Group)) return {Admission::Refused, std::move(fault)};
    const tile::MmaOp* mma = analysis::as_mma(program, op);
    has_matrix = has_matrix || (mma != nullptr && mma->reassociate);
  }
  if (scope == tile::Scope::Group) return {Admission::Explicit, std::nullopt};
  if (!has_matrix)
    return {Admission::Refused, Refusal{AdmissionCodes::kNoMatrix, "no mma of the launch may be reassociated"}};
  return {Admission::Automatic, std::nullopt};
}

}  // namespace tilewright::realize
