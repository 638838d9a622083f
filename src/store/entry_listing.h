// The files of a store's folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::store {

inline constexpr std::string_view kEntrySuffix = ".twk";

struct EntryFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used_nanoseconds = 0;  ///< since the epoch
};

struct Listing {
  std::vector<EntryFile> entries;   ///< the latest used first; those of one time by name
  std::vector<EntryFile> leftover;  ///< what writers have not finished, or never will
  int error = 0;                    ///< why the folder cannot be read
};

/// Files that go while this looks are left out.
Listing list_entries(const std::string& folder);

}  // namespace tilewright::store
