// The functions of a SIMD group and of a quad. `active`: one bit a lane, which of them take part.
#include <metal_stdlib>
using namespace metal;

#define RESULT(...) out[count++ * 64 + t] = float(__VA_ARGS__)

kernel void simd_functions(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                           constant uint& active [[buffer(2)]], uint t [[thread_index_in_threadgroup]],
                           uint lane [[thread_index_in_simdgroup]]) {
  if ((active >> lane & 1) == 0) return;
  const float x = in[t];
  const int k = int(x);
  uint count = 0;
  RESULT(simd_sum(x));
  RESULT(simd_product(1 + x / 64));
  RESULT(simd_min(x));
  RESULT(simd_max(x));
  RESULT(simd_and(k | 1));
  RESULT(simd_or(k));
  RESULT(simd_xor(k));
  RESULT(simd_prefix_inclusive_sum(x));
  RESULT(simd_prefix_exclusive_sum(x));
  RESULT(simd_prefix_inclusive_product(1 + x / 64));
  RESULT(simd_prefix_exclusive_product(1 + x / 64));
  RESULT(simd_broadcast_first(x));
  RESULT(simd_all(x >= 0));
  RESULT(simd_all(x > 5));
  RESULT(simd_any(x > 5));
  RESULT(simd_any(x < 0));
  RESULT(popcount(ulong(simd_ballot(k % 3 == 0))));
  RESULT(popcount(simd_vote::vote_t(simd_active_threads_mask())));
  RESULT(simd_is_first());
  RESULT(quad_sum(x));
  RESULT(quad_product(1 + x / 64));
  RESULT(quad_min(x));
  RESULT(quad_max(k));
  RESULT(quad_and(k | 1));
  RESULT(quad_or(k));
  RESULT(quad_xor(k));
  RESULT(quad_prefix_inclusive_sum(x));
  RESULT(quad_prefix_exclusive_sum(x));
  RESULT(quad_broadcast_first(x));
  RESULT(quad_all(x > 5));
  RESULT(quad_any(x > 5));
  RESULT(ushort(quad_vote::vote_t(quad_ballot(k % 3 == 0))));
  RESULT(quad_is_first());
  RESULT(simd_sum(float2(x, 1)).y);
  RESULT(simd_sum(half(k % 4)));
  RESULT(simd_max(uchar(k)));
}

// All lanes take part; the sources are computed by the test.
kernel void shuffles(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                     uint t [[thread_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]]) {
  const float x = in[t], fill = 1000 + x;
  uint count = 0;
  RESULT(simd_broadcast(x, 7));
  RESULT(simd_shuffle(x, (lane * 5 + 3) % 32));
  RESULT(simd_shuffle_xor(x, 9));
  RESULT(simd_shuffle_up(x, 3));
  RESULT(simd_shuffle_down(x, 3));
  RESULT(simd_shuffle_rotate_up(x, 3));
  RESULT(simd_shuffle_rotate_down(x, 3));
  RESULT(simd_shuffle_and_fill_up(x, fill, 3));
  RESULT(simd_shuffle_and_fill_down(x, fill, 3));
  RESULT(simd_shuffle_and_fill_up(x, fill, 3, 8));
  RESULT(simd_shuffle_and_fill_down(x, fill, 3, 8));
  RESULT(quad_broadcast(x, 2));
  RESULT(quad_shuffle(x, (lane + 1) % 4));
  RESULT(quad_shuffle_xor(x, 1));
  RESULT(quad_shuffle_up(x, 1));
  RESULT(quad_shuffle_down(x, 1));
  RESULT(quad_shuffle_rotate_up(x, 1));
  RESULT(quad_shuffle_rotate_down(x, 1));
  RESULT(simd_shuffle(half4(x), 5).w);
  RESULT(simd_shuffle_xor(int2(x, -x).xy, 2).y);
  RESULT(simd_shuffle(bool(int(x) & 1), 4));
  RESULT(simd_shuffle_down(long(x), 1));
}

// A lane that reads from one that took no part gets the indeterminate pattern.
kernel void inactive_source(device uint* out [[buffer(0)]], ushort lane [[thread_index_in_simdgroup]]) {
  if (lane % 2 == 1) return;
  out[lane] = as_type<uint>(simd_shuffle(float(lane), lane + 1));
  out[lane + 1] = as_type<ushort>(simd_shuffle(half(lane), lane + 1));
}

struct Counters {
  atomic_int sum;
  atomic_uint largest;
  atomic_uint bits;
  atomic_float total;
  atomic_uint swapped;
  atomic_ulong top;
  atomic_int smallest;
};
kernel void atomics(device Counters& c [[buffer(0)]], device int* out [[buffer(1)]], threadgroup atomic_uint* shared [[threadgroup(0)]],
                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  if (t == 0) atomic_store_explicit(shared, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&c.sum, int(i) - 10, memory_order_relaxed);
  atomic_fetch_max_explicit(&c.largest, i * 7 % 61, memory_order_relaxed);
  atomic_fetch_min_explicit(&c.smallest, -int(i % 50), memory_order_relaxed);
  atomic_fetch_or_explicit(&c.bits, 1u << (i % 20), memory_order_relaxed);
  atomic_fetch_add_explicit(&c.total, 0.5f, memory_order_relaxed);
  atomic_max_explicit(&c.top, ulong(i) << 32, memory_order_relaxed);
  uint seen = atomic_load_explicit(&c.swapped, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&c.swapped, &seen, seen + 3, memory_order_relaxed, memory_order_relaxed)) {
  }
  out[i] = int(atomic_fetch_add_explicit(shared, 1u, memory_order_relaxed));
  atomic_fetch_sub_explicit(&c.sum, 1, memory_order_relaxed);
}
