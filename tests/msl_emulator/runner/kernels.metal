#include <metal_stdlib>
using namespace metal;

kernel void add(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]], device float* c [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
  c[i] = a[i] + b[i];
}

kernel void positions(device uint* out [[buffer(0)]], uint3 p [[thread_position_in_grid]],
                      uint3 size [[threads_per_grid]], uint3 group [[threads_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]], uint active [[threads_per_simdgroup]]) {
  const uint i = p.x + size.x * (p.y + size.y * p.z);
  out[i] = p.x + 1000 * p.y + 1000000 * group.x;
}

kernel void reverse(device const int* in [[buffer(0)]], device int* out [[buffer(1)]], threadgroup int* tile [[threadgroup(0)]],
                    uint t [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]],
                    uint g [[threadgroup_position_in_grid]]) {
  tile[t] = in[g * n + t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[g * n + t] = tile[n - 1 - t];
}

kernel void bytes(device uint* words [[buffer(0)]], uint t [[thread_position_in_grid]]) {
  device uchar* at = reinterpret_cast<device uchar*>(words);
  at[t] = uchar(t);
}

kernel void small_elements(device uchar* out [[buffer(0)]], uint t [[thread_position_in_grid]]) { out[t] = uchar(t); }

kernel void byte_race(device uint* words [[buffer(0)]], uint t [[thread_position_in_grid]]) {
  device uchar* at = reinterpret_cast<device uchar*>(words);
  at[t / 2] = uchar(t); // <- byte race
}

kernel void half_tile(device half* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup half tile[64];
  tile[t] = half(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[63 - t];
}

kernel void past_end(device int* out [[buffer(0)]], uint t [[thread_position_in_grid]]) {
  out[t + 1] = 1; // <- past end
}

kernel void before_begin(device int* out [[buffer(0)]], uint t [[thread_position_in_grid]]) {
  out[int(t) - 1] = 1; // <- before begin
}

kernel void between_groups(device int* out [[buffer(0)]], uint g [[threadgroup_position_in_grid]],
                           uint t [[thread_index_in_threadgroup]]) {
  if (t == 0) out[0] = int(g); // <- between groups
}

kernel void count_atomically(device atomic_uint* count [[buffer(0)]]) {
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
}

kernel void order_dependent(device atomic_uint* next [[buffer(0)]], device uint* out [[buffer(1)]],
                            uint t [[thread_position_in_grid]]) {
  out[t] = atomic_fetch_add_explicit(next, 1u, memory_order_relaxed);
}

kernel void forever(device int* out [[buffer(0)]], uint t [[thread_position_in_grid]]) {
  volatile device int* at = out;
  while (at[t] == 0) { // <- forever
  }
}

static int deep(int n, volatile device int* out) {
  int kept[64];
  for (int i = 0; i < 64; ++i) kept[i] = n + out[0] + i;
  if (n == out[0]) return kept[3];
  return deep(n + 1, out) + kept[n & 63];
}
kernel void recursion(device int* out [[buffer(0)]]) { out[1] = deep(1, out); }

kernel void wild(device int* out [[buffer(0)]]) {
  device int* nowhere = reinterpret_cast<device int*>(0x1234560ul + ulong(out[0]));
  *nowhere = 1; // <- wild
}

kernel void divide(device int* out [[buffer(0)]], uint t [[thread_position_in_grid]]) { out[t] = 7 / out[t]; }

kernel void divergent(device int* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t < 16) {
    threadgroup_barrier(mem_flags::mem_device); // <- divergent one
  } else {
    threadgroup_barrier(mem_flags::mem_device); // <- divergent two
  }
  out[t] = 1;
}

kernel void early_exit(device int* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t == 5) return;
  threadgroup_barrier(mem_flags::mem_device); // <- early exit
  out[t] = 1;
}

kernel void partial_sum(device int* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  int sum = 0;
  if (t < 10) {
    sum = simd_sum(int(t));
  } else {
    sum = simd_sum(1);
  }
  out[t] = sum;
}

kernel void too_much_memory(device int* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup int tile[8193]; // <- too much memory
  tile[t] = 1;
  out[t] = tile[t];
}

kernel void read_only(constant int& in [[buffer(0)]], device int* out [[buffer(1)]]) {
  const_cast<device int&>(reinterpret_cast<device const int&>(in)) = 3;  // <- read only
  out[0] = in;
}

kernel void same_memory(device const int* a [[buffer(0)]], device int* b [[buffer(1)]], uint t [[thread_position_in_grid]]) {
  b[t] = a[t] + (reinterpret_cast<ulong>(a) == reinterpret_cast<ulong>(b) ? 100 : 0);
}

kernel void unwritten(device int* temp [[buffer(0)]], device int* out [[buffer(1)]], uint t [[thread_position_in_grid]]) {
  if (t > 0) temp[t] = 1;
  out[t] = temp[t]; // <- unwritten
}

constant bool use_extra [[function_constant(0)]];
kernel void optional_buffer(device const int* extra [[buffer(0), function_constant(use_extra)]], device int* out [[buffer(1)]]) {
  out[0] = extra[0];
}
