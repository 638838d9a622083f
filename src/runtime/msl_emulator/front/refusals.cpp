#include "runtime/msl_emulator/front/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

constexpr std::string_view kRefusedAttributes[] = {"constructor",
                                                   "destructor",
                                                   "ifunc",
                                                   "alias",
                                                   "weakref",
                                                   "section",
                                                   "naked",
                                                   "init_priority",
                                                   "interrupt",
                                                   "cleanup",
                                                   "init_seg",
                                                   "target",
                                                   "cpu_dispatch",
                                                   "cpu_specific",
                                                   "target_clones",
                                                   "weak",
                                                   "used",
                                                   "retain",
                                                   "visibility",
                                                   "tls_model",
                                                   "patchable_function_entry",
                                                   "no_sanitize",
                                                   "no_sanitize_thread",
                                                   "disable_sanitizer_instrumentation",
                                                   "no_sanitize_address"};

/// Loops are unrolled by the compiler's own judgement: the argument of `#pragma unroll` may be an expression of macros,
/// which the preprocessor leaves unexpanded.
constexpr std::string_view kKeptPragmas[] = {"clang fp", "STDC FP_CONTRACT"};
constexpr std::string_view kRefusedPragmas[] = {"clang attribute", "clang module", "redefine_extname", "weak",
                                                "clang section",   "pack",         "GCC visibility",   "clang __debug"};

/// `__constructor__` is another spelling of `constructor`.
std::string_view bare_attribute(std::string_view name) {
  const std::size_t qualifier = name.rfind("::");
  if (qualifier != std::string_view::npos) name.remove_prefix(qualifier + 2);
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) name = name.substr(2, name.size() - 4);
  return name;
}

bool is_refused_attribute(std::string_view name) {
  return std::find(std::begin(kRefusedAttributes), std::end(kRefusedAttributes), bare_attribute(name)) !=
         std::end(kRefusedAttributes);
}

bool is_assembly(std::string_view text) { return text == "asm" || text == "__asm" || text == "__asm__"; }

/// "clang loop" for `#pragma   clang loop unroll(full)`.
bool pragma_is(std::string_view line, std::string_view name) {
  line.remove_prefix(std::min(line.size(), std::string_view("#pragma").size()));
  std::string words;
  for (const char c : line) {
    const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (word) words += c;
    if (!word && !words.empty() && words.back() != ' ') words += ' ';
  }
  return words.starts_with(std::string(name) + " ") || words == name;
}

class RefusalFinder {
 public:
  explicit RefusalFinder(const TokenText& source) : source_(source) {}

  void run() {
    const std::vector<Token>& tokens = source_.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view text = source_.spelling(tokens[i]);
      if (tokens[i].kind == TokenKind::Word && is_assembly(text)) assembly(i);
      if (tokens[i].shim) continue;
      if (tokens[i].kind == TokenKind::Pragma) pragma(tokens[i], text);
      if (text == "__attribute__" || text == "__attribute") gnu_attribute(i);
    }
  }

  void attribute(const Attribute& attribute) {
    for (const AttributeItem& item : attribute.items)
      if (is_refused_attribute(item.name)) refuse_attribute(source_.tokens[item.token], item.name);
  }

  Diags faults;

 private:
  void fault(const Token& token, std::string message, std::string hint = {}) {
    faults.push_back({DiagCode::KernelNotModelled, std::move(message), source_.place(token), std::move(hint), {}});
  }

  void assembly(std::size_t i) {
    const bool after_declarator =
        i > 0 && (source_.spelling(source_.tokens[i - 1]) == ")" || source_.spelling(source_.tokens[i - 1]) == "]" ||
                  source_.tokens[i - 1].kind == TokenKind::Word);
    if (after_declarator && !follows_statement_word(i) && is_label(i))
      return fault(source_.tokens[i], "an assembler name for a declaration is not modelled",
                   "declare the function under its own name");
    fault(source_.tokens[i], "inline assembly is not modelled");
  }

  /// `else asm(...)`, `if (x) asm(...)`.
  bool follows_statement_word(std::size_t i) const {
    const std::string_view before = source_.spelling(source_.tokens[i - 1]);
    if (before == "else" || before == "do") return true;
    if (before != ")") return false;
    int depth = 0;
    for (std::size_t j = i; j-- > 0;) {
      const std::string_view text = source_.spelling(source_.tokens[j]);
      if (text == ")") ++depth;
      if (text == "(" && --depth == 0) {
        const std::string_view word = j > 0 ? source_.spelling(source_.tokens[j - 1]) : std::string_view{};
        return word == "if" || word == "while" || word == "for" || word == "switch";
      }
    }
    return false;
  }

  /// One text in parentheses.
  bool is_label(std::size_t i) const {
    const std::vector<Token>& tokens = source_.tokens;
    return i + 3 < tokens.size() && source_.spelling(tokens[i + 1]) == "(" && tokens[i + 2].kind == TokenKind::Text &&
           source_.spelling(tokens[i + 3]) == ")";
  }

  void gnu_attribute(std::size_t i) {
    int depth = 0;
    for (std::size_t j = i + 1; j < source_.tokens.size(); ++j) {
      const std::string_view text = source_.spelling(source_.tokens[j]);
      if (text == "(") ++depth;
      if (text == ")") --depth;
      if (depth == 0) break;
      if (depth == 2 && source_.tokens[j].kind == TokenKind::Word && is_refused_attribute(text))
        refuse_attribute(source_.tokens[j], text);
    }
  }

  void refuse_attribute(const Token& token, std::string_view name) {
    fault(token, fmt::format("the attribute '{}' is not modelled", name));
  }

  void pragma(const Token& token, std::string_view line) {
    for (const std::string_view name : kRefusedPragmas)
      if (pragma_is(line, name)) fault(token, fmt::format("#pragma {} is not modelled", name));
  }

  const TokenText& source_;
};

}  // namespace

Diags refused_constructs(const Code& code) {
  RefusalFinder finder(code.source());
  finder.run();
  for (const Attribute& attribute : code.attributes()) finder.attribute(attribute);
  return std::move(finder.faults);
}

void blank_attributes_and_pragmas(const Code& code, Edits& edits) {
  for (const Attribute& attribute : code.attributes()) edits.blank(attribute.begin, attribute.end);
  for (const Token& token : code.source().tokens) {
    if (token.shim || token.kind != TokenKind::Pragma) continue;
    const std::string_view line = code.source().spelling(token);
    const bool kept = std::any_of(std::begin(kKeptPragmas), std::end(kKeptPragmas),
                                  [&](std::string_view name) { return pragma_is(line, name); });
    if (!kept) edits.blank(token.begin, token.end);
  }
}

}  // namespace tilewright::msl_emulator
