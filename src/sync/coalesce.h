// Drops fences of the compiler across independent effects: copy A; fence; copy B; fence; product; fence becomes
// copy A; copy B; fence; product; fence.
//
// Each block is taken as a flat sequence. At a fence, P is all that happened since the last fence that stays, and S
// what comes up to the next one; the fence goes when fence.redundant proves that nothing of P has to be ordered before
// something of S (src/proof/fence_redundant.h). Known by identity: a fence of the user stays, whatever it looks like.
// The last fence of a block stays, for the back edge or the reader outside. Nothing moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/program.h"
#include "proof/fence_redundant.h"

namespace tilewright::sync {

struct FenceVerdict {
  std::uint32_t identity = 0;
  proof::Verdict<proof::FenceRedundant> verdict;
};

/// Asks about every fence of the kernel that a trace can hold (sync/trace.h), in the order of the text; each question
/// is about the kernel without the fences that were proved redundant before.
std::vector<FenceVerdict> redundant_fences(const kernel::Program& program, std::size_t kernel);

/// The program without the fences that the tokens prove redundant, in their order. Premise, checked: each token holds
/// for this kernel without the fences of the tokens before it.
kernel::Program coalesce(const kernel::Program& program, std::size_t kernel,
                         const std::vector<proof::Proved<proof::FenceRedundant>>& tokens);

}  // namespace tilewright::sync
