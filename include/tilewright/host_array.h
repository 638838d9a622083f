// HostArray: a dense array that owns its memory, and its .npy file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tilewright/array.h>
#include <tilewright/errors.h>
#include <tilewright/types.h>

namespace tilewright {

/// Row-major, aligned to 64 bytes. Movable.
class HostArray {
 public:
  /// Zeros. BadOption (a type that buffers cannot hold), NegativeSize, SizeOverflow, OutOfMemory.
  static Result<HostArray> make(DataType type, std::vector<std::int64_t> extents);
  /// The array of a NumPy file: f32, f16, i32, bool, and bf16 as two opaque bytes. With `expected`, an array of another
  /// element type is an error (NpyType).
  static Result<HostArray> read_npy(const std::string& path, std::optional<DataType> expected = std::nullopt);
  /// Replaces the file whole or, on an error, not at all.
  Result<void> write_npy(const std::string& path) const;

  DataType type() const { return type_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  std::int64_t elements() const { return elements_; }
  std::byte* data() const { return data_.get(); }
  /// Premise: T has the size of an element.
  template <class T>
  std::span<T> values() const {
    return {reinterpret_cast<T*>(data_.get()), static_cast<std::size_t>(elements_)};
  }

  /// For Kernel::run. Valid as long as this array.
  ArrayView view() const;

 private:
  struct Release {
    void operator()(std::byte* memory) const;
  };

  HostArray() = default;

  DataType type_ = DataType::F32;
  std::vector<std::int64_t> extents_;
  std::int64_t elements_ = 0;
  std::unique_ptr<std::byte, Release> data_;
};

}  // namespace tilewright
