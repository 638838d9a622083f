#include "runtime/msl_emulator/front/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "support/spelling.h"

namespace tilewright::msl_emulator {

namespace {

bool is_stage(std::string_view name) {
  return name == "vertex" || name == "fragment" || name == "mesh" || name == "object" || name == "intersection";
}

/// How many arguments the template of a declaration takes.
struct TemplateArity {
  std::size_t least = 0, most = 0;
};
TemplateArity template_arity(const Code& code, const Declaration& declaration) {
  TemplateArity arity;
  const std::size_t open = declaration.first + 1;
  const std::size_t end = code.after_angles(open, declaration.last).value_or(open);
  bool defaulted = false;
  for (std::size_t i = open + 1; i < end; ++i) {
    if (code.is(i, "...")) arity.most = SIZE_MAX / 2;
    if (code.is(i, "=")) defaulted = true;
    if (code.is(i, "(") || code.is(i, "[") || code.is(i, "{")) i = code.partner(i);
    if (code.is(i, "<")) i = code.after_angles(i, end).value_or(i + 1) - 1;
    if (i + 1 != end && !code.is(i, ",")) continue;
    ++arity.most;
    arity.least += defaulted ? 0 : 1;
    defaulted = false;
  }
  return arity;
}

/// Of `f<A, B<C, D>, (E > F)>`: 3; nothing without angles.
std::optional<std::size_t> argument_count(std::string_view expression) {
  int angles = 0, brackets = 0;
  std::size_t count = 0;
  for (const char c : expression) {
    if (c == '(' || c == '[' || c == '{') ++brackets;
    if (c == ')' || c == ']' || c == '}') --brackets;
    if (brackets != 0) continue;
    if (c == '<' && ++angles == 1) count = 1;
    if (c == '>') --angles;
    if (c == ',' && angles == 1) ++count;
  }
  return count == 0 ? std::nullopt : std::optional(count);
}

class KernelFinder {
 public:
  explicit KernelFinder(const Code& code) : code_(code) {}

  void declaration(const Declaration& declaration, std::size_t index) {
    if (declaration.kind == DeclarationKind::Namespace || declaration.kind == DeclarationKind::Class) return;
    if (is_instantiation(declaration)) return instance(declaration, index);
    const std::optional<FunctionHead> head = function_head(code_, declaration);
    if (!head) return;
    if (has_role(declaration, *head, [](std::string_view name) { return name == "kernel"; }))
      return function(declaration, index, *head);
    if (has_role(declaration, *head, is_stage)) table.stages.push_back(index);
  }

  KernelTable table;
  Diags faults;

 private:
  /// `template decltype(f<A>) f<A>;`, and the same as a specialization that is only declared.
  bool is_instantiation(const Declaration& declaration) const {
    if (!code_.is(declaration.first, "template")) return false;
    if (!code_.is(declaration.first + 1, "<")) return true;
    return code_.is(declaration.first + 2, ">") && !declaration.has_body();
  }

  template <class Test>
  bool has_role(const Declaration& declaration, const FunctionHead& head, Test test) const {
    for (std::size_t i = declaration.first; i < head.name; ++i)
      if (code_.is_word(i) && test(code_.text(i)) && code_.is_word(i + 1)) return true;
    for (const Attribute* attribute : code_.attributes_in(declaration.first, head.open))
      for (const AttributeItem& item : attribute->items)
        if (test(item.name)) return true;
    return false;
  }

  std::string host_name(const Declaration& declaration, std::size_t last) {
    const AttributeItem* item = code_.find_item(declaration.first, last, "host_name");
    if (item == nullptr) return {};
    std::string name;
    for (const std::size_t t : item->arguments) {
      const Token& token = code_.source().tokens[t];
      if (token.kind == TokenKind::Text) name += literal_content(code_.source().spelling(token));
      if (token.kind == TokenKind::Text) continue;
      name.clear();
      break;
    }
    if (name.empty())
      faults.push_back(
          fault_at(code_, declaration.first, DiagCode::KernelCompile,
                   fmt::format("expected a text as host_name, found '{}'", code_.joined_source(item->arguments)),
                   "write host_name(\"name\")"));
    return name;
  }

  void function(const Declaration& declaration, std::size_t index, const FunctionHead& head) {
    const bool is_template =
        after_template_heads(code_, declaration.first, declaration.header_end) != declaration.first;
    table.functions.push_back({index, std::string(code_.text(head.name)), host_name(declaration, head.open),
                               is_template, code_.is(head.name + 1, "<"), head});
  }

  /// The last `name`, `name<...>` or `a::name<...>` of a header, optionally followed by parameters.
  void instance(const Declaration& declaration, std::size_t index) {
    const bool kernel = code_.find_item(declaration.first, declaration.last - 1, "kernel") != nullptr ||
                        contains(declaration, "kernel");
    if (!kernel) return;
    std::size_t end = declaration.last - 1;
    std::string parameters;
    if (end > declaration.first && code_.is(end - 1, ")")) {
      const std::size_t open = code_.partner(end - 1);
      parameters = code_.joined(open + 1, end - 1);
      end = open;
    }
    std::size_t name_end = end;
    std::size_t name = end;
    for (std::size_t i = declaration.first + 1; i < end; ++i) {
      if (code_.is(i, "(")) i = code_.partner(i);
      if (!code_.is_word(i)) continue;
      std::size_t after = i + 1;
      if (code_.is(after, "<")) after = code_.after_angles(after, end).value_or(after);
      if (after != end) continue;
      name = i;
      name_end = i + 1;
      break;
    }
    if (name == end) {
      faults.push_back(fault_at(code_, declaration.first, DiagCode::KernelCompile,
                                "an explicit instantiation of a kernel that names no function"));
      return;
    }
    std::size_t first = name;
    while (first > declaration.first + 1 && code_.is(first - 1, "::"))
      first -= code_.is_word(first - 2) && first > declaration.first + 2 ? 2 : 1;
    KernelInstance found{index, host_name(declaration, declaration.last - 1), std::string(code_.text(name)),
                         code_.joined(first, end)};
    if (found.host_name.empty()) found.host_name = found.expression;
    if (name_end == end) found.expression = fmt::format("static_cast<void (*)({})>({})", parameters, found.expression);
    table.instances.push_back(std::move(found));
  }

  bool contains(const Declaration& declaration, std::string_view word) const {
    for (std::size_t i = declaration.first; i < declaration.last; ++i)
      if (code_.is(i, word)) return true;
    return false;
  }

  const Code& code_;
};

class KernelChooser {
 public:
  KernelChooser(const Code& code, const std::vector<Declaration>& declarations, const KernelTable& table)
      : code_(code), declarations_(declarations), table_(table) {}

  void all_plain() {
    for (std::size_t i = 0; i < table_.functions.size(); ++i)
      if (!table_.functions[i].is_template && is_defined(table_.functions[i])) plain(i);
    if (!choices.empty()) return;
    std::string names;
    for (const std::string& name : known_names()) names += (names.empty() ? "" : ", ") + name;
    faults.push_back(
        {DiagCode::KernelUnknown,
         "the text has no kernel that is not a template",
         {},
         names.empty() ? "a kernel is a function with 'kernel' or [[kernel]]" : "name one of: " + brief(names),
         {}});
  }

  void wanted(const std::string& name) {
    for (const KernelInstance& instance : table_.instances)
      if (instance.host_name == name)
        return instantiate(name, instance.function, instance.expression, instance.declaration);
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < table_.functions.size(); ++i)
      if (is_defined(table_.functions[i]) && is_called(table_.functions[i], name)) same.push_back(i);
    if (same.size() > 1) return ambiguous(name, same);
    if (same.size() == 1 && !table_.functions[same[0]].is_template) return plain(same[0]);
    const std::size_t angle = name.find('<');
    if (same.empty() && angle != std::string::npos && is_template_id(name))
      return instantiate(name, name.substr(0, angle), name, SIZE_MAX);
    unknown(name, !same.empty());
  }

  std::vector<KernelChoice> choices;
  Diags faults;

 private:
  bool is_defined(const KernelFunction& function) const {
    return declarations_[function.declaration].has_body() && !function.is_specialization;
  }

  bool is_called(const KernelFunction& function, std::string_view name) const {
    if (name == function.host_name || name == function.name) return true;
    const std::string& scope = declarations_[function.declaration].scope;
    return !scope.empty() && name == scope + "::" + function.name;
  }

  void plain(std::size_t index) {
    const KernelFunction& function = table_.functions[index];
    const std::string& scope = declarations_[function.declaration].scope;
    choices.push_back({function.host_name.empty() ? function.name : function.host_name, qualified(scope, function.name),
                       scope, index});
  }

  void instantiate(const std::string& name, std::string function, std::string expression, std::size_t declaration) {
    const std::size_t qualifier = function.rfind("::");
    if (qualifier != std::string::npos) function = function.substr(qualifier + 2);
    const std::optional<std::size_t> arguments =
        expression.starts_with("static_cast") ? std::nullopt : argument_count(expression);
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < table_.functions.size(); ++i) {
      const KernelFunction& candidate = table_.functions[i];
      if (candidate.name != function || !candidate.is_template || !is_defined(candidate)) continue;
      const TemplateArity arity = template_arity(code_, declarations_[candidate.declaration]);
      if (!arguments || *arguments <= arity.most) same.push_back(i);
    }
    if (same.size() > 1 && arguments)
      std::erase_if(same, [&](std::size_t i) {
        return *arguments < template_arity(code_, declarations_[table_.functions[i].declaration]).least;
      });
    if (same.empty()) return unknown(name, false);
    if (same.size() > 1) return ambiguous(name, same);
    const std::string& scope = declaration == SIZE_MAX ? declarations_[table_.functions[same[0]].declaration].scope
                                                       : declarations_[declaration].scope;
    choices.push_back({name, qualified(scope, expression), scope, same[0]});
  }

  /// A name that is looked up where it stands: `using namespace metal` may bring others of that spelling.
  static std::string qualified(const std::string& scope, const std::string& expression) {
    const std::string_view name = std::string_view(expression).substr(0, expression.find_first_of("<("));
    if (name.starts_with("static_cast")) return expression;
    if (name.contains("::")) return "&" + expression;
    return "&::" + (scope.empty() ? "" : scope + "::") + expression;
  }

  void ambiguous(const std::string& name, const std::vector<std::size_t>& same) {
    Diag diag = fault_at(code_, table_.functions[same[0]].head.name, DiagCode::KernelNotModelled,
                         fmt::format("the text has {} kernels named '{}'", same.size(), name),
                         "give them different names, or keep one of them with the preprocessor");
    for (std::size_t i = 1; i < same.size(); ++i)
      diag.notes.push_back({"another is here", code_.place(table_.functions[same[i]].head.name)});
    faults.push_back(std::move(diag));
  }

  void unknown(const std::string& name, bool is_template) {
    for (const std::size_t stage : table_.stages) {
      const std::optional<FunctionHead> head = function_head(code_, declarations_[stage]);
      if (!head || code_.text(head->name) != name) continue;
      faults.push_back(fault_at(code_, head->name, DiagCode::KernelNotModelled,
                                fmt::format("'{}' is a stage of the graphics pipeline; only kernels are run", name)));
      return;
    }
    const std::vector<std::string> known = known_names();
    std::vector<std::string_view> views(known.begin(), known.end());
    std::string hint = did_you_mean(name, views);
    std::string list;
    for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
    if (hint.empty() && !list.empty()) hint = "the text has " + brief(list);
    if (list.empty()) hint = "a kernel is a function with 'kernel' or [[kernel]]";
    if (is_template) hint = fmt::format("name its arguments, as in '{}<float>'", name);
    faults.push_back({DiagCode::KernelUnknown,
                      is_template ? fmt::format("'{}' is a template and has no instance of that name", name)
                                  : fmt::format("the text has no kernel named '{}'", name),
                      {},
                      std::move(hint),
                      {}});
  }

  static std::string brief(const std::string& list) {
    return list.size() <= 600 ? list : list.substr(0, list.rfind(',', 600)) + ", ...";
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const KernelFunction& function : table_.functions)
      if (!function.is_template) names.push_back(function.host_name.empty() ? function.name : function.host_name);
    for (const KernelInstance& instance : table_.instances) names.push_back(instance.host_name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  /// `name<...>` that can stand in an expression and cannot end it.
  static bool is_template_id(const std::string& text) {
    if (!text.ends_with('>') || text.size() > 1000) return false;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (!word && std::string_view(" ,<>:*&+-.").find(c) == std::string_view::npos) return false;
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (depth < 0 || (depth == 0 && c == '>' && i + 1 < text.size())) return false;
    }
    return depth == 0;
  }

  const Code& code_;
  const std::vector<Declaration>& declarations_;
  const KernelTable& table_;
};

}  // namespace

Result<KernelTable> find_kernels(const Code& code, const std::vector<Declaration>& declarations) {
  KernelFinder finder(code);
  for (std::size_t i = 0; i < declarations.size(); ++i) finder.declaration(declarations[i], i);
  if (!finder.faults.empty()) return std::unexpected(std::move(finder.faults));
  return std::move(finder.table);
}

Result<std::vector<KernelChoice>> choose_kernels(const Code& code, const std::vector<Declaration>& declarations,
                                                 const KernelTable& table, const std::vector<std::string>& wanted) {
  KernelChooser chooser(code, declarations, table);
  if (wanted.empty()) chooser.all_plain();
  for (const std::string& name : wanted) chooser.wanted(name);
  if (!chooser.faults.empty()) return std::unexpected(std::move(chooser.faults));
  return std::move(chooser.choices);
}

}  // namespace tilewright::msl_emulator
