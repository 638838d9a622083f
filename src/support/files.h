// Reading whole files, and writing them so that a reader meets the old content or the new one and nothing between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright {

/// What a file of text may measure unless the caller says otherwise.
inline constexpr std::uint64_t kTextFileLimitBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kNoFileLimit = UINT64_MAX;
/// The most that is read from what is not a regular file and may never end.
inline constexpr std::uint64_t kStreamLimitBytes = std::uint64_t{1} << 30;

/// The content of a file, byte for byte. Pipes and devices are read to their end, but not past kStreamLimitBytes.
/// FileRead: the path, and the reason of the system or that the file is larger than the limit. OutOfMemory:
/// it is larger than the memory of the machine (found before any is claimed), or than what is left of it.
Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes = kTextFileLimitBytes);
Result<std::vector<std::byte>> read_file_bytes(const std::string& path, std::uint64_t limit_bytes);

/// Replaces or creates a file. The bytes go to a temporary file in the same folder, are synchronized with the disk, and
/// then take the name in one step: on every failure the old file stays whole and the temporary is removed. An existing
/// file keeps its permission bits; a symbolic link stays and its target is replaced. /dev/null, /dev/stdout and
/// /dev/stderr, spelled so, are written straight. Every other existing target that is not a regular file is refused:
/// folders, devices, pipes, sockets, links to nothing. FileWrite: the path and the reason.
Result<void> write_file_atomically(const std::string& path, std::string_view bytes);
/// The same; the content is the concatenation of `pieces`.
Result<void> write_file_atomically(const std::string& path, std::span<const std::string_view> pieces);

}  // namespace tilewright
