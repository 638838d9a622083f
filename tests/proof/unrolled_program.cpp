#include "proof/unrolled_program.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace tilewright::proof {

namespace {

using Positions = std::vector<std::int64_t>;
using tile::AxisId;
using tile::BlockId;
using tile::OpId;
using tile::ValueId;

class Unroller {
 public:
  Unroller(const tile::Program& program, const std::map<std::string, std::int64_t>& sizes)
      : program_(program), run_{program, sizes, {}, {}, {}, {}} {
    now_.resize(program.values().size());
    environment_.symbol = [this](tile::SymbolId id) {
      return std::optional(run_.sizes.at(program_.symbols()[id].name));
    };
    environment_.coord = [this](tile::CoordId id) { return std::optional(coords_.at(id)); };
    environment_.axis = [this](AxisId id) { return std::optional(axes_.at(id)); };
  }

  UnrolledProgram run() {
    run_.frames.emplace_back();
    block(program_.root(), 0);
    return std::move(run_);
  }

 private:
  std::int64_t number(tile::IndexId expr) const {
    const auto value = program_.index().evaluate(expr, environment_);
    TW_CHECK(value.has_value());
    return *value;
  }
  Positions shape_of(const std::vector<AxisId>& axes) const {
    Positions shape;
    for (AxisId axis : axes) shape.push_back(number(program_.axes()[axis].extent));
    return shape;
  }
  void stand_at(const std::vector<AxisId>& axes, const Positions& at) {
    for (std::size_t i = 0; i < axes.size(); ++i) axes_[axes[i]] = at[i];
  }

  std::size_t node(Node node) {
    run_.nodes.push_back(std::move(node));
    return run_.nodes.size() - 1;
  }
  std::size_t computed(std::vector<std::size_t> from, std::optional<std::int64_t> number = std::nullopt) {
    return node({Node::Kind::Computed, 0, number, 0, {}, std::move(from)});
  }

  std::size_t instance(ValueId value, std::vector<std::size_t> elements, std::optional<std::size_t> event) {
    const auto axes = program_.list(program_.value(value).axes);
    run_.instances.push_back({value, !event.has_value(), event, axes, shape_of(axes), std::move(elements), {}});
    now_[value] = run_.instances.size() - 1;
    return run_.instances.size() - 1;
  }

  /// The node of a value where the axes stand.
  std::size_t here(ValueId value) const {
    const Instance& tile = run_.instances[now_[value]];
    std::size_t offset = 0;
    for (std::size_t i = 0; i < tile.axes.size(); ++i)
      offset = offset * static_cast<std::size_t>(tile.shape[i]) + static_cast<std::size_t>(axes_.at(tile.axes[i]));
    return tile.elements.at(offset);
  }

  void block(BlockId id, std::size_t frame) {
    for (OpId op : program_.block(id).ops) execute(op, frame);
    std::uint32_t position = 0;
    for (ValueId value : program_.list(program_.block(id).yields)) {
      run_.frames[frame].yields.push_back(now_[value]);
      run_.instances[now_[value]].uses.push_back({InstanceUse::Kind::Yield, frame, position++});
    }
  }

  void execute(OpId op, std::size_t frame) {
    const std::size_t event = run_.events.size();
    run_.events.push_back({op, frame, {}, {}, {}, {}, {}, {}});
    const tile::OpPayload& payload = program_.op(op).payload;
    const bool nests = std::holds_alternative<tile::RegionOp>(payload) || std::holds_alternative<tile::IfOp>(payload);
    const std::uint32_t inits_from = std::holds_alternative<tile::IfOp>(payload) ? 1 : 0;
    std::uint32_t position = 0;
    tile::for_each_operand(program_, payload, [&](ValueId value) {
      run_.events[event].operands.push_back(now_[value]);
      const bool is_init = nests && position >= inits_from;
      run_.instances[now_[value]].uses.push_back({is_init ? InstanceUse::Kind::Init : InstanceUse::Kind::Operand, event,
                                                  is_init ? position - inits_from : position});
      ++position;
    });
    if (const auto* region = std::get_if<tile::RegionOp>(&payload)) return iterate(*region, event);
    if (const auto* branch = std::get_if<tile::IfOp>(&payload)) return choose(*branch, event);
    if (const auto* load = std::get_if<tile::LoadOp>(&payload)) return load_tile(*load, event);
    if (const auto* store = std::get_if<tile::StoreOp>(&payload)) return store_tile(*store, event);
    if (program_.op(op).results.empty()) return;
    const ValueId result = program_.list(program_.op(op).results)[0];
    const auto axes = program_.list(program_.value(result).axes);
    std::vector<std::size_t> elements;
    for (const Positions& at : positions_of(shape_of(axes))) {
      stand_at(axes, at);
      elements.push_back(element(payload, event, at));
    }
    const std::size_t made = instance(result, std::move(elements), event);
    run_.events[event].results = {made};
  }

  std::size_t element(const tile::OpPayload& payload, std::size_t event, const Positions& at) {
    if (const auto* op = std::get_if<tile::ConstantOp>(&payload))
      return node({Node::Kind::Literal, op->literal.bits, std::nullopt, 0, {}, {}});
    if (const auto* op = std::get_if<tile::IndexValueOp>(&payload))
      return node({Node::Kind::Index, 0, number(op->expr), 0, {}, {}});
    if (const auto* op = std::get_if<tile::BroadcastOp>(&payload)) return here(op->operand);
    if (const auto* op = std::get_if<tile::ReindexOp>(&payload)) return moved(*op);
    if (const auto* op = std::get_if<tile::ReduceOp>(&payload)) return folded(*op);
    if (const auto* op = std::get_if<tile::MmaOp>(&payload)) return product(*op, event, at);
    if (const auto* op = std::get_if<tile::BinaryOp>(&payload)) return binary(*op);
    std::vector<std::size_t> from;
    const bool known = std::holds_alternative<tile::UnaryOp>(payload) ||
                       std::holds_alternative<tile::CastOp>(payload) || std::holds_alternative<tile::SelectOp>(payload);
    TW_CHECK(known);
    tile::for_each_operand(program_, payload, [&](ValueId value) { from.push_back(here(value)); });
    return computed(std::move(from));
  }

  std::size_t binary(const tile::BinaryOp& op) {
    const std::size_t a = here(op.lhs), b = here(op.rhs);
    const auto x = run_.nodes[a].number, y = run_.nodes[b].number;
    if (!x || !y) return computed({a, b});
    const std::int64_t order = (*x > *y) - (*x < *y);
    switch (op.kind) {
      case tile::BinaryKind::Lt:
        return computed({a, b}, order < 0);
      case tile::BinaryKind::Le:
        return computed({a, b}, order <= 0);
      case tile::BinaryKind::Gt:
        return computed({a, b}, order > 0);
      case tile::BinaryKind::Ge:
        return computed({a, b}, order >= 0);
      case tile::BinaryKind::Eq:
        return computed({a, b}, order == 0);
      case tile::BinaryKind::Ne:
        return computed({a, b}, order != 0);
      case tile::BinaryKind::And:
        return computed({a, b}, *x != 0 && *y != 0);
      default:
        return computed({a, b});
    }
  }

  std::size_t moved(const tile::ReindexOp& op) {
    const auto axes = program_.list(program_.value(op.operand).axes);
    const auto coords = program_.list(op.coords);
    Positions at;
    for (tile::IndexId coord : coords) at.push_back(number(coord));
    const std::map<AxisId, std::int64_t> before = axes_;
    stand_at(axes, at);
    const std::size_t found = here(op.operand);
    axes_ = before;
    return found;
  }

  std::size_t folded(const tile::ReduceOp& op) {
    std::vector<std::size_t> from;
    for (std::int64_t i = 0; i < number(program_.axes()[op.axis].extent); ++i) {
      axes_[op.axis] = i;
      from.push_back(here(op.operand));
    }
    return computed(std::move(from));
  }

  std::size_t product(const tile::MmaOp& op, std::size_t event, const Positions& at) {
    std::vector<AxisId> summed;
    const auto a = program_.list(program_.value(op.a).axes), c = program_.list(program_.value(op.c).axes);
    for (AxisId axis : a)
      if (std::find(c.begin(), c.end(), axis) == c.end()) summed.push_back(axis);
    std::vector<std::size_t> from{here(op.c)};
    for (const Positions& step : positions_of(shape_of(summed))) {
      stand_at(summed, step);
      from.push_back(here(op.a));
      from.push_back(here(op.b));
    }
    return node({Node::Kind::Product, 0, std::nullopt, event, at, std::move(from)});
  }

  ElementAccess access(tile::ObjectId object, const std::vector<tile::IndexId>& coords) const {
    ElementAccess access;
    for (std::size_t d = 0; d < coords.size(); ++d) {
      access.at.push_back(number(coords[d]));
      access.inside = access.inside && access.at[d] >= 0 && access.at[d] < number(program_.object(object).extents[d]);
    }
    return access;
  }

  void load_tile(const tile::LoadOp& load, std::size_t event) {
    const ValueId result = program_.list(program_.op(run_.events[event].op).results)[0];
    const auto axes = program_.list(program_.value(result).axes);
    const auto coords = program_.list(load.coords);
    std::vector<std::size_t> elements;
    std::vector<ElementAccess> accesses;
    for (const Positions& at : positions_of(shape_of(axes))) {
      stand_at(axes, at);
      accesses.push_back(access(load.object, coords));
      const auto stored = memory_.find({load.object, accesses.back().at});
      std::vector<std::size_t> from;
      if (accesses.back().inside && stored != memory_.end()) from.push_back(stored->second);
      elements.push_back(node({Node::Kind::Loaded, 0, std::nullopt, event, at, std::move(from)}));
    }
    run_.events[event].axes = axes;
    run_.events[event].shape = shape_of(axes);
    run_.events[event].accesses = std::move(accesses);
    const std::size_t made = instance(result, std::move(elements), event);
    run_.events[event].results = {made};
  }

  void store_tile(const tile::StoreOp& store, std::size_t event) {
    const auto coords = program_.list(store.coords);
    std::vector<AxisId> axes = program_.list(program_.value(store.value).axes);
    for (tile::IndexId coord : coords)
      for (AxisId axis : program_.index().axes(coord))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    const Positions shape = shape_of(axes);
    std::vector<ElementAccess> accesses;
    for (const Positions& at : positions_of(shape)) {
      stand_at(axes, at);
      accesses.push_back(access(store.object, coords));
      if (accesses.back().inside) memory_[{store.object, accesses.back().at}] = here(store.value);
    }
    run_.events[event].axes = axes;
    run_.events[event].shape = shape;
    run_.events[event].accesses = std::move(accesses);
  }

  void iterate(const tile::RegionOp& region, std::size_t event) {
    TW_CHECK(region.kind != tile::RegionKind::Reduce);
    std::vector<std::size_t> carried = run_.events[event].operands;
    const auto coords = program_.list(region.coords);
    iterate_domain(region, coords, 0, event, carried);
    finish(event, carried);
  }

  void iterate_domain(const tile::RegionOp& region, const std::vector<tile::CoordId>& coords, std::size_t depth,
                      std::size_t event, std::vector<std::size_t>& carried) {
    if (depth < coords.size()) {
      const std::int64_t extent = number(program_.coords()[coords[depth]].extent);
      for (std::int64_t i = 0; i < extent; ++i) {
        coords_[coords[depth]] = i;
        iterate_domain(region, coords, depth + 1, event, carried);
      }
      return;
    }
    const std::size_t frame = begin(event, Frame::Kind::Iteration);
    const auto arguments = program_.list(program_.block(region.body).args);
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      const std::size_t argument = instance(arguments[j], run_.instances[carried[j]].elements, std::nullopt);
      run_.frames[frame].arguments.push_back(argument);
    }
    block(region.body, frame);
    carried = run_.frames[frame].yields;
  }

  void choose(const tile::IfOp& branch, std::size_t event) {
    const auto condition = run_.nodes[run_.instances[run_.events[event].operands[0]].elements[0]].number;
    TW_CHECK(condition.has_value());
    const BlockId arm = *condition != 0 ? branch.then_block : branch.else_block;
    std::vector<std::size_t> carried(run_.events[event].operands.begin() + 1, run_.events[event].operands.end());
    const std::size_t frame = begin(event, Frame::Kind::Arm);
    if (arm.valid()) {
      block(arm, frame);
      if (!run_.frames[frame].yields.empty()) carried = run_.frames[frame].yields;
    }
    finish(event, carried);
  }

  std::size_t begin(std::size_t event, Frame::Kind kind) {
    run_.frames.push_back({kind, event, run_.events[event].frame, {}, {}});
    run_.events[event].frames.push_back(run_.frames.size() - 1);
    return run_.frames.size() - 1;
  }

  void finish(std::size_t event, const std::vector<std::size_t>& carried) {
    const auto results = program_.list(program_.op(run_.events[event].op).results);
    for (std::size_t j = 0; j < results.size(); ++j) {
      const std::size_t result = instance(results[j], run_.instances[carried[j]].elements, event);
      run_.events[event].results.push_back(result);
    }
  }

  const tile::Program& program_;
  UnrolledProgram run_;
  IdVector<ValueId, std::size_t> now_;  ///< the instance of each value
  std::map<tile::CoordId, std::int64_t> coords_;
  std::map<AxisId, std::int64_t> axes_;
  std::map<std::pair<tile::ObjectId, Positions>, std::size_t> memory_;
  tile::IndexEnvironment environment_;
};

}  // namespace

UnrolledProgram unroll(const tile::Program& program, const std::map<std::string, std::int64_t>& sizes) {
  return Unroller(program, sizes).run();
}

std::vector<std::size_t> UnrolledProgram::events_of(tile::OpId op) const {
  std::vector<std::size_t> found;
  for (std::size_t event = 0; event < events.size(); ++event)
    if (events[event].op == op) found.push_back(event);
  return found;
}

std::vector<std::size_t> UnrolledProgram::events_inside(std::size_t event) const {
  std::vector<std::size_t> found;
  for (std::size_t other = event + 1; other < events.size(); ++other)
    for (const std::size_t frame : events[event].frames)
      if (within(events[other].frame, frame)) found.push_back(other);
  return found;
}

bool UnrolledProgram::within(std::size_t frame, std::size_t outer) const {
  while (frame != outer && frame != 0) frame = frames[frame].parent;
  return frame == outer;
}

std::size_t UnrolledProgram::launch_of(std::size_t event) const {
  while (events[event].frame != 0) event = frames[events[event].frame].event;
  return event;
}

bool UnrolledProgram::is_literal(std::size_t instance) const {
  const auto& elements = instances[instance].elements;
  return !elements.empty() && nodes[elements[0]].kind == Node::Kind::Literal &&
         is_literal(instance, nodes[elements[0]].bits);
}

bool UnrolledProgram::is_literal(std::size_t instance, std::uint64_t bits) const {
  const auto& elements = instances[instance].elements;
  return std::all_of(elements.begin(), elements.end(), [&](std::size_t node) {
    return nodes[node].kind == Node::Kind::Literal && nodes[node].bits == bits;
  });
}

std::vector<std::vector<std::int64_t>> positions_of(const std::vector<std::int64_t>& shape) {
  std::vector<Positions> all{{}};
  for (const std::int64_t extent : shape) {
    std::vector<Positions> longer;
    for (const Positions& start : all)
      for (std::int64_t i = 0; i < extent; ++i) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

}  // namespace tilewright::proof
