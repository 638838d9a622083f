#include "kernel/group_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kernel/names.h"
#include "kernel/op_rules.h"
#include "kernel/printer.h"
#include "kernel/uniformity.h"

namespace tilewright::kernel {

namespace {

using internal::Overloaded;

class GroupCheck {
 public:
  GroupCheck(const Program& program, const Kernel& kernel)
      : program_(program), kernel_(kernel), facts_(uniformity(program, kernel)) {}

  std::vector<std::string> run() {
    std::set<ValueId> open;
    walk(kernel_.body, Depth::Top, open);
    if (kernel_.groups != 0 && task_loops_ != 1) fault("a persistent kernel has one task loop, not {}", task_loops_);
    return std::move(faults_);
  }

 private:
  /// Where a block stands.
  enum class Depth : std::uint8_t { Top, Tasks, Role, Inside };

  template <class... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    const std::string place = op_ == nullptr ? "" : fmt::format("'{}': ", print_op(program_, *op_));
    faults_.push_back(place + fmt::format(format, std::forward<Args>(args)...));
  }

  bool alone() const { return kernel_.group == Group{} && kernel_.groups == 0; }

  /// open: tokens that are not waited for yet.
  void walk(BlockId id, Depth depth, std::set<ValueId>& open) {
    const Block& block = program_.blocks[id];
    const std::set<ValueId> outer = open;
    for (OpId op : block.ops) {
      op_ = &program_.ops[op];
      std::visit([&](const auto& payload) { check(payload, id, depth, open); }, op_->payload);
      op_ = nullptr;
    }
    for (ValueId yielded : block.yields)
      if (program_.values[yielded].kind == ValueKind::Token) fault("%{} is a token and is yielded", yielded.index);
    for (ValueId token : open)
      if (!outer.contains(token)) fault("token %{} is not waited for where its block ends", token.index);
    std::erase_if(open, [&](ValueId token) { return !outer.contains(token); });
  }

  void nested(BlockId block, std::set<ValueId>& open) {
    const Op* outer = std::exchange(op_, nullptr);
    walk(block, Depth::Inside, open);
    op_ = outer;
  }

  // ---- Convergence -------------------------------------------------------------------------------------------------

  void together(Participants participants, BlockId block) {
    in_group();
    const Uniformity most = participants == Participants::Group ? Uniformity::Group : Uniformity::Subgroup;
    if (facts_.condition(block) > most)
      fault("the {} makes this together, but not all of it comes here: a condition around differs between its workers",
            participants_name(participants));
  }
  void in_group() {
    if (alone()) fault("a kernel of one worker has no group");
  }
  void uniform(const char* what, ValueId value) {
    if (facts_.of(value) > Uniformity::Subgroup)
      fault("{} %{} differs between workers of a subgroup", what, value.index);
  }
  void plain_memory(MemoryRef memory) {
    if (memory.allocation.valid() && program_.allocations[memory.allocation].layout.swizzle_bits != 0)
      fault("{} is swizzled: fragments cannot lie there", memory_label(program_, memory));
    if (memory.allocation.valid() && program_.allocations[memory.allocation].space == AllocationSpace::Private)
      fault("{} is private: fragments cannot lie there", memory_label(program_, memory));
  }
  void place(MemoryRef memory, ValueId index, ValueId row_stride) {
    plain_memory(memory);
    uniform("the index", index);
    uniform("the stride", row_stride);
  }

  // ---- Operations --------------------------------------------------------------------------------------------------

  template <class Payload>
  void check(const Payload&, BlockId, Depth, std::set<ValueId>&) {}
  void check(const LoopOp& op, BlockId, Depth, std::set<ValueId>& open) {
    for (ValueId init : op.inits)
      if (program_.values[init].kind == ValueKind::Token) fault("%{} is a token and is carried", init.index);
    inside(op.body, open);
  }
  /// Tokens from outside cannot be consumed an unknown number of times.
  void inside(BlockId body, const std::set<ValueId>& open) {
    std::set<ValueId> within = open;
    nested(body, within);
    for (ValueId token : open)
      if (!within.contains(token))
        fault("token %{} is waited for inside a loop that its copy stands outside", token.index);
  }
  void check(const IfOp& op, BlockId, Depth, std::set<ValueId>& open) {
    std::set<ValueId> other = open;
    nested(op.then_block, open);
    if (op.else_block.valid()) nested(op.else_block, other);
    if (open != other) fault("a token is waited for on one way and not on the other");
  }
  void check(const WorkerOp&, BlockId, Depth, std::set<ValueId>&) { in_group(); }
  void check(const GroupOrdinalOp&, BlockId, Depth, std::set<ValueId>&) {
    if (kernel_.groups == 0) fault("only groups of a persistent kernel have an ordinal");
  }
  void check(const SubgroupReduceOp&, BlockId block, Depth, std::set<ValueId>&) {
    together(Participants::Subgroup, block);
  }
  void check(const ShuffleOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(Participants::Subgroup, block);
    if (op.number >= kernel_.group.subgroup_size)
      fault("lane {} is not in a subgroup of {}", op.number, kernel_.group.subgroup_size);
  }
  void check(const FragmentFillOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(Participants::Subgroup, block);
    uniform("the element", op.scalar);
  }
  void check(const FragmentLoadOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(Participants::Subgroup, block);
    place(op.memory, op.index, op.row_stride);
  }
  void check(const FragmentStoreOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(Participants::Subgroup, block);
    place(op.memory, op.index, op.row_stride);
  }
  void check(const AtomOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(op.participants, block);
    uniform("k", op.k);
    for (const AtomOperand* operand : {&op.a, &op.b}) {
      if (operand->fragment.valid()) continue;
      place(operand->view.memory, operand->view.index, operand->view.row_stride);
      uniform("the number of rows", operand->view.rows);
      uniform("the number of columns", operand->view.columns);
    }
  }
  void check(const FenceOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(op.participants, block);
    if (!fences_.insert(op.identity).second) fault("there are two fences {}", op.identity);
  }
  void check(const AsyncCopyOp& op, BlockId block, Depth, std::set<ValueId>& open) {
    in_group();
    if (op.cooperative) together(op.participants, block);
    open.insert(op_->results[0]);
  }
  void check(const WaitOp& op, BlockId, Depth, std::set<ValueId>& open) {
    for (ValueId token : op.tokens)
      if (open.erase(token) == 0) fault("token %{} is waited for already", token.index);
  }
  void check(const RingOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(Participants::Group, block);
    if (op.ring >= kernel_.rings.size()) fault("there is no ring {}", op.ring);
    if (facts_.of(op.step) != Uniformity::Group) fault("the step %{} differs between workers", op.step.index);
  }
  void check(const TaskLoopOp& op, BlockId, Depth depth, std::set<ValueId>& open) {
    ++task_loops_;
    if (kernel_.groups == 0) fault("only a persistent kernel has a task loop");
    if (depth != Depth::Top) fault("a task loop stands at the top of its kernel");
    const Op* outer = std::exchange(op_, nullptr);
    walk(op.body, Depth::Tasks, open);
    op_ = outer;
  }
  void check(const RolesOp& op, BlockId, Depth depth, std::set<ValueId>& open) {
    in_group();
    if (depth != Depth::Top && depth != Depth::Tasks) fault("roles stand at the top of a kernel or of its task loop");
    std::int64_t subgroups = 0;
    std::set<std::string> names;
    for (const Role& role : op.roles) {
      subgroups += role.subgroups;
      if (!names.insert(role.name).second) fault("there are two roles {}", role.name);
    }
    if (subgroups != kernel_.group.workers / std::max(kernel_.group.subgroup_size, 1))
      fault("the roles have {} subgroups of {}", subgroups, kernel_.group.workers / kernel_.group.subgroup_size);
    const Op* outer = std::exchange(op_, nullptr);
    for (const Role& role : op.roles) walk(role.block, Depth::Role, open);
    op_ = outer;
  }

  const Program& program_;
  const Kernel& kernel_;
  UniformityFacts facts_;
  const Op* op_ = nullptr;
  int task_loops_ = 0;
  std::set<std::uint32_t> fences_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> group_faults(const Program& program, const Kernel& kernel) {
  return GroupCheck(program, kernel).run();
}

}  // namespace tilewright::kernel
