#include "runtime/msl_emulator/front/integer_expression.h"

#include <charconv>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

constexpr int kIntegerDepth = 50;
constexpr std::int64_t kIntegerBound = std::int64_t{1} << 32;

class IntegerEvaluator {
 public:
  IntegerEvaluator(const TokenText& source, const ConstantNames& names, int& steps)
      : source_(source), names_(names), steps_(steps) {}

  std::optional<std::int64_t> whole(const std::vector<std::size_t>& tokens, int depth) {
    const auto outer = std::exchange(tokens_, &tokens);
    const std::size_t outer_at = std::exchange(at_, 0);
    std::optional<std::int64_t> value = sum(depth);
    if (at_ != tokens.size()) value.reset();
    tokens_ = outer;
    at_ = outer_at;
    return value;
  }

 private:
  std::string_view peek() const {
    return at_ < tokens_->size() ? source_.spelling(source_.tokens[(*tokens_)[at_]]) : std::string_view{};
  }
  bool take(std::string_view text) {
    if (peek() != text || text.empty()) return false;
    ++at_;
    return true;
  }
  static std::optional<std::int64_t> bounded(std::int64_t value) {
    if (value > kIntegerBound || value < -kIntegerBound) return std::nullopt;
    return value;
  }

  std::optional<std::int64_t> sum(int depth) {
    std::optional<std::int64_t> left = product(depth);
    while (left) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const std::optional<std::int64_t> right = product(depth);
      if (!right) return std::nullopt;
      left = bounded(plus ? *left + *right : *left - *right);
    }
    return left;
  }

  std::optional<std::int64_t> product(int depth) {
    std::optional<std::int64_t> left = primary(depth);
    while (left) {
      const std::string_view symbol = peek();
      if (symbol != "*" && symbol != "/" && symbol != "%") break;
      ++at_;
      const std::optional<std::int64_t> right = primary(depth);
      if (!right || (symbol != "*" && *right == 0)) return std::nullopt;
      // Both are below 2^32, but a product of two bounds is not below 2^63.
      if (symbol == "*" && (*left > INT32_MAX || *left < INT32_MIN)) return std::nullopt;
      left = bounded(symbol == "*" ? *left * *right : symbol == "/" ? *left / *right : *left % *right);
    }
    return left;
  }

  std::optional<std::int64_t> primary(int depth) {
    if (depth > kIntegerDepth || ++steps_ > 10'000) return std::nullopt;
    if (take("+")) return primary(depth + 1);
    if (take("-")) {
      const std::optional<std::int64_t> value = primary(depth + 1);
      return value ? std::optional(-*value) : std::nullopt;
    }
    if (take("(")) {
      const std::optional<std::int64_t> value = sum(depth + 1);
      return take(")") ? value : std::nullopt;
    }
    if (at_ >= tokens_->size()) return std::nullopt;
    const Token& token = source_.tokens[(*tokens_)[at_++]];
    if (token.kind == TokenKind::Number) {
      const std::optional<std::uint64_t> value = literal_integer(source_.spelling(token));
      if (!value || *value > static_cast<std::uint64_t>(kIntegerBound)) return std::nullopt;
      return static_cast<std::int64_t>(*value);
    }
    if (token.kind != TokenKind::Word) return std::nullopt;
    const auto name = names_.find(source_.spelling(token));
    return name == names_.end() ? std::nullopt : whole(name->second, depth + 1);
  }

  const TokenText& source_;
  const ConstantNames& names_;
  int& steps_;
  const std::vector<std::size_t>* tokens_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

ConstantNames constant_names(const Code& code, const std::vector<Declaration>& declarations) {
  ConstantNames names;
  for (const Declaration& declaration : declarations) {
    if (declaration.kind != DeclarationKind::Other || declaration.has_body()) continue;
    bool constant = false;
    for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
      if (code.is(i, "constexpr") || code.is(i, "constant") || code.is(i, "const")) constant = true;
      if (!code.is(i, "=")) continue;
      if (!constant || i == declaration.first || !code.is_word(i - 1)) break;
      std::vector<std::size_t> tokens;
      for (std::size_t j = i + 1; j + 1 < declaration.last; ++j) tokens.push_back(code.source_index(j));
      names.try_emplace(std::string(code.text(i - 1)), std::move(tokens));
      break;
    }
  }
  return names;
}

std::optional<std::int64_t> evaluate_integer(const TokenText& source, const std::vector<std::size_t>& tokens,
                                             const ConstantNames& names) {
  int steps = 0;
  return IntegerEvaluator(source, names, steps).whole(tokens, 0);
}

std::optional<std::uint64_t> literal_integer(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '\'') digits += c;
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos) digits.pop_back();
  int base = 10;
  std::string_view rest = digits;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    base = 16;
    rest.remove_prefix(2);
  } else if (rest.starts_with("0b") || rest.starts_with("0B")) {
    base = 2;
    rest.remove_prefix(2);
  } else if (rest.size() > 1 && rest[0] == '0') {
    base = 8;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (error != std::errc{} || rest.empty() || end != rest.data() + rest.size()) return std::nullopt;
  return value;
}

}  // namespace tilewright::msl_emulator
