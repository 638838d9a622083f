// Which points of an operation's domain a question is about.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::proof {

enum class DomainPart : std::uint8_t {
  All,
  Interior,  ///< the points whose whole tile lies inside of the object (proof/access_in_bounds.h)
};
constexpr std::string_view domain_part_name(DomainPart part) { return part == DomainPart::All ? "all" : "interior"; }

}  // namespace tilewright::proof
