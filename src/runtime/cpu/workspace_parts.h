// What a Workspace keeps between runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "support/result.h"

namespace tilewright::runtime_cpu {

inline constexpr std::int64_t kAlignment = 64;
inline constexpr std::int64_t kLargePage = std::int64_t{1} << 21;

/// Aligned memory that only grows.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Block() { std::free(data_); }

  /// bytes: a multiple of the alignment.
  Result<void> reserve(std::int64_t bytes, const char* purpose) {
    if (bytes <= bytes_) return {};
    std::free(data_);
    bytes_ = 0;
    const std::int64_t alignment = bytes >= kLargePage / 4 ? kLargePage : kAlignment;
    const std::int64_t whole = (bytes + alignment - 1) / alignment * alignment;
    data_ = static_cast<std::byte*>(
        std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(whole)));
#if defined(__linux__)
    // What is read again and again at many places: fewer pages, fewer misses of their table. A hint; it may fail.
    if (data_ != nullptr && alignment == kLargePage) madvise(data_, static_cast<std::size_t>(whole), MADV_HUGEPAGE);
#endif
    if (data_ == nullptr) {
      return failure(DiagCode::OutOfMemory, fmt::format("{} bytes of {} could not be allocated", bytes, purpose),
                     "use smaller sizes or smaller tiles");
    }
    bytes_ = bytes;
    return {};
  }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

struct WorkspaceParts {
  Block temporaries;
  Block scratch;
  std::unique_ptr<tbb::task_arena> arena;
  int arena_threads = 0;
};

}  // namespace tilewright::runtime_cpu
