#include "emit/msl/legality.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/names.h"
#include "kernel/op_rules.h"
#include "kernel/printer.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

constexpr const char* kAtom = "metal.simdgroup8x8";
constexpr std::int64_t kSimdWidth = 32;

std::int64_t bytes_of(const Allocation& allocation) {
  return checked_mul(allocation_places(allocation), static_cast<std::int64_t>(scalar_bytes(allocation.scalar)))
      .value_or(INT64_MAX);
}

/// Whether it matters to the operation which workers are a subgroup.
bool asks_for_subgroups(const Program& program, const Op& op) {
  if (const auto* worker = std::get_if<WorkerOp>(&op.payload)) return worker->query != WorkerQuery::Worker;
  if (const auto* fence = std::get_if<FenceOp>(&op.payload)) return fence->participants == Participants::Subgroup;
  if (std::holds_alternative<SubgroupReduceOp>(op.payload) || std::holds_alternative<ShuffleOp>(op.payload))
    return true;
  bool fragments = false;
  const auto look = [&](ValueId value) { fragments = fragments || program.values[value].is_fragment(); };
  for_each_operand(op.payload, look);
  for (ValueId result : op.results) look(result);
  return fragments;
}

class OperationCheck {
 public:
  explicit OperationCheck(const KernelFacts& facts) : facts_(facts), program_(facts.program) {}

  Result<void> run() {
    block(facts_.kernel.body);
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return {};
  }

 private:
  template <class... Args>
  void refuse(std::string hint, fmt::format_string<Args...> format, Args&&... args) {
    faults_.push_back(Diag{DiagCode::Unsupported,
                           fmt::format("kernel {}: '{}': {}", facts_.kernel.name, print_op(program_, *op_),
                                       fmt::format(format, std::forward<Args>(args)...)),
                           {},
                           std::move(hint),
                           {}});
  }

  void block(BlockId id) {
    for (OpId op : program_.blocks[id].ops) {
      op_ = &program_.ops[op];
      if (facts_.kernel.group.subgroup_size != kSimdWidth && asks_for_subgroups(program_, *op_))
        refuse("lower for subgroups of 32", "the kernel counts on subgroups of {}; those of Metal have {}",
               facts_.kernel.group.subgroup_size, kSimdWidth);
      std::visit([&](const auto& payload) { check(payload); }, op_->payload);
      for (ValueId result : op_->results) check_value(result);
      for (BlockId nested : nested_blocks(program_.ops[op].payload)) block(nested);
    }
  }

  void check_value(ValueId value) {
    const ValueType type = program_.values[value];
    if (!is_tensor(type)) return;
    // What is written out where it is used is checked there.
    const OpId definition = facts_.placement.definition(value);
    if (definition.valid() && facts_.placement.is_live(definition) && !facts_.placement.is_held(value)) return;
    if (facts_.tensors.is_of_several(value))
      return refuse(
          "store the fragments and load them again",
          "{} belongs to tensor operations of different shapes, modes, precision or operands, which keep their "
          "elements each in a way of its own",
          type_name(type));
    if (facts_.tensors.of(value)) {
      if (facts_.placement.is_held(value) && !is_float_scalar(type.scalar) && type.scalar != ScalarType::I1)
        refuse("keep it in f32", "a tensor operation leaves f32, and {} cannot be kept beside it", type_name(type));
      return;
    }
    refuse("lower to fragments of 8 by 8", "{} is no matrix of Metal's SIMD groups, which are 8x8", type_name(type));
  }

  template <class Payload>
  void check(const Payload&) {}
  void check(const AsyncCopyOp&) { refuse("copy with loads and stores", "Metal has no asynchronous copies"); }
  void check(const WaitOp&) { refuse("copy with loads and stores", "Metal has no asynchronous copies"); }
  void check(const RingOp&) { refuse("order with fences", "Metal has no rings"); }
  void check(const RolesOp&) { refuse("let all subgroups do the same", "roles are not made for Metal"); }
  void check(const TaskLoopOp&) { refuse("one group a task", "task loops are not made for Metal"); }
  void check(const GroupOrdinalOp&) { refuse("one group a task", "task loops are not made for Metal"); }

  void check(const FenceOp& payload) {
    if (payload.scope != payload.participants)
      refuse("let the whole group come to the fence",
             "a barrier of Metal orders the memory of those who come to it, not of the group");
  }

  void check(const FragmentLoadOp& payload) {
    if (!is_float_scalar(program_.values[op_->results[0]].scalar))
      refuse("load element by element", "Metal's matrices hold f16, bf16 or f32");
    check_stride(payload.row_stride);
    check_participants(payload.participants, op_->results[0]);
  }
  void check(const FragmentStoreOp& payload) {
    if (!is_float_scalar(program_.values[payload.fragment].scalar))
      refuse("store element by element", "Metal's matrices hold f16, bf16 or f32");
    check_stride(payload.row_stride);
    const ValueType type = program_.values[payload.fragment];
    const auto tensor = facts_.tensors.behind(payload.fragment);
    if (is_tensor(type) && !tensor)
      return refuse("store what a tensor operation leaves", "{} is of no tensor operation", type_name(type));
    check_participants(payload.participants, tensor.value_or(payload.fragment));
  }
  /// A tensor is held by those who make its operation: they load and store it.
  void check_participants(Participants participants, ValueId fragment) {
    const bool tensor = is_tensor(program_.values[fragment]);
    if (!tensor && participants == Participants::Group)
      return refuse("one fragment a subgroup", "8x8 matrices of Metal belong to one SIMD group");
    const auto operation = tensor ? facts_.tensors.of(fragment) : std::nullopt;
    if (!operation) return;
    const std::int64_t makers = facts_.tensors.operations()[*operation].operation.subgroups;
    const std::int64_t group = facts_.kernel.group.workers / facts_.kernel.group.subgroup_size;
    if (group > 1 && (makers > 1) != (participants == Participants::Group))
      refuse("let those access it who make the operation", "the tensor is held by {}, and accessed by {}",
             makers > 1 ? "the group" : "a subgroup", participants_name(participants));
  }
  void check_stride(ValueId stride) {
    if (facts_.ranges.of(stride).low < 0)
      refuse("stage the rows in shared memory", "the row stride may be negative, which Metal does not promise to take");
  }

  void check(const AtomOp& payload) {
    if (payload.atom == kTensorAtom) return check_tensor(payload);
    if (payload.atom != kAtom) return refuse("plan for the target of that atom", "{} is not made here", payload.atom);
    if (payload.participants != Participants::Subgroup || !payload.a.fragment.valid() || !payload.b.fragment.valid())
      return refuse("load the operands into fragments", "{} is made by one subgroup from fragments", kAtom);
    const ScalarType a = program_.values[payload.a.fragment].scalar, b = program_.values[payload.b.fragment].scalar;
    const ScalarType d = program_.values[op_->results[0]].scalar;
    if (a != b || !is_float_scalar(a) || d != ScalarType::F32)
      refuse("convert the operands to one type",
             "{} multiplies two f16, two bf16 or two f32 into f32, not {} and {} into {}", kAtom, scalar_name(a),
             scalar_name(b), scalar_name(d));
  }

  void check_tensor(const AtomOp& payload) {
    if (payload.a.fragment.valid() || payload.b.fragment.valid())
      return refuse("give it views of memory", "{} is made from views of memory", kTensorAtom);
    if (payload.m % 8 != 0 || payload.n % 8 != 0 || (payload.m % 16 != 0 && payload.n % 16 != 0))
      refuse("plan other rectangles", "m and n are {} and {}; expected multiples of 8, one of them of 16", payload.m,
             payload.n);
    const ScalarType d = program_.values[op_->results[0]].scalar;
    if (d != ScalarType::F32) refuse("accumulate in f32", "{} leaves f32 here, not {}", kTensorAtom, scalar_name(d));
    for (bool left : {true, false}) {
      const AtomView& view = left ? payload.a.view : payload.b.view;
      const bool device = view.memory.buffer.valid();
      const ScalarType scalar =
          device ? program_.buffers[view.memory.buffer].scalar : program_.allocations[view.memory.allocation].scalar;
      if (!is_float_scalar(scalar))
        refuse("convert the operands", "{} multiplies f16, bf16 or f32, not {}", kTensorAtom, scalar_name(scalar));
      check_depth(payload, left);
      if (!view.row_stride.valid()) continue;  // a tensor that is bound
      const TensorSide side = side_of(payload, left);
      // Rows of memory are along the side whose elements do not follow each other.
      const std::int64_t rows =
          side.depth_is_inner ? side.extent : std::min(facts_.ranges.of(payload.k).high, kMaxAtomDepth);
      const IndexRange stride = facts_.ranges.of(view.row_stride);
      const auto reach = checked_mul(std::max<std::int64_t>(rows - 1, 0), stride.high);
      if (stride.low < 0 || !reach || *reach > INT32_MAX)
        refuse("let the planner stage the rows: forward_readonly_tile_loads=false",
               "{} rows of {} with a stride of {} to {} reach past 2147483647 elements, or back", rows,
               left ? "a" : "b", stride.low, stride.high);
    }
  }
  /// Both views say how long k is, and an operation takes one length.
  void check_depth(const AtomOp& payload, bool left) {
    const TensorSide side = side_of(payload, left);
    if (side.depth == payload.k || facts_.ranges.of(side.depth).low >= facts_.ranges.of(payload.k).high) return;
    refuse("use one value for k and for the extents along it", "the view of {} may have fewer elements along k than k",
           left ? "a" : "b");
  }

  const KernelFacts& facts_;
  const Program& program_;
  const Op* op_ = nullptr;
  Diags faults_;
};

Result<void> check_memory(const Program& program, const Kernel& kernel, AllocationSpace space, std::int64_t limit,
                          const char* what, const char* hint) {
  std::int64_t sum = 0;
  for (AllocationId id : kernel.allocations) {
    const Allocation& allocation = program.allocations[id];
    const bool own = kernel.group.workers == 1;
    if ((own ? AllocationSpace::Private : allocation.space) != space) continue;
    const std::int64_t bytes = bytes_of(allocation);
    sum = checked_add(sum, bytes).value_or(INT64_MAX);
    if (sum > limit)
      return failure(DiagCode::Unsupported,
                     fmt::format("kernel {}: with allocation {} of {} bytes there are {} bytes of {}; the limit is {}",
                                 kernel.name, allocation.name, bytes, sum, what, limit),
                     hint);
  }
  return {};
}

}  // namespace

std::int64_t allocation_places(const Allocation& allocation) {
  const AllocationLayout& layout = allocation.layout;
  if (layout.row == 0 || layout.pad == 0) return std::max<std::int64_t>(allocation.count, 1);
  const std::int64_t rows = (allocation.count + layout.row - 1) / layout.row;
  const auto pitch = checked_add(layout.row, layout.pad);
  return pitch ? std::max<std::int64_t>(checked_mul(rows, *pitch).value_or(INT64_MAX), 1) : INT64_MAX;
}

std::int64_t shared_bytes(const Program& program, const Kernel& kernel) {
  std::int64_t sum = 0;
  if (kernel.group.workers == 1) return sum;
  for (AllocationId id : kernel.allocations)
    if (program.allocations[id].space == AllocationSpace::Shared) sum += bytes_of(program.allocations[id]);
  return sum;
}

Result<void> check_group(const Program& program, const Kernel& kernel, const Limits& limits) {
  const Group& group = kernel.group;
  if (kernel.groups != 0)
    return failure(DiagCode::Unsupported,
                   fmt::format("kernel {} is persistent, which is not made for Metal", kernel.name),
                   "lower to one group a task");
  if (kernel.ranges)
    return failure(DiagCode::Unsupported,
                   fmt::format("kernel {} takes ranges of tasks, which is not made for Metal", kernel.name),
                   "lower to one group a task");
  if (group.workers > limits.workers_per_group)
    return failure(DiagCode::Unsupported,
                   fmt::format("kernel {} has groups of {} workers; the limit is {}", kernel.name, group.workers,
                               limits.workers_per_group),
                   "plan a narrower group");
  for (AllocationId id : kernel.allocations)
    if (program.allocations[id].layout.swizzle_bits != 0)
      return failure(DiagCode::Unsupported,
                     fmt::format("kernel {}: allocation {} is swizzled, which is not made for Metal", kernel.name,
                                 program.allocations[id].name),
                     "pad the rows instead");
  TW_TRY_VOID(check_memory(program, kernel, AllocationSpace::Shared, limits.shared_bytes, "shared memory",
                           "plan smaller tiles"));
  return check_memory(program, kernel, AllocationSpace::Private, limits.private_bytes, "private memory of one thread",
                      "plan smaller tiles, or tiles that a group shares");
}

Result<void> check_operations(const KernelFacts& facts) { return OperationCheck(facts).run(); }

}  // namespace tilewright::emit_msl
