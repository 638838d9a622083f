// Which operands of an operation are written inside it.
//
// Operations that wait for their only consumer stand on a stack in the order of the program. Reading the text makes the
// operations of an expression in a fixed order: the operands from left to right, but numbers and index expressions
// last, where the operation turns them into tiles. An operand is written inside only if that order is the order of the
// stack.
#pragma once

#include <optional>
#include <vector>

#include "tile/printer_internal.h"

namespace tilewright::tile::printing {

/// An operation that is not written yet.
struct Pending {
  OpId op;
  ValueId value;
  Text text;                  ///< inside an expression; empty where it cannot stand in one
  Text definition;            ///< behind the "=" of a statement of its own
  bool brackets = false;      ///< such a statement lists the axes
  bool default_order = true;  ///< without brackets the text gives the axes in the order they have
  std::vector<AxisId> axes;   ///< that the text mentions
};

/// How an operand appears.
enum class Form : std::uint8_t {
  Named,   ///< by a name
  Inside,  ///< as its text, a tile
  Number,  ///< as a number that takes its type from what stands beside it
  Index,   ///< as an index expression
};

struct Operands {
  std::vector<Form> forms;  ///< one an operand, in their order
  std::size_t taken = 0;    ///< entries at the top of the stack that are written inside
};

/// The choice that writes most of the stack's top inside `op`.
Operands choose_operands(const Program& program, const Op& op, const std::vector<Pending>& stack);

}  // namespace tilewright::tile::printing
