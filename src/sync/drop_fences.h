// Takes fences of the compiler out of a kernel. Who calls it holds the proofs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "kernel/program.h"

namespace tilewright::sync {

/// Identities of the kernel's fences, those in nested blocks and roles included, in the order of the text.
std::vector<std::uint32_t> fence_sites(const kernel::Program& program, const kernel::Kernel& kernel);
/// Those of origin Compiler.
std::vector<std::uint32_t> compiler_fence_sites(const kernel::Program& program, const kernel::Kernel& kernel);

/// The program without these fences of its kernel number `kernel`, in canonical form; nothing else moves. Each is a
/// fence of that kernel with origin Compiler.
kernel::Program without_fences(const kernel::Program& program, std::size_t kernel,
                               const std::set<std::uint32_t>& identities);

}  // namespace tilewright::sync
