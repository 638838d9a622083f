// Internal to src/sets: what values are inside, and how they are made from isl's results. No other folder may include
// this file.
//
// A body with a null handle is a lost value. Results pass through make_*, which drops whatever isl returned after an
// overrun: isl may then have gone on with less than it needed.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sets/function.h"
#include "sets/isl_handles.h"
#include "sets/map.h"
#include "sets/set.h"
#include "sets/space.h"
#include "support/check.h"

namespace tilewright::sets::detail {

struct SpaceBody {
  Context context;
  std::vector<std::string> parameters, dimensions;
  SpaceHandle space;  ///< [parameters] -> { [dimensions] }
};
struct FunctionBody {
  Space space;
  FunctionHandle function;  ///< [parameters] -> { [dimensions] -> [(value)] }
};
struct SetBody {
  Space space;
  SetHandle set;  ///< [parameters] -> { [dimensions] }
};
struct MapBody {
  Space domain_space, range_space;
  MapHandle map;  ///< [parameters] -> { [domain dimensions] -> [range dimensions] }
};

class Access {
 public:
  static const std::shared_ptr<State>& shared_state(const Context& context) { return context.state_; }
  static State& state(const Context& context) { return *context.state_; }
  static State& state(const Space& space) { return state(space.context()); }
  static bool same_context(const Space& a, const Space& b) { return a.context().state_ == b.context().state_; }

  static const SpaceHandle& of(const Space& space) { return space.body_->space; }
  static const FunctionHandle& of(const Function& function) { return function.body_->function; }
  static const SetHandle& of(const Set& set) { return set.body_->set; }
  static const MapHandle& of(const Map& map) { return map.body_->map; }

  static Function make_function(const Ask& ask, const Space& space, isl_pw_aff* taken);
  static Set make_set(const Ask& ask, const Space& space, isl_set* taken);
  static Map make_map(const Ask& ask, const Space& domain, const Space& range, isl_map* taken);
  static Function lost_function(const Space& space);
  static Set lost_set(const Space& space);
  static Map lost_map(const Space& domain, const Space& range);
};

/// `a` with the parameters of b. Premises: one context, equal rank.
Space joined(const Space& a, const Space& b);

/// The value in a space with further parameters, for isl to take. Premise: not lost.
isl_pw_aff* aligned(const Function& function, const Space& space);
isl_set* aligned(const Set& set, const Space& space);
isl_map* aligned(const Map& map, const Space& space);

/// isl's answer, unless the query overran.
Truth answer(const Ask& ask, isl_bool value);

/// { x -> (outputs[0](x), ..) } between spaces that have all parameters. Premise: no output is lost.
isl_multi_pw_aff* tuple_of(const Space& from, const Space& to, std::span<const Function> outputs);

/// Premise: the point has the lengths of the space.
isl_point* isl_point_of(const Space& space, const Point& point);
/// Nothing for null, void points and coordinates beyond int64.
std::optional<Point> point_of(const Space& space, const PointHandle& point);

/// isl's text, which is ours to free.
std::string text_of(char* taken);

}  // namespace tilewright::sets::detail
