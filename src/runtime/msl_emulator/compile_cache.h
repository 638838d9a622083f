// Compiled kernels on disk.
//
// Two levels. A request has an entry: what was read, which kernels it has, and its object. An object is named by the
// rewritten text and all that makes code of it, so requests that lead to the same text share it. What was damaged is as
// good as absent. Objects and entries are removed, the longest unused first, when the folder grows over a limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "support/hash.h"

namespace tilewright::msl_emulator {

/// What else decides the outcome: programs and their arguments, processor, shim. 0.3 ms for a shim of 60 files.
Hash128 toolchain_fingerprint(const Toolchain& toolchain);
/// Everything in the request but the content of included files.
Hash128 request_key(const std::string& text, const CompileRequest& request, const Hash128& fingerprint);
Hash128 object_key(const std::string& rewritten, Dialect dialect, bool checks, const Hash128& fingerprint);

class CompileCache {
 public:
  static constexpr std::uint64_t kLimitBytes = std::uint64_t{1} << 30;

  /// An empty folder: a cache that holds nothing.
  explicit CompileCache(std::string folder, std::uint64_t limit_bytes = kLimitBytes)
      : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

  bool enabled() const { return !folder_.empty(); }
  /// The library as it was stored, its object present and whole, the files it read unchanged.
  std::optional<CompiledLibrary> find(const Hash128& request) const;
  /// The path of a whole object.
  std::optional<std::string> find_object(const Hash128& object) const;
  /// Moves an object into the folder: its new path, or nothing when that fails.
  std::optional<std::string> keep_object(const Hash128& object, const std::string& from) const;
  /// `files`: canonical paths of what was read beside the text and the shim. `folders`: those in which includes are
  /// looked up; a file that appears where a lookup found none makes the entry stale.
  void keep(const Hash128& request, const Hash128& object, const CompiledLibrary& library,
            const std::vector<std::string>& files, const std::vector<std::string>& folders) const;
  /// Removes what was not used for longest until the rest is within the limit.
  void shrink() const;

 private:
  std::string object_path(const Hash128& object) const { return folder_ + "/" + hash_text(object) + ".so"; }
  std::string entry_path(const Hash128& request) const { return folder_ + "/" + hash_text(request) + ".json"; }

  std::string folder_;
  std::uint64_t limit_bytes_;
};

}  // namespace tilewright::msl_emulator
