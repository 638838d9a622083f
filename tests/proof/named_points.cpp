#include "proof/named_points.h"

#include <algorithm>

#include "support/check.h"

namespace tilewright::proof {

namespace {

bool compares(std::int64_t a, tile::BinaryKind kind, std::int64_t b) {
  switch (kind) {
    case tile::BinaryKind::Lt:
      return a < b;
    case tile::BinaryKind::Le:
      return a <= b;
    case tile::BinaryKind::Gt:
      return a > b;
    case tile::BinaryKind::Ge:
      return a >= b;
    case tile::BinaryKind::Eq:
      return a == b;
    default:
      TW_CHECK(kind == tile::BinaryKind::Ne);
      return a != b;
  }
}

/// A number of type index.
std::int64_t index_at(const tile::Program& program, tile::ValueId value, const NamedPoint& point) {
  const tile::OpPayload& payload = program.op(program.value(value).def).payload;
  if (const auto* spread = std::get_if<tile::BroadcastOp>(&payload)) return index_at(program, spread->operand, point);
  if (const auto* constant = std::get_if<tile::ConstantOp>(&payload))
    return static_cast<std::int64_t>(constant->literal.value());
  const auto* index = std::get_if<tile::IndexValueOp>(&payload);
  TW_CHECK(index != nullptr);
  const auto number = number_at(program, index->expr, point);
  TW_CHECK(number.has_value());
  return *number;
}

}  // namespace

NamedPoint point_of(const Witness& witness) {
  NamedPoint point;
  for (const Witness::Coordinate& coordinate : witness.point) point[coordinate.name] = coordinate.value;
  return point;
}

NamedPoint point_of(const Witness& witness, const std::string& prefix) {
  NamedPoint point;
  for (const Witness::Coordinate& coordinate : witness.point)
    if (coordinate.name.starts_with(prefix)) point[coordinate.name.substr(prefix.size())] = coordinate.value;
  return point;
}

std::optional<std::int64_t> number_at(const tile::Program& program, tile::IndexId expr, const NamedPoint& point) {
  const auto at = [&](const std::string& name) -> std::optional<std::int64_t> {
    const auto found = point.find(name);
    return found == point.end() ? std::nullopt : std::optional(found->second);
  };
  tile::IndexEnvironment environment;
  environment.symbol = [&](tile::SymbolId id) { return at(program.symbols()[id].name); };
  environment.coord = [&](tile::CoordId id) { return at(program.coords()[id].name); };
  environment.axis = [&](tile::AxisId id) { return at(program.axes()[id].label); };
  return program.index().evaluate(expr, environment);
}

bool condition_at(const tile::Program& program, tile::ValueId value, const NamedPoint& point) {
  const tile::OpPayload& payload = program.op(program.value(value).def).payload;
  if (const auto* spread = std::get_if<tile::BroadcastOp>(&payload))
    return condition_at(program, spread->operand, point);
  const auto* binary = std::get_if<tile::BinaryOp>(&payload);
  TW_CHECK(binary != nullptr);
  if (binary->kind == tile::BinaryKind::And)
    return condition_at(program, binary->lhs, point) && condition_at(program, binary->rhs, point);
  return compares(index_at(program, binary->lhs, point), binary->kind, index_at(program, binary->rhs, point));
}

bool meets_requirements(const tile::Program& program, const NamedPoint& sizes) {
  constexpr tile::BinaryKind kKinds[] = {tile::BinaryKind::Lt, tile::BinaryKind::Le, tile::BinaryKind::Gt,
                                         tile::BinaryKind::Ge, tile::BinaryKind::Eq, tile::BinaryKind::Ne};
  for (const tile::Requirement& requirement : program.requirements()) {
    const auto a = number_at(program, requirement.lhs, sizes), b = number_at(program, requirement.rhs, sizes);
    if (!a || !b || !compares(*a, kKinds[static_cast<std::size_t>(requirement.comparison)], *b)) return false;
  }
  return true;
}

OperationPlace::OperationPlace(const tile::Program& program, tile::OpId op) : program_(program) {
  const bool found = find(program.root(), op);
  TW_CHECK(found);
  std::reverse(dimensions_.begin(), dimensions_.end());
  const tile::Op& here = program.op(op);
  const auto* store = std::get_if<tile::StoreOp>(&here.payload);
  const auto* load = std::get_if<tile::LoadOp>(&here.payload);
  TW_CHECK(store != nullptr || load != nullptr);
  object_ = store != nullptr ? store->object : load->object;
  coords_ = program.list(store != nullptr ? store->coords : load->coords);
  std::vector<tile::AxisId> axes;
  if (load != nullptr) axes = program.list(program.value(program.list(here.results)[0]).axes);
  if (store != nullptr)
    for (tile::IndexId coord : coords_)
      for (tile::AxisId axis : program.index().axes(coord))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  for (tile::AxisId axis : axes) dimensions_.push_back({program.axes()[axis].label, program.axes()[axis].extent, true});
}

/// Innermost first.
bool OperationPlace::find(tile::BlockId block, tile::OpId op) {
  for (tile::OpId here : program_.block(block).ops) {
    if (here == op) return true;
    const tile::OpPayload& payload = program_.op(here).payload;
    if (const auto* region = std::get_if<tile::RegionOp>(&payload); region != nullptr && find(region->body, op)) {
      const auto coords = program_.list(region->coords);
      for (auto coord = coords.rbegin(); coord != coords.rend(); ++coord)
        dimensions_.push_back({program_.coords()[*coord].name, program_.coords()[*coord].extent, false});
      return true;
    }
    const auto* branch = std::get_if<tile::IfOp>(&payload);
    if (branch == nullptr) continue;
    const bool in_then = find(branch->then_block, op);
    if (!in_then && !(branch->else_block.valid() && find(branch->else_block, op))) continue;
    conditions_.push_back({branch->condition, in_then});
    return true;
  }
  return false;
}

std::vector<std::string> OperationPlace::axes() const {
  std::vector<std::string> names;
  for (const Dimension& dimension : dimensions_)
    if (dimension.is_axis) names.push_back(dimension.name);
  return names;
}

bool OperationPlace::conditions_hold(const NamedPoint& point) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition& condition) {
    return condition_at(program_, condition.value, point) == condition.polarity;
  });
}

bool OperationPlace::step(std::size_t depth, NamedPoint& point,
                          const std::function<bool(const NamedPoint&, bool)>& f) const {
  if (depth == dimensions_.size()) return f(point, conditions_hold(point));
  const auto extent = number_at(program_, dimensions_[depth].extent, point);
  TW_CHECK(extent.has_value());
  for (std::int64_t i = 0; i < *extent; ++i) {
    point[dimensions_[depth].name] = i;
    if (!step(depth + 1, point, f)) return false;
  }
  point.erase(dimensions_[depth].name);
  return true;
}

void OperationPlace::visit(const NamedPoint& sizes, const std::function<bool(const NamedPoint&, bool)>& f) const {
  NamedPoint point = sizes;
  step(0, point, f);
}

bool OperationPlace::executes_at(const NamedPoint& point) const {
  for (const Dimension& dimension : dimensions_) {
    const auto extent = number_at(program_, dimension.extent, point);
    const auto at = point.find(dimension.name);
    if (!extent || at == point.end() || at->second < 0 || at->second >= *extent) return false;
  }
  return meets_requirements(program_, point) && conditions_hold(point);
}

std::int64_t OperationPlace::coordinate(std::size_t d, const NamedPoint& point) const {
  const auto number = number_at(program_, coords_[d], point);
  TW_CHECK(number.has_value());
  return *number;
}

std::int64_t OperationPlace::extent(std::size_t d, const NamedPoint& point) const {
  const auto number = number_at(program_, program_.object(object_).extents[d], point);
  TW_CHECK(number.has_value());
  return *number;
}

std::int64_t OperationPlace::axis_extent(const std::string& axis, const NamedPoint& point) const {
  for (const Dimension& dimension : dimensions_)
    if (dimension.is_axis && dimension.name == axis) return number_at(program_, dimension.extent, point).value_or(-1);
  return -1;
}

bool OperationPlace::inside(const NamedPoint& point) const {
  for (std::size_t d = 0; d < coords_.size(); ++d) {
    const auto at = number_at(program_, coords_[d], point);
    const auto extent = number_at(program_, program_.object(object_).extents[d], point);
    if (at && (*at < 0 || (extent && *at >= *extent))) return false;
  }
  return true;
}

}  // namespace tilewright::proof
