// Where every operation stands: its block, the regions and branches around it, its launch, and the order of the text.
//
// Premise: the program passes tile::verify. The walk holds ids only and does not refer to the program.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/leaf_ranges.h"
#include "tile/program.h"

namespace tilewright::analysis {

struct NestRegion {
  tile::OpId region;
  tile::RegionKind kind{};
  std::vector<tile::CoordId> coords;
  /// Each execution of the region has at least one iteration. False: not known.
  bool surely_runs = false;
};

struct NestBranch {
  tile::OpId branch;  ///< the if
  bool in_then = true;
  tile::ValueId condition;
  std::size_t region_depth = 0;  ///< how many regions stand around the if
};

enum class BlockRole : std::uint8_t { Root, RegionBody, Then, Else };

/// What stands around the operations of one block.
struct Nest {
  BlockRole role = BlockRole::Root;
  tile::OpId owner;                  ///< the region or if; none for the root
  tile::BlockId outer;               ///< the block that holds the owner; none for the root
  std::size_t depth = 0;             ///< blocks around this one
  std::vector<NestRegion> regions;   ///< outermost first; the owner, if it is a region, is the last
  std::vector<NestBranch> branches;  ///< outermost first; the owner, if it is an if, is the last
};

struct OpPlace {
  tile::BlockId block;
  std::uint32_t position = 0;  ///< in its block
  std::uint32_t order = 0;     ///< in the text: a region or if stands before what it holds
  std::uint32_t launch = 0;    ///< which top-level parallel region it is or stands in, from 0
};

struct Walk {
  IdVector<tile::OpId, OpPlace> places;
  IdVector<tile::BlockId, Nest> nests;
  std::vector<tile::OpId> order;     ///< all operations in the order of the text
  std::vector<tile::OpId> launches;  ///< the top-level parallel regions

  const Nest& nest(tile::OpId op) const { return nests[places[op].block]; }
  /// The ancestor of op (or op itself) that stands in `block`; none when op is not inside it.
  tile::OpId ancestor_in(tile::OpId op, tile::BlockId block) const;
  /// True when `inner` stands inside a block of `outer`, at any depth.
  bool encloses(tile::OpId outer, tile::OpId inner) const;
  /// How many serial, pipeline and reduce regions stand around op.
  std::size_t loop_depth(tile::OpId op) const;
};

/// `sizes` only sharpens NestRegion::surely_runs.
Walk walk(const tile::Program& program, const SizeRanges& sizes = {});

/// Before each execution of b, some execution of a has ended: in the same iteration of the regions that hold both.
/// An operation does not dominate itself, what it holds, or what holds it. False: not known. An a in a loop that may
/// have no trips, or in a branch, dominates nothing outside that loop or branch.
bool surely_dominates(const Walk& walk, tile::OpId a, tile::OpId b);

}  // namespace tilewright::analysis
