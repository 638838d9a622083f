// Random group programs: coalescing keeps them in order and drops what the rule says; the checker misses no race that
// the interpreter sees.
#include <array>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_count.h"
#include "kernel/printer.h"
#include "kernels.h"
#include "sync/check.h"
#include "sync/synchronize.h"

namespace tilewright::sync::random_test {
namespace {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 engine_;
};

constexpr std::array<const char*, 5> kObjects{"a", "b", "c", "y", "z"};  // shared, shared, shared, buffers
constexpr std::size_t kShared = 3;

/// Two tasks of 64 workers; every object holds 64 elements of the task, which all are written first.
std::string frame(const std::string& body) {
  return R"(kernel program p {
  buffer y: f32[128] readwrite
  buffer z: f32[128] readwrite
  kernel p tasks(%t: 2) group 64 of 32 {
    alloc a: f32[64] shared
    alloc b: f32[64] shared
    alloc c: f32[64] shared
    %w: i64 = worker
    %lane: i64 = lane
    %g: i64 = subgroup
    %0: i64 = const 0
    %1: i64 = const 1
    %2: i64 = const 2
    %3: i64 = const 3
    %8: i64 = const 8
    %32: i64 = const 32
    %63: i64 = const 63
    %64: i64 = const 64
    %v: f32 = const 1.0
    %base: i64 = mul %t, %64
    %first: i1 = eq %w, %0
    %low: i1 = lt %w, %32
    %early: i1 = eq %t, %0
    %back: i64 = sub %63, %w
    %half: i64 = mul %g, %32
    %turned: i64 = xor %lane, %1
    %near: i64 = add %half, %turned
    store a[%w] = %v
    store b[%w] = %v
    store c[%w] = %v
    fence 900 user group orders shared device
)" + body +
         "\n}\n}\n";
}

/// Writes statements; names are never used twice.
class Writer {
 public:
  explicit Writer(Chance& chance) : chance_(chance) {}

  /// An index expression of a pattern, computed in front; the place in a buffer is that of the task.
  std::string index(std::size_t object, const std::string& pattern) {
    if (object < kShared) return pattern;
    const std::string name = fresh();
    text += fmt::format("{}: i64 = add %base, {}\n", name, pattern);
    return name;
  }
  void load(std::size_t object, const std::string& pattern) {
    const std::string at = index(object, pattern);
    text += fmt::format("{}: f32 = load {}[{}]\n", fresh(), kObjects[object], at);
  }
  void store(std::size_t object, const std::string& pattern) {
    const std::string at = index(object, pattern);
    text += fmt::format("store {}[{}] = %v\n", kObjects[object], at);
  }
  std::string fresh() { return fmt::format("%n{}", names_++); }
  std::string fence(const char* words = "compiler group orders shared device") {
    return fmt::format("fence {} {}\n", fences_++, words);
  }
  std::string any_pattern() {
    static const char* const kPatterns[] = {"%w", "%w", "%back", "%near", "%lane", "%0"};
    return chance_.of(kPatterns);
  }

  std::string text;

 private:
  Chance& chance_;
  int names_ = 0;
  int fences_ = 0;
};

struct Statement {
  std::set<std::size_t> reads, writes;
};

/// A statement of the reference: loads anywhere, and one store that different workers make at different places, into
/// an object that it does not read.
Statement reference_statement(Writer& writer, Chance& chance) {
  Statement made;
  for (std::size_t i = chance.below(3); i > 0; --i) {
    const std::size_t object = chance.below(kObjects.size());
    made.reads.insert(object);
    writer.load(object, writer.any_pattern());
  }
  const std::size_t target = chance.below(kObjects.size());
  if (made.reads.contains(target) || chance.one_in(4)) return made;
  made.writes.insert(target);
  if (chance.one_in(5)) {
    writer.text += "if %first {\n";
    writer.store(target, "%0");
    writer.text += "}\n";
  } else {
    writer.store(target, chance.one_in(2) ? "%w" : "%back");
  }
  return made;
}

/// Objects by the classes of the rule: buffers are one.
std::size_t class_of(std::size_t object) { return std::min(object, kShared); }
bool meets(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  for (std::size_t x : a)
    for (std::size_t y : b)
      if (class_of(x) == class_of(y)) return true;
  return false;
}

/// The rule on plain lists: which fences stay, fence i standing behind statement i. The objects were written in front,
/// but a fence of the user follows.
std::vector<std::uint32_t> kept_by_rule(const std::vector<Statement>& statements) {
  std::vector<std::uint32_t> kept;
  Statement pending;
  bool behind_user_fence = true;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    pending.reads.insert(statements[i].reads.begin(), statements[i].reads.end());
    pending.writes.insert(statements[i].writes.begin(), statements[i].writes.end());
    const bool last = i + 1 == statements.size();
    const Statement next = last ? Statement{} : statements[i + 1];
    const bool conflict =
        meets(pending.writes, next.reads) || meets(pending.writes, next.writes) || meets(pending.reads, next.writes);
    if (!last && !conflict && !behind_user_fence) continue;
    kept.push_back(static_cast<std::uint32_t>(i));
    pending = {};
    behind_user_fence = false;
  }
  return kept;
}

KernelRequest apart() {
  KernelRequest request;
  request.premises.distinct_buffers = proof::Premise{proof::Guarantor::Launch, "no two buffers overlap"};
  return request;
}

TEST(SyncRandom, CoalescedSequencesFollowTheRuleAndStayInOrder) {
  int dropped = 0;
  for (int seed = 0; seed < case_count(400); ++seed) {
    Chance chance(static_cast<std::uint64_t>(seed));
    Writer writer(chance);
    std::vector<Statement> statements;
    for (std::size_t i = 2 + chance.below(8); i > 0; --i) {
      statements.push_back(reference_statement(writer, chance));
      writer.text += writer.fence();
    }
    const kernel::Program program = kernel_of(frame(writer.text));
    ASSERT_TRUE(races(program).empty()) << seed << writer.text << render(races(program));
    const auto made = synchronize(program, {{apart()}});
    ASSERT_TRUE(made) << seed << render(made.error()) << writer.text;
    ASSERT_EQ(identities(made->program), kept_by_rule(statements)) << seed << writer.text;
    ASSERT_TRUE(races(made->program).empty()) << seed << writer.text << render(races(made->program));
    ASSERT_EQ(outcome(made->program), outcome(program)) << seed << writer.text;
    dropped += static_cast<int>(made->facts[0].sites_before - made->facts[0].sites_after);
  }
  EXPECT_GT(dropped, 0);
}

/// Reference statements under loops and branches of all workers.
void reference_block(Writer& writer, Chance& chance, int depth) {
  for (std::size_t i = 1 + chance.below(3); i > 0; --i) {
    const std::size_t form = depth == 0 ? 0 : chance.below(5);
    if (form == 1) {
      writer.text += fmt::format("loop {} = %0 to {} step 1 {{\n", writer.fresh(), chance.one_in(3) ? "%t" : "%2");
      reference_block(writer, chance, depth - 1);
      writer.text += "}\n";
    } else if (form == 2) {
      writer.text += "if %early {\n";
      reference_block(writer, chance, depth - 1);
      writer.text += "} else {\n";
      if (chance.one_in(2)) reference_block(writer, chance, depth - 1);
      writer.text += "}\n";
    } else {
      reference_statement(writer, chance);
      writer.text += writer.fence();
    }
  }
}

TEST(SyncRandom, CoalescedRegionsStayInOrder) {
  std::int64_t before = 0, after = 0;
  for (int seed = 0; seed < case_count(400); ++seed) {
    Chance chance(1'000'000 + static_cast<std::uint64_t>(seed));
    Writer writer(chance);
    reference_block(writer, chance, 3);
    const kernel::Program program = kernel_of(frame(writer.text));
    ASSERT_TRUE(races(program).empty()) << seed << writer.text << render(races(program));
    const auto made = synchronize(program, {{apart()}});
    ASSERT_TRUE(made) << seed << render(made.error()) << writer.text;
    ASSERT_TRUE(races(made->program).empty()) << seed << writer.text << render(races(made->program));
    before += made->facts[0].sites_before, after += made->facts[0].sites_after;
  }
  EXPECT_LT(after, before);
}

/// A store by one subgroup, or a load by all, in one of two slots that take turns from iteration to iteration.
void slot_access(Writer& writer, Chance& chance, std::size_t object, const std::string& index) {
  static const char* const kAhead[] = {"%0", "%1", "%2", "%3"};
  const std::string ahead = writer.fresh(), slot = writer.fresh(), begin = writer.fresh(), at = writer.fresh();
  writer.text +=
      fmt::format("{}: i64 = add {}, {}\n{}: i64 = floormod {}, %2\n", ahead, index, chance.of(kAhead), slot, ahead);
  writer.text += fmt::format("{}: i64 = mul {}, {}\n{}: i64 = add {}, %lane\n", begin, slot,
                             chance.one_in(4) ? "%8" : "%32", at, begin);
  if (chance.one_in(2)) return writer.load(object, at);
  writer.text += "if %low {\n";
  writer.store(object, at);
  writer.text += "}\n";
}

/// A fragment of half an object: that of the subgroup, or the same for both.
void fragment_access(Writer& writer, Chance& chance, std::size_t object) {
  const std::string at = writer.index(object, chance.one_in(3) ? "%0" : "%half");
  const std::string fragment = writer.fresh();
  if (chance.one_in(2)) {
    writer.text += fmt::format("{}: f32.4x8 = fragment_load {}[{}] stride %8\n", fragment, kObjects[object], at);
  } else {
    writer.text += fmt::format("{}: f32.4x8 = fragment_fill %v\n", fragment);
    writer.text += fmt::format("fragment_store {}[{}] stride %8 = {}\n", kObjects[object], at, fragment);
  }
}

/// A domain in chunks of 32, of which each subgroup has its own or all have all.
void chunk_access(Writer& writer, Chance& chance, std::size_t object) {
  const std::string chunk = writer.fresh(), begin = writer.fresh(), at = writer.fresh();
  writer.text += fmt::format("loop {} = {} to %2 step {} {{\n{}: i64 = mul {}, %32\n{}: i64 = add {}, %lane\n", chunk,
                             chance.one_in(2) ? "%0" : "%g", chance.one_in(2) ? 1 : 2, begin, chunk, at, begin);
  if (chance.one_in(2))
    writer.store(object, at);
  else
    writer.load(object, at);
  writer.text += "}\n";
}

/// Anything: accesses of every kind with fences of every kind here and there. together: all workers come here.
void any_block(Writer& writer, Chance& chance, int depth, bool together);

void loop_of_all(Writer& writer, Chance& chance, std::size_t object, int depth, bool together) {
  const std::string index = writer.fresh(), sum = writer.fresh(), at = writer.fresh();
  writer.text += fmt::format("loop {} = %0 to %3 step 1 {{\n", index);
  if (chance.one_in(3)) {
    writer.text += fmt::format("{}: i64 = add %w, {}\n{}: i64 = floormod {}, %64\n", sum, index, at, sum);
    writer.load(object, at);
  }
  for (std::size_t slots = chance.below(4); slots > 1; --slots) slot_access(writer, chance, object, index);
  any_block(writer, chance, depth - 1, together);
  writer.text += "}\n";
}

void branch_of_all(Writer& writer, Chance& chance, int depth, bool together) {
  writer.text += "if %early {\n";
  any_block(writer, chance, depth - 1, together);
  writer.text += "} else {\n";
  if (chance.one_in(2)) any_block(writer, chance, depth - 1, together);
  writer.text += "}\n";
}

void region_of_some(Writer& writer, Chance& chance) {
  if (chance.one_in(2))
    writer.text += chance.one_in(2) ? "if %first {\n" : "if %low {\n";
  else
    writer.text += fmt::format("loop {} = {} to {} step 1 {{\n", writer.fresh(), chance.one_in(2) ? "%w" : "%0",
                               chance.one_in(2) ? "%2" : "%t");
  any_block(writer, chance, 0, false);
  writer.text += "}\n";
}

void any_block(Writer& writer, Chance& chance, int depth, bool together) {
  static const char* const kFences[] = {
      "compiler group orders shared device", "compiler group orders shared device",    "user group orders shared",
      "compiler group orders device",        "compiler subgroup orders shared device", "compiler group"};
  for (std::size_t i = 1 + chance.below(4); i > 0; --i) {
    const std::size_t object = chance.below(kObjects.size()), form = chance.below(depth == 0 ? 6 : 10);
    if (form < 2) writer.load(object, writer.any_pattern());
    if (form == 2) writer.store(object, writer.any_pattern());
    if (form == 3 && together) writer.text += writer.fence(chance.of(kFences));
    if (form == 4 && together) fragment_access(writer, chance, object);
    if (form == 5) chunk_access(writer, chance, object);
    if (form == 6) loop_of_all(writer, chance, object, depth, together);
    if (form == 7) branch_of_all(writer, chance, depth, together);
    if (form > 7) region_of_some(writer, chance);
  }
}

TEST(SyncRandom, TheCheckerMissesNoRace) {
  int raced = 0, doubted = 0, clean = 0;
  for (int seed = 0; seed < case_count(3000); ++seed) {
    Chance chance(2'000'000 + static_cast<std::uint64_t>(seed));
    Writer writer(chance);
    any_block(writer, chance, 2, true);
    const kernel::Program program = kernel_of(frame(writer.text));
    const bool race = !races(program).empty();
    const bool objects = !unordered_accesses(program, 0, {.distinct_buffers = true}).empty();
    ASSERT_TRUE(objects || !race) << seed << writer.text << render(races(program));
    raced += race ? 1 : 0;
    doubted += objects && !race ? 1 : 0;
    clean += objects ? 0 : 1;
  }
  // Doubts are left where conditions of two branches, or of a branch and a loop, exclude each other.
  EXPECT_GT(raced, clean / 4);
  EXPECT_LT(doubted, (raced + clean) / 40);
}

}  // namespace
}  // namespace tilewright::sync::random_test
