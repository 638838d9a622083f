#include "driver/c_header.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/version.h"
#include "runtime/cpu/placement.h"
#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::driver {

namespace {

using artifact::Binding;
using artifact::BindingAccess;
using artifact::BindingKind;

// Of C, C++ and this header; none of them can name an argument.
constexpr auto kTakenNames = std::to_array<std::string_view>(
    {"alignas",  "alignof",   "and",      "asm",     "auto",     "bool",     "break",    "case",      "catch",
     "char",     "class",     "compl",    "concept", "const",    "continue", "decltype", "default",   "delete",
     "do",       "double",    "else",     "enum",    "explicit", "export",   "extern",   "false",     "float",
     "for",      "friend",    "goto",     "if",      "inline",   "int",      "long",     "mutable",   "namespace",
     "new",      "noexcept",  "not",      "nullptr", "operator", "or",       "private",  "protected", "public",
     "register", "requires",  "restrict", "return",  "short",    "signed",   "sizeof",   "static",    "struct",
     "switch",   "template",  "this",     "throw",   "true",     "try",      "typedef",  "typeid",    "typename",
     "typeof",   "union",     "unsigned", "using",   "virtual",  "void",     "volatile", "while",     "xor",
     "bindings", "workspace", "int32_t",  "int64_t", "uint8_t",  "uint16_t", "linux",    "unix"});

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string_view c_type(DataType type) {
  switch (type) {
    case DataType::F32:
      return "float";
    case DataType::F16:
    case DataType::BF16:
      return "uint16_t";
    case DataType::I32:
      return "int32_t";
    case DataType::Bool:
      return "uint8_t";
    default:
      break;
  }
  TW_CHECK(false);
  return "";
}

std::string argument_name(const std::string& name) {
  return std::ranges::find(kTakenNames, name) == kTakenNames.end() ? name : name + "_";
}

class Header {
 public:
  explicit Header(const Kernel::Impl& impl)
      : impl_(impl),
        code_(impl.object),
        name_(impl.emit_options.symbol_prefix.empty() ? "tw" : impl.emit_options.symbol_prefix) {
    for (char c : name_) macro_ += upper(c);
    for (const artifact::Launch& launch : code_.launches)
      if (launch.task_count > 0) scratch_bytes_ = std::max(scratch_bytes_, launch.scratch_bytes);
    scratch_bytes_ = runtime_cpu::round_up_to_alignment(scratch_bytes_).value_or(scratch_bytes_);
    if (auto places = runtime_cpu::place_temporaries(code_.bindings)) places_ = std::move(*places);
  }

  std::string text() {
    top();
    bindings();
    launches();
    run_function();
    out_ += fmt::format("\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* TILEWRIGHT_{}_H */\n", macro_);
    return std::move(out_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    out_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  void top() {
    std::string sizes;
    for (const auto& [name, value] : impl_.bindings.numbers) sizes += fmt::format(" {}={}", name, value);
    for (const auto& [name, type] : impl_.bindings.types) sizes += fmt::format(" {}={}", name, data_type_name(type));
    line("/* {}{}: an object for the CPU, made by tilewright {}.", code_.program, sizes, version_text());
    line(" *");
    line(" * Processor: {}. The object must not run on one that lacks any of these features:", code_.target);
    features();
    line(" * It calls: {}.",
         code_.externals.empty() ? "nothing outside of itself" : fmt::format("{}", fmt::join(code_.externals, ", ")));
    line(" * The calling thread rounds to nearest and keeps subnormals, as threads do by default.");
    line(" * Any number of threads may call the functions at once, each with scratch memory of its own. */");
    line("#ifndef TILEWRIGHT_{}_H\n#define TILEWRIGHT_{}_H\n\n#include <stdint.h>\n", macro_, macro_);
    line("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
  }

  /// The features that the code may use, a few lines of them.
  void features() {
    constexpr std::size_t kLineBytes = 110;
    std::string words;
    std::string_view rest = impl_.emit_options.features;
    while (!rest.empty()) {
      const std::string_view feature = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), feature.size() + 1));
      if (!feature.starts_with('+')) continue;
      if (words.size() + feature.size() > kLineBytes) line(" *  {}", std::exchange(words, {}));
      words += fmt::format(" {}", feature.substr(1));
    }
    line(" *  {}.", words.empty() ? " those of its name alone" : words);
  }

  std::string view_text(const Binding& binding) const {
    const tile::ObjectId id = find_buffer(impl_.bound, binding.name);
    if (!id.valid()) return std::string(data_type_name(binding.type));
    std::string text = shape_text(binding.type, tile::bound_extents(impl_.bound, id));
    if (const auto strides = impl_.rules.strides.find(id); strides != impl_.rules.strides.end())
      text += " strides " + list_text(strides->second);
    return text;
  }

  void bindings() {
    line(
        "/* The pointers of a call, in this order. Each leads to the element with the lowest address of its view and "
        "to");
    line(" * `elements` from there on, aligned to the element or not. {}",
         impl_.rules.noalias ? "No two buffers overlap. */" : "What is written overlaps nothing else. */");
    for (std::size_t i = 0; i < code_.bindings.size(); ++i) {
      const Binding& binding = code_.bindings[i];
      const char* role = binding.kind == BindingKind::Temporary   ? "temporary"
                         : binding.kind == BindingKind::Scalar    ? "scalar"
                         : binding.access == BindingAccess::Read  ? "in"
                         : binding.access == BindingAccess::Write ? "out"
                                                                  : "inout";
      line("/*   {} {} {}: {}, elements {} */", i, binding.name, role, view_text(binding), binding.count);
    }
    line("#define {}_BINDINGS {}\n", macro_, code_.bindings.size());
  }

  void launches() {
    line(
        "/* Launches, to be run in this order, each when the one before it has ended. Tasks of one launch depend on "
        "nothing");
    line(
        " * of each other: ranges [task_begin, task_end) may run in any order and at the same time. scratch: the bytes "
        "that");
    line(" * the macro says, aligned to 64, for each call that runs at the same time. */");
    for (std::size_t i = 0; i < code_.launches.size(); ++i) {
      const artifact::Launch& launch = code_.launches[i];
      line("#define {}_{}_TASKS INT64_C({})", macro_, i, launch.task_count);
      line("#define {}_{}_SCRATCH_BYTES INT64_C({})", macro_, i, launch.scratch_bytes);
      line("void {}(void *const *bindings, int64_t task_begin, int64_t task_end, void *scratch);\n", launch.entry);
    }
  }

  void run_function() {
    std::string arguments;
    for (const Binding& binding : code_.bindings) {
      if (binding.kind == BindingKind::Temporary) continue;
      const bool scalar = binding.kind == BindingKind::Scalar, constant = binding.access == BindingAccess::Read;
      arguments += fmt::format("{}{} {}{}, ", constant && !scalar ? "const " : "", c_type(binding.type),
                               scalar ? "" : "*", argument_name(binding.name));
    }
    const std::int64_t workspace = scratch_bytes_ + places_.bytes;
    line("/* All launches on the calling thread. workspace: {}_WORKSPACE_BYTES bytes, aligned to 64; null where these",
         macro_);
    line(" * are 0. */");
    line("#define {}_WORKSPACE_BYTES INT64_C({})", macro_, workspace);
    line("static inline void {}_run({}void *workspace) {{", name_, arguments);
    line("  void *bindings[{}];", std::max<std::size_t>(1, code_.bindings.size()));
    for (std::size_t i = 0; i < code_.bindings.size(); ++i) {
      const Binding& binding = code_.bindings[i];
      const std::string name = argument_name(binding.name);
      if (binding.kind == BindingKind::Temporary)
        line("  bindings[{}] = (char *)workspace + INT64_C({});", i, scratch_bytes_ + places_.offsets[i]);
      else
        line("  bindings[{}] = (void *){}{};", i, binding.kind == BindingKind::Scalar ? "&" : "", name);
    }
    for (std::size_t i = 0; i < code_.launches.size(); ++i)
      line("  {}(bindings, 0, {}_{}_TASKS, workspace);", code_.launches[i].entry, macro_, i);
    line("}}");
  }

  const Kernel::Impl& impl_;
  const artifact::Artifact& code_;
  std::string name_, macro_;
  std::int64_t scratch_bytes_ = 0;  ///< of one worker for any launch, a multiple of 64
  runtime_cpu::TemporaryPlaces places_;
  std::string out_;
};

}  // namespace

std::string c_header(const Kernel::Impl& impl) { return Header(impl).text(); }

std::string c_identifier(std::string_view text) {
  std::string name;
  for (char c : text) {
    const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    name += word ? c : '_';
  }
  const bool digit_first = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return digit_first || name.empty() ? "tw_" + name : name;
}

}  // namespace tilewright::driver
