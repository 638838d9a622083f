#include "realize/shared_rows.h"

#include <algorithm>
#include <map>

#include "realize/metal_units.h"
#include "tile/bind.h"

namespace tilewright::realize {

std::optional<SharedRows> shared_rows(const tile::Program& program, tile::ValueId value, const SharedBanks& banks) {
  const auto axes = program.list(program.value(value).axes);
  if (axes.size() < 2) return std::nullopt;
  SharedRows rows;
  rows.stride_elements = tile::bound_extent(program, axes.back());
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(program.value(value).element.data));
  std::map<std::int64_t, std::int64_t> starts;
  for (std::int64_t row = 0; row < kAtomExtent; ++row) {
    const std::int64_t bank = row * rows.stride_elements * bytes / banks.bytes % banks.count;
    rows.conflict_ways = std::max(rows.conflict_ways, ++starts[bank]);
  }
  return rows;
}

}  // namespace tilewright::realize
