#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/check.h"

namespace tilewright::bench {

double median_of(std::vector<double> values) {
  TW_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Spread spread_of(const std::vector<double>& values) {
  TW_CHECK(!values.empty());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {median_of(values), *least, *most};
}

std::optional<double> geometric_mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) {
    TW_CHECK(value > 0);
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

double median_ratio(std::span<const double> above, std::span<const double> below) {
  TW_CHECK(above.size() == below.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.size(); ++i) ratios.push_back(above[i] / below[i]);
  return median_of(std::move(ratios));
}

std::size_t rotated_turn(std::size_t round, std::size_t turn, std::size_t count) {
  const std::size_t place = (round / 2 + turn) % count;
  return round % 2 == 0 ? place : count - 1 - place;
}

}  // namespace tilewright::bench
