#include "proof/block_cover.h"

#include <algorithm>
#include <set>
#include <vector>

#include "proof/domain_questions.h"
#include "support/checked_math.h"

namespace tilewright::proof {

namespace {

using analysis::AccessDimension;
using analysis::Dimension;

class BlockCover {
 public:
  BlockCover(const Subject& subject, const analysis::Access& store)
      : program_(subject.program), store_(store), domain_(store.domain) {}

  bool run() {
    if (!domain_.is_exact()) return false;
    for (const AccessDimension& dimension : store_.dimensions)
      if (!covers(dimension)) return false;
    return std::all_of(domain_.dimensions.begin(), domain_.dimensions.end(), [&](const Dimension& dimension) {
      return used_.contains(&dimension) || dimension.constant_extent == 1;
    });
  }

 private:
  struct Digit {
    std::int64_t weight = 1;
    const Dimension* over = nullptr;
  };

  /// The digits of a coordinate, least weight first; nothing when it is something else.
  std::optional<std::vector<Digit>> digits(const AccessDimension& dimension) const {
    if (!dimension.form || dimension.form->constant != 0) return std::nullopt;
    std::vector<Digit> all;
    for (const analysis::Term& term : dimension.form->terms) {
      if (term.factors.size() != 1 || term.coefficient < 1) return std::nullopt;
      const Dimension* over = dimension_of(domain_, term.factors[0]);
      if (over == nullptr) return std::nullopt;
      all.push_back({term.coefficient, over});
    }
    // A weight stands twice only in a sum that is refused anyway; the place in the domain makes the order total.
    std::sort(all.begin(), all.end(), [](const Digit& a, const Digit& b) {
      return a.weight != b.weight ? a.weight < b.weight : a.over < b.over;
    });
    return all;
  }

  bool covers(const AccessDimension& dimension) {
    const auto all = digits(dimension);
    if (!all) return false;
    std::int64_t values = 1;
    for (std::size_t i = 0; i < all->size(); ++i) {
      const Digit& digit = (*all)[i];
      if (!used_.insert(digit.over).second) return false;
      const auto extent = digit.over->constant_extent;
      if (extent == 1) continue;
      if (digit.weight != values) return false;
      const bool is_last = i + 1 == all->size();
      if (is_last && runs_to(program_, *digit.over, digit.weight, dimension.extent)) return true;
      const auto product = extent && *extent > 0 ? checked_mul(values, *extent) : std::nullopt;
      if (!product) return false;
      values = *product;
    }
    return dimension.constant_extent && values >= *dimension.constant_extent;
  }

  const tile::Program& program_;
  const analysis::Access& store_;
  const analysis::OverDomain& domain_;
  std::set<const Dimension*> used_;  // asked for membership alone, never walked
};

}  // namespace

bool surely_covers_by_blocks(const Subject& subject, const analysis::Access& store) {
  return BlockCover(subject, store).run();
}

}  // namespace tilewright::proof
