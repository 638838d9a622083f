// Memory for the buffers of a program under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

/// One block of bytes for each buffer, filled from a seed (truth values with 0 and 1).
class TestMemory {
 public:
  explicit TestMemory(const Program& program, std::uint32_t seed = 1) {
    for (const Buffer& buffer : program.buffers) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.count) * scalar_bytes(buffer.scalar));
      for (std::byte& byte : bytes) {
        seed = seed * 1664525u + 1013904223u;
        byte = static_cast<std::byte>(buffer.scalar == ScalarType::I1 ? (seed >> 31) : (seed >> 24));
      }
      blocks_.push_back(std::move(bytes));
    }
    for (std::vector<std::byte>& block : blocks_) bases_.push_back(block.data());
  }

  std::span<std::byte* const> bases() const { return bases_; }
  const std::vector<std::vector<std::byte>>& blocks() const { return blocks_; }

  template <class T>
  void set(BufferId buffer, const std::vector<T>& elements) {
    std::memcpy(bases_[buffer.index], elements.data(), elements.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> get(BufferId buffer) const {
    std::vector<T> elements(blocks_[buffer.index].size() / sizeof(T));
    std::memcpy(elements.data(), bases_[buffer.index], elements.size() * sizeof(T));
    return elements;
  }

 private:
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<std::byte*> bases_;
};

}  // namespace tilewright::kernel
