#include "analysis/walk.h"

namespace tilewright::analysis {

using tile::BlockId;
using tile::IfOp;
using tile::OpId;
using tile::RegionKind;
using tile::RegionOp;

namespace {

class Walker {
 public:
  Walker(const tile::Program& program, const SizeRanges& sizes)
      : program_(program), ranges_(over_leaf_ranges(program, sizes)) {}

  Walk run() {
    walk_.places.resize(program_.ops().size());
    walk_.nests.resize(program_.blocks().size());
    walk_.order.reserve(program_.ops().size());
    for (OpId launch : program_.block(program_.root()).ops) {
      const auto* region = std::get_if<RegionOp>(&program_.op(launch).payload);
      TW_CHECK(region != nullptr && region->kind == RegionKind::Parallel);
      walk_.launches.push_back(launch);
    }
    visit(program_.root());
    TW_CHECK(walk_.order.size() == program_.ops().size());
    return std::move(walk_);
  }

 private:
  void visit(BlockId id) {
    const std::vector<OpId>& ops = program_.block(id).ops;
    for (std::uint32_t position = 0; position < ops.size(); ++position) {
      const OpId op = ops[position];
      if (id == program_.root()) launch_ = position;
      walk_.places[op] = {id, position, static_cast<std::uint32_t>(walk_.order.size()), launch_};
      walk_.order.push_back(op);
      if (const auto* region = std::get_if<RegionOp>(&program_.op(op).payload)) {
        enter(region->body, op, id, BlockRole::RegionBody);
        walk_.nests[region->body].regions.push_back(
            {op, region->kind, program_.list(region->coords), surely_runs(*region)});
        visit(region->body);
      } else if (const auto* branch = std::get_if<IfOp>(&program_.op(op).payload)) {
        visit_branch(*branch, op, id, true);
        visit_branch(*branch, op, id, false);
      }
    }
  }

  void visit_branch(const IfOp& branch, OpId op, BlockId outer, bool in_then) {
    const BlockId block = in_then ? branch.then_block : branch.else_block;
    enter(block, op, outer, in_then ? BlockRole::Then : BlockRole::Else);
    Nest& nest = walk_.nests[block];
    nest.branches.push_back({op, in_then, branch.condition, nest.regions.size()});
    visit(block);
  }

  void enter(BlockId block, OpId owner, BlockId outer, BlockRole role) {
    Nest nest = walk_.nests[outer];
    nest.role = role;
    nest.owner = owner;
    nest.outer = outer;
    ++nest.depth;
    walk_.nests[block] = std::move(nest);
  }

  bool surely_runs(const RegionOp& region) const {
    for (tile::CoordId id : program_.list(region.coords)) {
      const auto extent = over_range_of(program_, program_.coords()[id].extent, ranges_);
      if (!extent || extent->low < 1) return false;
    }
    return true;
  }

  const tile::Program& program_;
  LeafRanges ranges_;
  Walk walk_;
  std::uint32_t launch_ = 0;
};

}  // namespace

Walk walk(const tile::Program& program, const SizeRanges& sizes) { return Walker(program, sizes).run(); }

OpId Walk::ancestor_in(OpId op, BlockId block) const {
  const std::size_t depth = nests[block].depth;
  while (op.valid() && nest(op).depth > depth) op = nest(op).owner;
  return op.valid() && places[op].block == block ? op : OpId{};
}

bool Walk::encloses(OpId outer, OpId inner) const {
  return inner != outer && ancestor_in(inner, places[outer].block) == outer;
}

std::size_t Walk::loop_depth(OpId op) const {
  std::size_t depth = 0;
  for (const NestRegion& region : nest(op).regions) depth += region.kind != RegionKind::Parallel;
  return depth;
}

bool surely_dominates(const Walk& walk, OpId a, OpId b) {
  OpId outer = a;  // the ancestor of a beside b or one of its ancestors
  for (;;) {
    const OpId beside = walk.ancestor_in(b, walk.places[outer].block);
    if (beside.valid()) return walk.places[outer].position < walk.places[beside].position;
    const Nest& nest = walk.nest(outer);
    if (nest.role != BlockRole::RegionBody || !nest.regions.back().surely_runs) return false;
    outer = nest.owner;
  }
}

}  // namespace tilewright::analysis
