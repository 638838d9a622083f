// What a KernelCache does for compile(): finished kernels in memory, and emitted code in a folder.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include <tilewright/cache.h>
#include <tilewright/compile.h>

#include "artifact/artifact.h"
#include "driver/launch.h"
#include "emit/llvm/emit.h"
#include "kernel/program.h"
#include "store/disk_store.h"
#include "store/entry_key.h"
#include "store/flight_cache.h"
#include "tile/program.h"

namespace tilewright {

struct KernelCache::Impl {
  Impl(KernelCacheOptions given, std::optional<store::DiskStore> opened)
      : options(std::move(given)), folder(std::move(opened)), kernels(options.most_kernels) {}

  KernelCacheOptions options;
  std::optional<store::DiskStore> folder;
  store::FlightCache<Kernel> kernels;
  std::atomic<std::uint64_t> folder_hits = 0, folder_misses = 0, warnings = 0;
};

namespace driver {

/// compile() through the memory of options.cache. Premise: there is a cache.
Result<Kernel> compile_in_cache(const Program& program, const Bindings& bindings, const CompileOptions& options);

/// What emitted code is made of.
struct EmitInputs {
  const tile::Program& bound;
  const Bindings& bindings;  ///< defaults included
  const LaunchRules& rules;
  const kernel::Program& lowered;
  const emit_llvm::EmitOptions& options;
};

/// The kernel program and the options decide the code; the other fields say in words what a miss was about.
store::EntryKey emit_key(const EmitInputs& inputs);

/// emit_llvm::emit() through the folder of a cache; without a cache or a folder, emit_llvm::emit() itself.
Result<artifact::Artifact> emit_in_cache(const KernelCache* cache, const EmitInputs& inputs);

}  // namespace driver
}  // namespace tilewright
