#include "sync/check/places.h"

#include <algorithm>
#include <set>
#include <utility>

#include "support/check.h"
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

Places PlaceFinder::places_of(const MemoryAccess& access) {
  // First with every common loop as a symbol; where that gives no form, with those counted out that can be.
  for (const bool count_out : {false, true}) {
    Places found = AccessWalk(*this, access, count_out).run();
    if (found.known || count_out) return found;
  }
  TW_CHECK(!"two tries");
  return {};
}

}  // namespace tilewright::sync
