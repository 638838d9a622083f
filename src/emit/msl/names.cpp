#include "emit/msl/names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "emit/msl/library.h"

namespace tilewright::emit_msl {

namespace {

/// Sorted. Words of the language, and those of the library that the text uses or that public headers define as macros.
// clang-format off
constexpr std::array kWords = std::to_array<std::string_view>({
    "HUGE_VAL", "HUGE_VALF", "HUGE_VALH", "INFINITY", "Lanes", "MAXBFLOAT", "MAXFLOAT", "MAXHALF", "NAN", "NULL",
    "abs", "access", "alignas", "alignof", "and", "and_eq", "array", "as_float", "as_type", "asm", "assert",
    "atomic", "atomic_bool", "atomic_float", "atomic_int", "atomic_uint", "auto", "bfloat", "bfloat2", "bfloat3",
    "bfloat4", "bitand", "bitor", "bool", "bool2", "bool3", "bool4", "break", "buffer", "case", "catch", "char",
    "char16_t", "char2", "char3", "char32_t", "char4", "clamp", "class", "command_buffer", "compl",
    "compute_command", "const", "const_cast", "constant", "constexpr", "continue", "cooperative_tensor", "coord",
    "cos", "decltype", "default", "delete", "depth2d", "depth2d_array", "depth2d_ms", "depthcube", "device",
    "dextents", "do", "double", "dynamic_cast", "dynamic_extent", "else", "enum", "event_t", "execution_simdgroup",
    "exp", "explicit", "export", "extents", "extern", "false", "fast", "float", "float2", "float2x2", "float2x3",
    "float2x4", "float3", "float3x2", "float3x3", "float3x4", "float4", "float4x2", "float4x3", "float4x4", "floor",
    "fma", "fmod", "for", "fragment", "friend", "goto", "half", "half2", "half2x2", "half2x3", "half2x4", "half3",
    "half3x2", "half3x3", "half3x4", "half4", "half4x2", "half4x3", "half4x4", "ieee", "if", "imageblock", "inline",
    "int", "int16_t", "int2", "int3", "int32_t", "int4", "int64_t", "int8_t", "intersection",
    "intersection_function_table", "isnan", "kernel", "lane", "log", "long", "long2", "long3", "long4", "main",
    "matmul2d", "matmul2d_descriptor", "matrix", "max", "mem_flags", "memory_order_acq_rel", "memory_order_acquire",
    "memory_order_relaxed", "memory_order_release", "memory_order_seq_cst", "mesh", "metal", "min", "mpp", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "object", "object_data", "operator", "or", "or_eq",
    "packed_bfloat2", "packed_bfloat3", "packed_bfloat4", "packed_char2", "packed_char3", "packed_char4",
    "packed_float2", "packed_float3", "packed_float4", "packed_half2", "packed_half3", "packed_half4", "packed_int2",
    "packed_int3", "packed_int4", "packed_long2", "packed_long3", "packed_long4", "packed_short2", "packed_short3",
    "packed_short4", "packed_uchar2", "packed_uchar3", "packed_uchar4", "packed_uint2", "packed_uint3",
    "packed_uint4", "packed_ushort2", "packed_ushort3", "packed_ushort4", "patch_control_point", "pow", "precise",
    "private", "protected", "ptrdiff_t", "public", "raster_order_group", "ray_data", "register", "render_command",
    "return", "rint", "sampler", "select", "short", "short2", "short3", "short4", "signbit", "signed", "sin",
    "size_t", "sizeof", "sqrt", "stage_in", "static", "static_assert", "static_cast", "struct", "subgroup", "switch",
    "tanh", "task", "template", "tensor", "tensor_inline", "texture", "texture1d", "texture1d_array", "texture2d",
    "texture2d_array", "texture2d_ms", "texture3d", "texture_buffer", "texturecube", "texturecube_array", "this",
    "thread", "thread_local", "thread_scope", "threadgroup", "throw", "true", "try", "typedef", "typeid", "typename",
    "uchar", "uchar2", "uchar3", "uchar4", "uint", "uint16_t", "uint2", "uint3", "uint32_t", "uint4", "uint64_t",
    "uint8_t", "ulong", "ulong2", "ulong3", "ulong4", "uniform", "union", "unsigned", "ushort", "ushort2", "ushort3",
    "ushort4", "using", "vec", "vertex", "virtual", "visible", "visible_function_table", "void", "volatile",
    "wchar_t", "while", "worker", "xor", "xor_eq"
});
// clang-format on
static_assert(std::ranges::is_sorted(kWords));

bool starts_badly(std::string_view name) {
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_';
}

/// Names of Metal's library and of the emulator's.
bool begins_reserved(std::string_view name) {
  constexpr std::array kPrefixes = std::to_array<std::string_view>(
      {"simd_", "simdgroup", "quad_",   "emu_",  "EMU_",   "air_",   "atomic_", "threadgroup_",
       "M_",    "METAL_",    "TARGET_", "FLT_",  "HALF_",  "BFLT_",  "DBL_",    "INT_",
       "UINT_", "SHRT_",     "USHRT_",  "CHAR_", "UCHAR_", "SCHAR_", "LONG_",   "ULONG_"});
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Letters, digits and single underscores, beginning with a letter.
std::string identifier(std::string_view wanted) {
  std::string name;
  for (char c : wanted) {
    const char kept = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (kept != '_' || name.empty() || name.back() != '_') name += kept;
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return starts_badly(name) || begins_reserved(name) ? "v_" + name : name;
}

}  // namespace

bool is_reserved(std::string_view name) {
  return std::ranges::binary_search(kWords, name) || is_library_name(name) || begins_reserved(name);
}

bool NameTable::is_free(std::string_view name) const { return !is_reserved(name) && !taken_.contains(name); }

std::string NameTable::fresh(std::string_view wanted) {
  std::string base = identifier(wanted);
  // A number behind a reserved prefix would not make it free.
  if (!is_free(base) && is_reserved(base + "_1")) base = "the_" + base;
  std::string name = base;
  int number = 0;
  while (!is_free(name)) {
    number = ++last_number_[base];
    name = fmt::format("{}_{}", base, number);
  }
  taken_.insert(name);
  given_.push_back({name, base, number});
  return name;
}

void NameTable::end_scope() {
  for (; given_.size() > scopes_.back(); given_.pop_back()) {
    const Given& last = given_.back();
    taken_.erase(last.name);
    if (last.number > 0) last_number_[last.base] = last.number - 1;
  }
  scopes_.pop_back();
}

}  // namespace tilewright::emit_msl
