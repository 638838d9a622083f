// The points of a set: samples, extremes in the lexicographic order, enumeration.
#include <isl/ilp.h>

#include <algorithm>
#include <climits>

#include "sets/access.h"
#include "sets/set.h"
#include "support/checked_math.h"

namespace tilewright::sets {

using detail::Access;
using detail::Ask;
using detail::PointHandle;
using detail::SetHandle;
using detail::ValHandle;

namespace {

/// Disjoint pieces of the set in { [parameters, dimensions] }, a space without parameters. Null for an infinite set and
/// when the quota ends.
SetHandle disjoint_pieces(const Set& set) {
  const auto parameters = static_cast<unsigned>(set.space().parameters().size());
  isl_set* all = Access::of(set).copy();
  all = isl_set_move_dims(all, isl_dim_set, 0, isl_dim_param, 0, parameters);
  SetHandle pieces(isl_set_make_disjoint(isl_set_compute_divs(isl_set_coalesce(all))));
  if (!pieces || isl_set_is_bounded(pieces.get()) != isl_bool_true) return SetHandle();
  return pieces;
}

struct Collection {
  std::uint64_t limit = 0;
  std::uint64_t visited = 0;
  Space space;  ///< without parameters
  bool keep = false;
  bool whole = true;  ///< neither above the limit nor beyond int64
  std::vector<std::vector<std::int64_t>> points;
};

/// Finding the next point takes about 15 operations in a triangle, more where points are scattered.
constexpr unsigned long kPointOperations = 64;

isl_stat visit_point(isl_point* taken, void* user) {
  auto& all = *static_cast<Collection*>(user);
  const PointHandle point(taken);
  isl_ctx* ctx = isl_point_get_ctx(taken);
  const unsigned long quota = isl_ctx_get_max_operations(ctx);
  // The number of points has a limit of its own; the quota is for the search between them (set.h).
  if (quota != 0 && quota <= ULONG_MAX - kPointOperations) isl_ctx_set_max_operations(ctx, quota + kPointOperations);
  all.whole = ++all.visited <= all.limit;
  if (all.whole && all.keep) {
    auto coordinates = detail::point_of(all.space, point);
    all.whole = coordinates.has_value();
    if (coordinates) all.points.push_back(std::move(coordinates->dimensions));
  }
  return all.whole ? isl_stat_ok : isl_stat_error;
}

/// Number of points of a box { x : low_i <= x_i <= high_i }, not empty.
std::optional<std::uint64_t> box_volume(isl_set* box, std::size_t rank) {
  std::uint64_t volume = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto position = static_cast<int>(i);
    isl_val* high = isl_set_dim_max_val(isl_set_copy(box), position);
    isl_val* low = isl_set_dim_min_val(isl_set_copy(box), position);
    const auto last = detail::integer_of(ValHandle(isl_val_sub(high, low)));
    if (!last || __builtin_mul_overflow(volume, static_cast<std::uint64_t>(*last) + 1, &volume)) return std::nullopt;
  }
  return volume;
}

struct Count {
  Collection visit;
  std::uint64_t total = 0;
};

/// Adds the points of one piece.
isl_stat count_piece(isl_basic_set* taken, void* user) {
  auto& count = *static_cast<Count*>(user);
  const SetHandle piece(isl_set_from_basic_set(taken));
  const isl_bool nothing = isl_set_is_empty(piece.get());
  if (nothing != isl_bool_false) return nothing == isl_bool_true ? isl_stat_ok : isl_stat_error;
  const isl_bool box = isl_set_is_box(piece.get());
  if (box == isl_bool_error) return isl_stat_error;
  if (box == isl_bool_true) {
    const auto volume = box_volume(piece.get(), count.visit.space.rank());
    if (!volume || __builtin_add_overflow(count.total, *volume, &count.total)) return isl_stat_error;
    return isl_stat_ok;
  }
  return isl_set_foreach_point(piece.get(), visit_point, &count.visit);
}

/// The names of the parameters, then of the dimensions, as dimensions.
Space without_parameters(const Space& space) {
  std::vector<std::string> names = space.parameters();
  names.insert(names.end(), space.dimensions().begin(), space.dimensions().end());
  return Space(space.context(), {}, std::move(names));
}

std::optional<Point> lexicographic_extreme(const Set& set, isl_set* (*of)(isl_set*)) {
  const Query one(set.space().context());
  const auto some = set.sample();
  if (!some) return std::nullopt;
  Set fixed = set;
  for (std::size_t i = 0; i < some->parameters.size(); ++i)
    fixed = fixed.fix(set.space().parameters()[i], some->parameters[i]);
  if (fixed.is_bounded() != Truth::Yes) return std::nullopt;
  const Ask ask(Access::state(set.space()));
  return Access::make_set(ask, set.space(), of(Access::of(fixed).copy())).sample();
}

}  // namespace

std::optional<Point> Set::sample() const {
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return std::nullopt;
  const PointHandle point(isl_set_sample_point(Access::of(*this).copy()));
  auto result = detail::point_of(space(), point);
  return ask.whole() ? result : std::nullopt;
}

std::optional<Point> Set::lexmin() const { return lexicographic_extreme(*this, isl_set_lexmin); }
std::optional<Point> Set::lexmax() const { return lexicographic_extreme(*this, isl_set_lexmax); }

std::optional<std::uint64_t> Set::count() const {
  const Space plain = without_parameters(space());
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return std::nullopt;
  const SetHandle pieces = disjoint_pieces(*this);
  if (!pieces) return std::nullopt;
  Count count{
      Collection{.limit = kCountLimit, .visited = 0, .space = plain, .keep = false, .whole = true, .points = {}}};
  if (isl_set_foreach_basic_set(pieces.get(), count_piece, &count) != isl_stat_ok || !ask.whole()) return std::nullopt;
  if (__builtin_add_overflow(count.total, count.visit.visited, &count.total)) return std::nullopt;
  return count.total;
}

std::optional<std::vector<Point>> Set::points(std::uint64_t limit) const {
  const Space plain = without_parameters(space());
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return std::nullopt;
  const SetHandle pieces = disjoint_pieces(*this);
  if (!pieces) return std::nullopt;
  Collection all{.limit = limit, .visited = 0, .space = plain, .keep = true, .whole = true, .points = {}};
  if (isl_set_foreach_point(pieces.get(), visit_point, &all) != isl_stat_ok || !ask.whole()) return std::nullopt;
  std::ranges::sort(all.points);
  std::vector<Point> result;
  result.reserve(all.points.size());
  const auto parameters = static_cast<std::ptrdiff_t>(space().parameters().size());
  for (const auto& point : all.points)
    result.push_back({{point.begin(), point.begin() + parameters}, {point.begin() + parameters, point.end()}});
  return result;
}

}  // namespace tilewright::sets
