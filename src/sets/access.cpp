#include "sets/access.h"

#include <isl/local_space.h>

#include <cstdlib>

namespace tilewright::sets::detail {

namespace {

/// What isl made, if the query is whole. It then is an object over the space it should be over.
template <class HandleType, class T>
HandleType kept(const Ask& ask, T* taken) {
  HandleType handle(taken);
  if (!ask.whole()) return HandleType();
  TW_CHECK(handle);
  return handle;
}

void check_size(isl_size size, std::size_t expected) {
  TW_CHECK(size >= 0 && static_cast<std::size_t>(size) == expected);
}

}  // namespace

Function Access::make_function(const Ask& ask, const Space& space, isl_pw_aff* taken) {
  auto handle = kept<FunctionHandle>(ask, taken);
  if (handle) {
    check_size(isl_pw_aff_dim(handle.get(), isl_dim_param), space.parameters().size());
    check_size(isl_pw_aff_dim(handle.get(), isl_dim_in), space.rank());
  }
  Function function;
  function.body_ = std::make_shared<const FunctionBody>(space, std::move(handle));
  return function;
}

Set Access::make_set(const Ask& ask, const Space& space, isl_set* taken) {
  auto handle = kept<SetHandle>(ask, taken);
  if (handle) {
    check_size(isl_set_dim(handle.get(), isl_dim_param), space.parameters().size());
    check_size(isl_set_dim(handle.get(), isl_dim_set), space.rank());
  }
  Set set;
  set.body_ = std::make_shared<const SetBody>(space, std::move(handle));
  return set;
}

Map Access::make_map(const Ask& ask, const Space& domain, const Space& range, isl_map* taken) {
  auto handle = kept<MapHandle>(ask, taken);
  TW_CHECK(domain.parameters() == range.parameters());
  if (handle) {
    check_size(isl_map_dim(handle.get(), isl_dim_param), domain.parameters().size());
    check_size(isl_map_dim(handle.get(), isl_dim_in), domain.rank());
    check_size(isl_map_dim(handle.get(), isl_dim_out), range.rank());
  }
  Map map;
  map.body_ = std::make_shared<const MapBody>(domain, range, std::move(handle));
  return map;
}

Function Access::lost_function(const Space& space) {
  Function function;
  function.body_ = std::make_shared<const FunctionBody>(space, FunctionHandle());
  return function;
}

Set Access::lost_set(const Space& space) {
  Set set;
  set.body_ = std::make_shared<const SetBody>(space, SetHandle());
  return set;
}

Map Access::lost_map(const Space& domain, const Space& range) {
  Map map;
  map.body_ = std::make_shared<const MapBody>(domain, range, MapHandle());
  return map;
}

Space joined(const Space& a, const Space& b) {
  TW_CHECK(a.rank() == b.rank());
  return a.with_parameters_of(b);
}

isl_pw_aff* aligned(const Function& function, const Space& space) {
  isl_pw_aff* copy = Access::of(function).copy();
  if (function.space().parameters() == space.parameters()) return copy;
  return isl_pw_aff_align_params(copy, Access::of(space).copy());
}

isl_set* aligned(const Set& set, const Space& space) {
  isl_set* copy = Access::of(set).copy();
  if (set.space().parameters() == space.parameters()) return copy;
  return isl_set_align_params(copy, Access::of(space).copy());
}

isl_map* aligned(const Map& map, const Space& space) {
  isl_map* copy = Access::of(map).copy();
  if (map.domain_space().parameters() == space.parameters()) return copy;
  return isl_map_align_params(copy, Access::of(space).copy());
}

Truth answer(const Ask& ask, isl_bool value) {
  if (!ask.whole()) return Truth::Unknown;
  TW_CHECK(value != isl_bool_error);
  return truth_of(value == isl_bool_true);
}

isl_multi_pw_aff* tuple_of(const Space& from, const Space& to, std::span<const Function> outputs) {
  TW_CHECK(to.rank() == outputs.size());
  isl_space* space = isl_space_map_from_domain_and_range(Access::of(from).copy(), Access::of(to).copy());
  isl_multi_pw_aff* tuple = isl_multi_pw_aff_zero(space);
  int position = 0;
  for (const Function& output : outputs) tuple = isl_multi_pw_aff_set_pw_aff(tuple, position++, aligned(output, from));
  return tuple;
}

isl_point* isl_point_of(const Space& space, const Point& point) {
  TW_CHECK(point.parameters.size() == space.parameters().size());
  TW_CHECK(point.dimensions.size() == space.rank());
  isl_ctx* ctx = Access::state(space).ctx;
  isl_point* made = isl_point_zero(Access::of(space).copy());
  int position = 0;
  for (const std::int64_t value : point.parameters)
    made = isl_point_set_coordinate_val(made, isl_dim_param, position++, val_of(ctx, value));
  position = 0;
  for (const std::int64_t value : point.dimensions)
    made = isl_point_set_coordinate_val(made, isl_dim_set, position++, val_of(ctx, value));
  return made;
}

std::optional<Point> point_of(const Space& space, const PointHandle& point) {
  if (!point || isl_point_is_void(point.get()) != isl_bool_false) return std::nullopt;
  Point result;
  const auto read = [&](isl_dim_type type, std::size_t count, std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < count; ++i) {
      const ValHandle value(isl_point_get_coordinate_val(point.get(), type, static_cast<int>(i)));
      const auto number = integer_of(value);
      if (!number) return false;
      values.push_back(*number);
    }
    return true;
  };
  if (!read(isl_dim_param, space.parameters().size(), result.parameters)) return std::nullopt;
  if (!read(isl_dim_set, space.rank(), result.dimensions)) return std::nullopt;
  return result;
}

std::string text_of(char* taken) {
  if (taken == nullptr) return "(lost)";
  std::string text = taken;
  std::free(taken);
  return text;
}

}  // namespace tilewright::sets::detail
