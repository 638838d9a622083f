// Sizes and alignments of MSL 2; nothing is run but one store.
#include <metal_stdlib>
#include <simd/simd.h>
using namespace metal;

#define LAYOUT(type, size, alignment) static_assert(sizeof(type) == size && alignof(type) == alignment, #type)
#define VECTORS(T, size)              \
  LAYOUT(T, size, size);              \
  LAYOUT(T##2, 2 * size, 2 * size);   \
  LAYOUT(T##3, 4 * size, 4 * size);   \
  LAYOUT(T##4, 4 * size, 4 * size);   \
  LAYOUT(packed_##T##2, 2 * size, size); \
  LAYOUT(packed_##T##3, 3 * size, size); \
  LAYOUT(packed_##T##4, 4 * size, size)
VECTORS(bool, 1);
VECTORS(char, 1);
VECTORS(uchar, 1);
VECTORS(short, 2);
VECTORS(ushort, 2);
VECTORS(int, 4);
VECTORS(uint, 4);
VECTORS(long, 8);
VECTORS(ulong, 8);
VECTORS(half, 2);
VECTORS(bfloat, 2);
VECTORS(float, 4);
using float_8 = vec<float, 8>;
LAYOUT(float_8, 32, 32);
LAYOUT(half2x2, 8, 4);
LAYOUT(half2x3, 16, 8);
LAYOUT(half2x4, 16, 8);
LAYOUT(half4x4, 32, 8);
LAYOUT(float2x2, 16, 8);
LAYOUT(float3x3, 48, 16);
LAYOUT(float4x2, 32, 8);
LAYOUT(float4x3, 64, 16);
LAYOUT(float4x4, 64, 16);
LAYOUT(atomic_int, 4, 4);
LAYOUT(atomic_uint, 4, 4);
LAYOUT(atomic_float, 4, 4);
LAYOUT(atomic_bool, 1, 1);
LAYOUT(atomic_ulong, 8, 8);
LAYOUT(size_t, 8, 8);
LAYOUT(int8_t, 1, 1);
LAYOUT(uint64_t, 8, 8);

struct Mixed {
  uchar c;
  float3 v;
  half h;
  packed_float3 p;
  bool b;
  float2 w;
};
LAYOUT(Mixed, 64, 16);
static_assert(sizeof(0.5) == 4 && sizeof(simd::float3) == 16, "literals are single precision");
static_assert(is_same_v<float4, vec<float, 4>> && is_same_v<vec<half, 2>, half2>, "names");
static_assert(is_same_v<decltype(half2(1) * half2(1)), half2> && is_same_v<decltype(int2(1) < int2(1)), bool2>, "types");
static_assert(is_same_v<decltype(max(ushort(1), ushort(2))), ushort> && is_same_v<decltype(max(1, 2u)), uint>, "max");
static_assert(is_same_v<decltype(exp(half(1))), half> && is_same_v<decltype(sqrt(float3(1))), float3>, "real functions");
static_assert(is_same_v<decltype(fma(half4(1), half4(1), half4(1))), half4>, "real functions");
static_assert(is_floating_point_v<bfloat> && is_integral_v<uchar> && !is_integral_v<half> && is_signed_v<half>, "traits");
static_assert(is_same_v<conditional_t<true, int, float>, int> && is_same_v<make_unsigned_t<short>, ushort>, "traits");
static_assert(is_same_v<remove_cv_t<const volatile int>, int> && is_same_v<decay_t<const int&>, int>, "traits");
static_assert(is_convertible_v<int, float> && integral_constant<int, 3>::value == 3 && true_type{}, "traits");
static_assert(conjunction_v<true_type, true_type> && !disjunction_v<false_type>, "traits");

kernel void nothing(device float* out [[buffer(0)]]) { out[0] = 1; }
