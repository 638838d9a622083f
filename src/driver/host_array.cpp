#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <tilewright/host_array.h>

#include "support/checked_math.h"
#include "support/npy.h"
#include "support/result.h"
#include "tile/bind.h"

namespace tilewright {

namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

void HostArray::Release::operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }

Result<HostArray> HostArray::make(DataType type, std::vector<std::int64_t> extents) {
  if (type == DataType::Index || is_reserved(type))
    return failure(DiagCode::BadOption, fmt::format("an array cannot hold {}", data_type_name(type)),
                   "use f32, f16, bf16, i32 or bool");
  std::optional<std::int64_t> bytes = static_cast<std::int64_t>(data_type_bytes(type));
  for (std::int64_t extent : extents) {
    if (extent < 0)
      return failure(DiagCode::NegativeSize, fmt::format("expected extents of at least 0, found {}", extent));
    if (bytes) bytes = checked_mul(*bytes, extent);
  }
  if (!bytes)
    return failure(DiagCode::SizeOverflow, "the bytes of the array do not fit 64 bits", "use smaller extents");
  HostArray array;
  array.type_ = type;
  array.extents_ = std::move(extents);
  array.elements_ = *bytes / static_cast<std::int64_t>(data_type_bytes(type));
  array.data_.reset(
      static_cast<std::byte*>(::operator new(static_cast<std::size_t>(*bytes), kAlignment, std::nothrow)));
  if (array.data_ == nullptr)
    return failure(DiagCode::OutOfMemory, fmt::format("an array of {} bytes could not be allocated", *bytes),
                   "use smaller sizes");
  std::memset(array.data_.get(), 0, static_cast<std::size_t>(*bytes));
  return array;
}

Result<HostArray> HostArray::read_npy(const std::string& path, std::optional<DataType> expected) {
  TW_TRY(const NpyArray file, tilewright::read_npy(path, expected));
  TW_TRY(HostArray array, make(file.type, file.shape));
  if (!file.data.empty()) std::memcpy(array.data(), file.data.data(), file.data.size());
  return array;
}

Result<void> HostArray::write_npy(const std::string& path) const {
  const auto bytes = static_cast<std::size_t>(elements_) * data_type_bytes(type_);
  return tilewright::write_npy(path, type_, extents_, {data_.get(), bytes});
}

ArrayView HostArray::view() const {
  return {type_, data_.get(), elements_, 0, extents_, tile::dense_strides(extents_)};
}

}  // namespace tilewright
