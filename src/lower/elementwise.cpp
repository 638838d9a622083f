#include "lower/elementwise.h"

#include <optional>
#include <utility>
#include <vector>

#include "analysis/domain.h"
#include "lower/elements.h"
#include "lower/index_emitter.h"
#include "lower/slot_pool.h"
#include "lower/traversal.h"
#include "lower/value_forms.h"
#include "support/result.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

namespace {

/// Numbers are computed where they stand, elements where they are used.
class ElementForms final : public ValueForms {
 public:
  explicit ElementForms(const Program& program) : program_(program) {}
  ValueForm form(ValueId value) const override {
    return program_.value(value).axes.empty() ? ValueForm::Scalar : ValueForm::Free;
  }

 private:
  const Program& program_;
};

class ElementwiseLowering {
 public:
  ElementwiseLowering(const proof::Subject& subject, const plan::LaunchPlan& plan, kernel::Builder& builder,
                      std::map<ObjectId, ObjectPlace>& objects)
      : subject_(subject),
        program_(subject.program),
        plan_(plan),
        region_(std::get<RegionOp>(program_.op(subject.walk.launches[plan.launch]).payload)),
        b_(builder),
        slots_(builder),
        index_(program_, builder),
        accesses_(program_, builder, index_),
        forms_(program_),
        elements_(program_, forms_, builder, slots_, index_, accesses_, objects) {}

  Result<void> run(const std::string& name) {
    TW_TRY(const ProgramWalk walk, program_walk(program_, region_, plan_));
    TW_TRY(const std::int64_t tasks,
           checked_tasks({walk.programs(), plan_.elementwise_elements_per_program}, "(programs x elements) elements"));
    const kernel::ValueId task = b_.begin_kernel(name, {tasks}).front();
    if (tasks > 0) emit_task(walk, task);
    b_.end_kernel();
    return {};
  }

 private:
  void emit_task(const ProgramWalk& walk, kernel::ValueId task) {
    const kernel::ValueId elements = b_.const_i64(plan_.elementwise_elements_per_program);
    const kernel::ValueId program = b_.binary(kernel::BinaryKind::FloorDiv, task, elements);
    const std::vector<kernel::ValueId> at = walk.coordinates_of_ordinal(b_, program);
    const std::vector<CoordId> coords = program_.list(region_.coords);
    for (std::size_t d = 0; d < coords.size(); ++d) index_.set_coord(coords[d], at[d]);
    const Point element = element_point(b_.binary(kernel::BinaryKind::FloorMod, task, elements));
    const std::vector<CoordinateTest> tests = common_tests(element);
    kernel::ValueId condition;
    for (const CoordinateTest& test : tests)
      condition = accesses_.both(condition, accesses_.dimension_in_range(*test.dimension, test.coord));
    if (!condition.valid()) return emit_element(element);
    b_.if_then(condition, [&] {
      accesses_.assume(tests);
      emit_element(element);
      accesses_.assume({});
    });
  }

  void emit_element(const Point& element) {
    elements_.nest(std::vector<AxisId>{}, element, [&](const Point& here) {
      for (OpId op : program_.block(region_.body).ops) lower_op(op, here);
    });
  }

  /// What all stores need: an element outside is nobody's work.
  std::vector<CoordinateTest> common_tests(const Point& element) {
    std::optional<std::vector<CoordinateTest>> tests;
    for (OpId op : program_.block(region_.body).ops) {
      if (!std::holds_alternative<StoreOp>(program_.op(op).payload)) continue;
      std::vector<CoordinateTest> own = accesses_.tests(elements_.access(op), element);
      tests = tests ? AccessEmitter::common(*tests, own) : std::move(own);
    }
    return tests.value_or(std::vector<CoordinateTest>{});
  }

  /// All stores run over the same axes.
  Point element_point(kernel::ValueId element) {
    std::vector<AxisId> axes;
    for (OpId op : program_.block(region_.body).ops)
      if (std::holds_alternative<StoreOp>(program_.op(op).payload)) axes = analysis::own_axes(program_, op);
    std::vector<std::int64_t> extents;
    for (AxisId axis : axes) extents.push_back(bound_extent(program_, axis));
    const std::vector<kernel::ValueId> at = unflattened(b_, element, extents);
    Point point;
    for (std::size_t d = 0; d < axes.size(); ++d) point.set(axes[d], at[d]);
    return point;
  }

  void lower_op(OpId id, const Point& at) {
    const Op& op = program_.op(id);
    if (const auto* store = std::get_if<StoreOp>(&op.payload)) return elements_.store(id, *store, at, {});
    for (ValueId value : program_.list(op.results))
      if (forms_.form(value) == ValueForm::Scalar && !subject_.uses.of(value).empty())
        elements_.set_scalar(value, elements_.result_element(value, at));
  }

  const proof::Subject& subject_;
  const Program& program_;
  const plan::LaunchPlan& plan_;
  const RegionOp& region_;
  kernel::Builder& b_;
  SlotPool slots_;
  IndexEmitter index_;
  AccessEmitter accesses_;
  ElementForms forms_;
  Elements elements_;
};

}  // namespace

Result<void> lower_elementwise(const proof::Subject& subject, const plan::LaunchPlan& plan, const std::string& name,
                               kernel::Builder& builder, std::map<ObjectId, ObjectPlace>& objects) {
  return ElementwiseLowering(subject, plan, builder, objects).run(name);
}

}  // namespace tilewright::lower
