// Elements of objects: reading and writing the caller's memory and the interpreter's own images.
#pragma once

#include <cstring>

#include "tile/interpreter_machine.h"

namespace tilewright::tile {

template <class T>
T load_bytes(const std::byte* bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes + static_cast<std::ptrdiff_t>(sizeof(T)) * i, sizeof(T));
  return value;
}
template <class T>
void store_bytes(std::byte* bytes, std::int64_t i, T value) {
  std::memcpy(bytes + static_cast<std::ptrdiff_t>(sizeof(T)) * i, &value, sizeof(T));
}

/// f(access, read): read(address) gives the element of any storage. access names the class of its type.
template <class A, class F>
void with_source(const Storage<A>& storage, F&& f) {
  const std::byte* bytes = storage.bytes;
  if (bytes == nullptr) {
    with_access<A>(storage.type, [&](auto access) {
      const typename decltype(access)::Reader image(storage.image);
      f(access, [image](std::int64_t i) { return image[i]; });
    });
    return;
  }
  const RealAccess<A> reals;
  const WholeAccess<A> wholes;
  switch (storage.type) {
    case DataType::F32:
      return f(reals, [=](std::int64_t i) { return A::real(load_bytes<float>(bytes, i)); });
    case DataType::F16:
      return f(reals, [=](std::int64_t i) { return A::real(f16_to_f32(load_bytes<std::uint16_t>(bytes, i))); });
    case DataType::BF16:
      return f(reals, [=](std::int64_t i) { return A::real(bf16_to_f32(load_bytes<std::uint16_t>(bytes, i))); });
    case DataType::I32:
      return f(wholes, [=](std::int64_t i) { return A::whole(load_bytes<std::int32_t>(bytes, i)); });
    case DataType::Bool:
      return f(wholes, [=](std::int64_t i) { return A::whole(load_bytes<std::uint8_t>(bytes, i) != 0); });
    case DataType::Index:
    case DataType::I8:
    case DataType::U8:
    case DataType::I4Scaled:
    case DataType::F8E4M3:
    case DataType::F8E5M2:
    case DataType::F64:
      break;
  }
  check_failed("buffers have an element type of their own", __FILE__, __LINE__);
}

/// f(access, write): write(address, element).
template <class A, class F>
void with_sink(Storage<A>& storage, F&& f) {
  std::byte* bytes = storage.bytes;
  using R = typename A::Real;
  using W = typename A::WholeNumber;
  if (bytes == nullptr) {
    [[maybe_unused]] double* const bound = storage.image.bound.data();
    if (is_float(storage.type)) {
      f(RealAccess<A>{}, [=, real = storage.image.real.data()](std::int64_t i, R x) {
        if constexpr (A::kBounded) {
          real[i] = x.value;
          bound[i] = x.bound;
        } else {
          real[i] = x;
        }
      });
    } else {
      f(WholeAccess<A>{}, [=, whole = storage.image.whole.data()](std::int64_t i, W x) {
        whole[i] = A::number(x);
        if constexpr (A::kBounded) bound[i] = x.undecided ? kInfinity : 0;
      });
    }
    return;
  }
  if constexpr (!A::kBounded) {
    const RealAccess<A> reals;
    const WholeAccess<A> wholes;
    switch (storage.type) {
      case DataType::F32:
        return f(reals, [=](std::int64_t i, R x) { store_bytes<float>(bytes, i, x); });
      case DataType::F16:
        return f(reals, [=](std::int64_t i, R x) { store_bytes(bytes, i, f32_to_f16(x)); });
      case DataType::BF16:
        return f(reals, [=](std::int64_t i, R x) { store_bytes(bytes, i, f32_to_bf16(x)); });
      case DataType::I32:
        return f(wholes, [=](std::int64_t i, W x) { store_bytes(bytes, i, static_cast<std::int32_t>(x)); });
      case DataType::Bool:
        return f(wholes, [=](std::int64_t i, W x) { store_bytes(bytes, i, std::uint8_t{x != 0}); });
      case DataType::Index:
      case DataType::I8:
      case DataType::U8:
      case DataType::I4Scaled:
      case DataType::F8E4M3:
      case DataType::F8E5M2:
      case DataType::F64:
        break;
    }
  }
  check_failed("only typed arithmetic writes to buffers", __FILE__, __LINE__);
}

}  // namespace tilewright::tile
