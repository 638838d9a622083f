// Where declarations begin and end: namespaces, classes, functions and the rest. No types, no name lookup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/msl_emulator/front/code.h"

namespace tilewright::msl_emulator {

enum class DeclarationKind : std::uint8_t { Namespace, Class, Function, Other };

/// Code tokens [first, last), the final `;` included. The header is what stands before the body, the initialiser of a
/// constructor's members left out.
struct Declaration {
  DeclarationKind kind = DeclarationKind::Other;
  std::size_t first = 0, last = 0;
  std::size_t header_end = 0;
  std::size_t body_open = 0, body_close = 0;  ///< the braces; both 0 when there is no body
  std::size_t parent = 0;                     ///< index + 1 of the enclosing declaration; 0: the file
  std::string scope;                          ///< "a::b" of namespaces and classes around it

  bool has_body() const { return body_close != 0; }
};

/// All declarations at namespace and class scope, each before those inside it. KernelCompile: nested more than 100
/// deep.
Result<std::vector<Declaration>> find_declarations(const Code& code);

/// The first token after `template <...>` heads, and whether there was one. `template` without `<` is not a head.
std::size_t after_template_heads(const Code& code, std::size_t first, std::size_t last);

/// The parenthesis that opens the parameters of a function's header, and the token of its name.
struct FunctionHead {
  std::size_t name = 0;
  std::size_t open = 0;
};
std::optional<FunctionHead> function_head(const Code& code, const Declaration& declaration);

}  // namespace tilewright::msl_emulator
