#include "runtime/msl_emulator/front/threadgroup_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

/// Words that begin a statement which declares no variable.
bool begins_no_variable(std::string_view text) {
  return text == "using" || text == "typedef" || text == "return" || text == "case" || text == "template" ||
         text == "goto" || text == "friend" || text == "static_assert" || text == "operator";
}

bool is_storage_word(std::string_view text) {
  return text == "threadgroup" || text == "static" || text == "const" || text == "constexpr" || text == "volatile" ||
         text == "typename" || text == "alignas" || text == "__attribute__";
}

class ThreadgroupSettler {
 public:
  ThreadgroupSettler(const Code& code, Edits& edits) : code_(code), edits_(edits) {}

  /// The statements of a body, nested blocks too.
  void body(std::size_t open, std::size_t close, bool is_kernel) {
    for (std::size_t i = open + 1; i < close; ++i)
      if (begins_statement(i)) i = statement(i, close, is_kernel);
  }

  /// A declaration at namespace or class scope.
  void outside(const Declaration& declaration) { (void)statement(declaration.first, declaration.last, false); }

  Diags faults;

 private:
  bool begins_statement(std::size_t i) const {
    const std::string_view before = code_.text(i - 1);
    return before == ";" || before == "{" || before == "}" || before == ":" || before == ")" || before == "else" ||
           before == "do";
  }

  /// The specifiers and the first declarator of a statement, as far as they go before `;`, an initialiser or
  /// parameters. The last token that is done with: of a variable its end, else `first`.
  std::size_t statement(std::size_t first, std::size_t limit, bool is_kernel) {
    std::optional<std::size_t> word;
    bool pointer = false;
    std::size_t end = first;
    for (; end < limit; ++end) {
      const std::string_view text = code_.text(end);
      if (text == ";" || text == "{" || text == "}" || text == "=") break;
      if (begins_no_variable(text)) return first;
      if (text == "threadgroup" && !word) word = end;
      if (text == "*" || text == "&" || text == "&&") pointer = true;
      if (text == "<") end = code_.after_angles(end, limit).value_or(end + 1) - 1;
      if (text == "[") end = code_.partner(end);
      if (text != "(") continue;
      if (!code_.is(end - 1, "alignas") && !code_.is(end - 1, "__attribute__") && !code_.is(end - 1, "decltype")) break;
      end = code_.partner(end);
    }
    if (!word || pointer || end >= limit) return first;
    // A parenthesis opens a pointer to an array, or the parameters of a function that returns no pointer; the qualifier
    // of a member function stands before its body.
    if (code_.is(end, "(") && (code_.is(end + 1, "*") || code_.is(end + 1, "&"))) return first;
    if (*word + 1 == end) return first;
    variable(first, *word, end, is_kernel);
    return end;
  }

  void variable(std::size_t first, std::size_t word, std::size_t end, bool is_kernel) {
    if (!is_kernel) {
      fault(word, "a threadgroup variable can only be declared in a kernel",
            "declare it in the kernel and pass a pointer to it");
      return;
    }
    std::size_t stop = end;
    if (code_.is(stop, "=")) ++stop;
    if (code_.is(stop, "{")) stop = code_.partner(stop) + 1;
    if (!code_.is(stop, ";")) {
      fault(word, "a threadgroup variable cannot be initialised", "assign to it, then place a barrier");
      return;
    }
    const std::optional<std::string> text = references(first, end);
    if (!text) {
      fault(word, fmt::format("cannot read the threadgroup declaration '{}'", code_.joined(first, end)),
            "write 'threadgroup TYPE NAME[EXTENT];'");
      return;
    }
    // MSL accepts a list of initial values and ignores it.
    edits_.replace(code_.token(first).begin, code_.token(stop).end, *text);
  }

  /// `T a[4], b;` as references; nothing if it is not of that form.
  std::optional<std::string> references(std::size_t first, std::size_t end) {
    std::string type;
    std::size_t at = first;
    std::size_t name = declarator_name(first, end);
    if (name >= end) return std::nullopt;
    for (; at < name; ++at) {
      if (!is_storage_word(code_.text(at)) || code_.is(at, "typename")) {
        if (!type.empty()) type += ' ';
        type += code_.text(at);
      } else if (code_.is(at + 1, "(")) {
        at = code_.partner(at + 1);
      }
    }
    if (type.empty()) return std::nullopt;
    std::string out;
    while (true) {
      std::size_t after = name + 1;
      std::string extents;
      for (; code_.is(after, "["); after = code_.partner(after) + 1)
        extents += fmt::format("[({})]", code_.joined(after + 1, code_.partner(after)));
      while (code_.is(after, "__attribute__") || code_.is(after, "alignas")) after = code_.partner(after + 1) + 1;
      const std::string array = extents.empty() ? type : type + " " + extents;
      out += fmt::format("struct emu_tag_{0}; auto& {1} = emu_threadgroup_variable_of<{2}, emu_tag_{0}>(\"{1}\");",
                         tags_++, code_.text(name), array);
      if (after == end) return out;
      if (!code_.is(after, ",") || !code_.is_word(after + 1)) return std::nullopt;
      name = after + 1;
    }
  }

  /// The last word before the first extent, comma or end.
  std::size_t declarator_name(std::size_t first, std::size_t end) const {
    std::size_t name = end;
    for (std::size_t i = first; i < end; ++i) {
      if (code_.is(i, "<")) i = code_.after_angles(i, end).value_or(i + 1) - 1;
      if (code_.is(i, "(")) i = code_.partner(i);
      if (code_.is(i, "[") || code_.is(i, ",")) break;
      if (code_.is_word(i) && !is_storage_word(code_.text(i))) name = i;
    }
    return name;
  }

  void fault(std::size_t token, std::string message, std::string hint) {
    faults.push_back(fault_at(code_, token, DiagCode::KernelCompile, std::move(message), std::move(hint)));
  }

  const Code& code_;
  Edits& edits_;
  int tags_ = 0;
};

}  // namespace

Diags settle_threadgroup_variables(const Code& code, const std::vector<Declaration>& declarations,
                                   const KernelTable& kernels, Edits& edits) {
  ThreadgroupSettler settler(code, edits);
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    const Declaration& declaration = declarations[i];
    if (declaration.kind == DeclarationKind::Namespace || declaration.kind == DeclarationKind::Class) continue;
    if (declaration.kind == DeclarationKind::Other) settler.outside(declaration);
    if (declaration.kind != DeclarationKind::Function) continue;
    const bool is_kernel = std::any_of(kernels.functions.begin(), kernels.functions.end(),
                                       [i](const KernelFunction& kernel) { return kernel.declaration == i; });
    settler.body(declaration.body_open, declaration.body_close, is_kernel);
  }
  return std::move(settler.faults);
}

}  // namespace tilewright::msl_emulator
