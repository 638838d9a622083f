// tensor<>: a view of memory with extents and strides, innermost first, strides in elements.
//
// A view knows how far the memory that it is a part of reaches (`emu_limits`): a slice with static extents promises
// that it lies inside, and the operations check that promise. Dynamic slices shrink to what remains.
#pragma once
#pragma clang system_header

#include "array.h"

#include "invoke.h"
#include "tensor_extents.h"

namespace metal {

struct tensor_handle {};  ///< bound by the host
struct tensor_inline {};  ///< a pointer that the kernel wraps
struct tensor_offset {};  ///< tag of a slice of a handle

template <class Element, class Extents, class Descriptor = tensor_handle, class... Tags>
class tensor;

}  // namespace metal

namespace emu_tensors {

template <class T>
constexpr bool emu_is_tensor = false;
template <class Element, class Extents, class Descriptor, class... Tags>
constexpr bool emu_is_tensor<metal::tensor<Element, Extents, Descriptor, Tags...>> = true;
template <class T>
constexpr bool emu_is_tensor<const T> = emu_is_tensor<T>;

/// The type of a slice: a slice of a handle says that it is one.
template <class Element, class Extents, class Descriptor>
struct emu_slice {
  using type = metal::tensor<Element, Extents, Descriptor>;
};
template <class Element, class Extents>
struct emu_slice<Element, Extents, metal::tensor_handle> {
  using type = metal::tensor<Element, Extents, metal::tensor_handle, metal::tensor_offset>;
};

}  // namespace emu_tensors

namespace metal {

template <class Element, class Extents, class Descriptor, class... Tags>
class tensor {
 public:
  using element_type = Element;
  using value_type = __remove_cv(Element);
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = __SIZE_TYPE__;
  static constexpr size_type emu_rank = Extents::rank();
  static_assert(emu_rank >= 1 && emu_rank <= 16, "a tensor has 1 to 16 dimensions");

  constexpr tensor() = default;

  /// Packed: each stride is the product of the extents inside of it.
  tensor(Element* data, Extents extents)
    requires(__is_same(Descriptor, tensor_inline))
      : emu_data(data) {
    long stride = 1;
    for (size_type d = 0; d < emu_rank; ++d) {
      set(d, static_cast<long>(extents.extent(d)), stride);
      stride *= emu_extents[d];
    }
  }

  template <class Stride>
  tensor(Element* data, Extents extents, array<Stride, emu_rank> strides)
    requires(__is_same(Descriptor, tensor_inline))
      : emu_data(data) {
    for (size_type d = 0; d < emu_rank; ++d) {
      set(d, static_cast<long>(extents.extent(d)), static_cast<long>(strides[d]));
    }
  }

  static constexpr size_type get_rank() { return emu_rank; }
  static constexpr size_type get_static_extent(size_type dimension) { return Extents::static_extent(dimension); }
  index_type get_extent(size_type dimension) const { return static_cast<index_type>(emu_extents[dimension]); }
  index_type get_stride(size_type dimension) const { return static_cast<index_type>(emu_strides[dimension]); }

  /// The origin moves, the extents become what remains.
  template <class... Origin>
    requires(sizeof...(Origin) == emu_rank)
  auto slice(Origin... origin) const {
    return sliced<dextents<index_type, emu_rank>>(origin...);
  }

  /// The origin moves, the extents are the given ones; dynamic_extent: what remains.
  template <size_type First, size_type... Rest, class... Origin>
    requires(sizeof...(Origin) == emu_rank && sizeof...(Rest) + 1 == emu_rank)
  auto slice(Origin... origin) const {
    return sliced<extents<index_type, First, Rest...>>(origin...);
  }

#if defined(__cpp_multidimensional_subscript)
  template <class... At>
    requires(sizeof...(At) == emu_rank)
  Element& operator[](At... at) const {
    return emu_data[offset(at...)];
  }
#else
  template <class At>
    requires(emu_rank == 1)
  Element& operator[](At at) const {
    return emu_data[offset(at)];
  }
#endif
  template <class At>
  Element& operator[](array<At, emu_rank> at) const {
    long sum = 0;
    for (size_type d = 0; d < emu_rank; ++d) sum += static_cast<long>(at[d]) * emu_strides[d];
    return emu_data[sum];
  }

  /// 0 past the extents.
  template <class... At>
    requires(sizeof...(At) == emu_rank)
  value_type load(At... at) const {
    return holds(at...) ? emu_data[offset(at...)] : value_type(0);
  }
  /// Dropped past the extents.
  template <class... At>
    requires(sizeof...(At) == emu_rank)
  void store(value_type value, At... at) const {
    if (holds(at...)) emu_data[offset(at...)] = value;
  }

  Element* emu_data = nullptr;
  long emu_extents[emu_rank] = {};
  long emu_strides[emu_rank] = {};
  long emu_limits[emu_rank] =
      {};  ///< how many elements there are from the origin on; more than a static extent, or fewer

 private:
  template <class OtherElement, class OtherExtents, class OtherDescriptor, class... OtherTags>
  friend class tensor;

  void set(size_type dimension, long extent, long stride) {
    emu_extents[dimension] = extent;
    emu_strides[dimension] = stride;
    emu_limits[dimension] = extent;
  }

  template <class... At>
  long offset(At... at) const {
    const long all[] = {static_cast<long>(at)...};
    long sum = 0;
    for (size_type d = 0; d < emu_rank; ++d) sum += all[d] * emu_strides[d];
    return sum;
  }

  template <class... At>
  bool holds(At... at) const {
    const long all[] = {static_cast<long>(at)...};
    for (size_type d = 0; d < emu_rank; ++d) {
      if (all[d] < 0 || all[d] >= emu_extents[d]) return false;
    }
    return true;
  }

  template <class SliceExtents, class... Origin>
  auto sliced(Origin... origin) const {
    const long from[] = {static_cast<long>(origin)...};
    typename emu_tensors::emu_slice<Element, SliceExtents, Descriptor>::type part;
    part.emu_data = emu_data + offset(origin...);
    for (size_type d = 0; d < emu_rank; ++d) {
      const size_type given = SliceExtents::static_extent(d);
      const long left = emu_limits[d] < emu_extents[d] ? emu_limits[d] : emu_extents[d];
      part.emu_strides[d] = emu_strides[d];
      part.emu_limits[d] = left - from[d];
      part.emu_extents[d] = given == dynamic_extent ? part.emu_limits[d] : static_cast<long>(given);
    }
    return part;
  }
};

template <class Element, class Extents>
tensor(Element*, Extents) -> tensor<Element, Extents, tensor_inline>;
template <class Element, class Extents, class Stride, __SIZE_TYPE__ Rank>
tensor(Element*, Extents, array<Stride, Rank>) -> tensor<Element, Extents, tensor_inline>;

}  // namespace metal

/// A tensor handle: what the host bound. Extents that the type fixes are checked against it.
template <class Element, class Extents, class... Tags>
struct emu_argument<metal::tensor<Element, Extents, metal::tensor_handle, Tags...>> {
  using Tensor = metal::tensor<Element, Extents, metal::tensor_handle, Tags...>;

  static Tensor from(void* bound) {
    Tensor tensor;
    if (bound == nullptr) return tensor;
    const emu_tensor_binding& binding = *static_cast<const emu_tensor_binding*>(bound);
    if (binding.rank != Tensor::emu_rank) {
      emu_fault(EMU_MPP_MISUSE, "a tensor of rank %0 is bound to a parameter of rank %1",
                static_cast<long>(binding.rank), static_cast<long>(Tensor::emu_rank), 0, 0, 1);
      return tensor;
    }
    tensor.emu_data = static_cast<Element*>(binding.base);
    for (unsigned long d = 0; d < Tensor::emu_rank; ++d) {
      const unsigned long fixed = Extents::static_extent(d);
      tensor.emu_extents[d] = fixed == metal::dynamic_extent ? binding.extents[d] : static_cast<long>(fixed);
      tensor.emu_strides[d] = binding.strides[d];
      tensor.emu_limits[d] = binding.extents[d];
      if (tensor.emu_extents[d] == binding.extents[d]) continue;
      emu_fault(EMU_MPP_MISUSE, "a tensor with an extent of %0 in dimension %1 is bound, the parameter has %2",
                binding.extents[d], static_cast<long>(d), tensor.emu_extents[d], 0, 0);
    }
    return tensor;
  }
  static constexpr unsigned long element = emu_pointee<__remove_cv(Element)>::element;
};
