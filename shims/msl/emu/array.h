// <metal_array>: array<T, N>.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {

template <class T, size_t N>
struct array {
  using value_type = T;
  T emu_d[N];

  EMU_INLINE T& operator[](size_t i) { return emu_d[i]; }
  EMU_INLINE constexpr const T& operator[](size_t i) const { return emu_d[i]; }
  EMU_IF_CONSTANT(EMU_INLINE constexpr const constant T& operator[](size_t i) const constant { return emu_d[i]; })
  EMU_INLINE T& front() { return emu_d[0]; }
  EMU_INLINE T& back() { return emu_d[N - 1]; }
  EMU_INLINE T* data() { return emu_d; }
  EMU_INLINE const T* data() const { return emu_d; }
  EMU_INLINE T* begin() { return emu_d; }
  EMU_INLINE T* end() { return emu_d + N; }
  EMU_INLINE const T* begin() const { return emu_d; }
  EMU_INLINE const T* end() const { return emu_d + N; }
  EMU_INLINE constexpr size_t size() const { return N; }
  EMU_INLINE constexpr bool empty() const { return N == 0; }
  EMU_INLINE void fill(T value) {
    for (size_t i = 0; i < N; ++i) emu_d[i] = value;
  }
};
#if defined(EMU_CPP20)
template <class T, class... R>
array(T, R...) -> array<T, 1 + sizeof...(R)>;
#endif

}  // namespace metal
