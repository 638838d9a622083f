#include "proof/check/check_map.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proof/check/check_fields.h"

namespace tilewright::proof {

namespace {

using Coordinates = std::vector<std::int64_t>;

enum class MapClaim : std::uint8_t { Total, Injective, Bijective, Cover };

constexpr std::string_view kTotalPremise = "map.total_in_bounds: results have values and lie in the codomain";

class MapCheck {
 public:
  MapCheck(const GuardedMap& guarded, MapClaim claim, const CheckLimits& limits)
      : guarded_(guarded), map_(guarded.map), claim_(claim), limits_(limits) {}

  Result<void> run(const Certificate& found, std::string_view family) {
    if (const auto fault = index_map_fault(guarded_)) return certificate_refused("subject", *fault);
    const auto domain = product(map_.inputs);
    if (!domain) return certificate_refused("points", "the domain has more points than a certificate can state");
    Certificate expected{std::string(family), index_map_subject(guarded_), kNoOperation, {}, {}};
    if (claim_ == MapClaim::Injective || claim_ == MapClaim::Bijective)
      expected.premises = {{Guarantor::Proof, std::string(kTotalPremise)}};
    expected.fields = index_map_fields(guarded_);
    expected.fields.push_back({"points", fmt::format("{}", *domain)});
    TW_TRY_VOID(compare_certificates(found, expected));
    return *domain <= limits_.points ? check_all(*domain) : check_samples(*domain);
  }

 private:
  static std::optional<std::uint64_t> product(const Coordinates& extents) {
    __uint128_t result = 1;
    for (const std::int64_t extent : extents)
      if (extent == 0) return 0;
    for (const std::int64_t extent : extents) {
      result *= static_cast<__uint128_t>(extent);
      if (result > UINT64_MAX) return std::nullopt;
    }
    return static_cast<std::uint64_t>(result);
  }

  Result<void> refused(const std::string& message) const { return certificate_refused("statement", message); }

  Coordinates decode(std::uint64_t ordinal) const {
    Coordinates point;
    for (const std::int64_t extent : map_.inputs) {
      point.push_back(static_cast<std::int64_t>(ordinal % static_cast<std::uint64_t>(extent)));
      ordinal /= static_cast<std::uint64_t>(extent);
    }
    return point;
  }

  std::optional<std::int64_t> evaluate(tile::IndexId id, const Coordinates& point) const {
    tile::IndexEnvironment environment;
    environment.axis = [&point](tile::AxisId axis) -> std::optional<std::int64_t> {
      if (axis.index >= point.size()) return std::nullopt;
      return point[axis.index];
    };
    return map_.arena.evaluate(id, environment);
  }

  /// Adds the value of a point that satisfies the clauses; says when the point breaks the claim by itself.
  Result<void> visit(const Coordinates& point) {
    for (const GuardClause& clause : guarded_.guards) {
      const auto value = evaluate(clause.value, point);
      if (!value) return refused(fmt::format("a clause has no value at ({})", fmt::join(point, ", ")));
      if (*value >= clause.bound) return {};
    }
    Coordinates result;
    for (std::size_t i = 0; i < map_.results.size(); ++i) {
      const auto value = evaluate(map_.results[i], point);
      if (!value || *value < 0 || *value >= map_.outputs[i])
        return refused(fmt::format("result {} has no value in the codomain at ({})", i, fmt::join(point, ", ")));
      result.push_back(*value);
    }
    if (claim_ != MapClaim::Total) values_.push_back(std::move(result));
    return {};
  }

  Result<void> values_differ() {
    std::sort(values_.begin(), values_.end());
    const auto twice = std::adjacent_find(values_.begin(), values_.end());
    if (twice == values_.end()) return {};
    return refused(fmt::format("two points have the value ({})", fmt::join(*twice, ", ")));
  }

  Result<void> check_all(std::uint64_t domain) {
    for (std::uint64_t ordinal = 0; ordinal < domain; ++ordinal) TW_TRY_VOID(visit(decode(ordinal)));
    TW_TRY_VOID(values_differ());
    const auto codomain = product(map_.outputs);
    const bool onto = claim_ == MapClaim::Bijective || claim_ == MapClaim::Cover;
    if (onto && (!codomain || values_.size() != *codomain))
      return refused(
          fmt::format("{} points have a value, and the codomain has another number of points", values_.size()));
    return {};
  }

  Result<void> check_samples(std::uint64_t domain) {
    SampleSource source(limits_.seed);
    std::set<Coordinates> points;
    const std::size_t free = std::min<std::size_t>(map_.inputs.size(), 12);
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << free); ++corner) {
      Coordinates point(map_.inputs.size());
      for (std::size_t i = 0; i < free; ++i) point[i] = ((corner >> i) & 1) != 0 ? map_.inputs[i] - 1 : 0;
      points.insert(std::move(point));
    }
    for (std::uint64_t i = 0; i < limits_.samples; ++i) points.insert(decode(source.below(domain)));
    for (const Coordinates& point : points) TW_TRY_VOID(visit(point));
    TW_TRY_VOID(values_differ());
    if (claim_ == MapClaim::Bijective && product(map_.outputs) != domain)
      return refused("domain and codomain have different numbers of points");
    const auto codomain = product(map_.outputs);
    if (claim_ == MapClaim::Cover && (!codomain || *codomain > domain))
      return refused("the codomain has more points than the domain");
    return {};
  }

  const GuardedMap& guarded_;
  const IndexMap& map_;
  MapClaim claim_;
  CheckLimits limits_;
  std::vector<Coordinates> values_;
};

}  // namespace

Result<void> check_map_total_in_bounds(const Certificate& certificate, const IndexMap& map, const CheckLimits& limits) {
  return MapCheck({map, {}}, MapClaim::Total, limits).run(certificate, "map.total_in_bounds");
}

Result<void> check_map_injective(const Certificate& certificate, const IndexMap& map, const CheckLimits& limits) {
  return MapCheck({map, {}}, MapClaim::Injective, limits).run(certificate, "map.injective");
}

Result<void> check_map_bijective(const Certificate& certificate, const IndexMap& map, const CheckLimits& limits) {
  return MapCheck({map, {}}, MapClaim::Bijective, limits).run(certificate, "map.bijective");
}

Result<void> check_map_exact_cover(const Certificate& certificate, const GuardedMap& guarded,
                                   const CheckLimits& limits) {
  return MapCheck(guarded, MapClaim::Cover, limits).run(certificate, "map.exact_cover");
}

}  // namespace tilewright::proof
