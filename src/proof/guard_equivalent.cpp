#include "proof/guard_equivalent.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "proof/domain_sets.h"
#include "proof/issuer.h"
#include "proof/statement.h"
#include "support/check.h"
#include "support/checked_math.h"
#include "tile/printer.h"
#include "tile/syntax.h"

namespace tilewright::proof {

using analysis::AffineForm;
using tile::Comparison;

namespace {

std::optional<Comparison> comparison_of(tile::BinaryKind kind) {
  switch (kind) {
    case tile::BinaryKind::Lt:
      return Comparison::Lt;
    case tile::BinaryKind::Le:
      return Comparison::Le;
    case tile::BinaryKind::Gt:
      return Comparison::Gt;
    case tile::BinaryKind::Ge:
      return Comparison::Ge;
    case tile::BinaryKind::Eq:
      return Comparison::Eq;
    default:
      return std::nullopt;
  }
}

/// f >= 0 on integers is f / g >= 0 with the constant rounded down, for g the divisor of all coefficients.
AffineForm tightened(AffineForm form) {
  std::uint64_t divisor = 0;
  for (const analysis::Term& term : form.terms)
    divisor = std::gcd(divisor, term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                     : static_cast<std::uint64_t>(term.coefficient));
  if (divisor <= 1 || divisor > static_cast<std::uint64_t>(INT64_MAX)) return form;
  const auto by = static_cast<std::int64_t>(divisor);
  for (analysis::Term& term : form.terms) term.coefficient /= by;
  form.constant = *checked_floordiv(form.constant, by);
  return form;
}

class GuardProver {
 public:
  GuardProver(const Subject& subject, const analysis::OverDomain& domain, const Guard& left, const Guard& right,
              const sets::Context& context)
      : subject_(subject), domain_(domain), left_(left), right_(right), context_(context) {}

  /// Nothing: equivalent.
  std::optional<Verdict<GuardEquivalent>> run() {
    const auto left = forms(left_, right_), right = forms(right_, left_);
    if (left && right && same(*left, *right)) return std::nullopt;
    return ask_sets();
  }

 private:
  using Forms = std::vector<AffineForm>;

  std::optional<AffineForm> form_of(std::optional<tile::IndexId> expr) const {
    if (!expr) return AffineForm{};
    auto form = analysis::affine_form(subject_.program, *expr, subject_.ranges);
    return form ? std::optional(std::move(*form)) : std::nullopt;
  }

  /// larger - smaller - strict >= 0.
  bool add(std::optional<AffineForm> larger, std::optional<AffineForm> smaller, std::int64_t strict,
           Forms& forms) const {
    if (!larger || !smaller) return false;
    auto difference = analysis::add_scaled(*larger, *smaller, -1);
    if (!difference) return false;
    const auto constant = checked_sub(difference->constant, strict);
    if (!constant) return false;
    difference->constant = *constant;
    forms.push_back(tightened(std::move(*difference)));
    return true;
  }

  bool add(const Clause& clause, Forms& forms) const {
    const auto a = form_of(clause.lhs), b = form_of(clause.rhs);
    switch (clause.comparison) {
      case Comparison::Lt:
        return add(b, a, 1, forms);
      case Comparison::Le:
        return add(b, a, 0, forms);
      case Comparison::Gt:
        return add(a, b, 1, forms);
      case Comparison::Ge:
        return add(a, b, 0, forms);
      case Comparison::Eq:
        return add(a, b, 0, forms) && add(b, a, 0, forms);
      case Comparison::Ne:
        return false;
    }
    return false;
  }

  /// What the guard says on the domain beyond the clauses that the other has word for word. Nothing: some clause of it
  /// has no affine form.
  std::optional<Forms> forms(const Guard& guard, const Guard& other) const {
    Forms all, kept;
    for (const Clause& clause : guard) {
      const bool shared = std::find(other.begin(), other.end(), clause) != other.end();
      if (!shared && !always_holds(clause) && !add(clause, all)) return std::nullopt;
    }
    for (AffineForm& form : all) {
      const auto range = analysis::over_range_of(form, subject_.ranges);
      const bool always = range && range->low >= 0;
      if (!always) kept.push_back(std::move(form));
    }
    return kept;
  }

  /// By the ranges of both sides.
  bool always_holds(const Clause& clause) const {
    const auto a = analysis::over_range_of(subject_.program, clause.lhs, subject_.ranges);
    const auto b = clause.rhs ? analysis::over_range_of(subject_.program, *clause.rhs, subject_.ranges)
                              : std::optional(tile::IndexRange{0, 0});
    if (!a || !b) return false;
    switch (clause.comparison) {
      case Comparison::Lt:
        return a->high < b->low;
      case Comparison::Le:
        return a->high <= b->low;
      case Comparison::Gt:
        return a->low > b->high;
      case Comparison::Ge:
        return a->low >= b->high;
      case Comparison::Eq:
      case Comparison::Ne:
        return false;
    }
    return false;
  }

  static bool contains_all(const Forms& whole, const Forms& part) {
    return std::all_of(part.begin(), part.end(), [&](const AffineForm& form) {
      return std::find(whole.begin(), whole.end(), form) != whole.end();
    });
  }
  static bool same(const Forms& a, const Forms& b) { return contains_all(a, b) && contains_all(b, a); }

  /// Cheaper to find out than the points.
  static bool have_functions(const DomainSets& bridge, const Guard& guard) {
    return std::all_of(guard.begin(), guard.end(), [&](const Clause& clause) {
      return bridge.function(clause.lhs) && (!clause.rhs || bridge.function(*clause.rhs));
    });
  }

  std::optional<sets::Set> set_of(const DomainSets& bridge, sets::Set points, const Guard& guard) const {
    for (const Clause& clause : guard) {
      const auto a = bridge.function(clause.lhs);
      const auto b = clause.rhs ? bridge.function(*clause.rhs) : sets::Function::constant(bridge.space(), 0);
      if (!a || !b) return std::nullopt;
      points = points.intersect(compare(*a, clause.comparison, *b));
    }
    return points;
  }

  std::optional<Verdict<GuardEquivalent>> ask_sets() const {
    const sets::Query query(context_);
    const DomainSets bridge(subject_, domain_, context_);
    const bool has_functions = have_functions(bridge, left_) && have_functions(bridge, right_);
    const auto points = has_functions ? bridge.points() : std::nullopt;
    const auto left = points ? set_of(bridge, *points, left_) : points;
    const auto right = points ? set_of(bridge, *points, right_) : points;
    if (!left || !right)
      return Unknown{GuardEquivalent::kNoSets, "an expression is not quasi-affine over the domain, or may overflow"};
    if (auto found = difference(bridge, *left, *right, true)) return found;
    return difference(bridge, *right, *left, false);
  }

  std::optional<Verdict<GuardEquivalent>> difference(const DomainSets& bridge, const sets::Set& inside,
                                                     const sets::Set& outside, bool left) const {
    const sets::Set rest = inside.subtract(outside);
    const sets::Truth none = rest.is_empty();
    if (none == sets::Truth::Yes) return std::nullopt;
    const auto point = none == sets::Truth::No ? rest.sample() : std::nullopt;
    if (!point) return Unknown{GuardEquivalent::kQuota, "the integer sets took more steps than allowed"};
    const std::string what = std::string("only ") +
                             (left ? guard_text(subject_.program, left_) : guard_text(subject_.program, right_)) +
                             " holds at this point";
    if (!bridge.points_are_exact())
      return Unknown{GuardEquivalent::kConditional, what + ", which a branch or requirement may exclude"};
    return Refuted{left ? GuardEquivalent::kLeftOnly : GuardEquivalent::kRightOnly, {bridge.named(*point), what}};
  }

  const Subject& subject_;
  const analysis::OverDomain& domain_;
  const Guard& left_;
  const Guard& right_;
  const sets::Context& context_;
};

bool collect(const Subject& subject, tile::ValueId value, Guard& guard) {
  const tile::OpId def = subject.program.value(value).def;
  if (!def.valid()) return false;
  const auto* binary = std::get_if<tile::BinaryOp>(&subject.program.op(def).payload);
  if (const auto* broadcast = std::get_if<tile::BroadcastOp>(&subject.program.op(def).payload))
    return collect(subject, broadcast->operand, guard);
  if (binary == nullptr) return false;
  if (binary->kind == tile::BinaryKind::And)
    return collect(subject, binary->lhs, guard) && collect(subject, binary->rhs, guard);
  const auto comparison = comparison_of(binary->kind);
  const auto index_of = [&](tile::ValueId side) -> std::optional<tile::IndexId> {
    const tile::OpId maker = subject.program.value(side).def;
    if (!maker.valid()) return std::nullopt;
    const auto* index = std::get_if<tile::IndexValueOp>(&subject.program.op(maker).payload);
    return index == nullptr ? std::nullopt : std::optional(index->expr);
  };
  const auto a = index_of(binary->lhs), b = index_of(binary->rhs);
  if (!comparison || !a || !b) return false;
  guard.push_back({*a, *comparison, *b});
  return true;
}

}  // namespace

std::string guard_text(const tile::Program& program, const Guard& guard) {
  std::string text;
  for (const Clause& clause : guard)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " && ", tile::print_index(program, clause.lhs),
                        tile::comparison_text(clause.comparison),
                        clause.rhs ? tile::print_index(program, *clause.rhs) : "0");
  return text.empty() ? "true" : text;
}

Guard bounds_guard(const analysis::Access& access) {
  Guard guard;
  for (const analysis::AccessDimension& dimension : access.dimensions) {
    guard.push_back({dimension.expr, Comparison::Ge, std::nullopt});
    guard.push_back({dimension.expr, Comparison::Lt, dimension.extent});
  }
  return guard;
}

Guard prefix_guard(const analysis::Access& access) {
  Guard guard;
  for (const analysis::AccessDimension& dimension : access.dimensions)
    guard.push_back({dimension.expr, Comparison::Lt, dimension.extent});
  return guard;
}

std::optional<Guard> guard_of_value(const Subject& subject, tile::ValueId condition) {
  Guard guard;
  return collect(subject, condition, guard) ? std::optional(std::move(guard)) : std::nullopt;
}

Verdict<GuardEquivalent> prove_guard_equivalent(const Subject& subject, tile::OpId op, const Guard& left,
                                                const Guard& right, const sets::Context& context) {
  const analysis::Access* access = subject.accesses.of(op);
  TW_CHECK(access != nullptr);
  if (auto other = GuardProver(subject, access->domain, left, right, context).run()) return *other;
  Certificate certificate = certificate_of(subject, op);
  certificate.fields = {{"access", access_text(subject.program, *access)},
                        {"domain", domain_text(subject.program, access->domain)},
                        {"left", guard_text(subject.program, left)},
                        {"right", guard_text(subject.program, right)}};
  return Issuer::issue<GuardEquivalent>(std::move(certificate));
}

}  // namespace tilewright::proof
