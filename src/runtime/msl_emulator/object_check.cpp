#include "runtime/msl_emulator/object_check.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "support/files.h"

namespace tilewright::msl_emulator {

namespace {

/// What abi.h declares for kernels to call.
constexpr std::string_view kRunnerFunctions[] = {"emu_this_lane",
                                                 "emu_simd_collective",
                                                 "emu_threadgroup_collective",
                                                 "emu_lane_operation",
                                                 "emu_threadgroup_barrier",
                                                 "emu_simdgroup_barrier",
                                                 "emu_fence",
                                                 "emu_threadgroup_variable",
                                                 "emu_access",
                                                 "emu_scratch",
                                                 "emu_fault",
                                                 "emu_count",
                                                 "emu_count_matmul",
                                                 "emu_option"};

constexpr std::string_view kPlainFunctions[] = {
    "memcpy",       "memmove",       "memset",       "memcmp",       "__extendhfsf2",  "__truncsfhf2",
    "__truncdfhf2", "__extendhfdf2", "__truncsfbf2", "__truncdfbf2", "__gnu_h2f_ieee", "__gnu_f2h_ieee",
    "__udivti3",    "__umodti3",     "__divti3",     "__modti3",     "__multi3",       "_GLOBAL_OFFSET_TABLE_"};

/// Each with and without the suffix f.
constexpr std::string_view kMathFunctions[] = {
    "acos",      "acosh",     "asin", "asinh",     "atan",   "atan2", "atanh",  "cbrt",      "ceil",   "copysign",
    "cos",       "cosh",      "erf",  "erfc",      "exp",    "exp10", "exp2",   "expm1",     "fabs",   "fdim",
    "floor",     "fma",       "fmax", "fmin",      "fmod",   "frexp", "hypot",  "ilogb",     "ldexp",  "lgamma",
    "llrint",    "llround",   "log",  "log10",     "log1p",  "log2",  "logb",   "lrint",     "lround", "modf",
    "nearbyint", "nextafter", "pow",  "remainder", "remquo", "rint",  "round",  "roundeven", "scalbn", "scalbln",
    "sin",       "sincos",    "sinh", "sqrt",      "tan",    "tanh",  "tgamma", "trunc"};

bool is_provided_symbol(std::string_view name) {
  const auto among = [](const auto& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
  };
  if (name.starts_with("__tsan_") || among(kRunnerFunctions, name) || among(kPlainFunctions, name)) return true;
  if (among(kMathFunctions, name)) return true;
  return name.ends_with('f') && among(kMathFunctions, name.substr(0, name.size() - 1));
}

std::unexpected<Diags> refuse_object(std::string message, std::string hint = {}) {
  return failure(DiagCode::KernelNotModelled, std::move(message), std::move(hint));
}

/// Reads structures out of the file's bytes; nothing lies outside them.
class ObjectReader {
 public:
  explicit ObjectReader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  template <class T>
  std::vector<T> table(std::uint64_t offset, std::uint64_t size) const {
    std::vector<T> values;
    const std::uint64_t count = size / sizeof(T);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::optional<T> value = at<T>(offset + i * sizeof(T));
      if (!value) break;
      values.push_back(*value);
    }
    return values;
  }

  std::string text(std::uint64_t offset, std::uint64_t end) const {
    std::string out;
    for (; offset < end && offset < bytes_.size() && bytes_[offset] != std::byte{0} && out.size() < 4096; ++offset)
      out += static_cast<char>(bytes_[offset]);
    return out;
  }

 private:
  const std::vector<std::byte>& bytes_;
};

Result<void> check_segments(const ObjectReader& reader, const Elf64_Ehdr& header) {
  for (const auto& segment :
       reader.table<Elf64_Phdr>(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr))) {
    if (segment.p_type == PT_TLS) return refuse_object("thread-local variables are not modelled");
    if (segment.p_type == PT_INTERP) return refuse_object("the compiled kernel is a program");
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 && (segment.p_flags & PF_X) != 0)
      return refuse_object("the compiled kernel has code that can be written");
    if (segment.p_type != PT_DYNAMIC) continue;
    for (const auto& entry : reader.table<Elf64_Dyn>(segment.p_offset, segment.p_filesz)) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) return refuse_object("the compiled kernel asks for another library");
      if (entry.d_tag == DT_INIT || entry.d_tag == DT_FINI || entry.d_tag == DT_INIT_ARRAY ||
          entry.d_tag == DT_FINI_ARRAY || entry.d_tag == DT_PREINIT_ARRAY)
        return refuse_object("a variable at program scope needs code to run before the kernel",
                             "program-scope variables need constant initialisers: write constexpr");
    }
  }
  return {};
}

Result<void> check_symbols(const ObjectReader& reader, const std::vector<Elf64_Shdr>& sections,
                           const Elf64_Shdr& symbols) {
  if (symbols.sh_link >= sections.size()) return refuse_object("the compiled kernel has no names for its symbols");
  const Elf64_Shdr& names = sections[symbols.sh_link];
  std::set<std::string> unknown;
  for (const auto& symbol : reader.table<Elf64_Sym>(symbols.sh_offset, symbols.sh_size)) {
    const std::string name = reader.text(names.sh_offset + symbol.st_name, names.sh_offset + names.sh_size);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
      return refuse_object(fmt::format("'{}' is chosen when the kernel is loaded; that is not modelled", name));
    if (symbol.st_shndx == SHN_UNDEF && !name.empty() && !may_be_undefined(name)) unknown.insert(name);
  }
  if (unknown.empty()) return {};
  std::string list;
  for (const std::string& name : unknown) list += (list.empty() ? "'" : ", '") + name + "'";
  return refuse_object(fmt::format("the kernel uses what is nowhere defined: {}", list),
                       "define it in the text; a kernel cannot call functions of the system");
}

}  // namespace

bool may_be_undefined(std::string_view symbol) { return is_provided_symbol(symbol); }

Result<void> check_object(const std::string& path) {
  TW_TRY(const std::vector<std::byte> bytes, read_file_bytes(path, std::uint64_t{1} << 30));
  const ObjectReader reader(bytes);
  const std::optional<Elf64_Ehdr> header = reader.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_DYN)
    return failure(DiagCode::KernelCompile, fmt::format("'{}' is no shared object", path));
  TW_TRY_VOID(check_segments(reader, *header));
  const auto sections = reader.table<Elf64_Shdr>(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  bool has_symbols = false;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_RELA)
      for (const auto& relocation : reader.table<Elf64_Rela>(section.sh_offset, section.sh_size))
        if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE)
          return refuse_object("functions that are chosen when the kernel is loaded are not modelled");
    if (section.sh_type != SHT_DYNSYM) continue;
    has_symbols = true;
    TW_TRY_VOID(check_symbols(reader, sections, section));
  }
  if (!has_symbols) return failure(DiagCode::KernelCompile, fmt::format("'{}' has no table of symbols", path));
  return {};
}

}  // namespace tilewright::msl_emulator
