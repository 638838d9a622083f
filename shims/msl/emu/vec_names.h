// float2, packed_half4, ...: the same names at global scope and in metal.
#pragma once
#pragma clang system_header

#include "packed.h"

#define EMU_NAMES(T)                             \
  typedef metal::vec<T, 2> T##2;                 \
  typedef metal::vec<T, 3> T##3;                 \
  typedef metal::vec<T, 4> T##4;                 \
  typedef metal::packed_vec<T, 2> packed_##T##2; \
  typedef metal::packed_vec<T, 3> packed_##T##3; \
  typedef metal::packed_vec<T, 4> packed_##T##4;
#define EMU_ALL_NAMES \
  EMU_NAMES(bool)     \
  EMU_NAMES(char)     \
  EMU_NAMES(uchar)    \
  EMU_NAMES(short)    \
  EMU_NAMES(ushort)   \
  EMU_NAMES(int)      \
  EMU_NAMES(uint)     \
  EMU_NAMES(long)     \
  EMU_NAMES(ulong)    \
  EMU_NAMES(half)     \
  EMU_NAMES(bfloat)   \
  EMU_NAMES(float)
EMU_ALL_NAMES
namespace metal {
EMU_ALL_NAMES
}
#undef EMU_ALL_NAMES
#undef EMU_NAMES
