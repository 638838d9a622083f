// Quotas, lost values, and contexts in threads.
#include "sets/context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "sets/map.h"

namespace tilewright::sets {
namespace {

using Functions = std::vector<Function>;

TEST(Truth, IsThreeValued) {
  EXPECT_EQ(negation(Truth::Yes), Truth::No);
  EXPECT_EQ(negation(Truth::No), Truth::Yes);
  EXPECT_EQ(negation(Truth::Unknown), Truth::Unknown);
  for (const Truth a : {Truth::No, Truth::Yes, Truth::Unknown}) {
    EXPECT_EQ(both(a, Truth::Yes), a);
    EXPECT_EQ(both(Truth::No, a), Truth::No);
    EXPECT_EQ(both(a, Truth::No), Truth::No);
    EXPECT_EQ(both(Truth::Yes, a), a);
    EXPECT_EQ(either(a, Truth::No), a);
    EXPECT_EQ(either(Truth::Yes, a), Truth::Yes);
    EXPECT_EQ(both(a, a), a);
    EXPECT_EQ(either(a, a), a);
  }
}

/// Some work of every kind, as words: "?" for each answer that the quota took.
std::vector<std::string> answers(const Context& context) {
  const Space space(context, {"M"}, {"i", "j"});
  const Function i = Function::dimension(space, 0), j = Function::dimension(space, 1);
  const Function M = Function::parameter(space, "M"), four = Function::constant(space, 4);
  const Function f = (3 * i + j).floordiv(4), g = minimum(i, j.mod(3));
  const Set a = Set::box(space, Functions{M.ceildiv(4), four}).intersect(less(4 * i + j, M));
  const Set b = a.intersect(less(g, f)).unite(equal(i, j).intersect(a));
  const Map map(b, Functions{f, g}, {"x", "y"});
  const Set bound = b.fix("M", 9);

  std::vector<std::string> words;
  const auto say = [&](Truth truth) {
    words.emplace_back(truth == Truth::Unknown ? "?" : truth == Truth::Yes ? "y" : "n");
  };
  const auto number = [&](auto value) { words.push_back(value ? std::to_string(*value) : "?"); };
  say(a.is_empty());
  say(b.is_subset_of(a));
  say(a.is_subset_of(b));
  say(b.complement().is_disjoint_from(b));
  say(map.is_injective());
  say(map.is_single_valued());
  say(map.inverse().inverse().is_equal(map));
  say(map.is_bijective_onto(map.range()));
  say(map.image(bound).contains({{9}, {1, 1}}));
  say(f.is_equal(g));
  number(bound.count());
  number(bound.minimum_of(f - g));
  number(bound.maximum_of(choose(a, f, g)));
  number(bound.points().transform([](const auto& all) { return all.size(); }));
  number(bound.lexmax().transform([](const Point& point) { return point.dimensions[0]; }));
  const auto sample = a.sample();
  say(sample ? a.contains(*sample) : Truth::Unknown);
  const auto collision = map.collision();
  say(collision ? map.domain().contains({collision->parameters, collision->second}) : Truth::Unknown);
  const auto scaled = product(f, four);
  number(scaled ? scaled->value_at({{5}, {3, 4}}) : std::nullopt);
  return words;
}

/// The number of answers that the quota took; all others are right.
std::size_t count_taken(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  std::size_t taken = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == "?") {
      ++taken;
    } else {
      EXPECT_EQ(found[i], expected[i]) << "answer " << i;
    }
  }
  return taken;
}

TEST(Quota, AnOverrunTakesAnswersAndNeverChangesThem) {
  const Context without_limit;
  const auto expected = answers(without_limit);
  EXPECT_EQ(std::ranges::count(expected, "?"), 0);
  EXPECT_EQ(without_limit.overruns(), 0u);
  int partial = 0;
  for (std::uint64_t quota = 1;; quota += 1 + quota / 4) {
    SCOPED_TRACE(testing::Message() << "quota " << quota);
    Context context;
    context.set_quota(quota);
    const auto found = answers(context);
    const std::size_t taken = count_taken(found, expected);
    // Every absent answer goes back to a counted overrun, and nothing else.
    EXPECT_EQ(taken > 0, context.overruns() > 0);
    if (taken > 0 && taken < found.size()) ++partial;
    if (taken == 0) break;
    context.set_quota(0);
    EXPECT_EQ(answers(context), expected) << "usable after overruns";
  }
  EXPECT_GT(partial, 5);
}

TEST(Quota, OneQueryHasOneQuotaAndOneCount) {
  const Context without_limit;
  const auto expected = answers(without_limit);
  for (std::uint64_t quota = 1;; quota += 1 + quota / 5) {
    SCOPED_TRACE(testing::Message() << "quota " << quota);
    Context context;
    context.set_quota(quota);
    std::vector<std::string> found;
    bool overran = false;
    {
      const Query query(context);
      found = answers(context);
      overran = query.overran();
    }
    EXPECT_EQ(count_taken(found, expected) > 0, overran);
    EXPECT_EQ(context.overruns(), overran ? 1u : 0u);
    if (!overran) break;
    EXPECT_EQ(found.back(), "?") << "nothing is answered after the overrun";
  }
}

TEST(Quota, LostValuesStayLostAndTheOthersStayWhole) {
  Context context;
  const Space space(context, {"M"}, {"i"});
  const Function i = Function::dimension(space, 0), M = Function::parameter(space, "M");
  const Set below = Set::box(space, Functions{M});
  EXPECT_EQ(context.overruns(), 0u);
  context.set_quota(1);
  const Set lost = less(i, M).intersect(below.complement());
  const Function lost_function = i.floordiv(3) + M;
  const Map lost_map(below, Functions{i.floordiv(3)}, {"x"});
  EXPECT_GT(context.overruns(), 0u);
  context.set_quota(Context::kDefaultQuota);
  const std::uint64_t overruns = context.overruns();

  EXPECT_TRUE(lost.lost());
  EXPECT_EQ(lost.is_empty(), Truth::Unknown);
  EXPECT_EQ(lost.unite(below).is_equal(below), Truth::Unknown);
  EXPECT_EQ(below.is_subset_of(lost), Truth::Unknown);
  EXPECT_EQ(lost.sample(), std::nullopt);
  EXPECT_EQ(lost.count(), std::nullopt);
  EXPECT_EQ(lost.points(), std::nullopt);
  EXPECT_EQ(lost.text(), "(lost)");
  EXPECT_EQ(lost.space(), space);
  EXPECT_TRUE(lost.fix("M", 1).project_out(std::vector<std::size_t>{0}).lost());
  EXPECT_TRUE(lost_function.lost());
  EXPECT_EQ(lost_function.constant_value(), std::nullopt);
  EXPECT_EQ(lost_function.text(), "(lost)");
  EXPECT_TRUE(product(lost_function, M)->lost()) << "not the answer 'not affine'";
  EXPECT_TRUE(less(lost_function, i).lost());
  EXPECT_TRUE(i.after(space, Functions{lost_function}).lost());
  EXPECT_TRUE(lost_map.lost());
  EXPECT_EQ(lost_map.is_injective(), Truth::Unknown);
  EXPECT_EQ(lost_map.is_bijective_onto(below), Truth::Unknown);
  EXPECT_TRUE(lost_map.image(below).lost());
  EXPECT_TRUE(lost_map.after(lost_map.inverse()).lost());
  EXPECT_EQ(lost_map.collision(), std::nullopt);
  EXPECT_EQ(lost_map.text(), "(lost)");
  EXPECT_EQ(context.overruns(), overruns) << "what is lost costs nothing more";

  EXPECT_EQ(below.is_empty(), Truth::No);
  EXPECT_EQ(i.is_equal(i), Truth::Yes);
}

TEST(Quota, NothingIsAnsweredAfterTheOverrunOfAQuery) {
  Context context;
  const Space space(context, {}, {"i"});
  const Set four = Set::box(space, std::vector<std::int64_t>{4});
  context.set_quota(3);
  {
    const Query query(context);
    EXPECT_EQ(four.complement().is_empty(), Truth::Unknown);
    EXPECT_TRUE(query.overran());
    EXPECT_EQ(four.is_empty(), Truth::Unknown);
    EXPECT_TRUE(Set::empty(space).lost());
    EXPECT_EQ(four.text(), "(lost)");
    EXPECT_FALSE(four.lost());
  }
  EXPECT_EQ(context.overruns(), 1u);
  context.set_quota(0);
  EXPECT_EQ(four.is_empty(), Truth::No);
}

TEST(Quota, BoundsTheTimeOfEnumeration) {
  // 2^40 values of i, of which few have a point: without a quota, a search of hours.
  const Context context;
  const Space space(context, {}, {"i", "j"});
  const Function i = Function::dimension(space, 0), j = Function::dimension(space, 1);
  const std::int64_t big = std::int64_t{1} << 40;
  const Set sparse = Set::box(space, std::vector<std::int64_t>{big, big})
                         .intersect(equal((7 * i + 3 * j).mod(1'000'003), Function::constant(space, 5)))
                         .intersect(less(j, i.mod(3)));
  EXPECT_EQ(sparse.count(), std::nullopt);
  EXPECT_EQ(sparse.points(), std::nullopt);
}

TEST(Contexts, ValuesKeepTheirContextAlive) {
  std::vector<Set> sets;
  {
    const Context context;
    sets.push_back(Set::box(Space(context, {}, {"i"}), std::vector<std::int64_t>{4}));
  }
  const Set copy = sets.front();
  sets.clear();
  EXPECT_EQ(copy.count(), 4u);
}

TEST(Contexts, CopiesAreHandlesToTheSame) {
  Context context;
  const Context copy = context;
  context.set_quota(17);
  EXPECT_EQ(copy.quota(), 17u);
  EXPECT_EQ(Space(context, {}, {"i"}), Space(copy, {}, {"i"}));
  EXPECT_NE(Space(context, {}, {"i"}), Space(Context(), {}, {"i"}));
  EXPECT_NE(Space(context, {}, {"i"}), Space(context, {}, {"j"}));
}

TEST(Contexts, ThreadsWithOneEach) {
  const Context reference;
  const auto expected = answers(reference);
  std::vector<std::vector<std::string>> found(2);
  {
    std::vector<std::jthread> threads;
    for (auto& words : found)
      threads.emplace_back([&words] {
        for (int round = 0; round < 3; ++round) words = answers(Context());
      });
  }
  for (const auto& words : found) EXPECT_EQ(words, expected);
}

}  // namespace
}  // namespace tilewright::sets
