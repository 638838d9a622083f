#include "proof/map_exact_cover.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/issuer.h"
#include "proof/map_points.h"
#include "proof/map_search.h"
#include "proof/map_system.h"

namespace tilewright::proof {

namespace {

using Cover = MapExactCover;

/// The one comparison of a clause.
bool clause_holds(std::int64_t value, std::int64_t bound) { return value < bound; }

/// What is known of one component of a map, as points of the whole domain and codomain (other coordinates 0).
struct PartCover {
  enum class Kind : std::uint8_t { Exact, Unreached, Collides, Leaves, Open };
  Kind kind = Kind::Open;
  MapPoint output;              ///< Unreached
  MapPoint first, second;       ///< Collides: two selected points; Leaves: first is selected and leaves the codomain
  std::optional<MapPoint> any;  ///< a selected point; nothing when there is none, or none was looked for
};

Refuted refuted_point(const GuardedMap& guarded, const MapPoint& point) {
  Witness witness;
  add_coordinates(witness, "d", point);
  MapEvaluator evaluator(guarded.map.arena, guarded.map.results);
  evaluator.run(point);
  for (std::size_t i = 0; i < evaluator.size(); ++i) {
    const auto value = evaluator.value(i);
    const BoxSide side = value ? box_side(guarded.map.outputs[i], *value) : BoxSide::Inside;
    if (value && side == BoxSide::Inside) continue;
    witness.violates = value ? fmt::format("the clauses hold, and result {} is {}, outside 0 .. {}", i, *value,
                                           guarded.map.outputs[i] - 1)
                             : fmt::format("the clauses hold, and result {} overflows or divides by zero", i);
    return {!value ? Cover::kNoValue : side == BoxSide::Below ? Cover::kBeforeStart : Cover::kPastEnd, witness};
  }
  TW_CHECK(!"a refuted point violates");
  return {};
}

/// Enumerates selected points of a walk and tells what their values cover.
class CoverTable {
 public:
  explicit CoverTable(std::vector<std::int64_t> outputs) : outputs_(std::move(outputs)) {}

  void add(const MapPoint& value, std::uint64_t point) { entries_.emplace_back(map_ordinal(outputs_, value), point); }
  bool accepts(const MapPoint& value) const { return is_in_box(outputs_, value); }

  struct Fault {
    bool collision = false;
    std::uint64_t value = 0;              ///< unreached
    std::uint64_t first = 0, second = 0;  ///< collision: two points
  };
  /// Nothing when the values are 0, 1, .. up to the number of outputs, each once.
  std::optional<Fault> fault() {
    std::sort(entries_.begin(), entries_.end());
    const std::uint64_t outputs = *box_points(outputs_);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i > 0 && entries_[i].first == entries_[i - 1].first)
        return Fault{true, 0, entries_[i - 1].second, entries_[i].second};
      if (entries_[i].first != expected) return Fault{false, expected, 0, 0};
      ++expected;
    }
    if (expected != outputs) return Fault{false, expected, 0, 0};
    return std::nullopt;
  }

 private:
  std::vector<std::int64_t> outputs_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries_;
};

/// The values of one expression at a time are those of the map or of a clause; both are evaluated together.
class CoverQuestion {
 public:
  CoverQuestion(const GuardedMap& guarded, std::uint64_t limit) : guarded_(guarded), map_(guarded.map), limit_(limit) {}

  Verdict<MapExactCover> answer(std::uint64_t points, std::uint64_t outputs) {
    if (points == 0 && outputs == 0) return proved(points);
    if (points == 0) return Refuted{Cover::kUnreached, unreached_witness(MapPoint(map_.outputs.size()))};
    if (outputs != 0 && ranges_show_values()) {
      if (auto verdict = by_components(points)) return std::move(*verdict);
    }
    if (points > limit_) return map_quota(limit_);
    return by_enumeration(points);
  }

 private:
  Verdict<MapExactCover> proved(std::uint64_t points) const {
    return Issuer::issue<Cover>(map_certificate(guarded_, points, {}));
  }

  /// All expressions have values everywhere; clauses that always hold are left out from here on.
  bool ranges_show_values() {
    roots_ = map_.results;
    bounds_.clear();
    for (const tile::IndexId result : map_.results)
      if (!value_range(map_, result)) return false;
    for (const GuardClause& clause : guarded_.guards) {
      const auto range = value_range(map_, clause.value);
      if (!range) return false;
      if (clause_holds(range->high, clause.bound)) continue;
      roots_.push_back(clause.value);
      bounds_.push_back(clause.bound);
    }
    return true;
  }

  std::optional<Verdict<MapExactCover>> by_components(std::uint64_t points) {
    const MapSystem system = make_map_system(map_, roots_, Digits::Exact);
    std::vector<PartCover> parts;
    for (const MapComponent& component : split_components(system)) {
      auto part = interval_part(system, component);
      if (!part) part = enumerated_part(system, component);
      if (part->kind == PartCover::Kind::Unreached) return Refuted{Cover::kUnreached, unreached_witness(part->output)};
      parts.push_back(std::move(*part));
    }
    const auto of_kind = [&](PartCover::Kind kind) {
      return std::find_if(parts.begin(), parts.end(), [kind](const PartCover& part) { return part.kind == kind; });
    };
    if (of_kind(PartCover::Kind::Open) != parts.end()) return std::nullopt;
    for (const PartCover::Kind kind : {PartCover::Kind::Leaves, PartCover::Kind::Collides})
      if (const auto part = of_kind(kind); part != parts.end()) return refuted_part(parts, *part);
    return proved(points);
  }

  /// A fault inside one component becomes one of the map with selected points of the other components.
  Verdict<MapExactCover> refuted_part(const std::vector<PartCover>& parts, const PartCover& bad) const {
    MapPoint first = bad.first;
    MapPoint second = bad.second;
    for (const PartCover& part : parts) {
      if (&part == &bad) continue;
      if (!part.any) return Unknown{Cover::kNoWitness, "no point is known that satisfies all clauses"};
      for (std::size_t i = 0; i < first.size(); ++i) first[i] += (*part.any)[i];
      for (std::size_t i = 0; i < second.size(); ++i) second[i] += (*part.any)[i];
    }
    if (bad.kind == PartCover::Kind::Leaves) return refuted_point(guarded_, first);
    return Refuted{Cover::kCollision, collision_witness(map_, {first, second})};
  }

  /// A component of one affine result with consecutive values, under clauses on the same sum.
  std::optional<PartCover> interval_part(const MapSystem& system, const MapComponent& component) const {
    if (component.rows.empty() || component.rows[0] >= map_.results.size()) return std::nullopt;
    const auto& row = system.rows[component.rows[0]].affine;
    if (!row) return std::nullopt;
    std::vector<MapVariable> variables;
    AffineRow own{{}, row->constant};
    for (const std::size_t variable : component.variables) {
      variables.push_back(system.variables[variable]);
      own.coefficients.push_back(row->coefficients[variable]);
    }
    auto range = consecutive_range(own, variables);
    if (!range) return std::nullopt;
    const __int128_t lowest = range->low;
    for (std::size_t i = 1; i < component.rows.size(); ++i) {
      const std::size_t other = component.rows[i];
      const auto& clause = system.rows[other].affine;
      if (other < map_.results.size() || !clause || clause->coefficients != row->coefficients) return std::nullopt;
      // sum + c < bound says sum + constant < bound - c + constant
      const __int128_t end = static_cast<__int128_t>(bounds_[other - map_.results.size()]) - clause->constant;
      range->high = std::min(range->high, end + row->constant - 1);
    }
    return interval_cover(component, own, variables, {lowest, range->high}, map_.outputs[component.rows[0]]);
  }

  /// Values range.low .. range.high are taken once each; the codomain has 0 .. extent-1.
  PartCover interval_cover(const MapComponent& component, const AffineRow& row,
                           const std::vector<MapVariable>& variables, const WideRange& range,
                           std::int64_t extent) const {
    PartCover part;
    const auto unreached = [&](__int128_t value) {
      part.kind = PartCover::Kind::Unreached;
      part.output.resize(map_.outputs.size());
      part.output[component.rows[0]] = static_cast<std::int64_t>(value);
      return part;
    };
    if (range.high < range.low || range.low > 0 || range.high < 0) return unreached(0);
    if (range.high < extent - 1) return unreached(range.high + 1);
    part.any = point_of_value(row, variables, 0);
    part.kind = PartCover::Kind::Exact;
    if (range.low < 0 || range.high >= extent) {
      part.kind = PartCover::Kind::Leaves;
      part.first = point_of_value(row, variables, range.low < 0 ? range.low : range.high);
    }
    return part;
  }

  /// The point at which a row with consecutive values has the given one.
  MapPoint point_of_value(const AffineRow& row, const std::vector<MapVariable>& variables, __int128_t value) const {
    std::vector<std::size_t> order(variables.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto size = [&](std::size_t i) {
      const __int128_t coefficient = row.coefficients[i];
      return coefficient < 0 ? -coefficient : coefficient;
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    __int128_t rest = value - affine_range(row, variables).low;
    MapPoint point(map_.inputs.size());
    for (const std::size_t i : order) {
      if (variables[i].extent == 1) continue;
      const auto steps = static_cast<std::int64_t>(std::min<__int128_t>(rest / size(i), variables[i].extent - 1));
      rest -= steps * size(i);
      point[variables[i].input] +=
          variables[i].weight * (row.coefficients[i] > 0 ? steps : variables[i].extent - 1 - steps);
    }
    return point;
  }

  PartCover enumerated_part(const MapSystem& system, const MapComponent& component) const {
    const ComponentBox box = component_box(system, component);
    std::vector<tile::IndexId> roots;
    std::vector<std::int64_t> outputs;
    for (const std::size_t row : component.rows) {
      roots.push_back(roots_[row]);
      if (row < map_.results.size()) outputs.push_back(map_.outputs[row]);
    }
    PartCover part;
    if (!box.points || *box.points > std::max<std::uint64_t>(limit_, 1) || !box_points(outputs)) return part;
    CoverTable table(outputs);
    MapEvaluator evaluator(map_.arena, roots);
    MapPoint values(box.extents.size());
    for (std::uint64_t ordinal = 0; ordinal < *box.points; ++ordinal, next_map_point(box.extents, values)) {
      const MapPoint point = component_point(system, component, values, map_.inputs.size());
      evaluator.run(point);
      if (!selected(evaluator, component, outputs.size())) continue;
      MapPoint result;
      for (std::size_t i = 0; i < outputs.size(); ++i) result.push_back(*evaluator.value(i));
      part.any = point;
      if (table.accepts(result)) {
        table.add(result, ordinal);
      } else if (part.kind == PartCover::Kind::Open) {
        part.kind = PartCover::Kind::Leaves;
        part.first = point;
      }
    }
    return finish_part(std::move(part), table.fault(), system, component, outputs);
  }

  bool selected(const MapEvaluator& evaluator, const MapComponent& component, std::size_t results) const {
    for (std::size_t i = results; i < component.rows.size(); ++i)
      if (!clause_holds(*evaluator.value(i), bounds_[component.rows[i] - map_.results.size()])) return false;
    return true;
  }

  PartCover finish_part(PartCover part, const std::optional<CoverTable::Fault>& fault, const MapSystem& system,
                        const MapComponent& component, const std::vector<std::int64_t>& outputs) const {
    if (!fault) {
      if (part.kind == PartCover::Kind::Open) part.kind = PartCover::Kind::Exact;
      return part;
    }
    if (fault->collision) {
      if (part.kind == PartCover::Kind::Leaves) return part;
      const auto at = [&](std::uint64_t ordinal) {
        return component_point(system, component, map_point_at(component_box(system, component).extents, ordinal),
                               map_.inputs.size());
      };
      part.kind = PartCover::Kind::Collides;
      part.first = at(fault->first);
      part.second = at(fault->second);
      return part;
    }
    part.kind = PartCover::Kind::Unreached;
    part.output.resize(map_.outputs.size());
    const MapPoint missing = map_point_at(outputs, fault->value);
    for (std::size_t i = 0; i < missing.size(); ++i) part.output[component.rows[i]] = missing[i];
    return part;
  }

  /// The whole domain, point by point; the results need a value only where the clauses hold.
  Verdict<MapExactCover> by_enumeration(std::uint64_t points) const {
    std::vector<tile::IndexId> clauses;
    for (const GuardClause& clause : guarded_.guards) clauses.push_back(clause.value);
    MapEvaluator guards(map_.arena, clauses);
    MapEvaluator results(map_.arena, map_.results);
    CoverTable table(map_.outputs);
    MapPoint point(map_.inputs.size());
    for (std::uint64_t ordinal = 0; ordinal < points; ++ordinal, next_map_point(map_.inputs, point)) {
      guards.run(point);
      bool holds = true;
      for (std::size_t i = 0; i < guards.size(); ++i) {
        const auto value = guards.value(i);
        if (!value) return refuted_clause(point, i);
        holds = holds && clause_holds(*value, guarded_.guards[i].bound);
      }
      if (!holds) continue;
      results.run(point);
      MapPoint value;
      for (std::size_t i = 0; i < results.size(); ++i) value.push_back(results.value(i).value_or(-1));
      if (!table.accepts(value)) return refuted_point(guarded_, point);
      table.add(value, ordinal);
    }
    const auto fault = table.fault();
    if (!fault) return proved(points);
    if (fault->collision)
      return Refuted{Cover::kCollision, collision_witness(map_, {map_point_at(map_.inputs, fault->first),
                                                                 map_point_at(map_.inputs, fault->second)})};
    return Refuted{Cover::kUnreached, unreached_witness(map_point_at(map_.outputs, fault->value))};
  }

  static Verdict<MapExactCover> refuted_clause(const MapPoint& point, std::size_t clause) {
    Witness witness;
    add_coordinates(witness, "d", point);
    witness.violates = fmt::format("clause {} overflows or divides by zero", clause);
    return Refuted{Cover::kNoValue, std::move(witness)};
  }

  const GuardedMap& guarded_;
  const IndexMap& map_;
  std::uint64_t limit_;
  std::vector<tile::IndexId> roots_;  ///< the results, then the clauses that may fail
  std::vector<std::int64_t> bounds_;  ///< of those clauses
};

}  // namespace

Verdict<MapExactCover> prove_map_exact_cover(const GuardedMap& guarded, std::uint64_t limit) {
  if (const auto fault = index_map_fault(guarded)) return Unknown{Cover::kNotAMap, *fault};
  const auto points = box_points(guarded.map.inputs);
  const auto outputs = box_points(guarded.map.outputs);
  if (!points || !outputs) return Unknown{Cover::kQuota, "the domain or the codomain has 2^64 points or more"};
  return CoverQuestion(guarded, limit).answer(*points, *outputs);
}

}  // namespace tilewright::proof
