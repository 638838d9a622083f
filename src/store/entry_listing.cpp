#include "store/entry_listing.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <tuple>

namespace tilewright::store {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

std::int64_t modified(const struct stat& info) {
#ifdef __APPLE__
  const auto& time = info.st_mtimespec;
#else
  const auto& time = info.st_mtim;
#endif
  return static_cast<std::int64_t>(time.tv_sec) * kNanoseconds + time.tv_nsec;
}

/// The names that write_file_atomically() gives to what is not whole yet.
bool is_leftover(std::string_view name) { return name.starts_with(".tilewright-") && name.ends_with(".tmp"); }

bool is_entry(std::string_view name) { return name.ends_with(kEntrySuffix) && !name.starts_with('.'); }

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

Listing list_entries(const std::string& folder) {
  Listing listing;
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  if (!open) {
    listing.error = errno;
    return listing;
  }
  while (const dirent* item = ::readdir(open.get())) {
    const std::string name = item->d_name;
    const bool entry = is_entry(name);
    if (!entry && !is_leftover(name)) continue;
    struct stat info{};
    if (::lstat((folder + "/" + name).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    (entry ? listing.entries : listing.leftover)
        .push_back({name, static_cast<std::uint64_t>(info.st_size), modified(info)});
  }
  std::ranges::sort(listing.entries, [](const EntryFile& a, const EntryFile& b) {
    return std::tuple(-a.used_nanoseconds, a.name) < std::tuple(-b.used_nanoseconds, b.name);
  });
  return listing;
}

}  // namespace tilewright::store
