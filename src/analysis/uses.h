// Who defines and who uses each value.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tile/program.h"

namespace tilewright::analysis {

enum class UseKind : std::uint8_t {
  Operand,  ///< of an operation; the condition of an if
  Init,     ///< enters a region or if as a carry
  Yield,    ///< leaves a block as a carry of the region or if that owns it
};

struct Use {
  UseKind kind{};
  tile::OpId op;               ///< the user; for a yield the owner of the block
  std::uint32_t position = 0;  ///< operand in the order of for_each_operand; or carry
  tile::BlockId block;         ///< of a yield; none otherwise
  bool operator==(const Use&) const = default;
};

enum class DefinitionKind : std::uint8_t { Op, RegionCarry, RegionResult, IfResult };

struct Definition {
  DefinitionKind kind{};
  tile::OpId op;               ///< the operation; for a carry the region whose body has the argument
  std::uint32_t position = 0;  ///< carry; 0 for the one result of an operation
  bool operator==(const Definition&) const = default;
};

struct Uses {
  IdVector<tile::ValueId, std::vector<Use>> uses;  ///< in the order of the text; yields after their block
  IdVector<tile::ValueId, Definition> definitions;

  const std::vector<Use>& of(tile::ValueId value) const { return uses[value]; }
  /// The use of a value that has exactly one.
  std::optional<Use> single_use(tile::ValueId value) const;
};

/// Premise: the program passes tile::verify.
Uses uses(const tile::Program& program);

/// A value and one use of it outside.
struct Escape {
  tile::ValueId value;
  Use use;
};

/// Every use, outside the given operations, of a result (or region argument) of one of them. A yield counts as outside
/// unless the owner of its block is given. The operations inside a given region are not given by that.
std::vector<Escape> escapes(const tile::Program& program, const Uses& uses, const std::set<tile::OpId>& ops);

/// No effect and no dependence on anything but its operands and coordinates: every operation with one result except a
/// load, region or if.
bool is_pure(const tile::OpPayload& payload);

/// What a value reaches through pure operations only.
struct PureSlice {
  std::vector<tile::OpId> ops;        ///< in the order in which they are found: each once
  std::vector<tile::ValueId> values;  ///< the value itself and the results of ops
  std::vector<Use> exits;             ///< uses of the values by anything else
};
PureSlice pure_uses_of(const tile::Program& program, const Uses& uses, tile::ValueId value);

/// What a value is made of: pure operations, down to the values that none of them defines.
struct PureSources {
  std::vector<tile::OpId> ops;        ///< operands before users
  std::vector<tile::ValueId> leaves;  ///< loads, carries and results of regions and ifs, each once
};
PureSources pure_sources_of(const tile::Program& program, const Uses& uses, tile::ValueId value);

}  // namespace tilewright::analysis
