// Runs loaded code: temporaries, scratch memory, threads.
#pragma once

#include <memory>
#include <span>

#include <tilewright/errors.h>

#include "runtime/cpu/loader.h"

namespace tilewright::runtime_cpu {

struct WorkspaceParts;

/// Threads and memory that are kept from one run to the next. One run at a time may use it.
class Workspace {
 public:
  Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  WorkspaceParts& parts() { return *parts_; }

 private:
  std::unique_ptr<WorkspaceParts> parts_;
};

struct RunOptions {
  int threads = 0;                 ///< 0, or more than there are: all processors that the process may use
  Workspace* workspace = nullptr;  ///< none: one for this run only
};

/// Runs the launches in order, each to its end. `bindings` has one pointer an entry of code.bindings(), to at least
/// `count` elements, aligned or not; those of temporaries are ignored, those without elements may be null.
/// Arithmetic is that of IEEE 754 whatever the caller's floating-point environment is, which is kept.
///
/// Failures: MissingArgument (null, or too few), OutOfMemory (names the bytes). Nothing was run then.
Result<void> run(const LoadedArtifact& code, std::span<void* const> bindings, const RunOptions& options);

}  // namespace tilewright::runtime_cpu
