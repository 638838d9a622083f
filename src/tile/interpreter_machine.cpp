#include "tile/interpreter_machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilewright::tile {

template <class A>
Machine<A>::Machine(const Program& bound)
    : program(bound),
      values(bound.values().size()),
      objects(bound.objects().size()),
      prepared(bound.ops().size()),
      lifetimes(find_lifetimes(bound)),
      at{std::vector<std::int64_t>(bound.coords().size()), std::vector<std::int64_t>(bound.axes().size())} {
  for (const Op& op : bound.ops()) {
    const std::vector<ValueId> results = bound.list(op.results);
    first_results.push_back(results.empty() ? ValueId{} : results.front());
  }
  for (const Axis& axis : bound.axes())
    axis_extents.push_back(IndexCode(bound.index(), axis.extent).run(at).value_or(-1));
  for (const Coord& coord : bound.coords()) extent_codes.emplace_back(bound.index(), coord.extent);
}

template <class A>
std::vector<std::int64_t> Machine<A>::extents_of(const std::vector<AxisId>& axes) const {
  std::vector<std::int64_t> extents;
  for (AxisId axis : axes) extents.push_back(axis_extents[axis.index]);
  return extents;
}

template <class A>
std::int64_t Machine<A>::size_of(ValueId value) const {
  std::int64_t size = 1;
  for (AxisId axis : axes_of(value)) size *= axis_extents[axis.index];
  return size;
}

template <class A>
std::vector<std::int64_t> Machine<A>::strides_over(ValueId value, const std::vector<AxisId>& space) const {
  const std::vector<AxisId> axes = axes_of(value);
  const std::vector<std::int64_t> own = row_major(extents_of(axes));
  std::vector<std::int64_t> strides;
  for (AxisId axis : space) {
    const auto found = std::find(axes.begin(), axes.end(), axis);
    strides.push_back(found == axes.end() ? 0 : own[static_cast<std::size_t>(found - axes.begin())]);
  }
  return strides;
}

template <class A>
const Walk& Machine<A>::walk(OpId op, ValueId result, const std::vector<ValueId>& operands) {
  std::optional<Walk>& walk = prepared[op.index].walk;
  if (!walk) {
    const std::vector<AxisId> space = axes_of(result);
    std::vector<std::vector<std::int64_t>> strides{strides_over(result, space)};
    for (ValueId operand : operands) strides.push_back(strides_over(operand, space));
    walk.emplace(extents_of(space), strides);
  }
  return *walk;
}

template <class A>
void Machine<A>::release(const std::vector<ValueId>& dead) {
  for (ValueId value : dead) pool.give_back(values[value.index]);
}

template <class A>
void Machine<A>::fault(OpId op, DiagCode code, std::string message, std::string hint) const {
  Diag diag{code, std::move(message), program.place(program.op(op).location), std::move(hint), {}};
  if (const std::string coordinates = where(); !coordinates.empty()) diag.notes.push_back({"at " + coordinates, {}});
  throw InterpreterFault{std::move(diag)};
}

template <class A>
std::string Machine<A>::where() const {
  std::string text;
  for (CoordId coord : active) {
    const std::string& name = program.coords()[coord].name;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, at.coords[coord.index]);
  }
  return text;
}

template struct Machine<Exact>;
template struct Machine<Typed>;

}  // namespace tilewright::tile
