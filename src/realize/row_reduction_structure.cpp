// The structure of a launch: what may not be there, the roles of its axes, and which loops are joint.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "analysis/uses.h"
#include "realize/row_reduction_internal.h"
#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::realize {

using tile::AxisId;
using tile::OpId;
using tile::ReduceOp;
using tile::RegionKind;
using tile::RegionOp;
using tile::ValueId;

namespace {

/// Counts above this are refused, so that every product of a few of them fits 64 bits.
constexpr std::int64_t kMostRowCount = std::int64_t{1} << 40;

std::unexpected<Refusal> refuse(std::string_view code, OpId op, std::string reason,
                                std::vector<NamedNumber> numbers = {}) {
  return std::unexpected(Refusal{code, std::move(reason), std::move(numbers), op});
}

std::optional<tile::BinaryKind> binary_of(tile::FoldKind fold) {
  switch (fold) {
    case tile::FoldKind::Add:
      return tile::BinaryKind::Add;
    case tile::FoldKind::Max:
      return tile::BinaryKind::Max;
    case tile::FoldKind::Min:
      return tile::BinaryKind::Min;
  }
  return std::nullopt;
}

class StructureScan {
 public:
  StructureScan(const proof::Subject& subject, std::uint32_t launch, const RowReductionRules& rules)
      : subject_(subject), program_(subject.program), rules_(rules) {
    found_.subject = &subject;
    found_.launch = launch;
  }

  RowResult<RowStructure> run() {
    const OpId launch = subject_.walk.launches[found_.launch];
    for (OpId op : subject_.walk.order)
      if (op != launch && subject_.walk.places[op].launch == found_.launch) found_.ops.push_back(op);
    // A matrix product is told first: it has a family of its own, whatever else stands around it.
    for (OpId op : found_.ops)
      if (std::holds_alternative<tile::MmaOp>(program_.op(op).payload))
        return refuse(RowCodes::kMatrixProduct, op, "this launch holds a matrix product");
    if (auto ok = check_kind(launch); !ok) return std::unexpected(ok.error());
    for (OpId op : found_.ops)
      if (auto ok = check_kind(op); !ok) return std::unexpected(ok.error());
    if (auto ok = count_programs(launch); !ok) return std::unexpected(ok.error());
    if (auto ok = find_axes(launch); !ok) return std::unexpected(ok.error());
    if (auto ok = find_loops(); !ok) return std::unexpected(ok.error());
    for (OpId op : found_.ops)
      if (auto ok = check_elements(op); !ok) return std::unexpected(ok.error());
    return std::move(found_);
  }

 private:
  using Check = RowResult<void>;

  std::string object_name(tile::ObjectId object) const { return program_.object(object).name; }

  /// What no program of the family holds.
  Check check_kind(OpId op) const {
    using Code = RowCodes;
    for (ValueId value : program_.list(program_.op(op).results))
      if (program_.value(value).placement != tile::MemorySpace::Auto)
        return refuse(Code::kFixedPlacement, op, "the author fixed where this tile lives");
    return std::visit(
        tile::Overloaded{
            [&](const RegionOp& region) { return check_region(op, region); },
            [&](const ReduceOp& reduce) { return check_reduce(op, reduce); },
            [&](const tile::OpaqueOp&) -> Check {
              return refuse(Code::kOpaqueCall, op, "nobody knows what an opaque call does");
            },
            [&](const tile::BarrierOp&) -> Check {
              return refuse(Code::kAuthorBarrier, op, "the author asked for a barrier");
            },
            [&](const tile::MemoryOp& memory) -> Check {
              return refuse(Code::kExplicitMemory, op, object_name(memory.object) + " is explicit memory");
            },
            [&](const tile::IfOp&) -> Check {
              return refuse(Code::kBranch, op, "loads of a branch not taken do not happen, and workers may part there");
            },
            [](const auto&) -> Check { return {}; },
        },
        program_.op(op).payload);
  }

  Check check_region(OpId op, const RegionOp& region) const {
    const bool is_launch = op == subject_.walk.launches[found_.launch];
    if (region.scope != tile::Scope::Auto)
      return refuse(RowCodes::kFixedScope, op, "the author fixed who executes this region");
    if (region.kind == RegionKind::Parallel && !is_launch)
      return refuse(RowCodes::kNestedParallel, op, "a parallel region inside of the launch");
    if (region.kind == RegionKind::Reduce && region.order != tile::FoldOrder::UnorderedTree)
      return refuse(RowCodes::kFoldOrdered, op, "this reduce region is not unordered_tree");
    for (tile::CoordId coord : program_.list(region.coords))
      if (!program_.index().as_constant(program_.coords()[coord].extent))
        return refuse(RowCodes::kLoopNotStatic, op,
                      fmt::format("the extent of {} is not a constant", program_.coords()[coord].name));
    return {};
  }

  Check check_reduce(OpId op, const ReduceOp& reduce) const {
    const ValueId result = program_.list(program_.op(op).results)[0];
    if (program_.value(result).element.data != DataType::F32)
      return refuse(RowCodes::kFoldNotF32, op, "this fold is not in f32");
    if (reduce.order != tile::FoldOrder::UnorderedTree)
      return refuse(RowCodes::kFoldOrdered, op, "this fold is not unordered_tree");
    return {};
  }

  /// Extents of a region, none below 0, and their product.
  RowResult<RowLoop> loop_of(OpId op) const {
    RowLoop loop;
    loop.coords = program_.list(std::get<RegionOp>(program_.op(op).payload).coords);
    for (tile::CoordId coord : loop.coords) {
      const std::int64_t extent = *program_.index().as_constant(program_.coords()[coord].extent);
      loop.extents.push_back(std::max<std::int64_t>(extent, 0));
      const auto product = checked_mul(loop.iterations, loop.extents.back());
      if (!product || *product > kMostRowCount)
        return refuse(RowCodes::kTooLarge, op, fmt::format("more than {} iterations", kMostRowCount),
                      {{"most", kMostRowCount}});
      loop.iterations = *product;
    }
    return loop;
  }

  Check count_programs(OpId launch) {
    const auto loop = loop_of(launch);
    if (!loop) return std::unexpected(loop.error());
    found_.programs = loop->iterations;
    if (found_.programs == 0) return refuse(RowCodes::kNoPrograms, launch, "the launch has no program");
    return {};
  }

  Check find_axes(OpId launch) {
    for (OpId op : found_.ops) {
      const auto* reduce = std::get_if<ReduceOp>(&program_.op(op).payload);
      const auto* region = std::get_if<RegionOp>(&program_.op(op).payload);
      if (reduce != nullptr) found_.folded_axes.insert(reduce->axis);
      if (reduce == nullptr && (region == nullptr || region->kind != RegionKind::Reduce)) continue;
      for (ValueId result : program_.list(program_.op(op).results)) {
        const auto axes = program_.list(program_.value(result).axes);
        found_.row_axes.insert(axes.begin(), axes.end());
        has_fold_ = true;
      }
    }
    if (!has_fold_) return refuse(RowCodes::kNoFold, launch, "nothing is folded");
    for (OpId op : found_.ops)
      if (const auto* reduce = std::get_if<ReduceOp>(&program_.op(op).payload);
          reduce != nullptr && found_.row_axes.contains(reduce->axis))
        return refuse(RowCodes::kRowIsFolded, op,
                      fmt::format("axis {} is folded here and is an axis of the result of another fold",
                                  program_.axes()[reduce->axis].label));
    return {};
  }

  Check find_loops() {
    for (OpId op : found_.ops) {
      const auto* region = std::get_if<RegionOp>(&program_.op(op).payload);
      if (region == nullptr) continue;
      auto loop = loop_of(op);
      if (!loop) return std::unexpected(loop.error());
      decide_mode(op, *region, *loop);
      if (loop->iterations == 0 && holds_fold(*region))
        return refuse(RowCodes::kNoElements, op, "this loop has no iteration", {{"iterations", 0}});
      found_.loops.emplace(op, std::move(*loop));
    }
    return {};
  }

  /// The region folds, or a reduce operation stands in its body at any depth.
  bool holds_fold(const RegionOp& region) const {
    if (region.kind == RegionKind::Reduce && !region.inits.empty()) return true;
    for (OpId op : program_.block(region.body).ops) {
      const tile::OpPayload& payload = program_.op(op).payload;
      if (std::holds_alternative<ReduceOp>(payload)) return true;
      if (const auto* inner = std::get_if<RegionOp>(&payload); inner != nullptr && holds_fold(*inner)) return true;
    }
    return false;
  }

  /// Joint: no region inside, and every carry takes in a fold of the body, is folded by the region itself, or stays as
  /// it is; no other fold stands in the body.
  void decide_mode(OpId op, const RegionOp& region, RowLoop& loop) const {
    const tile::Block& body = program_.block(region.body);
    std::set<OpId> folds;
    for (OpId inner : body.ops) {
      if (std::holds_alternative<RegionOp>(program_.op(inner).payload)) return;
      if (std::holds_alternative<ReduceOp>(program_.op(inner).payload)) folds.insert(inner);
    }
    const auto yields = program_.list(body.yields);
    for (std::uint32_t carry = 0; carry < yields.size(); ++carry) {
      const auto fold = merged_fold(region, carry);
      if (fold && folds.contains(*fold))
        loop.merged.insert(*fold);
      else if (region.kind == RegionKind::Reduce && folds_iterations(op, region, carry))
        loop.direct.insert(carry);
      else if (!stays(region, carry))
        return;
    }
    loop.is_joint = loop.merged.size() == folds.size();
  }

  bool stays(const RegionOp& region, std::uint32_t carry) const {
    const auto args = program_.list(program_.block(region.body).args);
    return region.kind != RegionKind::Reduce && program_.list(program_.block(region.body).yields)[carry] == args[carry];
  }

  /// A fold that the author lets us take in any order together with the carry.
  bool may_merge(tile::FoldKind kind) const { return kind != tile::FoldKind::Add || rules_.merge_sums; }

  /// The reduce operation that carry takes in: `carry = carry op fold(tile)`, or the contribution of a reduce region.
  std::optional<OpId> merged_fold(const RegionOp& region, std::uint32_t carry) const {
    const ValueId yield = program_.list(program_.block(region.body).yields)[carry];
    if (region.kind == RegionKind::Reduce) return fold_defining(yield, region.fold(carry));
    const OpId update = program_.value(yield).def;
    const auto* binary = update.valid() ? std::get_if<tile::BinaryOp>(&program_.op(update).payload) : nullptr;
    const ValueId argument = program_.list(program_.block(region.body).args)[carry];
    if (binary == nullptr || !subject_.uses.single_use(yield) || !subject_.uses.single_use(argument))
      return std::nullopt;
    const ValueId other = binary->lhs == argument ? binary->rhs : binary->lhs;
    if (binary->lhs != argument && binary->rhs != argument) return std::nullopt;
    for (tile::FoldKind kind : {tile::FoldKind::Add, tile::FoldKind::Max, tile::FoldKind::Min})
      if (binary_of(kind) == binary->kind) return fold_defining(other, kind);
    return std::nullopt;
  }

  /// The reduce operation of this kind that defines a value which has no other use.
  std::optional<OpId> fold_defining(ValueId value, tile::FoldKind kind) const {
    const OpId def = program_.value(value).def;
    const auto* reduce = def.valid() ? std::get_if<ReduceOp>(&program_.op(def).payload) : nullptr;
    if (reduce == nullptr || reduce->kind != kind || !may_merge(kind) || !subject_.uses.single_use(value))
      return std::nullopt;
    return def;
  }

  /// The region itself folds: its contributions are in f32 and need no other fold.
  bool folds_iterations(OpId op, const RegionOp& region, std::uint32_t carry) const {
    const ValueId yield = program_.list(program_.block(region.body).yields)[carry];
    if (program_.value(yield).element.data != DataType::F32) return false;
    const auto sources = analysis::pure_sources_of(program_, subject_.uses, yield);
    return std::none_of(sources.ops.begin(), sources.ops.end(), [&](OpId source) {
      return std::holds_alternative<ReduceOp>(program_.op(source).payload) && subject_.walk.encloses(op, source);
    });
  }

  std::size_t element_axes(const std::vector<AxisId>& axes) const {
    return static_cast<std::size_t>(
        std::count_if(axes.begin(), axes.end(), [&](AxisId axis) { return found_.element_axis({axis}).valid(); }));
  }

  Check check_elements(OpId op) const {
    std::vector<ValueId> values = program_.list(program_.op(op).results);
    if (const auto* region = std::get_if<RegionOp>(&program_.op(op).payload))
      for (ValueId argument : program_.list(program_.block(region->body).args)) {
        if (found_.element_axis(argument).valid())
          return refuse(RowCodes::kCarryHasElements, op,
                        fmt::format("the carry {} has the element axis {}", program_.value(argument).name,
                                    program_.axes()[found_.element_axis(argument)].label));
        values.push_back(argument);
      }
    const auto refuse_axes = [&] {
      return refuse(RowCodes::kSeveralElements, op, "more than one axis here is the row of no fold");
    };
    for (ValueId value : values)
      if (element_axes(program_.list(program_.value(value).axes)) > 1) return refuse_axes();
    if (std::holds_alternative<tile::StoreOp>(program_.op(op).payload) &&
        element_axes(analysis::own_axes(program_, op)) > 1)
      return refuse_axes();
    return {};
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  RowReductionRules rules_;
  RowStructure found_;
  bool has_fold_ = false;
};

}  // namespace

std::int64_t RowStructure::extent(AxisId axis) const { return tile::bound_extent(program(), axis); }

AxisId RowStructure::element_axis(const std::vector<AxisId>& axes) const {
  for (AxisId axis : axes)
    if (!row_axes.contains(axis) && (extent(axis) != 1 || folded_axes.contains(axis))) return axis;
  return {};
}

AxisId RowStructure::element_axis(ValueId value) const {
  return element_axis(program().list(program().value(value).axes));
}

std::int64_t RowStructure::rows_of(const std::vector<AxisId>& axes) const {
  std::int64_t rows = 1;
  // Tiles are limited at binding, so that the product of their extents fits.
  for (AxisId axis : axes)
    if (row_axes.contains(axis)) rows *= extent(axis);
  return rows;
}

OpId RowStructure::joint_loop_of(OpId op) const {
  const auto& regions = subject->walk.nest(op).regions;
  if (regions.empty()) return {};
  const auto loop = loops.find(regions.back().region);
  return loop != loops.end() && loop->second.is_joint ? loop->first : OpId{};
}

std::vector<OpId> RowStructure::stepped_loops_of(OpId op) const {
  std::vector<OpId> stepped;
  for (const analysis::NestRegion& region : subject->walk.nest(op).regions)
    if (const auto loop = loops.find(region.region); loop != loops.end() && !loop->second.is_joint)
      stepped.push_back(region.region);
  return stepped;
}

std::int64_t RowStructure::executions_of(OpId op) const {
  std::int64_t executions = 1;
  for (OpId loop : stepped_loops_of(op)) {
    const auto product = checked_mul(executions, loops.at(loop).iterations);
    if (!product) return std::numeric_limits<std::int64_t>::max();  // refused where the sweeps are counted
    executions = *product;
  }
  return executions;
}

RowSpan RowStructure::span_of(OpId op, AxisId axis) const {
  const OpId joint = joint_loop_of(op);
  return {joint.valid() ? loops.at(joint).iterations : 1, axis.valid() ? extent(axis) : 1};
}

RowResult<RowStructure> scan_row_structure(const proof::Subject& subject, std::uint32_t launch,
                                           const RowReductionRules& rules) {
  return StructureScan(subject, launch, rules).run();
}

}  // namespace tilewright::realize
