#include "proof/check/check_accumulator.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "proof/check/axis_moves.h"
#include "proof/check/check_fields.h"
#include "proof/check/program_points.h"
#include "proof/output_direct.h"
#include "proof/overwrite_allowed.h"
#include "proof/recurrence_closed.h"

namespace tilewright::proof {

using tile::OpId;
using tile::ValueId;

namespace check {

namespace {

/// The product of the trips of a region, when they are numbers.
std::optional<std::int64_t> counted_trips(const ProgramScan& scan, OpId region) {
  std::int64_t trips = 1;
  for (tile::CoordId id : scan.program().list(scan.as<tile::RegionOp>(region)->coords)) {
    const auto extent = scan.program().index().as_constant(scan.program().coords()[id].extent);
    std::int64_t product = 0;
    if (!extent || __builtin_mul_overflow(trips, std::max<std::int64_t>(*extent, 0), &product)) return std::nullopt;
    trips = product;
  }
  return trips;
}

/// Values of a region that may depend on one of its products, that of one mma left out: what they are made into, by
/// operations, carries, inner regions, branches, and objects that the region stores to.
class ProductTaint {
 public:
  ProductTaint(const ProgramScan& scan, OpId region, OpId but)
      : scan_(scan), program_(scan.program()), region_(region) {
    for (OpId op : scan.order())
      if (scan.inside(region, op)) inside_.push_back(op);
    for (OpId op : inside_)
      if (op != but && scan.as<tile::MmaOp>(op) != nullptr) tainted_.insert(scan.result_of(op));
    has_products_ = !tainted_.empty();
    for (OpId op : inside_)
      if (const auto* load = scan.as<tile::LoadOp>(op); load != nullptr && may_store(load->object))
        tainted_.insert(scan.result_of(op));
    for (std::size_t before = 0; before != tainted_.size();) {
      before = tainted_.size();
      carry(region_);
      for (OpId op : inside_) spread(op);
    }
  }

  /// There is another product, and the value may depend on it.
  bool reaches(ValueId value) const { return has_products_ && tainted_.count(value) != 0; }

 private:
  bool may_store(tile::ObjectId object) const {
    return std::any_of(inside_.begin(), inside_.end(), [&](OpId op) {
      const auto* store = scan_.as<tile::StoreOp>(op);
      return scan_.as<tile::OpaqueOp>(op) != nullptr || (store != nullptr && store->object == object);
    });
  }

  void spread(OpId op) {
    const auto results = program_.list(program_.op(op).results);
    const auto* branch = scan_.as<tile::IfOp>(op);
    if (scan_.as<tile::RegionOp>(op) != nullptr) return carry(op);
    bool any = false;
    tile::for_each_operand(program_, program_.op(op).payload,
                           [&](ValueId value) { any = any || tainted_.count(value) != 0; });
    if (branch != nullptr) {
      any = tainted_.count(branch->condition) != 0;
      pass(program_.list(branch->inits), results);
      for (tile::BlockId block : {branch->then_block, branch->else_block})
        if (block.valid()) pass(program_.list(program_.block(block).yields), results);
    }
    if (any) tainted_.insert(results.begin(), results.end());
  }

  void carry(OpId op) {
    const auto* region = scan_.as<tile::RegionOp>(op);
    const auto arguments = program_.list(program_.block(region->body).args);
    const auto yields = program_.list(program_.block(region->body).yields);
    const auto results = program_.list(program_.op(op).results);
    for (const auto& from : {program_.list(region->inits), yields}) {
      pass(from, arguments);
      pass(from, results);
    }
  }

  void pass(const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
    for (std::size_t j = 0; j < std::min(from.size(), to.size()); ++j)
      if (tainted_.count(from[j]) != 0) tainted_.insert(to[j]);
  }

  const ProgramScan& scan_;
  const tile::Program& program_;
  OpId region_;
  std::vector<OpId> inside_;
  std::set<ValueId> tainted_;
  bool has_products_ = false;
};

bool used_only_by(const std::vector<ScanUse>& uses, OpId op, std::uint32_t position, bool is_yield) {
  return uses.size() == 1 && uses[0].op == op && uses[0].position == position && uses[0].is_yield == is_yield;
}

}  // namespace

std::optional<Accumulator> accumulator_of(const ProgramScan& scan, OpId mma, std::string& wrong) {
  const auto refuse = [&](const char* what) {
    wrong = what;
    return std::nullopt;
  };
  const tile::Program& program = scan.program();
  const OpId owner = scan.owner_of(scan.block_of(mma));
  const auto* region = scan.as<tile::RegionOp>(owner);
  if (region == nullptr || (region->kind != tile::RegionKind::Serial && region->kind != tile::RegionKind::Pipeline))
    return refuse("no serial or pipeline region holds the mma in its body");
  const ValueId next = scan.result_of(mma);
  const auto yields = program.list(program.block(region->body).yields);
  const auto at = std::find(yields.begin(), yields.end(), next);
  if (at == yields.end()) return refuse("the region does not carry the result");
  Accumulator found{owner, mma, static_cast<std::uint32_t>(at - yields.begin()), {}, {}, {}, {}};
  found.init = program.list(region->inits)[found.carry];
  found.argument = program.list(program.block(region->body).args)[found.carry];
  found.result = program.list(program.op(owner).results)[found.carry];
  if (!used_only_by(scan.uses(found.argument), mma, 2, false)) return refuse("the carry has another use");
  if (!used_only_by(scan.uses(next), owner, found.carry, true)) return refuse("the result of the mma has another use");
  const ProductTaint others(scan, owner, mma);
  if (others.reaches(scan.as<tile::MmaOp>(mma)->a) || others.reaches(scan.as<tile::MmaOp>(mma)->b))
    return refuse("an operand may depend on another mma of the region");
  const auto trips = counted_trips(scan, owner);
  found.trips = trips ? fmt::format("{}", *trips) : "at least 1";
  return found;
}

std::string trips_fault(const ProgramScan& scan, OpId region, const Assumptions& assumptions,
                        const MatrixCheckLimits& limits) {
  const tile::Program& program = scan.program();
  ProgramPoints points(program, region);
  const auto coords = program.list(scan.as<tile::RegionOp>(region)->coords);
  const auto trials = trial_sizes(program, assumptions);
  if (trials.empty()) return "no sizes were found that meet the requirements";
  for (const std::vector<std::int64_t>& sizes : trials) {
    points.set_sizes(sizes);
    bool runs = true;
    points.visit(limits.points, limits.samples, [&] {
      for (tile::CoordId id : coords) runs = runs && points.value(program.coords()[id].extent).value_or(0) > 0;
      return runs;
    });
    if (!runs) return "the region may have no iteration";
  }
  return {};
}

}  // namespace check

namespace {

std::unexpected<Diags> not_an_mma() { return certificate_refused("operation", "expected an mma of the program"); }

}  // namespace

Result<void> check_recurrence_closed(const Certificate& certificate, const tile::Program& program,
                                     const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits) {
  const check::ProgramScan scan(program);
  if (scan.as<tile::MmaOp>(op) == nullptr) return not_an_mma();
  std::string wrong;
  const auto found = check::accumulator_of(scan, op, wrong);
  if (!found) return certificate_refused("operation", wrong);
  Certificate expected = scan.head(RecurrenceClosed::kId, op.index, assumptions);
  expected.fields = {{"region", scan.loop(found->region)},
                     {"update", scan.call(found->mma)},
                     {"carry", fmt::format("{}", found->carry)},
                     {"axes", scan.axis_list(found->argument)},
                     {"init", scan.value_name(found->init)},
                     {"result", scan.value_name(found->result)},
                     {"trips", found->trips}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  wrong = check::trips_fault(scan, found->region, assumptions, limits);
  return wrong.empty() ? Result<void>() : certificate_refused("statement", wrong);
}

namespace {

/// The store that the result reaches as it is; none, with `wrong` set.
OpId direct_sink(const check::ProgramScan& scan, const check::Accumulator& found, std::string& wrong) {
  const auto& uses = scan.uses(found.result);
  const auto* store = uses.size() == 1 && !uses[0].is_yield ? scan.as<tile::StoreOp>(uses[0].op) : nullptr;
  if (store == nullptr || scan.block_of(uses[0].op) != scan.block_of(found.region)) {
    wrong = "the result does not go to one store behind the region";
    return {};
  }
  if (scan.program().object(store->object).kind == tile::ObjectKind::Memory) wrong = "the store is to explicit memory";
  if (scan.program().value(found.result).element != tile::kF32) wrong = "the accumulator is no f32 tile";
  return uses[0].op;
}

std::string sink_projection(const check::ProgramScan& scan, const check::Accumulator& found, OpId sink,
                            const check::AxisMoves& moves, std::string& wrong) {
  const tile::Program& program = scan.program();
  const auto coords = program.list(scan.as<tile::StoreOp>(sink)->coords);
  const auto axes = program.list(program.value(found.result).axes);
  for (tile::IndexId coord : coords)
    for (tile::AxisId axis : program.index().axes(coord))
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) wrong = "the store broadcasts";
  std::string text;
  for (tile::AxisId axis : axes) {
    const auto own = moves.own_dimension(axis);
    if (!own) wrong = "an axis has no dimension of its own";
    text += fmt::format("{}{} to dimension {}", text.empty() ? "" : ", ", program.axes()[axis].label, own.value_or(0));
  }
  return text;
}

}  // namespace

Result<void> check_output_direct(const Certificate& certificate, const tile::Program& program,
                                 const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits) {
  const check::ProgramScan scan(program);
  if (scan.as<tile::MmaOp>(op) == nullptr) return not_an_mma();
  std::string wrong;
  const auto found = check::accumulator_of(scan, op, wrong);
  if (!found) return certificate_refused("operation", wrong);
  const auto literal = scan.literal(found->init);
  if (!literal) return certificate_refused("operation", "the initial value is no literal");
  const OpId sink = direct_sink(scan, *found, wrong);
  if (!wrong.empty()) return certificate_refused("operation", wrong);
  const check::AxisMoves moves(program, sink, program.list(scan.as<tile::StoreOp>(sink)->coords), assumptions,
                               limits.points, limits.samples);
  const std::string projection = sink_projection(scan, *found, sink, moves, wrong);
  if (!wrong.empty()) return certificate_refused("operation", wrong);
  Certificate expected = scan.head(OutputDirect::kId, op.index, assumptions);
  expected.fields = {{"update", scan.call(found->mma)},
                     {"region", scan.loop(found->region)},
                     {"axes", scan.axis_list(found->argument)},
                     {"init", check::ProgramScan::number(*literal)},
                     {"result", scan.value_name(found->result)},
                     {"sink", fmt::format("op {} {}", sink.index, scan.touch(sink))},
                     {"projection", projection}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  wrong = check::trips_fault(scan, found->region, assumptions, limits);
  return wrong.empty() ? Result<void>() : certificate_refused("statement", wrong);
}

Result<void> check_overwrite_allowed(const Certificate& certificate, const tile::Program& program,
                                     const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits&) {
  const check::ProgramScan scan(program);
  const auto* mma = scan.as<tile::MmaOp>(op);
  if (mma == nullptr || !mma->reassociate) return not_an_mma();
  ValueId value = mma->c;
  std::string form = "standalone";
  if (!program.value(value).def.valid()) {
    std::string wrong;
    const auto found = check::accumulator_of(scan, op, wrong);
    if (!found || found->trips != "1") return certificate_refused("operation", "expected one iteration " + wrong);
    value = found->init;
    form = "one iteration";
  }
  const auto literal = scan.literal(value);
  if (!literal || literal->bits != 0) return certificate_refused("operation", "expected the accumulator +0");
  Certificate expected = scan.head(OverwriteAllowed::kId, op.index, assumptions);
  expected.fields = {{"mma", scan.call(op)},
                     {"form", form},
                     {"accumulator", scan.value_name(value)},
                     {"literal", check::ProgramScan::number(*literal)}};
  return compare_certificates(certificate, expected);
}

}  // namespace tilewright::proof
