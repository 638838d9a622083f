// <metal_atomic>. Every operation is relaxed, which is what MSL offers. Read-modify-write operations that the
// instrumentation has no entry point for (min, max, float) are compare-exchange loops.
#pragma once
#pragma clang system_header

#include "scopes.h"
#include "value.h"

#if defined(EMU_OPENCL)
// OpenCL predefines these names for its own atomic types.
#define atomic_bool emu_atomic_bool
#define atomic_int emu_atomic_int
#define atomic_uint emu_atomic_uint
#define atomic_long emu_atomic_long
#define atomic_ulong emu_atomic_ulong
#define atomic_float emu_atomic_float
#endif

namespace metal {

template <class T>
struct alignas(sizeof(T)) _atomic {
  using emu_element = T;
  T emu_held;
};
template <class T>
using atomic = _atomic<T>;

typedef _atomic<bool> atomic_bool;
typedef _atomic<int> atomic_int;
typedef _atomic<uint> atomic_uint;
typedef _atomic<long> atomic_long;
typedef _atomic<ulong> atomic_ulong;
typedef _atomic<float> atomic_float;

// The integer of the same size that the operation is made on.
template <unsigned long bytes>
struct emu_cell;
template <>
struct emu_cell<1> {
  using type = uchar;
};
template <>
struct emu_cell<2> {
  using type = ushort;
};
template <>
struct emu_cell<4> {
  using type = uint;
};
template <>
struct emu_cell<8> {
  using type = ulong;
};
template <class T>
using emu_cell_t = typename emu_cell<sizeof(T)>::type;
template <class T>
EMU_INLINE emu_cell_t<T>* emu_cell_of(volatile _atomic<T>* object) {
  return (emu_cell_t<T>*)object;
}

template <class T>
EMU_INLINE T atomic_load_explicit(const volatile _atomic<T>* object, memory_order) {
  return __builtin_bit_cast(T, __atomic_load_n(emu_cell_of((volatile _atomic<T>*)object), __ATOMIC_RELAXED));
}
template <class T>
EMU_INLINE void atomic_store_explicit(volatile _atomic<T>* object, emu_identity_t<T> desired, memory_order) {
  __atomic_store_n(emu_cell_of(object), __builtin_bit_cast(emu_cell_t<T>, desired), __ATOMIC_RELAXED);
}
template <class T>
EMU_INLINE T atomic_exchange_explicit(volatile _atomic<T>* object, emu_identity_t<T> desired, memory_order) {
  return __builtin_bit_cast(
      T, __atomic_exchange_n(emu_cell_of(object), __builtin_bit_cast(emu_cell_t<T>, desired), __ATOMIC_RELAXED));
}
template <class T>
EMU_INLINE bool atomic_compare_exchange_weak_explicit(volatile _atomic<T>* object, emu_identity_t<T>* expected,
                                                      emu_identity_t<T> desired, memory_order, memory_order) {
  emu_cell_t<T> seen = __builtin_bit_cast(emu_cell_t<T>, *expected);
  const bool done = __atomic_compare_exchange_n(emu_cell_of(object), &seen, __builtin_bit_cast(emu_cell_t<T>, desired),
                                                false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (!done) *expected = __builtin_bit_cast(T, seen);
  return done;
}

struct emu_atomic_add {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return T(a + b);
  }
};
struct emu_atomic_sub {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return T(a - b);
  }
};
struct emu_atomic_min {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return b < a ? b : a;
  }
};
struct emu_atomic_max {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return a < b ? b : a;
  }
};
/// The value before.
template <class F, class T>
EMU_INLINE T emu_atomic_modify(volatile _atomic<T>* object, T operand) {
  auto* cell = emu_cell_of(object);
  emu_cell_t<T> seen = __atomic_load_n(cell, __ATOMIC_RELAXED);
  for (;;) {
    const T next = F::at(__builtin_bit_cast(T, seen), operand);
    if (__atomic_compare_exchange_n(cell, &seen, __builtin_bit_cast(emu_cell_t<T>, next), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return __builtin_bit_cast(T, seen);
  }
}

#define EMU_ATOMIC_NATIVE(name)                                                                                 \
  template <class T>                                                                                            \
  EMU_INLINE T atomic_##name##_explicit(volatile _atomic<T>* object, emu_identity_t<T> operand, memory_order) { \
    return T(__atomic_##name(emu_cell_of(object), emu_cell_t<T>(operand), __ATOMIC_RELAXED));                   \
  }
#define EMU_ATOMIC_LOOP(name, operation)                                                                        \
  template <class T>                                                                                            \
  EMU_INLINE T atomic_##name##_explicit(volatile _atomic<T>* object, emu_identity_t<T> operand, memory_order) { \
    return emu_atomic_modify<operation>(object, operand);                                                       \
  }
#define EMU_ATOMIC_SUM(name, operation)                                                                         \
  template <class T>                                                                                            \
  EMU_INLINE T atomic_##name##_explicit(volatile _atomic<T>* object, emu_identity_t<T> operand, memory_order) { \
    if constexpr (is_floating_point_v<T>)                                                                       \
      return emu_atomic_modify<operation>(object, operand);                                                     \
    else                                                                                                        \
      return T(__atomic_##name(emu_cell_of(object), emu_cell_t<T>(operand), __ATOMIC_RELAXED));                 \
  }
EMU_ATOMIC_SUM(fetch_add, emu_atomic_add)
EMU_ATOMIC_SUM(fetch_sub, emu_atomic_sub)
EMU_ATOMIC_NATIVE(fetch_and)
EMU_ATOMIC_NATIVE(fetch_or)
EMU_ATOMIC_NATIVE(fetch_xor)
EMU_ATOMIC_LOOP(fetch_min, emu_atomic_min)
EMU_ATOMIC_LOOP(fetch_max, emu_atomic_max)
#undef EMU_ATOMIC_NATIVE
#undef EMU_ATOMIC_LOOP
#undef EMU_ATOMIC_SUM

// Of 64-bit objects: no result.
EMU_INLINE void atomic_min_explicit(volatile _atomic<ulong>* object, ulong operand, memory_order) {
  (void)emu_atomic_modify<emu_atomic_min>(object, operand);
}
EMU_INLINE void atomic_max_explicit(volatile _atomic<ulong>* object, ulong operand, memory_order) {
  (void)emu_atomic_modify<emu_atomic_max>(object, operand);
}

}  // namespace metal

using metal::atomic_bool;
using metal::atomic_float;
using metal::atomic_int;
using metal::atomic_uint;
using metal::atomic_ulong;
