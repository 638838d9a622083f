// SIMD-group matrices: the map of elements to lanes, loads and stores, multiplies of all types.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

kernel void lane_map(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                     ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 m;
  simdgroup_load(m, in);
  out[2 * lane] = m.thread_elements()[0];
  out[2 * lane + 1] = reinterpret_cast<thread vec<float, 2>&>(m.thread_elements()).y;
  simdgroup_float8x8 identity(1), zero = simdgroup_float8x8(0);
  simdgroup_half8x8 sevens = make_filled_simdgroup_matrix<half, 8, 8>(7.0h);
  out[64 + 2 * lane] = identity.thread_elements()[0] + zero.thread_elements()[0];
  out[64 + 2 * lane + 1] = identity.thread_elements()[1] + zero.thread_elements()[1];
  out[128 + 2 * lane] = sevens.thread_elements()[0];
  out[128 + 2 * lane + 1] = sevens.thread_elements()[1];
  static_assert(sizeof(simdgroup_float8x8::storage_type) / sizeof(float) == 2, "two elements a lane");
}

kernel void moves(device const float* in [[buffer(0)]], device float* out [[buffer(1)]], constant int& row [[buffer(2)]],
                  ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup float staged[16 * 16];
  for (uint i = lane; i < 256; i += 32) staged[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 m;
  simdgroup_load(m, in + 3, row, ulong2(2, 1));
  simdgroup_store(m, out);
  simdgroup_load(m, in, row, 0, true);
  simdgroup_store(m, out + 64, 8);
  simdgroup_load(m, in, ushort(row), ulong2(2, 1), true);
  simdgroup_store(m, out + 128, 8u, ulong2(0));
  simdgroup_load(m, staged, 16, ulong2(8, 8));
  simdgroup_store(m, out + 192, 8, 0, true);
  simdgroup_store(m, staged, 16, ulong2(0, 8), false);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = lane; i < 64; i += 32) out[256 + i] = staged[(8 + i / 8) * 16 + i % 8];
  simdgroup_store(m, out + 320, 16, ulong2(4, 2), true);
}

template <typename A, typename B, typename C>
void multiply(device const float* in, device float* out, ushort lane) {
  threadgroup_barrier(mem_flags::mem_device);
  simdgroup_float8x8 source[3];
  for (int i = 0; i < 3; ++i) simdgroup_load(source[i], in + 64 * i);
  simdgroup_matrix<A, 8, 8> a;
  simdgroup_matrix<B, 8, 8> b;
  simdgroup_matrix<C, 8, 8> c, product;
  for (int i = 0; i < 2; ++i) {
    a.thread_elements()[i] = A(source[0].thread_elements()[i]);
    b.thread_elements()[i] = B(source[1].thread_elements()[i]);
    c.thread_elements()[i] = C(source[2].thread_elements()[i]);
  }
  simdgroup_multiply(product, a, b);
  simdgroup_multiply_accumulate(c, a, b, c);
  simdgroup_float8x8 wide[2];
  for (int i = 0; i < 2; ++i) {
    wide[0].thread_elements()[i] = float(product.thread_elements()[i]);
    wide[1].thread_elements()[i] = float(c.thread_elements()[i]);
  }
  simdgroup_store(wide[0], out);
  simdgroup_store(wide[1], out + 64);
}

kernel void multiplies(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                       ushort lane [[thread_index_in_simdgroup]]) {
  multiply<float, float, float>(in, out, lane);
  multiply<half, half, float>(in, out + 128, lane);
  multiply<bfloat, bfloat, float>(in, out + 256, lane);
  multiply<half, half, half>(in, out + 384, lane);
  multiply<float, half, float>(in, out + 512, lane);
}

kernel void poisoned_a(device float* out [[buffer(0)]]) {
  simdgroup_float8x8 a, b(1), c(0);
  simdgroup_multiply_accumulate(c, a, b, c);
}
kernel void poisoned_b(device float* out [[buffer(0)]]) {
  simdgroup_half8x8 a(1), b;
  simdgroup_float8x8 c(0);
  simdgroup_multiply_accumulate(c, a, b, c);
}
kernel void poisoned_c(device float* out [[buffer(0)]]) {
  simdgroup_bfloat8x8 a(bfloat(1)), b(bfloat(1));
  simdgroup_float8x8 c;
  simdgroup_multiply_accumulate(c, a, b, c);
}
kernel void poisoned_one(device float* out [[buffer(0)]], ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_half8x8 a, b(1);
  simdgroup_float8x8 c(0);
  a.thread_elements()[0] = 1;
  if (lane != 13) a.thread_elements()[1] = 1;
  simdgroup_multiply_accumulate(c, a, b, c);
}
kernel void poisoned_store(device float* out [[buffer(0)]]) {
  simdgroup_float8x8 a;
  simdgroup_store(a, out);
}
kernel void uneven_lanes(device float* out [[buffer(0)]], ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 a;
  simdgroup_load(a, out + (lane == 9 ? 8 : 0));
  simdgroup_store(a, out);
}
