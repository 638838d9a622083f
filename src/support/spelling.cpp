#include "support/spelling.h"

#include <algorithm>

namespace tilewright {

namespace {

// Longer names are not compared: the work grows with the product of the lengths.
constexpr std::size_t kLongestName = 40;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.empty() || name.size() > kLongestName) return {};
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view best;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kLongestName || candidate == name) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // A single letter is one edit away from every other: only its other case is a guess.
    if (name.size() == 1 && distance > 0) continue;
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best.empty() ? std::string{} : "did you mean '" + std::string(best) + "'?";
}

}  // namespace tilewright
