#include "kernel/uniformity.h"

#include <algorithm>

namespace tilewright::kernel {

namespace {

class Walk {
 public:
  Walk(const Program& program, const Kernel& kernel, std::vector<Uniformity>& values, std::vector<Uniformity>& blocks)
      : program_(program), kernel_(kernel), values_(values), blocks_(blocks) {}

  /// To the fixed point: facts only get weaker.
  void run() {
    do {
      changed_ = false;
      block(kernel_.body, Uniformity::Group);
    } while (changed_);
  }

 private:
  static Uniformity weaker(Uniformity a, Uniformity b) { return std::max(a, b); }
  Uniformity of(ValueId value) const { return values_[value.index]; }

  void weaken(ValueId value, Uniformity to) {
    // A subgroup holds it together.
    if (program_.values[value].is_fragment()) to = std::min(to, Uniformity::Subgroup);
    if (to <= values_[value.index]) return;
    values_[value.index] = to;
    changed_ = true;
  }

  void block(BlockId id, Uniformity condition) {
    if (condition > blocks_[id.index]) {
      blocks_[id.index] = condition;
      changed_ = true;
    }
    for (OpId op : program_.blocks[id].ops)
      std::visit([&](const auto& payload) { visit(payload, program_.ops[op], condition); }, program_.ops[op].payload);
  }

  Uniformity operands(const OpPayload& payload) const {
    Uniformity all = Uniformity::Group;
    for_each_operand(payload, [&](ValueId operand) { all = weaker(all, of(operand)); });
    return all;
  }
  /// A value that only part of the workers compute is the same for those alone, and for them it is used.
  void results(const Op& op, Uniformity to) {
    for (ValueId result : op.results) weaken(result, to);
  }

  template <class Payload>
  void visit(const Payload& payload, const Op& op, Uniformity) {
    results(op, operands(payload));
  }
  void visit(const WorkerOp& payload, const Op& op, Uniformity) {
    results(op, payload.query == WorkerQuery::Subgroup ? Uniformity::Subgroup : Uniformity::Varying);
  }
  void visit(const SubgroupReduceOp& payload, const Op& op, Uniformity) {
    results(op, std::min(of(payload.operand), Uniformity::Subgroup));
  }
  void visit(const ShuffleOp& payload, const Op& op, Uniformity) {
    const bool one = payload.kind == ShuffleKind::Index;
    results(op, one ? std::min(of(payload.operand), Uniformity::Subgroup) : of(payload.operand));
  }
  void visit(const LoadOp& payload, const Op& op, Uniformity) {
    const bool own = payload.memory.allocation.valid() &&
                     program_.allocations[payload.memory.allocation].space == AllocationSpace::Private;
    Uniformity to = own ? Uniformity::Varying : of(payload.index);
    if (payload.mask.valid()) to = weaker(to, of(payload.mask));
    results(op, to);
  }
  void visit(const LoopOp& payload, const Op& op, Uniformity condition) {
    const Block& body = program_.blocks[payload.body];
    const Uniformity trips = weaker(of(payload.low), of(payload.high));
    weaken(body.args[0], trips);
    for (std::size_t i = 0; i < payload.inits.size(); ++i) {
      weaken(body.args[i + 1], weaker(of(payload.inits[i]), of(body.yields[i])));
      // Workers that leave at different times keep different carries.
      weaken(op.results[i], weaker(of(body.args[i + 1]), trips));
    }
    block(payload.body, weaker(condition, trips));
  }
  void visit(const IfOp& payload, const Op& op, Uniformity condition) {
    const Uniformity chosen = of(payload.condition);
    block(payload.then_block, weaker(condition, chosen));
    if (payload.else_block.valid()) block(payload.else_block, weaker(condition, chosen));
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      Uniformity to = weaker(chosen, of(program_.blocks[payload.then_block].yields[i]));
      if (payload.else_block.valid()) to = weaker(to, of(program_.blocks[payload.else_block].yields[i]));
      weaken(op.results[i], to);
    }
  }
  void visit(const TaskLoopOp& payload, const Op&, Uniformity condition) { block(payload.body, condition); }
  /// Inside, the role stands for the group.
  void visit(const RolesOp& payload, const Op&, Uniformity condition) {
    for (const Role& role : payload.roles) block(role.block, condition);
  }

  const Program& program_;
  const Kernel& kernel_;
  std::vector<Uniformity>&values_, &blocks_;
  bool changed_ = false;
};

}  // namespace

UniformityFacts uniformity(const Program& program, const Kernel& kernel) {
  UniformityFacts facts;
  facts.values_.assign(program.values.size(), Uniformity::Group);
  facts.blocks_.assign(program.blocks.size(), Uniformity::Group);
  Walk(program, kernel, facts.values_, facts.blocks_).run();
  return facts;
}

}  // namespace tilewright::kernel
