#include "realize/materialization.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/effects.h"
#include "analysis/recurrences.h"
#include "support/check.h"
#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::realize {

using analysis::Use;
using analysis::UseKind;
using tile::OpId;
using tile::ValueId;

namespace {

/// Thrown inside this file alone, where a count has no number.
struct NoNumber {
  std::string reason;
};

std::int64_t times(std::int64_t a, std::int64_t b) {
  const auto product = checked_mul(a, b);
  if (!product) throw NoNumber{fmt::format("{} * {} elements do not fit 64 bits", a, b)};
  return *product;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  const auto sum = checked_add(a, b);
  if (!sum) throw NoNumber{fmt::format("{} + {} elements do not fit 64 bits", a, b)};
  return *sum;
}

bool is_elementwise(const tile::OpPayload& payload) {
  return std::holds_alternative<tile::UnaryOp>(payload) || std::holds_alternative<tile::BinaryOp>(payload) ||
         std::holds_alternative<tile::SelectOp>(payload) || std::holds_alternative<tile::CastOp>(payload) ||
         std::holds_alternative<tile::BroadcastOp>(payload);
}

bool is_free(const tile::OpPayload& payload) {
  return std::holds_alternative<tile::ConstantOp>(payload) || std::holds_alternative<tile::IndexValueOp>(payload);
}

bool is_expensive(const tile::OpPayload& payload) {
  if (const auto* unary = std::get_if<tile::UnaryOp>(&payload))
    return unary->kind == tile::UnaryKind::Exp || unary->kind == tile::UnaryKind::Log ||
           unary->kind == tile::UnaryKind::Sqrt || unary->kind == tile::UnaryKind::Tanh ||
           unary->kind == tile::UnaryKind::Sin || unary->kind == tile::UnaryKind::Cos;
  const auto* binary = std::get_if<tile::BinaryOp>(&payload);
  return binary != nullptr && (binary->kind == tile::BinaryKind::Div || binary->kind == tile::BinaryKind::Mod);
}

LaunchGrid grid_of(const tile::Program& program, OpId region) {
  LaunchGrid grid;
  for (tile::CoordId coord : program.list(std::get<tile::RegionOp>(program.op(region).payload).coords)) {
    const auto extent = program.index().as_constant(program.coords()[coord].extent);
    if (!extent) throw NoNumber{"a domain of the launch has no number"};
    grid.extents.push_back(std::max<std::int64_t>(*extent, 0));
    grid.programs = times(grid.programs, grid.extents.back());
  }
  return grid;
}

class Materializer {
 public:
  Materializer(const proof::Subject& subject, std::uint32_t launch)
      : subject_(subject), program_(subject.program), region_(subject.walk.launches[launch]) {
    made_.launch = launch;
    made_.residence.resize(program_.values().size(), Residence::Elsewhere);
    made_.executions.resize(program_.ops().size(), 0);
    expensive_.resize(program_.values().size(), 0);
    for (OpId op : subject_.walk.order)
      if (op != region_ && subject_.walk.places[op].launch == launch) ops_.push_back(op);
  }

  Materialization run() {
    count_programs();
    for (OpId op : ops_) made_.executions[op] = executions_of(op);
    find_unused();
    for (OpId op : ops_) decide(op);
    for (OpId op : ops_) keep_interfered_load(op);
    for (OpId op : ops_) allocate(op);
    for (OpId op : ops_) add_work(op);
    check_sums();
    return std::move(made_);
  }

 private:
  // ---- Counts ------------------------------------------------------------------------------------------------------

  void count_programs() {
    LaunchGrid grid = grid_of(program_, region_);
    made_.programs = grid.programs;
    made_.grid = std::move(grid.extents);
  }

  /// Whoever adds up all storage, or all work, gets a number.
  void check_sums() const {
    std::int64_t bytes = made_.memory_bytes, elements = 0;
    for (const StoredTile& tile : made_.tiles) bytes = plus(bytes, tile.bytes);
    for (const ElementWork& work : made_.work) elements = plus(elements, work.total());
  }

  std::int64_t trips_of(tile::CoordId coord) {
    if (const auto extent = program_.index().as_constant(program_.coords()[coord].extent))
      return std::max<std::int64_t>(*extent, 0);
    const auto& range = subject_.ranges.coords[coord];
    if (!range) throw NoNumber{fmt::format("the trips of {} have no bound", program_.coords()[coord].name)};
    made_.trips_are_bounds = true;
    return range->high + 1;
  }

  std::int64_t executions_of(OpId op) {
    std::int64_t count = 1;
    for (const analysis::NestRegion& around : subject_.walk.nest(op).regions) {
      if (around.region == region_) continue;
      for (tile::CoordId coord : around.coords) count = times(count, trips_of(coord));
    }
    return count;
  }

  std::int64_t volume(const std::vector<tile::AxisId>& axes) const {
    std::int64_t count = 1;
    for (tile::AxisId axis : axes) count = times(count, tile::bound_extent(program_, axis));
    return count;
  }
  std::int64_t volume(ValueId value) const { return volume(program_.list(program_.value(value).axes)); }

  // ---- Residence ---------------------------------------------------------------------------------------------------

  /// Loads and work on single elements whose results nothing reads, or only others of them.
  void find_unused() {
    unused_.resize(program_.ops().size(), 0);
    for (std::size_t i = ops_.size(); i-- > 0;) {
      const tile::Op& node = program_.op(ops_[i]);
      if (!is_elementwise(node.payload) && !std::holds_alternative<tile::LoadOp>(node.payload)) continue;
      const std::vector<ValueId> results = program_.list(node.results);
      const auto is_unused = [&](ValueId result) {
        const auto& uses = subject_.uses.of(result);
        return program_.value(result).placement == tile::MemorySpace::Auto &&
               std::all_of(uses.begin(), uses.end(),
                           [&](const Use& use) { return use.kind == UseKind::Operand && unused_[use.op] != 0; });
      };
      unused_[ops_[i]] = !results.empty() && std::all_of(results.begin(), results.end(), is_unused);
    }
  }

  void set_stored(ValueId value) {
    made_.residence[value] = program_.value(value).axes.empty() ? Residence::Uniform : Residence::Stored;
  }

  void decide(OpId op) {
    const tile::Op& node = program_.op(op);
    const std::vector<ValueId> results = program_.list(node.results);
    if (const auto* region = std::get_if<tile::RegionOp>(&node.payload))
      for (ValueId argument : program_.list(program_.block(region->body).args)) set_stored(argument);
    if (results.empty()) return;
    if (unused_[op] != 0) {
      made_.residence[results[0]] = Residence::Folded;
      return;
    }
    if (is_free(node.payload) && program_.value(results[0]).placement == tile::MemorySpace::Auto) {
      made_.residence[results[0]] = Residence::Folded;
      return;
    }
    const bool may_fold = is_elementwise(node.payload) || std::holds_alternative<tile::LoadOp>(node.payload) ||
                          std::holds_alternative<tile::ReindexOp>(node.payload) ||
                          std::holds_alternative<tile::GatherOp>(node.payload);
    if (may_fold) expensive_[results[0]] = is_expensive(node.payload) || folds_expensive(node.payload);
    if (may_fold && folds_into_its_use(op, results[0]))
      made_.residence[results[0]] = Residence::Folded;
    else
      for (ValueId result : results) set_stored(result);
  }

  bool folds_expensive(const tile::OpPayload& payload) const {
    bool any = false;
    tile::for_each_operand(program_, payload, [&](ValueId operand) {
      any = any || (made_.residence[operand] == Residence::Folded && expensive_[operand]);
    });
    return any;
  }

  bool folds_into_its_use(OpId op, ValueId value) const {
    const tile::Value& own = program_.value(value);
    if (own.axes.empty() || own.placement != tile::MemorySpace::Auto) return false;
    const auto use = subject_.uses.single_use(value);
    if (!use || use->kind == UseKind::Yield) return false;
    if (subject_.walk.places[op].block != subject_.walk.places[use->op].block) return false;
    return accepts_folded(*use, value);
  }

  /// Whether the use evaluates an expression in place, and does so once for each of its elements.
  bool accepts_folded(const Use& use, ValueId value) const {
    const tile::OpPayload& user = program_.op(use.op).payload;
    if (std::holds_alternative<tile::MmaOp>(user) || std::holds_alternative<tile::OpaqueOp>(user)) return false;
    if (const auto* gather = std::get_if<tile::GatherOp>(&user); gather != nullptr && gather->operand == value)
      return false;
    if (use.kind == UseKind::Init) return true;
    return !expensive_[value] || evaluations(use.op) <= volume(value);
  }

  /// Elements at which an operation evaluates its operands.
  std::int64_t evaluations(OpId op) const {
    const tile::OpPayload& payload = program_.op(op).payload;
    if (const auto* fold = std::get_if<tile::ReduceOp>(&payload)) return volume(fold->operand);
    return volume(analysis::own_axes(program_, op));
  }

  /// The operation that evaluates a folded value: follows single uses.
  OpId root_of(ValueId value) const {
    OpId op = subject_.uses.single_use(value)->op;
    while (true) {
      const auto results = program_.list(program_.op(op).results);
      if (results.size() != 1 || made_.residence[results[0]] != Residence::Folded) return op;
      op = subject_.uses.single_use(results[0])->op;
    }
  }

  void keep_interfered_load(OpId op) {
    const auto* load = std::get_if<tile::LoadOp>(&program_.op(op).payload);
    if (load == nullptr) return;
    const ValueId value = program_.list(program_.op(op).results)[0];
    if (made_.residence[value] != Residence::Folded || unused_[op] != 0) return;
    const OpId root = root_of(value);
    bool relies = false;
    if (may_change_between(load->object, op, root, relies) || may_be_overwritten_by(root, op, *load, relies))
      set_stored(value);
    else
      made_.relies_on_noalias = made_.relies_on_noalias || relies;
  }

  /// Whether two objects may overlap; notes when only the promise says that they do not.
  bool overlap(tile::ObjectId a, tile::ObjectId b, bool& relies) const {
    if (analysis::may_alias(program_, a, b, subject_.assumptions.aliasing)) return true;
    relies = relies || analysis::may_alias(program_, a, b, {});
    return false;
  }

  bool may_change_between(tile::ObjectId object, OpId first, OpId last, bool& relies) const {
    const auto& places = subject_.walk.places;
    const auto& ops = program_.block(places[first].block).ops;
    for (std::uint32_t i = places[first].position + 1; i < places[last].position; ++i) {
      const analysis::Effects effects = analysis::effects_of(program_, ops[i]);
      if (!effects.opaque.empty() || !effects.barriers.empty()) return true;
      for (tile::ObjectId written : effects.may_write)
        if (overlap(written, object, relies)) return true;
    }
    return false;
  }

  /// The operation that evaluates the load stores to what other elements still have to read.
  bool may_be_overwritten_by(OpId root, OpId op, const tile::LoadOp& load, bool& relies) const {
    const auto* store = std::get_if<tile::StoreOp>(&program_.op(root).payload);
    if (store == nullptr || !overlap(store->object, load.object, relies)) return false;
    const bool same_elements =
        store->object == load.object && program_.list(store->coords) == program_.list(load.coords);
    return !same_elements || moves_on_the_way(op, root);
  }

  /// Some operation between a folded load and its root reads other elements than its own.
  bool moves_on_the_way(OpId op, OpId root) const {
    while (op != root) {
      op = subject_.uses.single_use(program_.list(program_.op(op).results)[0])->op;
      const tile::OpPayload& payload = program_.op(op).payload;
      if (op != root && (!is_elementwise(payload) || std::holds_alternative<tile::BroadcastOp>(payload))) return true;
    }
    return false;
  }

  // ---- Storage -----------------------------------------------------------------------------------------------------

  void add_tile(ValueId value) {
    if (made_.residence[value] != Residence::Stored) return;
    if (program_.value(value).placement == tile::MemorySpace::Private) return;  // no storage of the group
    const std::int64_t elements = volume(value);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(program_.value(value).element.data));
    made_.tiles.push_back({value, elements, times(elements, bytes)});
  }

  void allocate(OpId op) {
    const tile::Op& node = program_.op(op);
    if (const auto* region = std::get_if<tile::RegionOp>(&node.payload)) {
      // The result of a carry is its storage after the last iteration.
      for (ValueId argument : program_.list(program_.block(region->body).args)) add_tile(argument);
      if (region->kind != tile::RegionKind::Reduce) return;
    }
    if (const auto* memory = std::get_if<tile::MemoryOp>(&node.payload)) {
      const auto bytes = data_type_bytes(program_.object(memory->object).element.data);
      const std::int64_t own = times(tile::memory_capacity(program_, memory->object), static_cast<std::int64_t>(bytes));
      if (program_.object(memory->object).space != tile::MemorySpace::Private)
        made_.memory_bytes = plus(made_.memory_bytes, own);
    }
    for (ValueId result : program_.list(node.results)) add_tile(result);
  }

  // ---- Work --------------------------------------------------------------------------------------------------------

  void add(WorkKind kind, OpId op, std::int64_t elements, std::uint32_t part = 0) {
    const std::int64_t executions = made_.executions[op];
    times(elements, executions);
    made_.work.push_back({kind, op, part, elements, executions});
  }

  void add_work(OpId op) {
    if (unused_[op] != 0) return;
    const tile::Op& node = program_.op(op);
    std::visit(tile::Overloaded{
                   [&](const tile::LoadOp&) { add_stored(WorkKind::Copy, op, node); },
                   [&](const tile::ReduceOp& fold) { add_fold(op, fold, node); },
                   [&](const tile::MmaOp& mma) { add_contraction(op, mma, node); },
                   [&](const tile::StoreOp&) { add(WorkKind::Sink, op, volume(analysis::own_axes(program_, op))); },
                   [&](const tile::RegionOp& region) { add_carries(op, region); },
                   [&](const tile::IfOp& branch) { add_choices(op, branch); },
                   [&](const auto&) { add_stored(WorkKind::Compute, op, node); },
               },
               node.payload);
  }

  void add_stored(WorkKind kind, OpId op, const tile::Op& node) {
    const auto results = program_.list(node.results);
    if (results.size() == 1 && made_.residence[results[0]] == Residence::Stored) add(kind, op, volume(results[0]));
  }

  void add_fold(OpId op, const tile::ReduceOp& fold, const tile::Op& node) {
    const std::int64_t outputs = volume(program_.list(node.results)[0]);
    made_.most_collective_outputs = std::max(made_.most_collective_outputs, outputs);
    add(WorkKind::Fold, op, times(outputs, tile::bound_extent(program_, fold.axis)));
  }

  void add_contraction(OpId op, const tile::MmaOp& mma, const tile::Op& node) {
    const ValueId result = program_.list(node.results)[0];
    std::vector<tile::AxisId> axes = program_.list(program_.value(result).axes);
    for (tile::AxisId axis : program_.list(program_.value(mma.a).axes))
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    add(WorkKind::Contraction, op, volume(axes));
  }

  void add_carries(OpId op, const tile::RegionOp& region) {
    const auto inits = program_.list(region.inits);
    const auto args = program_.list(program_.block(region.body).args);
    const auto yields = program_.list(program_.block(region.body).yields);
    for (std::uint32_t i = 0; i < inits.size(); ++i) {
      const ValueId carry = args.empty() ? program_.list(program_.op(op).results)[i] : args[i];
      if (made_.residence[carry] != Residence::Stored) continue;
      const OpId maker = program_.value(inits[i]).def;
      const bool literal = maker.valid() && std::holds_alternative<tile::ConstantOp>(program_.op(maker).payload);
      add(literal ? WorkKind::Fill : WorkKind::Init, op, volume(carry), i);
      if (yields[i] == carry) continue;
      ElementWork update{WorkKind::Update, op, i, volume(carry), trips(op, region)};
      times(update.elements, update.executions);
      made_.work.push_back(update);
    }
  }

  std::int64_t trips(OpId op, const tile::RegionOp& region) {
    std::int64_t count = made_.executions[op];
    for (tile::CoordId coord : program_.list(region.coords)) count = times(count, trips_of(coord));
    return count;
  }

  void add_choices(OpId op, const tile::IfOp&) {
    const auto results = program_.list(program_.op(op).results);
    for (std::uint32_t i = 0; i < results.size(); ++i)
      if (made_.residence[results[i]] == Residence::Stored) add(WorkKind::Update, op, volume(results[i]), i);
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  OpId region_;
  std::vector<OpId> ops_;
  IdVector<OpId, char> unused_;
  IdVector<ValueId, char> expensive_;  ///< evaluating the value, with what is folded into it, is
  Materialization made_;
};

}  // namespace

std::string_view work_kind_name(WorkKind kind) {
  constexpr std::string_view kNames[] = {"copy", "compute", "fold", "fill", "init", "update", "sink", "contraction"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::int64_t Materialization::storage_bytes() const {
  std::int64_t bytes = memory_bytes;
  for (const StoredTile& tile : tiles) bytes += tile.bytes;
  return bytes;
}

std::int64_t Materialization::independent_elements() const {
  std::int64_t elements = 0;
  for (const ElementWork& one : work)
    if (one.kind != WorkKind::Contraction) elements += one.total();
  return elements;
}

std::int64_t Materialization::widest_elements() const {
  std::int64_t elements = 1;
  for (const ElementWork& one : work)
    if (one.kind != WorkKind::Contraction) elements = std::max(elements, one.elements);
  return elements;
}

const StoredTile* Materialization::tile_of(ValueId value) const {
  const auto found =
      std::find_if(tiles.begin(), tiles.end(), [&](const StoredTile& tile) { return tile.value == value; });
  return found == tiles.end() ? nullptr : &*found;
}

std::expected<LaunchGrid, MaterializationFault> launch_grid(const proof::Subject& subject, std::uint32_t launch) {
  try {
    return grid_of(subject.program, subject.walk.launches[launch]);
  } catch (const NoNumber& fault) {
    return std::unexpected(MaterializationFault{fault.reason});
  }
}

std::expected<Materialization, MaterializationFault> materialize(const proof::Subject& subject, std::uint32_t launch) {
  TW_CHECK(subject.program.bound() && launch < subject.walk.launches.size());
  try {
    return Materializer(subject, launch).run();
  } catch (const NoNumber& fault) {
    return std::unexpected(MaterializationFault{fault.reason});
  }
}

}  // namespace tilewright::realize
