// The arithmetic of matmul2d: blocks of 4 rows by 16 columns, each element the chain s = fma(a[i][k], b[k][j], s) for
// ascending k. Float, or unsigned for exact integers modulo 2^32.
#pragma once
#pragma clang system_header

#include "tensor_scalar.h"

namespace emu_tensors {

template <class Sum>
struct emu_octet {
  typedef Sum type __attribute__((ext_vector_type(8), aligned(4)));
};

EMU_INLINE EMU_UNCHECKED emu_octet<float>::type emu_chain(float a, emu_octet<float>::type b,
                                                          emu_octet<float>::type sum) {
  const emu_octet<float>::type wide = a;
  return __builtin_elementwise_fma(wide, b, sum);
}
EMU_INLINE EMU_UNCHECKED emu_octet<unsigned>::type emu_chain(unsigned a, emu_octet<unsigned>::type b,
                                                             emu_octet<unsigned>::type sum) {
  return a * b + sum;
}

template <class Sum, int Octets>
EMU_INLINE EMU_UNCHECKED void emu_multiply_block(const Sum* a, long a_row, const Sum* b, long b_row, Sum* c, long c_row,
                                                 long depth) {
  using Octet = typename emu_octet<Sum>::type;
  Octet sums[4][Octets];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < Octets; ++j) sums[i][j] = *reinterpret_cast<const Octet*>(c + i * c_row + j * 8);
  }
  for (long k = 0; k < depth; ++k) {
    Octet right[Octets];
#pragma unroll
    for (int j = 0; j < Octets; ++j) right[j] = *reinterpret_cast<const Octet*>(b + k * b_row + j * 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Sum left = a[i * a_row + k];
#pragma unroll
      for (int j = 0; j < Octets; ++j) sums[i][j] = emu_chain(left, right[j], sums[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < Octets; ++j) *reinterpret_cast<Octet*>(c + i * c_row + j * 8) = sums[i][j];
  }
}

/// c += a * b. rows is a multiple of 4, columns of 8.
template <class Sum>
EMU_UNCHECKED void emu_multiply(const Sum* a, long a_row, const Sum* b, long b_row, Sum* c, long c_row, long rows,
                                long columns, long depth) {
  for (long i = 0; i < rows; i += 4) {
    long j = 0;
    for (; j + 16 <= columns; j += 16) {
      emu_multiply_block<Sum, 2>(a + i * a_row, a_row, b + j, b_row, c + i * c_row + j, c_row, depth);
    }
    for (; j < columns; j += 8) {
      emu_multiply_block<Sum, 1>(a + i * a_row, a_row, b + j, b_row, c + i * c_row + j, c_row, depth);
    }
  }
}

}  // namespace emu_tensors
