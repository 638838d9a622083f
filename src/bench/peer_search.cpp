#include "bench/peer_search.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

namespace tilewright::bench {

namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 6;

struct PeerNames {
  LibraryKind kind;
  std::string_view said;                   ///< in messages
  std::array<std::string_view, 2> starts;  ///< of file names, before ".so"
};

constexpr PeerNames kPeers[] = {
    {LibraryKind::OpenBlas, "libopenblas.so", {"libopenblas", "libscipy_openblas"}},
    {LibraryKind::Blis, "libblis.so", {"libblis.so", "libblis-mt.so"}},
    {LibraryKind::OneDnn, "libdnnl.so", {"libdnnl.so", "libdnnl.so"}},
    {LibraryKind::Libxsmm, "libxsmm.so", {"libxsmm.so", "libxsmm.so"}},
    {LibraryKind::Mkl, "libmkl_rt.so", {"libmkl_rt.so", "libmkl_rt.so"}},
};

constexpr std::string_view kSystemFolders[] = {
    "/usr/local/lib", "/usr/lib/x86_64-linux-gnu",        "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
    "/usr/lib",       "/opt/intel/oneapi/mkl/latest/lib", "/opt/homebrew/lib"};

const PeerNames& names_of(LibraryKind kind) {
  return *std::find_if(std::begin(kPeers), std::end(kPeers), [&](const PeerNames& each) { return each.kind == kind; });
}

bool is_library_of(const PeerNames& names, const std::string& file) {
  if (file.find(".so") == std::string::npos) return false;
  return std::any_of(names.starts.begin(), names.starts.end(),
                     [&](std::string_view start) { return file.starts_with(start); });
}

void list_folder(const fs::path& folder, int depth, std::vector<fs::path>& files) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.filename().string().find(".so") != std::string::npos)
      files.push_back(path);
    else if (depth > 0 && at->is_directory(error) && !at->is_symlink(error))
      folders.push_back(path);
    error.clear();
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& inner : folders) list_folder(inner, depth - 1, files);
}

std::vector<std::string> lines_of(const char* command) {
  std::vector<std::string> lines;
  std::FILE* const stream = ::popen(command, "r");
  if (stream == nullptr) return lines;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), stream) != nullptr) {
    std::string text = line.data();
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    lines.push_back(std::move(text));
  }
  ::pclose(stream);
  return lines;
}

/// Where python3 keeps packages (their libraries are in folders of their own), and data of packages.
void list_python(std::vector<fs::path>& files) {
  const auto lines = lines_of(
      "python3 -c 'import sys, sysconfig; print(sysconfig.get_path(\"purelib\")); print(sys.prefix + \"/lib\")' "
      "2>/dev/null </dev/null");
  if (lines.size() != 2) return;
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(lines[0], error), end; !error && at != end; at.increment(error))
    folders.push_back(at->path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    if (folder.extension() == ".libs") list_folder(folder, 0, files);
    list_folder(folder / "lib", 0, files);
  }
  list_folder(lines[1], 0, files);
}

std::vector<fs::path> list_files(const PeerSearch& search) {
  std::vector<fs::path> files;
  for (const std::string& path : search.paths) {
    std::error_code error;
    if (fs::is_regular_file(path, error))
      files.emplace_back(path);
    else
      list_folder(path, kDepth, files);
  }
  if (!search.system) return files;
  if (const char* const text = std::getenv("LD_LIBRARY_PATH")) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) list_folder(rest.substr(0, colon), 0, files);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  for (const std::string_view folder : kSystemFolders) list_folder(folder, 0, files);
  list_python(files);
  return files;
}

}  // namespace

std::vector<LibraryKind> peer_kinds() {
  std::vector<LibraryKind> kinds;
  for (const PeerNames& peer : kPeers) kinds.push_back(peer.kind);
  return kinds;
}

std::vector<PeerFile> find_peers(const PeerSearch& search, const std::vector<LibraryKind>& kinds) {
  const std::vector<fs::path> files = list_files(search);
  std::vector<PeerFile> peers;
  for (const LibraryKind kind : kinds) {
    const PeerNames& names = names_of(kind);
    std::set<std::string> seen;
    for (const fs::path& file : files) {
      if (!is_library_of(names, file.filename().string())) continue;
      std::error_code error;
      const std::string real = fs::canonical(file, error).string();
      if (error || !seen.insert(real).second) continue;
      // A copy under another name in the same folder is the same library.
      const fs::path folder = fs::path(real).parent_path();
      const auto size = fs::file_size(real, error);
      const std::string twin = folder.string() + " " + std::to_string(size);
      if (seen.insert(twin).second) peers.push_back({kind, real, ""});
    }
    if (seen.empty())
      peers.push_back({kind, "",
                       std::string("no ") + std::string(names.said) +
                           " was found; scripts/setup-peers installs what is to be had"});
  }
  return peers;
}

}  // namespace tilewright::bench
