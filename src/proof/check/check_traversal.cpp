#include "proof/check/check_traversal.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "proof/check/check_fields.h"

namespace tilewright::proof {

namespace {

constexpr std::int64_t kSmallGrid = 24;

class WalkCheck {
 public:
  explicit WalkCheck(const Traversal& traversal)
      : t_(traversal), width_(std::min(traversal.rectangle_columns, traversal.columns)) {}

  Result<void> all() {
    for (std::int64_t band = 0; band < t_.rows; band += t_.rectangle_rows)
      for (std::int64_t rectangle = 0; rectangle < t_.columns; rectangle += width_)
        for (std::int64_t row = band; row < std::min(band + t_.rectangle_rows, t_.rows); ++row)
          for (std::int64_t column = rectangle; column < std::min(rectangle + width_, t_.columns); ++column)
            TW_TRY_VOID(expect({row, column}));
    if (next_ != t_.rows * t_.columns) return refused("the walk has another number of programs");
    if (t_.place_of(next_) || t_.place_of(-1)) return refused("an ordinal outside the launch has a place");
    return {};
  }

  Result<void> sampled(std::uint64_t samples, std::uint64_t seed) {
    const std::int64_t programs = t_.rows * t_.columns;
    const std::int64_t band = t_.rectangle_rows * t_.columns;
    std::set<std::int64_t> ordinals;
    for (const std::int64_t edge :
         {std::int64_t{0}, width_, t_.rectangle_rows * width_, band, programs - band, programs / band * band, programs})
      for (std::int64_t ordinal = edge - 1; ordinal <= edge + 1; ++ordinal)
        if (ordinal >= 0 && ordinal < programs) ordinals.insert(ordinal);
    SampleSource source(seed);
    for (std::uint64_t i = 0; i < samples; ++i)
      ordinals.insert(static_cast<std::int64_t>(source.below(static_cast<std::uint64_t>(programs))));
    for (const std::int64_t ordinal : ordinals) {
      const auto place = t_.place_of(ordinal);
      if (!place || place->row < 0 || place->row >= t_.rows || place->column < 0 || place->column >= t_.columns)
        return refused(fmt::format("ordinal {} has no place in the grid", ordinal));
      if (t_.ordinal_of(*place) != ordinal || ordinal_by_counting(*place) != ordinal)
        return refused(fmt::format("ordinal {} is not the ordinal of its place", ordinal));
    }
    return {};
  }

 private:
  static Result<void> refused(const std::string& message) { return certificate_refused("statement", message); }

  Result<void> expect(GridPlace place) {
    if (t_.place_of(next_) != place || t_.ordinal_of(place) != next_)
      return refused(
          fmt::format("ordinal {} and the place ({}, {}) do not belong together", next_, place.row, place.column));
    ++next_;
    return {};
  }

  /// How many programs the walk meets before a place.
  std::int64_t ordinal_by_counting(GridPlace place) const {
    std::int64_t before = 0;
    const std::int64_t bands_above = place.row / t_.rectangle_rows;
    before += bands_above * t_.rectangle_rows * t_.columns;
    const std::int64_t height = std::min(t_.rectangle_rows, t_.rows - bands_above * t_.rectangle_rows);
    const std::int64_t rectangles_left = place.column / width_;
    before += rectangles_left * width_ * height;
    const std::int64_t width = std::min(width_, t_.columns - rectangles_left * width_);
    return before + place.row % t_.rectangle_rows * width + place.column % width_;
  }

  const Traversal& t_;
  std::int64_t width_;
  std::int64_t next_ = 0;
};

Result<void> check_walk(const Traversal& traversal, const CheckLimits& limits) {
  const auto programs = static_cast<std::uint64_t>(traversal.rows * traversal.columns);
  if (programs <= limits.points) return WalkCheck(traversal).all();
  return WalkCheck(traversal).sampled(limits.samples, limits.seed);
}

bool is_launchable(const Traversal& t) {
  const auto fits = [](__int128_t product) { return product >= 1 && product < __int128_t{1} << 32; };
  return t.rows >= 1 && t.columns >= 1 && t.rectangle_rows >= 1 && t.rectangle_columns >= 1 &&
         fits(__int128_t{t.rows} * t.columns) && fits(__int128_t{t.rectangle_rows} * t.columns);
}

}  // namespace

Result<void> check_traversal_bijective(const Certificate& certificate, const Traversal& traversal,
                                       const CheckLimits& limits) {
  if (!is_launchable(traversal)) return certificate_refused("subject", "the traversal cannot be launched");
  const Certificate expected{"traversal.bijective",
                             traversal_subject(traversal),
                             kNoOperation,
                             {},
                             {{"grid", fmt::format("{} x {}", traversal.rows, traversal.columns)},
                              {"rectangle", fmt::format("{} x {}", traversal.rectangle_rows,
                                                        std::min(traversal.rectangle_columns, traversal.columns))},
                              {"programs", fmt::format("{}", traversal.rows * traversal.columns)}}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  return check_walk(traversal, limits);
}

Result<void> check_traversal_bijective(const Certificate& certificate, const OpenTraversal& traversal,
                                       const CheckLimits& limits) {
  const Certificate expected{
      "traversal.bijective",
      traversal_subject(traversal),
      kNoOperation,
      {{Guarantor::Launch, "rows and columns are at least 1; rows * columns and rectangle rows * columns fit 32 bits"}},
      {{"grid", "any rows x any columns"},
       {"rectangle", fmt::format("{} x {}", traversal.rectangle_rows, traversal.rectangle_columns)},
       {"programs", "rows * columns"}}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  SampleSource source(limits.seed);
  const auto check = [&](std::int64_t rows, std::int64_t columns) -> Result<void> {
    const Traversal grid{rows, columns, traversal.rectangle_rows, traversal.rectangle_columns};
    if (!is_launchable(grid)) return {};
    return check_walk(grid, {4096, 16, limits.seed});
  };
  if (!is_launchable({1, 1, traversal.rectangle_rows, traversal.rectangle_columns}))
    return certificate_refused("subject", "no grid has room for the rectangle");
  for (std::int64_t rows = 1; rows <= kSmallGrid; ++rows)
    for (std::int64_t columns = 1; columns <= kSmallGrid; ++columns) TW_TRY_VOID(check(rows, columns));
  for (std::uint64_t i = 0; i < limits.samples; ++i) {
    const auto rows = static_cast<std::int64_t>(1 + source.below(std::uint64_t{1} << (1 + source.below(31))));
    const auto columns = static_cast<std::int64_t>(1 + source.below(std::uint64_t{1} << (1 + source.below(31))));
    TW_TRY_VOID(check(rows, columns));
  }
  return {};
}

}  // namespace tilewright::proof
