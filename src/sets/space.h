// Spaces and points: where sets and functions live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sets/context.h"

namespace tilewright::sets {

namespace detail {
struct SpaceBody;
}

/// Values of the parameters and the dimensions of a space, in its order.
struct Point {
  std::vector<std::int64_t> parameters;
  std::vector<std::int64_t> dimensions;
  auto operator<=>(const Point&) const = default;
};

/// Z^n with names for its n dimensions, n >= 0, and named parameters: integers that are fixed but not known. Parameters
/// are identified by name, dimensions by position; the names of dimensions are for people.
///
/// Where two values meet, their dimensions must agree in number (TW_CHECK); parameters of one that the other lacks are
/// added behind its own. The result has the names of the first.
class Space {
 public:
  /// Premise: the names of the parameters are distinct.
  Space(const Context& context, std::vector<std::string> parameters, std::vector<std::string> dimensions);

  const Context& context() const;
  const std::vector<std::string>& parameters() const;
  const std::vector<std::string>& dimensions() const;
  std::size_t rank() const { return dimensions().size(); }
  std::optional<std::size_t> find_parameter(std::string_view name) const;

  /// The same parameters, other dimensions.
  Space with_dimensions(std::vector<std::string> dimensions) const;
  /// This space with those parameters of `other` added that it lacks.
  Space with_parameters_of(const Space& other) const;

  /// Equal context and names.
  bool operator==(const Space& other) const;

 private:
  friend class detail::Access;
  std::shared_ptr<const detail::SpaceBody> body_;
};

}  // namespace tilewright::sets
