// Tokens, names and diagnostics while a kernel text is read: what every part of the parser stands on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/lexer.h"
#include "kernel/program.h"

namespace tilewright::kernel {

/// Leaves a faulty statement, which is then skipped.
struct SyntaxFault {};

struct ResultName {
  Token token;
  ValueType type;
};

class TextReader {
 public:
  TextReader(std::string_view text, std::string_view file);

  // ---- Tokens ----
  const Token& peek() const { return tokens_[at_]; }
  const Token& behind() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  Token next();
  bool accept(std::string_view mark);
  /// A word that may be left out.
  bool accept_word(std::string_view word);
  void expect(std::string_view mark);
  void expect_word(std::string_view word);

  // ---- Faults ----
  void report(const Token& at, DiagCode code, std::string message);
  [[noreturn]] void fail(const Token& at, std::string message);
  [[noreturn]] void unexpected(std::string_view expected);

  // ---- Words and numbers ----
  std::string name(std::string_view what);
  std::int64_t integer(std::string_view what);
  /// Not negative.
  std::int64_t size(std::string_view what);
  /// From least to most; LiteralOutOfRange otherwise.
  std::int64_t number(std::string_view what, std::int64_t least, std::int64_t most);
  ScalarType scalar_type();
  ValueType value_type();

  // ---- Values and memories ----
  /// An operand; none when its name is unknown (reported, once a name).
  ValueId operand();
  void define(const Token& token, ValueId value);
  /// Defines the name that stands here as a new value.
  ValueId definition(ValueType type);
  MemoryRef memory();
  /// The number of a ring of the kernel.
  std::uint32_t ring();

 protected:
  std::string file_;
  std::vector<std::string_view> lines_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Diags diags_;
  Program program_;
  std::map<std::string, BufferId> buffers_;
  std::map<std::string, AllocationId> allocations_;
  std::map<std::string, std::uint32_t> rings_;
  std::vector<std::map<std::string, ValueId>> scopes_;
};

/// The operation that stands here, without blocks: everything but loop, if, tasks and roles.
OpPayload read_payload(TextReader& in, const std::vector<ResultName>& results);

}  // namespace tilewright::kernel
