// What operations do to memory and to the order of accesses, without what they compute.
//
// An operation touches the objects that it names, whatever its mask, index or trip count. A scalar buffer is a value
// and no memory. Whether two buffers may share an element is for the caller to know.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

/// What an operation is to the order of accesses.
enum class EffectKind : std::uint8_t {
  Value,     ///< computes values and touches nothing
  Access,    ///< a load or store of each worker
  Fragment,  ///< a fragment that is loaded or stored, or an atom
  Exchange,  ///< a reduction or shuffle within subgroups
  Fence,
  Copy,     ///< an asynchronous copy, or a wait for some
  Ring,     ///< an action on a ring
  Control,  ///< a loop, a branch, a task loop, roles: runs its blocks
};

struct OpEffects {
  EffectKind kind{};
  std::vector<MemoryRef> reads, writes;  ///< in order, each once; buffers before allocations
  /// How many workers make it together; nothing: each by itself.
  std::optional<Participants> together;
};

/// Of the operation by itself; for Control, not of what its blocks hold.
OpEffects effects_of(const Program& program, OpId op);
/// reads and writes of the operation and of everything in its blocks. The rest as above.
OpEffects effects_within(const Program& program, OpId op);
/// reads and writes of all operations of the block and of their blocks; kind Value, together none.
OpEffects effects_of_block(const Program& program, BlockId block);

/// Private memory is seen by one worker alone.
bool is_private(const Program& program, MemoryRef memory);
/// The order of lists: buffers by id, then allocations by id.
bool memory_before(MemoryRef a, MemoryRef b);

}  // namespace tilewright::kernel
