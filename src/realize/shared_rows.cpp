#include "realize/shared_rows.h"

#include <algorithm>
#include <map>

#include "analysis/roles.h"
#include "realize/metal_units.h"
#include "realize/mma_form.h"
#include "tile/bind.h"

namespace tilewright::realize {

namespace {

std::int64_t element_bytes(const tile::Program& program, tile::ValueId value) {
  return static_cast<std::int64_t>(data_type_bytes(program.value(value).element.data));
}

void pad(const tile::Program& program, StoredTile& tile) {
  const std::int64_t bytes = element_bytes(program, tile.value), padding = kRowPaddingBytes / bytes;
  const auto compact = shared_rows(program, tile.value), padded = shared_rows(program, tile.value, padding);
  // Places behind single elements would part what has to lie together.
  const bool has_rows = tile::bound_extent(program, program.list(program.value(tile.value).axes).back()) > 1;
  if (tile.row_padding_elements > 0 || !has_rows || !compact || padded->conflict_ways >= compact->conflict_ways) return;
  tile.row_padding_elements = padding;
  tile.bytes += tile.elements / compact->stride_elements * padding * bytes;
}

}  // namespace

std::optional<SharedRows> shared_rows(const tile::Program& program, tile::ValueId value, std::int64_t padding_elements,
                                      const SharedBanks& banks) {
  const auto axes = program.list(program.value(value).axes);
  if (axes.size() < 2) return std::nullopt;
  SharedRows rows;
  rows.stride_elements = tile::bound_extent(program, axes.back()) + padding_elements;
  std::map<std::int64_t, std::int64_t> starts;
  for (std::int64_t row = 0; row < kAtomExtent; ++row) {
    const std::int64_t bank = row * rows.stride_elements * element_bytes(program, value) / banks.bytes % banks.count;
    rows.conflict_ways = std::max(rows.conflict_ways, ++starts[bank]);
  }
  return rows;
}

Materialization with_padded_rows(Materialization materialization, const proof::Subject& subject) {
  for (const tile::OpId op : subject.walk.order) {
    const tile::MmaOp* mma = analysis::as_mma(subject.program, op);
    if (mma == nullptr || subject.walk.places[op].launch != materialization.launch || !mma_form(subject, op)) continue;
    for (StoredTile& tile : materialization.tiles)
      if (tile.value == mma->a || tile.value == mma->b) pad(subject.program, tile);
  }
  return materialization;
}

}  // namespace tilewright::realize
