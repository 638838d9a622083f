#include "sync/check/places.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sync/check/access_walk.h"

namespace tilewright::sync {

PlaceFinder::PlaceFinder(const kernel::Program& program, const kernel::Kernel& kernel,
                         const kernel::UniformityFacts& facts)
    : program_(program), kernel_(kernel), facts_(facts), sources_(program.values.size()) {
  std::vector<kernel::OpId> regions;
  index_values(kernel.body, regions);
  for (std::size_t i = 0; i < program.blocks[kernel.body].args.size(); ++i)
    alike_[program.blocks[kernel.body].args[i]] =
        arithmetic_.symbol({{0, kernel.task_extents[i] - 1}, {}, {}, false, {}});
}

void PlaceFinder::index_values(kernel::BlockId block, std::vector<kernel::OpId>& regions) {
  const kernel::Block& body = program_.blocks[block];
  for (std::size_t i = 0; i < body.args.size(); ++i) sources_[body.args[i].index] = {{}, i, regions};
  for (kernel::OpId id : body.ops) {
    const kernel::Op& op = program_.ops[id];
    const bool repeats =
        std::holds_alternative<kernel::LoopOp>(op.payload) || std::holds_alternative<kernel::TaskLoopOp>(op.payload);
    if (repeats) regions.push_back(id);
    for (kernel::BlockId inner : kernel::nested_blocks(op.payload)) index_values(inner, regions);
    if (repeats) regions.pop_back();
    for (kernel::ValueId result : op.results) sources_[result.index] = {id, 0, regions};
  }
}

std::uint32_t PlaceFinder::subgroup_of(Owner owner) const {
  const auto workers = static_cast<Owner>(kernel_.group.workers);
  return owner < workers ? owner / static_cast<Owner>(kernel_.group.subgroup_size) : owner - workers;
}

Places PlaceFinder::places_of(const MemoryAccess& access, CommonLoops loops) {
  return AccessWalk(*this, access, loops == CommonLoops::CountedOut).run();
}

std::set<kernel::OpId> PlaceFinder::loops_that_run() {
  const MemoryAccess nowhere;
  AccessWalk walk(*this, nowhere, false);
  std::set<kernel::OpId> runs;
  std::vector<kernel::BlockId> todo{kernel_.body};
  while (!todo.empty()) {
    const kernel::Block& block = program_.blocks[todo.back()];
    todo.pop_back();
    for (kernel::OpId op : block.ops) {
      const kernel::OpPayload& payload = program_.ops[op].payload;
      if (const auto* loop = std::get_if<kernel::LoopOp>(&payload); loop != nullptr && walk.surely_runs(*loop))
        runs.insert(op);
      for (kernel::BlockId inner : kernel::nested_blocks(payload)) todo.push_back(inner);
    }
  }
  return runs;
}

}  // namespace tilewright::sync
