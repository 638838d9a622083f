// Each integer function over a table, for one type: result of function f for input i at f * n + i.
#include <metal_stdlib>
using namespace metal;

template <typename T>
void integers(device const T* x, device T* out, uint n, uint i) {
  const T a = x[i], b = x[n + i], c = x[2 * n + i];
  uint f = 0;
#define RESULT(...) out[f++ * n + i] = T(__VA_ARGS__)
  RESULT(abs(a));
  RESULT(absdiff(a, b));
  RESULT(addsat(a, b));
  RESULT(subsat(a, b));
  RESULT(hadd(a, b));
  RESULT(rhadd(a, b));
  RESULT(mulhi(a, b));
  RESULT(madhi(a, b, c));
  RESULT(rotate(a, b));
  RESULT(popcount(a));
  RESULT(clz(a));
  RESULT(ctz(a));
  RESULT(reverse_bits(a));
  RESULT(min(a, b));
  RESULT(max(a, b));
  RESULT(clamp(a, min(b, c), max(b, c)));
  RESULT(min3(a, b, c));
  RESULT(max3(a, b, c));
  RESULT(median3(a, b, c));
  RESULT(extract_bits(a, 1, 5));
  RESULT(extract_bits(a, 0, sizeof(T) * 8));
  RESULT(extract_bits(a, 3, 0));
  RESULT(insert_bits(a, b, 2, 4));
  RESULT(insert_bits(a, b, 0, sizeof(T) * 8));
  RESULT(vec<T, 4>(addsat(vec<T, 4>(a), vec<T, 4>(b))).w);
  RESULT(vec<T, 3>(mulhi(vec<T, 3>(a), vec<T, 3>(b))).z);
  RESULT(madsat(a, b, c));
}

#define INTEGERS(T)                                                                                                      \
  kernel void integer_##T(device const T* x [[buffer(0)]], device T* out [[buffer(1)]], constant uint& n [[buffer(2)]],  \
                          uint i [[thread_position_in_grid]]) {                                                          \
    integers<T>(x, out, n, i);                                                                                           \
  }
INTEGERS(char)
INTEGERS(uchar)
INTEGERS(short)
INTEGERS(ushort)
INTEGERS(int)
INTEGERS(uint)
INTEGERS(long)
INTEGERS(ulong)
