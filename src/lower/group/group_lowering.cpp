#include "lower/group/group_lowering.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "support/result.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

Result<void> check_group(const proof::Subject& subject, const plan::LaunchPlan& launch) {
  const Program& program = subject.program;
  Diags faults;
  const auto refuse = [&](OpId op, std::string message, std::string hint) {
    const LocationId location = program.op(op).location;
    faults.push_back(Diag{DiagCode::Unsupported,
                          std::move(message),
                          location.valid() ? program.place(location) : SourcePlace{},
                          std::move(hint),
                          {}});
  };
  for (OpId op : subject.walk.order) {
    if (subject.walk.places[op].launch != launch.launch) continue;
    const OpPayload& payload = program.op(op).payload;
    if (const auto* opaque = std::get_if<OpaqueOp>(&payload))
      refuse(op, fmt::format("a group cannot make the opaque call '{}'", program.opaque_symbols()[opaque->symbol]),
             "write what it does as tile operations");
    if (const auto* memory = std::get_if<MemoryOp>(&payload);
        memory != nullptr && program.object(memory->object).space == MemorySpace::Private)
      refuse(op,
             fmt::format("memory '{}' is private to a worker, and a group shares the program",
                         program.object(memory->object).name),
             "make it shared, or leave the placement out");
    for (ValueId result : program.list(program.op(op).results))
      if (program.value(result).placement == MemorySpace::Private)
        refuse(
            op,
            fmt::format("tile '{}' is private to a worker, and a group shares the program", program.value(result).name),
            "make it shared, or leave the placement out");
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

GroupLowering::GroupLowering(const proof::Subject& subject, const plan::LaunchPlan& launch,
                             const realize::Materialization& materialization, kernel::Builder& builder,
                             std::map<ObjectId, ObjectPlace>& objects)
    : subject_(subject),
      program_(subject.program),
      launch_(launch),
      materialization_(materialization),
      b_(builder),
      objects_(objects),
      storage_(program_, launch, materialization),
      slots_(builder),
      index_(program_, builder),
      accesses_(program_, builder, index_),
      elements_(program_, storage_, builder, slots_, index_, accesses_, objects) {}

Result<void> GroupLowering::lower(const std::vector<kernel::ValueId>& coordinates) {
  const auto& region = std::get<RegionOp>(program_.op(subject_.walk.launches[launch_.launch]).payload);
  const std::vector<CoordId> coords = program_.list(region.coords);
  for (std::size_t d = 0; d < coords.size(); ++d) index_.set_coord(coords[d], coordinates[d]);
  const kernel::ValueId worker = b_.worker(kernel::WorkerQuery::Worker);
  if (!launch_.matrices.empty()) subgroup_ = b_.worker(kernel::WorkerQuery::Subgroup);
  domain_.emplace(program_, b_, elements_, launch_.threads, worker);
  collect_matrices();
  allocate_tiles();
  lower_block(region.body);
  if (!faults_.empty()) return std::unexpected(std::move(faults_));
  return {};
}

void GroupLowering::allocate_tiles() {
  std::map<ValueId, std::int64_t> versions;
  for (const plan::PipelinePlan& pipeline : launch_.pipelines) {
    if (pipeline.window != 2) continue;
    const auto& region = std::get<RegionOp>(program_.op(pipeline.region).payload);
    for (ValueId value : overlap_of(region, pipeline.cut).tiles) versions[value] = 2;
  }
  for (const plan::TilePlan& tile : launch_.tiles) {
    const auto found = versions.find(tile.value);
    elements_.set_view(tile.value, storage_.allocate(tile.value, found == versions.end() ? 1 : found->second, slots_));
  }
}

void GroupLowering::fence() { b_.fence(kernel::Participants::Group, {.shared = true, .device = true}); }

void GroupLowering::lower_ops(const std::vector<OpId>& ops) {
  for (OpId op : ops) lower_op(op);
}

void GroupLowering::lower_op(OpId id) {
  const Op& op = program_.op(id);
  const auto value = [&] { return program_.list(op.results).front(); };
  std::visit(Overloaded{
                 [&](const ReduceOp& reduce) { lower_reduce(value(), reduce); },
                 [&](const MmaOp& mma) { lower_mma(id, mma); },
                 [&](const StoreOp& store) { lower_store(id, store); },
                 [&](const MemoryOp& memory) { lower_memory(memory); },
                 [&](const RegionOp& region) { lower_region(id, region); },
                 [&](const IfOp& branch) { lower_if(id, branch); },
                 [&](const BarrierOp& barrier) { lower_barrier(barrier); },
                 [&](const StageCutOp&) {},
                 [&](const OpaqueOp&) { TW_CHECK(!"opaque calls were refused"); },
                 [&](const auto&) { lower_value(value()); },
             },
             op.payload);
}

void GroupLowering::lower_value(ValueId value) {
  switch (storage_.form(value)) {
    case ValueForm::Dead:
    case ValueForm::Free:
    case ValueForm::Fused:
      return;
    case ValueForm::Scalar:
      return set_number(value, [&](const Point& at) { return elements_.result_element(value, at); });
    case ValueForm::Stored:
      // Without a tile of the plan it is read where it lies.
      if (!storage_.has_tile(value)) return;
      return fill(value, [&](const Point& at) { return elements_.result_element(value, at); }, true);
  }
}

void GroupLowering::fill(ValueId target, const std::function<kernel::ValueId(const Point&)>& element, bool batched) {
  const StridedView view = elements_.view(target);
  const Distribution::Copy copy{element,
                                [&](const Point& at, kernel::ValueId value) { elements_.store_to(view, at, value); }};
  domain_->copy(elements_.axes(target), copy, batched ? launch_.max_copy_batch : 1);
  fence();
}

/// Every worker makes the number. When that reads memory, nobody may write there before all have read.
void GroupLowering::set_number(ValueId value, const std::function<kernel::ValueId(const Point&)>& number) {
  elements_.nest(std::vector<AxisId>{}, {}, [&](const Point& at) { elements_.set_scalar(value, number(at)); });
  if (reads_memory(value)) fence();
}

bool GroupLowering::reads_memory(ValueId value) const {
  const OpPayload& payload = program_.op(program_.value(value).def).payload;
  if (const auto* load = std::get_if<LoadOp>(&payload); load && !program_.object(load->object).scalar_input())
    return true;
  bool reads = false;
  for_each_operand(program_, payload, [&](ValueId operand) {
    const ValueForm form = storage_.form(operand);
    reads = reads || form == ValueForm::Stored || (elements_.is_inline(operand) && reads_memory(operand));
  });
  return reads;
}

void GroupLowering::lower_memory(const MemoryOp& op) {
  const Object& object = program_.object(op.object);
  const SlotId slot = slots_.take(scalar_type(object.element.data), memory_capacity(program_, op.object),
                                  kernel::AllocationSpace::Shared, object.name);
  ObjectPlace place;
  place.memory = kernel::Memory(slots_.allocation(slot));
  place.extents = bound_extents(program_, op.object);
  place.layout_axes = object.layout_axes;
  place.layout = object.layout;
  if (!object.layout.valid()) place.strides = tile::dense_strides(place.extents);
  objects_[op.object] = std::move(place);
}

void GroupLowering::lower_barrier(const BarrierOp& op) {
  const auto participants = op.scope == Scope::Subgroup ? kernel::Participants::Subgroup : kernel::Participants::Group;
  kernel::FenceOp fence;
  fence.identity = b_.next_fence_identity();
  fence.origin = kernel::FenceOrigin::User;
  fence.participants = fence.scope = participants;
  fence.memory = {.shared = true, .device = true};
  b_.fence(fence);
}

// ---- Stores --------------------------------------------------------------------------------------------------------

std::vector<AxisId> GroupLowering::store_axes(const StoreOp& op) const {
  std::vector<AxisId> axes = elements_.axes(op.value);
  for (IndexId coord : program_.list(op.coords)) axes = join_axes(axes, program_.index().axes(coord));
  return axes;
}

void GroupLowering::lower_store(OpId id, const StoreOp& op) {
  for (const auto& [mma, matrix] : matrices_) {
    if (matrix.plan->sink != id) continue;
    publish_output(id, matrix);
    return fence();
  }
  const Access& access = elements_.access(id);
  if (access.place->empty()) return;
  const std::vector<AxisId> axes = store_axes(op);
  const auto store = [&](const Point& at) { elements_.store(id, op, at, {}); };
  if (axes.empty())
    domain_->in_first_worker([&] { store({}); });
  else if (touches_each_place_once(program_, access, axes))
    domain_->over(axes, store);
  else  // where two points may meet the last one counts, so that one worker makes them all
    domain_->in_first_worker([&] { elements_.nest(axes, {}, store); });
  fence();
}

}  // namespace tilewright::lower
