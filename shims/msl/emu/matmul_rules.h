// What matmul2d may be asked for: descriptor, scopes, sizes, element types. Each rule is a static_assert that quotes
// it.
#pragma once
#pragma clang system_header

#include "cooperative_tensor.h"

namespace metal {

struct execution_thread {};
template <int Simdgroups>
struct execution_simdgroups {};
using execution_simdgroup = execution_simdgroups<1>;

// Element formats that the emulator has no arithmetic for: naming one is refused by the table of types.
struct int4b_format;
struct uint4b_format;
struct int2b_format;
struct uint2b_format;

}  // namespace metal

namespace mpp::tensor_ops {

struct matmul2d_descriptor {
  enum class mode { multiply, multiply_accumulate };

  int m, n, k;
  bool transpose_left, transpose_right, relaxed_precision;
  mode matmul_mode;

  constexpr matmul2d_descriptor(int rows, int columns, int depth = static_cast<int>(metal::dynamic_extent),
                                bool left_is_transposed = false, bool right_is_transposed = false, bool relaxed = false,
                                mode how = mode::multiply)
      : m(rows),
        n(columns),
        k(depth),
        transpose_left(left_is_transposed),
        transpose_right(right_is_transposed),
        relaxed_precision(relaxed),
        matmul_mode(how) {}
};

}  // namespace mpp::tensor_ops

namespace emu_tensors {

using mpp::tensor_ops::matmul2d_descriptor;

/// SIMD groups of a scope; 0: one thread; -1: no scope.
template <class Scope>
constexpr int emu_simdgroups_of = -1;
template <>
constexpr int emu_simdgroups_of<metal::execution_thread> = 0;
template <int Simdgroups>
constexpr int emu_simdgroups_of<metal::execution_simdgroups<Simdgroups>> =
    Simdgroups >= 1 && Simdgroups <= 32 ? Simdgroups : -1;

constexpr bool emu_is_dynamic_k(int k) {
  return k == static_cast<int>(metal::dynamic_extent) || k == metal::dynamic_length_v<int>;
}

constexpr bool emu_is_thread_extent(int extent) {
  return extent == 1 || extent == 2 || extent == 4 || (extent > 0 && extent % 8 == 0);
}

/// The sizes that one scope takes. Instantiated where an operation is declared.
template <matmul2d_descriptor D, int Simdgroups>
struct emu_size_rules {
  static constexpr bool is_dynamic = emu_is_dynamic_k(D.k);
  static_assert(
      Simdgroups >= 0,
      "matmul2d: the scope is execution_thread, execution_simdgroup or execution_simdgroups<N> with N from 1 to"
      " 32");
  static_assert(D.m > 0 && D.n > 0, "matmul2d: m and n are static and positive");
  static_assert(is_dynamic || D.k > 0, "matmul2d: k is positive or dynamic_extent (0 does not mean dynamic)");
  static_assert(is_dynamic || D.k <= 0 || D.k % 16 == 0, "matmul2d: a static k is a multiple of 16");
  static_assert(Simdgroups <= 0 || (D.m % 8 == 0 && D.n % 8 == 0),
                "matmul2d: in a SIMD-group scope m and n are multiples of 8");
  static_assert(Simdgroups <= 0 || D.m % 16 == 0 || D.n % 16 == 0,
                "matmul2d: in a SIMD-group scope at least one of m and n is a multiple of 16");
  static_assert(Simdgroups != 0 || (emu_is_thread_extent(D.m) && emu_is_thread_extent(D.n)),
                "matmul2d: with execution_thread m and n are 1, 2, 4 or a multiple of 8");
  static constexpr bool hold = true;
};

/// Cooperative inputs: one SIMD group, static k, small tiles.
template <matmul2d_descriptor D, int Simdgroups>
struct emu_cooperative_input_rules {
  static constexpr bool is_small(int extent) { return extent == 16 || extent == 32; }
  static_assert(Simdgroups == 1, "matmul2d: cooperative inputs need the scope execution_simdgroup");
  static_assert(!emu_is_dynamic_k(D.k), "matmul2d: cooperative inputs need a static k");
  static_assert(emu_is_dynamic_k(D.k) || (is_small(D.m) && is_small(D.n) && is_small(D.k)),
                "matmul2d: with cooperative inputs m, n and k are 16 or 32 each");
  static_assert(D.m == 32 || D.n == 32 || D.k == 32,
                "matmul2d: with cooperative inputs at least one of m, n and k is 32");
  static constexpr bool hold = true;
};

/// left x right -> destination. A destination that is not float or int32 needs an input of its type, and none of float.
constexpr bool emu_are_types_allowed(int left, int right, int destination) {
  const bool floats = left == EMU_F32 || right == EMU_F32;
  if (left == EMU_NO_SCALAR || right == EMU_NO_SCALAR || left == EMU_I32 || right == EMU_I32) return false;
  if (emu_is_byte(left) && emu_is_byte(right)) return destination == EMU_I32;
  if (destination == EMU_F32) return true;
  return !floats && (destination == EMU_F16 || destination == EMU_BF16) &&
         (left == destination || right == destination);
}

template <class Left, class Right, class Destination>
struct emu_type_rules {
  static_assert(
      emu_are_types_allowed(emu_scalar_of<Left>, emu_scalar_of<Right>, emu_scalar_of<Destination>),
      "matmul2d: these element types are not in the table of left x right -> destination: half, bfloat, float and"
      " 8-bit integers in any pair -> float; half or bfloat with one that is not float -> its own type; 8-bit x"
      " 8-bit -> int (4-bit and fp8 formats are not modelled)");
  static constexpr bool hold = true;
};

}  // namespace emu_tensors
