// Checks of a closed program: sizes, index arithmetic, reindexing, memory layouts.
#include <algorithm>
#include <map>
#include <set>

#include "support/checked_math.h"
#include "tile/bind_internal.h"
#include "tile/printer.h"

namespace tilewright::tile {

namespace {

__extension__ typedef unsigned __int128 Wide;

/// The exact product as decimal digits, for messages about sizes that no integer here can hold.
std::string decimal_product(const std::vector<std::int64_t>& factors) {
  constexpr std::uint64_t kBase = 1'000'000'000;
  std::vector<std::uint64_t> limbs{1};
  for (std::int64_t factor : factors) {
    Wide carry = 0;
    for (std::uint64_t& limb : limbs) {
      carry += static_cast<Wide>(limb) * static_cast<std::uint64_t>(factor);
      limb = static_cast<std::uint64_t>(carry % kBase);
      carry /= kBase;
    }
    for (; carry != 0; carry /= kBase) limbs.push_back(static_cast<std::uint64_t>(carry % kBase));
  }
  std::string digits = std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) {
    std::string part = std::to_string(limbs[i]);
    digits += std::string(9 - part.size(), '0') + part;
  }
  return digits;
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string out;
  for (std::int64_t extent : extents) out += (out.empty() ? "" : " x ") + std::to_string(extent);
  return out.empty() ? "1" : out;
}

std::optional<std::int64_t> product(const std::vector<std::int64_t>& extents) {
  if (std::count(extents.begin(), extents.end(), 0) != 0) return 0;
  std::int64_t total = 1;
  for (std::int64_t extent : extents) {
    auto next = checked_mul(total, extent);
    if (!next) return std::nullopt;
    total = *next;
  }
  return total;
}

class BoundChecker {
 public:
  BoundChecker(const Program& program, const BindLimits& limits) : program_(program), limits_(limits) {}

  Diags run() {
    for (ObjectId id : program_.objects().ids()) check_object(program_.object(id));
    for (AxisId id : program_.axes().ids()) check_axis(program_.axes()[id]);
    if (!diags_.empty()) return std::move(diags_);
    for (ObjectId id : program_.objects().ids())
      if (program_.object(id).kind == ObjectKind::Memory) check_memory(id);
    check_block(program_.root());
    return std::move(diags_);
  }

 private:
  /// An expression that stands in several operations of one line is told once.
  void fault(DiagCode code, LocationId location, std::string message, std::string hint = {}) {
    const SourcePlace place = program_.place(location);
    const bool told = std::any_of(diags_.begin(), diags_.end(), [&](const Diag& diag) {
      return diag.message == message && diag.place.line == place.line && diag.place.file == place.file;
    });
    if (!told) diags_.push_back(Diag{code, std::move(message), place, std::move(hint), {}});
  }

  // ---- Sizes ----

  /// Reports why a size expression of constants has no value.
  void report_valueless(IndexId id, LocationId location, const std::string& what) {
    const IndexNode& node = program_.index()[id];
    const bool division =
        node.kind == IndexKind::FloorDiv || node.kind == IndexKind::CeilDiv || node.kind == IndexKind::Mod;
    if (!is_index_leaf(node.kind))
      for (IndexId part : {node.lhs, node.rhs})
        if (!program_.index().evaluate(part, {})) return report_valueless(part, location, what);
    if (division && program_.index().evaluate(node.rhs, {}) == 0)
      return fault(DiagCode::ZeroDivisor, location, what + " divides by zero: " + print_index(program_, id),
                   "a block size must be at least 1");
    fault(DiagCode::SizeOverflow, location, what + " does not fit 64 bits: " + print_index(program_, id),
          "choose smaller sizes");
  }

  std::optional<std::int64_t> size(IndexId id, LocationId location, const std::string& what) {
    auto value = program_.index().evaluate(id, {});
    if (!value) report_valueless(id, location, what);
    return value;
  }

  void check_object(const Object& object) {
    std::vector<std::int64_t> extents;
    for (IndexId id : object.extents) {
      auto extent = size(id, object.location, "a size of '" + object.name + "'");
      if (!extent) continue;
      if (*extent < 0)
        fault(DiagCode::NegativeSize, object.location,
              "a size of '" + object.name + "' is negative: " + print_index(program_, id) + " = " +
                  std::to_string(*extent));
      extents.push_back(*extent);
    }
    for (IndexId id : object.strides) size(id, object.location, "a stride of '" + object.name + "'");
    if (extents.size() != object.extents.size() ||
        std::any_of(extents.begin(), extents.end(), [](std::int64_t e) { return e < 0; }))
      return;
    auto elements = product(extents);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(object.element.data));
    if (elements && checked_mul(*elements, bytes)) return;
    fault(DiagCode::SizeOverflow, object.location,
          "'" + object.name + "' has " + extents_text(extents) + " = " + decimal_product(extents) + " elements of " +
              std::to_string(bytes) + " bytes, which do not fit 64 bits",
          "choose smaller sizes");
  }

  void check_axis(const Axis& axis) {
    auto extent = size(axis.extent, LocationId{}, "the extent of the axis " + axis.label);
    if (extent && *extent < 0)
      fault(DiagCode::NegativeSize, LocationId{},
            "the extent of the axis " + axis.label + " is negative: " + std::to_string(*extent),
            "tile sizes must be at least 0");
  }

  void check_tile(const Op& op, ValueId value) {
    std::vector<std::int64_t> extents;
    for (AxisId axis : program_.list(program_.value(value).axes)) extents.push_back(bound_extent(program_, axis));
    auto elements = product(extents);
    if (elements && *elements <= limits_.max_tile_elements) return;
    fault(DiagCode::TileTooLarge, op.location,
          "a tile of " + extents_text(extents) + " = " + decimal_product(extents) + " elements is over the limit of " +
              std::to_string(limits_.max_tile_elements),
          "use smaller tile parameters");
  }

  // ---- Index arithmetic ----

  struct Domain {
    std::vector<AxisId> axes;
    std::vector<CoordId> coords;  ///< with every coordinate that an extent depends on, outermost first
  };

  void add_coord(CoordId id, std::vector<CoordId>& coords) const {
    for (CoordId outer : program_.index().coords(program_.coords()[id].extent)) add_coord(outer, coords);
    if (std::find(coords.begin(), coords.end(), id) == coords.end()) coords.push_back(id);
  }

  Domain domain_of(IndexId expr) const {
    Domain domain{program_.index().axes(expr), {}};
    for (CoordId id : program_.index().coords(expr)) add_coord(id, domain.coords);
    return domain;
  }

  /// Surely contains every value of the leaf, or nothing when the leaf has no values.
  std::optional<IndexRange> leaf_range(const IndexNode& node) const {
    if (node.kind == IndexKind::Axis) {
      std::int64_t extent = bound_extent(program_, node.axis());
      return extent > 0 ? std::optional(IndexRange{0, extent - 1}) : std::nullopt;
    }
    auto extent = program_.index().range_over(program_.coords()[node.coord()].extent,
                                              [&](const IndexNode& inner) { return leaf_range(inner); });
    if (!extent || extent->high < 1) return std::nullopt;
    return IndexRange{0, extent->high - 1};
  }

  bool empty_domain(IndexId expr) const {
    for (AxisId axis : program_.index().axes(expr))
      if (bound_extent(program_, axis) == 0) return true;
    const Domain domain = domain_of(expr);
    return std::any_of(domain.coords.begin(), domain.coords.end(), [&](CoordId id) {
      auto extent = program_.index().range_over(program_.coords()[id].extent,
                                                [&](const IndexNode& node) { return leaf_range(node); });
      return extent && extent->high < 1;
    });
  }

  enum class Walk : std::uint8_t { AllGood, Bad, TooMany };

  /// Visits every point of the expression's domain; `good` judges the value (nothing = it has none).
  Walk walk(IndexId expr, const std::function<bool(std::optional<std::int64_t>)>& good) const {
    const Domain domain = domain_of(expr);
    std::map<CoordId, std::int64_t> coords;
    std::map<AxisId, std::int64_t> axes;
    IndexEnvironment environment;
    environment.coord = [&](CoordId id) { return std::optional(coords.at(id)); };
    environment.axis = [&](AxisId id) { return std::optional(axes.at(id)); };
    std::int64_t budget = limits_.max_enumeration;
    std::function<Walk(std::size_t)> visit = [&](std::size_t depth) -> Walk {
      if (depth == domain.coords.size() + domain.axes.size()) {
        if (budget-- == 0) return Walk::TooMany;
        return good(program_.index().evaluate(expr, environment)) ? Walk::AllGood : Walk::Bad;
      }
      const bool is_coord = depth < domain.coords.size();
      const IndexId extent_id = is_coord ? program_.coords()[domain.coords[depth]].extent
                                         : program_.axes()[domain.axes[depth - domain.coords.size()]].extent;
      auto extent = program_.index().evaluate(extent_id, environment);
      if (!extent) return Walk::Bad;
      // A loop without trips costs a step too: there may be very many of them.
      if (*extent <= 0 && budget-- == 0) return Walk::TooMany;
      for (std::int64_t i = 0; i < *extent; ++i) {
        if (is_coord)
          coords[domain.coords[depth]] = i;
        else
          axes[domain.axes[depth - domain.coords.size()]] = i;
        if (Walk inner = visit(depth + 1); inner != Walk::AllGood) return inner;
      }
      return Walk::AllGood;
    };
    return visit(0);
  }

  /// Every value of the expression exists: no overflow, no zero divisor, at any point of its domain.
  void check_arithmetic(const Op& op, IndexId expr, const std::string& what) {
    auto range = program_.index().range_over(expr, [&](const IndexNode& node) { return leaf_range(node); });
    if (range || empty_domain(expr)) return;
    const Domain domain = domain_of(expr);
    if (domain.axes.empty() && domain.coords.empty()) return report_valueless(expr, op.location, what);
    Walk result = walk(expr, [](std::optional<std::int64_t> value) { return value.has_value(); });
    if (result == Walk::AllGood) return;
    fault(DiagCode::SizeOverflow, op.location,
          what + " " + print_index(program_, expr) +
              (result == Walk::Bad ? " overflows 64 bits or divides by zero at some point"
                                   : " cannot be shown to stay within 64 bits and free of zero divisors"),
          "bound it with min and max, or choose smaller sizes");
  }

  void check_within(const Op& op, IndexId expr, std::int64_t extent, const std::string& what) {
    if (empty_domain(expr)) return;
    auto range = program_.index().range_over(expr, [&](const IndexNode& node) { return leaf_range(node); });
    if (range && range->low >= 0 && range->high < extent) return;
    Walk result = walk(expr, [&](std::optional<std::int64_t> v) { return v && *v >= 0 && *v < extent; });
    if (result == Walk::AllGood) return;
    fault(DiagCode::IndexOutOfRange, op.location,
          what + " " + print_index(program_, expr) + (result == Walk::Bad ? " leaves" : " cannot be shown to stay in") +
              " 0 .. " + std::to_string(extent - 1),
          "bound it with min, max or %, or use gather with a fallback");
  }

  // ---- Memory ----

  void check_memory(ObjectId id) {
    const Object& object = program_.object(id);
    const auto extents = bound_extents(program_, id);
    const std::int64_t elements = *product(extents);
    if (elements > limits_.max_tile_elements) {
      fault(DiagCode::TileTooLarge, object.location,
            "the memory '" + object.name + "' has " + extents_text(extents) + " = " + std::to_string(elements) +
                " elements, over the limit of " + std::to_string(limits_.max_tile_elements),
            "use smaller tile parameters");
      return;
    }
    if (object.layout.valid() && elements > 0) check_layout(object, elements);
  }

  void check_layout(const Object& object, std::int64_t elements) {
    std::set<std::int64_t> taken;
    std::string why;
    const auto judge = [&](std::optional<std::int64_t> offset) {
      if (!offset)
        why = "has no value at some point";
      else if (*offset < 0)
        why = "gives the negative offset " + std::to_string(*offset);
      else if (*offset >= limits_.max_tile_elements)
        why = "gives the offset " + std::to_string(*offset) + ", over the limit";
      else if (!taken.insert(*offset).second)
        why = "gives the offset " + std::to_string(*offset) + " twice";
      return why.empty();
    };
    // A layout that ignores one of its axes is walked over the others only, and then maps several points to one.
    for (AxisId axis : object.layout_axes)
      if (bound_extent(program_, axis) > 1 && !contains_axis(object.layout, axis))
        why = "ignores " + program_.axes()[axis].label + ", so several elements share one offset";
    Walk result = why.empty() ? walk(object.layout, judge) : Walk::Bad;
    if (result == Walk::AllGood) return;
    if (result == Walk::TooMany) why = "has " + std::to_string(elements) + " points, too many to check";
    fault(DiagCode::LayoutInvalid, object.location,
          "the layout of '" + object.name + "' " + why + ": " + print_index(program_, object.layout),
          "a layout gives every element its own offset of at least 0");
  }

  bool contains_axis(IndexId expr, AxisId axis) const {
    const auto axes = program_.index().axes(expr);
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }

  // ---- Operations ----

  void check_block(BlockId id) {
    for (OpId op_id : program_.block(id).ops) {
      const Op& op = program_.op(op_id);
      for (ValueId result : program_.list(op.results)) check_tile(op, result);
      if (const auto* load = std::get_if<LoadOp>(&op.payload)) {
        for (IndexId coord : program_.list(load->coords)) check_arithmetic(op, coord, "the coordinate");
      } else if (const auto* store = std::get_if<StoreOp>(&op.payload)) {
        for (IndexId coord : program_.list(store->coords)) check_arithmetic(op, coord, "the coordinate");
      } else if (const auto* index = std::get_if<IndexValueOp>(&op.payload)) {
        check_arithmetic(op, index->expr, "the index expression");
      } else if (const auto* reindex = std::get_if<ReindexOp>(&op.payload)) {
        check_reindex(op, *reindex);
      } else if (const auto* region = std::get_if<RegionOp>(&op.payload)) {
        check_region(op, *region);
      } else if (const auto* branch = std::get_if<IfOp>(&op.payload)) {
        check_block(branch->then_block);
        check_block(branch->else_block);
      }
    }
  }

  void check_reindex(const Op& op, const ReindexOp& reindex) {
    const auto coords = program_.list(reindex.coords);
    const auto axes = program_.list(program_.value(reindex.operand).axes);
    for (AxisId axis : program_.list(program_.value(program_.list(op.results)[0]).axes))
      if (bound_extent(program_, axis) == 0) return;
    for (std::size_t d = 0; d < coords.size(); ++d)
      check_within(op, coords[d], bound_extent(program_, axes[d]), "the element index");
  }

  void check_region(const Op& op, const RegionOp& region) {
    std::vector<std::int64_t> extents;
    for (CoordId id : program_.list(region.coords)) {
      const Coord& coord = program_.coords()[id];
      check_arithmetic(op, coord.extent, "the domain " + coord.name + " in");
      auto range = program_.index().range_over(coord.extent, [&](const IndexNode& node) { return leaf_range(node); });
      extents.push_back(range ? std::max<std::int64_t>(range->high, 0) : 0);
    }
    if (!product(extents))
      fault(DiagCode::SizeOverflow, op.location,
            "a region of " + extents_text(extents) + " = " + decimal_product(extents) +
                " iterations does not fit 64 bits",
            "choose smaller sizes");
    check_block(region.body);
  }

  const Program& program_;
  const BindLimits& limits_;
  Diags diags_;
};

}  // namespace

Diags check_bound(const Program& bound, const BindLimits& limits) { return BoundChecker(bound, limits).run(); }

std::int64_t memory_capacity(const Program& bound, ObjectId memory) {
  const Object& object = bound.object(memory);
  const auto extents = bound_extents(bound, memory);
  const std::int64_t elements = *product(extents);
  if (!object.layout.valid() || elements == 0) return elements;
  std::int64_t capacity = 0;
  std::map<AxisId, std::int64_t> point;
  IndexEnvironment environment;
  environment.axis = [&](AxisId id) { return std::optional(point.at(id)); };
  for (std::int64_t ordinal = 0; ordinal < elements; ++ordinal) {
    std::int64_t rest = ordinal;
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) point[object.layout_axes[d]] = rest % extents[d];
    capacity = std::max(capacity, *bound.index().evaluate(object.layout, environment) + 1);
  }
  return capacity;
}

}  // namespace tilewright::tile
