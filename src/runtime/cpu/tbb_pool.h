// oneTBB as a TaskPool.
#pragma once

#include <memory>

#include "runtime/cpu/task_pool.h"

namespace tilewright::runtime_cpu {

/// Any number of threads may use it at once.
class TbbPool {
 public:
  /// threads: 0, or more than there are: all processors that the process may use.
  explicit TbbPool(int threads);
  TbbPool(TbbPool&&) noexcept;
  TbbPool& operator=(TbbPool&&) noexcept;
  ~TbbPool();

  /// Valid as long as this is.
  TaskPool pool() const;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace tilewright::runtime_cpu
