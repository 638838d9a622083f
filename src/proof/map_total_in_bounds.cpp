#include "proof/map_total_in_bounds.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/issuer.h"
#include "proof/map_points.h"
#include "proof/map_search.h"
#include "proof/map_system.h"

namespace tilewright::proof {

namespace {

using TotalFamily = MapTotalInBounds;

constexpr std::size_t kMaxCornerInputs = 12;

/// One result of a map, asked about by itself.
class ResultQuestion {
 public:
  ResultQuestion(const IndexMap& map, std::size_t result, std::uint64_t limit)
      : map_(map), result_(result), limit_(limit), evaluator_(map.arena, {map.results[result]}) {
    for (const tile::AxisId axis : map.arena.axes(map.results[result])) inputs_.push_back(axis.index);
    for (const std::size_t input : inputs_) extents_.push_back(map.inputs[input]);
  }

  enum class Answer : std::uint8_t { Holds, Fails, Open };

  Answer answer() {
    const auto range = value_range(map_, map_.results[result_]);
    if (range && is_inside(range->low) && is_inside(range->high)) return Answer::Holds;
    if (range && holds_over_digits()) return Answer::Holds;
    if (fails_at_corner()) return Answer::Fails;
    return enumerate();
  }

  Refuted refuted() const { return *refuted_; }

 private:
  bool is_inside(std::int64_t value) const { return box_side(map_.outputs[result_], value) == BoxSide::Inside; }

  bool holds_over_digits() const {
    const MapSystem system = make_map_system(map_, {map_.results[result_]}, Digits::Exact);
    if (!system.rows[0].affine) return false;
    const WideRange range = affine_range(*system.rows[0].affine, system.variables);
    return range.low >= 0 && range.high < map_.outputs[result_];
  }

  /// Evaluates one point of the inputs that the result reads; true (and refuted) when it violates.
  bool fails_at(const MapPoint& part) {
    MapPoint point(map_.inputs.size());
    for (std::size_t i = 0; i < part.size(); ++i) point[inputs_[i]] = part[i];
    evaluator_.run(point);
    const auto value = evaluator_.value(0);
    const BoxSide side = value ? box_side(map_.outputs[result_], *value) : BoxSide::Inside;
    if (value && side == BoxSide::Inside) return false;
    Witness witness;
    add_coordinates(witness, "d", point);
    std::string_view code = TotalFamily::kNoValue;
    if (value) code = side == BoxSide::Below ? TotalFamily::kBeforeStart : TotalFamily::kPastEnd;
    witness.violates = value
                           ? fmt::format("result {} is {}, outside 0 .. {}", result_, *value, map_.outputs[result_] - 1)
                           : fmt::format("result {} overflows or divides by zero", result_);
    refuted_ = Refuted{code, std::move(witness)};
    return true;
  }

  bool fails_at_corner() {
    const std::size_t free = std::min(extents_.size(), kMaxCornerInputs);
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << free); ++corner) {
      MapPoint part(extents_.size());
      for (std::size_t i = 0; i < free; ++i) part[i] = ((corner >> i) & 1) != 0 ? extents_[i] - 1 : 0;
      if (fails_at(part)) return true;
    }
    return false;
  }

  Answer enumerate() {
    MapPoint part(extents_.size());
    for (std::uint64_t count = 0; count < limit_; ++count) {
      if (fails_at(part)) return Answer::Fails;
      if (!next_map_point(extents_, part)) return Answer::Holds;
    }
    return Answer::Open;
  }

  const IndexMap& map_;
  std::size_t result_;
  std::uint64_t limit_;
  MapEvaluator evaluator_;
  std::vector<std::size_t> inputs_;
  std::vector<std::int64_t> extents_;
  std::optional<Refuted> refuted_;
};

}  // namespace

Verdict<MapTotalInBounds> prove_map_total_in_bounds(const IndexMap& map, std::uint64_t limit) {
  if (const auto fault = index_map_fault(map)) return Unknown{TotalFamily::kNotAMap, *fault};
  const auto points = box_points(map.inputs);
  if (!points) return Unknown{TotalFamily::kQuota, "the domain has 2^64 points or more"};
  bool open = false;
  for (std::size_t i = 0; *points != 0 && i < map.results.size(); ++i) {
    ResultQuestion question(map, i, limit);
    const auto answer = question.answer();
    if (answer == ResultQuestion::Answer::Fails) return question.refuted();
    open = open || answer == ResultQuestion::Answer::Open;
  }
  if (open) return map_quota(limit);
  return Issuer::issue<TotalFamily>(map_certificate({map, {}}, *points, {}));
}

}  // namespace tilewright::proof
