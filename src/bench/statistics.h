// Medians, ratios of rounds, and the order in which contestants take turns.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::bench {

struct Spread {
  double median = 0, min = 0, max = 0;
  bool operator==(const Spread&) const = default;
};

/// The mean of the two middle values for an even count. Premise: not empty.
double median_of(std::vector<double> values);
Spread spread_of(const std::vector<double>& values);
/// Nothing when there are no values. Premise: all are above 0.
std::optional<double> geometric_mean(std::span<const double> values);
/// The median of above[i] / below[i]: what drifts from round to round falls out. Premise: as many of both; one at
/// least.
double median_ratio(std::span<const double> above, std::span<const double> below);

/// Who is the turn-th in a round: every second round begins one further, and in the rounds between the
/// order is reversed, so that nobody always follows the same neighbour. A permutation of 0 .. count - 1 for each round.
std::size_t rotated_turn(std::size_t round, std::size_t turn, std::size_t count);

}  // namespace tilewright::bench
