// Memory of one buffer between two guards.
//
// Pages are claimed when they are first touched, so a buffer may be far larger than memory as long as only a part of it
// is used. The guards are 4 KiB of a fixed pattern directly before the first and behind the last element.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tilewright/types.h>

#include "support/result.h"

namespace tilewright::driver {

class GuardedBuffer {
 public:
  /// Zeros. OutOfMemory names the bytes when the system gives no address range of that size. Premise: elements >= 0.
  static Result<GuardedBuffer> make(DataType type, std::int64_t elements);

  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  ~GuardedBuffer();

  DataType type() const { return type_; }
  std::int64_t elements() const { return elements_; }
  /// The first element, aligned to a page.
  std::byte* data() const { return data_; }

  /// Bytes of the guards that no longer hold the pattern.
  std::int64_t harmed_guard_bytes() const;

 private:
  GuardedBuffer() = default;

  DataType type_ = DataType::F32;
  std::int64_t elements_ = 0;
  std::byte* data_ = nullptr;
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
};

}  // namespace tilewright::driver
