// Index maps: integer functions between boxes, as values. The subject of the families map.*.
//
// The domain is the box 0 <= d[i] < inputs[i], the codomain the box 0 <= y[j] < outputs[j]; result j is an expression
// over the leaves Axis, where AxisId i stands for d[i]. A map says nothing by itself: it may overflow, leave its
// codomain or hit a point twice. That it does not is what the families prove.
//
// The text, one line a part; a binary operation inside another stands in parentheses:
//
//   in 4, 8                          extents of the inputs; () when there are none
//   out 32                           extents of the outputs; likewise
//   to (d0 * 8) + (d1 ^ (d0 >> 1))   one line a result
//   if (d0 * 8) + d1 < 30            guarded maps: one line a clause
//
// Operations: + - * / % & ^ << >> ceildiv(a, b) min(a, b) max(a, b), with the meaning of tile/index.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/certificate.h"
#include "support/hash.h"
#include "support/result.h"
#include "tile/index.h"

namespace tilewright::proof {

struct IndexMap {
  tile::IndexArena arena;
  std::vector<std::int64_t> inputs, outputs;
  std::vector<tile::IndexId> results;  ///< one an output
};

/// value < bound, for a value over the same leaves.
struct GuardClause {
  tile::IndexId value;
  std::int64_t bound = 0;
};

/// A map of those points of its box that satisfy every clause.
struct GuardedMap {
  IndexMap map;
  std::vector<GuardClause> guards;
};

/// Enumeration stops here unless the caller says otherwise.
inline constexpr std::uint64_t kEnumerationLimit = 1'048'576;
/// Nodes of one expression written out as a tree.
inline constexpr std::size_t kMaxExpressionNodes = 4096;

/// Why the map is not one: a negative extent, a result too many or too few, a leaf that is no input, an expression
/// above kMaxExpressionNodes. Nothing for a map that the families can ask about.
std::optional<std::string> index_map_fault(const GuardedMap& guarded);
std::optional<std::string> index_map_fault(const IndexMap& map);

/// Points of a box; nothing when they do not fit 64 bits. A box without extents has one point.
std::optional<std::uint64_t> box_points(const std::vector<std::int64_t>& extents);

/// The lines of the text as fields, and all of it. The map must have no fault.
std::vector<Field> index_map_fields(const IndexMap& map);
std::vector<Field> index_map_fields(const GuardedMap& guarded);
std::string print_index_map(const IndexMap& map);
std::string print_index_map(const GuardedMap& guarded);
/// Back. SyntaxError with the line for any other text; never a map with a fault.
Result<IndexMap> parse_index_map(std::string_view text);
Result<GuardedMap> parse_guarded_map(std::string_view text);

/// Hash of the text: the subject of certificates. Two maps that print alike are one subject.
Hash128 index_map_subject(const IndexMap& map);
Hash128 index_map_subject(const GuardedMap& guarded);

}  // namespace tilewright::proof
