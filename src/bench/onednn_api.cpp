#include "bench/onednn_api.h"

#include <algorithm>
#include <type_traits>

namespace tilewright::bench::onednn {

namespace {

template <class Pointer>
void bind(const SharedObject& object, Pointer& function, const char* name) {
  function = object.find<std::remove_pointer_t<Pointer>>(name);
}

}  // namespace

Api::Api(const SharedObject& object) {
  bind(object, version, "dnnl_version");
  bind(object, effective_isa, "dnnl_get_effective_cpu_isa");
  bind(object, sgemm, "dnnl_sgemm");
  bind(object, engine_create, "dnnl_engine_create");
  bind(object, stream_create, "dnnl_stream_create");
  bind(object, stream_wait, "dnnl_stream_wait");
  bind(object, memory_desc_create, "dnnl_memory_desc_create_with_strides");
  bind(object, memory_desc_destroy, "dnnl_memory_desc_destroy");
  bind(object, memory_create, "dnnl_memory_create");
  bind(object, memory_destroy, "dnnl_memory_destroy");
  bind(object, attributes_create, "dnnl_primitive_attr_create");
  bind(object, attributes_destroy, "dnnl_primitive_attr_destroy");
  bind(object, attributes_set_post_ops, "dnnl_primitive_attr_set_post_ops");
  bind(object, post_ops_create, "dnnl_post_ops_create");
  bind(object, post_ops_destroy, "dnnl_post_ops_destroy");
  bind(object, post_ops_append_eltwise, "dnnl_post_ops_append_eltwise");
  bind(object, matmul_create, "dnnl_matmul_primitive_desc_create");
  bind(object, softmax_create, "dnnl_softmax_forward_primitive_desc_create");
  bind(object, layernorm_create, "dnnl_layer_normalization_forward_primitive_desc_create");
  bind(object, primitive_desc_destroy, "dnnl_primitive_desc_destroy");
  bind(object, primitive_create, "dnnl_primitive_create");
  bind(object, primitive_destroy, "dnnl_primitive_destroy");
  bind(object, primitive_execute, "dnnl_primitive_execute");
}

bool Api::has_primitives() const {
  const bool is_complete = engine_create && stream_create && stream_wait && memory_desc_create && memory_desc_destroy &&
                           memory_create && memory_destroy && attributes_create && attributes_destroy &&
                           attributes_set_post_ops && post_ops_create && post_ops_destroy && post_ops_append_eltwise &&
                           matmul_create && softmax_create && layernorm_create && primitive_desc_destroy &&
                           primitive_create && primitive_destroy && primitive_execute;
  return is_complete && version != nullptr && version()->major >= 3;
}

const char* isa_name(int isa) {
  struct Name {
    int bits;
    const char* name;
  };
  // The names of the nested sets, the largest first.
  constexpr Name kNames[] = {{0xFEF, "avx512_core_amx"},
                             {0x1EF, "avx512_core_fp16"},
                             {0xE7, "avx512_core_bf16"},
                             {0x67, "avx512_core_vnni"},
                             {0x27, "avx512_core"},
                             {0x0F, "avx2_vnni"},
                             {0x07, "avx2"},
                             {0x03, "avx"},
                             {0x01, "sse41"}};
  for (const Name& each : kNames)
    if ((isa & each.bits) == each.bits) return each.name;
  return "default";
}

const char* runtime_name(unsigned runtime) {
  switch (runtime) {
    case 1:
      return "one thread";
    case 2:
      return "OpenMP";
    case 4:
      return "TBB";
    case 8:
      return "a pool of the caller";
    case 512:
      return "SYCL";
    default:
      return "unknown threading";
  }
}

}  // namespace tilewright::bench::onednn
