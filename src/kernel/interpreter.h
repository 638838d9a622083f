// Runs kernel programs: the definition of the kernel IR.
//
// Tasks run one after the other in row-major order. Every access is checked against its object, and every read of an
// allocation or a temporary against what was written: an access that fails does nothing (a load gives 0) and is
// reported, once an operation; after kMaxFaults operations the run stops.
//
// The workers of a group run in lockstep: each operation is made by all workers that reach it before the next one
// begins. So a run is deterministic; that the text orders no more than that is checked: two accesses of one element by
// different workers, one of them a write, are a fault unless a fence or a ring orders them (kernel/access_order.h).
// Workers of different groups are ordered by nothing. Roles run until they wait for a ring; when all wait, that is a
// fault.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
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

/// Transfers between memory and fragments, one a fragment and subgroup. An accumulator is a fragment that reaches the c
/// of an atom, also by way of the carries of loops; every other load is of an operand. Atoms that read views are not
/// counted here.
struct FragmentCounts {
  std::uint64_t operand_loads = 0, accumulator_loads = 0, stores = 0;
  bool operator==(const FragmentCounts&) const = default;
};

/// Dynamic counts of one kernel over all its tasks.
struct Counts {
  std::uint64_t tasks = 0;
  /// Operations executed, loops and ifs included: one a worker, or one a subgroup or group for what it does together.
  std::uint64_t ops = 0;
  std::uint64_t fmas = 0;                      ///< lanes of FmaOp
  std::array<AccessCounts, 3> memory;          ///< by MemoryKind; elements of fragments and views are not among them
  std::array<FragmentCounts, 3> fragments;     ///< by MemoryKind
  std::map<std::string, std::uint64_t> atoms;  ///< by name: one each time its participants execute it
  std::uint64_t subgroup_fences = 0, group_fences = 0;  ///< one each time its participants pass it
  std::uint64_t subgroup_exchanges = 0;                 ///< reductions and shuffles, one a subgroup
  std::uint64_t async_copies = 0;                       ///< one each time it is issued

  const AccessCounts& of(MemoryKind kind) const { return memory[static_cast<std::size_t>(kind)]; }
  const FragmentCounts& fragments_of(MemoryKind kind) const { return fragments[static_cast<std::size_t>(kind)]; }
  bool operator==(const Counts&) const = default;
};

/// Runs all kernels. buffers[i] is the memory of buffer i: `count` elements for arguments (any alignment), one element
/// for scalars, ignored for temporaries. Buffers that may be read are initialised. Returns the counts of each kernel.
/// Premise: verify(program) succeeds. Errors: MemoryFault, naming kernel, task, operation, object and element;
/// AccessRace, naming both workers; ConvergenceFault (an operation that workers make together is reached by part of
/// them, or with operands that differ between them); RingFault (all roles wait, or a ring is used out of turn);
/// OutOfMemory (also for temporaries and allocations beyond 64 GiB).
/// range_length: of the intervals that kernels of ranges are run in; 0: one interval.
Result<std::vector<Counts>> interpret(const Program& program, std::span<std::byte* const> buffers,
                                      std::int64_t range_length = 0);

}  // namespace tilewright::kernel
