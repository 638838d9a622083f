#include "runtime/msl_emulator/front/overload_merge.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

/// Tokens as the compiler will see them: `constant` is const, the other address spaces are nothing.
std::string erased(const Code& code, std::size_t first, std::size_t last) {
  std::string key;
  bool is_const = false;
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view text = code.text(i);
    if (is_address_space(text) && text != "constant") continue;
    const bool again = is_const;
    is_const = text == "constant" || text == "const";
    if (is_const && again) continue;
    key += is_const ? "const" : text;
    key += '\x1f';
  }
  return key;
}

/// The address space of a constructor, from its token on; the end of the header when there is none.
std::size_t signature_end(const Code& code, const std::vector<Declaration>& declarations,
                          const Declaration& declaration) {
  if (declaration.parent == 0 || declarations[declaration.parent - 1].kind != DeclarationKind::Class)
    return declaration.header_end;
  const std::optional<FunctionHead> head = function_head(code, declaration);
  if (!head) return declaration.header_end;
  const std::size_t qualifier = declaration.scope.rfind("::");
  const std::string_view class_name =
      std::string_view(declaration.scope).substr(qualifier == std::string::npos ? 0 : qualifier + 2);
  const std::size_t after = code.partner(head->open) + 1;
  return code.text(head->name) == class_name && after < declaration.header_end && is_address_space(code.text(after))
             ? after
             : declaration.header_end;
}

/// Members of namespaces that are opened several times meet by their scope's name.
std::string merge_key(const Code& code, const std::vector<Declaration>& declarations, const Declaration& declaration) {
  const bool member = declaration.parent != 0 && declarations[declaration.parent - 1].kind == DeclarationKind::Class;
  std::string key = (member ? std::to_string(declaration.parent) : std::string{}) + '\x1f' + declaration.scope + '\x1f';
  return key + erased(code, declaration.first, signature_end(code, declarations, declaration));
}

bool can_merge(const Code& code, const Declaration& declaration) {
  if (declaration.kind == DeclarationKind::Function) return true;
  if (declaration.kind == DeclarationKind::Class) {
    for (std::size_t i = declaration.first; i < declaration.header_end; ++i)
      if (code.is(i, "<")) return true;
    return false;
  }
  return declaration.kind == DeclarationKind::Other && !declaration.has_body() &&
         function_head(code, declaration).has_value();
}

}  // namespace

bool is_address_space(std::string_view word) {
  return word == "device" || word == "threadgroup" || word == "constant" || word == "thread";
}

Diags merge_overloads(const Code& code, const std::vector<Declaration>& declarations, const std::vector<bool>& dropped,
                      Edits& edits) {
  Diags faults;
  std::map<std::string, std::size_t> first_of;
  std::vector<bool> merged = dropped;
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    const Declaration& declaration = declarations[i];
    if (declaration.parent != 0 && merged[declaration.parent - 1]) merged[i] = true;
    if (merged[i] || !can_merge(code, declaration)) continue;
    // const is no qualifier of constructors.
    const std::size_t end = signature_end(code, declarations, declaration);
    if (end != declaration.header_end) edits.blank(code.token(end).begin, code.token(end).end);
    const auto [at, added] = first_of.try_emplace(merge_key(code, declarations, declaration), i);
    if (added) continue;
    const Declaration& first = declarations[at->second];
    if (first.has_body() != declaration.has_body()) {
      if (!first.has_body()) at->second = i;
      continue;
    }
    // An exact repetition is the author's own: the compiler judges it.
    if (code.joined(first.first, first.header_end) == code.joined(declaration.first, declaration.header_end)) continue;
    if (erased(code, first.header_end, first.last) != erased(code, declaration.header_end, declaration.last)) {
      Diag diag = fault_at(code, declaration.first, DiagCode::KernelCompile,
                           "two overloads differ in their address spaces and in their bodies",
                           "compile with --dialect=opencl, where address spaces are types");
      diag.notes.push_back({"the other one is here", code.place(first.first)});
      faults.push_back(std::move(diag));
      continue;
    }
    merged[i] = true;
    edits.blank(code.token(declaration.first).begin, code.token(declaration.last - 1).end);
  }
  return faults;
}

}  // namespace tilewright::msl_emulator
