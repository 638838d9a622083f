// Loaded code with its pointers, temporaries and scratch memory in place: what is left of a run is calling it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <tilewright/errors.h>

#include "runtime/cpu/loader.h"
#include "runtime/cpu/task_pool.h"

namespace tilewright::runtime_cpu {

/// One run at a time; any number of these may share one LoadedArtifact, which must outlive them.
class BoundCall {
 public:
  /// One pointer a binding, those of temporaries ignored. OutOfMemory.
  static Result<BoundCall> make(const LoadedArtifact& code, std::span<void* const> bindings);
  BoundCall(BoundCall&&) noexcept;
  BoundCall& operator=(BoundCall&&) noexcept;
  ~BoundCall();

  void* const* table() const { return table_.data(); }
  void set_pointer(std::size_t binding, void* pointer) { table_[binding] = pointer; }
  /// Of the calling thread, for one worker.
  void* scratch() const;

  /// All launches in their order on the calling thread, in the IEEE environment.
  void run() const;
  /// The same, shared out. Each piece of a launch has scratch memory of its own, so that nothing is asked of the pool
  /// but that it runs every piece once. What the pool throws passes through; the outputs are then undefined.
  /// OutOfMemory.
  Result<void> run(const TaskPool& pool);

 private:
  struct Memory;
  BoundCall(const LoadedArtifact& code, std::unique_ptr<Memory> memory);

  std::int64_t piece_count(const artifact::Launch& launch, int workers) const;

  const LoadedArtifact* code_;
  std::unique_ptr<Memory> memory_;
  std::vector<void*> table_;
};

}  // namespace tilewright::runtime_cpu
