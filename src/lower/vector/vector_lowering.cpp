#include "lower/vector/vector_lowering.h"

#include <functional>
#include <utility>

#include "lower/traversal.h"
#include "lower/vector/vector_elements.h"
#include "lower/vector/vector_tile.h"
#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;
using kernel::CompareKind;
using kernel::ScalarType;
using realize::EvenParts;

namespace {

/// The transposed product: rows for columns.
realize::Contraction oriented(realize::Contraction contraction, bool swaps) {
  if (!swaps) return contraction;
  std::swap(contraction.row, contraction.column);
  std::swap(contraction.a, contraction.b);
  return contraction;
}

class VectorLowering {
 public:
  VectorLowering(const Program& program, const realize::Contraction& contraction, const realize::VectorMapping& mapping,
                 kernel::Builder& builder, std::map<ObjectId, ObjectPlace>& objects)
      : program_(program),
        contraction_(oriented(contraction, mapping.swaps)),
        mapping_(mapping),
        b_(builder),
        objects_(objects),
        index_(program, builder),
        accesses_(program, builder, index_),
        elements_(program, builder, index_, accesses_, objects, contraction_.row, contraction_.column,
                  static_cast<std::uint16_t>(mapping.lanes)),
        tile_(contraction_, mapping_, builder, elements_),
        panels_(realize::VectorMapping::ceil_div(contraction_.column.extent, mapping.columns_each()), mapping.vectors),
        groups_(panels_.parts, mapping.group),
        tiles_(contraction_.row.extent, mapping.rows) {}

  void run(const std::string& name) {
    const std::int64_t tasks = contraction_.batch_count * groups_.parts * tiles_.parts;
    const auto [begin, end] = b_.begin_range_kernel(name, tasks);
    if (mapping_.packs)
      packed_ =
          b_.allocation("panels", kernel::AllocationSpace::Private, ScalarType::F32, groups_.size * panel_elements());
    if (mapping_.pass_of(contraction_.depth.extent) < contraction_.depth.extent)
      partial_ = b_.allocation("partial", kernel::AllocationSpace::Private, ScalarType::F32,
                               contraction_.row.extent * partial_width());
    const kernel::ValueId per_group = b_.const_i64(tiles_.parts);
    const kernel::ValueId first = b_.binary(BinaryKind::FloorDiv, begin, per_group);
    const kernel::ValueId last = b_.binary(BinaryKind::FloorDiv, b_.add(end, -1), per_group);
    b_.loop(first, b_.add(last, 1), 1, [&, begin = begin, end = end](kernel::ValueId group) {
      const kernel::ValueId before = b_.mul(group, tiles_.parts);
      const kernel::ValueId from = b_.binary(BinaryKind::Max, b_.sub(begin, before), b_.const_i64(0));
      const kernel::ValueId to = b_.binary(BinaryKind::Min, b_.sub(end, before), per_group);
      emit_group(group, from, to);
    });
    b_.end_kernel();
  }

 private:
  using TileWork = std::function<void(const Panel&, kernel::ValueId, std::int64_t)>;

  std::int64_t panel_elements() const {
    return mapping_.pass_of(contraction_.depth.extent) * panels_.size * mapping_.lanes;
  }
  std::int64_t partial_width() const { return groups_.size * panels_.size * mapping_.lanes; }

  /// Where part n of some begins.
  kernel::ValueId start_of(const EvenParts& parts, kernel::ValueId part) {
    const kernel::ValueId start = b_.mul(part, parts.size);
    if (parts.are_equal()) return start;
    const kernel::ValueId smaller =
        b_.binary(BinaryKind::Max, b_.sub(part, b_.const_i64(parts.large)), b_.const_i64(0));
    return b_.sub(start, smaller);
  }

  /// Calls body(part, size) in a loop over parts [from, to): first the large ones, then the others.
  template <class Body>
  void each_part(const EvenParts& parts, kernel::ValueId from, kernel::ValueId to, Body&& body) {
    if (parts.are_equal()) return b_.loop(from, to, 1, [&](kernel::ValueId part) { body(part, parts.size); });
    const kernel::ValueId large = b_.const_i64(parts.large);
    b_.loop(from, b_.binary(BinaryKind::Min, to, large), 1, [&](kernel::ValueId part) { body(part, parts.size); });
    b_.loop(b_.binary(BinaryKind::Max, from, large), to, 1, [&](kernel::ValueId part) { body(part, parts.size - 1); });
  }

  /// Tiles [from, to) of a group of panels.
  void emit_group(kernel::ValueId ordinal, kernel::ValueId from, kernel::ValueId to) {
    const kernel::ValueId groups = b_.const_i64(groups_.parts);
    set_batch(b_.binary(BinaryKind::FloorDiv, ordinal, groups));
    const kernel::ValueId group = b_.binary(BinaryKind::FloorMod, ordinal, groups);
    const kernel::ValueId first = start_of(groups_, group);
    const kernel::ValueId last = start_of(groups_, b_.add(group, 1));
    const auto launch =
        std::get<RegionOp>(program_.op(program_.block(program_.root()).ops[contraction_.launch]).payload);
    elements_.begin(program_.block(launch.body).ops);
    const OperandView a = view_of(contraction_.a), b = view_of(contraction_.b);
    tile_.set_column_step(b.outer_step);
    const std::int64_t depth = contraction_.depth.extent, pass = mapping_.pass_of(depth);
    const auto panel = [&](kernel::ValueId part, std::int64_t vectors, kernel::ValueId start) {
      const kernel::ValueId column = b_.mul(start_of(panels_, part), mapping_.columns_each());
      const kernel::ValueId offset = b_.mul(b_.sub(part, first), panel_elements());
      Panel made{vectors,
                 column,
                 mask_of_last(vectors, column),
                 a,
                 b,
                 packed_,
                 b_.sub(offset, b_.mul(start, vectors * mapping_.lanes))};
      if (!partial_) return made;
      made.partial = partial_;
      made.partial_width = partial_width();
      made.partial_at = b_.sub(column, b_.mul(start_of(panels_, first), mapping_.lanes));
      return made;
    };
    const auto each_panel = [&](kernel::ValueId start, const std::function<void(const Panel&)>& body) {
      each_part(panels_, first, last,
                [&](kernel::ValueId part, std::int64_t vectors) { body(panel(part, vectors, start)); });
    };
    const auto each_tile = [&](kernel::ValueId start, const TileWork& work) {
      each_part(tiles_, from, to, [&](kernel::ValueId tile, std::int64_t rows) {
        const kernel::ValueId row = start_of(tiles_, tile);
        each_panel(start, [&](const Panel& here) { work(here, row, rows); });
      });
    };
    const auto pack = [&](kernel::ValueId start, std::int64_t count) {
      if (mapping_.packs) tile_.pack([&](const auto& body) { each_panel(start, body); }, start, count);
    };
    const kernel::ValueId zero = b_.const_i64(0);
    if (pass == depth) {
      pack(zero, depth);
      return each_tile(zero,
                       [&](const Panel& here, kernel::ValueId row, std::int64_t rows) { tile_.emit(here, row, rows); });
    }
    const auto one_pass = [&](kernel::ValueId start, std::int64_t count) {
      pack(start, count);
      each_tile(start, [&](const Panel& here, kernel::ValueId row, std::int64_t rows) {
        tile_.pass(here, row, rows, start, count);
      });
    };
    each_tile(zero, [&](const Panel& here, kernel::ValueId row, std::int64_t rows) { tile_.begin(here, row, rows); });
    const std::int64_t whole = (depth - 1) / pass * pass;
    b_.loop(zero, b_.const_i64(whole), pass, [&](kernel::ValueId start) { one_pass(start, pass); });
    one_pass(b_.const_i64(whole), depth - whole);
    each_tile(zero, [&](const Panel& here, kernel::ValueId row, std::int64_t rows) { tile_.end(here, row, rows); });
  }

  void set_batch(kernel::ValueId batch) {
    std::vector<std::int64_t> extents;
    for (CoordId coord : contraction_.batches)
      extents.push_back(program_.index().as_constant(program_.coords()[coord].extent).value_or(1));
    const std::vector<kernel::ValueId> at = unflattened(b_, batch, extents);
    for (std::size_t d = 0; d < extents.size(); ++d) index_.set_coord(contraction_.batches[d], at[d]);
  }

  OperandView view_of(const realize::ContractionOperand& operand) {
    const auto& load = std::get<LoadOp>(program_.op(operand.load).payload);
    const Access access = accesses_.analyze(objects_.at(load.object), program_.list(load.coords), load.bounds);
    Point origin;
    elements_.place(operand.outer, b_.const_i64(0), origin);
    elements_.place(operand.depth, b_.const_i64(0), origin);
    OperandView view{access.place->memory, accesses_.address(access, origin), 0, 0};
    if (operand.outer_dimension) view.outer_step = access.place->strides[*operand.outer_dimension];
    if (operand.depth_dimension) view.depth_step = access.place->strides[*operand.depth_dimension];
    return view;
  }

  kernel::ValueId first_lanes(std::int64_t count) {
    const auto lanes = static_cast<std::uint16_t>(mapping_.lanes);
    const auto most = static_cast<std::int32_t>(count);
    return b_.compare(CompareKind::Lt, b_.iota(ScalarType::I32, lanes), b_.const_i32(most, lanes));
  }

  kernel::ValueId mask_of_last(std::int64_t vectors, kernel::ValueId column) {
    if (mapping_.depth_lanes) return first_lanes(vectors);
    if (contraction_.column.extent % mapping_.lanes == 0) return {};
    const auto lanes = static_cast<std::uint16_t>(mapping_.lanes);
    const kernel::ValueId left =
        b_.sub(b_.const_i64(contraction_.column.extent), b_.add(column, (vectors - 1) * mapping_.lanes));
    const kernel::ValueId most = b_.binary(BinaryKind::Min, left, b_.const_i64(mapping_.lanes));
    const kernel::ValueId lane = b_.iota(ScalarType::I32, lanes);
    return b_.compare(CompareKind::Lt, lane, b_.splat(b_.cast(ScalarType::I32, most), lanes));
  }

  const Program& program_;
  realize::Contraction contraction_;
  const realize::VectorMapping& mapping_;
  kernel::Builder& b_;
  const std::map<ObjectId, ObjectPlace>& objects_;
  IndexEmitter index_;
  AccessEmitter accesses_;
  VectorElements elements_;
  VectorTile tile_;
  EvenParts panels_, groups_, tiles_;
  std::optional<kernel::AllocationId> packed_, partial_;
};

}  // namespace

void lower_contraction(const Program& program, const realize::Contraction& contraction,
                       const realize::VectorMapping& mapping, const std::string& name, kernel::Builder& builder,
                       std::map<ObjectId, ObjectPlace>& objects) {
  VectorLowering(program, contraction, mapping, builder, objects).run(name);
}

}  // namespace tilewright::lower
