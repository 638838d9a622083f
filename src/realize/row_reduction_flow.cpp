// The sweeps of a launch, and which of them evaluate each value at their own elements.
//
// One sweep backwards over the text: what an operation's result reaches, its operands reach too. It stops at row values
// outside of joint loops (every worker holds them) and at values that are kept.
#include <algorithm>
#include <limits>

#include "realize/row_reduction_internal.h"

namespace tilewright::realize {

using tile::AxisId;
using tile::OpId;
using tile::ReduceOp;
using tile::RegionOp;
using tile::ValueId;

namespace {

bool is_expensive(const tile::OpPayload& payload) {
  const auto* unary = std::get_if<tile::UnaryOp>(&payload);
  if (unary == nullptr) return false;
  switch (unary->kind) {
    case tile::UnaryKind::Exp:
    case tile::UnaryKind::Log:
    case tile::UnaryKind::Sqrt:
    case tile::UnaryKind::Tanh:
    case tile::UnaryKind::Sin:
    case tile::UnaryKind::Cos:
      return true;
    case tile::UnaryKind::Neg:
    case tile::UnaryKind::Not:
    case tile::UnaryKind::Abs:
    case tile::UnaryKind::Floor:
      return false;
  }
  return false;
}

tile::Literal identity_of(tile::FoldKind kind, double of_add) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
    case tile::FoldKind::Add:
      return tile::Literal::of(of_add);
    case tile::FoldKind::Max:
      return tile::Literal::of(-infinity);
    case tile::FoldKind::Min:
      return tile::Literal::of(infinity);
  }
  return {};
}

class FlowTracer {
 public:
  explicit FlowTracer(const RowStructure& structure)
      : structure_(structure), program_(structure.program()), reach_(program_.values().size()) {}

  RowFlow run() {
    for (OpId op : structure_.ops) add_sweeps_of(op);
    for (auto op = structure_.ops.rbegin(); op != structure_.ops.rend(); ++op) propagate(*op);
    return std::move(flow_);
  }

 private:
  using Reach = RowFlow::Reach;

  void add_sweeps_of(OpId op) {
    const tile::OpPayload& payload = program_.op(op).payload;
    if (const auto* reduce = std::get_if<ReduceOp>(&payload)) return add_fold(op, *reduce);
    if (const auto* store = std::get_if<tile::StoreOp>(&payload)) return add_store(op, *store);
    const auto loop = structure_.loops.find(op);
    if (loop == structure_.loops.end() || !loop->second.is_joint) return;
    for (std::uint32_t carry : loop->second.direct) add_direct_fold(op, carry);
  }

  void add_fold(OpId op, const ReduceOp& reduce) {
    RowSweep sweep = sweep_of(RowSweepKind::Fold, op, reduce.axis, op);
    sweep.rows = structure_.rows_of(program_.list(program_.value(result_of(op)).axes));
    sweep.fold = reduce.kind;
    sweep.identity = identity_of(reduce.kind, 0.0);
    const OpId joint = structure_.joint_loop_of(op);
    sweep.merged = joint.valid();
    sweep.live_elements = dead_from({&structure_, op, reduce.axis}, reduce.operand, reduce.kind, true);
    add(std::move(sweep), reduce.operand);
  }

  void add_direct_fold(OpId region, std::uint32_t carry) {
    const auto& payload = std::get<RegionOp>(program_.op(region).payload);
    const tile::Block& body = program_.block(payload.body);
    const ValueId contribution = program_.list(body.yields)[carry];
    RowSweep sweep = sweep_of(RowSweepKind::Fold, region, {}, body.ops.empty() ? region : body.ops.back());
    sweep.span = {structure_.loops.at(region).iterations, 1};
    sweep.rows = structure_.rows_of(program_.list(program_.value(contribution).axes));
    sweep.fold = payload.fold(carry);
    // The contributions of a region are all that its reference adds: there is no +0 among them to make -0 vanish.
    sweep.identity = identity_of(sweep.fold, -0.0);
    sweep.merged = true;
    sweep.carry = carry;
    sweep.live_elements = body.ops.empty()
                              ? sweep.span.elements()
                              : dead_from({&structure_, body.ops.back(), {}}, contribution, sweep.fold, false);
    add(std::move(sweep), contribution);
  }

  void add_store(OpId op, const tile::StoreOp& store) {
    const std::vector<AxisId> axes = analysis::own_axes(program_, op);
    const AxisId element = structure_.element_axis(axes);
    RowSweep sweep = sweep_of(RowSweepKind::Store, op, element, op);
    sweep.rows = structure_.rows_of(axes);
    sweep.bytes = static_cast<std::int64_t>(data_type_bytes(program_.object(store.object).element.data));
    if (!element.valid() && !structure_.joint_loop_of(op).valid()) {
      sweep.over_rows = true;
      sweep.span = {1, sweep.rows};
      sweep.rows = 1;
      sweep.live_elements = sweep.span.extent;
    } else {
      sweep.live_elements =
          dead_from({&structure_, op, element}, *structure_.subject->accesses.of(op), sweep.span.elements());
    }
    add(std::move(sweep), store.value);
  }

  /// `inside` stands where the elements are computed.
  RowSweep sweep_of(RowSweepKind kind, OpId op, AxisId element, OpId inside) {
    RowSweep sweep;
    sweep.kind = kind;
    sweep.op = op;
    sweep.element_axis = element;
    sweep.span = structure_.span_of(inside, element);
    sweep.executions = structure_.executions_of(op);
    return sweep;
  }

  void add(RowSweep sweep, ValueId evaluated) {
    const OpId joint = is_direct(sweep) ? sweep.op : structure_.joint_loop_of(sweep.op);
    sweep.visit = visit_of(joint, sweep.span);
    reach_[evaluated.index].sweeps.insert(static_cast<std::uint32_t>(flow_.sweeps.size()));
    flow_.sweeps.push_back(std::move(sweep));
  }

  bool is_direct(const RowSweep& sweep) const {
    return std::holds_alternative<RegionOp>(program_.op(sweep.op).payload);
  }

  std::uint32_t visit_of(OpId joint, RowSpan span) {
    if (joint.valid())
      for (const JointVisit& known : joint_visits_)
        if (known.loop == joint && known.span == span) return known.visit;
    if (joint.valid()) joint_visits_.push_back({joint, span, visits_});
    return visits_++;
  }

  ValueId result_of(OpId op) const { return program_.list(program_.op(op).results)[0]; }

  /// Every worker computes it for itself, once: a row value outside of joint loops.
  bool is_uniform(OpId op) const {
    return !structure_.element_axis(result_of(op)).valid() && !structure_.joint_loop_of(op).valid();
  }

  void propagate(OpId op) {
    const tile::OpPayload& payload = program_.op(op).payload;
    if (std::holds_alternative<RegionOp>(payload) || std::holds_alternative<tile::StoreOp>(payload) ||
        std::holds_alternative<tile::StageCutOp>(payload) || std::holds_alternative<ReduceOp>(payload))
      return;
    Reach reach = is_uniform(op) ? Reach{} : reach_[result_of(op).index];
    if (std::holds_alternative<tile::LoadOp>(payload)) flow_.loads.emplace(op, reach);
    if (is_kept(op, reach)) reach = {{keep(op, reach)}, false, false};
    tile::for_each_operand(program_, payload, [&](ValueId operand) {
      Reach& into = reach_[operand.index];
      into.sweeps.insert(reach.sweeps.begin(), reach.sweeps.end());
      const Move move = move_of(payload, operand);
      into.is_crossing = into.is_crossing || reach.is_crossing || move.crosses_elements;
      into.is_moved = into.is_moved || reach.is_moved || move.moves;
      flow_.payload_known = flow_.payload_known && !move.crosses_elements;
    });
  }

  struct Move {
    bool crosses_elements = false;  ///< the result at one element needs the operand at another
    bool moves = false;             ///< the same for elements or rows
  };

  Move move_of(const tile::OpPayload& payload, ValueId operand) const {
    const AxisId element = structure_.element_axis(operand);
    if (const auto* gather = std::get_if<tile::GatherOp>(&payload); gather != nullptr && operand == gather->operand)
      return {element.valid() && gather->axis == element, true};
    const auto* reindex = std::get_if<tile::ReindexOp>(&payload);
    if (reindex == nullptr) return {};
    const std::vector<AxisId> axes = program_.list(program_.value(operand).axes);
    const std::vector<tile::IndexId> coords = program_.list(reindex->coords);
    Move move;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const tile::IndexNode& coordinate = program_.index()[coords[d]];
      const bool is_axis = coordinate.kind == tile::IndexKind::Axis;
      const bool renames = is_axis && structure_.element_axis({coordinate.axis()}).valid() &&
                           structure_.extent(coordinate.axis()) == structure_.extent(axes[d]);
      if (axes[d] == element)
        move.crosses_elements = !renames;
      else
        move.moves = move.moves || !is_axis || coordinate.axis() != axes[d];
    }
    move.moves = move.moves || move.crosses_elements;
    return move;
  }

  /// Computing it anew in every sweep would cost more than keeping it: an expensive operation whose result several
  /// visits of equal spans need, and only at their own elements.
  bool is_kept(OpId op, const Reach& reach) const {
    const AxisId element = structure_.element_axis(result_of(op));
    if (!is_expensive(program_.op(op).payload) || reach.is_crossing || !element.valid()) return false;
    if (structure_.joint_loop_of(op).valid()) return false;
    const RowSpan span = structure_.span_of(op, element);
    const bool spans_agree = std::all_of(reach.sweeps.begin(), reach.sweeps.end(), [&](std::uint32_t sweep) {
      return flow_.sweeps[sweep].span == span && !flow_.sweeps[sweep].over_rows;
    });
    return spans_agree && consumers(op, reach) > 1;
  }

  /// Visits that read the value, for each time that it is computed.
  std::int64_t consumers(OpId op, const Reach& reach) const {
    std::map<std::uint32_t, std::int64_t> visits;
    for (std::uint32_t sweep : reach.sweeps) visits[flow_.sweeps[sweep].visit] = flow_.sweeps[sweep].executions;
    const std::int64_t own = structure_.executions_of(op);
    std::int64_t count = 0;
    for (const auto& [visit, executions] : visits) count += own == 0 ? 0 : executions / own;
    return count;
  }

  std::uint32_t keep(OpId op, const Reach& reach) {
    const ValueId value = result_of(op);
    RowSweep sweep = sweep_of(RowSweepKind::Retain, op, structure_.element_axis(value), op);
    sweep.rows = structure_.rows_of(program_.list(program_.value(value).axes));
    sweep.bytes = static_cast<std::int64_t>(data_type_bytes(program_.value(value).element.data));
    sweep.consumers = consumers(op, reach);
    for (std::uint32_t consumer : reach.sweeps)
      sweep.live_elements = std::max(sweep.live_elements, flow_.sweeps[consumer].live_elements);
    sweep.visit = visits_++;
    flow_.sweeps.push_back(std::move(sweep));
    return static_cast<std::uint32_t>(flow_.sweeps.size() - 1);
  }

  struct JointVisit {
    OpId loop;
    RowSpan span;
    std::uint32_t visit = 0;
  };

  const RowStructure& structure_;
  const tile::Program& program_;
  std::vector<Reach> reach_;  ///< by value
  std::vector<JointVisit> joint_visits_;
  std::uint32_t visits_ = 0;
  RowFlow flow_;
};

}  // namespace

RowFlow trace_row_flow(const RowStructure& structure) { return FlowTracer(structure).run(); }

}  // namespace tilewright::realize
