#include "sets/map.h"

#include "sets/access.h"

namespace tilewright::sets {

using detail::Access;
using detail::Ask;
using detail::MapHandle;

namespace {

/// One map of the same spaces from two.
Map map_from(const Map& a, const Map& b, isl_map* (*operation)(isl_map*, isl_map*)) {
  const Space domain = detail::joined(a.domain_space(), b.domain_space());
  const Space range = detail::joined(a.range_space(), b.range_space());
  const Ask ask(Access::state(domain));
  if (a.lost() || b.lost() || !ask.whole()) return Access::lost_map(domain, range);
  return Access::make_map(ask, domain, range, operation(detail::aligned(a, domain), detail::aligned(b, domain)));
}

Truth compare_maps(const Map& a, const Map& b, isl_bool (*question)(isl_map*, isl_map*)) {
  const Space domain = detail::joined(a.domain_space(), b.domain_space());
  TW_CHECK(a.range_space().rank() == b.range_space().rank());
  const Ask ask(Access::state(domain));
  if (a.lost() || b.lost() || !ask.whole()) return Truth::Unknown;
  const MapHandle left(detail::aligned(a, domain)), right(detail::aligned(b, domain));
  return detail::answer(ask, question(left.get(), right.get()));
}

Truth answer_on(const Map& map, isl_bool (*question)(isl_map*)) {
  const Ask ask(Access::state(map.domain_space()));
  if (map.lost() || !ask.whole()) return Truth::Unknown;
  return detail::answer(ask, question(Access::of(map).get()));
}

Map restrict(const Map& map, const Set& set, bool is_domain, isl_map* (*operation)(isl_map*, isl_set*)) {
  TW_CHECK(set.space().rank() == (is_domain ? map.domain_space() : map.range_space()).rank());
  const Space domain = map.domain_space().with_parameters_of(set.space());
  const Space range = map.range_space().with_parameters_of(set.space());
  const Ask ask(Access::state(domain));
  if (map.lost() || set.lost() || !ask.whole()) return Access::lost_map(domain, range);
  return Access::make_map(ask, domain, range,
                          operation(detail::aligned(map, domain), detail::aligned(set, is_domain ? domain : range)));
}

std::vector<std::string> joined_names(const Space& first, const Space& second) {
  std::vector<std::string> names = first.dimensions();
  names.insert(names.end(), second.dimensions().begin(), second.dimensions().end());
  return names;
}

}  // namespace

Map::Map(const Set& domain, std::span<const Function> outputs, std::vector<std::string> names) {
  TW_CHECK(outputs.size() == names.size());
  Space from = domain.space();
  bool lost = domain.lost();
  for (const Function& output : outputs) {
    from = detail::joined(from, output.space());
    lost = lost || output.lost();
  }
  const Space to = from.with_dimensions(std::move(names));
  const Ask ask(Access::state(from));
  if (lost || !ask.whole()) {
    *this = Access::lost_map(from, to);
    return;
  }
  isl_map* map = isl_map_from_multi_pw_aff(detail::tuple_of(from, to, outputs));
  *this = Access::make_map(ask, from, to, isl_map_intersect_domain(map, detail::aligned(domain, from)));
}

Map Map::identity(const Set& domain) {
  const Ask ask(Access::state(domain.space()));
  if (domain.lost() || !ask.whole()) return Access::lost_map(domain.space(), domain.space());
  return Access::make_map(ask, domain.space(), domain.space(), isl_set_identity(Access::of(domain).copy()));
}

Map Map::from_graph(const Set& graph, std::size_t inputs) {
  const auto& names = graph.space().dimensions();
  TW_CHECK(inputs <= names.size());
  const auto middle = names.begin() + static_cast<std::ptrdiff_t>(inputs);
  const Space domain = graph.space().with_dimensions({names.begin(), middle});
  const Space range = graph.space().with_dimensions({middle, names.end()});
  const Ask ask(Access::state(domain));
  if (graph.lost() || !ask.whole()) return Access::lost_map(domain, range);
  isl_map* map = isl_map_from_range(Access::of(graph).copy());
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(inputs));
  return Access::make_map(ask, domain, range, map);
}

Map Map::product(const Set& domain, const Set& range) {
  const Space from = domain.space().with_parameters_of(range.space());
  const Space to = from.with_dimensions(range.space().dimensions());
  const Ask ask(Access::state(from));
  if (domain.lost() || range.lost() || !ask.whole()) return Access::lost_map(from, to);
  return Access::make_map(ask, from, to,
                          isl_map_from_domain_and_range(detail::aligned(domain, from), detail::aligned(range, to)));
}

const Space& Map::domain_space() const { return body_->domain_space; }
const Space& Map::range_space() const { return body_->range_space; }
bool Map::lost() const { return !body_->map; }

Set Map::domain() const {
  const Ask ask(Access::state(domain_space()));
  if (lost() || !ask.whole()) return Access::lost_set(domain_space());
  return Access::make_set(ask, domain_space(), isl_map_domain(Access::of(*this).copy()));
}

Set Map::range() const {
  const Ask ask(Access::state(range_space()));
  if (lost() || !ask.whole()) return Access::lost_set(range_space());
  return Access::make_set(ask, range_space(), isl_map_range(Access::of(*this).copy()));
}

Set Map::graph() const {
  const Space space = domain_space().with_dimensions(joined_names(domain_space(), range_space()));
  const Ask ask(Access::state(space));
  if (lost() || !ask.whole()) return Access::lost_set(space);
  return Access::make_set(ask, space, isl_set_flatten(isl_map_wrap(Access::of(*this).copy())));
}

Set Map::image(const Set& set) const {
  const Query one(domain_space().context());
  return intersect_domain(set).range();
}

Set Map::preimage(const Set& set) const {
  const Query one(domain_space().context());
  return intersect_range(set).domain();
}

Map Map::inverse() const {
  const Ask ask(Access::state(domain_space()));
  if (lost() || !ask.whole()) return Access::lost_map(range_space(), domain_space());
  return Access::make_map(ask, range_space(), domain_space(), isl_map_reverse(Access::of(*this).copy()));
}

Map Map::after(const Map& first) const {
  TW_CHECK(first.range_space().rank() == domain_space().rank());
  const Space domain = first.domain_space().with_parameters_of(domain_space());
  const Space range = domain.with_dimensions(range_space().dimensions());
  const Ask ask(Access::state(domain));
  if (lost() || first.lost() || !ask.whole()) return Access::lost_map(domain, range);
  return Access::make_map(ask, domain, range,
                          isl_map_apply_range(detail::aligned(first, domain), detail::aligned(*this, domain)));
}

Map Map::intersect_domain(const Set& set) const { return restrict(*this, set, true, isl_map_intersect_domain); }
Map Map::intersect_range(const Set& set) const { return restrict(*this, set, false, isl_map_intersect_range); }
Map Map::unite(const Map& other) const { return map_from(*this, other, isl_map_union); }
Map Map::intersect(const Map& other) const { return map_from(*this, other, isl_map_intersect); }
Map Map::subtract(const Map& other) const { return map_from(*this, other, isl_map_subtract); }

Map Map::fix(std::string_view parameter, std::int64_t value) const {
  const auto index = domain_space().find_parameter(parameter);
  TW_CHECK(index.has_value());
  const Ask ask(Access::state(domain_space()));
  if (lost() || !ask.whole()) return Access::lost_map(domain_space(), range_space());
  return Access::make_map(ask, domain_space(), range_space(),
                          isl_map_fix_val(Access::of(*this).copy(), isl_dim_param, static_cast<unsigned>(*index),
                                          detail::val_of(ask.ctx(), value)));
}

Truth Map::is_empty() const { return answer_on(*this, isl_map_is_empty); }
Truth Map::is_subset_of(const Map& other) const { return compare_maps(*this, other, isl_map_is_subset); }
Truth Map::is_equal(const Map& other) const { return compare_maps(*this, other, isl_map_is_equal); }
Truth Map::is_single_valued() const { return answer_on(*this, isl_map_is_single_valued); }
Truth Map::is_injective() const { return answer_on(*this, isl_map_is_injective); }

Truth Map::is_bijective_onto(const Set& set) const {
  const Query one(domain_space().context());
  return both(range().is_equal(set), both(is_single_valued(), is_injective()));
}

std::optional<Point> Map::apply(const Point& point) const {
  const Query one(domain_space().context());
  const Set outputs = image(Set::of_point(domain_space(), point));
  auto output = outputs.sample();
  if (!output || outputs.is_subset_of(Set::of_point(range_space(), *output)) != Truth::Yes) return std::nullopt;
  return output;
}

std::optional<Collision> Map::collision() const {
  const Query one(domain_space().context());
  const Set inputs = domain();
  const Map same_image = inverse().after(*this).subtract(identity(inputs));
  const auto pair = same_image.graph().sample();
  if (!pair) return std::nullopt;
  const auto middle = pair->dimensions.begin() + static_cast<std::ptrdiff_t>(domain_space().rank());
  const Point first{pair->parameters, {pair->dimensions.begin(), middle}};
  const Point second{pair->parameters, {middle, pair->dimensions.end()}};
  const auto image_of = [&](const Point& point) { return image(Set::of_point(domain_space(), point)); };
  auto shared = image_of(first).intersect(image_of(second)).sample();
  if (!shared) return std::nullopt;
  return Collision{first.parameters, first.dimensions, second.dimensions, std::move(shared->dimensions)};
}

std::string Map::text() const {
  const Ask ask(Access::state(domain_space()));
  return detail::text_of(ask.whole() && !lost() ? isl_map_to_str(Access::of(*this).get()) : nullptr);
}

}  // namespace tilewright::sets
