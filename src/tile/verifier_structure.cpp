// Structure: ids within range, definitions before uses, types as tile/typing.h gives them, yields and arguments that
// fit.
#include <set>
#include <string>

#include "tile/typing.h"
#include "tile/verifier.h"

namespace tilewright::tile {

namespace {

class Names final : public TypeNames, public ElementFacts {
 public:
  explicit Names(const Program& program) : program_(program) {}
  std::string axis(AxisId id) const override { return program_.axes()[id].label; }
  std::string type_param(TypeParamId id) const override { return program_.type_params()[id].name; }
  std::vector<DataType> possible(ElementType type) const override {
    if (!type.symbolic()) return {type.data};
    std::vector<DataType> types = program_.type_params()[type.param].choices;
    types.push_back(program_.type_params()[type.param].default_type);
    return types;
  }

 private:
  const Program& program_;
};

class StructureVerifier {
 public:
  explicit StructureVerifier(const Program& program) : program_(program), names_(program) {}

  Result<void> run() {
    visit_block(program_.root(), {});
    if (diags_.empty()) return {};
    return std::unexpected(std::move(diags_));
  }

 private:
  using Axes = std::vector<AxisId>;

  void fault(const Op& op, const std::string& message) {
    diags_.push_back(Diag{DiagCode::MalformedProgram, message, program_.place(op.location), "", {}});
  }

  TileType type(ValueId id) const {
    const Value& value = program_.value(id);
    return TileType{value.element, program_.list(value.axes)};
  }

  void visit_block(BlockId id, std::vector<CoordId> coords) {
    const Block& block = program_.block(id);
    std::vector<ValueId> here = program_.list(block.args);
    visible_.insert(here.begin(), here.end());
    for (OpId op : block.ops) {
      visit_op(program_.op(op), op, coords);
      for (ValueId result : program_.list(program_.op(op).results)) {
        visible_.insert(result);
        here.push_back(result);
      }
    }
    for (ValueId yield : program_.list(block.yields))
      if (!visible_.contains(yield))
        diags_.push_back(Diag{DiagCode::MalformedProgram, "a block yields a value that is not visible", {}, "", {}});
    for (ValueId value : here) visible_.erase(value);
  }

  void visit_op(const Op& op, OpId id, const std::vector<CoordId>& coords) {
    bool sound = true;
    for_each_operand(program_, op.payload, [&](ValueId operand) {
      if (operand.index < program_.values().size() && visible_.contains(operand)) return;
      fault(op, "an operand is not defined before its use");
      sound = false;
    });
    for (ValueId result : program_.list(op.results))
      if (program_.value(result).def != id) fault(op, "a result does not name its operation");
    if (sound) std::visit([&](const auto& payload) { check(op, payload, coords); }, op.payload);
  }

  void expect(const Op& op, const TypeResult<TileType>& typed, const char* name) {
    const auto results = program_.list(op.results);
    if (!typed) return fault(op, std::string(name) + ": " + typed.error().message);
    if (results.size() != 1)
      return fault(op, std::string(name) + " has " + std::to_string(results.size()) + " results");
    if (type(results[0]) != *typed)
      fault(op,
            std::string(name) + " gives " + names_.tile(*typed) + ", its result is " + names_.tile(type(results[0])));
  }

  void expect_no_results(const Op& op, const char* name) {
    if (!op.results.empty()) fault(op, std::string(name) + " has results");
  }

  /// The one result's axes must be a permutation of `axes`; its element must be `element`.
  void expect_permutation(const Op& op, ElementType element, const Axes& axes, const char* name) {
    const auto results = program_.list(op.results);
    if (results.size() != 1) return fault(op, std::string(name) + " has no single result");
    const TileType found = type(results[0]);
    if (found.element != element || found.axes.size() != axes.size() || !subset_of(found.axes, axes))
      fault(op, std::string(name) + " has a result of type " + names_.tile(found));
  }

  Axes check_index(const Op& op, const std::vector<IndexId>& exprs, const std::vector<CoordId>& coords) {
    Axes axes;
    for (IndexId expr : exprs) {
      axes = join_axes(axes, program_.index().axes(expr));
      for (CoordId used : program_.index().coords(expr))
        if (std::find(coords.begin(), coords.end(), used) == coords.end())
          fault(op, "a coordinate is used outside its region");
    }
    return axes;
  }

  void check(const Op& op, const ConstantOp&, const std::vector<CoordId>&) {
    const auto results = program_.list(op.results);
    if (results.size() != 1) return fault(op, "constant has no single result");
    if (program_.value(results[0]).element == kIndex) fault(op, "constant gives an index");
  }
  void check(const Op& op, const IndexValueOp& p, const std::vector<CoordId>& coords) {
    expect_permutation(op, kIndex, check_index(op, {p.expr}, coords), "index");
  }
  void check(const Op& op, const UnaryOp& p, const std::vector<CoordId>&) {
    expect(op, type_unary(p.kind, type(p.operand), names_, names_), "unary");
  }
  void check(const Op& op, const BinaryOp& p, const std::vector<CoordId>&) {
    expect(op, type_binary(p.kind, type(p.lhs), type(p.rhs), names_, names_), "binary");
  }
  void check(const Op& op, const SelectOp& p, const std::vector<CoordId>&) {
    expect(op, type_select(type(p.condition), type(p.if_true), type(p.if_false), names_), "select");
  }
  void check(const Op& op, const CastOp& p, const std::vector<CoordId>&) {
    const auto results = program_.list(op.results);
    if (results.size() != 1) return fault(op, "cast has no single result");
    expect(op, type_cast(type(p.operand), program_.value(results[0]).element, names_), "cast");
  }
  void check(const Op& op, const BroadcastOp& p, const std::vector<CoordId>&) {
    const auto results = program_.list(op.results);
    if (results.size() != 1) return fault(op, "broadcast has no single result");
    expect(op, type_broadcast(type(p.operand), type(results[0]).axes, names_), "broadcast");
  }
  void check(const Op& op, const ReindexOp& p, const std::vector<CoordId>& coords) {
    const auto exprs = program_.list(p.coords);
    if (exprs.size() != type(p.operand).axes.size()) return fault(op, "reindex has a wrong number of coordinates");
    expect_permutation(op, type(p.operand).element, check_index(op, exprs, coords), "reindex");
  }
  void check(const Op& op, const GatherOp& p, const std::vector<CoordId>&) {
    expect(op, type_gather(type(p.operand), p.axis, type(p.indices), type(p.fallback), names_), "gather");
  }
  void check(const Op& op, const ReduceOp& p, const std::vector<CoordId>&) {
    expect(op, type_reduce(p.kind, type(p.operand), p.axis, names_, names_), "reduce");
  }
  void check(const Op& op, const MmaOp& p, const std::vector<CoordId>&) {
    expect(op, type_mma(type(p.a), type(p.b), type(p.c), p.relaxed, names_, names_), "mma");
  }
  void check(const Op& op, const LoadOp& p, const std::vector<CoordId>& coords) {
    const Object& object = program_.object(p.object);
    const auto exprs = program_.list(p.coords);
    if (exprs.size() != object.rank()) return fault(op, "load has a wrong number of coordinates");
    expect_permutation(op, object.element, check_index(op, exprs, coords), "load");
    if (p.fallback.valid() && type(p.fallback) != TileType{object.element, {}}) fault(op, "load has a wrong fallback");
  }
  void check(const Op& op, const StoreOp& p, const std::vector<CoordId>& coords) {
    const Object& object = program_.object(p.object);
    const auto exprs = program_.list(p.coords);
    if (exprs.size() != object.rank()) return fault(op, "store has a wrong number of coordinates");
    auto stored = type_store(type(p.value), check_index(op, exprs, coords), object.element, object.name, names_);
    if (!stored) fault(op, stored.error().message);
    expect_no_results(op, "store");
  }
  void check(const Op& op, const MemoryOp& p, const std::vector<CoordId>&) {
    if (program_.object(p.object).kind != ObjectKind::Memory) fault(op, "memory names a buffer");
    expect_no_results(op, "memory");
  }
  void check(const Op& op, const BarrierOp&, const std::vector<CoordId>&) { expect_no_results(op, "barrier"); }
  void check(const Op& op, const OpaqueOp&, const std::vector<CoordId>&) { expect_no_results(op, "opaque"); }
  void check(const Op& op, const StageCutOp&, const std::vector<CoordId>&) { expect_no_results(op, "stage"); }

  void expect_carries(const Op& op, IdList<ValueId> found, IdList<ValueId> inits, const char* what) {
    const auto values = program_.list(found);
    const auto carried = program_.list(inits);
    if (values.size() != carried.size()) return fault(op, std::string("a region has a wrong number of ") + what);
    for (std::size_t j = 0; j < values.size(); ++j)
      if (type(values[j]) != type(carried[j]))
        fault(op, std::string("carry ") + std::to_string(j) + " is " + names_.tile(type(carried[j])) + ", its " + what +
                      " " + names_.tile(type(values[j])));
  }

  void check(const Op& op, const RegionOp& p, const std::vector<CoordId>& coords) {
    std::vector<CoordId> inner = coords;
    for (CoordId id : program_.list(p.coords)) check_index(op, {program_.coords()[id].extent}, coords);
    for (CoordId id : program_.list(p.coords)) inner.push_back(id);
    const Block& body = program_.block(p.body);
    expect_carries(op, op.results, p.inits, "results");
    expect_carries(op, body.yields, p.inits, "yields");
    if (p.kind == RegionKind::Serial || p.kind == RegionKind::Pipeline)
      expect_carries(op, body.args, p.inits, "arguments");
    else if (!body.args.empty())
      fault(op, "a parallel or reduce region has block arguments");
    if (p.kind == RegionKind::Parallel && !p.inits.empty()) fault(op, "a parallel region has carries");
    visit_block(p.body, inner);
  }
  void check(const Op& op, const IfOp& p, const std::vector<CoordId>& coords) {
    if (type(p.condition) != TileType{kBool, {}}) fault(op, "if has a condition that is not a scalar bool");
    expect_carries(op, op.results, p.inits, "results");
    for (BlockId block : {p.then_block, p.else_block}) {
      expect_carries(op, program_.block(block).yields, p.inits, "yields");
      if (!program_.block(block).args.empty()) fault(op, "a branch has block arguments");
      visit_block(block, coords);
    }
  }

  const Program& program_;
  Names names_;
  std::set<ValueId> visible_;
  Diags diags_;
};

}  // namespace

Result<void> verify_structure(const Program& program) { return StructureVerifier(program).run(); }

}  // namespace tilewright::tile
