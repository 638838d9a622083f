// KernelCache: compiled kernels for the CPU, kept in this process and, on request, in a folder.
//
//   auto cache = tilewright::KernelCache::open({.folder = "/home/me/.cache/app"});
//   auto kernel = tilewright::compile(*program, bindings, {.cache = *cache});
//
// A cache changes what a compilation costs and never what it gives: see docs/cache.md for what its keys hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <tilewright/errors.h>

namespace tilewright {

/// What happened in a cache beside hits in memory, which are not told.
struct CacheEvent {
  enum class Kind : std::uint8_t { FolderHit, FolderMiss, Warning };
  Kind kind{};
  std::string program;  ///< its name
  std::string text;     ///< of a miss: in which fields the nearest entry differs
  Diags warnings;       ///< CacheDamaged, FileWrite; the kernel was compiled all the same
};

struct KernelCacheOptions {
  std::size_t most_kernels = 256;  ///< in memory; the least recently used go first, and live on where they are in use
  std::string folder;              ///< empty: memory alone
  std::uint64_t limit_bytes = std::uint64_t{256} << 20;  ///< of the folder
  /// Called from the threads that compile, several at once.
  std::function<void(const CacheEvent&)> observe;
};

struct KernelCacheCounts {
  std::uint64_t memory_hits = 0;
  std::uint64_t joined = 0;    ///< waited for a compilation of the same kernel in another thread
  std::uint64_t compiled = 0;  ///< compilations begun, those that were helped by the folder included
  std::uint64_t folder_hits = 0, folder_misses = 0, warnings = 0;
  std::size_t kernels = 0;  ///< in memory now
};

/// Thread-safe; a kernel that several threads ask for at once is compiled once. Data that the compiler reads from files
/// (profiles, coefficients) is taken not to change while the cache lives.
class KernelCache {
 public:
  /// CacheFolder: the folder cannot be made or entered, is not the user's own, or others may write to it.
  static Result<std::shared_ptr<KernelCache>> open(KernelCacheOptions options = {});

  KernelCacheCounts counts() const;
  /// Forgets the kernels in memory. The folder stays as it is.
  void clear_memory();

  struct Impl;
  explicit KernelCache(std::unique_ptr<Impl> impl);
  ~KernelCache();
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilewright
