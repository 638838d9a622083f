// What affine rows alone decide: dominance, rank, consecutive values, gaps, collisions.
#include <algorithm>
#include <numeric>

#include "proof/map_system.h"

namespace tilewright::proof {

namespace {

constexpr std::int64_t kRankPrime = 2'147'483'647;

struct RadixTerm {
  std::size_t variable = 0;
  __int128_t size = 0;  ///< |coefficient|
  std::int64_t extent = 1;
};

__int128_t wide_abs(__int128_t value) { return value < 0 ? -value : value; }
std::uint64_t magnitude(__int128_t value) { return static_cast<std::uint64_t>(wide_abs(value)); }

/// Terms over the wanted variables, smallest coefficient first.
std::vector<RadixTerm> radix_terms(const AffineRow& row, const std::vector<MapVariable>& variables,
                                   const std::vector<bool>& wanted) {
  std::vector<RadixTerm> terms;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (wanted[i] && row.coefficients[i] != 0) terms.push_back({i, wide_abs(row.coefficients[i]), variables[i].extent});
  std::sort(terms.begin(), terms.end(), [](const RadixTerm& a, const RadixTerm& b) {
    return a.size != b.size ? a.size < b.size : a.variable < b.variable;
  });
  return terms;
}

std::vector<bool> live_variables(const std::vector<MapVariable>& variables) {
  std::vector<bool> live;
  for (const MapVariable& variable : variables) live.push_back(variable.extent > 1);
  return live;
}

/// Whether every coefficient exceeds all that the smaller ones can add up to.
bool row_dominates(const std::vector<RadixTerm>& terms) {
  __int128_t reach = 0;
  for (const RadixTerm& term : terms) {
    if (term.size <= reach) return false;
    reach += term.size * (term.extent - 1);
  }
  return true;
}

std::int64_t power_modulo(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = base * base % kRankPrime)
    if ((exponent & 1) != 0) result = result * base % kRankPrime;
  return result;
}

/// Full column rank modulo the prime implies full column rank over the rationals; the converse fails.
bool has_full_column_rank(std::vector<std::vector<std::int64_t>> rows, std::size_t columns) {
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) return false;
    std::swap(rows[rank], rows[pivot]);
    const std::int64_t inverse = power_modulo(rows[rank][column], kRankPrime - 2);
    for (std::size_t i = rank + 1; i < rows.size(); ++i) {
      const std::int64_t factor = rows[i][column] * inverse % kRankPrime;
      for (std::size_t j = column; j < columns; ++j)
        rows[i][j] = (rows[i][j] + (kRankPrime - factor) * rows[rank][j]) % kRankPrime;
    }
    ++rank;
  }
  return true;
}

bool rank_separates(const MapSystem& system, const std::vector<bool>& open) {
  std::vector<std::vector<std::int64_t>> rows;
  std::size_t columns = 0;
  for (const MapRow& row : system.rows) {
    if (!row.affine) continue;
    rows.emplace_back();
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i]) rows.back().push_back(((row.affine->coefficients[i] % kRankPrime) + kRankPrime) % kRankPrime);
  }
  for (const bool variable : open) columns += variable ? 1 : 0;
  return has_full_column_rank(std::move(rows), columns);
}

/// The number of the gap: the first sum of terms that none of them reaches, or nothing when sums are consecutive.
std::optional<__int128_t> first_radix_gap(const std::vector<RadixTerm>& terms) {
  __int128_t reach = 0;
  for (const RadixTerm& term : terms) {
    if (term.size > reach + 1) return reach + 1;
    reach += term.size * (term.extent - 1);
  }
  return std::nullopt;
}

std::int64_t column_entry(const MapRow& row, std::size_t variable) {
  return row.affine ? row.affine->coefficients[variable] : 0;
}

/// Steps p along i and q along j with p * column(i) = +-q * column(j) in every row.
std::optional<VariablePair> proportional_collision(const MapSystem& system, std::size_t i, std::size_t j) {
  __int128_t p = 0;
  __int128_t q = 0;
  for (const MapRow& row : system.rows) {
    if ((row.uses[i] || row.uses[j]) && !row.affine) return std::nullopt;
    const std::int64_t a = column_entry(row, i);
    const std::int64_t b = column_entry(row, j);
    if (a == 0 || b == 0) {
      if (a != b) return std::nullopt;
      continue;
    }
    if (p == 0) {
      const __int128_t divisor = std::gcd(magnitude(a), magnitude(b));
      p = wide_abs(b) / divisor;
      q = ((a < 0) == (b < 0) ? wide_abs(a) : -wide_abs(a)) / divisor;
    }
    if (p * a != q * b) return std::nullopt;
  }
  if (p == 0 || p >= system.variables[i].extent || wide_abs(q) >= system.variables[j].extent) return std::nullopt;
  VariablePair pair{std::vector<std::int64_t>(system.variables.size()),
                    std::vector<std::int64_t>(system.variables.size())};
  pair.first[i] = static_cast<std::int64_t>(p);
  (q > 0 ? pair.second : pair.first)[j] = static_cast<std::int64_t>(wide_abs(q));
  return pair;
}

}  // namespace

bool affine_rows_separate(const MapSystem& system) {
  std::vector<bool> open = live_variables(system.variables);
  for (bool progress = true; progress;) {
    progress = false;
    for (const MapRow& row : system.rows) {
      if (!row.affine) continue;
      const auto terms = radix_terms(*row.affine, system.variables, open);
      if (terms.empty() || !row_dominates(terms)) continue;
      for (const RadixTerm& term : terms) open[term.variable] = false;
      progress = true;
    }
  }
  return rank_separates(system, open);
}

std::optional<WideRange> consecutive_range(const AffineRow& row, const std::vector<MapVariable>& variables) {
  const std::vector<bool> live = live_variables(variables);
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (live[i] && row.coefficients[i] == 0) return std::nullopt;
  const auto terms = radix_terms(row, variables, live);
  if (!row_dominates(terms) || first_radix_gap(terms)) return std::nullopt;
  return affine_range(row, variables);
}

std::optional<std::int64_t> unreached_by_row(const AffineRow& row, const std::vector<MapVariable>& variables,
                                             std::int64_t extent) {
  if (extent == 0) return std::nullopt;
  const WideRange range = affine_range(row, variables);
  if (range.low > 0 || range.high < 0) return 0;
  if (range.high < extent - 1) return extent - 1;
  const auto terms = radix_terms(row, variables, live_variables(variables));
  std::uint64_t divisor = 0;
  for (const RadixTerm& term : terms) divisor = std::gcd(divisor, magnitude(term.size));
  for (std::int64_t y = 0; divisor > 1 && y < std::min<std::int64_t>(extent, 2); ++y)
    if ((static_cast<__int128_t>(y) - row.constant) % divisor != 0) return y;
  if (const auto gap = first_radix_gap(terms)) {
    const __int128_t y = range.low + *gap;
    if (y >= 0 && y < extent) return static_cast<std::int64_t>(y);
  }
  return std::nullopt;
}

std::optional<VariablePair> affine_collision(const MapSystem& system) {
  const std::size_t count = system.variables.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (system.variables[i].extent <= 1) continue;
    if (std::none_of(system.rows.begin(), system.rows.end(), [&](const MapRow& row) { return row.uses[i]; })) {
      VariablePair pair{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
      pair.second[i] = 1;
      return pair;
    }
    for (std::size_t j = i + 1; j < count; ++j)
      if (system.variables[j].extent > 1)
        if (auto pair = proportional_collision(system, i, j)) return pair;
  }
  return std::nullopt;
}

}  // namespace tilewright::proof
