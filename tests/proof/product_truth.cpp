#include "proof/product_truth.h"

#include <algorithm>
#include <set>

namespace tilewright::proof {

using tile::AxisId;
using tile::OpId;

namespace {

/// The operation whose block holds another one; none of the top level.
OpId owner_of(const tile::Program& program, OpId op) {
  tile::BlockId home;
  for (tile::BlockId block : program.blocks().ids()) {
    const auto& ops = program.block(block).ops;
    if (std::find(ops.begin(), ops.end(), op) != ops.end()) home = block;
  }
  for (OpId owner : program.ops().ids()) {
    const tile::OpPayload& payload = program.op(owner).payload;
    if (const auto* region = std::get_if<tile::RegionOp>(&payload); region != nullptr && region->body == home)
      return owner;
    if (const auto* branch = std::get_if<tile::IfOp>(&payload);
        branch != nullptr && (branch->then_block == home || branch->else_block == home))
      return owner;
  }
  return {};
}

bool iterates(const tile::Program& program, OpId op) {
  const auto* region = op.valid() ? std::get_if<tile::RegionOp>(&program.op(op).payload) : nullptr;
  return region != nullptr && (region->kind == tile::RegionKind::Serial || region->kind == tile::RegionKind::Pipeline);
}

bool is_used_once(const Instance& instance, InstanceUse::Kind kind, std::size_t by, std::uint32_t position) {
  return instance.uses.size() == 1 && instance.uses[0].kind == kind && instance.uses[0].by == by &&
         instance.uses[0].position == position;
}

/// Nodes that another product of one execution of a region reaches.
class OtherProducts {
 public:
  OtherProducts(const UnrolledProgram& run, std::size_t execution, OpId mma) : run_(run) {
    for (const std::size_t event : run.events_inside(execution)) {
      inside_.insert(event);
      if (run.as<tile::MmaOp>(event) != nullptr && run.events[event].op != mma) sources_.insert(event);
      if (const auto* store = run.as<tile::StoreOp>(event)) stored_.insert(store->object);
      opaque_ = opaque_ || run.as<tile::OpaqueOp>(event) != nullptr;
    }
    // A carry counts as what it becomes, also before it has become it.
    for (std::size_t before = 0, first = 1; first != 0 || before != carried_.size(); first = 0) {
      before = carried_.size();
      for (const std::size_t frame : frames_of(execution)) add_carries(run.frames[frame]);
    }
  }

  bool reach(std::size_t instance) const {
    std::set<std::size_t> seen;
    const auto& elements = run_.instances[instance].elements;
    return !sources_.empty() &&
           std::any_of(elements.begin(), elements.end(), [&](std::size_t node) { return reach_node(node, seen); });
  }

 private:
  std::set<std::size_t> frames_of(std::size_t execution) const {
    std::set<std::size_t> frames(run_.events[execution].frames.begin(), run_.events[execution].frames.end());
    for (const std::size_t event : inside_)
      frames.insert(run_.events[event].frames.begin(), run_.events[event].frames.end());
    return frames;
  }

  void add_carries(const Frame& frame) {
    for (std::size_t j = 0; j < frame.arguments.size(); ++j) {
      if (!reach(frame.yields[j])) continue;
      const OpId region = run_.events[frame.event].op;
      for (const std::size_t event : run_.events_of(region))
        for (const std::size_t other : run_.events[event].frames) {
          const auto& elements = run_.instances[run_.frames[other].arguments[j]].elements;
          carried_.insert(elements.begin(), elements.end());
        }
    }
  }

  bool reach_node(std::size_t id, std::set<std::size_t>& seen) const {
    if (!seen.insert(id).second) return false;
    const Node& node = run_.nodes[id];
    if (carried_.contains(id)) return true;
    if (node.kind == Node::Kind::Product && sources_.contains(node.event)) return true;
    if (node.kind == Node::Kind::Loaded && inside_.contains(node.event) &&
        (opaque_ || stored_.contains(run_.as<tile::LoadOp>(node.event)->object)))
      return true;
    return std::any_of(node.from.begin(), node.from.end(), [&](std::size_t from) { return reach_node(from, seen); });
  }

  const UnrolledProgram& run_;
  std::set<std::size_t> inside_, sources_, carried_;
  std::set<tile::ObjectId> stored_;
  bool opaque_ = false;
};

/// Which carry one iteration updates by the mma and by nothing else; none when it does not.
std::optional<std::size_t> closed_carry(const UnrolledProgram& run, std::size_t frame, OpId mma) {
  std::vector<std::size_t> updates;
  for (const std::size_t event : run.events_of(mma))
    if (run.events[event].frame == frame) updates.push_back(event);
  if (updates.size() != 1) return std::nullopt;
  const Event& update = run.events[updates[0]];
  const auto& yields = run.frames[frame].yields;
  const auto at = std::find(yields.begin(), yields.end(), update.results[0]);
  if (at == yields.end()) return std::nullopt;
  const auto j = static_cast<std::size_t>(at - yields.begin());
  const std::size_t argument = run.frames[frame].arguments[j];
  const bool alone =
      is_used_once(run.instances[argument], InstanceUse::Kind::Operand, updates[0], 2) &&
      is_used_once(run.instances[update.results[0]], InstanceUse::Kind::Yield, frame, static_cast<std::uint32_t>(j));
  return alone ? std::optional(j) : std::nullopt;
}

using Executions = std::vector<std::pair<std::size_t, std::size_t>>;

/// Of each execution of the region the carry; nothing when one is not closed.
std::optional<Executions> closed_executions(const UnrolledProgram& run, OpId mma) {
  const OpId region = owner_of(run.program, mma);
  Executions all;
  if (!iterates(run.program, region)) return std::nullopt;
  for (const std::size_t execution : run.events_of(region)) {
    const OtherProducts others(run, execution, mma);
    std::optional<std::size_t> carry;
    for (const std::size_t frame : run.events[execution].frames) {
      carry = closed_carry(run, frame, mma);
      if (!carry) return std::nullopt;
      for (const std::size_t event : run.events_of(mma))
        if (run.events[event].frame == frame &&
            (others.reach(run.events[event].operands[0]) || others.reach(run.events[event].operands[1])))
          return std::nullopt;
    }
    if (!carry) return std::nullopt;  // no iteration
    all.emplace_back(execution, *carry);
  }
  return all;
}

/// Each axis moves one dimension, by 1, which no other axis moves; no dimension moves otherwise.
bool projects(const Event& event, const std::vector<AxisId>& axes) {
  if (std::set(axes.begin(), axes.end()) != std::set(event.axes.begin(), event.axes.end())) return false;
  const auto positions = positions_of(event.shape);
  std::vector<int> dimensions_of(event.axes.size(), 0);
  for (std::size_t d = 0; d < event.accesses[0].at.size(); ++d) {
    std::vector<bool> follows(event.axes.size(), true);
    bool still = true;
    for (std::size_t e = 0; e < positions.size(); ++e) {
      const std::int64_t by = event.accesses[e].at[d] - event.accesses[0].at[d];
      still = still && by == 0;
      for (std::size_t x = 0; x < follows.size(); ++x) follows[x] = follows[x] && by == positions[e][x];
    }
    if (still) continue;
    const auto axis = std::find(follows.begin(), follows.end(), true);
    if (axis == follows.end()) return false;
    ++dimensions_of[static_cast<std::size_t>(axis - follows.begin())];
  }
  return std::all_of(dimensions_of.begin(), dimensions_of.end(), [](int count) { return count == 1; });
}

}  // namespace

std::optional<bool> truly_closed(const UnrolledProgram& run, OpId mma) {
  const auto executions = closed_executions(run, mma);
  return executions && executions->empty() ? std::nullopt : std::optional(executions.has_value());
}

std::optional<bool> truly_direct(const UnrolledProgram& run, OpId mma) {
  const auto executions = closed_executions(run, mma);
  if (!executions) return false;
  if (executions->empty()) return std::nullopt;
  for (const auto& [execution, carry] : *executions) {
    if (!run.is_literal(run.events[execution].operands[carry])) return false;
    const Instance& result = run.instances[run.events[execution].results[carry]];
    if (result.uses.size() != 1 || result.uses[0].kind != InstanceUse::Kind::Operand) return false;
    const std::size_t sink = result.uses[0].by;
    const auto* store = run.as<tile::StoreOp>(sink);
    if (store == nullptr || run.events[sink].frame != run.events[execution].frame ||
        run.program.object(store->object).kind == tile::ObjectKind::Memory || !projects(run.events[sink], result.axes))
      return false;
  }
  return true;
}

std::optional<bool> truly_overwrites(const UnrolledProgram& run, OpId mma) {
  const auto& payload = std::get<tile::MmaOp>(run.program.op(mma).payload);
  if (!payload.reassociate) return false;
  if (!run.program.value(payload.c).def.valid()) {
    const auto executions = closed_executions(run, mma);
    if (!executions) return false;
    if (executions->empty()) return std::nullopt;
    return std::all_of(executions->begin(), executions->end(), [&](const auto& execution) {
      const Event& event = run.events[execution.first];
      return event.frames.size() == 1 && run.is_literal(event.operands[execution.second], 0);
    });
  }
  const auto events = run.events_of(mma);
  if (events.empty()) return std::nullopt;
  return std::all_of(events.begin(), events.end(),
                     [&](std::size_t event) { return run.is_literal(run.events[event].operands[2], 0); });
}

namespace {

bool is_elementwise(const UnrolledProgram& run, std::size_t event) {
  return run.as<tile::UnaryOp>(event) != nullptr || run.as<tile::BinaryOp>(event) != nullptr ||
         run.as<tile::SelectOp>(event) != nullptr || run.as<tile::CastOp>(event) != nullptr ||
         run.as<tile::BroadcastOp>(event) != nullptr;
}

/// One execution of a store, and the accumulator that its elements are made of.
class OwnerTruth {
 public:
  OwnerTruth(const UnrolledProgram& run, std::size_t sink) : run_(run), sink_(run.events[sink]), sink_event_(sink) {}

  bool holds() {
    if (!find_accumulator()) return false;
    const auto executions = closed_executions(run_, run_.events[*product_].op);
    if (!executions) return false;
    const auto mine = std::find_if(executions->begin(), executions->end(), [&](const auto& execution) {
      return run_.events[execution.first].frames.back() == run_.events[*product_].frame;
    });
    if (mine == executions->end()) return false;
    const std::size_t result = run_.events[mine->first].results[mine->second];
    axes_ = axes_of(run_.instances[result]);
    const auto* store = run_.as<tile::StoreOp>(sink_event_);
    return run_.program.object(store->object).kind != tile::ObjectKind::Memory &&
           sink_.frame == run_.events[mine->first].frame && std::set(sink_.axes.begin(), sink_.axes.end()) == axes_ &&
           used_here_alone(result) && producers_fit(sink_.operands[0]);
  }

 private:
  static std::set<AxisId> axes_of(const Instance& instance) { return {instance.axes.begin(), instance.axes.end()}; }

  /// Every element is made of literals and of one product's element of its own coordinates.
  bool find_accumulator() {
    const Instance& value = run_.instances[sink_.operands[0]];
    const auto positions = positions_of(value.shape);
    for (std::size_t e = 0; e < positions.size(); ++e)
      if (!made_of_own(value.elements[e], value.axes, positions[e])) return false;
    return product_.has_value();
  }

  bool made_of_own(std::size_t id, const std::vector<AxisId>& axes, const std::vector<std::int64_t>& at) {
    const Node& node = run_.nodes[id];
    if (node.kind == Node::Kind::Literal) return true;
    if (node.kind == Node::Kind::Computed)
      return std::all_of(node.from.begin(), node.from.end(),
                         [&](std::size_t from) { return made_of_own(from, axes, at); });
    if (node.kind != Node::Kind::Product || (product_ && *product_ != node.event)) return false;
    product_ = node.event;
    const Instance& product = run_.instances[run_.events[node.event].results[0]];
    for (std::size_t i = 0; i < product.axes.size(); ++i) {
      const auto axis = std::find(axes.begin(), axes.end(), product.axes[i]);
      if (axis == axes.end() || at[static_cast<std::size_t>(axis - axes.begin())] != node.element[i]) return false;
    }
    return true;
  }

  /// Whatever is made of the value is made of it element by element, for this store.
  bool used_here_alone(std::size_t instance) const {
    const Instance& value = run_.instances[instance];
    if (axes_of(value) != axes_) return false;
    return !value.uses.empty() && std::all_of(value.uses.begin(), value.uses.end(), [&](const InstanceUse& use) {
      if (use.kind != InstanceUse::Kind::Operand) return false;
      return use.by == sink_event_ || (is_elementwise(run_, use.by) && used_here_alone(run_.events[use.by].results[0]));
    });
  }

  bool producers_fit(std::size_t instance) const {
    const Instance& value = run_.instances[instance];
    const auto axes = axes_of(value);
    if (!std::includes(axes_.begin(), axes_.end(), axes.begin(), axes.end())) return false;
    if (!value.event || !is_elementwise(run_, *value.event)) return true;
    const auto& operands = run_.events[*value.event].operands;
    return std::all_of(operands.begin(), operands.end(), [&](std::size_t operand) { return producers_fit(operand); });
  }

  const UnrolledProgram& run_;
  const Event& sink_;
  std::size_t sink_event_;
  std::optional<std::size_t> product_;
  std::set<AxisId> axes_;
};

}  // namespace

std::optional<bool> truly_same_owner(const UnrolledProgram& run, OpId store) {
  const auto events = run.events_of(store);
  if (events.empty()) return std::nullopt;
  return std::all_of(events.begin(), events.end(), [&](std::size_t event) { return OwnerTruth(run, event).holds(); });
}

namespace {

bool is_from_caller(const tile::Object& object) {
  return object.kind == tile::ObjectKind::Out || object.kind == tile::ObjectKind::InOut ||
         (object.kind == tile::ObjectKind::In && !object.extents.empty());
}

/// The object stays as it is in the launch of an event.
bool stays(const UnrolledProgram& run, std::size_t event, tile::ObjectId id, bool overlap) {
  const tile::Object& object = run.program.object(id);
  if (object.kind == tile::ObjectKind::Memory) return false;
  for (const std::size_t other : run.events_inside(run.launch_of(event))) {
    if (run.as<tile::OpaqueOp>(other) != nullptr || run.as<tile::BarrierOp>(other) != nullptr) return false;
    const auto* store = run.as<tile::StoreOp>(other);
    if (store == nullptr) continue;
    if (store->object == id) return false;
    if (overlap && is_from_caller(object) && is_from_caller(run.program.object(store->object))) return false;
  }
  return true;
}

/// For each axis of the result of a reindex the axis of the operand that it is another name of; nothing when an element
/// has another place.
std::optional<std::map<AxisId, AxisId>> renamed_axes(const UnrolledProgram& run, std::size_t event) {
  const Instance& from = run.instances[run.events[event].operands[0]];
  const Instance& to = run.instances[run.events[event].results[0]];
  if (from.axes.size() != to.axes.size() || from.elements.size() != to.elements.size()) return std::nullopt;
  std::map<std::size_t, std::vector<std::int64_t>> place;
  const auto before = positions_of(from.shape), after = positions_of(to.shape);
  for (std::size_t e = 0; e < before.size(); ++e) place[from.elements[e]] = before[e];
  std::map<AxisId, AxisId> names;
  for (std::size_t x = 0; x < to.axes.size(); ++x)
    for (std::size_t i = 0; i < from.axes.size(); ++i) {
      bool same = true;
      for (std::size_t e = 0; e < after.size(); ++e) same = same && place.at(to.elements[e])[i] == after[e][x];
      if (same) names[to.axes[x]] = from.axes[i];
    }
  std::set<AxisId> taken;
  for (const auto& [name, of] : names) taken.insert(of);
  return names.size() == to.axes.size() && taken.size() == names.size() ? std::optional(names) : std::nullopt;
}

/// Every element that is made of the instance goes into products that may read it again, wherever the load did execute.
bool only_multiplied(const UnrolledProgram& run, std::size_t instance, std::size_t load_frame) {
  const auto& uses = run.instances[instance].uses;
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const InstanceUse& use) {
    if (use.kind != InstanceUse::Kind::Operand) return false;
    for (std::size_t frame = run.events[use.by].frame; frame != 0 && !run.within(load_frame, frame);
         frame = run.frames[frame].parent)
      if (run.frames[frame].kind == Frame::Kind::Arm) return false;
    if (const auto* mma = run.as<tile::MmaOp>(use.by)) return use.position < 2 && mma->reassociate;
    return run.as<tile::ReindexOp>(use.by) != nullptr && renamed_axes(run, use.by).has_value() &&
           only_multiplied(run, run.events[use.by].results[0], load_frame);
  });
}

bool forwards(const UnrolledProgram& run, std::size_t event, bool overlap) {
  const auto* load = run.as<tile::LoadOp>(event);
  const auto& operands = run.events[event].operands;
  const bool zero_outside =
      load->bounds != tile::BoundsPolicy::Zero || operands.empty() || run.is_literal(operands[0], 0);
  return zero_outside && stays(run, event, load->object, overlap) &&
         only_multiplied(run, run.events[event].results[0], run.events[event].frame);
}

/// An operand of one execution of an mma: a load, seen by the axes of the mma.
struct OperandRun {
  const Event* load = nullptr;
  std::size_t event = 0;
  std::size_t step = 0, outer = 0;  ///< positions of the two axes in the load

  /// The dimension that moves with an axis of the load alone, by 1, while no other does.
  std::optional<std::size_t> dimension_of(std::size_t axis) const {
    const auto positions = positions_of(load->shape);
    std::optional<std::size_t> own;
    for (std::size_t d = 0; d < load->accesses[0].at.size(); ++d) {
      bool with = false, unit = true;
      for (std::size_t e = 0; e < positions.size(); ++e) {
        const std::int64_t by = load->accesses[e].at[d] - load->accesses[0].at[d];
        unit = unit && by == positions[e][axis];
        auto still = positions[e];
        still[axis] = 0;
        const auto base = std::find(positions.begin(), positions.end(), still) - positions.begin();
        with = with || load->accesses[e].at[d] != load->accesses[static_cast<std::size_t>(base)].at[d];
      }
      if (!with) continue;
      if (!unit || own) return std::nullopt;
      own = d;
    }
    return own;
  }
};

std::optional<OperandRun> operand_of(const UnrolledProgram& run, std::size_t instance, AxisId step, AxisId outer) {
  for (;;) {
    const auto event = run.instances[instance].event;
    if (!event) return std::nullopt;
    if (run.as<tile::LoadOp>(*event) != nullptr) {
      OperandRun operand{&run.events[*event], *event, 0, 0};
      const auto& axes = operand.load->axes;
      operand.step = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), step) - axes.begin());
      operand.outer = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), outer) - axes.begin());
      return operand;
    }
    if (run.as<tile::ReindexOp>(*event) == nullptr) return std::nullopt;
    const auto names = renamed_axes(run, *event);
    if (!names) return std::nullopt;
    step = names->at(step);
    outer = names->at(outer);
    instance = run.events[*event].operands[0];
  }
}

/// What is left of the object behind the origin of the contraction; nothing when the operand does not fit the
/// statement.
std::optional<std::int64_t> length_left(const UnrolledProgram& run, const OperandRun& operand, bool prefix,
                                        bool overlap) {
  const auto* load = run.as<tile::LoadOp>(operand.event);
  if (load->bounds != tile::BoundsPolicy::Zero || !forwards(run, operand.event, overlap)) return std::nullopt;
  const auto step = operand.dimension_of(operand.step), outer = operand.dimension_of(operand.outer);
  if (!step || !outer) return std::nullopt;
  const auto& extents = run.program.object(load->object).extents;
  tile::IndexEnvironment environment;
  environment.symbol = [&](tile::SymbolId) { return std::optional(run.sizes.at("K")); };
  std::int64_t left = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::int64_t extent = *run.program.index().evaluate(extents[d], environment);
    const std::int64_t origin = operand.load->accesses[0].at[d], last = operand.load->accesses.back().at[d];
    if (d == *step) left = extent - origin;
    const bool fits = d == *step              ? origin >= 0 && origin < extent
                      : d == *outer && prefix ? origin >= 0
                                              : std::min(origin, last) >= 0 && std::max(origin, last) < extent;
    if (!fits) return std::nullopt;
  }
  return left;
}

}  // namespace

std::optional<bool> truly_forwardable(const UnrolledProgram& run, OpId load, bool overlap) {
  const auto events = run.events_of(load);
  if (events.empty()) return std::nullopt;
  return std::all_of(events.begin(), events.end(), [&](std::size_t event) { return forwards(run, event, overlap); });
}

std::optional<bool> truly_bounded(const UnrolledProgram& run, OpId mma, bool prefix, bool overlap) {
  const auto events = run.events_of(mma);
  if (events.empty()) return std::nullopt;
  return std::all_of(events.begin(), events.end(), [&](std::size_t event) {
    const auto& operands = run.events[event].operands;
    const auto axes = [&](std::size_t i) { return run.instances[operands[i]].axes; };
    const auto in = [](const std::vector<AxisId>& list, AxisId axis) {
      return std::find(list.begin(), list.end(), axis) != list.end();
    };
    AxisId step, row, column;
    for (AxisId axis : axes(0)) (in(axes(1), axis) ? step : row) = axis;
    for (AxisId axis : axes(1))
      if (axis != step) column = axis;
    const auto a = operand_of(run, operands[0], step, row), b = operand_of(run, operands[1], step, column);
    if (!a || !b) return false;
    const auto left_a = length_left(run, *a, prefix, overlap), left_b = length_left(run, *b, prefix, overlap);
    return left_a && left_b && *left_a == *left_b;
  });
}

}  // namespace tilewright::proof
