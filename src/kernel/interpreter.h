// Runs kernel programs: the definition of the kernel IR.
//
// Tasks run one after the other in row-major order. Every access is checked against its object, and every read of an
// allocation or a temporary against what was written: an access that fails does nothing (a load gives 0) and is
// reported, once an operation; after kMaxFaults operations the run stops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/program.h"

namespace tilewright::kernel {

inline constexpr std::size_t kMaxFaults = 16;

enum class MemoryKind : std::uint8_t { Buffer, Private, Shared };

/// What the loads and stores of one kind of memory did. Masked-off lanes move no bytes; an access with no active lane
/// still counts as an access.
struct AccessCounts {
  std::uint64_t loads = 0, stores = 0;
  std::uint64_t load_bytes = 0, store_bytes = 0;
  bool operator==(const AccessCounts&) const = default;
};

/// Dynamic counts of one kernel over all its tasks.
struct Counts {
  std::uint64_t tasks = 0;
  std::uint64_t ops = 0;               ///< operations executed, loops and ifs included
  std::uint64_t fmas = 0;              ///< lanes of FmaOp
  std::array<AccessCounts, 3> memory;  ///< by MemoryKind

  const AccessCounts& of(MemoryKind kind) const { return memory[static_cast<std::size_t>(kind)]; }
  bool operator==(const Counts&) const = default;
};

/// Runs all kernels. buffers[i] is the memory of buffer i: `count` elements for arguments (any alignment), one element
/// for scalars, ignored for temporaries. Buffers that may be read are initialised. Returns the counts of each kernel.
/// Premise: verify(program) succeeds. Errors: MemoryFault, naming kernel, task, operation, object and element;
/// OutOfMemory (also for temporaries and allocations beyond 64 GiB).
Result<std::vector<Counts>> interpret(const Program& program, std::span<std::byte* const> buffers);

}  // namespace tilewright::kernel
