// The statements of the printed text: definitions, effects, regions and the variables that carry values through them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tile/printer_inline.h"
#include "tile/printer_internal.h"

namespace tilewright::tile::printing {

class BlockPrinter {
 public:
  explicit BlockPrinter(const Program& program);

  /// The root block's statements, each line indented by two spaces.
  std::string run();

 private:
  using VariableId = Id<struct PrintedVariableTag>;

  /// A name of the text that stands for one value after the other. Ids ascend in the order of the definitions.
  struct Variable {
    std::string name;
    BlockId block;  ///< that defines it
    ValueId current;
  };
  enum class BlockKind : std::uint8_t { Plain, Loop, Reduce, Branch };
  /// An open block. carries[j] becomes yields[j].
  struct Frame {
    BlockId block;
    BlockKind kind = BlockKind::Plain;
    std::vector<VariableId> carries;
    std::vector<ValueId> yields;
    std::vector<FoldKind> folds;
    std::vector<bool> done;  ///< assigned or folded at least once
    std::vector<Pending> stack;
  };

  // Operations (printer_blocks.cpp).
  void print_block(BlockId block);
  void print_op(OpId id);
  void print_value(OpId id, const Op& op);
  Pending make_pending(OpId id, const Op& op);
  void make_constant(Pending& entry, const Op& op, const ConstantOp& constant);
  void make_broadcast(Pending& entry, const Op& op, const Operands& chosen, const std::vector<Text>& texts);
  std::vector<Text> take_operands(const Op& op, const Operands& chosen, std::vector<AxisId>& axes);
  void print_effect(OpId id, const Op& op);
  void print_memory(const Object& object, ObjectId id);

  // Statements.
  void line(const std::string& text);
  void flush();
  void flush_to(ValueId value);
  void write(const Pending& entry);
  bool write_fold(const Pending& entry);
  void define(const Pending& entry);
  void declare_axes(const std::vector<AxisId>& axes);
  std::string bracket_list(ValueId value);
  std::string extent_of(AxisId axis);
  void open(Frame frame);
  void close();

  // Names.
  std::string name_of(const IndexNode& node);
  std::string axis_name(AxisId axis);
  const std::string& name_of(ValueId value) const;
  VariableId define_variable(const std::string& label, std::string_view fallback, ValueId value);
  VariableId variable_for(const Pending& entry);
  VariableId carry_target(ValueId value, std::uint32_t position);
  VariableId redefined(ValueId value, std::uint32_t position);
  void set(VariableId variable, ValueId value);

  // Regions (printer_regions.cpp).
  void print_region(OpId id, const RegionOp& region);
  void print_if(OpId id, const IfOp& branch);
  std::string region_header(const RegionOp& region);
  std::vector<VariableId> bind_carries(OpId id, IdList<ValueId> inits, std::uint32_t last_use, BlockKind kind);
  bool may_carry(ValueId init, std::uint32_t first, std::uint32_t last, BlockKind kind) const;
  void print_branch(BlockId block, const std::vector<VariableId>& carries, const std::vector<ValueId>& inits,
                    const std::vector<bool>& done);
  void print_placements(const std::vector<ValueId>& values);
  void finish_carries();
  void finish_folds();
  void take_results(OpId id, const std::vector<VariableId>& carries);
  /// Position of the variable among the carries of the innermost block, or -1.
  int carry_index(VariableId variable) const;
  bool is_free(VariableId variable, std::uint32_t position) const;
  Frame& frame() { return frames_.back(); }
  const Frame& frame() const { return frames_.back(); }

  const Program& program_;
  Shape shape_;
  Names names_;
  OperationText text_;
  std::string out_;
  std::vector<Frame> frames_;
  IdVector<VariableId, Variable> variables_;
  IdVector<ValueId, VariableId> variable_of_;
  std::map<std::string, VariableId> visible_;
  IdVector<AxisId, std::string> axis_names_;
  IdVector<AxisId, std::uint8_t> axis_declared_;
  IdVector<CoordId, std::string> coord_names_;
  IdVector<ObjectId, std::string> object_names_;
};

}  // namespace tilewright::tile::printing
