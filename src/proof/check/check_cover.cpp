#include "proof/check/check_cover.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "proof/check/check_fields.h"
#include "proof/check/linear_coefficient.h"
#include "proof/check/program_points.h"
#include "proof/check/program_scan.h"
#include "proof/map_exact_cover.h"

namespace tilewright::proof {

using check::ProgramPoints;
using check::ProgramScan;

namespace {

enum class CoverAnswer : std::uint8_t {
  Covers,
  Fails,
  TooLarge,
  Empty,  ///< the object has no element
};

/// Dimensions of the domain that decide about the same dimensions of the object.
struct CoverPart {
  std::vector<std::size_t> domain, object;
};

class CoverCheck {
 public:
  CoverCheck(const tile::Program& program, const tile::StoreOp& store, ProgramPoints& points, std::int64_t limit)
      : program_(program),
        coords_(program.list(store.coords)),
        extents_(program.object(store.object).extents),
        points_(points),
        limit_(limit) {}

  const std::string& wrong() const { return wrong_; }
  std::int64_t steps() const { return steps_; }

  /// At the sizes that the points stand at.
  CoverAnswer run() {
    for (tile::IndexId extent : extents_) {
      const auto size = points_.value(extent);
      if (!size) return fails("an extent of the object has no value");
      size_.push_back(std::max<std::int64_t>(*size, 0));
    }
    if (std::count(size_.begin(), size_.end(), 0) != 0) return CoverAnswer::Empty;
    if (const CoverAnswer whole = count_whole(); whole != CoverAnswer::TooLarge) return whole;
    for (const CoverPart& part : parts())
      if (const CoverAnswer answer = ask(part); answer != CoverAnswer::Covers) return answer;
    return CoverAnswer::Covers;
  }

  /// Samples of a domain that cannot be decided: no two points of them store one element.
  CoverAnswer sample(int samples) {
    std::map<Element, std::vector<std::int64_t>> writers;
    points_.visit(0, samples, [&] {
      const auto element = element_here(all_dimensions());
      if (!wrong_.empty() || !element) return wrong_.empty();
      const std::vector<std::int64_t> point = points_.point();
      const auto [known, fresh] = writers.emplace(*element, point);
      return fresh || known->second == point || fails("two points store one element") != CoverAnswer::Fails;
    });
    return wrong_.empty() ? CoverAnswer::Covers : CoverAnswer::Fails;
  }

 private:
  using Element = std::vector<std::int64_t>;
  using Counts = std::map<Element, int>;

  CoverAnswer fails(const std::string& what) {
    wrong_ = what;
    return CoverAnswer::Fails;
  }

  std::vector<std::size_t> all_dimensions() const {
    std::vector<std::size_t> all(coords_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// Coordinates in these dimensions of the object, when they are inside.
  std::optional<Element> element_here(const std::vector<std::size_t>& dimensions) {
    Element element;
    bool inside = true;
    for (const std::size_t d : dimensions) {
      const auto at = points_.value(coords_[d]);
      if (!at) wrong_ = "a coordinate has no value";
      if (!at) return std::nullopt;
      element.push_back(*at);
      inside = inside && *at >= 0 && *at < size_[d];
    }
    return inside ? std::optional(element) : std::nullopt;
  }

  std::optional<std::int64_t> elements_of(const std::vector<std::size_t>& dimensions) const {
    std::int64_t elements = 1;
    for (const std::size_t d : dimensions) {
      if (elements > limit_ / size_[d]) return std::nullopt;
      elements *= size_[d];
    }
    return elements;
  }

  /// Counts the store of the place where the points stand.
  bool count_here(const std::vector<std::size_t>& dimensions, Counts& counts) {
    const auto element = element_here(dimensions);
    if (element && ++counts[*element] > 1) wrong_ = "an element is stored twice";
    return wrong_.empty();
  }

  CoverAnswer count_whole() {
    const auto elements = elements_of(all_dimensions());
    if (!elements) return CoverAnswer::TooLarge;
    Counts counts;
    const auto coverage = points_.visit(limit_, 0, [&] { return count_here(all_dimensions(), counts); });
    steps_ += points_.steps();
    if (coverage == ProgramPoints::Coverage::Sampled) return CoverAnswer::TooLarge;
    if (coverage == ProgramPoints::Coverage::Valueless) return fails("an extent of the domain has no value");
    if (!wrong_.empty()) return CoverAnswer::Fails;
    return static_cast<std::int64_t>(counts.size()) == *elements ? CoverAnswer::Covers
                                                                 : fails("an element is not stored");
  }

  bool depends(tile::IndexId expr, const ProgramPoints::Dimension& dimension) const {
    if (dimension.axis.valid()) {
      const auto axes = program_.index().axes(expr);
      return std::find(axes.begin(), axes.end(), dimension.axis) != axes.end();
    }
    const auto coords = program_.index().coords(expr);
    return std::find(coords.begin(), coords.end(), dimension.coord) != coords.end();
  }

  std::vector<CoverPart> parts() const {
    const auto& dimensions = points_.dimensions();
    const std::size_t count = dimensions.size() + coords_.size();  // those of the domain, then those of the object
    std::vector<std::size_t> group(count);
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto join = [&](std::size_t a, std::size_t b) {
      std::replace(group.begin(), group.end(), std::size_t{group[a]}, std::size_t{group[b]});
    };
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      for (std::size_t d = 0; d < coords_.size(); ++d)
        if (depends(coords_[d], dimensions[i])) join(i, dimensions.size() + d);
      for (std::size_t other = 0; other < dimensions.size(); ++other)
        if (depends(dimensions[other].extent, dimensions[i])) join(i, other);
    }
    std::map<std::size_t, CoverPart> by_group;
    for (std::size_t i = 0; i < count; ++i) {
      CoverPart& part = by_group[group[i]];
      if (i < dimensions.size())
        part.domain.push_back(i);
      else
        part.object.push_back(i - dimensions.size());
    }
    std::vector<CoverPart> parts;
    for (auto& [name, part] : by_group) parts.push_back(std::move(part));
    return parts;
  }

  CoverAnswer ask(const CoverPart& part) {
    if (const CoverAnswer answer = count_part(part); answer != CoverAnswer::TooLarge) return answer;
    return part.object.size() == 1 ? tile_by_blocks(part) : CoverAnswer::TooLarge;
  }

  /// f() at every point of some dimensions of the domain, outermost first. False: too many, or f or an extent said no.
  template <class F>
  bool each(const std::vector<std::size_t>& domain, std::size_t depth, std::int64_t& left, F&& f) {
    if (left-- <= 0) return false;
    ++steps_;
    if (depth == domain.size()) return f();
    const auto extent = points_.value(points_.dimensions()[domain[depth]].extent);
    if (!extent) wrong_ = "an extent of the domain has no value";
    for (std::int64_t i = 0; extent && i < *extent; ++i) {
      points_.stand(domain[depth], i);
      if (!each(domain, depth + 1, left, f)) return false;
    }
    return wrong_.empty();
  }

  CoverAnswer count_part(const CoverPart& part) {
    const auto elements = elements_of(part.object);
    if (!elements) return CoverAnswer::TooLarge;
    Counts counts;
    std::int64_t left = limit_;
    const bool complete = each(part.domain, 0, left, [&] { return count_here(part.object, counts); });
    if (!wrong_.empty()) return CoverAnswer::Fails;
    if (!complete) return CoverAnswer::TooLarge;
    return static_cast<std::int64_t>(counts.size()) == *elements ? CoverAnswer::Covers
                                                                 : fails("an element is not stored");
  }

  /// Of a dimension of the domain in the one coordinate of a part.
  std::optional<std::int64_t> step_of(const ProgramPoints::Dimension& dimension, const CoverPart& part) const {
    const tile::IndexId coord = coords_[part.object[0]];
    return dimension.axis.valid()
               ? check::linear_coefficient(program_.index(), coord, tile::IndexKind::Axis, dimension.axis.index)
               : check::linear_coefficient(program_.index(), coord, tile::IndexKind::Coord, dimension.coord.index);
  }

  /// Dimensions of the part that step through one run of consecutive elements, each once; the others in `rest`.
  struct Block {
    std::int64_t length = 1;
    std::int64_t before = 0;  ///< elements of the run below the one where all its dimensions are 0
    std::vector<std::size_t> rest;
  };

  /// Takes the dimension whose step is the length of what was taken, as long as there is one.
  Block block_of(const CoverPart& part) {
    Block block{1, 0, part.domain};
    for (bool longer = true; longer;) {
      longer = false;
      for (auto at = block.rest.begin(); !longer && at != block.rest.end(); ++at) {
        const ProgramPoints::Dimension& dimension = points_.dimensions()[*at];
        const auto step = step_of(dimension, part);
        const auto extent = independent_extent(dimension, part);
        std::int64_t length = 0;
        if (!step || !extent || (*step != block.length && *step != -block.length)) continue;
        if (*extent < 1 || __builtin_mul_overflow(block.length, *extent, &length)) continue;
        if (*step < 0) block.before += length - block.length;
        block.length = length;
        block.rest.erase(at);
        longer = true;
      }
    }
    return block;
  }

  /// The extent of a dimension that depends on no other and on which no other depends.
  std::optional<std::int64_t> independent_extent(const ProgramPoints::Dimension& dimension,
                                                 const CoverPart& part) const {
    for (const std::size_t other : part.domain)
      if (depends(points_.dimensions()[other].extent, dimension) ||
          depends(dimension.extent, points_.dimensions()[other]))
        return std::nullopt;
    return points_.value(dimension.extent);
  }

  /// The runs of a part, clipped to the extent, in order: the first begins at 0 and each at the end of the one before.
  CoverAnswer tile_by_blocks(const CoverPart& part) {
    const Block block = block_of(part);
    for (const std::size_t dimension : part.domain) points_.stand(dimension, 0);
    const std::size_t d = part.object[0];
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // begin, end
    std::int64_t left = limit_;
    const bool complete = each(block.rest, 0, left, [&] {
      const auto at = points_.value(coords_[d]);
      std::int64_t begin = 0, end = 0;
      if (!at || __builtin_sub_overflow(*at, block.before, &begin) ||
          __builtin_add_overflow(begin, block.length, &end)) {
        wrong_ = "a coordinate has no value";
        return false;
      }
      begin = std::max<std::int64_t>(begin, 0);
      end = std::min(end, size_[d]);
      if (begin < end) runs.emplace_back(begin, end);
      return true;
    });
    if (!wrong_.empty()) return CoverAnswer::Fails;
    if (!complete) return CoverAnswer::TooLarge;
    std::sort(runs.begin(), runs.end());
    std::int64_t reached = 0;
    for (const auto& [begin, end] : runs) {
      if (begin < reached) return fails("an element is stored twice");
      if (begin > reached) return fails("an element is not stored");
      reached = end;
    }
    return reached == size_[d] ? CoverAnswer::Covers : fails("an element is not stored");
  }

  const tile::Program& program_;
  std::vector<tile::IndexId> coords_;
  const std::vector<tile::IndexId>& extents_;
  ProgramPoints& points_;
  std::int64_t limit_;
  std::int64_t steps_ = 0;
  std::vector<std::int64_t> size_;
  std::string wrong_;
};

}  // namespace

Result<void> check_store_cover(const Certificate& certificate, const tile::Program& program,
                               const Assumptions& assumptions, tile::OpId op, const AccessCheckLimits& limits) {
  const ProgramScan scan(program);
  const auto* store = scan.as<tile::StoreOp>(op);
  if (store == nullptr) return certificate_refused("operation", "expected a store of the program");
  ProgramPoints points(program, op);
  Certificate expected = scan.head(MapExactCover::kId, op.index, assumptions);
  expected.fields = {
      {"access", scan.touch(op)}, {"extents", scan.sizes(store->object)}, {"domain", scan.domain(points)}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  if (points.in_branch()) return certificate_refused("statement", "a branch stands around the store");
  const auto trials = check::trial_sizes(program, assumptions);
  if (trials.empty()) return certificate_refused("statement", "no sizes were found that meet the requirements");
  bool decided = false;
  std::int64_t budget = limits.total;
  for (const std::vector<std::int64_t>& sizes : trials) {
    points.set_sizes(sizes);
    CoverCheck check(program, *store, points, std::min(limits.points, budget));
    const CoverAnswer answer = check.run();
    budget -= std::min(budget, check.steps());
    if (answer == CoverAnswer::Fails) return certificate_refused("statement", check.wrong());
    decided = decided || answer == CoverAnswer::Covers;
  }
  if (decided) return {};
  CoverCheck check(program, *store, points, 0);
  if (check.run() == CoverAnswer::TooLarge && check.sample(limits.samples) == CoverAnswer::Fails)
    return certificate_refused("statement", check.wrong());
  return {};
}

}  // namespace tilewright::proof
