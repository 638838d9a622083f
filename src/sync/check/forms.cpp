#include "sync/check/forms.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilewright::sync {

namespace {

using kernel::BinaryKind;
using kernel::CompareKind;

Form unknown_form() { return {}; }

std::int64_t floored_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
std::int64_t floored_rest(std::int64_t a, std::int64_t b) { return a - floored_quotient(a, b) * b; }

IntegerRange quotient_range(IntegerRange a, std::int64_t divisor) {
  IntegerRange quotient;
  if (a.low > -kFar) quotient.low = floored_quotient(a.low, divisor);
  if (a.high < kFar) quotient.high = floored_quotient(a.high, divisor);
  return quotient;
}

/// What two numbers of workers give; nothing when the operation has no result of its own there.
std::optional<std::int64_t> number_of(BinaryKind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (kind) {
    case BinaryKind::Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryKind::Sub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryKind::Mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryKind::FloorDiv:
      if (b == 0) return 0;
      return b == -1 ? std::nullopt : std::optional(floored_quotient(a, b));
    case BinaryKind::FloorMod:
      if (b == 0) return 0;
      return b == -1 ? std::optional<std::int64_t>(0) : std::optional(floored_rest(a, b));
    case BinaryKind::Max:
      return std::max(a, b);
    case BinaryKind::Min:
      return std::min(a, b);
    case BinaryKind::And:
      return a & b;
    case BinaryKind::Or:
      return a | b;
    case BinaryKind::Xor:
      return a ^ b;
    case BinaryKind::Shl:
      if (b < 0 || b > 62 || a < 0 || a > (INT64_MAX >> b)) return std::nullopt;
      return a << b;
    case BinaryKind::Shr:
      if (b < 0 || b > 62 || a < 0) return std::nullopt;
      return a >> b;
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Whether a - b compares with 0 like that.
Truth sign_holds(CompareKind kind, IntegerRange is) {
  const auto decided = [](bool yes, bool no) { return yes ? Truth::Yes : no ? Truth::No : Truth::Maybe; };
  const bool zero = is.low == 0 && is.high == 0, never_zero = is.low > 0 || is.high < 0;
  switch (kind) {
    case CompareKind::Lt:
      return decided(is.high < 0, is.low >= 0);
    case CompareKind::Le:
      return decided(is.high <= 0, is.low > 0);
    case CompareKind::Gt:
      return decided(is.low > 0, is.high <= 0);
    case CompareKind::Ge:
      return decided(is.low >= 0, is.high < 0);
    case CompareKind::Eq:
      return decided(zero, never_zero);
    case CompareKind::Ne:
      return decided(never_zero, zero);
  }
  return Truth::Maybe;
}

}  // namespace

IntegerRange plus(IntegerRange a, IntegerRange b) {
  const auto sum = [](std::int64_t x, std::int64_t y) {
    return std::clamp(std::clamp(x, -kFar, kFar) + std::clamp(y, -kFar, kFar), -kFar, kFar);
  };
  return {a.low <= -kFar || b.low <= -kFar ? -kFar : sum(a.low, b.low),
          a.high >= kFar || b.high >= kFar ? kFar : sum(a.high, b.high)};
}

IntegerRange scaled(IntegerRange a, std::int64_t factor) {
  IntegerRange product;
  const std::int64_t low = factor > 0 ? a.low : a.high, high = factor > 0 ? a.high : a.low;
  std::int64_t made = 0;
  if (low > -kFar && low < kFar && !__builtin_mul_overflow(low, factor, &made)) product.low = made;
  if (high > -kFar && high < kFar && !__builtin_mul_overflow(high, factor, &made)) product.high = made;
  return product;
}

IntegerRange FormArithmetic::range(const std::vector<Term>& terms) const {
  IntegerRange sum{0, 0};
  for (const Term& term : terms) sum = plus(sum, scaled(symbols_[term.symbol].range, term.factor));
  return sum;
}

Form FormArithmetic::add(const Form& a, const Form& b) const {
  if (!a.known || !b.known) return unknown_form();
  Form sum{true, {}, std::vector<std::int64_t>(std::max(a.numbers.size(), b.numbers.size()))};
  for (std::size_t i = 0; i < sum.numbers.size(); ++i)
    if (__builtin_add_overflow(a.of(i), b.of(i), &sum.numbers[i])) return unknown_form();
  auto left = a.terms.begin();
  auto right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    Term term;
    if (right == b.terms.end() || (left != a.terms.end() && left->symbol < right->symbol)) {
      term = *left++;
    } else if (left == a.terms.end() || right->symbol < left->symbol) {
      term = *right++;
    } else {
      term.symbol = left->symbol;
      // Two integers that each worker holds for itself are one only where they cancel within the worker.
      if (__builtin_add_overflow(left++->factor, right++->factor, &term.factor)) return unknown_form();
    }
    if (term.factor != 0) sum.terms.push_back(term);
  }
  return sum;
}

Form FormArithmetic::times(const Form& a, std::int64_t factor) const {
  if (!a.known) return unknown_form();
  if (factor == 0) return Form::number(0);
  Form product = a;
  for (Term& term : product.terms)
    if (__builtin_mul_overflow(term.factor, factor, &term.factor)) return unknown_form();
  for (std::int64_t& number : product.numbers)
    if (__builtin_mul_overflow(number, factor, &number)) return unknown_form();
  return product;
}

Form FormArithmetic::multiply(const Form& a, const Form& b) {
  if (b.is_number()) return times(a, b.numbers[0]);
  if (a.is_number()) return times(b, a.numbers[0]);
  if (a.terms.empty() && b.terms.empty()) return number_by_number(BinaryKind::Mul, a, b);
  return named(BinaryKind::Mul, a, b, {});
}

/// Terms that the divisor divides leave whole; the others do so where what is left of them stays within one step.
Form FormArithmetic::divide(const Form& a, std::int64_t divisor, bool rest) {
  Form whole{true, {}, {0}}, part{true, {}, a.numbers};
  for (const Term& term : a.terms) {
    const std::int64_t outer = term.factor / divisor, inner = term.factor % divisor;
    if (outer != 0) whole.terms.push_back({term.symbol, outer});
    if (inner != 0) part.terms.push_back({term.symbol, inner});
  }
  // The rest of what all workers hold alike keeps its name, so that it is known again (RestOf).
  const bool named_rest = rest && part.same_for_all() && !part.terms.empty();
  const Form quotient = named_rest ? Form{} : steps(part, divisor);
  if (quotient.known) return rest ? add(part, times(quotient, -divisor)) : add(whole, quotient);
  const Form by = Form::number(divisor);
  if (rest) return named(BinaryKind::FloorMod, part, by, {0, divisor - 1});
  const IntegerRange spread = plus(range(part.terms), {part.numbers[0], part.numbers[0]});
  return add(whole, named(BinaryKind::FloorDiv, part, by, quotient_range(spread, divisor)));
}

/// The quotients, where each is one number whatever the terms are.
Form FormArithmetic::steps(const Form& part, std::int64_t divisor) const {
  const IntegerRange spread = range(part.terms);
  Form quotient{true, {}, part.numbers};
  for (std::int64_t& number : quotient.numbers) {
    const IntegerRange here = quotient_range(plus(spread, {number, number}), divisor);
    if (!here.bounded() || here.low != here.high) return unknown_form();
    number = here.low;
  }
  return quotient;
}

Form FormArithmetic::number_by_number(BinaryKind kind, const Form& a, const Form& b) const {
  Form result{true, {}, std::vector<std::int64_t>(std::max(a.numbers.size(), b.numbers.size()))};
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    const auto number = number_of(kind, a.of(i), b.of(i));
    if (!number) return unknown_form();
    result.numbers[i] = *number;
  }
  return result;
}

Form FormArithmetic::named(BinaryKind kind, const Form& a, const Form& b, IntegerRange range) {
  if (!a.same_for_all() || !b.same_for_all()) return unknown_form();
  Symbol made{range, {}, {}, false, {}};
  if (kind == BinaryKind::FloorMod && b.is_number() && b.numbers[0] > 0)
    made.rest = {a.terms, a.numbers[0], b.numbers[0]};
  for (const Form* form : {&a, &b})
    for (const Term& term : form->terms) {
      const Symbol& part = symbols_[term.symbol];
      made.own = made.own || part.own;
      for (kernel::OpId loop : part.loops)
        if (std::ranges::find(made.loops, loop) == made.loops.end()) made.loops.push_back(loop);
    }
  const Function key{kind, a.terms, a.numbers[0], b.terms, b.numbers[0]};
  const auto known = functions_.find(key);
  if (known != functions_.end()) return form_of(known->second);
  return form_of(functions_[key] = symbol(std::move(made)));
}

Form FormArithmetic::binary(BinaryKind kind, const Form& a, const Form& b) {
  if (!a.known || !b.known) return unknown_form();
  switch (kind) {
    case BinaryKind::Add:
      return add(a, b);
    case BinaryKind::Sub:
      return add(a, times(b, -1));
    case BinaryKind::Mul:
      return multiply(a, b);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
      if (b.is_number() && b.numbers[0] > 0) return divide(a, b.numbers[0], kind == BinaryKind::FloorMod);
      break;
    case BinaryKind::And: {
      // The low bits of a two's complement integer are its rest.
      const std::int64_t mask = b.is_number() ? b.numbers[0] : -1;
      if (mask >= 0 && mask < INT64_MAX && (mask & (mask + 1)) == 0) return divide(a, mask + 1, true);
      break;
    }
    case BinaryKind::Shl:
      if (b.is_number() && b.numbers[0] >= 0 && b.numbers[0] < 62) return times(a, std::int64_t{1} << b.numbers[0]);
      break;
    case BinaryKind::Div:
    case BinaryKind::Fmod:
    case BinaryKind::Max:
    case BinaryKind::Min:
    case BinaryKind::Or:
    case BinaryKind::Xor:
    case BinaryKind::Shr:
      break;
  }
  if (a.terms.empty() && b.terms.empty()) return number_by_number(kind, a, b);
  return named(kind, a, b, chosen_range(kind, a, b));
}

/// Of the larger or smaller of two integers that all workers hold alike.
IntegerRange FormArithmetic::chosen_range(BinaryKind kind, const Form& a, const Form& b) const {
  if (!a.same_for_all() || !b.same_for_all()) return {};
  const IntegerRange x = plus(range(a.terms), {a.numbers[0], a.numbers[0]});
  const IntegerRange y = plus(range(b.terms), {b.numbers[0], b.numbers[0]});
  if (kind == BinaryKind::Max) return {std::max(x.low, y.low), std::max(x.high, y.high)};
  if (kind == BinaryKind::Min) return {std::min(x.low, y.low), std::min(x.high, y.high)};
  return {};
}

std::vector<Truth> FormArithmetic::compare(CompareKind kind, const Form& a, const Form& b) const {
  const Form difference = add(a, times(b, -1));
  if (!difference.known) return {Truth::Maybe};
  const IntegerRange spread = range(difference.terms);
  std::vector<Truth> answers;
  for (std::int64_t number : difference.numbers) answers.push_back(sign_holds(kind, plus(spread, {number, number})));
  return answers;
}

}  // namespace tilewright::sync
