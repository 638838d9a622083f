// Copying a program in canonical order: the one walk that numbers ids, under the builder's finish() and bind().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "tile/program.h"

namespace tilewright::tile {

/// Which declarations of a family stay.
enum class FamilyPart : std::uint8_t {
  Whole,
  Symbols,  ///< symbols and requirements; parameters must be replaced
  None,     ///< everything must be replaced
};

struct CopyRules {
  /// What replaces a symbol or parameter leaf; none keeps them.
  std::function<IndexId(IndexArena&, const IndexNode&)> family_leaf;
  /// What replaces an element type; none keeps it.
  std::function<ElementType(ElementType)> element;
  /// What a value stands for before it is copied; none is the value itself.
  std::function<ValueId(ValueId)> resolve;
  /// Constant strides that replace those of an object; none keeps them.
  std::function<std::optional<std::vector<std::int64_t>>(ObjectId)> strides;
  /// Whole needs no rule; the others need family_leaf and element.
  FamilyPart kept = FamilyPart::Whole;
};

/// Everything reachable from the root, renumbered in the order of a walk: declarations first, then blocks in program
/// order, each operation before what it contains. Unreachable axes, index expressions and values are dropped, and so
/// are casts whose operand has the wanted element type once element types are replaced.
Program copy_program(const Program& source, const CopyRules& rules);

/// The same program with these strides declared, so that whoever plans it knows how its buffers lie.
Program with_strides(const Program& source, const std::map<ObjectId, std::vector<std::int64_t>>& strides);

}  // namespace tilewright::tile
