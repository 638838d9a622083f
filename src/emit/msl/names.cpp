#include "emit/msl/names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "emit/msl/library.h"

namespace tilewright::emit_msl {

namespace {

/// Sorted. Words of the language, and those of the library that the text uses or that public headers define as macros.
constexpr std::array kWords = std::to_array<std::string_view>({"INFINITY",
                                                               "Lanes",
                                                               "NAN",
                                                               "NULL",
                                                               "abs",
                                                               "alignas",
                                                               "alignof",
                                                               "and",
                                                               "and_eq",
                                                               "array",
                                                               "as_type",
                                                               "asm",
                                                               "assert",
                                                               "atomic",
                                                               "auto",
                                                               "bfloat",
                                                               "bitand",
                                                               "bitor",
                                                               "bool",
                                                               "break",
                                                               "buffer",
                                                               "case",
                                                               "catch",
                                                               "char",
                                                               "char16_t",
                                                               "char32_t",
                                                               "clamp",
                                                               "class",
                                                               "compl",
                                                               "const",
                                                               "const_cast",
                                                               "constant",
                                                               "constexpr",
                                                               "continue",
                                                               "cooperative_tensor",
                                                               "decltype",
                                                               "default",
                                                               "delete",
                                                               "device",
                                                               "dextents",
                                                               "do",
                                                               "double",
                                                               "dynamic_cast",
                                                               "dynamic_extent",
                                                               "else",
                                                               "enum",
                                                               "execution_simdgroup",
                                                               "explicit",
                                                               "export",
                                                               "extents",
                                                               "extern",
                                                               "false",
                                                               "fast",
                                                               "float",
                                                               "floor",
                                                               "fma",
                                                               "fmod",
                                                               "for",
                                                               "fragment",
                                                               "friend",
                                                               "goto",
                                                               "half",
                                                               "if",
                                                               "inline",
                                                               "int",
                                                               "isnan",
                                                               "kernel",
                                                               "lane",
                                                               "long",
                                                               "main",
                                                               "matmul2d",
                                                               "matmul2d_descriptor",
                                                               "max",
                                                               "mem_flags",
                                                               "metal",
                                                               "min",
                                                               "mpp",
                                                               "mutable",
                                                               "namespace",
                                                               "new",
                                                               "noexcept",
                                                               "not",
                                                               "not_eq",
                                                               "nullptr",
                                                               "operator",
                                                               "or",
                                                               "or_eq",
                                                               "precise",
                                                               "private",
                                                               "protected",
                                                               "ptrdiff_t",
                                                               "public",
                                                               "register",
                                                               "return",
                                                               "sampler",
                                                               "select",
                                                               "short",
                                                               "signbit",
                                                               "signed",
                                                               "size_t",
                                                               "sizeof",
                                                               "static",
                                                               "static_assert",
                                                               "static_cast",
                                                               "struct",
                                                               "subgroup",
                                                               "switch",
                                                               "task",
                                                               "template",
                                                               "tensor",
                                                               "tensor_inline",
                                                               "texture",
                                                               "this",
                                                               "thread",
                                                               "thread_local",
                                                               "threadgroup",
                                                               "throw",
                                                               "true",
                                                               "try",
                                                               "typedef",
                                                               "typeid",
                                                               "typename",
                                                               "uchar",
                                                               "uint",
                                                               "uint2",
                                                               "ulong",
                                                               "ulong2",
                                                               "union",
                                                               "unsigned",
                                                               "ushort",
                                                               "using",
                                                               "vec",
                                                               "vertex",
                                                               "virtual",
                                                               "visible",
                                                               "void",
                                                               "volatile",
                                                               "wchar_t",
                                                               "while",
                                                               "worker",
                                                               "xor",
                                                               "xor_eq"});
static_assert(std::ranges::is_sorted(kWords));

bool starts_badly(std::string_view name) {
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_';
}

/// Names of Metal's library and of the emulator's.
bool begins_reserved(std::string_view name) {
  constexpr std::array kPrefixes = std::to_array<std::string_view>(
      {"simd_", "simdgroup", "quad_", "emu_", "EMU_", "air_", "atomic_", "threadgroup_", "M_", "METAL_", "TARGET_"});
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
  const std::string base = identifier(wanted);
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
