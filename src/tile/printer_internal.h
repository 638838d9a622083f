// Shared by the files of the printer: texts with a binding strength, names, and where everything is used.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tile/program.h"

namespace tilewright::tile::printing {

/// How tightly a text holds together; the levels of the grammar, lowest first.
enum class Level : std::uint8_t { Or, And, Compare, Bits, Shift, Sum, Product, Unary, Primary };

struct Text {
  std::string text;
  Level level = Level::Primary;
};

/// The text, in parentheses unless it holds at least as tightly as `least`.
std::string within(const Text& text, Level least);
std::string comma_list(const std::vector<std::string>& items);

/// The name of a leaf of an index expression.
using LeafName = std::function<std::string(const IndexNode&)>;
Text index_text(const IndexArena& arena, IndexId id, const LeafName& leaf);

std::string element_text(const Program& program, ElementType type);
/// A number of that element type, without a type: "2.0", "-3", "true".
Text number_text(const Program& program, Literal literal, ElementType type);
/// The same with its type: "f16(2.0)".
Text typed_number_text(const Program& program, Literal literal, ElementType type);

/// What to call a value that has no label.
std::string_view default_label(const Op& op);

/// The text of an operation from the texts of its operands (in the order of for_each_operand). Not for constants, index
/// values, effects and regions.
class OperationText {
 public:
  OperationText(const Program& program, LeafName leaf, std::function<std::string(AxisId)> axis,
                std::function<std::string(ObjectId)> object)
      : program_(program), leaf_(std::move(leaf)), axis_(std::move(axis)), object_(std::move(object)) {}

  Text operator()(const Op& op, const std::vector<Text>& operands) const;
  Text index(IndexId id) const { return index_text(program_.index(), id, leaf_); }
  std::string coords(IdList<IndexId> list) const;  ///< "[i*BM + m, 0]"

 private:
  Text unary(UnaryKind kind, const Text& operand) const;
  Text binary(BinaryKind kind, const Text& lhs, const Text& rhs) const;
  Text load(const LoadOp& op, const std::vector<Text>& operands) const;
  Text reduce(const ReduceOp& op, const Text& operand) const;

  const Program& program_;
  LeafName leaf_;
  std::function<std::string(AxisId)> axis_;
  std::function<std::string(ObjectId)> object_;
};

/// The names that can be seen at one point of the text.
class Names {
 public:
  explicit Names(const Program& program);

  void open() { scopes_.emplace_back(); }
  void close();
  /// A name made from the label that nothing visible has; visible until the block that is open now closes.
  std::string claim(const std::string& label, std::string_view fallback);
  /// The label as the text spells names.
  static std::string spelled(const std::string& label, std::string_view fallback);

 private:
  std::set<std::string> taken_;
  std::vector<std::vector<std::string>> scopes_;
};

/// Order and uses. Positions count operations in the order of the program; the end of a block has one too, at which its
/// yields are used.
struct Shape {
  explicit Shape(const Program& program);

  IdVector<OpId, std::uint32_t> position;
  IdVector<OpId, std::uint32_t> end;  ///< of the blocks inside; position for other operations
  IdVector<BlockId, std::uint32_t> block_end;
  IdVector<ValueId, std::vector<std::uint32_t>> uses;  ///< ascending
  IdVector<AxisId, BlockId> home;                      ///< the lowest block around every use
  IdVector<OpId, std::vector<AxisId>> axes;            ///< used by the operation or inside it, in order
  IdVector<ObjectId, std::uint8_t> own_layout;         ///< the axes of the layout have no other use

  /// Uses in [from, to].
  std::size_t count_uses(ValueId value, std::uint32_t from, std::uint32_t to) const;

 private:
  void walk_block(const Program& program, BlockId block, std::vector<BlockId>& path);
  void walk_op(const Program& program, OpId op, std::vector<BlockId>& path);
  void note_axes(const Program& program, OpId op, const std::vector<BlockId>& path);
  void note_axis(OpId op, AxisId axis, const std::vector<BlockId>& path);
  void find_own_layouts(const Program& program);

  std::uint32_t next_position_ = 0;
  IdVector<AxisId, std::vector<BlockId>> home_path_;
};

}  // namespace tilewright::tile::printing
