#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "proof/check/axis_moves.h"
#include "proof/check/check_fields.h"
#include "proof/check/check_matrix.h"
#include "proof/check/program_points.h"
#include "proof/check/program_scan.h"
#include "proof/extent_bounded.h"
#include "proof/load_forwardable.h"
#include "tile/printer.h"

namespace tilewright::proof {

using check::ProgramPoints;
using check::ProgramScan;
using tile::OpId;
using tile::ValueId;

namespace {

/// A load that its consumers may replace, as the scan sees it.
class ForwardScan {
 public:
  ForwardScan(const ProgramScan& scan, OpId load, const Assumptions& assumptions)
      : scan_(scan), program_(scan.program()), load_(load), assumptions_(assumptions) {
    const auto* payload = scan.as<tile::LoadOp>(load);
    read_source(*payload);
    read_fallback(*payload);
    std::vector<ValueId> round{scan.result_of(load)};
    for (; wrong_.empty() && !round.empty(); ++rounds_) round = read_round(round);
  }

  const std::string& wrong() const { return wrong_; }
  const std::string& consumers() const { return consumers_; }
  int rounds() const { return rounds_; }
  const std::string& outside() const { return outside_; }
  std::size_t launch() const { return launch_; }
  /// The premise about aliasing, when the immutability rests on it.
  std::optional<Premise> promise() const {
    if (!needs_promise_) return std::nullopt;
    return check::alias_premise(assumptions_);
  }

 private:
  void read_source(const tile::LoadOp& load) {
    const OpId launch = scan_.launch_of(load_);
    for (OpId op : scan_.order())
      if (!scan_.owner_of(scan_.block_of(op)).valid() && op.index != launch.index &&
          scan_.as<tile::RegionOp>(op) != nullptr && is_before(op, launch))
        ++launch_;
    const tile::Object& object = program_.object(load.object);
    if (object.kind == tile::ObjectKind::Memory) wrong_ = "explicit memory";
    for (OpId op : scan_.order()) {
      if (!scan_.inside(launch, op)) continue;
      if (scan_.as<tile::OpaqueOp>(op) != nullptr) wrong_ = "an opaque call in the launch";
      if (scan_.as<tile::BarrierOp>(op) != nullptr) wrong_ = "a barrier in the launch";
      const auto* store = scan_.as<tile::StoreOp>(op);
      if (store == nullptr) continue;
      if (store->object == load.object) wrong_ = "the object is written in the launch";
      if (store->object != load.object && check::placed_by_caller(object) &&
          check::placed_by_caller(program_.object(store->object)))
        needs_promise_ = true;
    }
    if (needs_promise_ && !assumptions_.aliasing.holds()) wrong_ = "an overlapping buffer may be written";
  }

  bool is_before(OpId a, OpId b) const {
    const auto& order = scan_.order();
    return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
  }

  void read_fallback(const tile::LoadOp& load) {
    outside_ = load.bounds == tile::BoundsPolicy::Zero ? "+0" : "none";
    if (load.bounds != tile::BoundsPolicy::Zero || !load.fallback.valid()) return;
    const auto literal = scan_.literal(load.fallback);
    if (!literal || literal->bits != 0) wrong_ = "elements outside are not +0";
  }

  std::vector<ValueId> read_round(const std::vector<ValueId>& round) {
    std::vector<ValueId> next;
    for (ValueId value : round) {
      if (scan_.uses(value).empty()) wrong_ = "a value without use";
      for (const check::ScanUse& use : scan_.uses(value)) read_use(use, next);
    }
    return next;
  }

  void read_use(const check::ScanUse& use, std::vector<ValueId>& next) {
    const auto* mma = use.is_yield ? nullptr : scan_.as<tile::MmaOp>(use.op);
    const auto* relabel = use.is_yield ? nullptr : scan_.as<tile::ReindexOp>(use.op);
    if (mma != nullptr && (use.position > 1 || !mma->reassociate)) wrong_ = "no operand of a reassociable mma";
    if (relabel != nullptr && !is_relabelling(*relabel, use.op)) wrong_ = "a reindex that is no relabelling";
    if (mma == nullptr && relabel == nullptr) wrong_ = "another use";
    if (scan_.branches_around(use.op) > scan_.branches_around(load_)) wrong_ = "a consumer in a branch";
    if (!wrong_.empty()) return;
    if (relabel != nullptr) next.push_back(scan_.result_of(use.op));
    consumers_ += fmt::format("{}op {} {} operand {}", consumers_.empty() ? "" : ", ", use.op.index,
                              mma != nullptr ? "mma" : "reindex", use.position);
  }

  bool is_relabelling(const tile::ReindexOp& reindex, OpId op) const {
    std::vector<tile::AxisId> to;
    const auto from = program_.list(program_.value(reindex.operand).axes);
    for (tile::IndexId coord : program_.list(reindex.coords)) {
      const tile::IndexNode& node = program_.index()[coord];
      if (node.kind != tile::IndexKind::Axis) return false;
      if (std::find(to.begin(), to.end(), node.axis()) != to.end()) return false;
      if (program_.axes()[node.axis()].extent != program_.axes()[from.at(to.size())].extent) return false;
      to.push_back(node.axis());
    }
    return to.size() == program_.list(program_.value(scan_.result_of(op)).axes).size();
  }

  const ProgramScan& scan_;
  const tile::Program& program_;
  OpId load_;
  const Assumptions& assumptions_;
  std::string wrong_, consumers_, outside_;
  bool needs_promise_ = false;
  std::size_t launch_ = 0;
  int rounds_ = 0;
};

}  // namespace

Result<void> check_load_forwardable(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits&) {
  const ProgramScan scan(program);
  if (scan.as<tile::LoadOp>(op) == nullptr) return certificate_refused("operation", "expected a load of the program");
  const ForwardScan found(scan, op, assumptions);
  if (!found.wrong().empty()) return certificate_refused("operation", found.wrong());
  Certificate expected = scan.head(LoadForwardable::kId, op.index, assumptions);
  if (const auto promise = found.promise()) expected.premises.push_back(*promise);
  expected.fields = {{"access", scan.touch(op)},
                     {"launch", fmt::format("{}", found.launch())},
                     {"outside", found.outside()},
                     {"consumers", found.consumers()},
                     {"rounds", fmt::format("{}", found.rounds())}};
  return compare_certificates(certificate, expected);
}

namespace {

/// The two loads of an mma and the axes that they share with it.
class ExtentScan {
 public:
  ExtentScan(const ProgramScan& scan, OpId mma, const Assumptions& assumptions, bool prefix,
             const MatrixCheckLimits& limits)
      : scan_(scan), program_(scan.program()), mma_(mma), assumptions_(assumptions), prefix_(prefix), limits_(limits) {}

  Result<Certificate> expected(std::string_view family) {
    const auto* mma = scan_.as<tile::MmaOp>(mma_);
    if (mma == nullptr) return certificate_refused("operation", "expected an mma of the program");
    const auto a = axes_of(mma->a), b = axes_of(mma->b), c = axes_of(mma->c);
    const auto in = [](const std::vector<tile::AxisId>& list, tile::AxisId axis) {
      return std::find(list.begin(), list.end(), axis) != list.end();
    };
    const bool rank2 = a.size() == 2 && b.size() == 2 && c.size() == 2;
    if (!rank2) return certificate_refused("operation", "expected tiles of rank 2");
    const bool first = in(b, a[0]);
    step_ = a[first ? 0 : 1];
    row_ = a[first ? 1 : 0];
    column_ = b[b[0] == step_ ? 1 : 0];
    if (!in(b, step_) || in(c, step_) || in(b, row_) || !in(c, row_) || !in(c, column_) || in(a, column_))
      return certificate_refused("operation", "expected one row, one column and one contraction axis");
    Certificate certificate = scan_.head(family, mma_.index, assumptions_);
    TW_TRY_VOID(read(mma->a, row_, loads_[0], certificate));
    TW_TRY_VOID(read(mma->b, column_, loads_[1], certificate));
    certificate.fields = {{"mma", scan_.call(mma_)},
                          {"axes", fmt::format("row {}, column {}, contraction {} in {}", label(row_), label(column_),
                                               label(step_), text(program_.axes()[step_].extent))},
                          {"a", load_line(loads_[0], row_)},
                          {"a_extents", scan_.sizes(loads_[0].object)},
                          {"b", load_line(loads_[1], column_)},
                          {"b_extents", scan_.sizes(loads_[1].object)},
                          {"a_length", length_line(loads_[0])},
                          {"b_length", length_line(loads_[1])}};
    return certificate;
  }

  /// Empty, or what fails at a point of one of the loads.
  std::string fault() {
    const auto trials = check::trial_sizes(program_, assumptions_);
    if (trials.empty()) return "no sizes were found that meet the requirements";
    bool to_compare = false, compared = false;
    for (const std::vector<std::int64_t>& sizes : trials) {
      // A product without rows, columns or steps takes nothing from either operand.
      const bool both = has_points(loads_[0], sizes) && has_points(loads_[1], sizes);
      to_compare = to_compare || both;
      for (const Load& load : loads_) {
        std::string wrong;
        const auto coverage = visit(load, sizes, [&](const ProgramPoints& points) {
          wrong = origin_fault_at(points, load);
          if (wrong.empty() && both) wrong = length_fault_at(points, compared);
          return wrong.empty();
        });
        if (coverage == ProgramPoints::Coverage::Valueless) wrong = "an extent of the domain has no value";
        if (!wrong.empty()) return wrong;
      }
    }
    return compared || !to_compare ? std::string() : "the lengths could not be compared";
  }

 private:
  struct Load {
    OpId op;
    tile::ObjectId object;
    std::vector<tile::IndexId> coords, extents;
    std::size_t step = 0, outer = 0;     ///< dimensions of the object
    tile::AxisId step_axis, outer_axis;  ///< as the load names them
  };

  std::vector<tile::AxisId> axes_of(ValueId value) const { return program_.list(program_.value(value).axes); }
  std::string text(tile::IndexId id) const { return tile::print_index(program_, id); }
  std::string label(tile::AxisId axis) const { return program_.axes()[axis].label; }

  std::string load_line(const Load& load, tile::AxisId outer) const {
    std::string line = scan_.touch(load.op);
    const char* between = " relabelled ";
    if (load.outer_axis != outer) line += between + label(load.outer_axis) + ": " + label(outer), between = ", ";
    if (load.step_axis != step_) line += between + label(load.step_axis) + ": " + label(step_);
    return line;
  }

  std::string length_line(const Load& load) const {
    return fmt::format("{} - ({} at {} = 0)", text(load.extents[load.step]), text(load.coords[load.step]),
                       label(load.step_axis));
  }

  Result<void> read(ValueId value, tile::AxisId outer, Load& load, Certificate& certificate) const {
    tile::AxisId step_axis = step_, outer_axis = outer;
    // Each axis of a relabelling stands alone in the coordinate of the operand's axis that it renames.
    while (const auto* relabel = scan_.made_by<tile::ReindexOp>(value)) {
      const auto coords = program_.list(relabel->coords);
      const auto renamed = [&](tile::AxisId axis) {
        std::size_t at = 0;
        while (at < coords.size() && !is_axis(coords[at], axis)) ++at;
        return at < coords.size() ? axes_of(relabel->operand)[at] : tile::AxisId{};
      };
      step_axis = renamed(step_axis);
      outer_axis = renamed(outer_axis);
      if (!step_axis.valid() || !outer_axis.valid()) break;
      value = relabel->operand;
    }
    const OpId op = program_.value(value).def;
    const auto* payload = scan_.as<tile::LoadOp>(op);
    if (payload == nullptr) return certificate_refused("operation", "expected operands that are loads");
    const ForwardScan forward(scan_, op, assumptions_);
    if (!forward.wrong().empty()) return certificate_refused("operation", forward.wrong());
    const auto promise = forward.promise();
    if (promise &&
        std::find(certificate.premises.begin(), certificate.premises.end(), *promise) == certificate.premises.end())
      certificate.premises.push_back(*promise);
    if (payload->bounds != tile::BoundsPolicy::Zero) return certificate_refused("operation", "expected bounds");
    load = {op,        payload->object, program_.list(payload->coords), program_.object(payload->object).extents, 0, 0,
            step_axis, outer_axis};
    const check::AxisMoves moves(program_, op, load.coords, assumptions_, limits_.points, limits_.samples);
    const auto step = moves.own_dimension(step_axis), other = moves.own_dimension(outer_axis);
    if (!step || !other) return certificate_refused("operation", "expected axes with dimensions of their own");
    load.step = *step;
    load.outer = *other;
    return {};
  }

  template <class F>
  ProgramPoints::Coverage visit(const Load& load, const std::vector<std::int64_t>& sizes, F&& f) const {
    ProgramPoints points(program_, load.op);
    points.set_sizes(sizes);
    return points.visit(limits_.points, limits_.samples, [&] { return f(std::as_const(points)); });
  }

  bool has_points(const Load& load, const std::vector<std::int64_t>& sizes) const {
    return visit(load, sizes, [](const ProgramPoints&) { return false; }) == ProgramPoints::Coverage::Stopped;
  }

  std::string origin_fault_at(const ProgramPoints& points, const Load& load) const {
    for (std::size_t d = 0; d < load.coords.size(); ++d) {
      const auto at = points.value(load.coords[d]), extent = points.value(load.extents[d]);
      const auto step = points.axis(load.step_axis), outer = points.axis(load.outer_axis);
      if (!at || !extent || !step || !outer) return "a coordinate has no value";
      const std::int64_t origin = *at - (d == load.step ? *step : d == load.outer && prefix_ ? *outer : 0);
      const bool open_above = d == load.outer && prefix_;
      if (origin < 0 || (!open_above && origin >= *extent)) return text(load.coords[d]) + " leaves its object";
    }
    return {};
  }

  std::string length_fault_at(const ProgramPoints& points, bool& compared) const {
    const auto a = length_at(points, loads_[0]), b = length_at(points, loads_[1]);
    compared = compared || (a && b);
    return a && b && *a != *b ? "the operands do not end at the same step" : std::string();
  }

  std::optional<std::int64_t> length_at(const ProgramPoints& points, const Load& load) const {
    const auto origin = points.value(load.coords[load.step], load.step_axis, 0);
    const auto extent = points.value(load.extents[load.step]);
    return origin && extent ? std::optional(*extent - *origin) : std::nullopt;
  }

  bool is_axis(tile::IndexId expr, tile::AxisId axis) const {
    return program_.index()[expr].kind == tile::IndexKind::Axis && program_.index()[expr].axis() == axis;
  }

  const ProgramScan& scan_;
  const tile::Program& program_;
  OpId mma_;
  const Assumptions& assumptions_;
  bool prefix_;
  const MatrixCheckLimits& limits_;
  tile::AxisId step_, row_, column_;
  Load loads_[2];
};

Result<void> check_extent(std::string_view family, bool prefix, const Certificate& certificate,
                          const tile::Program& program, const Assumptions& assumptions, OpId op,
                          const MatrixCheckLimits& limits) {
  const ProgramScan scan(program);
  ExtentScan extents(scan, op, assumptions, prefix, limits);
  const auto expected = extents.expected(family);
  if (!expected) return std::unexpected(expected.error());
  TW_TRY_VOID(compare_certificates(certificate, *expected));
  const std::string wrong = extents.fault();
  return wrong.empty() ? Result<void>() : certificate_refused("statement", wrong);
}

}  // namespace

Result<void> check_extent_bounded_k(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits) {
  return check_extent(ExtentBoundedK::kId, false, certificate, program, assumptions, op, limits);
}

Result<void> check_extent_bounded_mn(const Certificate& certificate, const tile::Program& program,
                                     const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits) {
  return check_extent(ExtentBoundedMn::kId, true, certificate, program, assumptions, op, limits);
}

}  // namespace tilewright::proof
