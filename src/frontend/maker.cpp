// Operations of each kind of term. Numbers and how parts adapt to each other are in maker_numbers.cpp.
#include "frontend/maker.h"

#include <algorithm>
#include <map>

#include "tile/parser.h"

namespace tilewright::dsl {

using tile::AxisId;
using tile::IndexId;
using tile::ValueId;

namespace {

std::optional<tile::IndexKind> index_kind(tile::BinaryKind kind) {
  switch (kind) {
    case tile::BinaryKind::Add:
      return tile::IndexKind::Add;
    case tile::BinaryKind::Sub:
      return tile::IndexKind::Sub;
    case tile::BinaryKind::Mul:
      return tile::IndexKind::Mul;
    case tile::BinaryKind::Div:
      return tile::IndexKind::FloorDiv;
    case tile::BinaryKind::Mod:
      return tile::IndexKind::Mod;
    case tile::BinaryKind::Max:
      return tile::IndexKind::Max;
    case tile::BinaryKind::Min:
      return tile::IndexKind::Min;
    default:
      return std::nullopt;
  }
}

}  // namespace

Maker::Part Maker::part(const ValueTermPtr& term) {
  if (term->session && term->session.get() != &session_) {
    session_.foreign(term->place, *term->session);
    return nothing(term->place);
  }
  if (term->owner.get() == &session_) {
    if (!term->value.valid() || session_.is_open(term->block)) return {term->value, term->place};
    if (!term->closed) {
      session_.fault(term->place, DiagCode::UnknownName, "a value is used outside the region that makes it",
                     "define a tile before the region and assign it inside");
      return nothing(term->place);
    }
  }
  Part result = std::visit([&](const auto& formula) { return make(formula, term->place); }, term->formula);
  if (const auto* value = std::get_if<ValueId>(&result.what)) {
    term->owner = session_.shared_from_this();
    term->value = *value;
    term->block = session_.block();
    if (!term->closed) {
      term->formula = MadeLeaf{};
      term->depth = 1;
    }
  }
  return result;
}

Maker::Part Maker::made(ValueId value, const Place& place) {
  if (value.valid() && builder_.type_of(value).axes.size() > tile::kMaxTileRank) {
    session_.fault(place, DiagCode::NestingTooDeep,
                   "expected a tile of at most " + std::to_string(tile::kMaxTileRank) + " axes, found " +
                       std::to_string(builder_.type_of(value).axes.size()));
    return nothing(place);
  }
  return {value, place};
}

// ---- Leaves --------------------------------------------------------------------------------------------------------

Maker::Part Maker::make(const FailedTerm& term, const Place& place) {
  builder_.report(term.diag);
  return nothing(place);
}

Maker::Part Maker::make(const IndexLeaf& term, const Place& place) {
  const IndexId index = session_.index(term.index, place);
  return index.valid() ? Part{index, place} : nothing(place);
}

Maker::Part Maker::make(const RealLeaf& term, const Place& place) { return {term, place}; }

Maker::Part Maker::make(const TruthLeaf& term, const Place& place) { return {truth(term.value, place, {}), place}; }

Maker::Part Maker::make(const MadeLeaf&, const Place& place) { return nothing(place); }

// ---- Elementwise ---------------------------------------------------------------------------------------------------

Maker::Part Maker::make(const UnaryTerm& term, const Place& place) {
  const Part x = part(term.x);
  if (failed(x)) return nothing(place);
  const auto* index = std::get_if<IndexId>(&x.what);
  if (term.kind == tile::UnaryKind::Neg) {
    if (index) return {builder_.index().make(tile::IndexKind::Sub, builder_.index().constant(0), *index), place};
    if (const auto* real = std::get_if<RealLeaf>(&x.what)) return {RealLeaf{-real->value}, place};
  } else if (index && term.kind != tile::UnaryKind::Abs && term.kind != tile::UnaryKind::Not) {
    session_.fault(x.place, DiagCode::TypeMismatch, "expected a float tile, found " + describe(x), "write f32(x)");
    return nothing(place);
  }
  const ValueId value = value_of(x);
  session_.at(place);
  return made(builder_.unary(term.kind, value), place);
}

Maker::Part Maker::make(const BinaryTerm& term, const Place& place) {
  const Part a = part(term.a);
  const Part b = part(term.b);
  if (failed(a) || failed(b)) return nothing(place);
  const auto* x = std::get_if<IndexId>(&a.what);
  const auto* y = std::get_if<IndexId>(&b.what);
  if (const auto kind = index_kind(term.kind); x && y && kind) return {builder_.index().make(*kind, *x, *y), place};
  if ((term.kind == tile::BinaryKind::And || term.kind == tile::BinaryKind::Or) && (x || y)) {
    const Part& side = x ? a : b;
    session_.fault(side.place, DiagCode::TypeMismatch, "expected bool on both sides, found " + describe(side),
                   "compare it: x != 0");
    return nothing(place);
  }
  return made(binary(term.kind, a, b, place), place);
}

Maker::Part Maker::make(const SelectTerm& term, const Place& place) {
  const Part parts[] = {part(term.condition), part(term.a), part(term.b)};
  const ValueId condition = value_of(parts[0]);
  ValueId x, y;
  if (!unify(parts[1], parts[2], "select", place, x, y)) return nothing(place);
  session_.at(place);
  return made(builder_.select(condition, x, y), place);
}

Maker::Part Maker::make(const CastTerm& term, const Place& place) { return make_cast(term, std::nullopt, place); }

Maker::Part Maker::make_cast(const CastTerm& term, const WantedAxes& axes, const Place& place) {
  const auto to = session_.element(term.to, place);
  const Part x = part(term.x);
  if (!to || failed(x)) return nothing(place);
  const std::vector<AxisId> wanted = axes.value_or(std::vector<AxisId>{});
  if (const auto* real = std::get_if<RealLeaf>(&x.what))
    return made(number(real->value, false, *to, place, wanted), place);
  if (const auto* index = std::get_if<IndexId>(&x.what)) {
    const auto constant = builder_.index().as_constant(*index);
    if (constant && *to != tile::kIndex)
      return made(number(static_cast<double>(*constant), true, *to, place, wanted), place);
    if (*to == tile::kIndex) return {value_of(x, std::nullopt, axes), place};
  }
  const ValueId value = value_of(x);
  session_.at(place);
  return made(builder_.cast(value, *to), place);
}

// ---- Axes ----------------------------------------------------------------------------------------------------------

Maker::Part Maker::make(const ShapedTerm& term, const Place& place) { return shaped(term, std::nullopt, place); }

Maker::Part Maker::for_axes(const ValueTermPtr& term, const std::vector<AxisId>& axes, const Place& place) {
  const bool fresh = term->owner == nullptr && (!term->session || term->session.get() == &session_);
  if (fresh) {
    // These take the order of their axes from the brackets, instead of being broadcast afterwards.
    if (const auto* truth_leaf = std::get_if<TruthLeaf>(&term->formula))
      return {truth(truth_leaf->value, place, axes), place};
    if (const auto* load_term = std::get_if<LoadTerm>(&term->formula)) return load(*load_term, axes, place);
    if (const auto* element = std::get_if<ElementTerm>(&term->formula)) return make_element(*element, axes, place);
    if (const auto* cast = std::get_if<CastTerm>(&term->formula)) return make_cast(*cast, axes, place);
  }
  return part(term);
}

Maker::Part Maker::shaped(const ShapedTerm& term, std::optional<tile::ElementType> beside, const Place& place) {
  const auto axes = session_.axes(term.axes, place);
  if (!axes) return nothing(place);
  const ValueId value = value_of(for_axes(term.x, *axes, place), beside, *axes);
  if (!value.valid() || builder_.type_of(value).axes == *axes) return {value, place};
  session_.at(place);
  return made(builder_.broadcast(value, *axes), place);
}

Maker::Part Maker::make(const BroadcastTerm& term, const Place& place) {
  const ValueId x = value(term.x);
  const auto axes = session_.axes(term.axes, place);
  session_.at(place);
  return axes ? made(builder_.broadcast(x, *axes), place) : nothing(place);
}

Maker::Part Maker::make(const ElementTerm& term, const Place& place) { return make_element(term, std::nullopt, place); }

Maker::Part Maker::make_element(const ElementTerm& term, const WantedAxes& axes, const Place& place) {
  const ValueId x = value(term.x);
  const auto coords = session_.indices(term.coords, place);
  session_.at(place);
  return coords ? made(builder_.reindex(x, *coords, axes), place) : nothing(place);
}

Maker::Part Maker::make(const RelabelTerm& term, const Place& place) {
  const ValueId x = value(term.x);
  std::map<AxisId, AxisId> targets;
  for (const auto& [from, to] : term.axes) {
    const auto old_axis = session_.axis(from, place);
    const auto new_axis = session_.axis(to, place);
    if (!old_axis || !new_axis) return nothing(place);
    if (x.valid() && !tile::contains(builder_.type_of(x).axes, *old_axis)) {
      session_.fault(place, DiagCode::AxisMismatch,
                     "expected an axis of " + builder_.describe(builder_.type_of(x)) + ", found '" +
                         builder_.axis_label(*old_axis) + "'",
                     "pairs are {old, new}");
      return nothing(place);
    }
    targets[*old_axis] = *new_axis;
  }
  if (!x.valid()) return nothing(place);
  std::vector<IndexId> coords;
  for (AxisId axis : builder_.type_of(x).axes)
    coords.push_back(builder_.index().axis(targets.contains(axis) ? targets[axis] : axis));
  session_.at(place);
  return made(builder_.reindex(x, std::move(coords)), place);
}

Maker::Part Maker::make(const GatherTerm& term, const Place& place) {
  const Part parts[] = {part(term.x), part(term.indices), part(term.fallback)};
  const auto axis = session_.axis(term.axis, place);
  const ValueId x = value_of(parts[0]);
  const ValueId indices = value_of(parts[1]);
  std::optional<tile::ElementType> element;
  if (x.valid()) element = builder_.type_of(x).element;
  const ValueId fallback = value_of(parts[2], element);
  session_.at(place);
  return axis ? made(builder_.gather(x, *axis, indices, fallback), place) : nothing(place);
}

Maker::Part Maker::make(const FoldTerm& term, const Place& place) {
  const ValueId x = value(term.x);
  const auto axis = session_.axis(term.axis, place);
  session_.at(place);
  return axis ? made(builder_.reduce(term.kind, x, *axis, term.order), place) : nothing(place);
}

Maker::Part Maker::make(const MmaTerm& term, const Place& place) {
  const Part parts[] = {part(term.a), part(term.b), part(term.c)};
  const ValueId a = value_of(parts[0]);
  const ValueId b = value_of(parts[1]);
  const ValueId c = value_of(parts[2]);
  session_.at(place);
  return made(builder_.mma(a, b, c, term.reassociate, term.relaxed), place);
}

Maker::Part Maker::make(const MatmulTerm& term, const Place& place) {
  const Part parts[] = {part(term.a), part(term.b)};
  const ValueId a = value_of(parts[0]);
  const ValueId b = value_of(parts[1]);
  const auto axes = session_.axes(term.axes, place);
  if (!a.valid() || !b.valid() || !axes) return nothing(place);
  const bool integers = builder_.type_of(a).element == tile::kI32 && builder_.type_of(b).element == tile::kI32;
  session_.at(place);
  const ValueId zeros = builder_.constant(tile::Literal::of(0.0), integers ? tile::kI32 : tile::kF32, *axes);
  return made(builder_.mma(a, b, zeros), place);
}

// ---- Memory and labels ---------------------------------------------------------------------------------------------

Maker::Part Maker::make(const LoadTerm& term, const Place& place) { return load(term, std::nullopt, place); }

Maker::Part Maker::load(const LoadTerm& term, const WantedAxes& axes, const Place& place) {
  if (!term.object.valid()) return nothing(place);
  const auto coords = session_.indices(term.coords, place);
  tile::LoadOptions options;
  options.axes = axes;
  if (term.assume) options.bounds = tile::BoundsPolicy::Assume;
  if (term.fallback) {
    options.fallback = value(term.fallback, builder_.object_of(term.object).element);
    if (!options.fallback.valid()) return nothing(place);
  }
  if (!coords) return nothing(place);
  session_.at(place);
  return made(builder_.load(term.object, *coords, std::move(options)), place);
}

Maker::Part Maker::make(const NamedTerm& term, const Place& place) {
  const Part x = part(term.x);
  if (const auto* value = std::get_if<ValueId>(&x.what)) builder_.name_value(*value, term.label);
  return {x.what, place};
}

Maker::Part Maker::make(const PlacedTerm& term, const Place& place) {
  const ValueId x = value(term.x);
  builder_.place(x, term.space);
  return made(x, place);
}

}  // namespace tilewright::dsl
