#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "proof/check/axis_moves.h"
#include "proof/check/check_accumulator.h"
#include "proof/check/check_fields.h"
#include "proof/check/check_matrix.h"
#include "proof/check/program_points.h"
#include "proof/check/program_scan.h"
#include "proof/epilogue_same_owner.h"
#include "proof/store_bounded_prefix.h"
#include "tile/printer.h"

namespace tilewright::proof {

using check::ProgramPoints;
using check::ProgramScan;
using tile::OpId;
using tile::ValueId;

namespace {

/// Everything between an accumulator and a store, found from the store up.
class EpilogueScan {
 public:
  EpilogueScan(const ProgramScan& scan, OpId sink) : scan_(scan), program_(scan.program()), sink_(sink) {
    climb(scan.as<tile::StoreOp>(sink)->value);
    if (wrong_.empty() && !accumulator_.valid()) wrong_ = "no result of a region reaches the store";
    if (!wrong_.empty()) return;
    read_shapes();
    read_uses();
  }

  const std::string& wrong() const { return wrong_; }
  ValueId accumulator() const { return accumulator_; }
  std::string producers() const {
    std::string text;
    for (OpId op : producers_)
      if (scan_.as<tile::ConstantOp>(op) == nullptr)
        text += fmt::format("{}op {} {}", text.empty() ? "" : ", ", op.index, scan_.call(op));
    return text.empty() ? "none" : text;
  }
  /// Values that are read beside the accumulator, by name; empty for none.
  std::string operands() const {
    std::set<std::string> names;
    for (ValueId value : operands_) names.insert(scan_.value_name(value));
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

 private:
  bool is_operand(ValueId value, OpId op) const {
    if (op.valid() && scan_.as<tile::LoadOp>(op) != nullptr) return true;
    const bool made = op.valid() && scan_.as<tile::RegionOp>(op) == nullptr && scan_.as<tile::IfOp>(op) == nullptr;
    return program_.value(value).axes.empty() && !made;
  }

  /// Operands before users, in the order of the operands.
  void climb(ValueId value) {
    const OpId op = program_.value(value).def;
    if (is_operand(value, op)) {
      operands_.insert(value);
      if (!program_.value(value).axes.empty() && !is_float(program_.value(value).element.data))
        wrong_ = "an operand that is no float in memory";
      return;
    }
    if (!op.valid()) wrong_ = "a value of a region reaches the store";
    if (!op.valid() || std::find(producers_.begin(), producers_.end(), op) != producers_.end()) return;
    if (scan_.as<tile::RegionOp>(op) != nullptr) {
      if (accumulator_.valid() && accumulator_ != value) wrong_ = "a second accumulator reaches the store";
      accumulator_ = value;
      return;
    }
    const bool elementwise = scan_.as<tile::UnaryOp>(op) != nullptr || scan_.as<tile::BinaryOp>(op) != nullptr ||
                             scan_.as<tile::SelectOp>(op) != nullptr || scan_.as<tile::CastOp>(op) != nullptr ||
                             scan_.as<tile::ConstantOp>(op) != nullptr || scan_.literal(value).has_value();
    if (!elementwise) {
      wrong_ = "no elementwise operation: " + scan_.call(op);
      return;
    }
    tile::for_each_operand(program_, program_.op(op).payload, [&](ValueId operand) { climb(operand); });
    producers_.push_back(op);
  }

  std::set<tile::AxisId> axes_of(ValueId value) const {
    const auto axes = program_.list(program_.value(value).axes);
    return {axes.begin(), axes.end()};
  }

  static bool is_float(DataType type) {
    return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16;
  }
  /// Numbers are in no fragment.
  bool is_kept(ValueId value) const {
    const DataType type = program_.value(value).element.data;
    return program_.value(value).axes.empty() || is_float(type) || type == DataType::Bool;
  }

  void read_shapes() {
    const auto full = axes_of(accumulator_);
    std::set<ValueId> varying{accumulator_};
    std::size_t count = 0;
    for (OpId op : producers_) {
      bool varies = false;
      tile::for_each_operand(program_, program_.op(op).payload,
                             [&](ValueId operand) { varies = varies || varying.count(operand) != 0; });
      const auto axes = axes_of(scan_.result_of(op));
      if (varies) varying.insert(scan_.result_of(op));
      if (varies && axes != full) wrong_ = "other axes";
      for (tile::AxisId axis : axes)
        if (full.count(axis) == 0) wrong_ = "other axes";
      if (!is_kept(scan_.result_of(op))) wrong_ = "elements that fragments do not hold";
      count += scan_.as<tile::ConstantOp>(op) == nullptr;
    }
    if (count > kMostProducers) wrong_ = "too many operations";
    std::set<tile::AxisId> stored;
    const auto* store = scan_.as<tile::StoreOp>(sink_);
    for (tile::IndexId coord : program_.list(store->coords))
      for (tile::AxisId axis : program_.index().axes(coord)) stored.insert(axis);
    if (stored != full) wrong_ = "the store has other axes";
    if (program_.object(store->object).kind == tile::ObjectKind::Memory) wrong_ = "the store is to explicit memory";
    if (!is_float(program_.object(store->object).element.data)) wrong_ = "the output holds no floats";
  }

  /// Whatever reads the accumulator, or what is made of it, is one of the producers or the sink.
  void read_uses() {
    std::vector<ValueId> values{accumulator_};
    std::set<ValueId> varying{accumulator_};
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const check::ScanUse& use : scan_.uses(values[i])) {
        if (!use.is_yield && use.op == sink_) continue;
        if (use.is_yield || std::find(producers_.begin(), producers_.end(), use.op) == producers_.end())
          wrong_ = "another use";
        else if (varying.insert(scan_.result_of(use.op)).second)
          values.push_back(scan_.result_of(use.op));
      }
    if (scan_.block_of(program_.value(accumulator_).def) != scan_.block_of(sink_)) wrong_ = "the store is elsewhere";
  }

  const ProgramScan& scan_;
  const tile::Program& program_;
  OpId sink_;
  ValueId accumulator_;
  std::vector<OpId> producers_;
  std::set<ValueId> operands_;
  std::string wrong_;
};

/// The mma whose result is the next value of the carry that ends as `result`; none for another next value.
OpId update_of(const ProgramScan& scan, ValueId result) {
  const tile::Program& program = scan.program();
  const OpId region = program.value(result).def;
  const auto results = program.list(program.op(region).results);
  const auto yields = program.list(program.block(scan.as<tile::RegionOp>(region)->body).yields);
  const ValueId next =
      yields.at(static_cast<std::size_t>(std::find(results.begin(), results.end(), result) - results.begin()));
  return scan.made_by<tile::MmaOp>(next) != nullptr ? program.value(next).def : OpId{};
}

}  // namespace

Result<void> check_epilogue_same_owner(const Certificate& certificate, const tile::Program& program,
                                       const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits) {
  const ProgramScan scan(program);
  if (scan.as<tile::StoreOp>(op) == nullptr) return certificate_refused("operation", "expected a store of the program");
  const EpilogueScan found(scan, op);
  if (!found.wrong().empty()) return certificate_refused("operation", found.wrong());
  const OpId mma = update_of(scan, found.accumulator());
  std::string wrong = "the accumulator is no update by an mma";
  const auto accumulator = mma.valid() ? check::accumulator_of(scan, mma, wrong) : std::nullopt;
  if (!accumulator || accumulator->result != found.accumulator()) return certificate_refused("operation", wrong);
  Certificate expected = scan.head(EpilogueSameOwner::kId, op.index, assumptions);
  expected.fields = {{"accumulator", scan.value_name(found.accumulator())},
                     {"update", fmt::format("op {} {}", mma.index, scan.call(mma))},
                     {"axes", scan.axis_list(found.accumulator())},
                     {"producers", found.producers()},
                     {"sink", scan.touch(op)}};
  if (const std::string operands = found.operands(); !operands.empty())
    expected.fields.push_back({"operands", operands});
  TW_TRY_VOID(compare_certificates(certificate, expected));
  wrong = check::trips_fault(scan, accumulator->region, assumptions, limits);
  return wrong.empty() ? Result<void>() : certificate_refused("statement", wrong);
}

namespace {

class PrefixScan {
 public:
  PrefixScan(const ProgramScan& scan, OpId op, const check::AxisMoves& moves)
      : program_(scan.program()),
        coords_(program_.list(scan.as<tile::StoreOp>(op)->coords)),
        object_(scan.as<tile::StoreOp>(op)->object) {
    for (std::size_t d = 0; d < coords_.size(); ++d) {
      const auto axis = moves.unit_axis(d);
      if (axis ? moves.own_dimension(*axis) != d : !moves.stays(d)) wrong_ = "an axis without dimension of its own";
      axes_.push_back(axis.value_or(tile::AxisId{}));
    }
  }

  const std::string& wrong() const { return wrong_; }
  std::string text(tile::IndexId id) const { return tile::print_index(program_, id); }
  const std::vector<tile::IndexId>& extents() const { return program_.object(object_).extents; }

  std::string lengths() const {
    std::string line;
    for (std::size_t d = 0; d < coords_.size(); ++d) {
      if (!axes_[d].valid()) continue;
      const tile::Axis& axis = program_.axes()[axes_[d]];
      line += fmt::format("{}{}: clamp({} - ({} at {} = 0), 0, {})", line.empty() ? "" : ", ", axis.label,
                          text(extents()[d]), text(coords_[d]), axis.label, text(axis.extent));
    }
    return line.empty() ? "none" : line;
  }

  /// At the current point: inside exactly when every axis is below the length of its prefix.
  std::string fault_at(const ProgramPoints& points) const {
    bool inside = true, in_prefix = true;
    for (std::size_t d = 0; d < coords_.size(); ++d) {
      const auto at = points.value(coords_[d]), extent = points.value(extents()[d]);
      if (!at || !extent) return "a coordinate has no value";
      inside = inside && *at >= 0 && *at < *extent;
      if (!axes_[d].valid()) {
        if (*at < 0 || *at >= *extent) return text(coords_[d]) + " leaves its object";
        continue;
      }
      const auto axis = points.axis(axes_[d]), tile = points.value(program_.axes()[axes_[d]].extent);
      if (!axis || !tile) return "an axis has no value";
      const std::int64_t origin = *at - *axis;
      if (origin < 0) return "an origin is below 0";
      in_prefix = in_prefix && *axis < std::clamp<std::int64_t>(*extent - origin, 0, *tile);
    }
    return inside == in_prefix ? std::string() : "what is inside is no prefix";
  }

 private:
  const tile::Program& program_;
  std::vector<tile::IndexId> coords_;
  tile::ObjectId object_;
  std::vector<tile::AxisId> axes_;
  std::string wrong_;
};

}  // namespace

Result<void> check_store_bounded_prefix(const Certificate& certificate, const tile::Program& program,
                                        const Assumptions& assumptions, tile::OpId op,
                                        const MatrixCheckLimits& limits) {
  const ProgramScan scan(program);
  const auto* store = scan.as<tile::StoreOp>(op);
  if (store == nullptr || store->bounds != tile::BoundsPolicy::Zero)
    return certificate_refused("operation", "expected a store with bounds");
  const check::AxisMoves moves(program, op, program.list(store->coords), assumptions, limits.points, limits.samples);
  const PrefixScan found(scan, op, moves);
  if (!found.wrong().empty()) return certificate_refused("operation", found.wrong());
  ProgramPoints points(program, op);
  Certificate expected = scan.head(StoreBoundedPrefix::kId, op.index, assumptions);
  bool open = false;
  for (tile::IndexId extent : found.extents()) {
    const auto number = program.index().as_constant(extent);
    open = open || !number;
    if (number && *number > 2147483647) return certificate_refused("operation", "an extent leaves int32");
  }
  if (open)
    expected.premises.push_back({Guarantor::Launch, fmt::format("every extent of {} is at most 2147483647",
                                                                program.object(store->object).name)});
  expected.fields = {{"access", scan.touch(op)},
                     {"extents", scan.sizes(store->object)},
                     {"domain", scan.domain(points)},
                     {"lengths", found.lengths()}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  const std::string wrong = check::fault_at_trial_sizes(program, assumptions, points, limits.points, limits.samples,
                                                        [&] { return found.fault_at(points); });
  return wrong.empty() ? Result<void>() : certificate_refused("statement", wrong);
}

}  // namespace tilewright::proof
