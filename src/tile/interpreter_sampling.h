// Which instances of a launch matter when only some rows of the outputs are wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/interpreter.h"

namespace tilewright::tile {

class RowSampling {
 public:
  RowSampling(const Program& program, const InterpreterOptions& options);

  /// False when the instance at these coordinates of the launch surely stores nothing that is wanted.
  bool may_matter(OpId launch, const std::vector<std::int64_t>& position) const;

 private:
  struct WantedStore {
    std::vector<IndexId> leading;                 ///< the coordinates that name a row
    std::vector<std::vector<std::int64_t>> rows;  ///< wanted, as points of these coordinates
  };
  struct Launch {
    OpId op;
    bool sampled = false;  ///< instances may be skipped
    std::vector<CoordId> coords;
    std::vector<WantedStore> stores;
  };

  bool may_store_wanted(const WantedStore& store, const std::vector<CoordId>& coords,
                        const std::vector<std::int64_t>& position) const;

  const Program& program_;
  std::vector<Launch> launches_;
};

/// The coordinates of an object that name its rows.
std::size_t leading_rank(const Object& object);

}  // namespace tilewright::tile
