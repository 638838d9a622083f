//@ separate
// Texts that are no MSL. Each kernel is compiled without the others.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel missing_semicolon
//@ expect compile_error text=expected
kernel void missing_semicolon(device float* out [[buffer(0)]]) {
  out[0] = 1.0f  // <- compile_error
}

//@ kernel unknown_name
//@ expect compile_error text=lenght
kernel void unknown_name(device float* out [[buffer(0)]]) {
  out[0] = lenght;  // <- compile_error
}

//@ kernel mixes_address_spaces
//@ expect compile_error
kernel void mixes_address_spaces(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[t] = 0.0f;
  device float* p = tile;  // <- compile_error
  out[t] = p[t];
}

//@ kernel writes_to_const
//@ expect compile_error
kernel void writes_to_const(device const float* in [[buffer(0)]]) {
  in[0] = 1.0f;  // <- compile_error
}

//@ kernel writes_to_constant
//@ expect compile_error
kernel void writes_to_constant(constant float* in [[buffer(0)]]) {
  in[0] = 1.0f;  // <- compile_error
}

//@ kernel threadgroup_in_a_function
//@ expect compile_error
inline float in_a_function(uint t) {
  threadgroup float tile[32];  // <- compile_error
  tile[t] = 1.0f;
  return tile[t];
}
kernel void threadgroup_in_a_function(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  out[t] = in_a_function(t);
}

//@ kernel fragment_from_constant_memory
//@ expect compile_error
kernel void fragment_from_constant_memory(constant float* in [[buffer(0)]], device float* out [[buffer(1)]]) {
  simdgroup_float8x8 m;
  simdgroup_load(m, in, 8);  // <- compile_error
  simdgroup_store(m, out, 8);
}

//@ kernel fragment_of_another_type
//@ expect compile_error
kernel void fragment_of_another_type(device const half* in [[buffer(0)]], device float* out [[buffer(1)]]) {
  simdgroup_float8x8 m;
  simdgroup_load(m, in, 8);  // <- compile_error
  simdgroup_store(m, out, 8);
}

//@ kernel wrong_number_of_arguments
//@ expect compile_error
kernel void wrong_number_of_arguments(device float* out [[buffer(0)]]) {
  out[0] = fma(1.0f, 2.0f);  // <- compile_error
}

//@ kernel brace_never_closed
//@ expect compile_error at=nowhere
kernel void brace_never_closed(device float* out [[buffer(0)]]) {
  if (out[0] > 0.0f) {
    out[0] = 1.0f;
