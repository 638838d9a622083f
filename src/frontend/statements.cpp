// Tiles as variables, and stores.
#include "frontend/maker.h"
#include "frontend/session.h"

namespace tilewright::dsl {

namespace {

/// A tile that was moved from, or made of a number alone, is assigned or folded into.
void report_empty(const ValueTermPtr& term, const Place& place) {
  if (!term->session || term->session->finished()) return;
  term->session->fault(place, DiagCode::ForeignHandle,
                       "expected a tile of this draft, found one that was moved away or holds nothing but a number",
                       "define a new tile: Tile x = ..");
}

void assign(const Tile& tile, const ValueTermPtr& term, const Place& place) {
  Session* session = tile.session().get();
  if (session == nullptr) return report_empty(term, place);
  if (!session->begin_statement(place, {term})) return;
  const tile::ValueId value = Maker(*session).value(term, session->variable(tile.variable()).element);
  session->assign(tile.variable(), value, place);
}

void fold(const Tile& tile, tile::FoldKind kind, const Value& x) {
  Session* session = tile.session().get();
  if (session == nullptr) return report_empty(x.term(), x.place());
  if (!session->begin_statement(x.place(), {x.term()})) return;
  const tile::ValueId value = Maker(*session).value(x.term(), session->variable(tile.variable()).element);
  session->fold(tile.variable(), kind, value, x.place());
}

}  // namespace

// ---- Tiles ---------------------------------------------------------------------------------------------------------

void Tile::define(const Expr& x, const Place& at) {
  const ValueTermPtr& term = x.term();
  if (!term->session || !term->session->begin_statement(at, {term})) return;
  session_ = term->session;
  std::string label = label_of(*term);
  variable_ = session_->declare(std::move(label), Maker(*session_).value(term));
}

Tile::Tile(const Expr& x, Place at) { define(x, at); }
Tile::Tile(const Ref& x, Place at) { define(x.load(), at); }
Tile::Tile(const Value& x, Place at) { define(Expr(x), at); }

Tile::Tile(const Tile& other, Place at) {
  if (!other.session_ || !other.session_->begin_statement(at)) return;
  session_ = other.session_;
  variable_ = session_->declare({}, session_->read(other.variable_, at));
}

Tile& Tile::operator=(const Tile& other) & {
  const Place at = session_ ? session_->last_place() : Place{};
  assign(*this, Value(other, at).term(), at);
  return *this;
}

Tile& Tile::operator=(const Expr& x) & {
  assign(*this, x.term(), x.term()->place);
  return *this;
}

Tile& Tile::operator=(const Ref& x) & {
  assign(*this, x.load().term(), x.place());
  return *this;
}

Tile& Tile::operator=(const Value& x) & {
  assign(*this, x.term(), x.place());
  return *this;
}

Tile& Tile::operator+=(const Value& x) & {
  if (session_ && !session_->finished() && session_->inside_reduce(variable_)) {
    fold(*this, tile::FoldKind::Add, x);
    return *this;
  }
  return *this = Value(*this, x.place()) + x;
}

Tile& Tile::operator-=(const Value& x) & { return *this = Value(*this, x.place()) - x; }
Tile& Tile::operator*=(const Value& x) & { return *this = Value(*this, x.place()) * x; }
Tile& Tile::operator/=(const Value& x) & { return *this = Value(*this, x.place()) / x; }

void Tile::fold_add(const Value& x) & { fold(*this, tile::FoldKind::Add, x); }
void Tile::fold_max(const Value& x) & { fold(*this, tile::FoldKind::Max, x); }
void Tile::fold_min(const Value& x) & { fold(*this, tile::FoldKind::Min, x); }

Expr Tile::named(std::string label, Place at) const { return Expr(Value(*this, at)).named(std::move(label), at); }
Expr Tile::over(const Axes& axes, Place at) const { return Expr(Value(*this, at)).over(axes, at); }
Expr Tile::in(Space space, Place at) const { return Expr(Value(*this, at)).in(space, at); }
Expr Tile::element(std::vector<Index> coords, Place at) const {
  return Expr(Value(*this, at)).element(std::move(coords), at);
}

// ---- Stores --------------------------------------------------------------------------------------------------------

void Ref::store(const Value& x, Place at) const {
  if (!session_->begin_statement(at, {x.term()})) return;
  const tile::ObjectId object{object_};
  const auto coords = session_->indices(coords_, place_);
  if (!object.valid() || !coords) return;
  Maker maker(*session_);
  const tile::ElementType element = session_->builder().object_of(object).element;
  const tile::ValueId value = maker.value(x.term(), element);
  if (!value.valid()) return;
  const tile::TileType type = session_->builder().type_of(value);
  if (type.element != element) {
    const std::string name = session_->builder().object_of(object).name;
    session_->fault(x.place(), DiagCode::TypeMismatch,
                    "expected " + maker.type_name(element) + ", the element type of '" + name + "', found " +
                        session_->builder().describe(type),
                    "cast it: " + maker.type_name(element) + "(x)");
    return;
  }
  session_->at(at);
  session_->builder().store(object, *coords, value, assume_ ? tile::BoundsPolicy::Assume : tile::BoundsPolicy::Zero);
}

}  // namespace tilewright::dsl
