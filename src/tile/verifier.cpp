// The rules that authors can break.
#include "tile/verifier.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tile/typing.h"

namespace tilewright::tile {

namespace {

constexpr std::uint16_t kMaxWindow = 1024;

const char* scope_name(Scope scope) {
  switch (scope) {
    case Scope::Auto:
      return "automatic";
    case Scope::Device:
      return "device";
    case Scope::Group:
      return "group";
    case Scope::Subgroup:
      return "subgroup";
    case Scope::Worker:
      return "worker";
    case Scope::Vector:
      return "vector";
  }
  return "?";
}

class RuleVerifier {
 public:
  explicit RuleVerifier(const Program& program) : program_(program) {}

  Result<void> run() {
    check_declarations();
    for (OpId id : program_.block(program_.root()).ops) check_launch(program_.op(id));
    check_outputs();
    if (diags_.empty()) return {};
    return std::unexpected(std::move(diags_));
  }

 private:
  using Objects = std::set<ObjectId>;

  void fault(DiagCode code, LocationId location, std::string message, std::string hint) {
    diags_.push_back(Diag{code, std::move(message), program_.place(location), std::move(hint), {}});
  }

  // ---- Sizes ----

  void check_size(IndexId expr, LocationId location, const std::string& what, bool coords_allowed) {
    if (!expr.valid()) return;
    if (auto axes = program_.index().axes(expr); !axes.empty())
      fault(DiagCode::AxisExtent, location, what + " depends on the axis " + program_.axes()[axes[0]].label,
            "sizes use symbols, parameters and integers");
    if (auto coords = program_.index().coords(expr); !coords_allowed && !coords.empty())
      fault(DiagCode::AxisExtent, location, what + " depends on the coordinate " + program_.coords()[coords[0]].name,
            "sizes use symbols, parameters and integers; guard with the bounds of a load or store instead");
  }

  void check_object(const Object& object) {
    for (IndexId extent : object.extents) check_size(extent, object.location, "a size of '" + object.name + "'", false);
    for (IndexId stride : object.strides)
      check_size(stride, object.location, "a stride of '" + object.name + "'", false);
    if (!object.layout.valid()) return;
    for (AxisId axis : program_.index().axes(object.layout))
      if (std::find(object.layout_axes.begin(), object.layout_axes.end(), axis) == object.layout_axes.end())
        fault(DiagCode::AxisExtent, object.location,
              "the layout of '" + object.name + "' depends on the axis " + program_.axes()[axis].label,
              "use the names between layout( and )");
    if (auto coords = program_.index().coords(object.layout); !coords.empty())
      fault(DiagCode::AxisExtent, object.location,
            "the layout of '" + object.name + "' depends on the coordinate " + program_.coords()[coords[0]].name,
            "a layout uses its own names, symbols, parameters and integers");
  }

  void check_declarations() {
    for (const Object& object : program_.objects()) check_object(object);
    for (const Axis& axis : program_.axes()) check_size(axis.extent, LocationId{}, "the axis " + axis.label, false);
    for (const Requirement& r : program_.requirements())
      for (IndexId side : {r.lhs, r.rhs}) check_size(side, r.location, "a requirement", false);
  }

  // ---- Launches and regions ----

  void check_launch(const Op& op) {
    const auto* region = std::get_if<RegionOp>(&op.payload);
    if (region == nullptr || region->kind != RegionKind::Parallel) {
      fault(DiagCode::TopLevelForm, op.location, "expected a parallel region, found another statement",
            "a program is a sequence of parallel launches; put the statement inside one");
      return;
    }
    Objects owned, stored;
    check_region(op, *region, Scope::Auto, owned, stored);
    written_before_.insert(written_here_.begin(), written_here_.end());
    written_here_.clear();
  }

  void check_region(const Op& op, const RegionOp& region, Scope outer, const Objects& owned, Objects& stored) {
    for (CoordId id : program_.list(region.coords))
      check_size(program_.coords()[id].extent, op.location, "the domain " + program_.coords()[id].name, true);
    check_policy(op, region);
    Scope inner = region.scope == Scope::Auto ? outer : region.scope;
    if (region.scope != Scope::Auto && outer != Scope::Auto && region.scope <= outer)
      fault(DiagCode::ScopeNesting, op.location,
            std::string("a region of scope ") + scope_name(region.scope) + " stands inside one of scope " +
                scope_name(outer),
            "scopes nest from device over group, subgroup and worker to vector");
    Objects inner_stored = stored;
    check_block(region.body, inner, owned, inner_stored, region.kind == RegionKind::Pipeline);
    if (runs_at_least_once(region)) stored = inner_stored;
  }

  bool runs_at_least_once(const RegionOp& region) const {
    for (CoordId id : program_.list(region.coords)) {
      auto extent = program_.index().as_constant(program_.coords()[id].extent);
      if (!extent || *extent < 1) return false;
    }
    return true;
  }

  void check_policy(const Op& op, const RegionOp& region) {
    if (region.kind == RegionKind::Pipeline) {
      if (region.interval == 0)
        fault(DiagCode::PipelinePolicy, op.location, "expected an initiation interval of at least 1, found 0",
              "interval 1 starts an iteration at every step");
      if (region.window > kMaxWindow)
        fault(DiagCode::PipelinePolicy, op.location,
              "expected a window of at most " + std::to_string(kMaxWindow) + ", found " + std::to_string(region.window),
              "window 0 leaves the choice to the planner");
    } else if (region.window != 0 || region.interval != 1) {
      fault(DiagCode::PipelinePolicy, op.location, "only a pipeline has a window or an interval",
            "write pipeline, or drop the attribute");
    }
    if (region.kind != RegionKind::Reduce && region.order != FoldOrder::UnorderedTree)
      fault(DiagCode::PipelinePolicy, op.location, "only a reduce region has an order",
            "serial regions always run in order");
    if (region.kind != RegionKind::Parallel && region.scope != Scope::Auto)
      fault(DiagCode::PipelinePolicy, op.location, "only a parallel region has a scope",
            "put the scope on the parallel region around it");
  }

  void check_stage_cuts(const Block& block, bool pipeline_body) {
    bool cut_seen = false;
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
      const Op& op = program_.op(block.ops[i]);
      if (!std::holds_alternative<StageCutOp>(op.payload)) continue;
      if (!pipeline_body)
        fault(DiagCode::StageCutPlacement, op.location, "a stage cut stands outside the body level of a pipeline",
              "move it directly into the pipeline's body");
      else if (!cut_seen && i != 0)
        fault(DiagCode::StageCutPlacement, op.location, "statements stand before the first stage cut of this pipeline",
              "start the body with a stage cut, so that every statement belongs to a stage");
      cut_seen = true;
    }
  }

  void check_block(BlockId id, Scope scope, Objects owned, Objects& stored, bool pipeline_body) {
    const Block& block = program_.block(id);
    check_stage_cuts(block, pipeline_body);
    for (OpId op_id : block.ops) {
      const Op& op = program_.op(op_id);
      if (const auto* region = std::get_if<RegionOp>(&op.payload)) {
        check_region(op, *region, scope, owned, stored);
      } else if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
        Objects then_stored = stored, else_stored = stored;
        check_block(branch->then_block, scope, owned, then_stored, false);
        check_block(branch->else_block, scope, owned, else_stored, false);
        std::set_intersection(then_stored.begin(), then_stored.end(), else_stored.begin(), else_stored.end(),
                              std::inserter(stored, stored.end()));
      } else if (const auto* memory = std::get_if<MemoryOp>(&op.payload)) {
        owned.insert(memory->object);
        stored.erase(memory->object);
      } else if (const auto* constant = std::get_if<ConstantOp>(&op.payload)) {
        check_constant(op, *constant);
      } else if (const auto* load = std::get_if<LoadOp>(&op.payload)) {
        check_load(op, load->object, owned, stored);
      } else if (const auto* store = std::get_if<StoreOp>(&op.payload)) {
        check_store(op, store->object, owned, stored);
      } else if (const auto* opaque = std::get_if<OpaqueOp>(&op.payload)) {
        for (ObjectId object : program_.list(opaque->objects)) note_opaque_use(op, object, owned, stored);
      }
    }
  }

  void check_constant(const Op& op, const ConstantOp& constant) {
    const ElementType element = program_.value(program_.list(op.results)[0]).element;
    const double number = constant.literal.value();
    if (element.symbolic() || (element == kBool && (number == 0 || number == 1))) return;
    if (const auto found = number_fault(number, std::trunc(number) == number, element.data))
      fault(found->code, op.location, found->message, found->hint);
  }

  bool check_owned(const Op& op, ObjectId id, const Objects& owned) {
    if (program_.object(id).kind != ObjectKind::Memory || owned.contains(id)) return true;
    fault(DiagCode::MemoryEscape, op.location,
          "the memory '" + program_.object(id).name + "' is used outside the block that owns it",
          "declare it in a block around both uses");
    return false;
  }

  void check_load(const Op& op, ObjectId id, const Objects& owned, const Objects& stored) {
    const Object& object = program_.object(id);
    if (!check_owned(op, id, owned)) return;
    if (object.kind == ObjectKind::Out)
      fault(DiagCode::ReadOfOutput, op.location,
            "the output '" + object.name + "' is read; its contents are not defined",
            "declare it inout, or keep the tile that was stored");
    if (object.kind == ObjectKind::Memory && !stored.contains(id))
      fault(DiagCode::MemoryUninitialized, op.location,
            "the memory '" + object.name + "' may be read here before anything is stored to it",
            "store to it first, outside of loops and branches that may not run");
    if (object.kind == ObjectKind::Temp && !written_before_.contains(id) && !written_here_.contains(id))
      fault(DiagCode::TempUninitialized, op.location,
            "the temporary '" + object.name + "' is read here, but no earlier statement stores to it",
            "store to it in an earlier parallel launch");
  }

  void check_store(const Op& op, ObjectId id, const Objects& owned, Objects& stored) {
    const Object& object = program_.object(id);
    if (!check_owned(op, id, owned)) return;
    if (object.kind == ObjectKind::In)
      fault(DiagCode::WriteToInput, op.location, "the input '" + object.name + "' is stored to",
            "declare it inout, or store to an output");
    stored.insert(id);
    written_here_.insert(id);
  }

  void note_opaque_use(const Op& op, ObjectId id, const Objects& owned, Objects& stored) {
    if (!check_owned(op, id, owned)) return;
    stored.insert(id);
    written_here_.insert(id);
  }

  void check_outputs() {
    for (ObjectId id : program_.objects().ids()) {
      const Object& object = program_.object(id);
      if (object.kind == ObjectKind::Out && !written_before_.contains(id))
        fault(DiagCode::OutputNeverWritten, object.location, "no statement stores to the output '" + object.name + "'",
              "store to it, or remove it");
    }
  }

  const Program& program_;
  Objects written_before_, written_here_;
  Diags diags_;
};

}  // namespace

Result<void> verify(const Program& program) {
  auto structure = verify_structure(program);
  if (!structure) return structure;
  return RuleVerifier(program).run();
}

}  // namespace tilewright::tile
