// Facts about vectors, matrices and the small functions: each is a truth that the kernel writes; the test expects them all.
#include <metal_stdlib>
#include <metal_pack>
using namespace metal;

#define CHECK(...) out[count++] = (__VA_ARGS__) ? __LINE__ : -__LINE__

constant float4 table[2] = {float4(1, 2, 3, 4), float4(5, 6, 7, 8)};
constant float2 ends = float2(-1, 1);

struct Mixed {
  uint n;
  packed_float3 p;
  float4 v;
  half4 h;
  float4x4 m;
};

kernel void vectors(device int* out [[buffer(0)]], device float4* memory [[buffer(1)]],
                    constant Mixed& mixed [[buffer(2)]]) {
  int count = 0;
  float4 a = float4(1, 2, 3, 4);
  CHECK(a.x == 1 && a.y == 2 && a.z == 3 && a.w == 4);
  CHECK(a.r == 1 && a.g == 2 && a.b == 3 && a.a == 4 && a[0] == 1 && a[3] == 4);
  CHECK(all(a.wzyx == float4(4, 3, 2, 1)));
  CHECK(all(a.xxyy == float4(1, 1, 2, 2)) && all(a.rgb == a.xyz) && all(a.ba == float2(3, 4)));
  a.xy = a.zw;
  CHECK(all(a == float4(3, 4, 3, 4)));
  a.xyzw = a.wxyz;
  CHECK(all(a == float4(4, 3, 4, 3)));
  a.yz += float2(10, 20);
  a.xw *= 2;
  CHECK(all(a == float4(8, 13, 24, 6)));
  a.xy = a.yx;
  CHECK(all(a.xy == float2(13, 8)));
  float2 b = a.xy + a.zw - a.yx * 2;
  CHECK(all(b == float2(13 + 24 - 16, 8 + 6 - 26)));
  CHECK(all(float4(b, 1, 2) == float4(b.x, b.y, 1, 2)) && all(float4(1, b, 2).yz == b) && all(float4(1, 2, b).zw == b));
  CHECK(all(float4(b, b).zw == b) && all(float4(float3(1, 2, 3), 4) == float4(1, 2, 3, 4)));
  CHECK(all(float4(1, float3(2, 3, 4)) == float4(1, 2, 3, 4)) && all(float3(b, 1).xy == b) && all(float3(1, b).yz == b));
  CHECK(all(float4(7) == 7) && all(float3(half3(1, 2, 3)) == float3(1, 2, 3)) && all(int2(2.9f, -2.9f) == int2(2, -2)));
  uint4 brace = {1u, 2u, 3u};
  CHECK(all(brace == uint4(1, 2, 3, 0)));

  uint4 u = uint4(1, 2, 3, 0xffffffff);
  CHECK(all((u << 4) == uint4(16, 32, 48, 0xfffffff0)) && all((u & 1) == uint4(1, 0, 1, 1)));
  CHECK(all((u >> uint4(0, 1, 1, 31)) == uint4(1, 1, 1, 1)) && all((u ^ u) == 0) && all(~u == 0xffffffff - u));
  CHECK(all(u << 32 == u) && all(u << 33 == u << 1));
  CHECK(all(int4(-7, 7, -8, 8) / 2 == int4(-3, 3, -4, 4)) && all(int4(-7, 7, -8, 8) % 4 == int4(-3, 3, 0, 0)));
  CHECK(all(uchar4(200, 100, 50, 255) + uchar4(100, 100, 100, 1) == uchar4(44, 200, 150, 0)));
  CHECK(all(-int2(3, -4) == int2(-3, 4)) && all(!bool2(true, false) == bool2(false, true)));
  CHECK(all((int2(1, 2) < int2(2, 2)) == bool2(true, false)) && any(int2(0, 1) > 0) && !any(int2(0, 0) > 0));
  CHECK(all((bool2(true, false) && bool2(true, true)) == bool2(true, false)));
  int2 counted = int2(5, 6);
  CHECK(all(counted++ == int2(5, 6)) && all(counted == int2(6, 7)) && all(--counted == int2(5, 6)));
  CHECK(all(2 * int2(1, 2) == int2(2, 4)) && all(10 - int2(1, 2) == int2(9, 8)));
  half2 low = half2(1, 2) * 0.5;
  CHECK(all(low == half2(0.5h, 1.0h)) && all(float2(low) == float2(0.5, 1)));
  bfloat2 brain = bfloat2(1.5f, 2.5f) + bfloat2(1.0f, 1.0f);
  CHECK(float(brain.x) == 2.5f && float(brain.y) == 3.5f);

  memory[0] = table[1];
  memory[1].yw = memory[0].xz;
  memory[1].x = 9;
  memory[1].z = mixed.v.w;
  CHECK(all(memory[1] == float4(9, 5, mixed.v.w, 7)));
  CHECK(all(table[0].zw == float2(3, 4)) && all(ends + 1 == float2(0, 2)) && table[1][2] == 7);
  float3 unpacked = mixed.p;
  float4 from_constant = mixed.v;
  from_constant = mixed.v;
  CHECK(all(unpacked == float3(1, 2, 3)) && all(mixed.p * 2 == float3(2, 4, 6)) && mixed.p[1] == 2 && mixed.p.z == 3);
  CHECK(all(from_constant == float4(4, 5, 6, 7)) && all(mixed.v.xy == float2(4, 5)) && mixed.v.wz[0] == 7);
  CHECK(all(float4(mixed.h) == float4(1, 2, 3, 4)) && all(half2(mixed.v.xy) == half2(4, 5)));
  packed_float3 packed = unpacked + 1;
  packed += unpacked;
  packed[0] = 100;
  CHECK(all(float3(packed) == float3(100, 5, 7)) && packed.y == 5);
  packed.yz = packed.zx;
  CHECK(all(packed.xyz == float3(100, 7, 100)) && all(mixed.p.zy == float2(3, 2)));
  packed_char4 bytes = packed_char4(-1, 2, -3, 4);
  CHECK(all(float4(bytes) == float4(-1, 2, -3, 4)) && all(char4(bytes) == char4(-1, 2, -3, 4)));
  vec<float, 8> wide(1.0f);
  wide[3] = 5;
  CHECK(wide[3] + wide[0] == 6);

  float4x4 m = mixed.m;
  m = mixed.m;
  CHECK(m[1][2] == 6 && all(m[0] == float4(0, 1, 2, 3)) && all(float4x4(2.0f) * float4(1, 2, 3, 4) == float4(2, 4, 6, 8)));
  CHECK(all(m * float4(1, 0, 0, 1) == m[0] + m[3]) && (float4(1, 0, 0, 0) * m).y == m[1][0]);
  CHECK((m * m)[1][2] == dot(float4(m[0][2], m[1][2], m[2][2], m[3][2]), m[1]));
  CHECK(transpose(m)[2][1] == m[1][2] && (m + m)[3][3] == 2 * m[3][3] && (m * 3)[1][1] == 3 * m[1][1]);
  CHECK(determinant(float2x2(1, 2, 3, 4)) == -2 && determinant(float3x3(2, 0, 0, 0, 3, 0, 0, 0, 4)) == 24);
  CHECK(determinant(float4x4(float4(2, 1, 0, 0), float4(0, 3, 0, 0), float4(0, 0, 0, 5), float4(0, 0, 7, 0))) == -210);
  half4x4 hm = half4x4(m);
  hm[2][3] += 1;
  CHECK(float(hm[2][3]) == m[2][3] + 1);

  CHECK(dot(float3(1, 2, 3), float3(4, 5, 6)) == 32 && all(cross(float3(1, 0, 0), float3(0, 1, 0)) == float3(0, 0, 1)));
  CHECK(length(float2(3, 4)) == 5 && distance(float2(1, 1), float2(4, 5)) == 5 && length_squared(float2(3, 4)) == 25);
  CHECK(all(fabs(normalize(float2(3, 4)) - float2(0.6, 0.8)) < 1e-6) && dot(half2(1, 2), half2(3, 4)) == 11.0h);
  CHECK(all(reflect(float2(1, -1), float2(0, 1)) == float2(1, 1)));
  CHECK(all(faceforward(float2(0, 1), float2(0, 1), float2(0, 1)) == float2(0, -1)));
  CHECK(all(mix(float2(0, 10), float2(10, 20), 0.5) == float2(5, 15)) && smoothstep(0.0f, 1.0f, 0.5f) == 0.5f);
  CHECK(all(select(int2(1, 2), int2(3, 4), bool2(true, false)) == int2(3, 2)) && select(1.0f, 2.0f, true) == 2);
  CHECK(as_type<uint>(1.0f) == 0x3f800000 && all(as_type<half2>(0x3c004000u) == half2(2, 1)));
  CHECK(as_type<ushort>(half(1)) == 0x3c00 && as_type<ushort>(bfloat(1)) == 0x3f80 && as_type<float>(0x40000000) == 2);
  CHECK(pack_float_to_unorm4x8(float4(0, 1, 0.5, 2)) == 0xff80ff00u && pack_float_to_snorm2x16(float2(-1, 1)) == 0x7fff8001u);
  CHECK(all(unpack_unorm4x8_to_float(0xff00ff00u) == float4(0, 1, 0, 1)));
  CHECK(unpack_snorm4x8_to_float(0x80u).x == -1 && unpack_unorm2x16_to_half(0xffff0000u).y == 1);
  array<int, 3> numbers = {4, 5, 6};
  CHECK(numbers[1] == 5 && numbers.size() == 3);
  out[count] = 0;
}

// Results for special values: the rules are in docs/emulator.md.
kernel void special(device int* out [[buffer(0)]], device const float* in [[buffer(1)]]) {
  int count = 0;
  const float nan = in[0], inf = in[1], zero = in[2], minus_zero = in[3], tiny = in[4];
  CHECK(isnan(nan) && isinf(inf) && isinf(-inf) && !isfinite(nan) && isfinite(tiny) && signbit(minus_zero));
  CHECK(!isnormal(tiny) && isnormal(1.0f) && !isnormal(zero) && !isnormal(inf) && isnormal(half(1)) && !isnormal(half(1e-6)));
  CHECK(fmin(nan, 1.0f) == 1 && fmin(1.0f, nan) == 1 && fmax(nan, 1.0f) == 1 && fmax(1.0f, nan) == 1 && isnan(fmax(nan, nan)));
  CHECK(min(nan, 1.0f) == 1 && max(1.0f, nan) == 1 && max(half(nan), half(1)) == 1);
  CHECK(clamp(nan, 2.0f, 3.0f) == 2 && clamp(inf, 2.0f, 3.0f) == 3 && saturate(nan) == 0 && saturate(inf) == 1);
  CHECK(sign(nan) == 0 && signbit(sign(minus_zero)) && sign(minus_zero) == 0 && sign(-inf) == -1);
  CHECK(step(nan, 1.0f) == 1 && step(1.0f, nan) == 1 && step(1.0f, 1.0f) == 1);
  CHECK(fract(-tiny) < 1 && isnan(fract(inf)) && fract(half(-0.00001)) < 1.0h);
  CHECK(tiny > 0 && tiny * 0.5f > 0 && float(half(6.0e-8f)) > 0);
  CHECK(isunordered(nan, 1.0f) && isordered(1.0f, 2.0f));
  CHECK(isnan(powr(-1.0f, 2.0f)) && pow(-1.0f, 2.0f) == 1 && isnan(sqrt(-1.0f)) && isinf(rsqrt(zero)) && isinf(log(zero)));
  CHECK(int(nan) == 0 && int(inf) == 2147483647 && int(-inf) == -2147483647 - 1 && uint(-5.0f) == 0);
  CHECK(uint(inf) == 0xffffffff && uchar(in[5]) == 255 && short(in[5]) == 1000 && int(in[6]) == -2);
  CHECK(isinf(half(70000.0f * in[7])) && float(half(65519.0f * in[7])) == 65504);
  CHECK(sinpi(1.0f * in[7]) == 0 && cospi(0.5f * in[7]) == 0 && cospi(1.0f * in[7]) == -1 && sinpi(0.5f * in[7]) == 1);
  int e = 0;
  float whole = 0, cosine = 0;
  CHECK(frexp(12.0f * in[7], e) == 0.75f && e == 4 && ldexp(0.75f, 4) == 12 && ilogb(12.0f * in[7]) == 3);
  CHECK(modf(-3.25f * in[7], whole) == -0.25f && whole == -3);
  CHECK(fabs(sincos(in[7], cosine) - 0.84147098f) < 1e-6f && fabs(cosine - 0.54030230f) < 1e-6f);
  int4 e4;
  CHECK(all(frexp(float4(1, 2, 4, 8), e4) == 0.5f) && all(e4 == int4(1, 2, 3, 4)));
  CHECK(nextafter(1.0f, 2.0f) == 1.0f + 0x1p-23f && nextafter(half(1), half(0)) == half(1 - 0x1p-11f));
  CHECK(as_type<ushort>(nextafter(half(0), half(1))) == 1 && as_type<ushort>(half(nextafter(half(0), half(-1)))) == 0x8001);
  CHECK(bfloat(1.0f + 0x1p-8f * in[7]) == 1 && float(bfloat(1.0f + 0x1.8p-8f * in[7])) == 1 + 0x1p-7f);
  CHECK(numeric_limits<float>::infinity() == inf && numeric_limits<half>::max() == 65504.0h && HALF_MAX == 65504.0h);
  CHECK(numeric_limits<int>::lowest() == INT_MIN && numeric_limits<ulong>::max() == ULONG_MAX);
  CHECK(sizeof(0.5) == 4 && sizeof(1.0h) == 2 && sizeof(1.0h * 2) == 2);
  out[count] = 0;
}

// An operand of an expression is read as a whole: an address between two vectors is seen.
kernel void between_vectors(device float4* out [[buffer(0)]], device const float* in [[buffer(1)]],
                            constant uint& shift [[buffer(2)]]) {
  out[0] = out[1] + *(device const float4*)(in + shift) * 2;
}
