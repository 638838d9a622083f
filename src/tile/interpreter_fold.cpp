// Folds: the reduce operation and the accumulators of reduce regions. Sums of f16 and bf16 accumulate in f32.
#include "tile/interpreter_machine.h"

namespace tilewright::tile {

namespace {

template <class A>
typename A::Real extreme(FoldKind kind, typename A::Real a, typename A::Real b) {
  return kind == FoldKind::Max ? A::maximum(a, b) : A::minimum(a, b);
}

template <class A>
typename A::WholeNumber fold_whole(FoldKind kind, DataType type, typename A::WholeNumber a, typename A::WholeNumber b) {
  return A::lift(
      [=](std::int64_t x, std::int64_t y) {
        if (kind == FoldKind::Add) return wrap(type, wrapping_add(x, y));
        return kind == FoldKind::Max ? std::max(x, y) : std::min(x, y);
      },
      a, b);
}

double real_identity(FoldKind kind) {
  if (kind == FoldKind::Add) return 0;
  return kind == FoldKind::Max ? -kInfinity : kInfinity;
}

std::int64_t whole_identity(FoldKind kind, DataType type) {
  if (kind == FoldKind::Add) return 0;
  return kind == FoldKind::Max ? lowest_whole(type) : highest_whole(type);
}

/// The elements along the folded axis, in the order of the fold.
struct Line {
  std::int64_t begin, step, count;
};

template <class A>
typename A::Real fold_line(const ReduceOp& op, DataType type, const RealReader<A>& from, Line line) {
  const typename A::Real identity = A::real(real_identity(op.kind));
  if (op.kind == FoldKind::Add) {
    typename A::Sum sum(identity);
    for (std::int64_t k = 0; k < line.count; ++k) sum.add(from[line.begin + k * line.step]);
    return A::finish(sum, type);
  }
  typename A::Real best = identity;
  for (std::int64_t k = 0; k < line.count; ++k) best = extreme<A>(op.kind, best, from[line.begin + k * line.step]);
  return best;
}

template <class A>
typename A::WholeNumber fold_line(const ReduceOp& op, DataType type, const WholeReader<A>& from, Line line) {
  typename A::WholeNumber total = A::whole(whole_identity(op.kind, type));
  for (std::int64_t k = 0; k < line.count; ++k)
    total = fold_whole<A>(op.kind, type, total, from[line.begin + k * line.step]);
  return total;
}

}  // namespace

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const ReduceOp& op) {
  const ValueId result = machine.result_of(id);
  const DataType type = machine.type_of(result);
  const Walk& walk = machine.walk(id, result, {op.operand});
  const std::int64_t step = machine.strides_over(op.operand, {op.axis}).front();
  const std::int64_t count = machine.axis_extents[op.axis.index];
  const bool from_right = op.order == FoldOrder::FoldRight;
  TileRef<A> tile = machine.pool.take();
  with_access<A>(type, [&](auto access) {
    using Access = decltype(access);
    typename Access::Writer to(*tile, walk.size());
    const typename Access::Reader from(machine.tile(op.operand));
    walk.for_each_row([&](const std::int64_t* at, std::int64_t points) {
      for (std::int64_t j = 0; j < points; ++j) {
        Line line{at[1] + j * walk.inner(1), step, count};
        if (from_right) line = {line.begin + step * (count - 1), -step, count};
        to.set(at[0] + j, fold_line<A>(op, type, from, line));
      }
    });
    to.finish();
  });
  return tile;
}

template <class A>
TileFold<A>::TileFold(FoldKind kind, DataType type, std::int64_t size, const Elements<A>& init)
    : kind_(kind), type_(type), size_(size) {
  for (std::int64_t i = 0; i < size; ++i) {
    if (!is_float(type)) {
      wholes_.push_back(WholeReader<A>(init)[i]);
    } else if (kind == FoldKind::Add) {
      sums_.emplace_back(RealReader<A>(init)[i]);
    } else {
      extremes_.push_back(RealReader<A>(init)[i]);
    }
  }
}

template <class A>
void TileFold<A>::add(const Elements<A>& contribution) {
  const RealReader<A> reals(contribution);
  const WholeReader<A> wholes(contribution);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].add(reals[static_cast<std::int64_t>(i)]);
  for (std::size_t i = 0; i < extremes_.size(); ++i)
    extremes_[i] = extreme<A>(kind_, extremes_[i], reals[static_cast<std::int64_t>(i)]);
  for (std::size_t i = 0; i < wholes_.size(); ++i)
    wholes_[i] = fold_whole<A>(kind_, type_, wholes_[i], wholes[static_cast<std::int64_t>(i)]);
}

template <class A>
void TileFold<A>::finish(Elements<A>& result) const {
  with_access<A>(type_, [&](auto access) {
    using Access = decltype(access);
    typename Access::Writer to(result, size_);
    for (std::int64_t n = 0; n < size_; ++n) {
      const auto i = static_cast<std::size_t>(n);
      if constexpr (std::is_same_v<Access, WholeAccess<A>>)
        to.set(n, wholes_[i]);
      else
        to.set(n, kind_ == FoldKind::Add ? A::finish(sums_[i], type_) : extremes_[i]);
    }
    to.finish();
  });
}

template class TileFold<Exact>;
template class TileFold<Typed>;
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const ReduceOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const ReduceOp&);

}  // namespace tilewright::tile
