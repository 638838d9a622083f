#include "realize_rows/row_machine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>

#include "realize/row_reduction_maps.h"
#include "realize_rows/row_arithmetic.h"
#include "tile/bind.h"

namespace tilewright::realize {

namespace {

using tile::AxisId;
using tile::OpId;
using tile::RegionOp;
using tile::ValueId;

using Point = std::map<AxisId, std::int64_t>;
using RowValues = std::map<ValueId, std::vector<double>>;

struct Scene {
  std::map<tile::CoordId, std::int64_t> coords;
  RowValues rows;
};

class Machine {
 public:
  Machine(const tile::Program& program, const RowReductionWorkload& workload, const RowMapping& mapping,
          std::uint64_t seed, RowArithmetic arithmetic, RowMemory& memory)
      : program_(program),
        workload_(workload),
        mapping_(mapping),
        random_(seed),
        arithmetic_(arithmetic),
        memory_(memory) {
    for (OpId op : program.ops().ids())
      if (const auto* reduce = std::get_if<tile::ReduceOp>(&program.op(op).payload)) folded_.insert(reduce->axis);
  }

  void run() {
    const OpId launch = program_.block(program_.root()).ops.at(0);
    const auto& region = std::get<RegionOp>(program_.op(launch).payload);
    const proof::IndexMap replay = row_replay_map(workload_.programs, mapping_.programs_per_group);
    const proof::GuardedMap own = row_program_map(workload_.programs, mapping_.programs_per_group);
    for (std::int64_t group : scrambled(own.map.inputs[0]))
      for (std::int64_t packed : scrambled(own.map.inputs[1])) {
        const std::int64_t program = evaluate(replay, {group, packed});
        is_replay_ = evaluate(own.map, {group, packed}) != program;
        scene_ = std::make_shared<Scene>();
        set_coords(*scene_, region, program);
        run_block(region.body);
        flush();
      }
  }

 private:
  // ---- Order ----

  std::vector<std::int64_t> scrambled(std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    return order;
  }

  using Deferred = std::function<void(std::int64_t)>;

  /// What a worker does between two collectives: it keeps the scene of its place in the program.
  void defer(std::function<void(Scene&, std::int64_t)> work) {
    pending_.push_back([scene = std::make_shared<Scene>(*scene_), work = std::move(work)](std::int64_t worker) {
      Scene mine = *scene;
      work(mine, worker);
    });
  }

  void flush() {
    const std::vector<Deferred> pending = std::move(pending_);
    pending_.clear();
    for (std::int64_t worker : scrambled(mapping_.workers()))
      for (const Deferred& work : pending) work(worker);
  }

  static std::int64_t evaluate(const proof::IndexMap& map, const std::vector<std::int64_t>& at) {
    tile::IndexEnvironment environment;
    environment.axis = [&](AxisId axis) { return std::optional(at.at(axis.index)); };
    return map.arena.evaluate(map.results.at(0), environment).value();
  }

  /// Elements of a worker, in its order.
  const std::vector<std::int64_t>& elements_of(std::int64_t worker, std::int64_t elements, bool over_rows) {
    const std::int64_t lanes = over_rows ? 1 : mapping_.lane_elements;
    std::vector<std::vector<std::int64_t>>& shares = shares_[{elements, lanes}];
    if (shares.empty()) {
      shares.resize(static_cast<std::size_t>(mapping_.workers()));
      if (elements > 0) deal_out(row_element_map(elements, mapping_.workers(), lanes), elements, shares);
    }
    return shares.at(static_cast<std::size_t>(worker));
  }

  static void deal_out(const proof::GuardedMap& map, std::int64_t elements,
                       std::vector<std::vector<std::int64_t>>& shares) {
    for (std::int64_t chunk = 0; chunk < map.map.inputs[0]; ++chunk)
      for (std::size_t worker = 0; worker < shares.size(); ++worker)
        for (std::int64_t lane = 0; lane < map.map.inputs[2]; ++lane)
          if (const std::int64_t e = evaluate(map.map, {chunk, static_cast<std::int64_t>(worker), lane}); e < elements)
            shares[worker].push_back(e);
  }

  // ---- Program ----

  void set_coords(Scene& scene, const RegionOp& region, std::int64_t ordinal) const {
    const auto coords = program_.list(region.coords);
    for (std::size_t d = coords.size(); d-- > 0;) {
      const std::int64_t extent = *program_.index().as_constant(program_.coords()[coords[d]].extent);
      scene.coords[coords[d]] = ordinal % extent;
      ordinal /= extent;
    }
  }

  std::int64_t iterations_of(const RegionOp& region) const {
    std::int64_t iterations = 1;
    for (tile::CoordId coord : program_.list(region.coords))
      iterations *= std::max<std::int64_t>(*program_.index().as_constant(program_.coords()[coord].extent), 0);
    return iterations;
  }

  bool is_element(AxisId axis) const {
    return !workload_.row_axes.contains(axis) && (tile::bound_extent(program_, axis) != 1 || folded_.contains(axis));
  }

  AxisId element_axis(ValueId value) const {
    for (AxisId axis : program_.list(program_.value(value).axes))
      if (is_element(axis)) return axis;
    return {};
  }

  const RowSweep* sweep_of(OpId op, std::uint32_t carry = 0) const {
    for (const RowSweep& sweep : workload_.sweeps)
      if (sweep.op == op && sweep.carry == carry) return &sweep;
    return nullptr;
  }

  /// All points of the row axes among these, the last one fastest.
  std::vector<Point> row_points(const std::vector<AxisId>& axes) const {
    std::vector<Point> points{{}};
    for (AxisId axis : axes) {
      if (is_element(axis)) continue;
      std::vector<Point> next;
      for (const Point& point : points)
        for (std::int64_t i = 0; i < tile::bound_extent(program_, axis); ++i) {
          next.push_back(point);
          next.back()[axis] = i;
        }
      points = std::move(next);
    }
    return points;
  }

  DataType type_of(ValueId value) const { return program_.value(value).element.data; }
  std::vector<AxisId> axes_of(ValueId value) const { return program_.list(program_.value(value).axes); }
  ValueId result_of(OpId op) const { return program_.list(program_.op(op).results).at(0); }

  std::size_t row_ordinal(ValueId value, const Point& point) const {
    std::int64_t ordinal = 0;
    for (AxisId axis : axes_of(value)) ordinal = ordinal * tile::bound_extent(program_, axis) + point.at(axis);
    return static_cast<std::size_t>(ordinal);
  }

  void run_block(tile::BlockId block) {
    for (OpId op : program_.block(block).ops) run_op(op);
  }

  void run_op(OpId op) {
    const tile::OpPayload& payload = program_.op(op).payload;
    if (const auto* region = std::get_if<RegionOp>(&payload)) {
      if (workload_.joint_loops.contains(op)) return run_joint(op, *region);
      return run_stepped(op, *region);
    }
    if (const auto* store = std::get_if<tile::StoreOp>(&payload)) return defer_store(op, *store);
    if (const auto* reduce = std::get_if<tile::ReduceOp>(&payload)) return run_fold(op, *reduce);
    if (program_.op(op).results.empty()) return;
    const ValueId value = result_of(op);
    if (!element_axis(value).valid()) {
      std::vector<double> rows;
      for (const Point& point : row_points(axes_of(value))) rows.push_back(evaluate_op(*scene_, op, point, 0));
      scene_->rows[value] = std::move(rows);
    } else if (const RowSweep* sweep = sweep_of(op); sweep != nullptr) {
      defer_retain(op, *sweep);
    }
  }

  void run_stepped(OpId op, const RegionOp& region) {
    const auto results = program_.list(program_.op(op).results), inits = program_.list(region.inits);
    const auto yields = program_.list(program_.block(region.body).yields);
    const auto arguments = program_.list(program_.block(region.body).args);
    std::vector<std::vector<double>> carried;
    for (ValueId init : inits) carried.push_back(scene_->rows.at(init));
    for (std::int64_t i = 0; i < iterations_of(region); ++i) {
      set_coords(*scene_, region, i);
      for (std::size_t j = 0; j < arguments.size(); ++j) scene_->rows[arguments[j]] = carried[j];
      run_block(region.body);
      for (std::size_t j = 0; j < carried.size(); ++j) {
        const std::vector<double>& next = scene_->rows.at(yields[j]);
        for (std::size_t r = 0; r < next.size(); ++r)
          carried[j][r] = region.kind == tile::RegionKind::Reduce
                              ? fold_two(arithmetic_, region.fold(j), carried[j][r], next[r])
                              : next[r];
      }
    }
    for (std::size_t j = 0; j < carried.size(); ++j) scene_->rows[results[j]] = carried[j];
  }

  // ---- Sweeps ----

  void store_at(Scene& scene, const tile::StoreOp& store, const Point& point, std::int64_t worker) {
    const double value = evaluate(scene, store.value, point, worker);
    const auto address = address_of(scene, store.object, program_.list(store.coords), point);
    if (address && !is_replay_) memory_.at(store.object).at(*address) = value;
  }

  void defer_store(OpId op, const tile::StoreOp& store) {
    const RowSweep& sweep = *sweep_of(op);
    std::vector<AxisId> axes;
    for (tile::IndexId coord : program_.list(store.coords))
      for (AxisId axis : program_.index().axes(coord))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    const std::vector<Point> rows = row_points(axes);
    defer([this, &sweep, &store, rows](Scene& scene, std::int64_t worker) {
      for (std::int64_t e : elements_of(worker, sweep.live_elements, sweep.over_rows)) {
        if (sweep.over_rows) {
          store_at(scene, store, rows.at(static_cast<std::size_t>(e)), worker);
          continue;
        }
        for (Point point : rows) {
          if (sweep.element_axis.valid()) point[sweep.element_axis] = e;
          store_at(scene, store, point, worker);
        }
      }
    });
  }

  void defer_retain(OpId op, const RowSweep& sweep) {
    const ValueId value = result_of(op);
    defer([this, op, value, &sweep](Scene& scene, std::int64_t worker) {
      kept_[{op, worker}].clear();
      std::map<Point, double> mine;
      for (std::int64_t e : elements_of(worker, sweep.live_elements, false))
        for (Point point : row_points(axes_of(value))) {
          point[sweep.element_axis] = e;
          mine[point] = evaluate_op(scene, op, point, worker);
        }
      kept_[{op, worker}] = std::move(mine);
    });
  }

  /// Partial results by worker and row, each from the identity.
  struct Partials {
    std::vector<std::vector<double>> of_worker;
    tile::FoldKind kind{};

    std::vector<double> combine(std::mt19937_64& random, RowArithmetic arithmetic) const {
      std::vector<std::size_t> order;
      for (std::size_t w = 0; w < of_worker.size(); ++w)
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(random() % (w + 1)), w);
      std::vector<double> total = of_worker[order[0]];
      for (std::size_t i = 1; i < order.size(); ++i)
        for (std::size_t r = 0; r < total.size(); ++r)
          total[r] = fold_two(arithmetic, kind, total[r], of_worker[order[i]][r]);
      return total;
    }
  };

  std::shared_ptr<Partials> partials_of(const RowSweep& sweep, std::size_t rows) const {
    auto partials = std::make_shared<Partials>();
    partials->kind = sweep.fold;
    partials->of_worker.assign(static_cast<std::size_t>(mapping_.workers()),
                               std::vector<double>(rows, sweep.identity.value()));
    return partials;
  }

  void run_fold(OpId op, const tile::ReduceOp& reduce) {
    const RowSweep& sweep = *sweep_of(op);
    const std::vector<Point> rows = row_points(axes_of(result_of(op)));
    const auto partials = partials_of(sweep, rows.size());
    defer([this, &sweep, &reduce, rows, partials](Scene& scene, std::int64_t worker) {
      for (std::int64_t e : elements_of(worker, sweep.live_elements, false))
        for (std::size_t r = 0; r < rows.size(); ++r) {
          Point point = rows[r];
          point[reduce.axis] = e;
          double& partial = partials->of_worker[static_cast<std::size_t>(worker)][r];
          partial = fold_two(arithmetic_, sweep.fold, partial, evaluate(scene, reduce.operand, point, worker));
        }
    });
    flush();
    scene_->rows[result_of(op)] = partials->combine(random_, arithmetic_);
  }

  /// One sweep of a joint loop inside of its body.
  struct JointWork {
    const RowSweep* sweep = nullptr;
    ValueId value;  ///< folded
    const tile::StoreOp* store = nullptr;
    std::vector<Point> rows;
    std::shared_ptr<Partials> partials;
  };

  void run_joint(OpId op, const RegionOp& region) {
    std::vector<JointWork> works;
    for (OpId inner : program_.block(region.body).ops) add_joint_work(inner, works);
    const auto yields = program_.list(program_.block(region.body).yields);
    for (std::uint32_t j = 0; j < yields.size(); ++j)
      if (const RowSweep* sweep = sweep_of(op, j);
          sweep != nullptr && sweep->op == op && sweep->kind == RowSweepKind::Fold)
        works.push_back({sweep, yields[j], nullptr, row_points(axes_of(yields[j])), {}});
    bind_unchanged(region);
    std::map<std::uint32_t, std::vector<JointWork>> visits;
    for (JointWork& work : works) {
      if (work.store == nullptr) work.partials = partials_of(*work.sweep, work.rows.size());
      visits[work.sweep->visit].push_back(work);
    }
    for (const auto& [visit, together] : visits)
      defer(
          [this, &region, together](Scene& scene, std::int64_t worker) { run_visit(scene, region, together, worker); });
    if (!yields.empty()) flush();
    finish_joint(op, region, works);
  }

  void add_joint_work(OpId inner, std::vector<JointWork>& works) const {
    const RowSweep* sweep = sweep_of(inner);
    if (sweep == nullptr) return;
    JointWork work{sweep, {}, std::get_if<tile::StoreOp>(&program_.op(inner).payload), {}, {}};
    std::vector<AxisId> axes;
    if (work.store != nullptr) {
      for (tile::IndexId coord : program_.list(work.store->coords))
        for (AxisId axis : program_.index().axes(coord))
          if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    } else {
      work.value = std::get<tile::ReduceOp>(program_.op(inner).payload).operand;
      axes = axes_of(result_of(inner));
    }
    work.rows = row_points(axes);
    works.push_back(std::move(work));
  }

  void bind_unchanged(const RegionOp& region) {
    const auto arguments = program_.list(program_.block(region.body).args);
    const auto yields = program_.list(program_.block(region.body).yields), inits = program_.list(region.inits);
    for (std::size_t j = 0; j < arguments.size(); ++j)
      if (yields[j] == arguments[j]) scene_->rows[arguments[j]] = scene_->rows.at(inits[j]);
  }

  /// All sweeps at each element of a worker, in the order of the text.
  void run_visit(Scene& scene, const RegionOp& region, const std::vector<JointWork>& together, std::int64_t worker) {
    const RowSpan span = together[0].sweep->span;
    std::int64_t live = 0;
    for (const JointWork& work : together) live = std::max(live, work.sweep->live_elements);
    for (std::int64_t e : elements_of(worker, live, false)) {
      set_coords(scene, region, e / span.extent);
      for (const JointWork& work : together) {
        if (e >= work.sweep->live_elements) continue;
        for (std::size_t r = 0; r < work.rows.size(); ++r) {
          Point point = work.rows[r];
          if (work.sweep->element_axis.valid()) point[work.sweep->element_axis] = e % span.extent;
          if (work.store != nullptr) {
            store_at(scene, *work.store, point, worker);
          } else {
            double& partial = work.partials->of_worker[static_cast<std::size_t>(worker)][r];
            partial = fold_two(arithmetic_, work.sweep->fold, partial, evaluate(scene, work.value, point, worker));
          }
        }
      }
    }
  }

  void finish_joint(OpId op, const RegionOp& region, const std::vector<JointWork>& works) {
    const auto results = program_.list(program_.op(op).results), inits = program_.list(region.inits);
    const auto yields = program_.list(program_.block(region.body).yields);
    for (std::uint32_t j = 0; j < results.size(); ++j) {
      const std::vector<double>& init = scene_->rows.at(inits[j]);
      const JointWork* work = work_of_carry(op, region, yields[j], j, works);
      std::vector<double> total = init;
      if (work != nullptr) {
        const std::vector<double> folded = work->partials->combine(random_, arithmetic_);
        // A fold with fewer rows than the carry stands for all of them.
        const auto points = row_points(axes_of(results[j]));
        for (std::size_t r = 0; r < total.size(); ++r) {
          std::size_t row = 0;
          for (AxisId axis : axes_of_rows(*work))
            row = row * static_cast<std::size_t>(tile::bound_extent(program_, axis)) +
                  static_cast<std::size_t>(points[r].at(axis));
          total[r] = fold_two(arithmetic_, work->sweep->fold, init[r], folded[row]);
        }
      }
      scene_->rows[results[j]] = std::move(total);
    }
  }

  std::vector<AxisId> axes_of_rows(const JointWork& work) const {
    const auto* reduce = std::get_if<tile::ReduceOp>(&program_.op(work.sweep->op).payload);
    return axes_of(reduce == nullptr ? work.value : result_of(work.sweep->op));
  }

  const JointWork* work_of_carry(OpId op, const RegionOp& region, ValueId yield, std::uint32_t carry,
                                 const std::vector<JointWork>& works) const {
    for (const JointWork& work : works) {
      if (work.store != nullptr) continue;
      if (work.sweep->op == op && work.sweep->carry == carry) return &work;
      if (work.sweep->op == op) continue;
      const ValueId folded = result_of(work.sweep->op);
      if (region.kind == tile::RegionKind::Reduce && folded == yield) return &work;
      const OpId update = program_.value(yield).def;
      const auto* binary = update.valid() ? std::get_if<tile::BinaryOp>(&program_.op(update).payload) : nullptr;
      if (binary != nullptr && (binary->lhs == folded || binary->rhs == folded)) return &work;
    }
    return nullptr;
  }

  // ---- Values at one point ----

  tile::IndexEnvironment environment(const Scene& scene, const Point& point) const {
    tile::IndexEnvironment environment;
    environment.coord = [&scene](tile::CoordId coord) { return std::optional(scene.coords.at(coord)); };
    environment.axis = [&point](AxisId axis) { return std::optional(point.at(axis)); };
    return environment;
  }

  std::int64_t index_at(const Scene& scene, tile::IndexId expr, const Point& point) const {
    return program_.index().evaluate(expr, environment(scene, point)).value();
  }

  std::optional<std::size_t> address_of(const Scene& scene, tile::ObjectId object,
                                        const std::vector<tile::IndexId>& coords, const Point& point) const {
    const auto extents = tile::bound_extents(program_, object);
    std::int64_t address = 0;
    for (std::size_t d = 0; d < coords.size(); ++d) {
      const std::int64_t at = index_at(scene, coords[d], point);
      if (at < 0 || at >= extents[d]) return std::nullopt;
      address = address * extents[d] + at;
    }
    return static_cast<std::size_t>(address);
  }

  /// `point` may have more axes than the value.
  double evaluate(const Scene& scene, ValueId value, const Point& point, std::int64_t worker) const {
    if (const auto rows = scene.rows.find(value); rows != scene.rows.end())
      return rows->second.at(row_ordinal(value, point));
    const OpId op = program_.value(value).def;
    if (!op.valid()) throw std::runtime_error("a carry is read that no worker has");
    if (const RowSweep* sweep = sweep_of(op); sweep != nullptr && sweep->kind == RowSweepKind::Retain) {
      Point own;
      for (AxisId axis : axes_of(value)) own[axis] = point.at(axis);
      // Its worker has it; nobody else does.
      return kept_.at({op, worker}).at(own);
    }
    return evaluate_op(scene, op, point, worker);
  }

  double evaluate_op(const Scene& scene, OpId op, const Point& point, std::int64_t worker) const {
    const double value = compute(scene, op, point, worker);
    // Integers have no -0.
    return is_float(type_of(result_of(op))) ? settled(value, arithmetic_) : value + 0.0;
  }

  double compute(const Scene& scene, OpId op, const Point& point, std::int64_t worker) const {
    const auto at = [&](ValueId value) { return evaluate(scene, value, point, worker); };
    return std::visit(
        tile::Overloaded{
            [&](const tile::ConstantOp& p) { return row_literal(type_of(result_of(op)), p.literal); },
            [&](const tile::IndexValueOp& p) { return static_cast<double>(index_at(scene, p.expr, point)); },
            [&](const tile::UnaryOp& p) { return row_unary(p.kind, at(p.operand)); },
            [&](const tile::BinaryOp& p) { return row_binary(p.kind, type_of(p.lhs), at(p.lhs), at(p.rhs)); },
            [&](const tile::SelectOp& p) { return at(p.condition) != 0 ? at(p.if_true) : at(p.if_false); },
            [&](const tile::CastOp& p) { return row_cast(type_of(result_of(op)), at(p.operand)); },
            [&](const tile::BroadcastOp& p) { return at(p.operand); },
            [&](const tile::ReindexOp& p) { return reindex(scene, p, point, worker); },
            [&](const tile::GatherOp& p) { return gather(scene, p, point, worker); },
            [&](const tile::LoadOp& p) { return load(scene, p, point, worker); },
            [&](const auto&) -> double { throw std::runtime_error("no element of this operation is its own"); },
        },
        program_.op(op).payload);
  }

  double reindex(const Scene& scene, const tile::ReindexOp& op, const Point& point, std::int64_t worker) const {
    const auto axes = axes_of(op.operand);
    const auto coords = program_.list(op.coords);
    Point from;
    for (std::size_t d = 0; d < axes.size(); ++d) from[axes[d]] = index_at(scene, coords[d], point);
    return evaluate(scene, op.operand, from, worker);
  }

  double gather(const Scene& scene, const tile::GatherOp& op, const Point& point, std::int64_t worker) const {
    const double index = evaluate(scene, op.indices, point, worker);
    if (index < 0 || index >= static_cast<double>(tile::bound_extent(program_, op.axis)))
      return evaluate(scene, op.fallback, {}, worker);
    Point from = point;
    from[op.axis] = static_cast<std::int64_t>(index);
    return evaluate(scene, op.operand, from, worker);
  }

  double load(const Scene& scene, const tile::LoadOp& op, const Point& point, std::int64_t worker) const {
    const auto address = address_of(scene, op.object, program_.list(op.coords), point);
    if (address) return memory_.at(op.object).at(*address);
    return op.fallback.valid() ? evaluate(scene, op.fallback, {}, worker) : 0.0;
  }

  const tile::Program& program_;
  const RowReductionWorkload& workload_;
  RowMapping mapping_;
  std::mt19937_64 random_;
  RowArithmetic arithmetic_;
  RowMemory& memory_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::vector<std::int64_t>>> shares_;
  std::set<AxisId> folded_;
  std::shared_ptr<Scene> scene_;
  std::vector<Deferred> pending_;
  std::map<std::pair<OpId, std::int64_t>, std::map<Point, double>> kept_;
  bool is_replay_ = false;
};

std::string text_of(double value) { return (std::signbit(value) ? "-" : "") + std::to_string(std::fabs(value)); }

}  // namespace

void run_rows(const tile::Program& program, const RowReductionWorkload& workload, const RowMapping& mapping,
              std::uint64_t seed, RowArithmetic arithmetic, RowMemory& memory) {
  Machine(program, workload, mapping, seed, arithmetic, memory).run();
}

std::string rows_disagreement(tile::testing::Trial& trial, const RowReductionWorkload& workload,
                              const RowMapping& mapping, std::uint64_t seed, RowArithmetic arithmetic) {
  const tile::Program& program = trial.program();
  const auto exact = trial.exact();
  if (!exact) return render(exact.error());
  RowMemory memory;
  constexpr double kPoison = -98765;
  for (tile::ObjectId id : program.objects().ids()) {
    std::size_t size = 1;
    for (const std::int64_t extent : tile::bound_extents(program, id)) size *= static_cast<std::size_t>(extent);
    const tile::ObjectKind kind = program.object(id).kind;
    const bool is_input = kind == tile::ObjectKind::In || kind == tile::ObjectKind::InOut;
    memory[id] = is_input ? trial.values(program.object(id).name) : std::vector<double>(size, kPoison);
  }
  run_rows(program, workload, mapping, seed, arithmetic, memory);
  for (const auto& [id, output] : *exact)
    for (std::size_t i = 0; i < output.value.size(); ++i) {
      const bool is_written = output.written[i] != 0 || program.object(id).kind == tile::ObjectKind::InOut;
      const double found = memory.at(id)[i], expected = is_written ? output.value[i] : kPoison;
      // In FP64 there is next to nothing that a result may differ by, whatever the bound says.
      const double bound = !is_written ? 0
                           : arithmetic == RowArithmetic::F32 || output.bound[i] == 0
                               ? output.bound[i]
                               : std::min(output.bound[i], 1e-9 * (1 + std::fabs(expected)));
      if (tile::agree(found, expected, bound) != tile::Agreement::Within)
        return program.object(id).name + "[" + std::to_string(i) + "]: found " + text_of(found) + ", expected " +
               text_of(expected);
    }
  return {};
}

}  // namespace tilewright::realize
