#include "kernel/group_rules.h"

#include <algorithm>
#include <map>
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
      check_forms(id);
      std::visit([&](const auto& payload) { check(payload, id, depth, open); }, op_->payload);
      op_ = nullptr;
    }
    for (ValueId yielded : block.yields)
      if (program_.values[yielded].kind == ValueKind::Token) fault("%{} is a token and is yielded", yielded.index);
    for (ValueId token : open)
      if (!outer.contains(token)) fault("token %{} is not waited for where its block ends", token.index);
    std::erase_if(open, [&](ValueId token) { return !outer.contains(token); });
  }

  /// Fragments and tokens belong to groups; whatever is done to a fragment, its subgroup does.
  void check_forms(BlockId block) {
    bool fragments = false, tokens = false;
    const auto look = [&](ValueId value) {
      fragments = fragments || program_.values[value].is_fragment();
      tokens = tokens || program_.values[value].kind == ValueKind::Token;
    };
    for_each_operand(op_->payload, look);
    for (ValueId result : op_->results) look(result);
    if (tokens && !fragments) in_group();
    if (fragments) together(Participants::Subgroup, block);
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
  bool is_private(MemoryRef memory) const {
    return memory.allocation.valid() && program_.allocations[memory.allocation].space == AllocationSpace::Private;
  }
  void plain_memory(MemoryRef memory) {
    if (memory.allocation.valid() && program_.allocations[memory.allocation].layout.swizzle_bits != 0)
      fault("{} is swizzled: fragments cannot lie there", memory_label(program_, memory));
    if (is_private(memory)) fault("{} is private: fragments cannot lie there", memory_label(program_, memory));
  }
  // ---- Operations --------------------------------------------------------------------------------------------------

  template <class Payload>
  void check(const Payload&, BlockId, Depth, std::set<ValueId>&) {}
  void check(const ConstOp& op, BlockId, Depth, std::set<ValueId>&) { constants_[op_->results[0]] = op.integer; }
  void check(const SelectOp& op, BlockId, Depth, std::set<ValueId>&) {
    if (program_.values[op.if_true].is_fragment() && program_.values[op.condition].is_scalar())
      uniform("the condition", op.condition);
  }
  void check(const LoopOp& op, BlockId, Depth, std::set<ValueId>& open) {
    for (ValueId init : op.inits)
      if (program_.values[init].is_fragment()) uniform("the low bound", op.low), uniform("the high bound", op.high);
    for (ValueId init : op.inits)
      if (program_.values[init].kind == ValueKind::Token) fault("%{} is a token and is carried", init.index);
    inside(op.body, open);
  }
  /// Tokens from outside cannot be consumed an unknown number of times.
  void inside(BlockId body, const std::set<ValueId>& open) { walk_apart(body, Depth::Inside, "a loop", open); }
  void walk_apart(BlockId body, Depth depth, const char* what, const std::set<ValueId>& open) {
    std::set<ValueId> within = open;
    const Op* outer = std::exchange(op_, nullptr);
    walk(body, depth, within);
    op_ = outer;
    for (ValueId token : open)
      if (!within.contains(token))
        fault("token %{} is waited for inside {} that its copy stands outside", token.index, what);
  }
  void check(const IfOp& op, BlockId, Depth, std::set<ValueId>& open) {
    for (ValueId result : op_->results)
      if (program_.values[result].is_fragment()) uniform("the condition", op.condition);
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
  void check(const FragmentLoadOp& op, BlockId block, Depth, std::set<ValueId>&) { access(op, block); }
  void check(const FragmentStoreOp& op, BlockId block, Depth, std::set<ValueId>&) {
    access(op, block);
    if (op.participants == Participants::Group) of_the_group("the stored fragment", op.fragment);
  }
  template <class Access>
  void access(const Access& op, BlockId block) {
    together(op.participants, block);
    plain_memory(op.memory);
    same_for(op.participants, "the index", op.index);
    same_for(op.participants, "the stride", op.row_stride);
    if (op.part.is_whole()) return;
    same_for(op.participants, "the number of rows", op.part.rows);
    same_for(op.participants, "the number of columns", op.part.columns);
  }
  void of_the_group(const char* what, ValueId fragment) {
    if (facts_.of(fragment) != Uniformity::Group)
      fault("{} %{} may differ between the subgroups of the group", what, fragment.index);
  }
  void same_for(Participants participants, const char* what, ValueId value) {
    if (participants == Participants::Subgroup) return uniform(what, value);
    if (facts_.of(value) != Uniformity::Group) fault("{} %{} differs between workers of the group", what, value.index);
  }
  void check_depth(const AtomOp& op) {
    const bool fragments = op.a.fragment.valid() || op.b.fragment.valid();
    const auto known = constants_.find(op.k);
    if (op.k_is_static && known == constants_.end()) return fault("the static k %{} is no constant", op.k.index);
    if (!op.k_is_static && fragments) return fault("fragments have a static k");
    if (known == constants_.end()) return;
    const std::int64_t k = known->second;
    if (k < 0 || k > kMaxAtomDepth) return fault("k is {}; expected 0 to {}", k, kMaxAtomDepth);
    if (op.a.fragment.valid() && program_.values[op.a.fragment].columns != k)
      fault("k is {}, and the left fragment has {} columns", k, program_.values[op.a.fragment].columns);
    if (op.b.fragment.valid() && program_.values[op.b.fragment].rows != k)
      fault("k is {}, and the right fragment has {} rows", k, program_.values[op.b.fragment].rows);
  }
  void check(const AtomOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(op.participants, block);
    same_for(op.participants, "k", op.k);
    check_depth(op);
    if (op.participants == Participants::Group) {
      if (op.a.fragment.valid() || op.b.fragment.valid()) fault("an atom of the group takes views of memory");
      if (op.c.valid()) of_the_group("the accumulator", op.c);
    }
    for (const AtomOperand* operand : {&op.a, &op.b}) {
      if (operand->fragment.valid()) continue;
      plain_memory(operand->view.memory);
      same_for(op.participants, "the index", operand->view.index);
      same_for(op.participants, "the stride", operand->view.row_stride);
      same_for(op.participants, "the number of rows", operand->view.rows);
      same_for(op.participants, "the number of columns", operand->view.columns);
      if (!operand->view.origin.is_known()) continue;
      same_for(op.participants, "the place in the row", operand->view.origin.inner);
      same_for(op.participants, "the number of the row", operand->view.origin.outer);
    }
  }
  void check(const FenceOp& op, BlockId block, Depth, std::set<ValueId>&) {
    together(op.participants, block);
    if (!fences_.insert(op.identity).second) fault("there are two fences {}", op.identity);
  }
  void check(const AsyncCopyOp& op, BlockId block, Depth, std::set<ValueId>& open) {
    in_group();
    open.insert(op_->results[0]);
    if (!op.cooperative && op.participants != Participants::Subgroup) fault("a copy of one worker has no participants");
    if (!op.cooperative) return;
    together(op.participants, block);
    token_participants_[op_->results[0]] = op.participants;
    same_for(op.participants, "the index", op.destination_index);
    same_for(op.participants, "the index", op.source_index);
    same_for(op.participants, "the count", op.count);
    for (MemoryRef memory : {op.destination, op.source})
      if (is_private(memory))
        fault("{} is private: workers cannot copy together there", memory_label(program_, memory));
  }
  void check(const WaitOp& op, BlockId block, Depth, std::set<ValueId>& open) {
    for (ValueId token : op.tokens) {
      if (open.erase(token) == 0) fault("token %{} is waited for already", token.index);
      if (const auto made = token_participants_.find(token); made != token_participants_.end())
        together(made->second, block);
    }
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
    walk_apart(op.body, Depth::Tasks, "a task loop", open);
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
    for (const Role& role : op.roles) walk_apart(role.block, Depth::Role, "a role", open);
  }

  const Program& program_;
  const Kernel& kernel_;
  UniformityFacts facts_;
  const Op* op_ = nullptr;
  int task_loops_ = 0;
  std::set<std::uint32_t> fences_;
  std::map<ValueId, std::int64_t> constants_;           ///< those that the walk has met
  std::map<ValueId, Participants> token_participants_;  ///< of copies that are made together
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> group_faults(const Program& program, const Kernel& kernel) {
  return GroupCheck(program, kernel).run();
}

}  // namespace tilewright::kernel
