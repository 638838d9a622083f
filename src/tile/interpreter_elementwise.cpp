// Constants, elementwise operations, casts and broadcasts.
#include "tile/interpreter_machine.h"

namespace tilewright::tile {

namespace {

template <class To, class From, class A, class F>
TileRef<A> map_one(Machine<A>& machine, OpId id, ValueId operand, F f) {
  const ValueId result = machine.result_of(id);
  const Walk& walk = machine.walk(id, result, {operand});
  TileRef<A> tile = machine.pool.take();
  typename To::Writer to(*tile, walk.size());
  const typename From::Reader from(machine.tile(operand));
  walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    const std::int64_t step = walk.inner(1);
    for (std::int64_t j = 0; j < count; ++j) to.set(at[0] + j, f(from[at[1] + j * step]));
  });
  to.finish();
  return tile;
}

template <class To, class From, class A, class F>
TileRef<A> map_two(Machine<A>& machine, OpId id, ValueId lhs, ValueId rhs, F f) {
  const ValueId result = machine.result_of(id);
  const Walk& walk = machine.walk(id, result, {lhs, rhs});
  TileRef<A> tile = machine.pool.take();
  typename To::Writer to(*tile, walk.size());
  const typename From::Reader left(machine.tile(lhs));
  const typename From::Reader right(machine.tile(rhs));
  walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    const std::int64_t left_step = walk.inner(1);
    const std::int64_t right_step = walk.inner(2);
    for (std::int64_t j = 0; j < count; ++j)
      to.set(at[0] + j, f(left[at[1] + j * left_step], right[at[2] + j * right_step]));
  });
  to.finish();
  return tile;
}

template <class A>
TileRef<A> unary_real(Machine<A>& machine, OpId id, const UnaryOp& op) {
  using R = typename A::Real;
  using Reals = RealAccess<A>;
  const DataType type = machine.type_of(op.operand);
  auto map = [&](auto f) { return map_one<Reals, Reals>(machine, id, op.operand, f); };
  switch (op.kind) {
    case UnaryKind::Neg:
      return map([](R x) { return A::negate(x); });
    case UnaryKind::Abs:
      return map([](R x) { return A::absolute(x); });
    case UnaryKind::Floor:
      return map([](R x) { return A::round_down(x); });
    case UnaryKind::Sqrt:
      return map([=](R x) { return A::square_root(x, type); });
    case UnaryKind::Exp:
      return map([=](R x) { return A::exponential(x, type); });
    case UnaryKind::Log:
      return map([=](R x) { return A::logarithm(x, type); });
    case UnaryKind::Tanh:
      return map([=](R x) { return A::hyperbolic_tangent(x, type); });
    case UnaryKind::Sin:
      return map([=](R x) { return A::sine(x, type); });
    case UnaryKind::Cos:
      return map([=](R x) { return A::cosine(x, type); });
    case UnaryKind::Not:
      break;
  }
  check_failed("a float operation on floats", __FILE__, __LINE__);
}

template <class A>
TileRef<A> unary_whole(Machine<A>& machine, OpId id, const UnaryOp& op) {
  using Wholes = WholeAccess<A>;
  const DataType type = machine.type_of(op.operand);
  auto map = [&](auto f) {
    return map_one<Wholes, Wholes>(machine, id, op.operand, [f](typename A::WholeNumber x) { return A::lift(f, x); });
  };
  switch (op.kind) {
    case UnaryKind::Neg:
      return map([=](std::int64_t x) { return wrap(type, wrapping_subtract(0, x)); });
    case UnaryKind::Abs:
      return map([=](std::int64_t x) { return x < 0 ? wrap(type, wrapping_subtract(0, x)) : x; });
    case UnaryKind::Not:
      return map([](std::int64_t x) { return std::int64_t{x == 0}; });
    case UnaryKind::Floor:
      return map([](std::int64_t x) { return x; });
    case UnaryKind::Exp:
    case UnaryKind::Log:
    case UnaryKind::Sqrt:
    case UnaryKind::Tanh:
    case UnaryKind::Sin:
    case UnaryKind::Cos:
      break;
  }
  check_failed("a whole operation on whole numbers", __FILE__, __LINE__);
}

template <class A>
TileRef<A> binary_real(Machine<A>& machine, OpId id, const BinaryOp& op) {
  using R = typename A::Real;
  using Reals = RealAccess<A>;
  const DataType type = machine.type_of(op.lhs);
  auto compute = [&](auto f) { return map_two<Reals, Reals>(machine, id, op.lhs, op.rhs, f); };
  auto compare = [&](auto f) { return map_two<WholeAccess<A>, Reals>(machine, id, op.lhs, op.rhs, f); };
  auto negated = [](typename A::WholeNumber x) {
    return A::lift([](std::int64_t v) { return std::int64_t{v == 0}; }, x);
  };
  switch (op.kind) {
    case BinaryKind::Add:
      return compute([=](R a, R b) { return A::add(a, b, type); });
    case BinaryKind::Sub:
      return compute([=](R a, R b) { return A::subtract(a, b, type); });
    case BinaryKind::Mul:
      return compute([=](R a, R b) { return A::multiply(a, b, type); });
    case BinaryKind::Div:
      return compute([=](R a, R b) { return A::divide(a, b, type); });
    case BinaryKind::Mod:
      return compute([=](R a, R b) { return A::remainder(a, b, type); });
    case BinaryKind::Max:
      return compute([](R a, R b) { return A::maximum(a, b); });
    case BinaryKind::Min:
      return compute([](R a, R b) { return A::minimum(a, b); });
    case BinaryKind::Lt:
      return compare([](R a, R b) { return A::less(a, b); });
    case BinaryKind::Le:
      return compare([](R a, R b) { return A::less_or_equal(a, b); });
    case BinaryKind::Gt:
      return compare([](R a, R b) { return A::less(b, a); });
    case BinaryKind::Ge:
      return compare([](R a, R b) { return A::less_or_equal(b, a); });
    case BinaryKind::Eq:
      return compare([](R a, R b) { return A::equal(a, b); });
    case BinaryKind::Ne:
      return compare([=](R a, R b) { return negated(A::equal(a, b)); });
    case BinaryKind::And:
    case BinaryKind::Or:
      break;
  }
  check_failed("a float operation on floats", __FILE__, __LINE__);
}

template <class A>
TileRef<A> binary_whole(Machine<A>& machine, OpId id, const BinaryOp& op) {
  using N = std::int64_t;
  using W = typename A::WholeNumber;
  using Wholes = WholeAccess<A>;
  const DataType type = machine.type_of(op.lhs);
  auto map = [&](auto f) { return map_two<Wholes, Wholes>(machine, id, op.lhs, op.rhs, f); };
  auto number = [&](auto f) { return map([f](W a, W b) { return A::lift(f, a, b); }); };
  switch (op.kind) {
    case BinaryKind::Add:
      return number([=](N a, N b) { return wrap(type, wrapping_add(a, b)); });
    case BinaryKind::Sub:
      return number([=](N a, N b) { return wrap(type, wrapping_subtract(a, b)); });
    case BinaryKind::Mul:
      return number([=](N a, N b) { return wrap(type, wrapping_multiply(a, b)); });
    case BinaryKind::Div:
      return number([=](N a, N b) { return wrap(type, floored_divide(a, b)); });
    case BinaryKind::Mod:
      return number([](N a, N b) { return floored_remainder(a, b); });
    case BinaryKind::Max:
      return number([](N a, N b) { return std::max(a, b); });
    case BinaryKind::Min:
      return number([](N a, N b) { return std::min(a, b); });
    case BinaryKind::Lt:
      return number([](N a, N b) { return N{a < b}; });
    case BinaryKind::Le:
      return number([](N a, N b) { return N{a <= b}; });
    case BinaryKind::Gt:
      return number([](N a, N b) { return N{a > b}; });
    case BinaryKind::Ge:
      return number([](N a, N b) { return N{a >= b}; });
    case BinaryKind::Eq:
      return number([](N a, N b) { return N{a == b}; });
    case BinaryKind::Ne:
      return number([](N a, N b) { return N{a != b}; });
    case BinaryKind::And:
      return map([](W a, W b) { return A::both(a, b); });
    case BinaryKind::Or:
      return map([](W a, W b) { return A::any(a, b); });
  }
  check_failed("a whole operation on whole numbers", __FILE__, __LINE__);
}

template <class A>
TileRef<A> cast_from_whole(Machine<A>& machine, OpId id, ValueId operand, DataType from, DataType to) {
  using W = typename A::WholeNumber;
  using N = std::int64_t;
  using Wholes = WholeAccess<A>;
  if (is_float(to)) {
    if (from == DataType::Bool)
      return map_one<RealAccess<A>, Wholes>(machine, id, operand, [](W x) { return A::from_bool(x); });
    return map_one<RealAccess<A>, Wholes>(machine, id, operand, [=](W x) { return A::from_whole(x, to); });
  }
  return map_one<Wholes, Wholes>(machine, id, operand, [=](W x) {
    return A::lift([=](N v) { return to == DataType::Bool ? N{v != 0} : wrap(to, v); }, x);
  });
}

}  // namespace

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const ConstantOp& op) {
  const ValueId result = machine.result_of(id);
  const DataType type = machine.type_of(result);
  const std::int64_t size = machine.size_of(result);
  const double literal = op.literal.value();
  TileRef<A> tile = machine.pool.take();
  with_access<A>(type, [&](auto access) {
    using Access = decltype(access);
    typename Access::Element element;
    if constexpr (std::is_same_v<Access, RealAccess<A>>)
      element = A::real(Typed::round_to(type, static_cast<float>(literal)));
    else
      element = A::whole(type == DataType::Bool ? std::int64_t{literal != 0} : static_cast<std::int64_t>(literal));
    typename Access::Writer to(*tile, size);
    for (std::int64_t i = 0; i < size; ++i) to.set(i, element);
    to.finish();
  });
  return tile;
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const UnaryOp& op) {
  return is_float(machine.type_of(op.operand)) ? unary_real(machine, id, op) : unary_whole(machine, id, op);
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const BinaryOp& op) {
  return is_float(machine.type_of(op.lhs)) ? binary_real(machine, id, op) : binary_whole(machine, id, op);
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const SelectOp& op) {
  const ValueId result = machine.result_of(id);
  const Walk& walk = machine.walk(id, result, {op.condition, op.if_true, op.if_false});
  TileRef<A> tile = machine.pool.take();
  const WholeReader<A> condition(machine.tile(op.condition));
  with_access<A>(machine.type_of(result), [&](auto access) {
    using Access = decltype(access);
    typename Access::Writer to(*tile, walk.size());
    const typename Access::Reader if_true(machine.tile(op.if_true));
    const typename Access::Reader if_false(machine.tile(op.if_false));
    walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
      for (std::int64_t j = 0; j < count; ++j)
        to.set(at[0] + j, A::select(condition[at[1] + j * walk.inner(1)], if_true[at[2] + j * walk.inner(2)],
                                    if_false[at[3] + j * walk.inner(3)]));
    });
    to.finish();
  });
  return tile;
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const CastOp& op) {
  const DataType from = machine.type_of(op.operand);
  const DataType to = machine.type_of(machine.result_of(id));
  if (!is_float(from)) return cast_from_whole(machine, id, op.operand, from, to);
  using R = typename A::Real;
  using Reals = RealAccess<A>;
  if (is_float(to)) return map_one<Reals, Reals>(machine, id, op.operand, [=](R x) { return A::convert(x, from, to); });
  if (to == DataType::Bool)
    return map_one<WholeAccess<A>, Reals>(machine, id, op.operand, [](R x) { return A::to_bool(x); });
  return map_one<WholeAccess<A>, Reals>(machine, id, op.operand, [=](R x) { return A::to_whole(x, to); });
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const BroadcastOp& op) {
  TileRef<A> tile;
  with_access<A>(machine.type_of(op.operand), [&](auto access) {
    using Access = decltype(access);
    tile = map_one<Access, Access>(machine, id, op.operand, [](typename Access::Element x) { return x; });
  });
  return tile;
}

template <class A>
TileRef<A> merge_branches(Machine<A>& machine, ValueId result, TileRef<A> chosen, TileRef<A> other) {
  if constexpr (!A::kBounded) {
    return chosen;
  } else {
    TileRef<A> tile = machine.pool.take();
    const std::int64_t size = machine.size_of(result);
    with_access<A>(machine.type_of(result), [&](auto access) {
      using Access = decltype(access);
      typename Access::Writer to(*tile, size);
      const typename Access::Reader first(*chosen);
      for (std::int64_t i = 0; i < size; ++i) {
        const typename Access::Element x = first[i];
        // A branch that faulted has no tile: nothing is known.
        to.set(i, other ? either(x, typename Access::Reader(*other)[i]) : anything(x));
      }
      to.finish();
    });
    return tile;
  }
}

template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const ConstantOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const ConstantOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const UnaryOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const UnaryOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const BinaryOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const BinaryOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const SelectOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const SelectOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const CastOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const CastOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const BroadcastOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const BroadcastOp&);
template TileRef<Exact> merge_branches(Machine<Exact>&, ValueId, TileRef<Exact>, TileRef<Exact>);
template TileRef<Typed> merge_branches(Machine<Typed>&, ValueId, TileRef<Typed>, TileRef<Typed>);

}  // namespace tilewright::tile
