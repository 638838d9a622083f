// 4,992 decisions about metal.mpp: which rectangles the enumeration admits, against a count over pixels that knows
// nothing of atoms, fragments or distributions.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "realize/matrix_candidates.h"

namespace tilewright::realize::matrix_admission_test {
namespace {

using Grid = std::pair<std::int64_t, std::int64_t>;

constexpr std::int64_t kExtents[] = {8, 16, 24, 32, 48, 64, 96, 128};
constexpr std::int64_t kWidths[] = {32, 64, 96, 128, 192, 256};
constexpr std::int64_t kBudgets[] = {3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

/// Which of `parts` stripes of equal integer height a pixel row belongs to; -1 where the height is no integer.
std::int64_t stripe_of(std::int64_t pixel, std::int64_t extent, std::int64_t parts) {
  return extent % parts == 0 ? pixel / (extent / parts) : -1;
}

/// Pixels of one subgroup's rectangle, counted one by one; nothing when some pixel has no owner or the rectangles
/// differ.
struct PixelBox {
  std::int64_t rows = 0, columns = 0, pixels = 0;
};
PixelBox box_of(std::int64_t rows, std::int64_t columns, const Grid& grid) {
  std::vector<std::int64_t> pixels(static_cast<std::size_t>(grid.first * grid.second), 0);
  std::set<std::int64_t> first_rows, first_columns;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t m = stripe_of(i, rows, grid.first);
      const std::int64_t n = stripe_of(j, columns, grid.second);
      if (m < 0 || n < 0) return {};
      ++pixels[static_cast<std::size_t>(m * grid.second + n)];
      if (m == 0) first_rows.insert(i);
      if (n == 0) first_columns.insert(j);
    }
  for (const std::int64_t count : pixels)
    if (count != pixels[0]) return {};
  return {static_cast<std::int64_t>(first_rows.size()), static_cast<std::int64_t>(first_columns.size()), pixels[0]};
}

/// A tensor operation of these sides exists, and a lane's share of its result fits.
bool admitted(const PixelBox& box, std::int64_t budget) {
  if (box.pixels == 0 || box.rows % 8 != 0 || box.columns % 8 != 0) return false;
  if (box.rows % 16 != 0 && box.columns % 16 != 0) return false;
  return box.pixels <= 32 * budget;
}

TEST(MatrixAdmission, The4992DecisionsAreThoseOfAPixelCount) {
  int decisions = 0, yes = 0, rectangles = 0;
  for (const std::int64_t rows : kExtents)
    for (const std::int64_t columns : kExtents)
      for (const std::int64_t threads : kWidths) {
        std::vector<std::pair<Grid, PixelBox>> boxes;
        for (std::int64_t gm = 1; gm <= threads / 32; ++gm)
          for (std::int64_t gn = 1; gn <= threads / 32; ++gn)
            if (gm * gn * 32 == threads) boxes.push_back({{gm, gn}, box_of(rows, columns, {gm, gn})});
        for (const std::int64_t budget : kBudgets) {
          std::set<Grid> expected, found;
          for (const auto& [grid, box] : boxes)
            if (admitted(box, budget)) expected.insert(grid);
          const MatrixWorkload workload{
              .family = AtomFamily::MetalMpp, .rows = rows, .columns = columns, .contraction = 16};
          for (const auto& [d, refusal] :
               matrix_candidates(workload, {.group = {threads}, .max_fragment_scalars_per_lane = budget}))
            if (!refusal) {
              found.insert({d.subgroups_m, d.subgroups_n});
              EXPECT_EQ(fragment_scalars_per_lane(workload, d, {threads}) * threads, rows * columns);
            }
          ASSERT_EQ(found, expected) << rows << "x" << columns << " on " << threads << ", budget " << budget;
          ++decisions;
          yes += found.empty() ? 0 : 1;
          rectangles += static_cast<int>(found.size());
        }
      }
  EXPECT_EQ(decisions, 4992);
  EXPECT_GT(yes, 1000);
  EXPECT_LT(yes, 4000);
  EXPECT_GT(rectangles, yes);
}

}  // namespace
}  // namespace tilewright::realize::matrix_admission_test
