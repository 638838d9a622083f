#include "kernel/verifier.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernel/group_rules.h"
#include "kernel/names.h"
#include "kernel/op_rules.h"
#include "kernel/printer.h"

namespace tilewright::kernel {

namespace {

/// No memory is larger, so that byte counts and element indices cannot overflow.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 48;
constexpr std::int64_t kMaxTasks = std::int64_t{1} << 62;

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program),
        defined_(program.values.size(), false),
        visible_(program.values.size(), false),
        op_used_(program.ops.size(), false),
        block_used_(program.blocks.size(), false),
        allocation_owner_(program.allocations.size(), kNoKernel) {}

  Result<void> run() {
    for (const ValueType& type : program_.values) check_type(type);
    check_buffers();
    for (std::size_t i = 0; i < program_.kernels.size(); ++i) own_allocations(i);
    for (std::size_t i = 0; i < program_.kernels.size(); ++i) check_kernel(i);
    check_orphans();
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    return {};
  }

 private:
  static constexpr std::size_t kNoKernel = static_cast<std::size_t>(-1);

  template <class... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    std::string message;
    if (kernel_ != kNoKernel) message = fmt::format("kernel {}: ", program_.kernels[kernel_].name);
    if (op_ != nullptr) message += fmt::format("'{}': ", print_op(program_, *op_));
    message += fmt::format(format, std::forward<Args>(args)...);
    diags_.push_back({DiagCode::MalformedProgram, std::move(message), {}, {}, {}});
  }

  // ---- Declarations ------------------------------------------------------------------------------------------------

  void check_type(const ValueType& type) {
    const auto id = &type - &*program_.values.begin();
    if (type.is_fragment() && (type.rows < 1 || type.columns < 1 || type.lanes != 1))
      fault("value %{} is a fragment of {} rows, {} columns and {} lanes", id, type.rows, type.columns, type.lanes);
    if (type.rows > kMaxFragmentExtent || type.columns > kMaxFragmentExtent)
      fault("value %{} has {} rows and {} columns; at most {} are possible", id, type.rows, type.columns,
            kMaxFragmentExtent);
    if (!type.is_fragment() && (type.rows != 0 || type.columns != 0))
      fault("value %{} has rows and columns and is no fragment", id);
    if (type.lanes < 1 || type.lanes > kMaxLanes)
      fault("value %{} has {} lanes; expected 1 to {}", id, type.lanes, kMaxLanes);
    if (type.scalar > ScalarType::F32) fault("value %{} has an unknown scalar type", id);
  }

  void check_memory(const std::string& label, std::int64_t count, ScalarType scalar) {
    if (count < 0) fault("{} has {} elements; the number cannot be negative", label, count);
    if (count > kMaxCount) fault("{} has {} elements; at most {} are possible", label, count, kMaxCount);
    if (scalar > ScalarType::F32) fault("{} has an unknown element type", label);
  }

  /// Rows that do not overlap, within the elements.
  void check_matrix(const std::string& label, const Buffer& buffer) {
    const auto [inner, outer, stride] = *buffer.matrix;
    if (inner < 1 || outer < 1 || inner > kMaxCount || outer > kMaxCount)
      return fault("{} is a matrix of {} rows of {}; expected 1 to {} of each", label, outer, inner, kMaxCount);
    if (stride < inner) return fault("{} has rows of {} that are {} apart", label, inner, stride);
    if (inner > buffer.count || (outer - 1) > (buffer.count - inner) / stride)
      fault("{} has {} elements, and a matrix of {} rows of {} with stride {}", label, buffer.count, outer, inner,
            stride);
  }

  void check_buffers() {
    std::set<std::string> names;
    for (const Buffer& buffer : program_.buffers) {
      const std::string label = fmt::format("buffer {}", buffer.name);
      check_memory(label, buffer.count, buffer.scalar);
      if (!names.insert(buffer.name).second) fault("there are two buffers {}", buffer.name);
      if (buffer.matrix) check_matrix(label, buffer);
      if (buffer.kind != BufferKind::Scalar) continue;
      if (buffer.access != Access::Read)
        fault("scalar {} is declared {}; scalars are read", buffer.name, access_name(buffer.access));
      if (buffer.matrix) fault("scalar {} is a matrix", buffer.name);
      if (buffer.count != 1) fault("scalar {} has {} elements; expected 1", buffer.name, buffer.count);
    }
    std::set<std::string> kernels;
    for (const Kernel& kernel : program_.kernels)
      if (!kernels.insert(kernel.name).second) fault("there are two kernels {}", kernel.name);
  }

  void own_allocations(std::size_t index) {
    const Kernel& kernel = program_.kernels[index];
    kernel_ = index;
    std::set<std::string> names;
    for (const Buffer& buffer : program_.buffers) names.insert(buffer.name);
    for (AllocationId id : kernel.allocations) {
      if (id.index >= program_.allocations.size()) {
        fault("allocation {} does not exist", id.index);
        continue;
      }
      const Allocation& allocation = program_.allocations[id];
      if (std::exchange(allocation_owner_[id.index], index) != kNoKernel)
        fault("allocation {} is owned twice", allocation.name);
      else if (!names.insert(allocation.name).second)
        fault("the name of allocation {} is taken", allocation.name);
      check_memory(fmt::format("allocation {}", allocation.name), allocation.count, allocation.scalar);
      check_layout(allocation);
    }
    kernel_ = kNoKernel;
  }

  void check_layout(const Allocation& allocation) {
    const AllocationLayout& layout = allocation.layout;
    if (layout == AllocationLayout{}) return;
    const std::string label = fmt::format("allocation {}", allocation.name);
    if (layout.row < 1 || allocation.count % std::max<std::int64_t>(layout.row, 1) != 0)
      fault("{} has {} elements, which are no whole rows of {}", label, allocation.count, layout.row);
    if (layout.pad < 0 || layout.pad > kMaxCount) fault("{} has a padding of {}", label, layout.pad);
    const bool none = layout.swizzle_bits == 0 && layout.swizzle_base == 0 && layout.swizzle_shift == 0;
    const bool small = layout.swizzle_bits >= 1 && layout.swizzle_bits <= 16 && layout.swizzle_base >= 0 &&
                       layout.swizzle_base <= 32 && layout.swizzle_shift >= 0 && layout.swizzle_shift <= 32;
    if (none) return;
    // An exclusive or with numbers below 2^(base + bits) stays within rows that are whole multiples of it.
    if (!small || layout.row % (std::int64_t{1} << (layout.swizzle_bits + layout.swizzle_base)) != 0)
      fault("{} has rows of {}, which a swizzle of {} bits from {} leaves", label, layout.row, layout.swizzle_bits,
            layout.swizzle_base);
  }

  void check_group(const Kernel& kernel) {
    const Group& group = kernel.group;
    if (group.workers < 1 || group.workers > kMaxWorkers)
      fault("a group has {} workers; expected 1 to {}", group.workers, kMaxWorkers);
    if (group.subgroup_size < 1 || group.subgroup_size > kMaxSubgroup)
      fault("a subgroup has {} workers; expected 1 to {}", group.subgroup_size, kMaxSubgroup);
    else if (group.workers % group.subgroup_size != 0)
      fault("{} workers are no whole subgroups of {}", group.workers, group.subgroup_size);
    if (kernel.groups < 0 || kernel.groups > INT32_MAX)
      fault("there are {} groups; expected 0 to {}", kernel.groups, INT32_MAX);
    if (kernel.ranges && (group != Group{} || kernel.groups != 0 || kernel.task_extents.size() != 1))
      fault("a kernel of ranges has one worker and one dimension of tasks");
    std::set<std::string> names;
    for (const Ring& ring : kernel.rings) {
      if (!names.insert(ring.name).second) fault("there are two rings {}", ring.name);
      if (ring.versions < 1 || ring.versions > kMaxRingVersions || ring.producers < 1 || ring.consumers < 1 ||
          ring.producers > kMaxWorkers || ring.consumers > kMaxWorkers)
        fault("ring {} has {} versions, {} producers and {} consumers", ring.name, ring.versions, ring.producers,
              ring.consumers);
    }
  }

  void check_kernel(std::size_t index) {
    const Kernel& kernel = program_.kernels[index];
    kernel_ = index;
    const std::size_t faults_before = diags_.size();
    check_group(kernel);
    std::int64_t tasks = 1;
    for (std::int64_t extent : kernel.task_extents)
      if (extent > 0 && (__builtin_mul_overflow(tasks, extent, &tasks) || tasks > kMaxTasks)) {
        fault("there are more than {} tasks", kMaxTasks);
        break;
      }
    for (std::int64_t extent : kernel.task_extents)
      if (extent < 0) fault("there are {} tasks along one dimension; the number cannot be negative", extent);
    walk(kernel.body, "the kernel", [&](const Block& body) {
      const std::size_t coordinates = kernel.ranges ? 2 : kernel.groups == 0 ? kernel.task_extents.size() : 0;
      if (body.args.size() != coordinates)
        fault("there are {} coordinates for {} dimensions of tasks", body.args.size(), coordinates);
      for (ValueId arg : body.args) expect_argument(arg, {ScalarType::I64, 1}, "a coordinate");
      if (!body.yields.empty()) fault("the body of a kernel yields nothing");
    });
    // What workers do together can be judged once every name is in its place.
    if (diags_.size() == faults_before)
      for (std::string& broken : group_faults(program_, kernel)) fault("{}", broken);
    kernel_ = kNoKernel;
  }

  void check_orphans() {
    for (OpId id : program_.ops.ids())
      if (!op_used_[id.index]) fault("operation {} stands in no block", id.index);
    for (BlockId id : program_.blocks.ids())
      if (!block_used_[id.index]) fault("block {} belongs to nothing", id.index);
    for (ValueId id : program_.values.ids())
      if (!defined_[id.index]) fault("nothing defines value %{}", id.index);
    for (AllocationId id : program_.allocations.ids())
      if (allocation_owner_[id.index] == kNoKernel)
        fault("allocation {} belongs to no kernel", program_.allocations[id].name);
  }

  // ---- Blocks and values -------------------------------------------------------------------------------------------

  /// Whether the block can be walked: it exists and was not walked before.
  bool enter(BlockId id, const char* what) {
    if (id.index >= program_.blocks.size()) {
      fault("{} names block {}, which does not exist", what, static_cast<std::int32_t>(id.index));
      return false;
    }
    if (block_used_[id.index]) {
      fault("{} names block {}, which is used already", what, id.index);
      return false;
    }
    block_used_[id.index] = true;
    return true;
  }

  bool define(ValueId id) {
    if (id.index >= program_.values.size()) {
      fault("value %{} is defined but has no type", static_cast<std::int32_t>(id.index));
      return false;
    }
    if (defined_[id.index]) {
      fault("value %{} is defined twice", id.index);
      return false;
    }
    defined_[id.index] = true;
    visible_[id.index] = true;
    live_.push_back(id);
    return true;
  }

  void expect_argument(ValueId id, ValueType type, const char* what) {
    if (define(id) && program_.values[id] != type)
      fault("{} %{} is {}; expected {}", what, id.index, type_name(program_.values[id]), type_name(type));
  }

  /// Whether the value exists, so that its type can be looked at.
  bool use(ValueId id) {
    if (id.index >= program_.values.size()) {
      fault("value %{} is used but does not exist", static_cast<std::int32_t>(id.index));
      return false;
    }
    if (!visible_[id.index]) fault("value %{} is used where no definition reaches", id.index);
    return true;
  }

  void check_block(BlockId id) {
    if (++depth_ > kMaxNesting) {
      fault("more than {} blocks inside each other", kMaxNesting);
    } else {
      const Block& block = program_.blocks[id];
      for (OpId op : block.ops) check_op(op);
      for (ValueId yielded : block.yields) use(yielded);
    }
    --depth_;
  }

  /// Walks a block; what it defines is out of scope afterwards. Its arguments are checked by the caller's function.
  template <class Arguments>
  void walk(BlockId id, const char* what, Arguments&& arguments) {
    if (!enter(id, what)) return;
    const std::size_t outer = live_.size();
    arguments(program_.blocks[id]);
    check_block(id);
    for (; live_.size() > outer; live_.pop_back()) visible_[live_.back().index] = false;
  }

  // ---- Operations --------------------------------------------------------------------------------------------------

  void check_op(OpId id) {
    if (id.index >= program_.ops.size()) {
      fault("operation {} does not exist", static_cast<std::int32_t>(id.index));
      return;
    }
    if (op_used_[id.index]) {
      fault("operation {} stands in two places", id.index);
      return;
    }
    op_used_[id.index] = true;
    const Op& op = program_.ops[id];
    const Op* outer = std::exchange(op_, &op);
    bool known = true;
    for_each_operand(op.payload, [&](ValueId operand) { known = use(operand) && known; });
    for (ValueId result : op.results) known = known && result.index < program_.values.size();
    if (known)
      for (const OpFault& broken : op_faults(program_, op)) fault("{}", broken.message);
    for_each_memory(op.payload, [&](MemoryRef memory) { check_owner(memory); });
    if (const auto* loop = std::get_if<LoopOp>(&op.payload)) check_loop(*loop, op);
    if (const auto* branch = std::get_if<IfOp>(&op.payload)) check_if(*branch, op);
    if (const auto* tasks = std::get_if<TaskLoopOp>(&op.payload)) check_task_loop(*tasks);
    if (const auto* roles = std::get_if<RolesOp>(&op.payload))
      for (const Role& role : roles->roles) check_role(role);
    for (ValueId result : op.results) define(result);
    op_ = outer;
  }

  void check_owner(MemoryRef memory) {
    if (memory.allocation.index >= allocation_owner_.size()) return;
    const std::size_t owner = allocation_owner_[memory.allocation.index];
    if (owner != kernel_ && owner != kNoKernel)
      fault("allocation {} belongs to kernel {}", program_.allocations[memory.allocation].name,
            program_.kernels[owner].name);
  }

  void check_loop(const LoopOp& loop, const Op& op) {
    walk(loop.body, "the loop", [&](const Block& body) {
      if (body.args.size() != loop.inits.size() + 1)
        fault("the body has {} arguments; expected the index and {} carries", body.args.size(), loop.inits.size());
      for (std::size_t i = 0; i < body.args.size(); ++i) {
        if (i == 0)
          expect_argument(body.args[i], {ScalarType::I64, 1}, "the index");
        else if (i <= loop.inits.size() && loop.inits[i - 1].index < program_.values.size())
          expect_argument(body.args[i], program_.values[loop.inits[i - 1]], "the carry");
        else
          define(body.args[i]);
      }
    });
    same_types("the body yields", yields(loop.body), loop.inits);
    same_types("the loop gives", &op.results, loop.inits);
  }

  void check_if(const IfOp& branch, const Op& op) {
    const auto no_arguments = [&](const Block& block) {
      if (!block.args.empty()) fault("a block of an if has {} arguments; expected none", block.args.size());
      for (ValueId arg : block.args) define(arg);
    };
    walk(branch.then_block, "the if", no_arguments);
    if (branch.else_block.valid())
      walk(branch.else_block, "the else", no_arguments);
    else if (!op.results.empty())
      fault("an if with results needs an else");
    same_types("the block yields", yields(branch.then_block), op.results);
    if (branch.else_block.valid()) same_types("the else block yields", yields(branch.else_block), op.results);
  }

  void check_task_loop(const TaskLoopOp& tasks) {
    const std::size_t dimensions = program_.kernels[kernel_].task_extents.size();
    walk(tasks.body, "the task loop", [&](const Block& body) {
      if (body.args.size() != dimensions)
        fault("there are {} coordinates for {} dimensions of tasks", body.args.size(), dimensions);
      for (ValueId arg : body.args) expect_argument(arg, {ScalarType::I64, 1}, "a coordinate");
      if (!body.yields.empty()) fault("the body of a task loop yields nothing");
    });
  }

  void check_role(const Role& role) {
    walk(role.block, "the role", [&](const Block& block) {
      for (ValueId arg : block.args) define(arg);
      if (!block.args.empty() || !block.yields.empty()) fault("role {} takes and yields nothing", role.name);
    });
  }

  const std::vector<ValueId>* yields(BlockId id) const {
    return id.index < program_.blocks.size() ? &program_.blocks[id].yields : nullptr;
  }

  void same_types(const char* what, const std::vector<ValueId>* found, const std::vector<ValueId>& expected) {
    if (found == nullptr) return;
    if (found->size() != expected.size()) {
      fault("{} {} values; expected {}", what, found->size(), expected.size());
      return;
    }
    for (std::size_t i = 0; i < found->size(); ++i) {
      const ValueId is = (*found)[i], wanted = expected[i];
      if (is.index >= program_.values.size() || wanted.index >= program_.values.size()) continue;
      if (program_.values[is] != program_.values[wanted])
        fault("{} {} at position {}; expected {}", what, type_name(program_.values[is]), i,
              type_name(program_.values[wanted]));
    }
  }

  const Program& program_;
  std::vector<bool> defined_, visible_, op_used_, block_used_;
  std::vector<std::size_t> allocation_owner_;
  std::vector<ValueId> live_;
  std::size_t kernel_ = kNoKernel;  ///< where the walk is, for messages
  const Op* op_ = nullptr;
  int depth_ = 0;
  Diags diags_;
};

}  // namespace

Result<void> verify(const Program& program) { return Verifier(program).run(); }

}  // namespace tilewright::kernel
