// Maps: relations between the points of two spaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sets/function.h"
#include "sets/set.h"
#include "sets/space.h"

namespace tilewright::sets {

namespace detail {
struct MapBody;
}

/// Two points of the domain with one image, at the same parameter values.
struct Collision {
  std::vector<std::int64_t> parameters;
  std::vector<std::int64_t> first, second;  ///< first != second
  std::vector<std::int64_t> image;
};

/// For each value of the parameters a set of pairs x -> y, of an input and an output point. A map made from functions
/// gives each point of its domain one image; others may give none or many. Both spaces have the same parameters.
///
/// As for sets, questions are about all parameter values at once.
class Map {
 public:
  /// { x -> (outputs[0](x), ..) : x in domain, all outputs defined }. `names` are those of the output dimensions.
  /// Premises: the outputs are over the domain's space up to parameters; as many names as outputs.
  Map(const Set& domain, std::span<const Function> outputs, std::vector<std::string> names);
  /// { x -> x }
  static Map identity(const Set& domain);
  /// The pairs (x, y) of a set over the input dimensions followed by the output dimensions. Premise: inputs <= rank.
  static Map from_graph(const Set& graph, std::size_t inputs);
  /// All pairs.
  static Map product(const Set& domain, const Set& range);

  const Space& domain_space() const;
  const Space& range_space() const;
  bool lost() const;

  Set domain() const;
  Set range() const;
  /// The pairs as a set: input dimensions, then output dimensions.
  Set graph() const;
  /// { y : x -> y, x in set }
  Set image(const Set& set) const;
  /// { x : x -> y, y in set }
  Set preimage(const Set& set) const;
  /// { y -> x }
  Map inverse() const;
  /// { x -> z : x -> y in first, y -> z in this }. Premise: first's output rank is this input rank.
  Map after(const Map& first) const;

  Map intersect_domain(const Set& set) const;
  Map intersect_range(const Set& set) const;
  Map unite(const Map& other) const;
  Map intersect(const Map& other) const;
  Map subtract(const Map& other) const;
  /// With a parameter of known value; it stays in the spaces. Premise: the spaces have it.
  Map fix(std::string_view parameter, std::int64_t value) const;

  Truth is_empty() const;
  Truth is_subset_of(const Map& other) const;
  Truth is_equal(const Map& other) const;
  /// No input has two outputs.
  Truth is_single_valued() const;
  /// No output has two inputs.
  Truth is_injective() const;
  /// Every point of the set has exactly one input, every input of domain() exactly one output, and no output is outside
  /// the set. That domain() is all that was meant is another question: is_equal on domain().
  Truth is_bijective_onto(const Set& set) const;

  /// The output of the point, parameters included. Nothing: none, several, lost, quota, or beyond int64.
  /// Premise: the point has the lengths of domain_space().
  std::optional<Point> apply(const Point& point) const;
  /// A reason why the map is not injective. Nothing: it is injective, lost, quota, or beyond int64.
  std::optional<Collision> collision() const;

  /// In isl's notation; "(lost)".
  std::string text() const;

 private:
  friend class detail::Access;
  Map() = default;
  std::shared_ptr<const detail::MapBody> body_;
};

}  // namespace tilewright::sets
