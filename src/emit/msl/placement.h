// Which values of a kernel are variables of the text, and which stand as expressions where they are used.
//
// An expression may move to its only use as long as that changes neither what is computed nor how often: not into a
// loop, and a load not past anything that may write memory. What costs nothing (constants, numbers of workers) stands
// wherever it is used.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/index_ranges.h"
#include "kernel/program.h"

namespace tilewright::emit_msl {

/// A fragment that is kept in a cooperative tensor of Metal Performance Primitives.
inline bool is_tensor(kernel::ValueType type) { return type.is_fragment() && (type.rows != 8 || type.columns != 8); }

/// Where an expression ends up: in the statement of operation `index` of the block, or behind the last one (yields).
struct Site {
  kernel::BlockId block;
  std::uint32_t index = 0;
};

class Placement {
 public:
  Placement(const kernel::Program& program, const kernel::Kernel& kernel, const kernel::IndexRanges& ranges);

  /// Whether the operation has to be made at all.
  bool is_live(kernel::OpId op) const { return live_[op.index]; }
  /// Whether the value is a variable. Arguments of blocks and results of loops and ifs always are.
  bool is_held(kernel::ValueId value) const { return held_[value.index]; }
  /// Whether the value is a number known here, whatever computes it.
  bool is_literal(kernel::ValueId value) const;
  /// Every use of a held value, once it is clear in which statements it stands.
  const std::vector<Site>& sites(kernel::ValueId value) const { return sites_[value.index]; }
  /// The operation that gives the value; none for arguments of blocks.
  kernel::OpId definition(kernel::ValueId value) const { return definitions_[value.index]; }
  /// The block of an operation, and of an argument the block that it belongs to.
  kernel::BlockId home(kernel::ValueId value) const { return homes_[value.index]; }
  /// The block that holds a block's operation, and where; none for the body of the kernel.
  Site parent(kernel::BlockId block) const { return parents_[block.index]; }

 private:
  void number(kernel::BlockId block);
  void mark_live(kernel::ValueId value);
  void mark_live(kernel::OpId op);
  bool find_effects(kernel::BlockId block);
  void place(kernel::BlockId block);
  void place(kernel::OpId op, Site here);
  /// How a statement takes an operand.
  enum class Taken : std::uint8_t {
    Freely,
    WithoutLoads,  ///< after the statement has begun to write
    ByReference,   ///< as a variable
  };
  void use(kernel::ValueId value, Site site, Taken taken);
  Taken taken_by(const kernel::Op& op, kernel::ValueId operand) const;
  bool is_free(const kernel::Op& op) const;
  bool may_stand(kernel::ValueId value, const kernel::Op& op, Site here) const;
  bool same_iteration(kernel::BlockId outer, kernel::BlockId inner) const;
  bool survives_writing(const kernel::FragmentLoadOp& load, Site site) const;

  const kernel::Program& program_;
  const kernel::IndexRanges& ranges_;
  std::vector<bool> live_, held_, effect_;
  std::vector<Taken> taken_;
  std::vector<std::vector<Site>> sites_;
  std::vector<kernel::OpId> definitions_;
  std::vector<kernel::BlockId> homes_;
  std::vector<Site> parents_;
  std::vector<std::vector<std::uint32_t>> effects_before_;  ///< by block: operations with effects before each
};

}  // namespace tilewright::emit_msl
