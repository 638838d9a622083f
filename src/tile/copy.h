// Copying a program in canonical order: the one walk that numbers ids, under the builder's finish() and bind().
#pragma once

#include <functional>

#include "tile/program.h"

namespace tilewright::tile {

struct CopyRules {
  /// What replaces a symbol or parameter leaf; none keeps them.
  std::function<IndexId(IndexArena&, const IndexNode&)> family_leaf;
  /// What replaces an element type; none keeps it.
  std::function<ElementType(ElementType)> element;
  /// What a value stands for before it is copied; none is the value itself.
  std::function<ValueId(ValueId)> resolve;
  /// Drops symbols, parameters, type parameters and requirements. Needs family_leaf and element.
  bool close_family = false;
};

/// Everything reachable from the root, renumbered in the order of a walk: declarations first, then blocks in program
/// order, each operation before what it contains. Unreachable axes, index expressions and values are dropped, and so
/// are casts whose operand has the wanted element type once element types are replaced.
Program copy_program(const Program& source, const CopyRules& rules);

}  // namespace tilewright::tile
