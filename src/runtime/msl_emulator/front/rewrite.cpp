#include "runtime/msl_emulator/front/rewrite.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"
#include "runtime/msl_emulator/front/edits.h"
#include "runtime/msl_emulator/front/function_constants.h"
#include "runtime/msl_emulator/front/integer_expression.h"
#include "runtime/msl_emulator/front/kernels.h"
#include "runtime/msl_emulator/front/overload_merge.h"
#include "runtime/msl_emulator/front/parameters.h"
#include "runtime/msl_emulator/front/refusals.h"
#include "runtime/msl_emulator/front/threadgroup_variables.h"

namespace tilewright::msl_emulator {

namespace {

void append_diags(Diags& into, Diags more) {
  into.insert(into.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string_view dialect_preamble(Dialect dialect) {
  return dialect == Dialect::OpenCl
             // The last lines: words that are free in MSL and are not in OpenCL.
             ? "#define device __global\n#define threadgroup __local\n#define constant __constant\n#define emu_cnst "
               "const __constant\n#define thread\n#define kernel\n"
               "#define local emu_word_local\n#define global emu_word_global\n#define generic emu_word_generic\n"
               "#define pipe emu_word_pipe\n"
             : "#define device\n#define threadgroup\n#define constant const\n#define thread\n#define kernel\n";
}

/// Finds the declarations that nobody needs: instantiations (the launcher makes those that are wanted), stages of the
/// graphics pipeline, names for the types of kernels that only instantiations use, and kernels that were not asked for
/// and that nothing else names.
class NeedFinder {
 public:
  NeedFinder(const Code& code, const std::vector<Declaration>& declarations, const KernelTable& table)
      : code_(code), declarations_(declarations), table_(table), unneeded_(declarations.size()), owned_(code.size()) {}

  std::vector<bool> run(const std::vector<KernelChoice>& choices) {
    for (const KernelChoice& choice : choices) wanted_.insert(table_.functions[choice.function].name);
    for (const KernelInstance& instance : table_.instances) drop(instance.declaration);
    for (const std::size_t stage : table_.stages) drop(stage);
    for (const KernelFunction& function : table_.functions) {
      kernels_.insert(function.name);
      own(function.declaration);
    }
    drop_type_names();
    for (std::size_t i = 0; i < code_.size(); ++i)
      if (!owned_[i] && code_.is_word(i) && kernels_.contains(code_.text(i))) wanted_.insert(code_.text(i));
    for (const KernelFunction& function : table_.functions)
      if (!wanted_.contains(function.name)) unneeded_[function.declaration] = true;
    return std::move(unneeded_);
  }

 private:
  void own(std::size_t declaration) {
    for (std::size_t i = declarations_[declaration].first; i < declarations_[declaration].last; ++i) owned_[i] = true;
  }
  void drop(std::size_t declaration) {
    unneeded_[declaration] = true;
    own(declaration);
  }

  /// `typedef decltype(f<A>) t;`
  void drop_type_names() {
    std::map<std::string_view, std::size_t> names;
    for (std::size_t d = 0; d < declarations_.size(); ++d) {
      const Declaration& declaration = declarations_[d];
      if (!code_.is(declaration.first, "typedef") || !code_.is(declaration.first + 1, "decltype")) continue;
      if (!code_.is(declaration.first + 2, "(") || !kernels_.contains(code_.text(declaration.first + 3))) continue;
      names.emplace(code_.text(declaration.last - 2), d);
    }
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const auto name = owned_[i] ? names.end() : names.find(code_.text(i));
      if (name != names.end() && declarations_[name->second].last != i + 2) names.erase(name);
    }
    for (const auto& [name, declaration] : names) drop(declaration);
  }

  const Code& code_;
  const std::vector<Declaration>& declarations_;
  const KernelTable& table_;
  std::vector<bool> unneeded_;
  std::vector<bool> owned_;
  std::set<std::string_view> wanted_;
  std::set<std::string_view> kernels_;
};

/// `constexpr T C::member[8];` outside of the class says again what the class said, which OpenCL does not take.
bool is_repeated_member(const Code& code, const Declaration& declaration) {
  if (declaration.kind != DeclarationKind::Other || declaration.has_body()) return false;
  bool constant = false, member = false;
  for (std::size_t i = declaration.first; i < declaration.last; ++i) {
    if (code.is(i, "=") || code.is(i, "(")) return false;
    constant = constant || code.is(i, "constexpr");
    const bool last = code.is(i + 1, "[") || code.is(i + 1, ";");
    member = member || (last && code.is_word(i) && i > declaration.first && code.is(i - 1, "::"));
  }
  return constant && member;
}

/// What C++ for OpenCL has no words for, in declarations that stay.
std::string beyond_opencl(const Code& code, const std::vector<Declaration>& declarations,
                          const std::vector<bool>& unneeded) {
  const auto at = [&](std::size_t i, const char* what) { return fmt::format("line {} {}", code.token(i).line, what); };
  for (std::size_t d = 0; d < declarations.size(); ++d) {
    if (unneeded[d]) continue;
    const Declaration& declaration = declarations[d];
    const std::size_t end = after_template_heads(code, declaration.first, declaration.header_end);
    for (std::size_t i = declaration.first; i < declaration.header_end; ++i) {
      if (code.is(i, "concept") || code.is(i, "requires")) return at(i, "uses concepts");
      if (i + 4 < end && code.is(i, "(") && (code.is(i + 1, "*") || code.is(i + 1, "&")) && code.is_word(i + 2) &&
          code.is(i + 3, ")") && code.is(i + 4, "("))
        return at(i, "takes a function as template argument");
    }
  }
  return {};
}

/// `1.0h` and `1.0bf`: suffixes that clang does not know everywhere.
void spell_literals(const Code& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.kind(i) != TokenKind::Number) continue;
    std::string_view text = code.text(i);
    if (text.starts_with("0x") || text.starts_with("0X")) continue;
    const bool bfloat = text.ends_with("bf") || text.ends_with("BF");
    if (!bfloat && !text.ends_with('h') && !text.ends_with('H')) continue;
    text.remove_suffix(bfloat ? 2 : 1);
    const bool integer = text.find_first_of(".eE") == std::string_view::npos;
    edits.replace(code.token(i).begin, code.token(i).end,
                  fmt::format("{}({}{})", bfloat ? "bfloat" : "half", text, integer ? "" : "f"));
  }
}

/// clang has no conversion between half and bfloat; the shim's own cast has. Pointers and references are left alone.
void spell_casts(const Code& code, Edits& edits) {
  bool names_bfloat = false;
  for (std::size_t i = 0; i < code.size() && !names_bfloat; ++i)
    names_bfloat = code.is_word(i) && code.text(i).starts_with("bfloat");
  for (std::size_t i = 0; names_bfloat && i + 1 < code.size(); ++i) {
    if (!code.is(i, "static_cast")) continue;
    const std::size_t end = code.after_angles(i + 1, code.size()).value_or(i);
    bool plain = end > i;
    for (std::size_t j = i + 1; j < end; ++j)
      plain = plain && !code.is(j, "*") && !code.is(j, "&") && !code.is(j, "auto");
    if (plain) edits.replace(code.token(i).begin, code.token(i).end, "emu_static_cast");
  }
}

/// What `constant` points to is const in MSL, and in OpenCL only where it is said. A word of the same length keeps the
/// columns. Behind a parenthesis the word qualifies a member function.
void spell_constants(const Code& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.is(i, "constant") && (i == 0 || !code.is(i - 1, ")")))
      edits.replace(code.token(i).begin, code.token(i).end, "emu_cnst");
}

/// `.xy` and its like, as the text uses them.
std::set<std::string> used_swizzles(const TokenText& source) {
  std::set<std::string> used;
  for (std::size_t i = 1; i < source.tokens.size(); ++i) {
    if (source.tokens[i].kind != TokenKind::Word) continue;
    const std::string_view word = source.spelling(source.tokens[i]);
    if (word.size() < 2 || word.size() > 4) continue;
    const std::string_view before = source.spelling(source.tokens[i - 1]);
    if (before != "." && before != "->") continue;
    if (word.find_first_not_of("xyzw") == std::string_view::npos ||
        word.find_first_not_of("rgba") == std::string_view::npos)
      used.emplace(word);
  }
  return used;
}

std::string swizzle_members(const std::set<std::string>& used, std::size_t width) {
  std::string out;
  for (const std::string& name : used) {
    std::string indices;
    bool fits = true;
    for (const char c : name) {
      const std::size_t letter = std::min(std::string_view("xyzw").find(c), std::string_view("rgba").find(c));
      fits = fits && letter < width;
      indices += fmt::format(", {}", letter);
    }
    if (fits) out += fmt::format("emu_swizzle<T, {}{}> {};", width, indices, name);
  }
  return out;
}

void place_swizzles(const TokenText& source, Edits& edits) {
  constexpr std::array<std::string_view, 3> words{"emu_swizzle_members_2", "emu_swizzle_members_3",
                                                  "emu_swizzle_members_4"};
  const std::set<std::string> used = used_swizzles(source);
  for (const Token& token : source.tokens) {
    if (!token.shim || token.end - token.begin != words[0].size()) continue;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (source.spelling(token) == words[i]) edits.replace(token.begin, token.end, swizzle_members(used, i + 2));
  }
}

std::string launcher_text(const std::vector<KernelChoice>& choices, const std::vector<Entry>& entries) {
  constexpr std::string_view kExported = "extern \"C\" __attribute__((visibility(\"default\")))";
  std::string out = "\n# 1 \"<launcher>\"\n";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    std::string codes;
    for (const Parameter& parameter : entries[i].parameters)
      codes += (codes.empty() ? "" : ", ") + std::to_string(parameter_code(parameter));
    const std::string& scope = choices[i].scope;
    const std::string arguments = codes.empty() ? "" : "<" + codes + ">";
    out += scope.empty() ? "" : fmt::format("namespace {} {{ ", scope);
    const std::string& entry = choices[i].expression;
    out += fmt::format("{} void emu_entry_{}(void** a) {{ ::emu_invoke{}({}, a); }}\n", kExported, i, arguments, entry);
    out += fmt::format("{} unsigned long emu_element_{}(unsigned int p) {{ return ::emu_element{}({}, p); }}\n",
                       kExported, i, arguments, entry);
    out += scope.empty() ? "" : "}\n";
  }
  return out;
}

/// All that is known of one text.
class TextRewriter {
 public:
  TextRewriter(const TokenText& source, const Code& code, const RewriteRequest& request)
      : source_(source), code_(code), request_(request) {}

  Result<RewrittenText> run() {
    Diags faults = refused_constructs(code_);
    if (!faults.empty()) return std::unexpected(std::move(faults));
    TW_TRY(declarations_, find_declarations(code_));
    TW_TRY(table_, find_kernels(code_, declarations_));
    TW_TRY(const std::vector<KernelChoice> choices, choose_kernels(code_, declarations_, table_, request_.kernels));
    const ConstantNames names = constant_names(code_, declarations_);
    TW_TRY(const std::vector<FunctionConstant> constants,
           settle_function_constants(code_, declarations_, names, request_.constants, edits_));
    TW_TRY(std::vector<Entry> entries, make_entries(choices, names, constants));
    TW_TRY_VOID(edit_text(choices));
    RewrittenText result;
    result.text =
        std::string(dialect_preamble(request_.dialect)) + edits_.apply(source_) + launcher_text(choices, entries);
    result.entries = std::move(entries);
    result.beyond_opencl = std::move(beyond_opencl_);
    return result;
  }

 private:
  Result<std::vector<Entry>> make_entries(const std::vector<KernelChoice>& choices, const ConstantNames& names,
                                          const std::vector<FunctionConstant>& constants) const {
    std::vector<Entry> entries;
    Diags faults;
    const auto indirect = argument_buffers(code_, declarations_);
    for (const KernelChoice& choice : choices) {
      auto parameters = kernel_parameters(code_, table_.functions[choice.function].head, names, constants, indirect);
      if (parameters)
        entries.push_back(
            {choice.name, std::move(*parameters), thread_limit(table_.functions[choice.function], names)});
      else
        append_diags(faults, std::move(parameters).error());
    }
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return entries;
  }

  std::uint32_t thread_limit(const KernelFunction& kernel, const ConstantNames& names) const {
    const AttributeItem* item =
        code_.find_item(declarations_[kernel.declaration].first, kernel.head.open, "max_total_threads_per_threadgroup");
    const auto limit = item == nullptr ? std::nullopt : evaluate_integer(source_, item->arguments, names);
    return limit && *limit > 0 ? static_cast<std::uint32_t>(*limit) : 0;
  }

  Result<void> edit_text(const std::vector<KernelChoice>& choices) {
    const std::vector<bool> unneeded = NeedFinder(code_, declarations_, table_).run(choices);
    for (std::size_t i = 0; i < declarations_.size(); ++i)
      if (unneeded[i] || is_repeated_member(code_, declarations_[i]))
        edits_.blank(code_.token(declarations_[i].first).begin, code_.token(declarations_[i].last - 1).end);
    blank_attributes_and_pragmas(code_, edits_);
    spell_literals(code_, edits_);
    spell_casts(code_, edits_);
    if (request_.dialect == Dialect::OpenCl) spell_constants(code_, edits_);
    place_swizzles(source_, edits_);
    beyond_opencl_ = beyond_opencl(code_, declarations_, unneeded);
    Diags faults = settle_threadgroup_variables(code_, declarations_, table_, edits_);
    if (request_.dialect == Dialect::Cpp20)
      append_diags(faults, merge_overloads(code_, declarations_, unneeded, edits_));
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return {};
  }

  const TokenText& source_;
  const Code& code_;
  const RewriteRequest& request_;
  std::vector<Declaration> declarations_;
  KernelTable table_;
  Edits edits_;
  std::string beyond_opencl_;
};

}  // namespace

Result<RewrittenText> rewrite(std::string preprocessed, const RewriteRequest& request) {
  TW_TRY(const TokenText source, tokenize(std::move(preprocessed), request.shim_folder));
  TW_TRY(const Code code, read_code(source));
  return TextRewriter(source, code, request).run();
}

}  // namespace tilewright::msl_emulator
