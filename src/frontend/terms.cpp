#include "frontend/terms.h"

#include <algorithm>

#include "frontend/maker.h"
#include "frontend/session.h"

namespace tilewright::dsl {

using tile::Overloaded;

namespace {

/// Formulas deeper than this are made at once, so that no recursion over one exhausts the stack.
constexpr std::uint32_t kMaxDepth = 256;

std::shared_ptr<Session> first_session(const Axes& axes) {
  for (const Axis& axis : axes)
    if (axis.term()->session) return axis.term()->session;
  return nullptr;
}

/// The draft of what a formula names beside its parts.
std::shared_ptr<Session> named_session(const Formula& formula) {
  return std::visit(Overloaded{
                        [](const IndexLeaf& term) { return term.index.term()->session; },
                        [](const CastTerm& term) { return term.to.session(); },
                        [](const ShapedTerm& term) { return first_session(term.axes); },
                        [](const BroadcastTerm& term) { return first_session(term.axes); },
                        [](const MatmulTerm& term) { return first_session(term.axes); },
                        [](const FoldTerm& term) { return term.axis.term()->session; },
                        [](const GatherTerm& term) { return term.axis.term()->session; },
                        [](const LoadTerm& term) { return term.session; },
                        [](const auto&) { return std::shared_ptr<Session>{}; },
                    },
                    formula);
}

bool is_leaf(const Formula& formula) {
  return std::holds_alternative<IndexLeaf>(formula) || std::holds_alternative<RealLeaf>(formula) ||
         std::holds_alternative<TruthLeaf>(formula) || std::holds_alternative<FailedTerm>(formula);
}

/// Makes a formula before a statement asks for it.
ValueTermPtr make_now(ValueTermPtr term) {
  Session* session = term->session.get();
  if (session == nullptr || session->finished() || session->block() == kRootBlock)
    return failed_term(DiagCode::NestingTooDeep,
                       "expected a formula at most " + std::to_string(kMaxDepth) + " levels deep, found a deeper one",
                       "give parts a name of their own: Tile x = ..", term->place);
  Maker(*session).part(term);
  term->formula = MadeLeaf{};
  term->closed = false;
  term->depth = 1;
  return term;
}

}  // namespace

std::vector<ValueTermPtr> parts_of(const Formula& formula) {
  return std::visit(
      Overloaded{
          [](const UnaryTerm& t) { return std::vector{t.x}; },
          [](const BinaryTerm& t) { return std::vector{t.a, t.b}; },
          [](const SelectTerm& t) { return std::vector{t.condition, t.a, t.b}; },
          [](const CastTerm& t) { return std::vector{t.x}; },
          [](const ShapedTerm& t) { return std::vector{t.x}; },
          [](const BroadcastTerm& t) { return std::vector{t.x}; },
          [](const ElementTerm& t) { return std::vector{t.x}; },
          [](const RelabelTerm& t) { return std::vector{t.x}; },
          [](const GatherTerm& t) { return std::vector{t.x, t.indices, t.fallback}; },
          [](const FoldTerm& t) { return std::vector{t.x}; },
          [](const MmaTerm& t) { return std::vector{t.a, t.b, t.c}; },
          [](const MatmulTerm& t) { return std::vector{t.a, t.b}; },
          [](const LoadTerm& t) { return t.fallback ? std::vector{t.fallback} : std::vector<ValueTermPtr>{}; },
          [](const NamedTerm& t) { return std::vector{t.x}; },
          [](const PlacedTerm& t) { return std::vector{t.x}; },
          [](const auto&) { return std::vector<ValueTermPtr>{}; },
      },
      formula);
}

Expr make_expr(Formula formula, const Place& place, std::shared_ptr<Session> session) {
  auto term = std::make_shared<ValueTerm>(ValueTerm{{}, std::move(session), place});
  term->closed = !std::holds_alternative<LoadTerm>(formula);
  for (const ValueTermPtr& part : parts_of(formula)) {
    if (!term->session) term->session = part->session;
    term->closed = term->closed && part->closed;
    term->depth = std::max(term->depth, part->depth + 1);
  }
  if (!term->session) term->session = named_session(formula);
  const bool leaf = is_leaf(formula);
  term->formula = std::move(formula);
  if (term->depth > kMaxDepth) return Expr(make_now(std::move(term)));
  if (!leaf && term->session) term->session->watch(term);
  return Expr(std::move(term));
}

ValueTermPtr failed_term(DiagCode code, std::string message, std::string hint, const Place& place) {
  Diag diag{code, std::move(message), {}, std::move(hint), {}};
  diag.place.file = place.file_name();
  diag.place.line = place.line();
  diag.place.column = place.column();
  return make_expr(FailedTerm{std::move(diag)}, place).term();
}

std::string label_of(const ValueTerm& term) {
  if (const auto* named = std::get_if<NamedTerm>(&term.formula)) return named->label;
  if (const auto* placed = std::get_if<PlacedTerm>(&term.formula)) return label_of(*placed->x);
  return {};
}

}  // namespace tilewright::dsl
