// <metal_simdgroup_matrix>: 8x8 matrices held by a SIMD group. Each lane holds two neighbours of a row, by the map that
// public kernels rely on (emu_fragment_row, emu_fragment_column).
//
// A multiply is, for each element, a chain of fused multiply-adds in float over ascending k, which starts at the
// element of the accumulator and is rounded once to the type of the result. A load or store addresses element (r, c) at
// (origin.y + r) * elements_per_row + origin.x + c, transposed at (origin.x + c) * elements_per_row + origin.y + r.
#pragma once
#pragma clang system_header

#include "simdgroup.h"

namespace metal {

EMU_INLINE constexpr uint emu_fragment_row(uint lane) { return 4 * (lane >> 4) + (lane >> 1 & 3); }
EMU_INLINE constexpr uint emu_fragment_column(uint lane) { return 4 * (lane >> 3 & 1) + 2 * (lane & 1); }

template <class T>
constexpr bool emu_is_fragment_element = __is_same(T, float) || __is_same(T, half) || __is_same(T, bfloat);

template <class T, int Columns, int Rows>
struct simdgroup_matrix {
  static_assert(Columns == 8 && Rows == 8, "the only shape of a simdgroup_matrix is 8x8");
  static_assert(emu_is_fragment_element<T>, "elements of a simdgroup_matrix are half, bfloat or float");
  using storage_type = vec<T, 2>;
  using emu_element = T;

  EMU_INLINE simdgroup_matrix() : emu_held(emu_poison_element<T>()) {}
  simdgroup_matrix(const simdgroup_matrix&) = default;
  EMU_INLINE simdgroup_matrix(T diagonal) : emu_held(T(0)) {
    const uint lane = emu_lane_index(), row = emu_fragment_row(lane), column = emu_fragment_column(lane);
    if (row == column) emu_held.x = diagonal;
    if (row == column + 1) emu_held.y = diagonal;
  }
  EMU_INLINE simdgroup_matrix& operator=(const simdgroup_matrix& other) {
    emu_held = other.emu_held;
    return *this;
  }
  EMU_INLINE thread storage_type& thread_elements() { return emu_held; }
  EMU_INLINE const thread storage_type& thread_elements() const { return emu_held; }

  storage_type emu_held;
};

typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;

template <class T, int Columns, int Rows = Columns>
EMU_INLINE simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Columns, Rows> m;
  m.emu_held = vec<T, 2>(value);
  return m;
}

// --- Indeterminate elements ---

template <class T>
EMU_INLINE bool emu_is_poison(T value) {
  if constexpr (__is_same(T, float))
    return (emu_bits<uint>(value) | EMU_POISON_F32_QUIET) == (EMU_POISON_F32 | EMU_POISON_F32_QUIET);
  if constexpr (__is_same(T, half))
    return (emu_bits<ushort>(value) | EMU_POISON_F16_QUIET) == (EMU_POISON_F16 | EMU_POISON_F16_QUIET);
  if constexpr (__is_same(T, bfloat))
    return (emu_bits<ushort>(value) | EMU_POISON_BF16_QUIET) == (EMU_POISON_BF16 | EMU_POISON_BF16_QUIET);
}

/// The pattern as the conversion to float gives it, but for the quiet bit.
template <class T>
EMU_INLINE constexpr uint emu_poison_in_float() {
  return __is_same(T, float)  ? EMU_POISON_F32
         : __is_same(T, half) ? 0x7f800000u | (EMU_POISON_F16 & 0x3ffu) << 13
                              : uint(EMU_POISON_BF16) << 16;
}

// --- Load and store ---

template <class T>
struct emu_fragment_access {
  T* memory;
  ulong elements_per_row;
  ulong origin_x, origin_y;
  bool transposed;
  T held[2];

  EMU_INLINE bool same_memory(const emu_fragment_access* other) const {
    return memory == other->memory && elements_per_row == other->elements_per_row && origin_x == other->origin_x &&
           origin_y == other->origin_y && transposed == other->transposed;
  }
  /// The whole group acts on what its first lane names; reports lanes that name something else, and the access.
  EMU_INLINE EMU_UNCHECKED static T* begin(void** lanes, uint lane_count, bool is_write) {
    const emu_fragment_access* first = (const emu_fragment_access*)lanes[0];
    for (uint i = 1; i < lane_count; ++i)
      if (!first->same_memory((const emu_fragment_access*)lanes[i]))
        emu_fault(EMU_BARRIER_DIVERGENCE,
                  "lane %0 of the SIMD group names another address, row length, origin or order than lane 0; they must "
                  "be the same in all lanes",
                  i, 0, 0, 0, 0);
    const long row = long(first->elements_per_row);
    T* origin = first->memory + (first->transposed ? long(first->origin_x) * row + long(first->origin_y)
                                                   : long(first->origin_y) * row + long(first->origin_x));
    emu_access(origin, sizeof(T), 8, 8 * sizeof(T), row * long(sizeof(T)), is_write, EMU_COUNT_FRAGMENT);
    return origin;
  }
  EMU_UNCHECKED static void load(void** lanes, uint lane_count) {
    const T* origin = begin(lanes, lane_count, false);
    const emu_fragment_access* first = (const emu_fragment_access*)lanes[0];
    const long row = long(first->elements_per_row), down = first->transposed ? 1 : row,
               right = first->transposed ? row : 1;
    const bool spoils_infinity = emu_option(EMU_OPTION_INF_LOAD_NAN) != 0;
    for (uint i = 0; i < lane_count; ++i) {
      const T* at = origin + long(emu_fragment_row(i)) * down + long(emu_fragment_column(i)) * right;
      T a = at[0], b = at[right];
      if (spoils_infinity) {
        if (float(a) == -__builtin_inff()) a = T(__builtin_nanf(""));
        if (float(b) == -__builtin_inff()) b = T(__builtin_nanf(""));
      }
      emu_fragment_access* lane = (emu_fragment_access*)lanes[i];
      lane->held[0] = a;
      lane->held[1] = b;
    }
  }
  EMU_UNCHECKED static void store(void** lanes, uint lane_count) {
    T* origin = begin(lanes, lane_count, true);
    const emu_fragment_access* first = (const emu_fragment_access*)lanes[0];
    const long row = long(first->elements_per_row), down = first->transposed ? 1 : row,
               right = first->transposed ? row : 1;
    bool poisoned = false;
    for (uint i = 0; i < lane_count; ++i) {
      const emu_fragment_access* lane = (const emu_fragment_access*)lanes[i];
      T* at = origin + long(emu_fragment_row(i)) * down + long(emu_fragment_column(i)) * right;
      for (uint j = 0; j < 2; ++j) {
        if (!poisoned && emu_is_poison(lane->held[j])) {
          poisoned = true;
          emu_fault(EMU_UNINITIALIZED_READ,
                    "simdgroup_store: operand a is indeterminate at row %0, column %1: nothing was loaded, filled or "
                    "computed into it",
                    emu_fragment_row(i), emu_fragment_column(i) + j, 0, 0, 0);
        }
        at[j * right] = lane->held[j];
      }
    }
  }
};

template <class T>
EMU_INLINE void emu_fragment_load(simdgroup_matrix<T, 8, 8>& d, const T* source, ulong elements_per_row,
                                  vec<ulong, 2> origin, bool transposed, EMU_TEXT emu_file, uint emu_line,
                                  uint emu_column) {
  emu_fragment_access<T> access{(T*)source, elements_per_row, origin.x, origin.y, transposed, {}};
  emu_simd_collective(EMU_AT, EMU_FRAGMENT_LOAD, &access, (emu_collective_body)&emu_fragment_access<T>::load);
  d.emu_held = vec<T, 2>(access.held[0], access.held[1]);
}
template <class T>
EMU_INLINE void emu_fragment_store(vec<T, 2> held, T* destination, ulong elements_per_row, vec<ulong, 2> origin,
                                   bool transposed, EMU_TEXT emu_file, uint emu_line, uint emu_column) {
  emu_fragment_access<T> access{destination, elements_per_row, origin.x, origin.y, transposed, {held.x, held.y}};
  emu_simd_collective(EMU_AT, EMU_FRAGMENT_STORE, &access, (emu_collective_body)&emu_fragment_access<T>::store);
}

// Memory is device or threadgroup memory of the element type: nothing converts.
#define EMU_FRAGMENT_MEMORY(space)                                                                                \
  template <class T>                                                                                              \
  EMU_INLINE void simdgroup_load(simdgroup_matrix<T, 8, 8>& d, const space T* source, ulong elements_per_row = 8, \
                                 vec<ulong, 2> matrix_origin = 0, bool transpose_matrix = false, EMU_PLACE) {     \
    emu_fragment_load<T>(d, source, elements_per_row, matrix_origin, transpose_matrix, EMU_AT);                   \
  }                                                                                                               \
  template <class T>                                                                                              \
  EMU_INLINE void simdgroup_store(simdgroup_matrix<T, 8, 8> a, space T* destination, ulong elements_per_row = 8,  \
                                  vec<ulong, 2> matrix_origin = 0, bool transpose_matrix = false, EMU_PLACE) {    \
    emu_fragment_store<T>(a.emu_held, destination, elements_per_row, matrix_origin, transpose_matrix, EMU_AT);    \
  }
EMU_FRAGMENT_MEMORY(device)
#if defined(EMU_OPENCL)
EMU_FRAGMENT_MEMORY(threadgroup)
#endif
#undef EMU_FRAGMENT_MEMORY

// --- Multiply ---

/// What a lane brings to a multiply and takes from it: its pairs of the three operands, not addresses of matrices, so
/// that these stay in registers.
template <class D, class A, class B, class C>
struct emu_fragment_multiply {
  A a[2];
  B b[2];
  C c[2];
  D d[2];

  EMU_UNCHECKED static void run(void** lanes, uint lane_count);
};

using emu_row8 = float __attribute__((ext_vector_type(8)));
using emu_bits8 = uint __attribute__((ext_vector_type(8)));

/// An operand, gathered in float.
struct emu_rows {
  union {
    float at[8][8];
    emu_row8 row[8];
    emu_bits8 bits[8];
  };

  /// Whether some element holds what an indeterminate T becomes in float.
  template <class T>
  EMU_INLINE EMU_UNCHECKED bool has_poison() const {
    emu_bits8 found = 0;
    for (uint r = 0; r < 8; ++r)
      found |= (emu_bits8)((bits[r] | EMU_POISON_F32_QUIET) == (emu_poison_in_float<T>() | EMU_POISON_F32_QUIET));
    return __builtin_reduce_or(found) != 0;
  }
};

/// Reports the first indeterminate element of the operand.
template <class T>
EMU_UNCHECKED __attribute__((noinline)) void emu_report_operand(EMU_TEXT text, void** lanes, ulong offset) {
  for (uint i = 0; i < 32; ++i) {
    const T* pair = (const T*)((const char*)lanes[i] + offset);
    for (uint j = 0; j < 2; ++j)
      if (emu_is_poison(pair[j])) {
        emu_fault(EMU_UNINITIALIZED_READ, text, emu_fragment_row(i), emu_fragment_column(i) + j, 0, 0, 0);
        return;
      }
  }
}

template <class D, class A, class B, class C>
EMU_UNCHECKED void emu_fragment_multiply<D, A, B, C>::run(void** lanes, uint lane_count) {
  if (lane_count < 32) return;  // the runner has reported the incomplete SIMD group
  emu_rows a, b, acc;
#pragma clang loop unroll(full)
  for (uint i = 0; i < 32; ++i) {
    const emu_fragment_multiply* lane = (const emu_fragment_multiply*)lanes[i];
    const uint row = emu_fragment_row(i), column = emu_fragment_column(i);
#pragma clang loop unroll(full)
    for (uint j = 0; j < 2; ++j) {
      a.at[row][column + j] = float(lane->a[j]);
      b.at[row][column + j] = float(lane->b[j]);
      acc.at[row][column + j] = float(lane->c[j]);
    }
  }
  if (a.has_poison<A>())
    emu_report_operand<A>("multiply: operand a is indeterminate at row %0, column %1", lanes,
                          __builtin_offsetof(emu_fragment_multiply, a));
  if (b.has_poison<B>())
    emu_report_operand<B>("multiply: operand b is indeterminate at row %0, column %1", lanes,
                          __builtin_offsetof(emu_fragment_multiply, b));
  if (acc.has_poison<C>())
    emu_report_operand<C>("multiply: operand c, the accumulator, is indeterminate at row %0, column %1", lanes,
                          __builtin_offsetof(emu_fragment_multiply, c));
#pragma clang loop unroll(full)
  for (uint r = 0; r < 8; ++r) {
    emu_row8 sum = acc.row[r];
#pragma clang loop unroll(full)
    for (uint k = 0; k < 8; ++k) sum = __builtin_elementwise_fma(emu_row8(a.at[r][k]), b.row[k], sum);
    acc.row[r] = sum;
  }
#pragma clang loop unroll(full)
  for (uint i = 0; i < 32; ++i) {
    emu_fragment_multiply* lane = (emu_fragment_multiply*)lanes[i];
    const uint row = emu_fragment_row(i), column = emu_fragment_column(i);
    lane->d[0] = D(acc.at[row][column]);
    lane->d[1] = D(acc.at[row][column + 1]);
  }
  emu_count(EMU_COUNTER_MATRIX_8X8, 1);
}

template <class D, class A, class B, class C>
EMU_INLINE void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8>& d, const simdgroup_matrix<A, 8, 8>& a,
                                              const simdgroup_matrix<B, 8, 8>& b, const simdgroup_matrix<C, 8, 8>& c,
                                              EMU_PLACE) {
  using multiply = emu_fragment_multiply<D, A, B, C>;
  multiply lane{{a.emu_held.x, a.emu_held.y}, {b.emu_held.x, b.emu_held.y}, {c.emu_held.x, c.emu_held.y}, {}};
  emu_simd_collective(EMU_AT, EMU_FRAGMENT_MULTIPLY, &lane, (emu_collective_body)&multiply::run);
  d.emu_held = vec<D, 2>(lane.d[0], lane.d[1]);
}
template <class D, class A, class B>
EMU_INLINE void simdgroup_multiply(simdgroup_matrix<D, 8, 8>& d, const simdgroup_matrix<A, 8, 8>& a,
                                   const simdgroup_matrix<B, 8, 8>& b, EMU_PLACE) {
  using multiply = emu_fragment_multiply<D, A, B, float>;
  multiply lane{{a.emu_held.x, a.emu_held.y}, {b.emu_held.x, b.emu_held.y}, {0, 0}, {}};
  emu_simd_collective(EMU_AT, EMU_FRAGMENT_MULTIPLY, &lane, (emu_collective_body)&multiply::run);
  d.emu_held = vec<D, 2>(lane.d[0], lane.d[1]);
}

}  // namespace metal
