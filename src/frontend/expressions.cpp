// Values and the formulas that the operators and functions of the DSL form.
#include "frontend/session.h"
#include "frontend/terms.h"

namespace tilewright::dsl {

using tile::BinaryKind;
using tile::UnaryKind;

namespace {

Expr unary(UnaryKind kind, const Value& x) { return make_expr(UnaryTerm{kind, x.term()}, x.place()); }

Expr binary(BinaryKind kind, const Value& a, const Value& b) {
  return make_expr(BinaryTerm{kind, a.term(), b.term()}, a.place());
}

Expr fold(tile::FoldKind kind, const Value& x, const Axis& axis, Order order) {
  return make_expr(FoldTerm{kind, x.term(), axis, static_cast<tile::FoldOrder>(order)}, x.place());
}

static_assert(static_cast<int>(Order::UnorderedTree) == static_cast<int>(tile::FoldOrder::UnorderedTree) &&
              static_cast<int>(Order::FoldRight) == static_cast<int>(tile::FoldOrder::FoldRight));
static_assert(static_cast<int>(Space::Automatic) == static_cast<int>(tile::MemorySpace::Auto) &&
              static_cast<int>(Space::Tensor) == static_cast<int>(tile::MemorySpace::Tensor));

ValueTermPtr load_term(const Ref& ref, ValueTermPtr fallback) {
  return make_expr(
             LoadTerm{ref.session(), tile::ObjectId{ref.object()}, ref.coords(), ref.assumed(), std::move(fallback)},
             ref.place())
      .term();
}

ValueTermPtr scalar_term(const Buffer& scalar, const Place& at) {
  const tile::ObjectId id{scalar.object()};
  if (id.valid() && scalar.session()->builder().object_of(id).rank() > 0) {
    const tile::Object& object = scalar.session()->builder().object_of(id);
    return failed_term(DiagCode::NotAValue, "expected a value, found '" + object.name + "', which is a buffer",
                       "a load names its " + std::to_string(object.rank()) + " coordinates: " + object.name + "(..)",
                       at);
  }
  return make_expr(LoadTerm{scalar.session(), id, {}, false, nullptr}, at).term();
}

ValueTermPtr tile_term(const Tile& tile, const Place& at) {
  const auto& session = tile.session();
  if (!session)
    return failed_term(DiagCode::ForeignHandle,
                       "expected a tile of this draft, found one that was moved away or holds nothing but a number",
                       "p.number(0.5) makes a tile of a number", at);
  auto term = std::make_shared<ValueTerm>(ValueTerm{MadeLeaf{}, session, at});
  term->closed = false;
  term->owner = session;
  term->value = session->read(tile.variable(), at);
  term->block = session->block();
  return term;
}

}  // namespace

// ---- Values --------------------------------------------------------------------------------------------------------

Value::Value(const Tile& x, Place at) : term_(tile_term(x, at)), place_(at) {}
Value::Value(const Ref& x, Place at) : term_(load_term(x, nullptr)), place_(at) {}
Value::Value(const Buffer& scalar, Place at) : term_(scalar_term(scalar, at)), place_(at) {}
Value::Value(const Index& x, Place at) : term_(make_expr(IndexLeaf{x}, at).term()), place_(at) {}
Value::Value(Real number, const Place& at) : term_(make_expr(RealLeaf{number.value}, at).term()), place_(at) {}
Value::Value(Truth truth, const Place& at) : term_(make_expr(TruthLeaf{truth.value}, at).term()), place_(at) {}

Expr::Expr(const Value& x) : term_(x.term()) {}

Expr Expr::named(std::string label, Place at) const { return make_expr(NamedTerm{term_, std::move(label)}, at); }
Expr Expr::over(const Axes& axes, Place at) const { return make_expr(ShapedTerm{term_, axes}, at); }
Expr Expr::in(Space space, Place at) const {
  return make_expr(PlacedTerm{term_, static_cast<tile::MemorySpace>(space)}, at);
}
Expr Expr::element(std::vector<Index> coords, Place at) const {
  return make_expr(ElementTerm{term_, std::move(coords)}, at);
}

// ---- References ----------------------------------------------------------------------------------------------------

Expr Ref::load() const { return Expr(load_term(*this, nullptr)); }
Expr Ref::load(const Value& otherwise) const { return Expr(load_term(*this, otherwise.term())); }
Expr Ref::named(std::string label) const { return load().named(std::move(label), place_); }
Expr Ref::over(const Axes& axes) const { return load().over(axes, place_); }
Expr Ref::in(Space space) const { return load().in(space, place_); }

Ref Ref::assume() const {
  Ref promised(*this);
  promised.assume_ = true;
  return promised;
}

// ---- Operators -----------------------------------------------------------------------------------------------------

Expr operator+(const Value& a, const Value& b) { return binary(BinaryKind::Add, a, b); }
Expr operator-(const Value& a, const Value& b) { return binary(BinaryKind::Sub, a, b); }
Expr operator*(const Value& a, const Value& b) { return binary(BinaryKind::Mul, a, b); }
Expr operator/(const Value& a, const Value& b) { return binary(BinaryKind::Div, a, b); }
Expr operator%(const Value& a, const Value& b) { return binary(BinaryKind::Mod, a, b); }
Expr operator<(const Value& a, const Value& b) { return binary(BinaryKind::Lt, a, b); }
Expr operator<=(const Value& a, const Value& b) { return binary(BinaryKind::Le, a, b); }
Expr operator>(const Value& a, const Value& b) { return binary(BinaryKind::Gt, a, b); }
Expr operator>=(const Value& a, const Value& b) { return binary(BinaryKind::Ge, a, b); }
Expr operator==(const Value& a, const Value& b) { return binary(BinaryKind::Eq, a, b); }
Expr operator!=(const Value& a, const Value& b) { return binary(BinaryKind::Ne, a, b); }
Expr operator&&(const Value& a, const Value& b) { return binary(BinaryKind::And, a, b); }
Expr operator||(const Value& a, const Value& b) { return binary(BinaryKind::Or, a, b); }
Expr operator-(const Value& x) { return unary(UnaryKind::Neg, x); }
Expr operator!(const Value& x) { return unary(UnaryKind::Not, x); }

Expr exp(const Value& x) { return unary(UnaryKind::Exp, x); }
Expr log(const Value& x) { return unary(UnaryKind::Log, x); }
Expr sqrt(const Value& x) { return unary(UnaryKind::Sqrt, x); }
Expr tanh(const Value& x) { return unary(UnaryKind::Tanh, x); }
Expr sin(const Value& x) { return unary(UnaryKind::Sin, x); }
Expr cos(const Value& x) { return unary(UnaryKind::Cos, x); }
Expr abs(const Value& x) { return unary(UnaryKind::Abs, x); }
Expr floor(const Value& x) { return unary(UnaryKind::Floor, x); }
Expr max(const Value& a, const Value& b) { return binary(BinaryKind::Max, a, b); }
Expr min(const Value& a, const Value& b) { return binary(BinaryKind::Min, a, b); }

Expr select(const Value& condition, const Value& if_true, const Value& if_false) {
  return make_expr(SelectTerm{condition.term(), if_true.term(), if_false.term()}, condition.place());
}

Expr cast(const Value& x, const Element& to) { return make_expr(CastTerm{x.term(), to}, x.place()); }
Expr BuiltinElement::operator()(const Value& x) const { return cast(x, Element(*this)); }
Expr Element::operator()(const Value& x) const { return cast(x, *this); }

Expr sum(const Value& x, const Axis& axis, Order order) { return fold(tile::FoldKind::Add, x, axis, order); }
Expr max(const Value& x, const Axis& axis, Order order) { return fold(tile::FoldKind::Max, x, axis, order); }
Expr min(const Value& x, const Axis& axis, Order order) { return fold(tile::FoldKind::Min, x, axis, order); }

Expr mma(const Value& a, const Value& b, const Value& c) {
  return make_expr(MmaTerm{a.term(), b.term(), c.term(), true, false}, a.place());
}
Expr mma(const Value& a, const Value& b, const Value& c, Ordered) {
  return make_expr(MmaTerm{a.term(), b.term(), c.term(), false, false}, a.place());
}
Expr mma(const Value& a, const Value& b, const Value& c, Relaxed) {
  return make_expr(MmaTerm{a.term(), b.term(), c.term(), true, true}, a.place());
}
Expr mma(const Value& a, const Value& b, const Value& c, Ordered, Relaxed) {
  return make_expr(MmaTerm{a.term(), b.term(), c.term(), false, true}, a.place());
}
Expr matmul(const Value& a, const Value& b, const Axes& axes) {
  return make_expr(MatmulTerm{a.term(), b.term(), axes}, a.place());
}

Expr fill(const Axes& axes, const Value& x) { return make_expr(ShapedTerm{x.term(), axes}, x.place()); }
Expr broadcast(const Value& x, const Axes& axes) { return make_expr(BroadcastTerm{x.term(), axes}, x.place()); }
Expr gather(const Value& x, const Axis& axis, const Value& indices, const Value& otherwise) {
  return make_expr(GatherTerm{x.term(), axis, indices.term(), otherwise.term()}, x.place());
}
Expr relabel(const Value& x, const std::vector<std::pair<Axis, Axis>>& axes) {
  return make_expr(RelabelTerm{x.term(), axes}, x.place());
}

}  // namespace tilewright::dsl
