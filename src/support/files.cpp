#include "support/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tilewright {

namespace {

std::string reason_of(int error) { return std::generic_category().message(error); }

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  /// 0, or the error: a network file system may report a failed write only here.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

std::unexpected<Diags> cannot_read(const std::string& path, int error) {
  std::string hint;
  if (error == ENOENT) hint = "check the spelling of the path and the current folder";
  if (error == EISDIR) hint = "give the path of a file";
  return failure(DiagCode::FileRead, fmt::format("cannot read '{}': {}", path, reason_of(error)), std::move(hint));
}

std::unexpected<Diags> too_large(const std::string& path, std::uint64_t limit_bytes) {
  return failure(
      DiagCode::FileRead,
      fmt::format("cannot read '{}': it is larger than {} bytes, the most that is read here", path, limit_bytes));
}

std::uint64_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::unexpected<Diags> out_of_memory(const std::string& path, std::uint64_t bytes) {
  const std::string amount = bytes > 0 ? fmt::format("its {} bytes", bytes) : std::string("what it holds");
  return failure(DiagCode::OutOfMemory, fmt::format("cannot read '{}': not enough memory for {}", path, amount),
                 "read a smaller file, or use a machine with more memory");
}

/// Reads to the end of the file, whatever its size was said to be before.
template <class Bytes>
Result<Bytes> read_to_end(const std::string& path, int descriptor, std::uint64_t said, std::uint64_t limit_bytes) {
  constexpr std::uint64_t kStep = 1 << 16;
  Bytes bytes;
  std::uint64_t used = 0;
  // One byte more than the file is said to hold, so that its end is seen without another allocation.
  bytes.resize(std::max(said + 1, kStep));
  while (true) {
    const ssize_t got = ::read(descriptor, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, errno);
    used += static_cast<std::uint64_t>(got);
    if (used > limit_bytes) return too_large(path, limit_bytes);
    if (got == 0) break;
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
  }
  bytes.resize(used);
  return bytes;
}

template <class Bytes>
Result<Bytes> read_whole(const std::string& path, std::uint64_t limit_bytes) {
  if (path.find('\0') != std::string::npos) return cannot_read(path.substr(0, path.find('\0')) + "\\0..", EINVAL);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return cannot_read(path, errno);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return cannot_read(path, errno);
  if (S_ISDIR(info.st_mode)) return cannot_read(path, EISDIR);
  const bool regular = S_ISREG(info.st_mode);
  if (!regular) limit_bytes = std::min(limit_bytes, kStreamLimitBytes);
  const std::uint64_t said = regular ? static_cast<std::uint64_t>(info.st_size) : 0;
  if (said > limit_bytes) return too_large(path, limit_bytes);
  if (said > memory_bytes()) return out_of_memory(path, said);
  try {
    return read_to_end<Bytes>(path, file.get(), said, limit_bytes);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return out_of_memory(path, said);
}

std::unexpected<Diags> cannot_write(const std::string& path, std::string_view reason, std::string hint = {}) {
  return failure(DiagCode::FileWrite, fmt::format("cannot write '{}': {}", path, reason), std::move(hint));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::unexpected<Diags> cannot_write(const std::string& path, int error) {
  std::string hint;
  if (error == ENOENT) hint = fmt::format("create the folder '{}' first", folder_of(path));
  if (error == EACCES || error == EPERM || error == EROFS) hint = "write to a folder that you may change";
  if (error == ENOSPC || error == EDQUOT) hint = "free space on the disk";
  return cannot_write(path, reason_of(error), std::move(hint));
}

/// 0 or the error.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

int write_all(int descriptor, std::span<const std::string_view> pieces) {
  for (std::string_view piece : pieces)
    if (const int error = write_all(descriptor, piece)) return error;
  return 0;
}

Result<void> write_stream(const std::string& path, int descriptor, std::FILE* buffered,
                          std::span<const std::string_view> pieces) {
  // What the program printed before must come out before.
  std::fflush(buffered);
  if (const int error = write_all(descriptor, pieces)) return cannot_write(path, error);
  return {};
}

Result<void> write_null(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return cannot_write(path, errno);
  return {};
}

/// Where the new file goes.
struct Target {
  std::string path;            ///< links resolved
  std::optional<mode_t> mode;  ///< of the file to replace
};

Result<Target> resolve_target(const std::string& path) {
  if (path.empty()) return cannot_write(path, "the path is empty");
  if (path.find('\0') != std::string::npos)
    return cannot_write(path.substr(0, path.find('\0')) + "\\0..", "the path holds a null character");
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return cannot_write(path, errno);
    return Target{path, std::nullopt};
  }
  std::string resolved = path;
  if (S_ISLNK(info.st_mode)) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    if (!real || ::stat(path.c_str(), &info) != 0)
      return cannot_write(path, "it is a symbolic link to nothing that can be reached", "remove the link first");
    resolved = real.get();
  }
  if (S_ISDIR(info.st_mode)) return cannot_write(path, "it is a folder", "give the path of a file");
  if (!S_ISREG(info.st_mode))
    return cannot_write(path, "it is a device, pipe or socket",
                        "of these, only /dev/null, /dev/stdout and /dev/stderr are written");
  return Target{std::move(resolved), info.st_mode & 0777};
}

/// A file under a name that nothing else has; it is removed unless it was given its final name.
class Temporary {
 public:
  Temporary(std::string name, int descriptor) : name_(std::move(name)), file_(descriptor) {}
  Temporary(Temporary&& other) noexcept
      : name_(std::exchange(other.name_, std::string())), file_(std::move(other.file_)) {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  /// All of these: 0 or the error.
  int fill(std::span<const std::string_view> pieces, std::optional<mode_t> mode) {
    if (mode && ::fchmod(file_.get(), *mode) != 0) return errno;
    if (const int error = write_all(file_.get(), pieces)) return error;
    if (::fsync(file_.get()) != 0) return errno;
    return file_.close();
  }
  int rename_to(const std::string& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;
  Descriptor file_;
};

Result<Temporary> make_temporary(const std::string& path, const std::string& target) {
  // Short and apart from the target's name, which may be as long as the file system allows.
  constexpr int kAttempts = 10'000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = fmt::format("{}/.tilewright-{}-{}.tmp", folder_of(target), ::getpid(), attempt);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return Temporary(std::move(name), descriptor);
    if (errno != EEXIST) return cannot_write(path, errno);
  }
  return cannot_write(path, "no name is free for a temporary file", "remove the files .tilewright-*.tmp of its folder");
}

void synchronize_folder(const std::string& folder) {
  // The new file is whole and has its name already. A failure here can only delay the name's way to the disk, and some
  // file systems refuse the call.
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) static_cast<void>(::fsync(descriptor.get()));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes) {
  return read_whole<std::string>(path, limit_bytes);
}

Result<std::vector<std::byte>> read_file_bytes(const std::string& path, std::uint64_t limit_bytes) {
  return read_whole<std::vector<std::byte>>(path, limit_bytes);
}

Result<void> write_file_atomically(const std::string& path, std::string_view bytes) {
  return write_file_atomically(path, std::span<const std::string_view>(&bytes, 1));
}

Result<void> write_file_atomically(const std::string& path, std::span<const std::string_view> pieces) {
  if (path == "/dev/null") return write_null(path);
  if (path == "/dev/stdout") return write_stream(path, STDOUT_FILENO, stdout, pieces);
  if (path == "/dev/stderr") return write_stream(path, STDERR_FILENO, stderr, pieces);
  TW_TRY(const Target target, resolve_target(path));
  TW_TRY(Temporary temporary, make_temporary(path, target.path));
  if (const int error = temporary.fill(pieces, target.mode)) return cannot_write(path, error);
  if (const int error = temporary.rename_to(target.path)) return cannot_write(path, error);
  synchronize_folder(folder_of(target.path));
  return {};
}

}  // namespace tilewright
