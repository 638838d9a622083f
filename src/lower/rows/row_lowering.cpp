#include "lower/rows/row_lowering.h"

#include "realize/row_reduction_facts.h"
#include "realize/row_reduction_maps.h"
#include "support/result.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;
using kernel::CompareKind;
using kernel::WorkerQuery;

RowLowering::RowLowering(const proof::Subject& subject, const realize::RowReductionWorkload& workload,
                         const plan::LaunchPlan& plan, kernel::Builder& builder,
                         std::map<ObjectId, ObjectPlace>& objects)
    : subject_(subject),
      program_(subject.program),
      workload_(workload),
      plan_(plan),
      mapping_(plan.rows->mapping),
      b_(builder),
      slots_(builder),
      index_(program_, builder),
      accesses_(program_, builder, index_),
      forms_(subject, workload),
      elements_(program_, forms_, builder, slots_, index_, accesses_, objects) {}

Result<void> RowLowering::run(const std::string& name) {
  const RegionOp& launch = region(subject_.walk.launches[plan_.launch]);
  TW_TRY(const ProgramWalk walk, program_walk(program_, launch, plan_));
  TW_CHECK(!walk.is_permuted() && walk.programs() == workload_.programs);
  std::vector<kernel::ValueId> at;
  if (mapping_.programs_per_group > 1) {
    at = begin_packed(name, walk);
  } else {
    const auto workers = static_cast<std::int32_t>(mapping_.workers());
    at = b_.begin_kernel(name, walk.task_extents(), {workers, static_cast<std::int32_t>(realize::kSubgroupSize)});
  }
  find_workers();
  const std::vector<CoordId> coords = program_.list(launch.coords);
  coords_ = coords;
  coordinates_ = at;
  set_coordinates(coordinates_);
  number_partials();
  if (mapping_.cache_inputs) place_cached_inputs();
  lower_block(launch.body);
  b_.end_kernel();
  return {};
}

/// A subgroup without a program of its own runs the last one again.
std::vector<kernel::ValueId> RowLowering::begin_packed(const std::string& name, const ProgramWalk& walk) {
  const std::int64_t packed = mapping_.programs_per_group;
  const auto subgroup = static_cast<std::int32_t>(realize::kSubgroupSize);
  const std::int64_t groups = realize::row_program_map(walk.programs(), packed).map.inputs[0];
  const auto task = b_.begin_kernel(name, {groups}, {subgroup * static_cast<std::int32_t>(packed), subgroup});
  const kernel::ValueId first = b_.mul(task.front(), packed);
  kernel::ValueId program = b_.add(first, b_.worker(WorkerQuery::Subgroup));
  if (walk.programs() % packed != 0) {
    own_program_ = b_.compare(CompareKind::Lt, program, b_.const_i64(walk.programs()));
    own_coordinates_ = walk.coordinates_of_ordinal(b_, program);
    program = b_.binary(BinaryKind::Min, program, b_.const_i64(walk.programs() - 1));
  }
  return walk.coordinates_of_ordinal(b_, program);
}

void RowLowering::set_coordinates(const std::vector<kernel::ValueId>& at) {
  for (std::size_t d = 0; d < coords_.size(); ++d) index_.set_coord(coords_[d], at[d]);
}

/// What a spare subgroup computed of another program goes nowhere; its place is that of a program that is not there, so
/// that no two subgroups have one.
void RowLowering::store_element(OpId id, const StoreOp& op, const Point& at) {
  if (!own_program_.valid()) return elements_.store(id, op, at, {});
  if (elements_.access(id).place->empty()) return;
  const kernel::ValueId stored = elements_.element(op.value, at);
  set_coordinates(own_coordinates_);
  elements_.store_value(id, at, stored, own_program_);
  set_coordinates(coordinates_);
}

void RowLowering::find_workers() {
  lane_ = b_.worker(WorkerQuery::Lane);
  worker_ = shares_programs() ? b_.worker(WorkerQuery::Worker) : lane_;
  if (shares_programs()) subgroup_ = b_.worker(WorkerQuery::Subgroup);
}

void RowLowering::lower_block(BlockId block) {
  for (OpId op : program_.block(block).ops) lower_op(op);
}

void RowLowering::lower_op(OpId id) {
  const Op& op = program_.op(id);
  if (std::holds_alternative<RegionOp>(op.payload))
    return workload_.joint_loops.contains(id) ? lower_joint(id) : lower_stepped(id);
  cache_at(id);
  if (const realize::RowSweep* sweep = sweep_at(id)) return lower_sweep(*sweep);
  for (ValueId value : program_.list(op.results)) lower_row_value(value);
}

void RowLowering::lower_row_value(ValueId value) {
  if (subject_.uses.of(value).empty() || elements_.is_inline(value)) return;
  define_rows(value, [&](const Point& at) { return elements_.result_element(value, at); });
}

void RowLowering::define_rows(ValueId value, const std::function<kernel::ValueId(const Point&)>& element) {
  if (forms_.form(value) == ValueForm::Scalar) {
    Point origin;
    for (AxisId axis : elements_.axes(value)) origin.set(axis, b_.const_i64(0));
    elements_.nest(std::vector<AxisId>{}, origin, [&](const Point& at) { elements_.set_scalar(value, element(at)); });
    return;
  }
  const std::vector<AxisId> axes = elements_.axes(value);
  const SlotId slot = row_slot(elements_.type(value), axes, program_.value(value).name);
  const auto strides = elements_.dense_strides(axes);
  elements_.nest(axes, {}, [&](const Point& at) { elements_.store_to(slot, strides, at, element(at)); });
  elements_.set_slot(value, slot);
}

SlotId RowLowering::row_slot(kernel::ScalarType type, const std::vector<AxisId>& axes, const std::string& name) {
  return slots_.take(type, forms_.points(axes), kernel::AllocationSpace::Private, name);
}

Result<void> lower_row_reduction(const proof::Subject& subject, const plan::LaunchPlan& plan, const std::string& name,
                                 kernel::Builder& builder, std::map<ObjectId, ObjectPlace>& objects) {
  const realize::RowReductionFacts facts = realize::row_reduction_facts(subject, plan.launch);
  const auto* workload = std::get_if<realize::RowReductionWorkload>(&facts);
  TW_CHECK(workload != nullptr && plan.rows.has_value());
  return RowLowering(subject, *workload, plan, builder, objects).run(name);
}

}  // namespace tilewright::lower
