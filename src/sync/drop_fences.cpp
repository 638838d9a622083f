#include "sync/drop_fences.h"

#include <algorithm>

#include "support/check.h"

namespace tilewright::sync {

namespace {

/// f(block, position, fence) for every fence below the block.
template <class F>
void each_fence(const kernel::Program& program, kernel::BlockId block, const F& f) {
  for (kernel::OpId op : program.blocks[block].ops) {
    if (const auto* fence = std::get_if<kernel::FenceOp>(&program.ops[op].payload)) f(block, op, *fence);
    for (kernel::BlockId inner : kernel::nested_blocks(program.ops[op].payload)) each_fence(program, inner, f);
  }
}

}  // namespace

std::vector<std::uint32_t> fence_sites(const kernel::Program& program, const kernel::Kernel& kernel) {
  std::vector<std::uint32_t> sites;
  each_fence(program, kernel.body,
             [&](kernel::BlockId, kernel::OpId, const kernel::FenceOp& fence) { sites.push_back(fence.identity); });
  return sites;
}

std::vector<std::uint32_t> compiler_fence_sites(const kernel::Program& program, const kernel::Kernel& kernel) {
  std::vector<std::uint32_t> sites;
  each_fence(program, kernel.body, [&](kernel::BlockId, kernel::OpId, const kernel::FenceOp& fence) {
    if (fence.origin == kernel::FenceOrigin::Compiler) sites.push_back(fence.identity);
  });
  return sites;
}

kernel::Program without_fences(const kernel::Program& program, std::size_t kernel,
                               const std::set<std::uint32_t>& identities) {
  kernel::Program result = program;
  std::size_t dropped = 0;
  const auto drop = [&](kernel::BlockId block, kernel::OpId op, const kernel::FenceOp& fence) {
    if (!identities.contains(fence.identity)) return;
    TW_CHECK(fence.origin == kernel::FenceOrigin::Compiler);
    std::erase(result.blocks[block].ops, op);
    ++dropped;
  };
  each_fence(program, program.kernels.at(kernel).body, drop);
  TW_CHECK(dropped == identities.size());
  return kernel::canonicalized(result);
}

}  // namespace tilewright::sync
