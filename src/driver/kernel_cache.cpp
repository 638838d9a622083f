#include "driver/kernel_cache.h"

#include <utility>

#include <fmt/format.h>

#include "driver/compile_for.h"
#include "driver/compile_key.h"
#include "driver/version.h"
#include "kernel/printer.h"
#include "support/result.h"
#include "support/sha256.h"
#include "tile/meaning.h"

namespace tilewright {

KernelCache::KernelCache(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelCache::~KernelCache() = default;

Result<std::shared_ptr<KernelCache>> KernelCache::open(KernelCacheOptions options) {
  std::optional<store::DiskStore> folder;
  if (!options.folder.empty()) {
    TW_TRY(folder, store::DiskStore::open({options.folder, options.limit_bytes}));
  }
  return std::make_shared<KernelCache>(std::make_unique<Impl>(std::move(options), std::move(folder)));
}

KernelCacheCounts KernelCache::counts() const {
  const store::FlightCounts flights = impl_->kernels.counts();
  return {flights.hits,         flights.joined,  flights.made,         impl_->folder_hits,
          impl_->folder_misses, impl_->warnings, impl_->kernels.size()};
}

void KernelCache::clear_memory() { impl_->kernels.clear(); }

namespace driver {

namespace {

using Cache = KernelCache::Impl;

void tell(Cache& cache, CacheEvent event) {
  const bool hit = event.kind == CacheEvent::Kind::FolderHit, miss = event.kind == CacheEvent::Kind::FolderMiss;
  (hit ? cache.folder_hits : miss ? cache.folder_misses : cache.warnings) += 1;
  if (cache.options.observe) cache.options.observe(event);
}

constexpr const char* platform() {
#if defined(__APPLE__)
  return "macos";
#elif defined(__linux__)
  return "linux";
#else
  return "other";
#endif
}

void add_inputs(store::EntryKey& key, const EmitInputs& inputs) {
  const tile::Program& bound = inputs.bound;
  key.add("program", hash_text(tile::meaning_hash(bound))).add("name", bound.name());
  for (const auto& [name, value] : inputs.bindings.numbers) key.add("binding " + name, std::to_string(value));
  for (const auto& [name, type] : inputs.bindings.types) key.add("type " + name, std::string(data_type_name(type)));
  for (const auto& [object, strides] : inputs.rules.strides)
    key.add("strides " + bound.object(object).name, list_text(strides));
}

void add_options(store::EntryKey& key, const emit_llvm::EmitOptions& options) {
  // Taken apart whole: an option that is added does not compile here until it is part of the key.
  const auto& [cpu, features, opt_level, noalias, symbol_prefix] = options;
  key.add("processor", cpu).add("features", features).add("opt_level", std::to_string(opt_level));
  key.add("noalias", noalias ? "true" : "false").add("symbol_prefix", symbol_prefix);
}

}  // namespace

Result<Kernel> compile_in_cache(const Program& program, const Bindings& bindings, const CompileOptions& options) {
  return options.cache->impl().kernels.get(compile_key(program, bindings, options),
                                           [&] { return compile_for(program, bindings, options, Purpose::Run); });
}

store::EntryKey emit_key(const EmitInputs& inputs) {
  store::EntryKey key;
  key.add("tilewright", std::string(version_text()))
      .add("sources", std::string(source_digest()))
      .add("llvm", std::string(llvm_version_text()))
      .add("platform", platform());
  add_inputs(key, inputs);
  add_options(key, inputs.options);
  key.add("kernel", sha256_text(kernel::print(inputs.lowered)));
  return key;
}

Result<artifact::Artifact> emit_in_cache(const KernelCache* cache, const EmitInputs& inputs) {
  if (cache == nullptr || !cache->impl().folder) return emit_llvm::emit(inputs.lowered, inputs.options);
  Cache& impl = cache->impl();
  const std::string& name = inputs.bound.name();
  const store::EntryKey key = emit_key(inputs);
  store::Lookup lookup = impl.folder->find(key, impl.options.observe != nullptr);
  if (!lookup.warnings.empty()) tell(impl, {CacheEvent::Kind::Warning, name, {}, std::move(lookup.warnings)});
  if (lookup.artifact) {
    tell(impl, {CacheEvent::Kind::FolderHit, name, {}, {}});
    return std::move(*lookup.artifact);
  }
  tell(impl, {CacheEvent::Kind::FolderMiss, name, std::move(lookup.miss), {}});
  TW_TRY(artifact::Artifact made, emit_llvm::emit(inputs.lowered, inputs.options));
  if (Diags warnings = impl.folder->keep(key, made); !warnings.empty())
    tell(impl, {CacheEvent::Kind::Warning, name, {}, std::move(warnings)});
  return made;
}

}  // namespace driver
}  // namespace tilewright
