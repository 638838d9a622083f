#include "runtime/msl_emulator/compile_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/msl_emulator/build_object.h"
#include "runtime/msl_emulator/front/tokens.h"
#include "support/files.h"

namespace tilewright::msl_emulator {

namespace {

using CacheJson = nlohmann::ordered_json;

/// Changes when the rewriter or the flags of the compilers do.
constexpr std::string_view kFrontVersion = "msl-emulator 7";

void add_file_identity(HashBuilder& hash, const std::string& path) {
  struct stat info{};
  hash.add_bytes(path);
  if (::stat(path.c_str(), &info) != 0) return;
  hash.add_int(info.st_size).add_int(info.st_mtim.tv_sec).add_int(info.st_mtim.tv_nsec);
}

std::string processor_identity() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, identity;
  while (std::getline(info, line) && !line.empty())
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features")) identity += line;
  return identity;
}

std::optional<Hash128> hash_of_file(const std::string& path) {
  const Result<std::string> bytes = read_file(path, std::uint64_t{1} << 30);
  if (!bytes) return std::nullopt;
  return hash128(*bytes);
}

void mark_used(const std::string& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

/// A new file takes its name in one step. Not synchronized with the disk: what a crash damages is compiled again.
bool write_new(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return false;
  const bool written = ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  ::close(descriptor);
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

CacheJson json_of(const Parameter& parameter) {
  return {{"name", parameter.name},         {"role", static_cast<int>(parameter.role)},
          {"index", parameter.index},       {"read_only", parameter.read_only},
          {"optional", parameter.optional}, {"is_constant", parameter.is_constant}};
}

Parameter parameter_of(const CacheJson& json) {
  const int role = json.at("role").get<int>();
  if (role < 0 || role > static_cast<int>(ParameterRole::Tensor)) throw std::out_of_range("role");
  return {json.at("name").get<std::string>(), static_cast<ParameterRole>(role), json.at("index").get<std::uint32_t>(),
          json.at("read_only").get<bool>(),   json.at("optional").get<bool>(),  json.at("is_constant").get<bool>()};
}

CacheJson json_of(const std::vector<Entry>& entries) {
  CacheJson list = CacheJson::array();
  for (const Entry& entry : entries) {
    CacheJson parameters = CacheJson::array();
    for (const Parameter& parameter : entry.parameters) parameters.push_back(json_of(parameter));
    list.push_back({{"name", entry.name}, {"parameters", std::move(parameters)}, {"max_threads", entry.max_threads}});
  }
  return list;
}

std::vector<Entry> entries_of(const CacheJson& json) {
  std::vector<Entry> entries;
  for (const CacheJson& item : json) {
    Entry entry{item.at("name").get<std::string>(), {}, item.at("max_threads").get<std::uint32_t>()};
    for (const CacheJson& parameter : item.at("parameters")) entry.parameters.push_back(parameter_of(parameter));
    entries.push_back(std::move(entry));
  }
  return entries;
}

bool files_unchanged(const CacheJson& files) {
  return std::all_of(files.begin(), files.end(), [](const CacheJson& file) {
    const std::optional<Hash128> now = hash_of_file(file.at("path").get<std::string>());
    return now && hash_text(*now) == file.at("hash").get<std::string>();
  });
}

/// Where files of these names could be found as well, but are not.
std::vector<std::string> absent_twins(const std::vector<std::string>& files, const std::vector<std::string>& folders) {
  std::set<std::string> absent;
  for (const std::string& file : files)
    for (const std::string& home : folders) {
      if (!is_inside(file, home)) continue;
      for (const std::string& other : folders) {
        std::string twin = other + file.substr(home.size());
        if (::access(twin.c_str(), F_OK) != 0) absent.insert(std::move(twin));
      }
    }
  return {absent.begin(), absent.end()};
}

bool still_absent(const CacheJson& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [](const CacheJson& path) { return ::access(path.get<std::string>().c_str(), F_OK) != 0; });
}

}  // namespace

Hash128 toolchain_fingerprint(const Toolchain& toolchain) {
  HashBuilder hash;
  hash.add_bytes(kFrontVersion).add_bytes(processor_identity());
  for (const Dialect dialect : {Dialect::OpenCl, Dialect::Cpp20})
    for (const bool checks : {false, true})
      for (const BuildStage& stage : build_stages(toolchain, dialect, checks, {}))
        for (const std::string& word : stage.command) hash.add_bytes(word);
  add_file_identity(hash, toolchain.clang);
  add_file_identity(hash, toolchain.opt);
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(toolchain.shim_folder, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file(error)) paths.push_back(at->path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) add_file_identity(hash, path);
  return hash.finish();
}

Hash128 request_key(const std::string& text, const CompileRequest& request, const Hash128& fingerprint) {
  HashBuilder hash;
  hash.add_hash(fingerprint).add_bytes(text).add_bytes(request.path);
  hash.add_bytes(std::filesystem::absolute(request.path).string());
  const auto add_list = [&](const std::vector<std::string>& list) {
    hash.add_int(static_cast<std::int64_t>(list.size()));
    for (const std::string& item : list) hash.add_bytes(item);
  };
  add_list(request.include_paths);
  add_list(request.defines);
  add_list(request.kernels);
  hash.add_int(static_cast<std::int64_t>(request.constants.size()));
  for (const auto& [name, value] : request.constants) hash.add_bytes(name).add_bytes(value);
  hash.add_int(request.dialect ? static_cast<int>(*request.dialect) : -1);
  return hash.add_int(request.metal_version).add_int(request.checks ? 1 : 0).finish();
}

Hash128 object_key(const std::string& rewritten, Dialect dialect, bool checks, const Hash128& fingerprint) {
  HashBuilder hash;
  return hash.add_hash(fingerprint)
      .add_bytes(rewritten)
      .add_int(static_cast<int>(dialect))
      .add_int(checks ? 1 : 0)
      .finish();
}

std::optional<CompiledLibrary> CompileCache::find(const Hash128& request) const {
  if (!enabled()) return std::nullopt;
  const Result<std::string> text = read_file(entry_path(request));
  if (!text) return std::nullopt;
  try {
    const CacheJson json = CacheJson::parse(*text);
    const std::optional<Hash128> object = hash_from_text(json.at("object").get<std::string>());
    if (!object || !files_unchanged(json.at("files")) || !still_absent(json.at("absent"))) return std::nullopt;
    const std::optional<std::string> path = find_object(*object);
    if (!path) return std::nullopt;
    CompiledLibrary library;
    library.object_path = *path;
    library.entries = entries_of(json.at("entries"));
    library.dialect = json.at("dialect").get<int>() == 0 ? Dialect::OpenCl : Dialect::Cpp20;
    library.checks = json.at("checks").get<bool>();
    library.note = json.at("note").get<std::string>();
    library.from_cache = true;
    mark_used(entry_path(request));
    return library;
  } catch (const std::exception&) {  // damaged
    return std::nullopt;
  }
}

std::optional<std::string> CompileCache::find_object(const Hash128& object) const {
  if (!enabled()) return std::nullopt;
  const std::string path = object_path(object);
  const Result<std::string> expected = read_file(path + ".hash", 100);
  const std::optional<Hash128> found = hash_of_file(path);
  if (!expected || !found || *expected != hash_text(*found)) return std::nullopt;
  mark_used(path);
  return path;
}

std::optional<std::string> CompileCache::keep_object(const Hash128& object, const std::string& from) const {
  if (!enabled()) return std::nullopt;
  const std::optional<Hash128> content = hash_of_file(from);
  std::string path = object_path(object);
  if (!content || ::rename(from.c_str(), path.c_str()) != 0) return std::nullopt;
  if (!write_new(path + ".hash", hash_text(*content))) return std::nullopt;
  return path;
}

void CompileCache::keep(const Hash128& request, const Hash128& object, const CompiledLibrary& library,
                        const std::vector<std::string>& files, const std::vector<std::string>& folders) const {
  if (!enabled()) return;
  CacheJson json{{"object", hash_text(object)},
                 {"dialect", static_cast<int>(library.dialect)},
                 {"checks", library.checks},
                 {"note", library.note},
                 {"entries", json_of(library.entries)},
                 {"absent", absent_twins(files, folders)},
                 {"files", CacheJson::array()}};
  for (const std::string& path : files) {
    const std::optional<Hash128> content = hash_of_file(path);
    if (!content) return;
    json["files"].push_back({{"path", path}, {"hash", hash_text(*content)}});
  }
  // Paths may be any bytes; what is no UTF-8 is not worth an entry.
  try {
    write_new(entry_path(request), json.dump());
  } catch (const CacheJson::exception&) {
  }
}

void CompileCache::shrink() const {
  struct Kept {
    std::filesystem::file_time_type used;
    std::uint64_t bytes;
    std::filesystem::path path;
  };
  std::vector<Kept> kept;
  std::uint64_t total = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (!at->is_regular_file(gone) || gone) continue;
    Kept file{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    total += file.bytes;
    kept.push_back(std::move(file));
  }
  if (total <= limit_bytes_) return;
  std::sort(kept.begin(), kept.end(),
            [](const Kept& a, const Kept& b) { return a.used != b.used ? a.used < b.used : a.path < b.path; });
  for (const Kept& file : kept) {
    if (total <= limit_bytes_) break;
    std::filesystem::remove(file.path, error);
    total -= file.bytes;
  }
}

}  // namespace tilewright::msl_emulator
