// `threadgroup T name[N];` inside a kernel: storage that the runner owns, one for all lanes of a group.
#pragma once

#include <vector>

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"
#include "runtime/msl_emulator/front/edits.h"
#include "runtime/msl_emulator/front/kernels.h"

namespace tilewright::msl_emulator {

/// Makes each such declaration a reference (docs/emulator.md). KernelCompile: one outside a kernel, one with an
/// initialiser that is no list, one that is not understood. None is left to become an array of one lane.
Diags settle_threadgroup_variables(const Code& code, const std::vector<Declaration>& declarations,
                                   const KernelTable& kernels, Edits& edits);

}  // namespace tilewright::msl_emulator
