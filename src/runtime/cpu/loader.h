// Puts the object code of an artifact into the memory of this process.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tilewright/errors.h>

#include "artifact/artifact.h"

namespace tilewright::runtime_cpu {

using Entry = void (*)(void* const* bindings, std::int64_t task_begin, std::int64_t task_end, void* scratch);

struct LoadedLaunch {
  artifact::Launch facts;
  Entry entry = nullptr;
};

/// Executable code and what is needed to call it. Immutable: any number of threads may run it at once. Movable; the
/// code lives as long as this value.
class LoadedArtifact {
 public:
  LoadedArtifact(LoadedArtifact&&) noexcept;
  LoadedArtifact& operator=(LoadedArtifact&&) noexcept;
  ~LoadedArtifact();

  const std::vector<artifact::Binding>& bindings() const { return bindings_; }
  const std::vector<LoadedLaunch>& launches() const { return launches_; }

 private:
  struct Code;
  explicit LoadedArtifact(std::unique_ptr<Code> code);
  friend Result<LoadedArtifact> load(const artifact::Artifact& artifact);

  std::unique_ptr<Code> code_;
  std::vector<artifact::Binding> bindings_;
  std::vector<LoadedLaunch> launches_;
};

/// Premise: the artifact was made for this processor. The code may call the math functions of emit/llvm and memcpy,
/// memmove, memset; any other symbol that it needs is an error (InternalError), as is an object that does not link.
Result<LoadedArtifact> load(const artifact::Artifact& artifact);

}  // namespace tilewright::runtime_cpu
