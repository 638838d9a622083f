// When the values of a program die: the interpreter keeps no tile longer than its last reader.
#include "tile/interpreter_machine.h"

namespace tilewright::tile {

namespace {

struct OpenBlock {
  BlockId block;
  OpId current;
};

class LastUses {
 public:
  explicit LastUses(const Program& program)
      : program_(program), owner_(program.values().size()), last_(program.values().size()) {}

  Lifetimes find() {
    visit(program_.root());
    Lifetimes lifetimes;
    lifetimes.after_op.resize(program_.ops().size());
    lifetimes.at_end.resize(program_.blocks().size());
    for (ValueId value : program_.values().ids()) {
      const OpId last = last_[value.index];
      if (last.valid())
        lifetimes.after_op[last.index].push_back(value);
      else if (owner_[value.index].valid())
        lifetimes.at_end[owner_[value.index].index].push_back(value);
    }
    return lifetimes;
  }

 private:
  void visit(BlockId id) {
    if (!id.valid()) return;
    const Block& block = program_.block(id);
    open_.push_back({id, {}});
    for (ValueId arg : program_.list(block.args)) owner_[arg.index] = id;
    for (OpId op : block.ops) {
      open_.back().current = op;
      for_each_operand(program_, program_.op(op).payload, [&](ValueId value) { use(value); });
      for (ValueId result : program_.list(program_.op(op).results)) {
        owner_[result.index] = id;
        last_[result.index] = op;  // unless somebody reads it
      }
      if (const auto* region = std::get_if<RegionOp>(&program_.op(op).payload)) visit(region->body);
      if (const auto* condition = std::get_if<IfOp>(&program_.op(op).payload)) {
        visit(condition->then_block);
        visit(condition->else_block);
      }
    }
    open_.back().current = {};  // yields are taken after the last operation
    for (ValueId value : program_.list(block.yields)) use(value);
    open_.pop_back();
  }

  // The reader that counts is the operation of the value's own block that contains the read.
  void use(ValueId value) {
    for (const OpenBlock& open : open_)
      if (open.block == owner_[value.index]) last_[value.index] = open.current;
  }

  const Program& program_;
  std::vector<BlockId> owner_;
  std::vector<OpId> last_;
  std::vector<OpenBlock> open_;
};

}  // namespace

Lifetimes find_lifetimes(const Program& program) { return LastUses(program).find(); }

}  // namespace tilewright::tile
