// The user's part of a token text: code without directives and attributes, brackets matched, attributes on the side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/msl_emulator/front/tokens.h"
#include "support/result.h"

namespace tilewright::msl_emulator {

/// `buffer(2)`, `clang::always_inline`, `kernel`.
struct AttributeItem {
  std::string name;                    ///< with its namespace
  std::vector<std::size_t> arguments;  ///< indices into TokenText::tokens, between the parentheses
  std::size_t token = 0;               ///< the first token of the item, an index into TokenText::tokens
};

/// One `[[...]]`.
struct Attribute {
  std::size_t position = 0;  ///< the code token that follows it
  std::uint32_t begin = 0;   ///< bytes of the text, brackets included
  std::uint32_t end = 0;
  std::vector<AttributeItem> items;
};

/// Ranges of code tokens are half open. A bracket's partner is always there.
class Code {
 public:
  explicit Code(const TokenText& source) : source_(&source) {}

  const TokenText& source() const { return *source_; }
  std::size_t size() const { return tokens_.size(); }
  const Token& token(std::size_t i) const { return source_->tokens[tokens_[i]]; }
  /// Its index in TokenText::tokens.
  std::size_t source_index(std::size_t i) const { return tokens_[i]; }
  TokenKind kind(std::size_t i) const { return token(i).kind; }
  std::string_view text(std::size_t i) const { return source_->spelling(token(i)); }
  bool is(std::size_t i, std::string_view spelling) const { return i < size() && text(i) == spelling; }
  bool is_word(std::size_t i) const { return i < size() && kind(i) == TokenKind::Word; }
  /// Of a bracket ( [ { or their closing ones.
  std::size_t partner(std::size_t i) const { return partners_[i]; }
  SourcePlace place(std::size_t i) const;

  const std::vector<Attribute>& attributes() const { return attributes_; }
  /// Those that stand before a token of [first, last], in order.
  std::vector<const Attribute*> attributes_in(std::size_t first, std::size_t last) const;
  /// The first item of that name in these attributes.
  const AttributeItem* find_item(std::size_t first, std::size_t last, std::string_view name) const;

  /// The token after the matching `>` of the `<` at i; nothing if there is none before `end`.
  std::optional<std::size_t> after_angles(std::size_t i, std::size_t end) const;
  /// Tokens with one blank between them where they need one.
  std::string joined(std::size_t first, std::size_t last) const;
  std::string joined_source(const std::vector<std::size_t>& tokens) const;

 private:
  friend Result<Code> read_code(const TokenText& source);

  const TokenText* source_;
  std::vector<std::size_t> tokens_;  ///< indices into TokenText::tokens
  std::vector<std::size_t> partners_;
  std::vector<Attribute> attributes_;
};

/// KernelCompile: a bracket without its partner, or an attribute without its end. `source` must outlive the result.
Result<Code> read_code(const TokenText& source);

/// A fault with the place of a code token.
Diag fault_at(const Code& code, std::size_t token, DiagCode diag_code, std::string message, std::string hint = {});

}  // namespace tilewright::msl_emulator
