// Loads, stores, reindexing, gathers and index values: everything that computes coordinates.
#include <algorithm>

#include <fmt/format.h>

#include "tile/interpreter_storage.h"

namespace tilewright::tile {

namespace {

/// One point of an access: its part of the address, whether all coordinates are inside, the tile's element.
struct Point {
  std::int64_t offset;
  bool inside;
  std::int64_t element;
  const std::int64_t* row;
  std::int64_t column;
};

template <class A>
Access make_access(Machine<A>& machine, const std::vector<IndexId>& coords, std::vector<AxisId> space,
                   std::vector<std::int64_t> tile_strides) {
  Access access;
  std::vector<std::vector<std::int64_t>> strides;
  for (IndexId coord : coords) {
    access.tables.emplace_back(machine.program, coord, machine.axis_extents);
    access.positions.emplace_back(access.tables.back().values().size());
    strides.push_back(access.tables.back().strides_over(space));
  }
  strides.push_back(std::move(tile_strides));
  access.walk = Walk(machine.extents_of(space), strides);
  access.space = std::move(space);
  return access;
}

/// The access of an operation, made at its first execution. `space` gives the order of its iteration.
template <class A, class Coords, class Space>
Access& access_of(Machine<A>& machine, OpId id, ValueId tile, Coords coords, Space space) {
  std::optional<Access>& access = machine.prepared[id.index].access;
  if (!access) {
    const std::vector<AxisId> axes = space();
    access = make_access(machine, coords(), axes, machine.strides_over(tile, axes));
  }
  return *access;
}

/// The access of a value operation: it iterates over its result.
template <class A, class Coords>
Access& access_of_result(Machine<A>& machine, OpId id, Coords coords) {
  const ValueId result = machine.result_of(id);
  return access_of(machine, id, result, coords, [&] { return machine.axes_of(result); });
}

/// Evaluates the coordinates and turns them into parts of addresses.
template <class A>
void locate(Machine<A>& machine, OpId id, Access& access, const std::vector<std::int64_t>& extents,
            const std::vector<std::int64_t>& strides, const std::string& object) {
  for (std::size_t d = 0; d < access.tables.size(); ++d) {
    if (!access.tables[d].fill(machine.at))
      machine.fault(id, DiagCode::SizeOverflow,
                    fmt::format("coordinate {} of {} has no value: it overflows or divides by zero", d, object));
    const std::vector<std::int64_t>& values = access.tables[d].values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      Position& position = access.positions[d][i];
      position = {0, values[i] >= 0 && values[i] < extents[d]};
      if (position.inside != 0 && __builtin_mul_overflow(values[i], strides[d], &position.offset))
        machine.fault(id, DiagCode::MemoryFault, fmt::format("an address of {} does not fit 64 bits", object));
    }
  }
}

template <class F>
void for_each_access(const Access& access, F&& f) {
  const std::size_t rank = access.tables.size();
  std::vector<std::size_t> varying;
  for (std::size_t d = 0; d < rank; ++d)
    if (access.walk.inner(d) != 0) varying.push_back(d);
  access.walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    Position base{0, 1};
    for (std::size_t d = 0; d < rank; ++d) {
      if (access.walk.inner(d) != 0) continue;
      const Position& fixed = access.positions[d][static_cast<std::size_t>(at[d])];
      base = {base.offset + fixed.offset, base.inside & fixed.inside};
    }
    for (std::int64_t j = 0; j < count; ++j) {
      Position sum = base;
      for (std::size_t d : varying) {
        const Position& part = access.positions[d].data()[at[d] + j * access.walk.inner(d)];
        sum = {sum.offset + part.offset, sum.inside & part.inside};
      }
      f(Point{sum.offset, sum.inside != 0, at[rank] + j * access.walk.inner(rank), at, j});
    }
  });
}

std::string element_text(const Access& access, const Point& point) {
  std::string text = "[";
  for (std::size_t d = 0; d < access.tables.size(); ++d) {
    const std::int64_t entry = point.row[d] + point.column * access.walk.inner(d);
    text += fmt::format("{}{}", d == 0 ? "" : ", ", access.tables[d].values()[static_cast<std::size_t>(entry)]);
  }
  return text + "]";
}

template <class A>
const Object& object_of(Machine<A>& machine, ObjectId id) {
  return machine.program.object(id);
}

/// Faults of a point that is about to be read or written; `point.inside` has been dealt with unless `assume`.
template <class A>
void check_address(Machine<A>& machine, OpId id, const Access& access, const Point& point, ObjectId object,
                   std::int64_t address) {
  const Storage<A>& storage = machine.objects[object.index];
  if (point.inside && address >= 0 && address < storage.elements) [[likely]]
    return;
  const std::string name = object_of(machine, object).name + element_text(access, point);
  if (!point.inside)
    machine.fault(id, DiagCode::MemoryFault,
                  fmt::format("{} is outside of {}, which this access assumes never happens", name,
                              object_of(machine, object).name),
                  "leave out `assume`, or guard the access");
  machine.fault(
      id, DiagCode::MemoryFault,
      fmt::format("the view of {} leads to element {} of a buffer of {} elements", name, address, storage.elements),
      "pass a view that stays inside its buffer");
}

template <class A>
void locate_object(Machine<A>& machine, OpId id, Access& access, ObjectId object) {
  const Storage<A>& storage = machine.objects[object.index];
  locate(machine, id, access, storage.extents, storage.strides, object_of(machine, object).name);
}

}  // namespace

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const LoadOp& op) {
  Access& access = access_of_result(machine, id, [&] { return machine.program.list(op.coords); });
  locate_object(machine, id, access, op.object);
  const Storage<A>& storage = machine.objects[op.object.index];
  const bool ask_written = !storage.readable_at_first && !storage.written.empty();
  TileRef<A> tile = machine.pool.take();
  with_source(storage, [&](auto kind, auto read) {
    using Kind = decltype(kind);
    typename Kind::Element fallback{};
    if (op.fallback.valid()) fallback = typename Kind::Reader(machine.tile(op.fallback))[0];
    typename Kind::Writer to(*tile, access.walk.size());
    for_each_access(access, [&](const Point& point) {
      if (!point.inside && op.bounds == BoundsPolicy::Zero) return to.set(point.element, fallback);
      const std::int64_t address = storage.offset + point.offset;
      check_address(machine, id, access, point, op.object, address);
      if (ask_written && storage.written[static_cast<std::size_t>(address)] == 0)
        machine.fault(id, DiagCode::MemoryFault,
                      fmt::format("{}{} is read, and nothing has been stored there", object_of(machine, op.object).name,
                                  element_text(access, point)),
                      "store every element before it is read");
      to.set(point.element, read(address));
    });
    to.finish();
  });
  return tile;
}

template <class A>
void execute_store(Machine<A>& machine, OpId id, const StoreOp& op) {
  auto coords = [&] { return machine.program.list(op.coords); };
  auto space = [&] {
    std::vector<AxisId> axes = machine.axes_of(op.value);
    for (IndexId coord : coords())
      for (AxisId axis : machine.program.index().axes(coord))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    return axes;
  };
  Access& access = access_of(machine, id, op.value, coords, space);
  locate_object(machine, id, access, op.object);
  Storage<A>& storage = machine.objects[op.object.index];
  const bool note_written = !storage.written.empty();
  with_sink(storage, [&](auto kind, auto write) {
    using Kind = decltype(kind);
    const typename Kind::Reader from(machine.tile(op.value));
    for_each_access(access, [&](const Point& point) {
      if (!point.inside && op.bounds == BoundsPolicy::Zero) return;
      const std::int64_t address = storage.offset + point.offset;
      check_address(machine, id, access, point, op.object, address);
      typename Kind::Element element = from[point.element];
      if constexpr (A::kBounded)
        if (machine.undecided_depth > 0) element = anything(element);
      write(address, element);
      if (note_written) storage.written[static_cast<std::size_t>(address)] = 1;
    });
  });
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const ReindexOp& op) {
  const ValueId result = machine.result_of(id);
  Access& access = access_of_result(machine, id, [&] { return machine.program.list(op.coords); });
  const std::vector<std::int64_t> extents = machine.extents_of(machine.axes_of(op.operand));
  locate(machine, id, access, extents, row_major(extents), "the tile");
  TileRef<A> tile = machine.pool.take();
  with_access<A>(machine.type_of(result), [&](auto kind) {
    using Kind = decltype(kind);
    typename Kind::Writer to(*tile, access.walk.size());
    const typename Kind::Reader from(machine.tile(op.operand));
    for_each_access(access, [&](const Point& point) {
      if (!point.inside)
        machine.fault(id, DiagCode::IndexOutOfRange,
                      fmt::format("element {} of a tile does not exist", element_text(access, point)));
      to.set(point.element, from[point.offset]);
    });
    to.finish();
  });
  return tile;
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const IndexValueOp& op) {
  Access& access = access_of_result(machine, id, [&] { return std::vector{op.expr}; });
  if (!access.tables.front().fill(machine.at))
    machine.fault(id, DiagCode::SizeOverflow, "an index has no value: it overflows or divides by zero");
  const std::int64_t* values = access.tables.front().values().data();
  TileRef<A> tile = machine.pool.take();
  WholeWriter<A> to(*tile, access.walk.size());
  access.walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j)
      to.set(at[1] + j * access.walk.inner(1), A::whole(values[at[0] + j * access.walk.inner(0)]));
  });
  to.finish();
  return tile;
}

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const GatherOp& op) {
  const ValueId result = machine.result_of(id);
  std::optional<Walk>& walk = machine.prepared[id.index].walk;
  if (!walk) {
    const std::vector<AxisId> space = machine.axes_of(result);
    std::vector<std::int64_t> of_operand = machine.strides_over(op.operand, space);
    for (std::size_t d = 0; d < space.size(); ++d)
      if (space[d] == op.axis) of_operand[d] = 0;
    walk.emplace(machine.extents_of(space),
                 std::vector{machine.strides_over(result, space), of_operand, machine.strides_over(op.indices, space)});
  }
  const std::int64_t step = machine.strides_over(op.operand, {op.axis}).front();
  const std::int64_t extent = machine.axis_extents[op.axis.index];
  TileRef<A> tile = machine.pool.take();
  with_access<A>(machine.type_of(result), [&](auto kind) {
    using Kind = decltype(kind);
    typename Kind::Writer to(*tile, walk->size());
    const typename Kind::Reader from(machine.tile(op.operand));
    const typename Kind::Element fallback = typename Kind::Reader(machine.tile(op.fallback))[0];
    const WholeReader<A> indices(machine.tile(op.indices));
    walk->for_each_row([&](const std::int64_t* at, std::int64_t count) {
      for (std::int64_t j = 0; j < count; ++j) {
        const typename A::WholeNumber index = indices[at[2] + j * walk->inner(2)];
        const std::int64_t place = A::number(index);
        const bool inside = place >= 0 && place < extent;
        typename Kind::Element element = inside ? from[at[1] + j * walk->inner(1) + place * step] : fallback;
        if constexpr (A::kBounded)
          if (index.undecided) element = anything(element);
        to.set(at[0] + j, element);
      }
    });
    to.finish();
  });
  return tile;
}

template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const LoadOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const LoadOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const ReindexOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const ReindexOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const IndexValueOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const IndexValueOp&);
template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const GatherOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const GatherOp&);
template void execute_store(Machine<Exact>&, OpId, const StoreOp&);
template void execute_store(Machine<Typed>&, OpId, const StoreOp&);

}  // namespace tilewright::tile
