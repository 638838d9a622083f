// The part of oneDNN's C interface that is compared with: of version 3, dnnl_sgemm and dnnl_version also of version 2.
#pragma once

#include <cstdint>

#include "bench/shared_object.h"

namespace tilewright::bench::onednn {

struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

struct Argument {
  int index;
  void* memory;
};

// Constants of the interface.
inline constexpr int kSuccess = 0, kCpu = 1, kF32 = 3;
inline constexpr unsigned kInOrder = 1;
inline constexpr int kForwardInference = 96, kSoftmaxAccurate = 0x30000, kGeluTanh = 0x2B;
inline constexpr unsigned kUseScale = 2, kRmsNorm = 0x20;
inline constexpr int kSource = 1, kDestination = 17, kWeights = 33, kBias = 41, kScale = 51;

/// The functions; a null one is not there. Handles are pointers to what only the library knows.
struct Api {
  explicit Api(const SharedObject& object);

  const Version* (*version)();
  int (*effective_isa)();
  int (*sgemm)(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* a,
               std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);

  int (*engine_create)(void** engine, int kind, std::size_t index);
  int (*stream_create)(void** stream, void* engine, unsigned flags);
  int (*stream_wait)(void* stream);
  int (*memory_desc_create)(void** desc, int dimensions, const std::int64_t* extents, int type,
                            const std::int64_t* strides);
  int (*memory_desc_destroy)(void* desc);
  int (*memory_create)(void** memory, const void* desc, void* engine, void* handle);
  int (*memory_destroy)(void* memory);
  int (*attributes_create)(void** attributes);
  int (*attributes_destroy)(void* attributes);
  int (*attributes_set_post_ops)(void* attributes, const void* post_ops);
  int (*post_ops_create)(void** post_ops);
  int (*post_ops_destroy)(void* post_ops);
  int (*post_ops_append_eltwise)(void* post_ops, int algorithm, float alpha, float beta);
  int (*matmul_create)(void** desc, void* engine, const void* source, const void* weights, const void* bias,
                       const void* destination, const void* attributes);
  int (*softmax_create)(void** desc, void* engine, int propagation, int algorithm, const void* source,
                        const void* destination, int axis, const void* attributes);
  int (*layernorm_create)(void** desc, void* engine, int propagation, const void* source, const void* destination,
                          const void* statistics, float epsilon, unsigned flags, const void* attributes);
  int (*primitive_desc_destroy)(void* desc);
  int (*primitive_create)(void** primitive, const void* desc);
  int (*primitive_destroy)(void* primitive);
  int (*primitive_execute)(const void* primitive, void* stream, int count, const Argument* arguments);

  bool has_primitives() const;
};

/// A name for what dnnl_get_effective_cpu_isa gives.
const char* isa_name(int isa);
/// And for Version::cpu_runtime.
const char* runtime_name(unsigned runtime);

}  // namespace tilewright::bench::onednn
