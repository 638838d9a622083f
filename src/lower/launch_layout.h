// LaunchLayout: how the buffers of one launch lie in memory. Addresses in the lowered program are linear in these
// numbers, so that a kernel is made for one set of strides.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <tilewright/errors.h>

#include "tile/program.h"

namespace tilewright::lower {

/// Element p of the buffer lies sum(p[d] * strides[d]) - low elements behind the pointer that the launch passes, which
/// is the view's first element plus low. All elements lie in [0, count).
struct BufferLayout {
  std::vector<std::int64_t> strides;
  std::int64_t low = 0;    ///< the most negative reachable sum, <= 0
  std::int64_t count = 0;  ///< 0 when an extent is 0; no address is formed then
  bool operator==(const BufferLayout&) const = default;
};

/// Buffers that are not listed are dense row-major, or have the strides that the program declares.
struct LaunchLayout {
  std::map<tile::ObjectId, BufferLayout> buffers;
  bool names_matrices = false;  ///< inputs are declared as matrices where they are, and views of them name their places
  bool operator==(const LaunchLayout&) const = default;
};

/// Failures: ArgumentStrides (rank), NegativeSize, SizeOverflow (an address beyond 63 bits).
Result<BufferLayout> make_buffer_layout(const std::vector<std::int64_t>& extents,
                                        const std::vector<std::int64_t>& strides);

/// Dense row-major, or the declared strides of the object. Premise: bound.
Result<BufferLayout> default_buffer_layout(const tile::Program& bound, tile::ObjectId object);

}  // namespace tilewright::lower
