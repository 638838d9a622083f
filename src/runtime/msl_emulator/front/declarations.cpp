#include "runtime/msl_emulator/front/declarations.h"

#include <optional>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

constexpr int kDeclarationDepth = 100;

bool is_class_word(std::string_view text) { return text == "struct" || text == "class" || text == "union"; }

/// Words that take a parenthesis without being a function.
bool takes_parenthesis(std::string_view text) {
  return text == "alignas" || text == "__attribute__" || text == "__attribute" || text == "decltype" ||
         text == "requires" || text == "noexcept" || text == "explicit" || text == "sizeof";
}

class DeclarationFinder {
 public:
  explicit DeclarationFinder(const Code& code) : code_(code) {}

  std::optional<Diag> scope(std::size_t begin, std::size_t end, std::size_t parent, const std::string& name,
                            int depth) {
    if (depth > kDeclarationDepth)
      return fault_at(code_, begin, DiagCode::KernelCompile, "namespaces and classes are nested more than 100 deep");
    for (std::size_t at = begin; at < end;) {
      if (code_.is(at, ";")) {
        ++at;
        continue;
      }
      const bool access = code_.is(at, "public") || code_.is(at, "private") || code_.is(at, "protected");
      if (access && code_.is(at + 1, ":")) {
        at += 2;
        continue;
      }
      Declaration declaration = one(at, end);
      declaration.parent = parent;
      declaration.scope = name;
      at = declaration.last;
      const std::size_t index = found.size();
      found.push_back(declaration);
      if (!declaration.has_body()) continue;
      if (declaration.kind != DeclarationKind::Namespace && declaration.kind != DeclarationKind::Class) continue;
      const std::string own = own_name(declaration);
      const std::string inner = name.empty() || own.empty() ? name + own : name + "::" + own;
      if (auto fault = scope(declaration.body_open + 1, declaration.body_close, index + 1, inner, depth + 1))
        return fault;
    }
    return std::nullopt;
  }

  std::vector<Declaration> found;

 private:
  /// What one declaration has shown of itself so far.
  struct Seen {
    bool parenthesis = false, assigned = false, members = false;
    bool is_operator = false;
  };

  Declaration one(std::size_t first, std::size_t end) const {
    Declaration result;
    result.first = first;
    Seen seen;
    std::size_t at = after_template_heads(code_, first, end);
    const bool klass = class_like(at, end);
    for (; at < end; ++at) {
      const std::string_view text = code_.text(at);
      if (text == ";") break;
      if (text == "{") {
        if (is_initialiser(at, seen, klass, first)) {
          at = code_.partner(at);
          continue;
        }
        return with_body(result, at, end, klass);
      }
      note(at, seen, result);
      if (text == "(" || text == "[") at = code_.partner(at);
    }
    result.last = at < end ? at + 1 : end;
    if (result.header_end == 0) result.header_end = at;
    return result;
  }

  void note(std::size_t at, Seen& seen, Declaration& result) const {
    const std::string_view text = code_.text(at);
    if (text == "operator") seen.is_operator = true;
    if (text == "(" && !(at > 0 && takes_parenthesis(code_.text(at - 1)))) seen.parenthesis = true;
    if (text == "=" && !seen.is_operator) seen.assigned = true;
    if (text == ":" && seen.parenthesis && !seen.members) {
      seen.members = true;
      result.header_end = at;
    }
  }

  /// Whether the brace at `at` holds values and not a body.
  bool is_initialiser(std::size_t at, const Seen& seen, bool klass, std::size_t first) const {
    if (klass || code_.is(first, "namespace") || code_.is(first, "inline") || code_.is(first, "extern"))
      return seen.assigned;
    if (seen.assigned) return true;
    if (seen.members) return code_.is_word(at - 1) || code_.is(at - 1, ">");
    return !seen.parenthesis && !has_word(first, at, "namespace") && !has_word(first, at, "enum");
  }

  Declaration with_body(Declaration result, std::size_t open, std::size_t end, bool klass) const {
    result.body_open = open;
    result.body_close = code_.partner(open);
    if (result.header_end == 0) result.header_end = open;
    result.last = result.body_close + 1;
    const bool linkage = code_.is(result.first, "extern") && open == result.first + 2;
    if (linkage || has_word(result.first, open, "namespace")) {
      result.kind = DeclarationKind::Namespace;
      return result;
    }
    const bool enumeration = !klass && is_enumeration(result.first, open);
    result.kind = klass ? DeclarationKind::Class : enumeration ? DeclarationKind::Other : DeclarationKind::Function;
    if (!klass && !enumeration) return result;
    while (result.last < end && !code_.is(result.last, ";"))
      result.last = opening(result.last) ? code_.partner(result.last) + 1 : result.last + 1;
    if (result.last < end) ++result.last;
    return result;
  }

  bool opening(std::size_t at) const { return code_.is(at, "(") || code_.is(at, "[") || code_.is(at, "{"); }

  bool is_enumeration(std::size_t first, std::size_t open) const {
    for (std::size_t i = first; i < open; ++i) {
      if (code_.is(i, "(")) return false;
      if (code_.is(i, "enum")) return true;
    }
    return false;
  }

  bool has_word(std::size_t first, std::size_t last, std::string_view word) const {
    for (std::size_t i = first; i < last && i < first + 3; ++i)
      if (code_.is(i, word)) return true;
    return false;
  }

  /// Whether the tokens from `at` on begin a class with a body, and no function that returns one.
  bool class_like(std::size_t at, std::size_t end) const {
    bool word = false;
    for (; at < end; ++at) {
      const std::string_view text = code_.text(at);
      if (text == "{") return word;
      if (text == ";" || text == "=") return false;
      if (is_class_word(text)) word = true;
      if (text == "enum") return false;
      if (text != "(") continue;
      if (at == 0 || !takes_parenthesis(code_.text(at - 1))) return false;
      at = code_.partner(at);
    }
    return false;
  }

  std::string own_name(const Declaration& declaration) const {
    std::string name;
    std::size_t at = after_template_heads(code_, declaration.first, declaration.body_open);
    for (; at < declaration.body_open; ++at) {
      const std::string_view text = code_.text(at);
      if (text == ":" || text == "<" || text == "final") break;
      if (text == "(") at = code_.partner(at);
      if (text == "::") name += text;
      if (!code_.is_word(at) || takes_parenthesis(text)) continue;
      if (!name.ends_with("::")) name.clear();
      if (!is_class_word(text) && text != "namespace" && text != "inline" && text != "typedef") name += text;
    }
    return name;
  }

  const Code& code_;
};

}  // namespace

std::size_t after_template_heads(const Code& code, std::size_t first, std::size_t last) {
  while (code.is(first, "template") && code.is(first + 1, "<")) {
    const std::optional<std::size_t> after = code.after_angles(first + 1, last);
    if (!after) break;
    first = *after;
  }
  return first;
}

Result<std::vector<Declaration>> find_declarations(const Code& code) {
  DeclarationFinder finder(code);
  if (auto fault = finder.scope(0, code.size(), 0, "", 0)) return failure(std::move(*fault));
  return std::move(finder.found);
}

std::optional<FunctionHead> function_head(const Code& code, const Declaration& declaration) {
  std::size_t at = after_template_heads(code, declaration.first, declaration.header_end);
  for (; at < declaration.header_end; ++at) {
    if (code.is(at, "=")) return std::nullopt;
    if (!code.is(at, "(")) continue;
    if (at > declaration.first && !takes_parenthesis(code.text(at - 1)) && code.is_word(at - 1))
      return FunctionHead{at - 1, at};
    // `f<A>(...)`: back over the arguments of the template.
    if (at > declaration.first && code.is(at - 1, ">")) {
      for (std::size_t name = declaration.first; name + 1 < at; ++name) {
        if (!code.is_word(name) || !code.is(name + 1, "<")) continue;
        if (code.after_angles(name + 1, at) == at) return FunctionHead{name, at};
      }
    }
    at = code.partner(at);
  }
  return std::nullopt;
}

}  // namespace tilewright::msl_emulator
