// Group programs of the corpus, each with a fence behind every domain of elements and every matrix operation, and what
// tests do with them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/program.h"

namespace tilewright::sync {

struct NamedKernel {
  std::string name;
  kernel::Program program;
};

/// `text` with every "$NAME" replaced, read as a kernel program.
kernel::Program kernel_of(std::string text, const std::vector<std::pair<std::string, std::int64_t>>& numbers = {});

std::vector<NamedKernel> corpus();

/// Compiler fences of kernel 0, by identity.
std::vector<std::uint32_t> identities(const kernel::Program& program);
kernel::Program without(const kernel::Program& program, std::uint32_t identity);

/// Races that the interpreter finds on inputs of small numbers. Any other fault fails the test.
Diags races(const kernel::Program& program);
/// The memory of all buffers after a run without faults.
std::vector<std::vector<std::byte>> outcome(const kernel::Program& program);

}  // namespace tilewright::sync
