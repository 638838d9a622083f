#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "proof/check/axis_moves.h"
#include "proof/check/check_fields.h"
#include "proof/check/check_matrix.h"
#include "proof/check/program_points.h"
#include "proof/check/program_scan.h"
#include "proof/operands_congruent.h"

namespace tilewright::proof {

using check::ProgramPoints;
using check::ProgramScan;
using tile::OpId;
using tile::ValueId;

namespace {

/// The loads behind a store, found from the store up, and what its launch may do to what they read.
class CongruenceScan {
 public:
  CongruenceScan(const ProgramScan& scan, OpId sink, const Assumptions& assumptions, const MatrixCheckLimits& limits)
      : scan_(scan), program_(scan.program()), sink_(sink), store_(*scan.as<tile::StoreOp>(sink)) {
    climb(store_.value);
    if (loads_.empty()) wrong_ = "no tile is read";
    for (OpId load : loads_) {
      read_object(load);
      read_axes(load, assumptions, limits);
    }
    read_launch();
    if (needs_promise_ && !assumptions.aliasing.holds()) wrong_ = "an overlapping buffer may be written";
  }

  const std::string& wrong() const { return wrong_; }
  bool needs_promise() const { return needs_promise_; }
  std::string operands() const {
    return joined([&](OpId load) { return fmt::format("op {} {}", load.index, scan_.touch(load)); });
  }
  std::string extents() const {
    return joined([&](OpId load) { return scan_.sizes(scan_.as<tile::LoadOp>(load)->object); });
  }

  /// At the current point of the store: every load is inside, if the store is; one of the store's own object reads the
  /// very element.
  std::string fault_at(const ProgramPoints& points) const {
    const auto written = coordinates(points, store_.coords, store_.object);
    if (!written) return "a coordinate of the store has no value";
    for (OpId load : loads_) {
      const auto* payload = scan_.as<tile::LoadOp>(load);
      const auto read = coordinates(points, payload->coords, payload->object);
      if (!read) return "a coordinate of a load has no value";
      const bool matters = written->inside || store_.bounds == tile::BoundsPolicy::Assume;
      if (payload->bounds == tile::BoundsPolicy::Zero && matters && !read->inside)
        return fmt::format("{} leaves its object where the store does not", scan_.touch(load));
      if (payload->object == store_.object && read->at != written->at)
        return "the store writes other elements than are read";
    }
    return {};
  }

 private:
  struct Coordinates {
    std::vector<std::int64_t> at;
    bool inside = true;
  };

  template <class Text>
  std::string joined(Text&& text) const {
    std::string line;
    for (OpId load : loads_) line += (line.empty() ? "" : "; ") + text(load);
    return line;
  }

  std::optional<Coordinates> coordinates(const ProgramPoints& points, IdList<tile::IndexId> coords,
                                         tile::ObjectId object) const {
    const auto& extents = program_.object(object).extents;
    Coordinates found;
    for (tile::IndexId coord : program_.list(coords)) {
      const auto at = points.value(coord), extent = points.value(extents[found.at.size()]);
      if (!at || !extent) return std::nullopt;
      found.at.push_back(*at);
      found.inside = found.inside && *at >= 0 && *at < *extent;
    }
    return found;
  }

  void climb(ValueId value) {
    const OpId op = program_.value(value).def;
    if (!op.valid() || !seen_.insert(value).second) return;
    if (scan_.as<tile::RegionOp>(op) != nullptr || scan_.as<tile::IfOp>(op) != nullptr) return;
    if (scan_.as<tile::LoadOp>(op) == nullptr)
      return tile::for_each_operand(program_, program_.op(op).payload, [&](ValueId operand) { climb(operand); });
    if (!program_.value(value).axes.empty()) loads_.insert(op);
  }

  void read_object(OpId load) {
    const tile::ObjectId object = scan_.as<tile::LoadOp>(load)->object;
    if (program_.object(object).kind == tile::ObjectKind::Memory) wrong_ = "explicit memory";
    if (scan_.block_of(load) != scan_.block_of(sink_)) wrong_ = "a load stands elsewhere";
    for (OpId op : scan_.order()) {
      const auto* store = scan_.as<tile::StoreOp>(op);
      if (store == nullptr || !scan_.inside(scan_.launch_of(sink_), op)) continue;
      if (store->object == object && op.index != sink_.index) wrong_ = "the object is written in the launch";
      if (store->object != object && check::placed_by_caller(program_.object(object)) &&
          check::placed_by_caller(program_.object(store->object)))
        needs_promise_ = true;
    }
  }

  void read_axes(OpId load, const Assumptions& assumptions, const MatrixCheckLimits& limits) {
    const auto coords = program_.list(scan_.as<tile::LoadOp>(load)->coords);
    const check::AxisMoves moves(program_, load, coords, assumptions, limits.points, limits.samples);
    std::set<tile::AxisId> stored;
    for (tile::IndexId coord : program_.list(store_.coords))
      for (tile::AxisId axis : program_.index().axes(coord)) stored.insert(axis);
    for (tile::AxisId axis : program_.list(program_.value(scan_.result_of(load)).axes)) {
      if (stored.count(axis) == 0) wrong_ = "an axis that the store has not";
      if (!moves.own_dimension(axis)) wrong_ = "an axis without dimension of its own";
    }
  }

  void read_launch() {
    for (OpId op : scan_.order()) {
      if (!scan_.inside(scan_.launch_of(sink_), op)) continue;
      if (scan_.as<tile::OpaqueOp>(op) != nullptr) wrong_ = "an opaque call in the launch";
      if (scan_.as<tile::BarrierOp>(op) != nullptr) wrong_ = "a barrier in the launch";
    }
  }

  const ProgramScan& scan_;
  const tile::Program& program_;
  OpId sink_;
  const tile::StoreOp& store_;
  std::set<OpId> loads_;
  std::set<ValueId> seen_;
  std::string wrong_;
  bool needs_promise_ = false;
};

}  // namespace

Result<void> check_operands_congruent(const Certificate& certificate, const tile::Program& program,
                                      const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits) {
  const ProgramScan scan(program);
  const auto* store = scan.as<tile::StoreOp>(op);
  if (store == nullptr) return certificate_refused("operation", "expected a store of the program");
  const CongruenceScan found(scan, op, assumptions, limits);
  if (!found.wrong().empty()) return certificate_refused("operation", found.wrong());
  Certificate expected = scan.head(OperandsCongruent::kId, op.index, assumptions);
  if (found.needs_promise()) expected.premises.push_back(check::alias_premise(assumptions));
  expected.fields = {{"sink", scan.touch(op)},
                     {"sink_extents", scan.sizes(store->object)},
                     {"operands", found.operands()},
                     {"extents", found.extents()}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  ProgramPoints points(program, op);
  const std::string wrong = check::fault_at_trial_sizes(program, assumptions, points, limits.points, limits.samples,
                                                        [&] { return found.fault_at(points); });
  return wrong.empty() ? Result<void>() : certificate_refused("statement", wrong);
}

}  // namespace tilewright::proof
