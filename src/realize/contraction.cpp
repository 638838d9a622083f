#include "realize/contraction.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/affine.h"
#include "analysis/roles.h"
#include "proof/question_text.h"
#include "proof/store_cover.h"
#include "realize/admission.h"
#include "realize/materialization.h"
#include "realize/mma_form.h"
#include "realize/view_forwarding.h"
#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::realize {

using analysis::AffineForm;
using analysis::Leaf;
using tile::AxisId;
using tile::CoordId;
using tile::IndexId;
using tile::OpId;
using tile::ValueId;

namespace {

using Codes = ContractionCodes;
using Fault = std::optional<Refusal>;

/// One value of it for each element, from values of that element: what may stand between accumulator and output.
bool is_elementwise(const tile::Program& program, const tile::OpPayload& payload) {
  return std::visit(tile::Overloaded{
                        [](const tile::ConstantOp&) { return true; },
                        [](const tile::IndexValueOp&) { return true; },
                        [](const tile::UnaryOp&) { return true; },
                        [](const tile::BinaryOp&) { return true; },
                        [](const tile::SelectOp&) { return true; },
                        [](const tile::CastOp&) { return true; },
                        [](const tile::BroadcastOp&) { return true; },
                        [](const tile::LoadOp&) { return true; },
                        [&](const tile::ReindexOp& op) { return program.list(op.coords).empty(); },
                        [](const auto&) { return false; },
                    },
                    payload);
}

class ContractionFinder {
 public:
  ContractionFinder(const proof::Subject& subject, std::uint32_t launch, const sets::Context& context)
      : subject_(subject), program_(subject.program), context_(context) {
    made_.launch = launch;
    root_ = subject.walk.launches[launch];
  }

  std::expected<Contraction, Refusal> run() {
    for (Fault (ContractionFinder::*step)() :
         {&ContractionFinder::find_product, &ContractionFinder::find_accumulator, &ContractionFinder::look_at_the_rest,
          &ContractionFinder::join_output, &ContractionFinder::find_operands, &ContractionFinder::join_depth,
          &ContractionFinder::check_reads, &ContractionFinder::prove_covers})
      if (Fault fault = (this->*step)()) return std::unexpected(std::move(*fault));
    return std::move(made_);
  }

 private:
  static Refusal refused(std::string_view code, std::string reason, OpId op = {},
                         std::vector<NamedNumber> numbers = {}) {
    return Refusal{code, std::move(reason), std::move(numbers), op};
  }
  std::int64_t extent(AxisId axis) const { return axis.valid() ? tile::bound_extent(program_, axis) : 1; }
  std::int64_t extent(CoordId coord) const {
    return coord.valid() ? program_.index().as_constant(program_.coords()[coord].extent).value_or(-1) : 1;
  }
  const std::string& label(AxisId axis) const { return program_.axes()[axis].label; }
  DataType type(ValueId value) const { return program_.value(value).element.data; }
  const tile::RegionOp& region(OpId op) const { return std::get<tile::RegionOp>(program_.op(op).payload); }

  // ---- The product
  // ---------------------------------------------------------------------------------------------------

  Fault find_product() {
    if (shared_scope(subject_, made_.launch).valid())
      return refused(Codes::kFixedScope, "the program says who runs a region");
    for (OpId op : subject_.walk.order) {
      if (subject_.walk.places[op].launch != made_.launch || analysis::as_mma(program_, op) == nullptr) continue;
      if (made_.mma.valid()) return refused(Codes::kNoProduct, "the launch has several products", op);
      made_.mma = op;
    }
    if (!made_.mma.valid()) return refused(Codes::kNoProduct, "the launch has no product");
    const tile::MmaOp& mma = *analysis::as_mma(program_, made_.mma);
    made_.may_reassociate = mma.reassociate;
    const DataType a = type(mma.a), b = type(mma.b), c = type(mma.c);
    if (!is_float(a) || !is_float(b) || c != DataType::F32)
      return refused(Codes::kElementTypes,
                     fmt::format("{} x {} onto {}", data_type_name(a), data_type_name(b), data_type_name(c)),
                     made_.mma);
    const analysis::MmaRoles roles = analysis::mma_roles(program_, made_.mma);
    for (AxisId axis : roles.batch)
      if (extent(axis) != 1) return refused(Codes::kSeveralAxes, "a batch axis " + label(axis), made_.mma);
    if (Fault fault = one_axis(roles.rows, made_.row)) return fault;
    if (Fault fault = one_axis(roles.columns, made_.column)) return fault;
    return one_axis(roles.contraction, made_.depth);
  }

  Fault one_axis(const std::vector<AxisId>& role, JointAxis& joint) {
    for (AxisId axis : role) {
      if (extent(axis) == 1 && joint.axis.valid()) continue;
      if (joint.axis.valid() && joint.tile != 1)
        return refused(Codes::kSeveralAxes, fmt::format("axes {} and {}", label(joint.axis), label(axis)), made_.mma);
      joint.axis = axis;
      joint.tile = extent(axis);
    }
    joint.extent = joint.tile;
    if (joint.tile > 0) return std::nullopt;
    return refused(Codes::kEmpty, "an axis of the product has no point", made_.mma);
  }

  Fault find_accumulator() {
    const tile::MmaOp& mma = *analysis::as_mma(program_, made_.mma);
    const analysis::Nest& nest = subject_.walk.nest(made_.mma);
    if (!nest.branches.empty()) return refused(Codes::kNotAlone, "the product stands in a branch", made_.mma);
    made_.initial = mma.c;
    made_.result = program_.list(program_.op(made_.mma).results)[0];
    if (nest.regions.size() == 1) return std::nullopt;
    const auto verdict = proof::prove_recurrence_closed(subject_, made_.mma);
    note(verdict, made_.mma, "is the whole update of a carry");
    const auto* proved = std::get_if<proof::Proved<proof::RecurrenceClosed>>(&verdict);
    const auto carry = proof::carry_of_mma(subject_, made_.mma);
    if (nest.regions.size() != 2 || proved == nullptr || !carry)
      return refused(Codes::kRecurrence, "the product is not the whole update of one loop's carry", made_.mma);
    made_.closed = *proved;
    made_.region = carry->recurrence->region;
    const tile::RegionOp& loop = region(made_.region);
    if (program_.list(loop.inits).size() != 1 || program_.list(loop.coords).size() != 1)
      return refused(Codes::kRecurrence, "the loop has other carries, or several domains", made_.region);
    made_.initial = carry->carry->init;
    made_.result = carry->carry->result;
    made_.depth.coord = program_.list(loop.coords)[0];
    if (extent(made_.depth.coord) > 0) return std::nullopt;
    return refused(Codes::kRecurrence, "the trips of the loop are no constant above 0", made_.region);
  }

  /// Beside the product there is only scalar work on single elements, and stores.
  Fault look_at_the_rest() {
    for (OpId op : subject_.walk.order) {
      if (op == root_ || op == made_.region || op == made_.mma) continue;
      if (subject_.walk.places[op].launch != made_.launch) continue;
      const tile::Op& node = program_.op(op);
      for (ValueId value : program_.list(node.results))
        if (program_.value(value).placement != tile::MemorySpace::Auto)
          return refused(Codes::kPlaced, "the program says where a tile lies", op);
      if (std::holds_alternative<tile::StageCutOp>(node.payload)) continue;
      const bool in_loop = made_.region.valid() && subject_.walk.encloses(made_.region, op);
      if (in_loop) continue;  // operands: find_operands looks at them, and nothing else leaves a closed loop
      if (std::holds_alternative<tile::StoreOp>(node.payload)) {
        if (subject_.walk.places[op].block != region(root_).body)
          return refused(Codes::kNotAlone, "a store stands in a branch", op);
        made_.stores.push_back(op);
        continue;
      }
      if (std::holds_alternative<tile::IfOp>(node.payload) || is_operand(op)) continue;
      if (!is_elementwise(program_, node.payload))
        return refused(Codes::kNotAlone, "this is no work on single elements", op);
    }
    if (made_.stores.empty()) return refused(Codes::kNotAlone, "the launch stores nothing");
    return in_loop_are_only_operands();
  }

  bool is_operand(OpId op) const {
    const OperandLoads loads = operand_loads(program_, *analysis::as_mma(program_, made_.mma));
    for (std::size_t side = 0; side < 2; ++side)
      for (ValueId value : loads.chain[side])
        if (program_.value(value).def == op) return true;
    return false;
  }

  Fault in_loop_are_only_operands() const {
    for (OpId op : subject_.walk.order) {
      if (!made_.region.valid() || !subject_.walk.encloses(made_.region, op) || op == made_.mma) continue;
      if (std::holds_alternative<tile::StageCutOp>(program_.op(op).payload) || is_operand(op)) continue;
      return refused(Codes::kNotAlone, "the loop holds more than the product and its operands", op);
    }
    return std::nullopt;
  }

  // ---- Joint axes
  // ----------------------------------------------------------------------------------------------------

  /// The form is coefficient * (coord * tile + axis) and something without either; the coefficient is returned.
  std::optional<std::int64_t> joint_coefficient(const AffineForm& form, const JointAxis& joint) const {
    if (!joint.axis.valid() && !joint.coord.valid()) return 0;
    const std::int64_t of_axis = joint.axis.valid() ? form.coefficient(Leaf::of(joint.axis)) : 0;
    const std::int64_t of_coord = joint.coord.valid() ? form.coefficient(Leaf::of(joint.coord)) : 0;
    for (const analysis::Term& term : form.terms)
      if (term.factors.size() > 1)
        for (const Leaf& leaf : term.factors)
          if ((joint.axis.valid() && leaf == Leaf::of(joint.axis)) ||
              (joint.coord.valid() && leaf == Leaf::of(joint.coord)))
            return std::nullopt;
    if (joint.tile == 1 && joint.coord.valid()) return of_coord;
    const auto expected = checked_mul(of_axis, joint.tile);
    if (joint.coord.valid() && (!expected || *expected != of_coord)) return std::nullopt;
    return of_axis;
  }

  /// The coordinate that continues the axis in the outputs.
  Fault join_output() {
    const analysis::Access& store = *subject_.accesses.of(made_.stores.front());
    for (JointAxis* joint : {&made_.row, &made_.column})
      if (joint->axis.valid())
        if (Fault fault = join(*joint, store)) return fault;
    for (CoordId coord : program_.list(region(root_).coords)) {
      if (coord == made_.row.coord || coord == made_.column.coord) continue;
      made_.batches.push_back(coord);
      const auto count = checked_mul(made_.batch_count, extent(coord));
      if (!count || extent(coord) < 0) return refused(Codes::kEmpty, "the batches have no number");
      made_.batch_count = *count;
    }
    if (made_.batch_count == 0 || made_.row.extent == 0 || made_.column.extent == 0)
      return refused(Codes::kEmpty, "the launch has no element");
    return std::nullopt;
  }

  Fault join(JointAxis& joint, const analysis::Access& store) {
    const auto dimension = dimension_of(store, joint);
    if (!dimension)
      return refused(Codes::kNotJoint, fmt::format("axis {} moves no dimension of the output", label(joint.axis)),
                     store.op);
    const analysis::AccessDimension& along = store.dimensions[*dimension];
    for (CoordId coord : program_.list(region(root_).coords))
      if (along.form->coefficient(Leaf::of(coord)) != 0 && !joint.coord.valid()) joint.coord = coord;
    const auto coefficient = joint_coefficient(*along.form, joint);
    const std::int64_t programs = extent(joint.coord);
    const auto points = checked_mul(programs, joint.tile);
    if (coefficient != 1 || !is_joint_alone(*along.form, joint) || programs < 0 || !points || !along.constant_extent)
      return refused(Codes::kNotJoint,
                     fmt::format("the output is not cut into tiles of {} along {}", joint.tile, label(joint.axis)),
                     store.op, {{"tile", joint.tile}});
    joint.extent = store.bounds == tile::BoundsPolicy::Assume ? *points : std::min(*points, *along.constant_extent);
    return std::nullopt;
  }

  /// The first dimension with the axis, or with a coordinate alone where the axis has one point.
  std::optional<std::size_t> dimension_of(const analysis::Access& access, const JointAxis& joint) const {
    for (std::size_t d = 0; d < access.dimensions.size(); ++d) {
      const auto& form = access.dimensions[d].form;
      if (!form) continue;
      const bool by_axis = joint.axis.valid() && form->coefficient(Leaf::of(joint.axis)) != 0;
      const bool by_coord = joint.coord.valid() && form->coefficient(Leaf::of(joint.coord)) != 0;
      if (by_axis || by_coord) return d;
    }
    return std::nullopt;
  }

  /// Nothing in the form but the joint axis.
  static bool is_joint_alone(const AffineForm& form, const JointAxis& joint) {
    if (form.constant != 0) return false;
    return std::ranges::all_of(form.terms, [&](const analysis::Term& term) {
      return term.factors.size() == 1 && ((joint.axis.valid() && term.factors[0] == Leaf::of(joint.axis)) ||
                                          (joint.coord.valid() && term.factors[0] == Leaf::of(joint.coord)));
    });
  }

  // ---- Operands
  // ------------------------------------------------------------------------------------------------------

  Fault find_operands() {
    const OperandLoads loads = operand_loads(program_, *analysis::as_mma(program_, made_.mma));
    for (std::size_t side = 0; side < 2; ++side) {
      ContractionOperand& operand = side == 0 ? made_.a : made_.b;
      operand.load = loads.load[side];
      if (!operand.load.valid())
        return refused(Codes::kOperand, fmt::format("operand {} is computed", side == 0 ? "a" : "b"), made_.mma);
      const auto verdict = proof::prove_load_forwardable(subject_, operand.load);
      note(verdict, operand.load, "may be read where it lies");
      const auto* proved = std::get_if<proof::Proved<proof::LoadForwardable>>(&verdict);
      if (proved == nullptr) return refused(Codes::kOperand, "the operand may not be read where it lies", operand.load);
      made_.forwardable.push_back(*proved);
      operand.outer = side == 0 ? made_.row : made_.column;
      operand.depth = made_.depth;
      for (JointAxis* joint : {&operand.outer, &operand.depth})
        if (joint->axis.valid()) joint->axis = axis_behind(program_, loads.chain[side], joint->axis);
      if (Fault fault = place_operand(operand)) return fault;
    }
    return std::nullopt;
  }

  Fault place_operand(ContractionOperand& operand) {
    const analysis::Access& load = *subject_.accesses.of(operand.load);
    for (std::size_t d = 0; d < load.dimensions.size(); ++d) {
      const analysis::AccessDimension& dimension = load.dimensions[d];
      if (!depends_on_joint(dimension, operand)) {
        if (Fault fault = inside_always(load, dimension)) return fault;
        continue;
      }
      if (!dimension.form || !dimension.constant_extent)
        return refused(Codes::kNotJoint, "a coordinate of an operand has no affine form", operand.load);
      const auto outer = joint_coefficient(*dimension.form, operand.outer);
      const auto depth = joint_coefficient(*dimension.form, operand.depth);
      const bool by_outer = outer == 1 && depth == 0 && is_joint_alone(*dimension.form, operand.outer);
      const bool by_depth = depth == 1 && outer == 0 && is_joint_alone(*dimension.form, operand.depth);
      std::optional<std::size_t>& place = by_outer ? operand.outer_dimension : operand.depth_dimension;
      if (by_outer == by_depth || place)
        return refused(Codes::kNotJoint, "the tiles of an operand do not make one matrix", operand.load);
      place = d;
    }
    const bool has_outer = operand.outer.axis.valid() && operand.outer.extent > 1;
    if (has_outer && operand.outer_dimension && load.bounds != tile::BoundsPolicy::Assume &&
        *load.dimensions[*operand.outer_dimension].constant_extent < operand.outer.extent)
      return refused(Codes::kOperandEnds, "an operand ends before the output does", operand.load);
    return std::nullopt;
  }

  bool depends_on_joint(const analysis::AccessDimension& dimension, const ContractionOperand& operand) const {
    const std::vector<AxisId> axes = program_.index().axes(dimension.expr);
    const std::vector<CoordId> coords = program_.index().coords(dimension.expr);
    const auto has = [](const auto& list, auto id) { return id.valid() && std::ranges::find(list, id) != list.end(); };
    return has(axes, operand.outer.axis) || has(axes, operand.depth.axis) || has(coords, made_.row.coord) ||
           has(coords, made_.column.coord) || has(coords, made_.depth.coord);
  }

  Fault inside_always(const analysis::Access& load, const analysis::AccessDimension& dimension) const {
    if (load.bounds == tile::BoundsPolicy::Assume) return std::nullopt;
    const auto range = analysis::over_range_of(program_, dimension.expr, subject_.ranges);
    if (range && dimension.constant_extent && range->low >= 0 && range->high < *dimension.constant_extent)
      return std::nullopt;
    return refused(Codes::kOperandEnds, "a batch of an operand may lie outside of it", load.op);
  }

  /// Both operands end at the same depth.
  Fault join_depth() {
    const auto points = checked_mul(extent(made_.depth.coord), made_.depth.tile);
    if (!points) return refused(Codes::kEmpty, "the depth does not fit 64 bits");
    const auto end_of = [&](const ContractionOperand& operand) {
      const analysis::Access& load = *subject_.accesses.of(operand.load);
      if (!operand.depth_dimension || load.bounds == tile::BoundsPolicy::Assume) return *points;
      return std::min(*points, *load.dimensions[*operand.depth_dimension].constant_extent);
    };
    const std::int64_t a = end_of(made_.a), b = end_of(made_.b);
    if (a != b)
      return refused(Codes::kOperandEnds, fmt::format("one operand ends at depth {}, the other at {}", a, b), made_.mma,
                     {{"a", a}, {"b", b}});
    if (a == 0) return refused(Codes::kEmpty, "the operands have no depth", made_.mma);
    made_.depth.extent = a;
    made_.a.depth.extent = made_.b.depth.extent = a;
    return std::nullopt;
  }

  // ---- What else is read and stored
  // ----------------------------------------------------------------------------------

  Fault check_reads() {
    std::set<tile::ObjectId> stored;
    for (OpId store : made_.stores)
      if (!stored.insert(subject_.accesses.of(store)->object).second)
        return refused(Codes::kNotAlone, "two stores go to one object", store);
    for (OpId op : subject_.walk.order) {
      if (subject_.walk.places[op].launch != made_.launch || op == made_.a.load || op == made_.b.load) continue;
      const tile::OpPayload& payload = program_.op(op).payload;
      if (const auto* index = std::get_if<tile::IndexValueOp>(&payload)) {
        if (Fault fault = check_joint(index->expr, op)) return fault;
      }
      const analysis::Access* access = subject_.accesses.of(op);
      if (access == nullptr) continue;
      for (const analysis::AccessDimension& dimension : access->dimensions)
        if (Fault fault = check_joint(dimension.expr, op)) return fault;
      if (!access->is_store)
        if (Fault fault = check_source(*access)) return fault;
    }
    return std::nullopt;
  }

  /// The index depends on joint points as a whole, and on the depth not at all.
  Fault check_joint(IndexId expr, OpId op) const {
    const std::vector<AxisId> axes = program_.index().axes(expr);
    for (AxisId axis : axes)
      if (axis != made_.row.axis && axis != made_.column.axis && extent(axis) != 1)
        return refused(Codes::kNotJoint, fmt::format("axis {} is none of the output", label(axis)), op);
    const auto form = analysis::affine_form(program_, expr, subject_.ranges);
    if (!form) {
      const std::vector<CoordId> coords = program_.index().coords(expr);
      const auto is_joint = [&](CoordId coord) { return coord == made_.row.coord || coord == made_.column.coord; };
      if (axes.empty() && std::ranges::none_of(coords, is_joint)) return std::nullopt;
      return refused(Codes::kNotJoint, "an index has no affine form", op);
    }
    for (const JointAxis* joint : {&made_.row, &made_.column}) {
      const auto coefficient = joint_coefficient(*form, *joint);
      const bool has_axis = std::ranges::find(axes, joint->axis) != axes.end();
      if (!coefficient || (*coefficient != 0 && !has_axis))
        return refused(Codes::kNotJoint, "an index depends on how the output is cut into tiles", op);
    }
    return std::nullopt;
  }

  /// The object is not written in the launch, or by the store of the very element.
  Fault check_source(const analysis::Access& load) const {
    for (OpId op : made_.stores) {
      const analysis::Access& store = *subject_.accesses.of(op);
      if (!analysis::may_alias(program_, load.object, store.object, subject_.assumptions.aliasing)) continue;
      bool same = load.object == store.object && surely_before(load.op, op);
      for (std::size_t d = 0; same && d < load.dimensions.size(); ++d)
        same = load.dimensions[d].form && store.dimensions[d].form &&
               *load.dimensions[d].form == *store.dimensions[d].form;
      if (!same)
        return refused(Codes::kSourceWritten,
                       fmt::format("{} is read, and the launch writes it elsewhere", program_.object(load.object).name),
                       load.op);
    }
    return std::nullopt;
  }
  bool surely_before(OpId a, OpId b) const { return subject_.walk.places[a].order < subject_.walk.places[b].order; }

  /// Every store has the rows and columns of the first.
  Fault check_extents(OpId op) const {
    const analysis::Access& store = *subject_.accesses.of(op);
    for (const JointAxis* joint : {&made_.row, &made_.column}) {
      JointAxis own = *joint;
      if (!joint->axis.valid()) continue;
      const auto dimension = dimension_of(store, own);
      const auto& along = dimension ? store.dimensions[*dimension] : store.dimensions.front();
      const std::int64_t points = extent(own.coord) * own.tile;
      const bool is_same = dimension && along.form && joint_coefficient(*along.form, own) == 1 &&
                           is_joint_alone(*along.form, own) &&
                           std::min(points, along.constant_extent.value_or(-1)) == joint->extent;
      if (!is_same) return refused(Codes::kNotJoint, "the outputs do not have the same rows and columns", op);
    }
    return std::nullopt;
  }

  Fault prove_covers() {
    for (OpId store : made_.stores) {
      if (Fault fault = check_extents(store)) return fault;
      const auto verdict = proof::prove_store_cover(subject_, store, context_);
      note(verdict, store, "writes every element once");
      const auto* proved = std::get_if<proof::Proved<proof::MapExactCover>>(&verdict);
      if (proved == nullptr)
        return refused(Codes::kNotCovered, "the store is not proved to write each element once", store);
      made_.covers.push_back(*proved);
    }
    return std::nullopt;
  }

  template <class Family>
  void note(const proof::Verdict<Family>& verdict, OpId op, std::string_view what) {
    made_.findings.push_back(proof::finding_of(verdict, op.index, proof::question_about(subject_, op, what),
                                               proof::common_premises(subject_)));
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  const sets::Context& context_;
  OpId root_;
  Contraction made_;
};

}  // namespace

std::expected<Contraction, Refusal> contraction(const proof::Subject& subject, std::uint32_t launch,
                                                const sets::Context& context) {
  return ContractionFinder(subject, launch, context).run();
}

}  // namespace tilewright::realize
