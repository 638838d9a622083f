// Contractions: launches that are one matrix product with scalar work around it, whatever tiles the author cut it into.
//
// A JOINT AXIS is a domain of the launch (or of the loop) and an axis of its tiles that move every index together,
// r = i * BM + m, so that the launch computes one matrix over joint rows r and columns c, as a sum over the joint depth
// d. Such a launch may be cut anew (retiled): into panels of columns, rows of any number, one pass over the depth.
//
// What is legal, and why:
//  - Each element of every output is stored by exactly one point (map.exact_cover), and what is stored depends on the
//    launch only through r, c and the other domains (batches): so it does not matter who computes it.
//  - The accumulator is seen by nobody but the mma (recurrence.closed), so that no partial sum has to exist in memory.
//  - The operands are inputs that keep their contents (load.forwardable), so that they may be read where they lie.
//  - Both operands end at the same depth: what lies behind is padding of both sides, which may be left out. What one
//    operand has in place of rows or columns that are not there is never stored.
//  - What is read beside the operands is not written in the launch, or by the very store of that element.
//
// Recognition goes by structure, never by a name or by the order of declarations. The program is bound.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "proof/load_forwardable.h"
#include "proof/map_exact_cover.h"
#include "proof/recurrence_closed.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "realize/refusal.h"
#include "sets/context.h"

namespace tilewright::realize {

struct ContractionCodes {
  static constexpr std::string_view kNoProduct = "no_product";  ///< no mma, or several
  static constexpr std::string_view kNotAlone = "not_alone";    ///< something else that crosses elements, or an effect
  static constexpr std::string_view kFixedScope = "fixed_scope";
  static constexpr std::string_view kPlaced = "placed";
  static constexpr std::string_view kElementTypes = "element_types";
  static constexpr std::string_view kSeveralAxes = "several_axes";
  static constexpr std::string_view kNotJoint = "not_joint";        ///< tiles do not make one matrix
  static constexpr std::string_view kRecurrence = "recurrence";     ///< recurrence.closed is not proved
  static constexpr std::string_view kOperand = "operand";           ///< an operand is no load that may be read in place
  static constexpr std::string_view kOperandEnds = "operand_ends";  ///< where an operand ends is not where it may
  static constexpr std::string_view kNotCovered = "not_covered";    ///< map.exact_cover is not proved
  static constexpr std::string_view kSourceWritten = "source_written";
  static constexpr std::string_view kEmpty = "empty";
};

/// r = coord * tile + axis, in [0, extent).
struct JointAxis {
  tile::CoordId coord;  ///< or none: the tile is all there is
  tile::AxisId axis;    ///< or none: one point
  std::int64_t tile = 1;
  std::int64_t extent = 1;  ///< points that matter
};

/// An operand of the product where it lies: element (outer, depth) of a batch is a place of the object.
struct ContractionOperand {
  tile::OpId load;
  JointAxis outer, depth;  ///< as the load has them: its own axes, where the program relabels
  std::optional<std::size_t> outer_dimension, depth_dimension;  ///< of the object; none: the same for all
};

struct Contraction {
  std::uint32_t launch = 0;
  tile::OpId mma;
  tile::OpId region;  ///< whose carry is the accumulator; or none
  JointAxis row, column, depth;
  std::vector<tile::CoordId> batches;  ///< the other domains of the launch, in order
  std::int64_t batch_count = 1;
  ContractionOperand a, b;
  tile::ValueId initial;           ///< of the accumulator
  tile::ValueId result;            ///< of the product
  std::vector<tile::OpId> stores;  ///< in the order of the text
  bool may_reassociate = false;

  std::optional<proof::Proved<proof::RecurrenceClosed>> closed;  ///< where there is a region
  std::vector<proof::Proved<proof::LoadForwardable>> forwardable;
  std::vector<proof::Proved<proof::MapExactCover>> covers;
  std::vector<proof::Finding> findings;  ///< every question that was asked, in order
};

/// Premise: launch < number of launches. The refusal names the operation that stands in the way.
std::expected<Contraction, Refusal> contraction(const proof::Subject& subject, std::uint32_t launch,
                                                const sets::Context& context);

}  // namespace tilewright::realize
