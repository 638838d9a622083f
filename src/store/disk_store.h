// A folder of compiled artifacts that any number of processes may use at once.
//
// One file an entry, named by the digest of its key: a line that says what it is, the SHA-256 of all that follows, the
// key with every field, the artifact. A file gets its name only when it is whole and on the disk, and is never changed
// afterwards, so that a reader meets all of it or nothing, also when a writer is killed. Nothing is believed: whatever
// does not have its checksum, its key and its form is as good as absent, with a warning, and the next writer replaces
// it.
//
// The checksums tell damage, not malice: who can write to the folder can have any code run. The folder is therefore
// made for its owner alone, and refused when others may write to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "artifact/artifact.h"
#include "store/entry_key.h"
#include "support/result.h"

namespace tilewright::store {

inline constexpr std::uint64_t kStoreLimitBytes = std::uint64_t{256} << 20;

struct StoreOptions {
  std::string folder;                            ///< made when it does not exist, with those above it
  std::uint64_t limit_bytes = kStoreLimitBytes;  ///< of all entries; the least recently used go first
};

struct Lookup {
  std::optional<artifact::Artifact> artifact;
  std::string miss;  ///< why there is none: in which fields the nearest entry differs; only when asked for
  Diags warnings;    ///< CacheDamaged
};

/// An entry as `tilewright cache show` lists it.
struct EntrySummary {
  std::string file;  ///< the name in the folder
  std::uint64_t bytes = 0;
  std::int64_t used_seconds = 0;  ///< since the epoch: when it was last written or found
  std::optional<EntryKey> key;    ///< none: damaged
  std::string damage;
};

/// Immutable; every call may come from any thread.
class DiskStore {
 public:
  /// CacheFolder: it cannot be made or entered, is no folder, belongs to somebody else, or others may write to it.
  static Result<DiskStore> open(StoreOptions options);

  const std::string& folder() const { return options_.folder; }
  std::uint64_t limit_bytes() const { return options_.limit_bytes; }

  /// The artifact that was kept under exactly this key. `explain` costs a look at the other entries.
  Lookup find(const EntryKey& key, bool explain = false) const;

  /// Keeps an artifact, then makes room. Warnings: FileWrite. An artifact larger than the limit is not kept.
  Diags keep(const EntryKey& key, const artifact::Artifact& artifact) const;

  /// Sorted by last use, the latest first. `whole` checks all of each entry; else damage behind its key goes unseen.
  /// FileRead.
  Result<std::vector<EntrySummary>> entries(bool whole) const;

  struct Cleared {
    std::uint64_t entries = 0, bytes = 0;
  };
  /// Removes every entry and what killed writers left; other files stay. FileWrite.
  Result<Cleared> clear() const;

 private:
  explicit DiskStore(StoreOptions options) : options_(std::move(options)) {}

  std::string nearest_text(const EntryKey& key) const;
  void make_room() const;

  StoreOptions options_;
};

}  // namespace tilewright::store
