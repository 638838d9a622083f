#include "proof/index_map_layouts.h"

#include <bit>

#include "support/checked_math.h"

namespace tilewright::proof {

namespace {

using tile::IndexId;
using tile::IndexKind;

std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  const auto product = checked_mul(a, b);
  TW_CHECK(product && a >= 1 && b >= 1);
  return *product;
}

/// Expressions over the inputs of one map.
class MapWriter {
 public:
  IndexId input(std::uint32_t position) { return map.arena.axis(tile::AxisId{position}); }
  IndexId apply(IndexKind kind, IndexId lhs, std::int64_t rhs) {
    return map.arena.make(kind, lhs, map.arena.constant(rhs));
  }
  IndexId add(IndexId lhs, IndexId rhs) { return map.arena.make(IndexKind::Add, lhs, rhs); }
  /// high * width + low
  IndexId join(IndexId high, std::int64_t width, IndexId low) { return add(apply(IndexKind::Mul, high, width), low); }

  IndexMap map;
};

}  // namespace

IndexMap affine_map(std::vector<std::int64_t> inputs, std::vector<std::int64_t> outputs,
                    const std::vector<AffineResult>& results) {
  MapWriter writer;
  for (const AffineResult& result : results) {
    TW_CHECK(result.coefficients.size() == inputs.size());
    IndexId sum = writer.map.arena.constant(result.constant);
    bool empty = result.constant == 0;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      if (result.coefficients[i] == 0) continue;
      const IndexId term = result.coefficients[i] == 1
                               ? writer.input(i)
                               : writer.apply(IndexKind::Mul, writer.input(i), result.coefficients[i]);
      sum = empty ? term : writer.add(sum, term);
      empty = false;
    }
    writer.map.results.push_back(sum);
  }
  writer.map.inputs = std::move(inputs);
  writer.map.outputs = std::move(outputs);
  return std::move(writer.map);
}

IndexMap flatten_map(const std::vector<std::int64_t>& extents) {
  AffineResult result{std::vector<std::int64_t>(extents.size()), 0};
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    result.coefficients[i] = stride;
    stride = checked_product(stride, extents[i]);
  }
  return affine_map(extents, {stride}, {result});
}

IndexMap unflatten_map(const std::vector<std::int64_t>& extents) {
  MapWriter writer;
  std::int64_t stride = 1;
  writer.map.results.resize(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    const IndexId above = stride == 1 ? writer.input(0) : writer.apply(IndexKind::FloorDiv, writer.input(0), stride);
    writer.map.results[i] = i == 0 ? above : writer.apply(IndexKind::Mod, above, extents[i]);
    stride = checked_product(stride, extents[i]);
  }
  writer.map.inputs = {stride};
  writer.map.outputs = extents;
  return std::move(writer.map);
}

IndexMap xor_swizzle_map(std::int64_t rows, std::int64_t columns, std::int64_t shift) {
  TW_CHECK(std::has_single_bit(static_cast<std::uint64_t>(columns)) && columns > 0);
  MapWriter writer;
  const IndexId key =
      writer.apply(IndexKind::Mod, writer.apply(IndexKind::ShiftRight, writer.input(0), shift), columns);
  const IndexId column = writer.map.arena.make(IndexKind::BitXor, writer.input(1), key);
  writer.map.results = {writer.join(writer.input(0), columns, column)};
  writer.map.inputs = {rows, columns};
  writer.map.outputs = {checked_product(rows, columns)};
  return std::move(writer.map);
}

IndexMap fragment_owner_map(const FragmentFactors& factors) {
  MapWriter writer;
  const IndexId m = writer.input(0);
  const IndexId n = writer.input(1);
  writer.map.results = {writer.join(writer.apply(IndexKind::FloorDiv, m, factors.rm), factors.gn,
                                    writer.apply(IndexKind::FloorDiv, n, factors.rn)),
                        writer.join(writer.apply(IndexKind::Mod, m, factors.rm), factors.rn,
                                    writer.apply(IndexKind::Mod, n, factors.rn))};
  writer.map.inputs = {checked_product(factors.gm, factors.rm), checked_product(factors.gn, factors.rn)};
  writer.map.outputs = {checked_product(factors.gm, factors.gn), checked_product(factors.rm, factors.rn)};
  return std::move(writer.map);
}

IndexMap fragment_atom_map(const FragmentFactors& factors) {
  MapWriter writer;
  const IndexId subgroup = writer.input(0);
  const IndexId fragment = writer.input(1);
  writer.map.results = {writer.join(writer.apply(IndexKind::FloorDiv, subgroup, factors.gn), factors.rm,
                                    writer.apply(IndexKind::FloorDiv, fragment, factors.rn)),
                        writer.join(writer.apply(IndexKind::Mod, subgroup, factors.gn), factors.rn,
                                    writer.apply(IndexKind::Mod, fragment, factors.rn))};
  writer.map.inputs = {checked_product(factors.gm, factors.gn), checked_product(factors.rm, factors.rn)};
  writer.map.outputs = {checked_product(factors.gm, factors.rm), checked_product(factors.gn, factors.rn)};
  return std::move(writer.map);
}

IndexMap fragment_shard_map(const FragmentFactors& factors) {
  return affine_map({factors.gm, factors.rm, factors.gn, factors.rn},
                    {checked_product(factors.gm, factors.gn), checked_product(factors.rm, factors.rn)},
                    {{{factors.gn, 0, 1, 0}, 0}, {{0, factors.rn, 0, 1}, 0}});
}

GuardedMap tiled_cover(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& tiles) {
  TW_CHECK(sizes.size() == tiles.size());
  MapWriter writer;
  GuardedMap guarded;
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    TW_CHECK(sizes[i] >= 0 && tiles[i] >= 1);
    const IndexId element = writer.join(writer.input(2 * i), tiles[i], writer.input(2 * i + 1));
    const std::int64_t programs = sizes[i] / tiles[i] + (sizes[i] % tiles[i] == 0 ? 0 : 1);
    writer.map.inputs.insert(writer.map.inputs.end(), {programs, tiles[i]});
    writer.map.results.push_back(element);
    if (sizes[i] % tiles[i] != 0) guarded.guards.push_back({element, sizes[i]});
  }
  writer.map.outputs = sizes;
  guarded.map = std::move(writer.map);
  return guarded;
}

}  // namespace tilewright::proof
