#include "store/disk_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "store/artifact_bytes.h"
#include "store/byte_stream.h"
#include "store/entry_listing.h"
#include "support/files.h"
#include "support/sha256.h"

namespace tilewright::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tilewright cache entry 1\n";
constexpr std::size_t kDigestBytes = 64;
constexpr std::size_t kHeaderBytes = kMagic.size() + kDigestBytes + 1;
constexpr std::uint64_t kEntryLimitBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kKeyLimitBytes = std::uint64_t{1} << 20;
/// How many entries a miss is compared with.
constexpr std::size_t kCompared = 64;
/// A writer that has not finished by then never will.
constexpr std::int64_t kAbandonedNanoseconds = std::int64_t{3600} * 1'000'000'000;

std::string reason_of(int error) { return std::generic_category().message(error); }

std::string entry_bytes(const EntryKey& key, const artifact::Artifact& artifact) {
  ByteWriter out;
  out.text(key.to_bytes());
  out.text(artifact_to_bytes(artifact));
  const std::string body = out.take();
  return std::string(kMagic) + sha256_text(body) + "\n" + body;
}

/// An entry as it was found; `damage` says why it cannot be used.
struct ReadEntry {
  std::optional<EntryKey> key;
  std::optional<artifact::Artifact> artifact;
  std::string damage;
};

ReadEntry damaged(std::string why) { return {{}, {}, std::move(why)}; }

ReadEntry decode_entry(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return damaged("it does not begin as an entry of this version");
  if (bytes.size() < kHeaderBytes || bytes[kHeaderBytes - 1] != '\n') return damaged("it ends in its first lines");
  const std::string_view body = bytes.substr(kHeaderBytes);
  if (sha256_text(body) != bytes.substr(kMagic.size(), kDigestBytes))
    return damaged("its bytes do not have their checksum");
  ByteReader in(body);
  const std::string key = in.text(), artifact = in.text();
  if (!in.complete()) return damaged("its parts do not have their lengths");
  ReadEntry entry{EntryKey::from_bytes(key), artifact_from_bytes(artifact), {}};
  if (!entry.key) return damaged("its key cannot be read");
  if (!entry.artifact) return damaged("its artifact cannot be read");
  return entry;
}

/// The key alone, believed without its checksum: for listings and explanations.
ReadEntry decode_key(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kHeaderBytes)
    return damaged("it does not begin as an entry of this version");
  ByteReader in(bytes.substr(kHeaderBytes));
  ReadEntry entry{EntryKey::from_bytes(in.text()), {}, {}};
  return entry.key ? entry : damaged("its key cannot be read");
}

/// The first bytes of a file: enough for any key.
std::string read_head(const std::string& path) {
  std::string bytes;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return bytes;
  // Most keys are short; a longer one takes a second reading.
  for (std::size_t wanted = 8192; wanted <= kKeyLimitBytes; wanted = kKeyLimitBytes) {
    bytes.resize(wanted);
    const ssize_t got = ::pread(file, bytes.data(), wanted, 0);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (bytes.size() < wanted || wanted == kKeyLimitBytes || decode_key(bytes).key) break;
  }
  ::close(file);
  return bytes;
}

Diag folder_fault(const std::string& folder, const std::string& why, std::string hint) {
  return Diag{DiagCode::CacheFolder,
              fmt::format("'{}' cannot hold compiled kernels: {}", folder, why),
              {},
              std::move(hint),
              {}};
}

/// Makes the folder for its owner alone, and those above it as usual.
Result<void> make_folder(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  std::error_code error;
  const fs::path above = path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
  if (!above.empty()) fs::create_directories(above, error);
  if (error) return failure(folder_fault(folder, error.message(), "name a folder below one that you may change"));
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failure(folder_fault(folder, reason_of(errno), "name a folder below one that you may change"));
}

Result<void> check_folder(const std::string& folder) {
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0)
    return failure(folder_fault(folder, reason_of(errno), "name a folder that you may enter"));
  if (!S_ISDIR(info.st_mode)) return failure(folder_fault(folder, "it is no folder", "name a folder"));
  if (info.st_uid != ::geteuid())
    return failure(
        folder_fault(folder, "it belongs to another user, whose code would run here", "name a folder of your own"));
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return failure(folder_fault(
        folder,
        fmt::format("its permissions {:03o} let others write to it, whose code would run here", info.st_mode & 0777U),
        fmt::format("chmod go-w '{}'", folder)));
  return {};
}

std::int64_t now_nanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

Result<DiskStore> DiskStore::open(StoreOptions options) {
  if (options.folder.empty()) return failure(folder_fault("", "the path is empty", "name a folder"));
  TW_TRY_VOID(make_folder(options.folder));
  TW_TRY_VOID(check_folder(options.folder));
  return DiskStore(std::move(options));
}

Lookup DiskStore::find(const EntryKey& key, bool explain) const {
  Lookup lookup;
  const std::string path = options_.folder + "/" + key.digest() + std::string(kEntrySuffix);
  const auto damage = [&](const std::string& why) {
    lookup.warnings.push_back(Diag{DiagCode::CacheDamaged,
                                   fmt::format("the cache entry '{}' cannot be used: {}", path, why),
                                   {},
                                   "nothing is lost: it is made anew",
                                   {}});
    lookup.miss = "the entry is damaged: " + why;
  };
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    if (explain) lookup.miss = nearest_text(key);
    return lookup;
  }
  const auto bytes = read_file(path, kEntryLimitBytes);
  if (!bytes) {
    // Another process may have made room since.
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT)
      lookup.miss = "the entry has just gone";
    else
      damage(bytes.error().front().message);
    return lookup;
  }
  ReadEntry entry = decode_entry(*bytes);
  if (!entry.damage.empty()) return damage(entry.damage), lookup;
  if (*entry.key != key) {
    damage("it holds another key: " + difference_text(key_differences(key, *entry.key)));
    return lookup;
  }
  // The time of last use. A folder that cannot be changed keeps no such time, and evicts nothing either.
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0));
  lookup.artifact = std::move(entry.artifact);
  return lookup;
}

std::string DiskStore::nearest_text(const EntryKey& key) const {
  const Listing listing = list_entries(options_.folder);
  std::optional<std::vector<FieldDifference>> nearest;
  std::size_t compared = 0;
  for (const EntryFile& file : listing.entries) {
    if (compared == kCompared) break;
    const ReadEntry entry = decode_key(read_head(options_.folder + "/" + file.name));
    if (!entry.key) continue;
    ++compared;
    auto differences = key_differences(key, *entry.key);
    if (!nearest || differences.size() < nearest->size()) nearest = std::move(differences);
  }
  if (!nearest) return "the cache is empty";
  return fmt::format("of {} {} the nearest differs: {}", compared, compared == 1 ? "entry" : "entries",
                     difference_text(*nearest));
}

Diags DiskStore::keep(const EntryKey& key, const artifact::Artifact& artifact) const {
  const std::string bytes = entry_bytes(key, artifact);
  if (bytes.size() > std::min(options_.limit_bytes, kEntryLimitBytes)) return {};
  const std::string path = options_.folder + "/" + key.digest() + std::string(kEntrySuffix);
  if (auto written = write_file_atomically(path, bytes); !written) return std::move(written.error());
  make_room();
  return {};
}

void DiskStore::make_room() const {
  const Listing listing = list_entries(options_.folder);
  std::uint64_t kept = 0;
  // A file that another process has removed already is gone all the same.
  for (const EntryFile& file : listing.entries) {
    kept += file.bytes;
    if (kept > options_.limit_bytes) ::unlink((options_.folder + "/" + file.name).c_str());
  }
  const std::int64_t now = now_nanoseconds();
  for (const EntryFile& file : listing.leftover)
    if (now - file.used_nanoseconds > kAbandonedNanoseconds) ::unlink((options_.folder + "/" + file.name).c_str());
}

Result<std::vector<EntrySummary>> DiskStore::entries(bool whole) const {
  const Listing listing = list_entries(options_.folder);
  if (listing.error != 0)
    return failure(DiagCode::FileRead, fmt::format("cannot list '{}': {}", options_.folder, reason_of(listing.error)));
  std::vector<EntrySummary> summaries;
  for (const EntryFile& file : listing.entries) {
    const std::string path = options_.folder + "/" + file.name;
    ReadEntry entry;
    if (whole) {
      const auto bytes = read_file(path, kEntryLimitBytes);
      entry = bytes ? decode_entry(*bytes) : damaged(bytes.error().front().message);
    } else {
      entry = decode_key(read_head(path));
    }
    if (entry.key && entry.key->digest() + std::string(kEntrySuffix) != file.name)
      entry = damaged("its name is not the one of its key");
    summaries.push_back(
        {file.name, file.bytes, file.used_nanoseconds / 1'000'000'000, std::move(entry.key), std::move(entry.damage)});
  }
  return summaries;
}

Result<DiskStore::Cleared> DiskStore::clear() const {
  const Listing listing = list_entries(options_.folder);
  if (listing.error != 0)
    return failure(DiagCode::FileRead, fmt::format("cannot list '{}': {}", options_.folder, reason_of(listing.error)));
  Cleared cleared;
  const auto remove = [&](const EntryFile& file) -> Result<void> {
    const std::string path = options_.folder + "/" + file.name;
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return failure(DiagCode::FileWrite, fmt::format("cannot remove '{}': {}", path, reason_of(errno)),
                   "clear a folder that you may change");
  };
  for (const EntryFile& file : listing.entries) {
    TW_TRY_VOID(remove(file));
    ++cleared.entries;
    cleared.bytes += file.bytes;
  }
  for (const EntryFile& file : listing.leftover) TW_TRY_VOID(remove(file));
  return cleared;
}

}  // namespace tilewright::store
