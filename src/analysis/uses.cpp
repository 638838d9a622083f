#include "analysis/uses.h"

#include <algorithm>

namespace tilewright::analysis {

using tile::BlockId;
using tile::IfOp;
using tile::OpId;
using tile::RegionOp;
using tile::ValueId;

namespace {

class UseCollector {
 public:
  explicit UseCollector(const tile::Program& program) : program_(program) {
    uses_.uses.resize(program.values().size());
    uses_.definitions.resize(program.values().size());
  }

  Uses run() {
    visit(program_.root(), {});
    return std::move(uses_);
  }

 private:
  void visit(BlockId id, OpId owner) {
    const tile::Block& block = program_.block(id);
    number(program_.list(block.args), DefinitionKind::RegionCarry, owner);
    for (OpId op : block.ops) visit_op(op);
    const auto yields = program_.list(block.yields);
    for (std::uint32_t j = 0; j < yields.size(); ++j) uses_.uses[yields[j]].push_back({UseKind::Yield, owner, j, id});
  }

  void visit_op(OpId op) {
    const tile::OpPayload& payload = program_.op(op).payload;
    const auto* region = std::get_if<RegionOp>(&payload);
    const auto* branch = std::get_if<IfOp>(&payload);
    // The operands of a region are its inits; those of an if follow its condition.
    const std::uint32_t first_init = region != nullptr ? 0 : branch != nullptr ? 1 : UINT32_MAX;
    std::uint32_t position = 0;
    tile::for_each_operand(program_, payload, [&](ValueId value) {
      const bool init = position >= first_init;
      uses_.uses[value].push_back(
          {init ? UseKind::Init : UseKind::Operand, op, init ? position - first_init : position, {}});
      ++position;
    });
    const DefinitionKind kind = region != nullptr   ? DefinitionKind::RegionResult
                                : branch != nullptr ? DefinitionKind::IfResult
                                                    : DefinitionKind::Op;
    number(program_.list(program_.op(op).results), kind, op);
    if (region != nullptr) visit(region->body, op);
    if (branch != nullptr) {
      visit(branch->then_block, op);
      visit(branch->else_block, op);
    }
  }

  void number(const std::vector<ValueId>& values, DefinitionKind kind, OpId op) {
    for (std::uint32_t j = 0; j < values.size(); ++j) uses_.definitions[values[j]] = {kind, op, j};
  }

  const tile::Program& program_;
  Uses uses_;
};

std::vector<ValueId> operands_of(const tile::Program& program, OpId op) {
  std::vector<ValueId> operands;
  tile::for_each_operand(program, program.op(op).payload, [&](ValueId value) { operands.push_back(value); });
  return operands;
}

}  // namespace

Uses uses(const tile::Program& program) { return UseCollector(program).run(); }

std::optional<Use> Uses::single_use(ValueId value) const {
  if (uses[value].size() != 1) return std::nullopt;
  return uses[value][0];
}

std::vector<Escape> escapes(const tile::Program& program, const Uses& uses, const std::set<OpId>& ops) {
  std::vector<Escape> found;
  for (OpId op : ops) {
    std::vector<ValueId> values = program.list(program.op(op).results);
    if (const auto* region = std::get_if<RegionOp>(&program.op(op).payload))
      for (ValueId argument : program.list(program.block(region->body).args)) values.push_back(argument);
    for (ValueId value : values)
      for (const Use& use : uses.of(value))
        if (!ops.contains(use.op)) found.push_back({value, use});
  }
  return found;
}

bool is_pure(const tile::OpPayload& payload) {
  return std::visit(
      tile::Overloaded{[](const tile::ConstantOp&) { return true; }, [](const tile::IndexValueOp&) { return true; },
                       [](const tile::UnaryOp&) { return true; }, [](const tile::BinaryOp&) { return true; },
                       [](const tile::SelectOp&) { return true; }, [](const tile::CastOp&) { return true; },
                       [](const tile::BroadcastOp&) { return true; }, [](const tile::ReindexOp&) { return true; },
                       [](const tile::GatherOp&) { return true; }, [](const tile::ReduceOp&) { return true; },
                       [](const tile::MmaOp&) { return true; }, [](const tile::LoadOp&) { return false; },
                       [](const tile::StoreOp&) { return false; }, [](const tile::MemoryOp&) { return false; },
                       [](const tile::BarrierOp&) { return false; }, [](const tile::OpaqueOp&) { return false; },
                       [](const tile::StageCutOp&) { return false; }, [](const RegionOp&) { return false; },
                       [](const IfOp&) { return false; }},
      payload);
}

PureSlice pure_uses_of(const tile::Program& program, const Uses& uses, ValueId value) {
  PureSlice slice;
  std::set<OpId> seen;
  slice.values.push_back(value);
  for (std::size_t next = 0; next < slice.values.size(); ++next)
    for (const Use& use : uses.of(slice.values[next])) {
      if (use.kind != UseKind::Operand || !is_pure(program.op(use.op).payload)) {
        slice.exits.push_back(use);
      } else if (seen.insert(use.op).second) {
        slice.ops.push_back(use.op);
        slice.values.push_back(program.list(program.op(use.op).results)[0]);
      }
    }
  return slice;
}

PureSources pure_sources_of(const tile::Program& program, const Uses& uses, ValueId value) {
  PureSources sources;
  std::set<ValueId> seen;
  struct Step {
    ValueId value;
    bool operands_done;
  };
  std::vector<Step> stack{{value, false}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const Definition& definition = uses.definitions[step.value];
    if (step.operands_done) {
      sources.ops.push_back(definition.op);
      continue;
    }
    if (!seen.insert(step.value).second) continue;
    if (definition.kind != DefinitionKind::Op || !is_pure(program.op(definition.op).payload)) {
      sources.leaves.push_back(step.value);
      continue;
    }
    stack.push_back({step.value, true});
    const auto operands = operands_of(program, definition.op);
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) stack.push_back({*operand, false});
  }
  return sources;
}

}  // namespace tilewright::analysis
