#include "kernel/interpreter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/access_order.h"
#include "kernel/constants.h"
#include "kernel/group_interpreter.h"
#include "kernel/lanes.h"
#include "kernel/objects.h"
#include "kernel/op_rules.h"
#include "support/check.h"

namespace tilewright::kernel {

namespace {

/// Kernels of one worker.
class ScalarRun {
 public:
  ScalarRun(const Program& program, Objects& objects, FaultLog& faults, std::int64_t range_length)
      : program_(program), objects_(objects), faults_(faults), range_length_(range_length) {
    std::size_t lanes = 0;
    for (const ValueType& type : program.values) {
      first_lane_.push_back(lanes);
      lanes += type.lanes;
    }
    lanes_.resize(lanes);
  }

  Counts run(const Kernel& kernel) {
    kernel_ = &kernel;
    counts_ = {};
    if (std::ranges::count(kernel.task_extents, 0) > 0) return counts_;
    for (AllocationId id : kernel.allocations) allocation(id).make_own();
    task_.assign(kernel.task_extents.size(), 0);
    if (kernel.ranges) {
      run_ranges(kernel);
    } else {
      run_tasks(kernel);
    }
    for (AllocationId id : kernel.allocations) allocation(id).drop_own();
    return counts_;
  }

 private:
  Object& allocation(AllocationId id) { return objects_.allocations[id.index]; }

  void run_ranges(const Kernel& kernel) {
    const std::int64_t tasks = kernel.task_extents[0];
    const std::int64_t length = range_length_ > 0 ? range_length_ : tasks;
    const std::vector<ValueId>& bounds = program_.blocks[kernel.body].args;
    for (task_[0] = 0; task_[0] < tasks && !stopped(); task_[0] += length) {
      const std::int64_t end = std::min(tasks - task_[0], length) + task_[0];
      counts_.tasks += static_cast<std::uint64_t>(end - task_[0]);
      for (AllocationId id : kernel.allocations) allocation(id).forget_contents();
      lane(bounds[0]) = static_cast<Lane>(task_[0]);
      lane(bounds[1]) = static_cast<Lane>(end);
      run_block(kernel.body);
    }
  }

  void run_tasks(const Kernel& kernel) {
    do {
      ++counts_.tasks;
      for (AllocationId id : kernel.allocations) allocation(id).forget_contents();
      const std::vector<ValueId>& coordinates = program_.blocks[kernel.body].args;
      for (std::size_t i = 0; i < task_.size(); ++i) lane(coordinates[i]) = static_cast<Lane>(task_[i]);
      run_block(kernel.body);
    } while (!stopped() && next_task(kernel.task_extents));
  }

  bool next_task(const std::vector<std::int64_t>& extents) {
    for (std::size_t i = extents.size(); i-- > 0;) {
      if (++task_[i] < extents[i]) return true;
      task_[i] = 0;
    }
    return false;
  }

  // ---- Values ------------------------------------------------------------------------------------------------------

  Lane* lanes(ValueId id) { return lanes_.data() + first_lane_[id.index]; }
  Lane& lane(ValueId id) { return lanes_[first_lane_[id.index]]; }
  ValueType type(ValueId id) const { return program_.values[id]; }

  /// All at once: a source may be among the targets.
  void move_values(const std::vector<ValueId>& from, const std::vector<ValueId>& to, std::size_t first_target) {
    scratch_.clear();
    for (ValueId id : from) scratch_.insert(scratch_.end(), lanes(id), lanes(id) + type(id).lanes);
    const Lane* next = scratch_.data();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const ValueId target = to[first_target + i];
      std::copy_n(next, type(target).lanes, lanes(target));
      next += type(target).lanes;
    }
  }

  // ---- Operations --------------------------------------------------------------------------------------------------

  bool stopped() const { return faults_.stopped(); }

  void run_block(BlockId id) {
    for (OpId op_id : program_.blocks[id].ops) {
      if (stopped()) return;
      const Op& op = program_.ops[op_id];
      ++counts_.ops;
      std::visit([&](const auto& payload) { execute(payload, op, op_id); }, op.payload);
    }
  }

  /// result[i] = f(i) for every lane.
  template <class F>
  void each_lane(const Op& op, F&& f) {
    const ValueId result = op.results[0];
    Lane* out = lanes(result);
    const std::size_t count = type(result).lanes;
    for (std::size_t i = 0; i < count; ++i) out[i] = f(i);
  }

  void execute(const ConstOp& payload, const Op& op, OpId) {
    const Lane bits = constant_bits(type(op.results[0]).scalar, payload.integer);
    each_lane(op, [&](std::size_t) { return bits; });
  }
  void execute(const UnaryOp& payload, const Op& op, OpId) {
    const Lane* a = lanes(payload.operand);
    const ScalarType scalar = type(payload.operand).scalar;
    each_lane(op, [&](std::size_t i) { return lane_unary(payload.kind, scalar, a[i]); });
  }
  void execute(const BinaryOp& payload, const Op& op, OpId) {
    const Lane *a = lanes(payload.lhs), *b = lanes(payload.rhs);
    const ScalarType scalar = type(payload.lhs).scalar;
    each_lane(op, [&](std::size_t i) { return lane_binary(payload.kind, scalar, a[i], b[i]); });
  }
  void execute(const CompareOp& payload, const Op& op, OpId) {
    const Lane *a = lanes(payload.lhs), *b = lanes(payload.rhs);
    const ScalarType scalar = type(payload.lhs).scalar;
    each_lane(op, [&](std::size_t i) { return Lane{lane_compare(payload.kind, scalar, a[i], b[i])}; });
  }
  void execute(const SelectOp& payload, const Op& op, OpId) {
    const Lane *condition = lanes(payload.condition), *a = lanes(payload.if_true), *b = lanes(payload.if_false);
    const std::size_t stride = type(payload.condition).lanes == 1 ? 0 : 1;
    each_lane(op, [&](std::size_t i) { return condition[i * stride] != 0 ? a[i] : b[i]; });
  }
  void execute(const CastOp& payload, const Op& op, OpId) {
    const Lane* a = lanes(payload.operand);
    const ScalarType from = type(payload.operand).scalar, to = type(op.results[0]).scalar;
    each_lane(op, [&](std::size_t i) { return lane_cast(from, to, a[i]); });
  }
  void execute(const FmaOp& payload, const Op& op, OpId) {
    const Lane *a = lanes(payload.a), *b = lanes(payload.b), *c = lanes(payload.c);
    const ValueType result = type(op.results[0]);
    counts_.fmas += result.lanes;
    each_lane(op, [&](std::size_t i) { return lane_fma(result.scalar, a[i], b[i], c[i]); });
  }
  void execute(const SplatOp& payload, const Op& op, OpId) {
    const Lane value = lane(payload.operand);
    each_lane(op, [&](std::size_t) { return value; });
  }
  void execute(const IotaOp&, const Op& op, OpId) {
    each_lane(op, [](std::size_t i) { return Lane{i}; });
  }
  void execute(const ExtractOp& payload, const Op& op, OpId) {
    const Lane* a = lanes(payload.operand);
    each_lane(op, [&](std::size_t i) { return a[payload.lane + i]; });
  }
  void execute(const ZipOp& payload, const Op& op, OpId) {
    const Lane *a = lanes(payload.lhs), *b = lanes(payload.rhs);
    const std::size_t first = payload.high ? type(payload.lhs).lanes / 2 : 0;
    each_lane(op, [&](std::size_t i) { return (i % 2 == 0 ? a : b)[first + i / 2]; });
  }
  void execute(const FoldLanesOp& payload, const Op& op, OpId) {
    const Lane* a = lanes(payload.operand);
    const ValueType operand = type(payload.operand);
    Lane total = a[0];
    for (std::size_t i = 1; i < operand.lanes; ++i)
      total = lane_binary(binary_of(payload.kind), operand.scalar, total, a[i]);
    lane(op.results[0]) = total;
  }

  // ---- Memory ------------------------------------------------------------------------------------------------------

  Object& at(MemoryRef memory) { return objects_.at(memory); }

  void execute(const LoadOp& payload, const Op& op, OpId id) {
    const Object& object = at(payload.memory);
    const Lane index = lane(payload.index);
    const Lane* mask = payload.mask.valid() ? lanes(payload.mask) : nullptr;
    AccessCounts& counts = counts_.memory[static_cast<std::size_t>(object.kind)];
    ++counts.loads;
    each_lane(op, [&](std::size_t i) -> Lane {
      if (mask != nullptr && mask[i] == 0) return 0;
      counts.load_bytes += object.element_bytes;
      // Wraps around where the sum leaves 64 bits; as an unsigned number that is past every object too.
      const std::uint64_t element = index + i;
      if (element >= object.count) return fault(id, payload.memory, element, "reads"), 0;
      if (object.tracked && object.written[element] == 0)
        return fault(id, payload.memory, element, "reads before it is written"), 0;
      const Lane value = object.get(element);
      return object.scalar == ScalarType::I1 ? Lane{value != 0} : value;
    });
  }

  void execute(const StoreOp& payload, const Op&, OpId id) {
    Object& object = at(payload.memory);
    const Lane index = lane(payload.index);
    const Lane* mask = payload.mask.valid() ? lanes(payload.mask) : nullptr;
    const Lane* value = lanes(payload.value);
    AccessCounts& counts = counts_.memory[static_cast<std::size_t>(object.kind)];
    ++counts.stores;
    const std::size_t count = type(payload.value).lanes;
    for (std::size_t i = 0; i < count; ++i) {
      if (mask != nullptr && mask[i] == 0) continue;
      counts.store_bytes += object.element_bytes;
      const std::uint64_t element = index + i;
      if (element < object.count)
        object.put(element, value[i]);
      else
        fault(id, payload.memory, element, "writes");
    }
  }

  void execute(const PrefetchOp&, const Op&, OpId) {}

  void fault(OpId id, MemoryRef memory, std::uint64_t element, const char* what) {
    if (!faults_.claim(id)) return;
    faults_.add(DiagCode::MemoryFault,
                fmt::format("{} {} element {} of {}, which has {}", faults_.where(*kernel_, task_, id), what,
                            static_cast<std::int64_t>(element), memory_label(program_, memory), at(memory).count));
  }

  // ---- Control -----------------------------------------------------------------------------------------------------

  void execute(const LoopOp& payload, const Op& op, OpId) {
    const std::vector<ValueId>& args = program_.blocks[payload.body].args;
    const std::vector<ValueId>& yields = program_.blocks[payload.body].yields;
    const auto high = static_cast<std::int64_t>(lane(payload.high));
    auto i = static_cast<std::int64_t>(lane(payload.low));
    move_values(payload.inits, args, 1);
    while (i < high && !stopped()) {
      lane(args[0]) = static_cast<Lane>(i);
      run_block(payload.body);
      move_values(yields, args, 1);
      if (__builtin_add_overflow(i, payload.step, &i)) break;
    }
    for (std::size_t carry = 0; carry < op.results.size(); ++carry)
      std::copy_n(lanes(args[carry + 1]), type(op.results[carry]).lanes, lanes(op.results[carry]));
  }

  void execute(const IfOp& payload, const Op& op, OpId) {
    const BlockId block = lane(payload.condition) != 0 ? payload.then_block : payload.else_block;
    if (!block.valid()) return;
    run_block(block);
    move_values(program_.blocks[block].yields, op.results, 0);
  }

  /// What groups do together is no operation of one worker: the verifier refuses it there.
  template <class Payload>
  void execute(const Payload&, const Op&, OpId) {
    TW_CHECK(!"an operation of groups in a kernel of one worker");
  }

  const Program& program_;
  Objects& objects_;
  FaultLog& faults_;
  std::int64_t range_length_;
  const Kernel* kernel_ = nullptr;
  std::vector<std::int64_t> task_;
  std::vector<std::size_t> first_lane_;  ///< by value
  std::vector<Lane> lanes_, scratch_;
  Counts counts_;
};

/// Of temporaries and allocations. Beyond it the system may kill the process instead of refusing.
constexpr double kMaxOwnBytes = 0x1p36;

double own_bytes(const Program& program) {
  double total = 0;
  for (const Buffer& buffer : program.buffers)
    if (buffer.kind == BufferKind::Temporary)
      total += static_cast<double>(buffer.count) * static_cast<double>(scalar_bytes(buffer.scalar));
  for (const Kernel& kernel : program.kernels) {
    for (AllocationId id : kernel.allocations) {
      const Allocation& allocation = program.allocations[id];
      const double copies = allocation.space == AllocationSpace::Private ? kernel.group.workers : 1;
      total += static_cast<double>(allocation.count) * static_cast<double>(scalar_bytes(allocation.scalar)) * copies;
    }
    if (kernel.group == Group{} && kernel.groups == 0) continue;
    total += static_cast<double>(program.values.size()) * kernel.group.workers * sizeof(Lane);
    for (const Buffer& buffer : program.buffers) total += static_cast<double>(buffer.count) * sizeof(ElementHistory);
  }
  return total;
}

Result<std::vector<Counts>> run_all(const Program& program, std::span<std::byte* const> buffers,
                                    std::int64_t range_length) {
  Objects objects(program, buffers);
  FaultLog faults(program);
  ScalarRun scalar(program, objects, faults, range_length);
  std::vector<Counts> all;
  for (const Kernel& kernel : program.kernels) {
    const bool alone = kernel.group == Group{} && kernel.groups == 0;
    all.push_back(alone ? scalar.run(kernel) : run_groups(program, kernel, objects, faults));
    if (faults.stopped()) break;
  }
  if (!faults.empty()) return std::unexpected(faults.take());
  return all;
}

}  // namespace

Result<std::vector<Counts>> interpret(const Program& program, std::span<std::byte* const> buffers,
                                      std::int64_t range_length) {
  if (own_bytes(program) <= kMaxOwnBytes) {
    try {
      return run_all(program, buffers, range_length);
    } catch (const std::bad_alloc&) {
    }
  }
  return failure(DiagCode::OutOfMemory, fmt::format("kernel program {} needs more memory than there is", program.name));
}

}  // namespace tilewright::kernel
