// Which values are the same for all workers of a subgroup or a group, and which operations they reach together.
//
// One-sided: Group and Subgroup are certain, Varying means "not known to be the same". Sources: constants, coordinates
// of tasks and the group ordinal are the same in the group; the number of a subgroup, reductions and exchanges with one
// lane are the same in a subgroup; the number of a worker or lane varies. What an operation computes is as uniform as
// its operands; of a value that only part of the workers compute, those that compute it are meant. A load from memory
// that workers share is as uniform as its index: nobody may write there meanwhile, which the checks of races see to. A
// worker's own memory varies. Fragments belong to a
// subgroup: their elements count as uniform in it, never in the group.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

enum class Uniformity : std::uint8_t { Group, Subgroup, Varying };

class UniformityFacts {
 public:
  /// Of a value of the kernel; inside a role, Group means the role.
  Uniformity of(ValueId value) const { return values_[value.index]; }
  /// Of the conditions under which the operations of a block run.
  Uniformity condition(BlockId block) const { return blocks_[block.index]; }

 private:
  friend UniformityFacts uniformity(const Program& program, const Kernel& kernel);
  std::vector<Uniformity> values_, blocks_;
};

/// Premise: every id that the kernel names exists; blocks and results have the forms that kernel/verifier.h asks for.
UniformityFacts uniformity(const Program& program, const Kernel& kernel);

}  // namespace tilewright::kernel
