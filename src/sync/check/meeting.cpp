#include "sync/check/meeting.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace tilewright::sync {

namespace {

/// The numbers that later - earlier must be for the two to be one element: `base` plus a multiple of `step` (0: none),
/// from low to high.
struct Distance {
  bool known = true;
  std::int64_t base = 0, step = 0;
  IntegerRange range{0, 0};

  void add_number(std::int64_t number) {
    if (__builtin_add_overflow(base, number, &base)) known = false;
    range = plus(range, {number, number});
  }
  /// factor * value, for some value of these.
  void add_term(std::int64_t factor, IntegerRange values) {
    if (factor == 0) return;
    if (factor == INT64_MIN) known = false;
    if (!known) return;
    step = std::gcd(step, factor);
    range = plus(range, scaled(values, factor));
  }
};

/// An element of both: terms of the earlier + its number == terms of the later + its number.
class DistanceSum {
 public:
  DistanceSum(const FormArithmetic& arithmetic, const OpenPair& pair, std::int64_t step)
      : arithmetic_(arithmetic), pair_(pair), step_(step) {}

  Distance run(std::vector<Term> earlier, std::vector<Term> later) const {
    Distance sum;
    take_rests(earlier, later, sum);
    std::map<SymbolId, std::pair<std::int64_t, std::int64_t>> factors;
    for (const Term& term : earlier) factors[term.symbol].first = term.factor;
    for (const Term& term : later) factors[term.symbol].second = term.factor;
    for (const auto& [symbol, both] : factors) add(symbol, both.first, both.second, sum);
    return sum;
  }

 private:
  void add(SymbolId id, std::int64_t earlier, std::int64_t later, Distance& sum) const {
    const Symbol& symbol = arithmetic_[id];
    if (later == INT64_MIN) sum.known = false;
    if (!sum.known) return;
    const bool other_iteration = is_other_iteration(symbol);
    if (other_iteration && symbol.index_of == pair_.loop && !symbol.own) {
      // The later index is the earlier one plus a number of steps.
      std::int64_t factor = 0;
      if (__builtin_mul_overflow(-later, step_, &factor)) sum.known = false;
      if (pair_.next_only)
        sum.add_number(factor);
      else
        sum.add_term(factor, {1, most_steps(symbol.range)});
    } else if (other_iteration || symbol.own) {
      sum.add_term(earlier, symbol.range);
      sum.add_term(-later, symbol.range);
      return;
    }
    std::int64_t factor = 0;
    if (__builtin_sub_overflow(earlier, later, &factor)) sum.known = false;
    sum.add_term(factor, symbol.range);
  }
  bool is_other_iteration(const Symbol& symbol) const {
    return pair_.loop.valid() && std::ranges::find(symbol.loops, pair_.loop) != symbol.loops.end();
  }
  std::int64_t most_steps(IntegerRange index) const {
    return index.bounded() ? std::max<std::int64_t>((index.high - index.low) / step_, 1) : kFar;
  }

  /// Takes away the rests of one divisor of which both sides have the same factor, where it is known how far their
  /// arguments are apart: slots i mod 2 and (i + 1) mod 2 are never one.
  void take_rests(std::vector<Term>& earlier, std::vector<Term>& later, Distance& sum) const {
    for (std::size_t i = 0; i < earlier.size(); ++i)
      for (std::size_t j = 0; j < later.size(); ++j) {
        const auto apart = rests_apart(earlier[i], later[j]);
        if (!apart) continue;
        const std::int64_t factor = earlier[i].factor, divisor = arithmetic_[earlier[i].symbol].rest.divisor;
        std::int64_t number = 0, wrap = 0;
        if (__builtin_mul_overflow(factor, *apart == 0 ? 0 : *apart - divisor, &number) ||
            __builtin_mul_overflow(factor, divisor, &wrap))
          continue;
        sum.add_number(number);
        if (*apart != 0) sum.add_term(wrap, {0, 1});
        earlier.erase(earlier.begin() + static_cast<std::ptrdiff_t>(i--));
        later.erase(later.begin() + static_cast<std::ptrdiff_t>(j));
        break;
      }
  }
  /// The earlier rest minus the later one, modulo the divisor.
  std::optional<std::int64_t> rests_apart(const Term& earlier, const Term& later) const {
    const Symbol &a = arithmetic_[earlier.symbol], &b = arithmetic_[later.symbol];
    const std::int64_t divisor = a.rest.divisor;
    if (divisor == 0 || divisor != b.rest.divisor || earlier.factor != later.factor || a.own || b.own)
      return std::nullopt;
    const Distance arguments = run(a.rest.terms, b.rest.terms);
    if (!arguments.known || arguments.step % divisor != 0) return std::nullopt;
    const auto rest = [&](std::int64_t number) { return (number % divisor + divisor) % divisor; };
    // Distances are later minus earlier, of what stands beside the terms.
    return (rest(arguments.base) + rest(a.rest.number) + divisor - rest(b.rest.number)) % divisor;
  }

  const FormArithmetic& arithmetic_;
  const OpenPair& pair_;
  std::int64_t step_;
};

/// Places with one rest, in the order of their numbers.
struct Lane {
  std::vector<Place> places;
  std::vector<std::size_t> next_other;  ///< by place: the first one behind it that another hand has
  std::size_t from = 0, to = 0;         ///< what the earlier place that is looked at can reach
};

class MeetingSearch {
 public:
  MeetingSearch(const PlaceFinder& finder, const Distance& distance, bool subgroups_apart)
      : finder_(finder), distance_(distance), subgroups_apart_(subgroups_apart) {}

  std::optional<Meeting> run(const Places& earlier, const Places& later) {
    for (const Place& place : later.places) lanes_[rest(place.number)].places.push_back(place);
    for (auto& entry : lanes_) link(entry.second);
    for (const Place& place : earlier.places) {
      std::int64_t wanted = 0;
      if (__builtin_add_overflow(place.number, distance_.base, &wanted)) return Meeting{place.owner, place.owner, {}};
      const auto lane = lanes_.find(rest(wanted));
      if (lane == lanes_.end()) continue;
      if (const auto other = other_hand(lane->second, place)) return Meeting{place.owner, *other, place.number};
    }
    return std::nullopt;
  }

 private:
  std::int64_t rest(std::int64_t number) const {
    if (distance_.step == 0) return 0;
    const std::int64_t part = number % distance_.step;
    return part < 0 ? part + distance_.step : part;
  }
  Owner hand(Owner owner) const { return subgroups_apart_ ? finder_.subgroup_of(owner) : owner; }

  void link(Lane& lane) const {
    lane.next_other.assign(lane.places.size(), lane.places.size());
    for (std::size_t i = lane.places.size(); i-- > 1;) {
      const bool same = hand(lane.places[i - 1].owner) == hand(lane.places[i].owner);
      lane.next_other[i - 1] = same ? lane.next_other[i] : i;
    }
  }

  /// The earlier places come in the order of their numbers, so that both ends of what they reach only move on.
  std::optional<Owner> other_hand(Lane& lane, const Place& place) const {
    const IntegerRange reach = plus({place.number, place.number}, distance_.range);
    const auto& places = lane.places;
    while (lane.from < places.size() && reach.low > -kFar && places[lane.from].number < reach.low) ++lane.from;
    while (lane.to < places.size() && (reach.high >= kFar || places[lane.to].number <= reach.high)) ++lane.to;
    std::size_t first = lane.from;
    if (first < lane.to && hand(places[first].owner) == hand(place.owner)) first = lane.next_other[first];
    if (first >= lane.to) return std::nullopt;
    return places[first].owner;
  }

  const PlaceFinder& finder_;
  const Distance& distance_;
  bool subgroups_apart_;
  std::map<std::int64_t, Lane> lanes_;
};

/// The quick look: no later place is as far from any earlier one as it would have to be.
bool out_of_reach(const std::vector<Place>& earlier, const std::vector<Place>& later, IntegerRange range) {
  if (earlier.empty() || later.empty()) return true;
  const IntegerRange reach = plus({earlier.front().number, earlier.back().number}, range);
  return later.back().number < reach.low || later.front().number > reach.high;
}

/// Nothing is known of where they go.
std::optional<Meeting> any_two_hands(const PlaceFinder& finder, const Places& earlier, const Places& later,
                                     bool subgroups_apart) {
  for (Owner a : earlier.owners)
    for (Owner b : later.owners)
      if (subgroups_apart ? finder.subgroup_of(a) != finder.subgroup_of(b) : a != b) return Meeting{a, b, {}};
  return std::nullopt;
}

}  // namespace

std::optional<Meeting> find_meeting(const PlaceFinder& finder, const Places& earlier, const Places& later,
                                    const OpenPair& pair, std::int64_t loop_step, bool subgroups_apart) {
  if (!earlier.known || !later.known) return any_two_hands(finder, earlier, later, subgroups_apart);
  const Distance distance = DistanceSum(finder.arithmetic(), pair, loop_step).run(earlier.terms, later.terms);
  if (!distance.known) return any_two_hands(finder, earlier, later, subgroups_apart);
  if (out_of_reach(earlier.places, later.places, distance.range)) return std::nullopt;
  return MeetingSearch(finder, distance, subgroups_apart).run(earlier, later);
}

}  // namespace tilewright::sync
