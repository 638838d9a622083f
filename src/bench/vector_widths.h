// Code of one text for several vector widths of x86-64, chosen by what the processor has.
//
// TW_FOR_WIDTHS(name, body, parameters, arguments) defines `void name parameters`, which calls the always-inlined
// `body arguments` compiled for AVX-512, for AVX2 with FMA, or for the base of the target.
#pragma once

#if defined(__x86_64__)
#define TW_FOR_WIDTHS(name, body, parameters, arguments)                                                      \
  __attribute__((target("avx512f,avx512dq,avx2,fma"))) void name##_512 parameters { body arguments; }         \
  __attribute__((target("avx2,fma"))) void name##_256 parameters { body arguments; }                          \
  void name##_base parameters { body arguments; }                                                             \
  void name parameters {                                                                                      \
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return name##_512 arguments; \
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return name##_256 arguments;         \
    return name##_base arguments;                                                                             \
  }
#else
#define TW_FOR_WIDTHS(name, body, parameters, arguments) \
  void name parameters { body arguments; }
#endif
