// The launcher's way into a kernel: each parameter's argument is made from its EMU_PARAMETER code.
#pragma once
#pragma clang system_header

#include "vec.h"

/// How a bound argument (a pointer to memory) becomes a parameter of type P, and what one element is: sizeof plus
/// alignof << 48, 0 for void. Specialised for tensors in metal_tensor.
template <class P>
struct emu_argument;

template <class T>
struct emu_pointee {
  static constexpr unsigned long element = sizeof(T) + (static_cast<unsigned long>(alignof(T)) << 48);
};
template <>
struct emu_pointee<void> {
  static constexpr unsigned long element = 0;
};
// Through an integer: no conversion leads from OpenCL's generic address space to `constant`.
template <class T>
struct emu_argument<T*> {
  EMU_INLINE static T* from(void* bound) { return (T*)(unsigned long)bound; }
  static constexpr unsigned long element = emu_pointee<metal::emu_plain_t<T>>::element;
};
template <class T>
struct emu_argument<T&> {
  EMU_INLINE static T& from(void* bound) { return *(T*)(unsigned long)bound; }
  static constexpr unsigned long element = emu_pointee<metal::emu_plain_t<T>>::element;
};

/// A built-in input of type P, a scalar or a vector of any integer type.
template <class P>
struct emu_builtin_value {
  EMU_INLINE static P from(emu_uint3 v) { return P(v.x); }
};
template <class T>
struct emu_builtin_value<metal::vec<T, 2>> {
  EMU_INLINE static metal::vec<T, 2> from(emu_uint3 v) { return metal::vec<T, 2>(T(v.x), T(v.y)); }
};
template <class T>
struct emu_builtin_value<metal::vec<T, 3>> {
  EMU_INLINE static metal::vec<T, 3> from(emu_uint3 v) { return metal::vec<T, 3>(T(v.x), T(v.y), T(v.z)); }
};

template <unsigned int builtin>
EMU_INLINE emu_uint3 emu_builtin_input(const emu_lane* lane) {
  if constexpr (builtin == EMU_THREAD_POSITION_IN_GRID) return lane->thread_position_in_grid;
  if constexpr (builtin == EMU_THREADGROUP_POSITION_IN_GRID) return lane->threadgroup_position_in_grid;
  if constexpr (builtin == EMU_THREAD_POSITION_IN_THREADGROUP) return lane->thread_position_in_threadgroup;
  if constexpr (builtin == EMU_THREADS_PER_GRID) return lane->threads_per_grid;
  if constexpr (builtin == EMU_THREADS_PER_THREADGROUP) return lane->threads_per_threadgroup;
  if constexpr (builtin == EMU_DISPATCH_THREADS_PER_THREADGROUP) return lane->threads_per_threadgroup;
  if constexpr (builtin == EMU_THREADGROUPS_PER_GRID) return lane->threadgroups_per_grid;
  const unsigned int threads =
      lane->threads_per_threadgroup.x * lane->threads_per_threadgroup.y * lane->threads_per_threadgroup.z;
  unsigned int value = 0;
  if constexpr (builtin == EMU_THREAD_INDEX_IN_THREADGROUP) value = lane->thread_index_in_threadgroup;
  if constexpr (builtin == EMU_THREAD_INDEX_IN_SIMDGROUP) value = lane->thread_index_in_simdgroup;
  if constexpr (builtin == EMU_SIMDGROUP_INDEX_IN_THREADGROUP) value = lane->simdgroup_index_in_threadgroup;
  if constexpr (builtin == EMU_SIMDGROUPS_PER_THREADGROUP) value = lane->simdgroups_per_threadgroup;
  if constexpr (builtin == EMU_THREADS_PER_SIMDGROUP) value = EMU_SIMD_WIDTH;
  if constexpr (builtin == EMU_THREAD_INDEX_IN_QUADGROUP) value = lane->thread_index_in_simdgroup % 4;
  if constexpr (builtin == EMU_QUADGROUP_INDEX_IN_THREADGROUP) value = lane->thread_index_in_threadgroup / 4;
  if constexpr (builtin == EMU_QUADGROUPS_PER_THREADGROUP) value = (threads + 3) / 4;
  return emu_uint3{value, value, value};
}

template <unsigned int code, class P>
EMU_INLINE P emu_parameter_value(void** arguments, const emu_lane* lane) {
  constexpr unsigned int role = code / 256, index = code % 256;
  if constexpr (role == EMU_ROLE_BUILTIN)
    return emu_builtin_value<metal::emu_plain_t<P>>::from(emu_builtin_input<index>(lane));
  else
    return emu_argument<P>::from(arguments[role == EMU_ROLE_THREADGROUP ? 32 + index : index]);
}

template <unsigned int... codes, class... P>
EMU_INLINE void emu_invoke(void (*entry)(P...), void** arguments) {
  const emu_lane* lane = emu_this_lane();
  entry(emu_parameter_value<codes, P>(arguments, lane)...);
}

template <unsigned int code, class P>
constexpr unsigned long emu_parameter_element() {
  if constexpr (code / 256 == EMU_ROLE_BUILTIN)
    return 0;
  else
    return emu_argument<P>::element;
}

template <unsigned int... codes, class... P>
EMU_INLINE unsigned long emu_element(void (*)(P...), unsigned int parameter) {
  unsigned long element = 0;
  ((parameter == codes ? (void)(element = emu_parameter_element<codes, P>()) : (void)0), ...);
  return element;
}

/// The reference that stands for a `threadgroup` variable. Tag: a type that no other variable has.
template <class T, class Tag>
EMU_INLINE threadgroup T& emu_threadgroup_variable_of(EMU_TEXT name) {
  static char key;
  return *(threadgroup T*)(unsigned long)emu_threadgroup_variable(&key, sizeof(T), alignof(T), name);
}
