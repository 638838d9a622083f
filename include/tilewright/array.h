// ArrayView: strided memory of the caller, as every interface here passes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tilewright/types.h>

namespace tilewright {

/// Element p of the view lies at data + (offset + sum p[d] * strides[d]) * data_type_bytes(type). Strides count
/// elements and may be zero, negative or larger than dense. `elements` is the size of the whole buffer at `data`.
struct ArrayView {
  DataType type = DataType::F32;
  std::byte* data = nullptr;
  std::int64_t elements = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
};

}  // namespace tilewright
