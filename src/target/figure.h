// One number about a device, with what is known about where it comes from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::target {

/// How far a figure can be trusted.
enum class Evidence : std::uint8_t {
  Specified,  ///< the maker's documentation says so
  Measured,   ///< somebody measured it and published how
  Reported,   ///< public text without its own measurement, or text that others contradict
  Prior,      ///< a judgement: it may steer a cost model until something better is known
  Detected,   ///< found on the running machine
};
inline constexpr std::array<std::string_view, 5> kEvidenceNames = {"specified", "measured", "reported", "prior",
                                                                   "detected"};

/// Integers only: the unit is chosen so that no fraction is needed, and two readings of a file never differ.
struct Figure {
  std::int64_t value = 0;
  Evidence evidence{};
  std::string source;  ///< document and section, in words

  bool operator==(const Figure&) const = default;
};

}  // namespace tilewright::target
