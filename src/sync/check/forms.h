// Integers of all workers at once, as far as they are known: part of the fence checker.
//
// A form is a sum of symbols with factors, the same for all workers, and a number of each worker:
//   16 * %task + (0, 1, 2, ..)
// A symbol is an integer that all workers of the group hold alike (a coordinate, the index of a loop that they run
// together, a length), or, when it is `own`, one that each worker holds for itself and nobody knows. Arithmetic is that
// of integers: that indices do not wrap is a premise. What has no form is unknown.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernel/program.h"
#include "support/ids.h"

namespace tilewright::sync {

using SymbolId = Id<struct FormSymbolTag>;

/// Beyond these an end of a range is not known.
inline constexpr std::int64_t kFar = INT64_MAX / 4;
struct IntegerRange {
  std::int64_t low = -kFar, high = kFar;
  bool bounded() const { return low > -kFar && high < kFar; }
};

IntegerRange plus(IntegerRange a, IntegerRange b);
/// Of products with a factor other than 0.
IntegerRange scaled(IntegerRange a, std::int64_t factor);

struct Term {
  SymbolId symbol;
  std::int64_t factor = 0;
  bool operator==(const Term&) const = default;
  auto operator<=>(const Term&) const = default;
};

/// What the floored division of a sum by a number leaves.
struct RestOf {
  std::vector<Term> terms;
  std::int64_t number = 0;
  std::int64_t divisor = 0;  ///< 0: the symbol is no such rest
};

struct Symbol {
  IntegerRange range;
  std::vector<kernel::OpId> loops;  ///< outermost first: in another iteration of one of them it is another integer
  kernel::OpId index_of;            ///< the loop whose index it is, or none
  bool own = false;
  RestOf rest;
};

struct Form {
  bool known = false;
  std::vector<Term> terms;            ///< by symbol, factors other than 0
  std::vector<std::int64_t> numbers;  ///< one for all, or one a worker

  static Form number(std::int64_t value) { return {true, {}, {value}}; }
  bool same_for_all() const { return known && numbers.size() == 1; }
  bool is_number() const { return same_for_all() && terms.empty(); }
  std::int64_t of(std::size_t worker) const { return numbers.size() == 1 ? numbers[0] : numbers[worker]; }
  bool operator==(const Form&) const = default;
};

enum class Truth : std::uint8_t { No, Yes, Maybe };

class FormArithmetic {
 public:
  SymbolId symbol(Symbol value) { return symbols_.push_back(std::move(value)); }
  const Symbol& operator[](SymbolId id) const { return symbols_[id]; }
  static Form form_of(SymbolId id) { return {true, {{id, 1}}, {0}}; }

  Form binary(kernel::BinaryKind kind, const Form& a, const Form& b);
  Form add(const Form& a, const Form& b) const;
  Form times(const Form& a, std::int64_t factor) const;

  /// Of the terms alone.
  IntegerRange range(const std::vector<Term>& terms) const;
  /// Whether the comparison holds: one answer for all, or one a worker.
  std::vector<Truth> compare(kernel::CompareKind kind, const Form& a, const Form& b) const;

 private:
  Form multiply(const Form& a, const Form& b);
  /// Floored; divisor above 0.
  Form divide(const Form& a, std::int64_t divisor, bool rest);
  Form steps(const Form& part, std::int64_t divisor) const;
  Form number_by_number(kernel::BinaryKind kind, const Form& a, const Form& b) const;
  IntegerRange chosen_range(kernel::BinaryKind kind, const Form& a, const Form& b) const;
  /// The same function of the same forms is the same integer.
  Form named(kernel::BinaryKind kind, const Form& a, const Form& b, IntegerRange range);

  using Function = std::tuple<kernel::BinaryKind, std::vector<Term>, std::int64_t, std::vector<Term>, std::int64_t>;
  IdVector<SymbolId, Symbol> symbols_;
  std::map<Function, SymbolId> functions_;
};

}  // namespace tilewright::sync
