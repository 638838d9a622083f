// Numbers, and how parts take their types from each other.
#include <fmt/format.h>

#include "frontend/maker.h"

namespace tilewright::dsl {

using tile::ElementType;
using tile::IndexId;
using tile::Overloaded;
using tile::ValueId;

namespace {

bool is_number(const ValueTerm& term) {
  if (const auto* leaf = std::get_if<IndexLeaf>(&term.formula))
    return leaf->index.term()->kind == tile::IndexKind::Constant;
  return std::holds_alternative<RealLeaf>(term.formula);
}

}  // namespace

bool Maker::failed(const Part& part) const {
  if (const auto* value = std::get_if<ValueId>(&part.what)) return !value->valid();
  if (const auto* index = std::get_if<IndexId>(&part.what)) return !index->valid();
  return false;
}

std::string Maker::type_name(ElementType element) { return builder_.describe(tile::TileType{element, {}}); }

std::string Maker::describe(const Part& part) {
  return std::visit(Overloaded{
                        [&](ValueId value) {
                          return value.valid() ? builder_.describe(builder_.type_of(value)) : std::string("nothing");
                        },
                        [&](IndexId index) {
                          const auto constant = builder_.index().as_constant(index);
                          return constant ? fmt::format("the integer {}", *constant) : "an index expression";
                        },
                        [](RealLeaf real) { return fmt::format("the number {}", real.value); },
                    },
                    part.what);
}

bool Maker::number_fits(double value, bool integral, ElementType element, const Place& place) {
  const auto fault = tile::number_fault(value, integral, element, builder_.element_facts());
  if (fault) session_.fault(place, fault->code, fault->message, fault->hint);
  return !fault;
}

ValueId Maker::number(double value, bool integral, ElementType element, const Place& place,
                      std::vector<tile::AxisId> axes) {
  if (!number_fits(value, integral, element, place)) return {};
  session_.at(place);
  return builder_.constant(tile::Literal::of(value), element, std::move(axes));
}

ValueId Maker::truth(bool value, const Place& place, std::vector<tile::AxisId> axes) {
  session_.at(place);
  return builder_.constant(tile::Literal::of(value ? 1.0 : 0.0), tile::kBool, std::move(axes));
}

ValueId Maker::value(const ValueTermPtr& term, std::optional<ElementType> beside) {
  const auto* fill = std::get_if<ShapedTerm>(&term->formula);
  const bool ours = !term->session || term->session.get() == &session_;
  if (beside && fill && ours && term->owner == nullptr && is_number(*fill->x))
    return value_of(shaped(*fill, beside, term->place));
  return value_of(part(term), beside);
}

ValueId Maker::value_of(const Part& part, std::optional<ElementType> beside, const WantedAxes& axes) {
  if (failed(part)) return {};
  const std::vector<tile::AxisId> wanted = axes.value_or(std::vector<tile::AxisId>{});
  return std::visit(
      Overloaded{
          [](ValueId value) { return value; },
          [&](IndexId index) {
            const auto constant = builder_.index().as_constant(index);
            if (constant && beside && *beside != tile::kIndex)
              return number(static_cast<double>(*constant), true, *beside, part.place, wanted);
            session_.at(part.place);
            return builder_.index_value(index, axes);
          },
          [&](RealLeaf real) { return number(real.value, false, beside.value_or(tile::kF32), part.place, wanted); },
      },
      part.what);
}

std::optional<ElementType> Maker::element_beside(const Part& other) {
  return std::visit(Overloaded{
                        [&](ValueId value) -> std::optional<ElementType> { return builder_.type_of(value).element; },
                        [&](IndexId index) -> std::optional<ElementType> {
                          if (builder_.index().as_constant(index)) return std::nullopt;
                          return tile::kIndex;
                        },
                        [](RealLeaf) -> std::optional<ElementType> { return tile::kF32; },
                    },
                    other.what);
}

bool Maker::unify(const Part& a, const Part& b, std::string_view what, const Place& place, ValueId& x, ValueId& y) {
  if (failed(a) || failed(b)) return false;
  x = value_of(a, element_beside(b));
  y = value_of(b, element_beside(a));
  if (!x.valid() || !y.valid()) return false;
  ElementType left = builder_.type_of(x).element;
  ElementType right = builder_.type_of(y).element;
  session_.at(place);
  if (left == tile::kI32 && right == tile::kIndex) x = builder_.cast(x, tile::kIndex);
  if (left == tile::kIndex && right == tile::kI32) y = builder_.cast(y, tile::kIndex);
  left = builder_.type_of(x).element;
  right = builder_.type_of(y).element;
  if (left == right) return true;
  session_.fault(place, DiagCode::TypeMismatch,
                 "expected one element type on both sides of " + std::string(what) + ", found " +
                     builder_.describe(builder_.type_of(x)) + " and " + builder_.describe(builder_.type_of(y)),
                 "cast one side: " + type_name(left) + "(x) or " + type_name(right) + "(x)");
  return false;
}

ValueId Maker::binary(tile::BinaryKind kind, const Part& a, const Part& b, const Place& place) {
  static constexpr std::string_view kNames[] = {"'+'",  "'-'", "'*'",  "'/'",  "'%'",  "max",  "min", "'<'",
                                                "'<='", "'>'", "'>='", "'=='", "'!='", "'&&'", "'||'"};
  ValueId x, y;
  if (!unify(a, b, kNames[static_cast<std::size_t>(kind)], place, x, y)) return {};
  session_.at(place);
  return builder_.binary(kind, x, y);
}

}  // namespace tilewright::dsl
