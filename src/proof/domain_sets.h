// Domains and index expressions as integer sets: the bridge from facts to src/sets.
//
// The parameters of a space are the open symbols of the program, by name; its dimensions are those of a domain, in
// order. A set function is the mathematical value of an expression; it is given only where analysis::over_range_of
// says that no subexpression can overflow, so that it is the machine's value too.
#pragma once

#include <optional>
#include <string>

#include "analysis/domain.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/function.h"
#include "sets/set.h"

namespace tilewright::proof {

class DomainSets {
 public:
  DomainSets(const Subject& subject, const analysis::OverDomain& domain, const sets::Context& context);

  const sets::Space& space() const { return space_; }
  /// The points of the domain at sizes within the assumptions that meet the program's requirements. Over-approximation:
  /// conditions of branches are left out, and requirements that are not quasi-affine. Nothing when an extent is not
  /// quasi-affine or may overflow.
  std::optional<sets::Set> points() const;
  /// Neither was left out: every point executes.
  bool points_are_exact() const;
  /// Nothing when the expression is not quasi-affine over the domain, or may overflow.
  std::optional<sets::Function> function(tile::IndexId expr) const;

  /// A point of the space with the names of its sizes and dimensions.
  std::vector<Witness::Coordinate> named(const sets::Point& point) const;

 private:
  /// The sizes that meet a requirement; nothing when it is not quasi-affine.
  std::optional<sets::Set> requirement(const tile::Requirement& requirement) const;
  std::optional<sets::Function> leaf(const tile::IndexNode& node) const;
  std::optional<sets::Function> convert(tile::IndexId expr) const;
  std::optional<sets::Function> operation(const tile::IndexNode& node) const;

  const Subject& subject_;
  const analysis::OverDomain& domain_;
  sets::Space space_;
};

sets::Set compare(const sets::Function& a, tile::Comparison comparison, const sets::Function& b);

/// Names of the dimensions of a domain: labels, told apart where two are equal.
std::vector<std::string> dimension_names(const tile::Program& program, const analysis::OverDomain& domain);

}  // namespace tilewright::proof
