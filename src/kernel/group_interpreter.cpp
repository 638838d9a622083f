#include "kernel/group_interpreter.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "kernel/accumulators.h"
#include "kernel/constants.h"
#include "kernel/group_memory.h"
#include "kernel/matrix_views.h"

namespace tilewright::kernel {

namespace {

struct RingState {
  /// By step: how many subgroups have made the action, and what they published.
  struct Step {
    std::int32_t commits = 0, releases = 0;
    std::vector<std::array<ClockView, 2>> committed, released;
  };
  std::map<std::int64_t, Step> steps;
  std::map<std::pair<RingAction, std::size_t>, std::int64_t> next;  ///< by action and subgroup
};

class GroupRun : private GroupMemory {
 public:
  GroupRun(const Program& program, const Kernel& kernel, Objects& objects, FaultLog& faults)
      : GroupMemory(program, kernel, objects, faults), accumulators_(program, kernel) {}

  Counts run() {
    if (kernel_.groups == 0 && std::ranges::count(kernel_.task_extents, 0) > 0) return counts_;
    std::int64_t tasks = 1;
    for (std::int64_t extent : kernel_.task_extents) tasks *= extent;
    const std::int64_t groups = kernel_.groups == 0 ? tasks : kernel_.groups;
    for (group_ = 0; group_ < groups && !faults_.stopped(); ++group_) run_group(tasks);
    end_kernel();
    return counts_;
  }

 private:
  // ---- Groups and tasks --------------------------------------------------------------------------------------------

  void run_group(std::int64_t tasks) {
    begin_group();
    rings_.assign(kernel_.rings.size(), {});
    const Mask all(workers_, 1);
    const Team team{0, subgroups_, 0, nullptr};
    tasks_ = tasks;
    if (kernel_.groups == 0) begin_task(group_, kernel_.body, all);
    run_block(kernel_.body, all, team);
    if (!flights_.empty() && faults_.claim(flights_.begin()->second.op))
      faults_.add(DiagCode::MemoryFault, fmt::format("{} is never waited for", where(flights_.begin()->second.op)));
  }

  void begin_task(std::int64_t ordinal, BlockId body, const Mask& mask) {
    ++counts_.tasks;
    task_.assign(kernel_.task_extents.size(), 0);
    for (std::size_t i = task_.size(); i-- > 0;) {
      task_[i] = ordinal % kernel_.task_extents[i];
      ordinal /= kernel_.task_extents[i];
    }
    const std::vector<ValueId>& args = program_.blocks[body].args;
    for (std::size_t i = 0; i < task_.size(); ++i)
      each_unit({}, mask, [&](std::size_t worker) { lane(args[i], worker) = static_cast<Lane>(task_[i]); });
  }

  void execute(const TaskLoopOp& payload, const Op&, OpId, const Mask& mask, const Team& team) {
    for (std::int64_t task = group_; task < tasks_ && !faults_.stopped(); task += kernel_.groups) {
      begin_task(task, payload.body, mask);
      run_block(payload.body, mask, team);
    }
  }

  // ---- Blocks ------------------------------------------------------------------------------------------------------

  void run_block(BlockId id, const Mask& mask, const Team& team) {
    for (OpId op_id : program_.blocks[id].ops) {
      if (faults_.stopped()) return;
      const Op& op = program_.ops[op_id];
      std::visit([&](const auto& payload) { execute(payload, op, op_id, mask, team); }, op.payload);
    }
  }

  void execute(const LoopOp& payload, const Op& op, OpId, const Mask& mask, const Team& team) {
    const Block& body = program_.blocks[payload.body];
    const std::span<const ValueId> carries(body.args.begin() + 1, body.args.end());
    copy_values(payload.inits, carries, mask);
    std::vector<std::int64_t> index(workers_);
    Mask running = mask;
    const auto keep = [&](std::size_t worker, bool goes_on) {
      running[worker] = goes_on && index[worker] < static_cast<std::int64_t>(lane(payload.high, worker)) ? 1 : 0;
    };
    each_unit({}, mask, [&](std::size_t worker) {
      ++counts_.ops;
      index[worker] = static_cast<std::int64_t>(lane(payload.low, worker));
      keep(worker, true);
    });
    while (std::ranges::count(running, 1) > 0 && !faults_.stopped()) {
      const Mask now = running;
      each_unit({}, now, [&](std::size_t worker) { lane(body.args[0], worker) = static_cast<Lane>(index[worker]); });
      run_block(payload.body, now, team);
      copy_values(body.yields, carries, now);
      each_unit({}, now, [&](std::size_t worker) {
        const bool wraps = __builtin_add_overflow(index[worker], payload.step, &index[worker]);
        keep(worker, !wraps);
      });
    }
    copy_values({carries.begin(), carries.end()}, op.results, mask);
  }

  void execute(const IfOp& payload, const Op& op, OpId, const Mask& mask, const Team& team) {
    Mask taken(workers_, 0), other(workers_, 0);
    each_unit({}, mask, [&](std::size_t worker) {
      ++counts_.ops;
      (lane(payload.condition, worker) != 0 ? taken : other)[worker] = 1;
    });
    const auto arm = [&](BlockId block, const Mask& who) {
      if (!block.valid() || std::ranges::count(who, 1) == 0) return;
      run_block(block, who, team);
      copy_values(program_.blocks[block].yields, op.results, who);
    };
    arm(payload.then_block, taken);
    arm(payload.else_block, other);
  }

  void execute(const RolesOp& payload, const Op&, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, Participants::Group, mask, team)) return;
    RoleTurns turns(payload.roles.size());
    std::vector<std::thread> threads;
    std::size_t first = 0;
    for (std::size_t i = 0; i < payload.roles.size(); ++i) {
      const Role& role = payload.roles[i];
      const Team part{first, first + static_cast<std::size_t>(role.subgroups), i, &turns};
      first = part.last_subgroup;
      try {
        threads.emplace_back([this, &role, &turns, part] { run_role(role, part, turns); });
      } catch (...) {
        turns.stop();
        role_failure_ = std::current_exception();
        break;
      }
    }
    for (std::thread& thread : threads) thread.join();
    if (role_failure_) std::rethrow_exception(std::exchange(role_failure_, nullptr));
  }

  void run_role(const Role& role, const Team& team, RoleTurns& turns) {
    try {
      turns.begin(team.role);
      Mask mask(workers_, 0);
      for (std::size_t worker = first_worker(team.first_subgroup); worker < first_worker(team.last_subgroup); ++worker)
        mask[worker] = 1;
      run_block(role.block, mask, team);
      turns.end(team.role);
    } catch (const AllRolesWait&) {
    } catch (...) {
      // One role runs at a time: nobody else looks at this.
      role_failure_ = std::current_exception();
      turns.stop();
    }
  }

  // ---- What each worker does by itself -----------------------------------------------------------------------------

  /// f(unit, i) gives slot i of the result of each unit that runs.
  template <class F>
  void each_slot(const Op& op, const Mask& mask, F&& f) {
    const ValueId result = op.results[0];
    const std::size_t count = per_unit(type(result));
    each_unit(type(result), mask, [&](std::size_t unit) {
      ++counts_.ops;
      Lane* out = slots(result, unit);
      for (std::size_t i = 0; i < count; ++i) out[i] = f(unit, i);
    });
  }

  void execute(const ConstOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const Lane bits = constant_bits(type(op.results[0]).scalar, payload.integer);
    each_slot(op, mask, [&](std::size_t, std::size_t) { return bits; });
  }
  void execute(const UnaryOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const ScalarType scalar = type(payload.operand).scalar;
    each_slot(op, mask, [&](std::size_t unit, std::size_t i) {
      return lane_unary(payload.kind, scalar, slots(payload.operand, unit)[i]);
    });
  }
  void execute(const BinaryOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const ScalarType scalar = type(payload.lhs).scalar;
    each_slot(op, mask, [&](std::size_t unit, std::size_t i) {
      return lane_binary(payload.kind, scalar, slots(payload.lhs, unit)[i], slots(payload.rhs, unit)[i]);
    });
  }
  void execute(const CompareOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const ScalarType scalar = type(payload.lhs).scalar;
    each_slot(op, mask, [&](std::size_t unit, std::size_t i) {
      return Lane{lane_compare(payload.kind, scalar, slots(payload.lhs, unit)[i], slots(payload.rhs, unit)[i])};
    });
  }
  void execute(const SelectOp& payload, const Op& op, OpId id, const Mask& mask, const Team&) {
    const ValueType condition = type(payload.condition), result = type(op.results[0]);
    const bool one_for_all = condition.is_scalar() && result.is_fragment();
    if (one_for_all) uniform(id, payload.condition, mask);
    each_slot(op, mask, [&](std::size_t unit, std::size_t i) {
      const Lane* chosen = slots(payload.condition, one_for_all ? first_worker(unit) : unit);
      const bool yes = chosen[condition.is_scalar() ? 0 : i] != 0;
      return slots(yes ? payload.if_true : payload.if_false, unit)[i];
    });
  }
  void execute(const CastOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const ScalarType from = type(payload.operand).scalar, to = type(op.results[0]).scalar;
    each_slot(op, mask,
              [&](std::size_t unit, std::size_t i) { return lane_cast(from, to, slots(payload.operand, unit)[i]); });
  }
  void execute(const FmaOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const ScalarType scalar = type(op.results[0]).scalar;
    each_slot(op, mask, [&](std::size_t unit, std::size_t i) {
      ++counts_.fmas;
      return lane_fma(scalar, slots(payload.a, unit)[i], slots(payload.b, unit)[i], slots(payload.c, unit)[i]);
    });
  }
  void execute(const SplatOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    each_slot(op, mask, [&](std::size_t unit, std::size_t) { return lane(payload.operand, unit); });
  }
  void execute(const IotaOp&, const Op& op, OpId, const Mask& mask, const Team&) {
    each_slot(op, mask, [](std::size_t, std::size_t i) { return Lane{i}; });
  }
  void execute(const ExtractOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    each_slot(op, mask,
              [&](std::size_t unit, std::size_t i) { return slots(payload.operand, unit)[payload.lane + i]; });
  }
  void execute(const ZipOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const std::size_t first = payload.high ? type(payload.lhs).lanes / 2 : 0;
    each_slot(op, mask, [&](std::size_t unit, std::size_t i) {
      return slots(i % 2 == 0 ? payload.lhs : payload.rhs, unit)[first + i / 2];
    });
  }
  void execute(const FoldLanesOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const ValueType operand = type(payload.operand);
    each_slot(op, mask, [&](std::size_t unit, std::size_t) {
      const Lane* a = slots(payload.operand, unit);
      Lane total = a[0];
      for (std::size_t i = 1; i < operand.lanes; ++i)
        total = lane_binary(binary_of(payload.kind), operand.scalar, total, a[i]);
      return total;
    });
  }
  void execute(const WorkerOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    each_slot(op, mask, [&](std::size_t worker, std::size_t) -> Lane {
      if (payload.query == WorkerQuery::Lane) return worker % subgroup_size_;
      return payload.query == WorkerQuery::Subgroup ? subgroup_of(worker) : worker;
    });
  }
  void execute(const GroupOrdinalOp&, const Op& op, OpId, const Mask& mask, const Team&) {
    each_slot(op, mask, [&](std::size_t, std::size_t) { return static_cast<Lane>(group_); });
  }

  void execute(const SubgroupReduceOp& payload, const Op& op, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, Participants::Subgroup, mask, team)) return;
    const ValueType operand = type(payload.operand);
    each_subgroup(mask, [&](std::size_t s) {
      ++counts_.ops, ++counts_.subgroup_exchanges;
      for (std::size_t i = 0; i < operand.lanes; ++i) {
        Lane total = slots(payload.operand, first_worker(s))[i];
        for (std::size_t worker = first_worker(s) + 1; worker < first_worker(s + 1); ++worker)
          total = lane_binary(binary_of(payload.kind), operand.scalar, total, slots(payload.operand, worker)[i]);
        for (std::size_t worker = first_worker(s); worker < first_worker(s + 1); ++worker)
          slots(op.results[0], worker)[i] = total;
      }
    });
  }

  void execute(const ShuffleOp& payload, const Op& op, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, Participants::Subgroup, mask, team)) return;
    const std::size_t lanes = type(payload.operand).lanes;
    each_subgroup(mask, [&](std::size_t s) {
      ++counts_.ops, ++counts_.subgroup_exchanges;
      for (std::size_t at = 0; at < subgroup_size_; ++at) {
        std::size_t from = payload.number;
        if (payload.kind == ShuffleKind::Xor) from = at ^ payload.number;
        if (payload.kind == ShuffleKind::Down) from = at + payload.number;
        if (from >= subgroup_size_) from = at;
        std::copy_n(slots(payload.operand, first_worker(s) + from), lanes, slots(op.results[0], first_worker(s) + at));
      }
    });
  }

  void execute(const LoadOp& payload, const Op& op, OpId id, const Mask& mask, const Team&) {
    AccessCounts& counts = counts_.memory[static_cast<std::size_t>(at(payload.memory).kind)];
    const std::size_t bytes = at(payload.memory).element_bytes;
    each_unit({}, mask, [&](std::size_t worker) {
      ++counts_.ops, ++counts.loads;
      for (std::size_t i = 0; i < type(op.results[0]).lanes; ++i) {
        Lane& out = slots(op.results[0], worker)[i];
        out = 0;
        if (payload.mask.valid() && slots(payload.mask, worker)[i] == 0) continue;
        counts.load_bytes += bytes;
        out = read(id, payload.memory, lane(payload.index, worker) + i, worker, subgroup_of(worker));
      }
    });
  }

  void execute(const PrefetchOp&, const Op&, OpId, const Mask&, const Team&) {}

  void execute(const StoreOp& payload, const Op&, OpId id, const Mask& mask, const Team&) {
    AccessCounts& counts = counts_.memory[static_cast<std::size_t>(at(payload.memory).kind)];
    const std::size_t bytes = at(payload.memory).element_bytes;
    each_unit({}, mask, [&](std::size_t worker) {
      ++counts_.ops, ++counts.stores;
      for (std::size_t i = 0; i < type(payload.value).lanes; ++i) {
        if (payload.mask.valid() && slots(payload.mask, worker)[i] == 0) continue;
        counts.store_bytes += bytes;
        write(id, payload.memory, lane(payload.index, worker) + i, slots(payload.value, worker)[i], worker,
              subgroup_of(worker));
      }
    });
  }

  // ---- Fragments and atoms -----------------------------------------------------------------------------------------

  /// The element of memory that (r, c) of a fragment or view is. Rows of a padded allocation are row + pad places apart
  /// and places of the padding are no element.
  std::uint64_t element_of(MemoryRef memory, Lane index, Lane row_stride, bool transposed, std::size_t r,
                           std::size_t c) const {
    const std::uint64_t down = transposed ? c : r, along = transposed ? r : c;
    const AllocationLayout* layout =
        memory.allocation.valid() ? &program_.allocations[memory.allocation].layout : nullptr;
    if (layout == nullptr || layout->row == 0 || layout->pad == 0) return index + down * row_stride + along;
    const auto row = static_cast<std::uint64_t>(layout->row), pitch = row + static_cast<std::uint64_t>(layout->pad);
    const std::uint64_t place = index / row * pitch + index % row + down * row_stride + along;
    return place % pitch < row ? place / pitch * row + place % pitch : UINT64_MAX;
  }

  void execute(const FragmentFillOp& payload, const Op& op, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, Participants::Subgroup, mask, team) || !uniform(id, payload.scalar, mask)) return;
    each_slot(op, mask, [&](std::size_t s, std::size_t) { return lane(payload.scalar, first_worker(s)); });
  }

  void execute(const FragmentLoadOp& payload, const Op& op, OpId id, const Mask& mask, const Team& team) {
    if (!at_one_place(id, payload, mask, team)) return;
    FragmentCounts& counts = counts_.fragments[static_cast<std::size_t>(at(payload.memory).kind)];
    const ValueType result = type(op.results[0]);
    auto& count = accumulators_.contain(op.results[0]) ? counts.accumulator_loads : counts.operand_loads;
    const auto element = [&](std::size_t s, std::size_t i) -> Lane {
      const std::size_t first = first_worker(s);
      if (!is_in(payload.part, first, i / result.columns, i % result.columns)) return 0;
      const std::uint64_t place =
          element_of(payload.memory, lane(payload.index, first), lane(payload.row_stride, first), payload.transposed,
                     i / result.columns, i % result.columns);
      return read(id, payload.memory, place, workers_ + s, s);
    };
    if (payload.participants == Participants::Subgroup) {
      each_subgroup(mask, [&](std::size_t) { ++count; });
      return each_slot(op, mask, element);
    }
    ++counts_.ops, ++count;
    for (std::size_t i = 0; i < per_unit(result); ++i) {
      const Lane read = element(owner_of(team, i), i);
      for (std::size_t s = team.first_subgroup; s < team.last_subgroup; ++s) slots(op.results[0], s)[i] = read;
    }
  }

  /// Somebody has element i of a fragment of the group: each time the same subgroup, and not one of them all.
  static std::size_t owner_of(const Team& team, std::size_t i) {
    return team.first_subgroup + i % (team.last_subgroup - team.first_subgroup);
  }

  void execute(const FragmentStoreOp& payload, const Op&, OpId id, const Mask& mask, const Team& team) {
    if (!at_one_place(id, payload, mask, team)) return;
    FragmentCounts& counts = counts_.fragments[static_cast<std::size_t>(at(payload.memory).kind)];
    const ValueType stored = type(payload.fragment);
    const auto store = [&](std::size_t s, std::size_t i) {
      const std::size_t first = first_worker(s);
      if (!is_in(payload.part, first, i / stored.columns, i % stored.columns)) return;
      write(id, payload.memory,
            element_of(payload.memory, lane(payload.index, first), lane(payload.row_stride, first), payload.transposed,
                       i / stored.columns, i % stored.columns),
            slots(payload.fragment, s)[i], workers_ + s, s);
    };
    if (payload.participants == Participants::Group) {
      ++counts_.ops, ++counts.stores;
      for (std::size_t i = 0; i < per_unit(stored); ++i) store(owner_of(team, i), i);
      return;
    }
    each_subgroup(mask, [&](std::size_t s) {
      ++counts_.ops, ++counts.stores;
      for (std::size_t i = 0; i < per_unit(stored); ++i) store(s, i);
    });
  }

  bool is_in(const FragmentPart& part, std::size_t worker, std::size_t row, std::size_t column) {
    if (part.is_whole()) return true;
    const auto rows = static_cast<std::int64_t>(lane(part.rows, worker));
    const auto columns = static_cast<std::int64_t>(lane(part.columns, worker));
    return static_cast<std::int64_t>(row) < rows && static_cast<std::int64_t>(column) < columns;
  }

  template <class Access>
  bool at_one_place(OpId id, const Access& access, const Mask& mask, const Team& team) {
    return converges(id, access.participants, mask, team) && uniform(id, access.index, mask) &&
           uniform(id, access.row_stride, mask) &&
           (access.part.is_whole() || (uniform(id, access.part.rows, mask) && uniform(id, access.part.columns, mask)));
  }

  void execute(const FragmentCoordinateOp& payload, const Op& op, OpId, const Mask& mask, const Team&) {
    const std::size_t columns = type(op.results[0]).columns;
    each_slot(op, mask, [&](std::size_t, std::size_t i) -> Lane {
      return payload.axis == FragmentAxis::Row ? i / columns : i % columns;
    });
  }

  /// Element (r, c) of an operand, as the participants starting with subgroup s see it.
  Lane operand_element(OpId id, const AtomOperand& operand, std::size_t s, std::size_t last, std::size_t r,
                       std::size_t c) {
    if (operand.fragment.valid()) return slots(operand.fragment, s)[r * type(operand.fragment).columns + c];
    const AtomView& view = operand.view;
    const std::size_t first = first_worker(s);
    const auto rows = static_cast<std::int64_t>(lane(view.rows, first));
    const auto columns = static_cast<std::int64_t>(lane(view.columns, first));
    if (static_cast<std::int64_t>(r) >= rows || static_cast<std::int64_t>(c) >= columns) return 0;
    const std::uint64_t element =
        element_of(view.memory, lane(view.index, first), lane(view.row_stride, first), view.transposed, r, c);
    // An operation of the group is one of each of its subgroups.
    for (std::size_t other = s + 1; other < last; ++other) read(id, view.memory, element, workers_ + other, other);
    return read(id, view.memory, element, workers_ + s, s);
  }
  ScalarType operand_scalar(const AtomOperand& operand) {
    return operand.fragment.valid() ? type(operand.fragment).scalar : at(operand.view.memory).scalar;
  }

  void execute(const AtomOp& payload, const Op& op, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, payload.participants, mask, team)) return;
    bool one_place = uniform(id, payload.k, mask);
    for (const AtomOperand* operand : {&payload.a, &payload.b})
      if (!operand->fragment.valid())
        for (ValueId value : {operand->view.index, operand->view.row_stride, operand->view.rows, operand->view.columns,
                              operand->view.origin.inner, operand->view.origin.outer})
          one_place = one_place && (!value.valid() || uniform(id, value, mask));
    if (!one_place) return;
    if (payload.participants == Participants::Group) {
      ++counts_.ops, ++counts_.atoms[payload.atom];
      multiply(payload, op, id, team.first_subgroup, team.last_subgroup);
      for (std::size_t s = team.first_subgroup + 1; s < team.last_subgroup; ++s)
        std::copy_n(slots(op.results[0], team.first_subgroup), per_unit(type(op.results[0])), slots(op.results[0], s));
      return;
    }
    each_subgroup(mask, [&](std::size_t s) {
      ++counts_.ops, ++counts_.atoms[payload.atom];
      multiply(payload, op, id, s, s + 1);
    });
  }

  bool keeps_promise(OpId id, const AtomOp& atom, bool left, std::size_t s) {
    const AtomView& view = left ? atom.a.view : atom.b.view;
    if (!view.origin.is_known()) return true;
    const auto number = [&](ValueId value) { return static_cast<std::int64_t>(lane(value, first_worker(s))); };
    const ViewNumbers numbers{number(view.index),   number(view.row_stride),   number(view.rows),
                              number(view.columns), number(view.origin.inner), number(view.origin.outer)};
    const Buffer& buffer = program_.buffers[view.memory.buffer];
    const std::string broken = broken_promise(atom, left, buffer.matrix.value(), numbers);
    if (!broken.empty() && faults_.claim(id))
      faults_.add(DiagCode::MemoryFault,
                  fmt::format("{}: the view of {} is not what it says: {}", where(id), buffer.name, broken));
    return broken.empty();
  }

  /// For the subgroups [s, last), as the first of them sees the operands.
  void multiply(const AtomOp& payload, const Op& op, OpId id, std::size_t s, std::size_t last) {
    const ValueType result = type(op.results[0]);
    const auto m = static_cast<std::size_t>(payload.m), n = static_cast<std::size_t>(payload.n);
    const std::size_t k = lane(payload.k, first_worker(s));
    if (k > static_cast<std::size_t>(kMaxAtomDepth)) {
      if (faults_.claim(id))
        faults_.add(DiagCode::MemoryFault, fmt::format("{}: k is {}; expected 0 to {}", where(id),
                                                       static_cast<std::int64_t>(k), kMaxAtomDepth));
      return;
    }
    if (!keeps_promise(id, payload, true, s) || !keeps_promise(id, payload, false, s)) return;
    const auto widened = [&](const AtomOperand& operand, std::size_t rows, std::size_t columns) {
      std::vector<Lane> elements(rows * columns);
      for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = lane_cast(operand_scalar(operand), ScalarType::F32,
                                operand_element(id, operand, s, last, i / columns, i % columns));
      return elements;
    };
    const std::vector<Lane> a = widened(payload.a, m, k), b = widened(payload.b, k, n);
    for (std::size_t i = 0; i < m * n; ++i) {
      Lane sum = payload.c.valid() ? slots(payload.c, s)[i] : Lane{0};
      for (std::size_t step = 0; step < k; ++step) {
        const Lane wide = lane_cast(result.scalar, ScalarType::F32, sum);
        const Lane next = lane_fma(ScalarType::F32, a[i / n * k + step], b[step * n + i % n], wide);
        sum = lane_cast(ScalarType::F32, result.scalar, next);
      }
      slots(op.results[0], s)[i] = sum;
    }
  }

  // ---- Fences, copies, rings ---------------------------------------------------------------------------------------

  void execute(const FenceOp& payload, const Op&, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, payload.participants, mask, team)) return;
    if (payload.participants == Participants::Group) {
      ++counts_.ops, ++counts_.group_fences;
      clocks_.fence(payload.memory, payload.proxy, team.first_subgroup, team.last_subgroup);
      return;
    }
    each_subgroup(mask, [&](std::size_t s) {
      ++counts_.ops, ++counts_.subgroup_fences;
      clocks_.fence(payload.memory, payload.proxy, s, s + 1);
    });
  }

  void execute(const AsyncCopyOp& payload, const Op& op, OpId id, const Mask& mask, const Team& team) {
    if (!payload.cooperative) {
      each_unit({}, mask, [&](std::size_t worker) { lane(op.results[0], worker) = issue(payload, id, worker); });
      return;
    }
    if (!converges(id, payload.participants, mask, team)) return;
    const auto together = [&](std::size_t first, std::size_t last) {
      const Lane token = issue(payload, id, first_worker(first));
      flights_[token].first_subgroup = static_cast<std::uint32_t>(first);
      flights_[token].last_subgroup = static_cast<std::uint32_t>(last);
      for (std::size_t worker = first_worker(first); worker < first_worker(last); ++worker)
        lane(op.results[0], worker) = token;
    };
    if (payload.participants == Participants::Group) return together(team.first_subgroup, team.last_subgroup);
    each_subgroup(mask, [&](std::size_t s) { together(s, s + 1); });
  }

  /// Moves the elements at once: who touches them before the wait is told so.
  Lane issue(const AsyncCopyOp& payload, OpId id, std::size_t worker) {
    ++counts_.ops, ++counts_.async_copies;
    const std::uint64_t from = lane(payload.source_index, worker), to = lane(payload.destination_index, worker);
    const std::uint64_t count = lane(payload.count, worker);
    const std::size_t s = subgroup_of(worker);
    const std::uint64_t fits = std::min(at(payload.source).count, at(payload.destination).count) + 1;
    for (std::uint64_t i = 0; i < std::min(count, fits); ++i)
      write(id, payload.destination, to + i, read(id, payload.source, from + i, worker, s, FenceProxy::Async), worker,
            s, FenceProxy::Async);
    flights_[++last_token_] = {payload.destination, payload.source, to, from, count, id, worker, 0, 0};
    return last_token_;
  }

  void execute(const WaitOp& payload, const Op&, OpId id, const Mask& mask, const Team&) {
    std::set<Lane> tokens;
    each_unit({}, mask, [&](std::size_t worker) {
      ++counts_.ops;
      for (ValueId token : payload.tokens) tokens.insert(lane(token, worker));
    });
    for (Lane token : tokens) {
      const auto flight = flights_.find(token);
      if (flight == flights_.end()) {
        if (faults_.claim(id))
          faults_.add(DiagCode::MemoryFault, fmt::format("{} waits for a copy that was waited for before", where(id)));
        continue;
      }
      complete(flight->second);
      flights_.erase(flight);
    }
  }

  void execute(const RingOp& payload, const Op&, OpId id, const Mask& mask, const Team& team) {
    if (!converges(id, Participants::Group, mask, team) || !uniform(id, payload.step, mask)) return;
    const Ring& ring = kernel_.rings[payload.ring];
    const auto step = static_cast<std::int64_t>(lane(payload.step, first_worker(team.first_subgroup)));
    RingState& state = rings_[payload.ring];
    each_subgroup(mask, [&](std::size_t s) {
      ++counts_.ops;
      const std::int64_t next = step == INT64_MAX ? step : step + 1;
      if (std::exchange(state.next[{payload.action, s}], next) != step && faults_.claim(id))
        faults_.add(DiagCode::RingFault,
                    fmt::format("{} is made for step {} out of turn by subgroup {}", where(id), step, s));
    });
    if (payload.action == RingAction::Acquire && step >= ring.versions) {
      wait_for(id, team,
               [&state, &ring, step] { return state.steps[step - ring.versions].releases == ring.consumers; });
      hear_all(state.steps[step - ring.versions].released, mask);
    }
    if (payload.action == RingAction::Await) {
      wait_for(id, team, [&state, &ring, step] { return state.steps[step].commits == ring.producers; });
      hear_all(state.steps[step].committed, mask);
    }
    each_subgroup(mask, [&](std::size_t s) {
      RingState::Step& slot = state.steps[step];
      if (payload.action == RingAction::Commit) ++slot.commits, slot.committed.push_back(clocks_.publish_shared(s));
      if (payload.action == RingAction::Release) ++slot.releases, slot.released.push_back(clocks_.publish_shared(s));
    });
  }

  void hear_all(const std::vector<std::array<ClockView, 2>>& published, const Mask& mask) {
    each_subgroup(mask, [&](std::size_t s) {
      for (const auto& views : published) clocks_.hear_shared(s, views);
    });
  }

  void wait_for(OpId id, const Team& team, std::function<bool()> condition) {
    if (condition()) return;
    const auto stuck = [&] {
      if (faults_.claim(id)) faults_.add(DiagCode::RingFault, fmt::format("{} waits for ever", where(id)));
    };
    if (team.turns == nullptr) return stuck();
    try {
      team.turns->wait(team.role, std::move(condition));
    } catch (const AllRolesWait&) {
      const std::lock_guard lock(stuck_mutex_);
      stuck();
      throw;
    }
  }

  Accumulators accumulators_;
  Counts counts_;
  std::int64_t tasks_ = 0;
  Lane last_token_ = 0;
  std::vector<RingState> rings_;
  std::mutex stuck_mutex_;
  std::exception_ptr role_failure_;
};

}  // namespace

Counts run_groups(const Program& program, const Kernel& kernel, Objects& objects, FaultLog& faults) {
  return GroupRun(program, kernel, objects, faults).run();
}

}  // namespace tilewright::kernel
