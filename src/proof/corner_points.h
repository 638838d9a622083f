// Corners of a domain: concrete points that are tried before integer sets are asked, since most false statements about
// bounds fail at one of them. Internal to the provers of src/proof.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

/// A point of a domain, every open size at its least.
class CornerPoint {
 public:
  CornerPoint(const Subject& subject, const analysis::OverDomain& domain, std::vector<std::int64_t> dimensions)
      : subject_(subject), domain_(domain), dimensions_(std::move(dimensions)) {}

  std::optional<std::int64_t> value(tile::IndexId expr) const;
  /// Sizes, then dimensions, by name.
  std::vector<Witness::Coordinate> named() const;

 private:
  const Subject& subject_;
  const analysis::OverDomain& domain_;
  std::vector<std::int64_t> dimensions_;  ///< one a dimension of the domain
};

/// Where `expr` is least or greatest among the corners, by the signs of its affine form; with an axis, among those
/// where the axis is 0. The point surely executes. Nothing: there is no form, no branch-free box at the least sizes, or
/// a requirement excludes those sizes.
std::optional<CornerPoint> corner_of(const Subject& subject, const analysis::OverDomain& domain, tile::IndexId expr,
                                     bool greatest, tile::AxisId at_zero = {});

}  // namespace tilewright::proof
