// Which accesses of a kernel may meet without a fence between them: every pair on every path, with the fences that
// stand there. Part of the fence checker; where the accesses go, and who makes them, is not looked at here.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "kernel/program.h"
#include "kernel/uniformity.h"

namespace tilewright::sync {

/// A region around an access, outermost first: a loop, a task loop, or an arm of a branch.
struct Surrounding {
  kernel::OpId op;
  bool then_arm = false;  ///< of a branch
};

/// Who makes an access.
enum class AccessUnit : std::uint8_t { Worker, Subgroup, Group };

/// One access to shared or device memory.
struct MemoryAccess {
  kernel::OpId op;
  kernel::MemoryRef memory;
  bool writes = false;
  AccessUnit unit{};
  std::size_t operand = 0;  ///< of an atom: 0 for a, 1 for b
  std::vector<Surrounding> around;
};

/// What does not stand between two accesses, on some path. A later flag implies the earlier ones.
enum Gap : std::uint8_t {
  kNoGroupFence = 1,  ///< no fence of the group that orders this memory
  kNoOwnFence = 2,    ///< nor one of the subgroup
  kNoFenceAtAll = 4,
};

/// `later` runs in the same iteration of all loops around both, or, with a loop, in a later one of that loop and the
/// same of those outside it; of loops inside, in any.
struct OpenPair {
  std::uint32_t earlier = 0, later = 0;  ///< of OpenPairs::accesses
  std::uint8_t gap = 0;                  ///< has kNoGroupFence
  kernel::OpId loop;
  bool next_only = false;  ///< with a loop: the very next iteration
  bool operator==(const OpenPair&) const = default;
};

struct OpenPairs {
  std::vector<MemoryAccess> accesses;  ///< in the order of the text
  std::vector<OpenPair> pairs;         ///< of which one writes and which may concern one object
  /// An operation whose order is not followed: rings, roles, asynchronous copies.
  std::optional<kernel::OpId> not_followed;
};

/// running: loops that have an iteration whenever they are reached. distinct_buffers: two buffers never share an
/// element. A pair (a, a) stands for two workers that make one access. Premise: kernel/verifier.h accepts the program.
OpenPairs open_pairs(const kernel::Program& program, const kernel::Kernel& kernel, const kernel::UniformityFacts& facts,
                     const std::set<kernel::OpId>& running, bool distinct_buffers);

}  // namespace tilewright::sync
