#include "tile/program.h"

#include <algorithm>
#include <bit>

namespace tilewright::tile {

namespace {

bool same(const Symbol& a, const Symbol& b) { return a.name == b.name && a.default_value == b.default_value; }
bool same(const Param& a, const Param& b) {
  return a.name == b.name && a.choices == b.choices && a.default_value == b.default_value;
}
bool same(const TypeParam& a, const TypeParam& b) {
  return a.name == b.name && a.choices == b.choices && a.default_type == b.default_type;
}
bool same(const Requirement& a, const Requirement& b) {
  return a.lhs == b.lhs && a.rhs == b.rhs && a.comparison == b.comparison && a.message == b.message;
}
bool same(const Axis& a, const Axis& b) { return a.extent == b.extent; }
bool same(const Coord& a, const Coord& b) { return a.extent == b.extent; }
bool same(const Object& a, const Object& b) {
  const bool defaults = a.default_value.has_value() == b.default_value.has_value() &&
                        (!a.default_value || Literal::of(*a.default_value) == Literal::of(*b.default_value));
  const bool names = a.kind == ObjectKind::Memory || a.name == b.name;
  return names && a.kind == b.kind && a.element == b.element && a.extents == b.extents && a.strides == b.strides &&
         defaults && a.space == b.space && a.layout_axes == b.layout_axes && a.layout == b.layout;
}

template <class Items>
bool all_same(const Items& a, const Items& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return same(x, y); });
}

}  // namespace

Literal Literal::of(double value) { return Literal{std::bit_cast<std::uint64_t>(value)}; }
double Literal::value() const { return std::bit_cast<double>(bits); }

SourcePlace Program::place(LocationId id) const {
  SourcePlace place;
  if (!id.valid()) return place;
  const Location& location = locations_[id];
  place.file = location.file == 0 ? source_.file : source_.more_files[location.file - 1];
  place.line = location.line;
  place.column = location.column;
  place.length = location.length;
  if (location.file == 0 && location.line >= 1 && location.line <= source_.lines.size())
    place.source_line = source_.lines[location.line - 1];
  return place;
}

bool Program::operator==(const Program& other) const {
  return name_ == other.name_ && all_same(symbols_, other.symbols_) && all_same(params_, other.params_) &&
         all_same(type_params_, other.type_params_) && all_same(requirements_, other.requirements_) &&
         all_same(objects_, other.objects_) && all_same(axes_, other.axes_) && all_same(coords_, other.coords_) &&
         index_ == other.index_ && ops_ == other.ops_ && values_ == other.values_ && blocks_ == other.blocks_ &&
         opaque_symbols_ == other.opaque_symbols_ && stage_labels_ == other.stage_labels_ && pool_ == other.pool_ &&
         root_ == other.root_;
}

}  // namespace tilewright::tile
