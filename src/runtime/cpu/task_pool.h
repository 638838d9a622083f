// Threads of somebody else, as a runtime needs them.
#pragma once

#include <cstdint>

namespace tilewright::runtime_cpu {

/// Runs piece(context, i) once for each i in [0, count), on any threads and in any order, and comes back after the
/// last. Pieces do not throw.
struct TaskPool {
  using Piece = void (*)(void* context, std::int64_t index);
  void (*for_each)(void* pool, std::int64_t count, Piece piece, void* context) = nullptr;
  void* pool = nullptr;
  int workers = 1;  ///< how many pieces run at a time at best
};

}  // namespace tilewright::runtime_cpu
