#include "runtime/msl_emulator/runner/shadow.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tilewright::msl_emulator::runner {
namespace {

enum class Kind { Read, Write, AtomicRead, AtomicWrite };
constexpr std::array kKinds{Kind::Read, Kind::Write, Kind::AtomicRead, Kind::AtomicWrite};

bool writes(Kind kind) { return kind == Kind::Write || kind == Kind::AtomicWrite; }
bool atomic(Kind kind) { return kind == Kind::AtomicRead || kind == Kind::AtomicWrite; }

struct Sink {
  bool read_unwritten = false;
  std::vector<Verdict> verdicts;
  std::uint32_t first_writes = 0, first_reads = 0;

  void conflict(Stamp, Site, bool, Verdict verdict) { verdicts.push_back(verdict); }
  void first_write() { ++first_writes; }
  void first_read() { ++first_reads; }
  void uninitialized() { read_unwritten = true; }
};

/// One granule, and groups of two SIMD groups that run one after the other.
template <Memory kMemory, class Mode>
class Granule {
 public:
  Granule() { start_group(); }

  void start_group() {
    group_.start_group();
    subgroups_ = {};
  }
  void group_barrier(bool device, bool threadgroup) { group_.pass_barrier(device, threadgroup); }
  void subgroup_barrier(std::uint32_t subgroup, bool device, bool threadgroup) {
    subgroups_[subgroup].pass_barrier(device, threadgroup);
  }

  Sink access(Kind kind, std::uint32_t subgroup, std::uint32_t lane, bool needs_write = false) {
    const SubgroupClock& clock = subgroup < subgroups_.size() ? subgroups_[subgroup] : none_;
    Actor actor{make_stamp(group_.now, clock.epoch, who_of(subgroup, lane)), &group_, &clock};
    if (atomic(kind)) actor.self |= kAtomic;
    Sink sink;
    Shadow<kMemory, Mode, Sink> shadow(actor, 1, needs_write, sink);
    const Cell cell{stamps_.data(), sites_.data()};
    if (kind == Kind::Write)
      shadow.template write<false>(cell);
    else if (kind == Kind::AtomicWrite)
      shadow.template write<true>(cell);
    else
      shadow.read(cell);
    return sink;
  }

 private:
  GroupClock group_;
  std::array<SubgroupClock, 4> subgroups_{};
  SubgroupClock none_;
  std::array<Stamp, 3> stamps_{};
  std::array<Site, 3> sites_{};
};

struct Between {
  std::string name;
  int barrier = 0;  ///< 0 none, 1 simdgroup_barrier of SIMD group 0, 2 threadgroup_barrier
  bool device = false, threadgroup = false;
};
const std::vector<Between> kBetween{
    {"nothing"},
    {"simdgroup_barrier none", 1, false, false},
    {"simdgroup_barrier device", 1, true, false},
    {"simdgroup_barrier threadgroup", 1, false, true},
    {"threadgroup_barrier none", 2, false, false},
    {"threadgroup_barrier device", 2, true, false},
    {"threadgroup_barrier threadgroup", 2, false, true},
    {"threadgroup_barrier both", 2, true, true},
};

struct Second {
  std::string name;
  std::uint32_t subgroup = 0, lane = 0;
  bool other_group = false;
};
const std::vector<Second> kSecond{
    {"same lane", 0, 3},
    {"same SIMD group", 0, 4},
    {"other SIMD group", 1, 3},
    {"other group, same indices", 0, 3, true},
};

/// What the rules of Metal say of two accesses, written down without stamps.
std::optional<Verdict> expected(Kind first, Kind second, const Between& between, const Second& who, Memory memory) {
  if ((!writes(first) && !writes(second)) || (atomic(first) && atomic(second))) return std::nullopt;
  if (who.other_group) {
    if (memory == ThreadgroupMemory) return std::nullopt;
    return Verdict::OtherGroupRace;
  }
  if (who.subgroup == 0 && who.lane == 3) return std::nullopt;
  const bool names = memory == DeviceMemory ? between.device : between.threadgroup;
  const bool reaches = between.barrier == 2 || (between.barrier == 1 && who.subgroup == 0);
  if (!reaches) return Verdict::Race;
  // What was read before a barrier of any flags may be written after it.
  if (names || !writes(first)) return std::nullopt;
  return between.barrier == 2 ? Verdict::WrongGroupFence : Verdict::WrongSubgroupFence;
}

template <Memory kMemory, class Mode>
void check_all_pairs() {
  for (const Kind first : kKinds)
    for (const Kind second : kKinds)
      for (const Between& between : kBetween)
        for (const Second& who : kSecond) {
          Granule<kMemory, Mode> granule;
          EXPECT_TRUE(granule.access(first, 0, 3).verdicts.empty());
          if (between.barrier == 1) granule.subgroup_barrier(0, between.device, between.threadgroup);
          if (between.barrier == 2) granule.group_barrier(between.device, between.threadgroup);
          if (who.other_group) granule.start_group();
          const Sink found = granule.access(second, who.subgroup, who.lane);
          const auto verdict = expected(first, second, between, who, kMemory);
          const std::string text = "first " + std::to_string(static_cast<int>(first)) + ", then " +
                                   std::to_string(static_cast<int>(second)) + ", " + between.name + ", " + who.name;
          if (verdict) {
            ASSERT_EQ(found.verdicts.size(), 1u) << text;
            EXPECT_EQ(found.verdicts[0], *verdict) << text;
          } else {
            EXPECT_TRUE(found.verdicts.empty()) << text;
          }
        }
}

TEST(Shadow, EveryPairOfAccesses) {
  check_all_pairs<DeviceMemory, OneWorker>();
  check_all_pairs<DeviceMemory, SeveralWorkers>();
  check_all_pairs<ThreadgroupMemory, OneWorker>();
}

/// Any number of readers in any order: the writer that follows conflicts with one of them unless all are itself, in an
/// earlier epoch of its SIMD group, or collectives of its SIMD group.
TEST(Shadow, NoReaderIsForgottenThatMatters) {
  const std::vector<std::array<std::uint32_t, 2>> lanes{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, kWholeSubgroup}};
  const std::uint32_t count = static_cast<std::uint32_t>(lanes.size());
  for (std::uint32_t a = 0; a < count; ++a)
    for (std::uint32_t b = 0; b < count; ++b)
      for (std::uint32_t c = 0; c < count; ++c)
        for (std::uint32_t d = 0; d < count; ++d)
          for (std::uint32_t writer = 0; writer < count; ++writer)
            for (std::uint32_t barrier_after = 0; barrier_after <= 4; ++barrier_after) {
              Granule<ThreadgroupMemory, OneWorker> granule;
              granule.access(Kind::Write, 0, 0);
              granule.group_barrier(false, true);
              bool must_conflict = false;
              const std::array readers{a, b, c, d};
              for (std::uint32_t i = 0; i < 4; ++i) {
                if (i == barrier_after) granule.subgroup_barrier(0, false, true);
                EXPECT_TRUE(granule.access(Kind::Read, lanes[readers[i]][0], lanes[readers[i]][1]).verdicts.empty());
                const bool epoch = i < barrier_after && barrier_after < 4 && lanes[readers[i]][0] == 0;
                const bool collective = lanes[readers[i]][1] == kWholeSubgroup;
                const bool ordered = (epoch || collective) && lanes[readers[i]][0] == lanes[writer][0];
                must_conflict = must_conflict || (readers[i] != writer && !ordered);
              }
              const Sink found = granule.access(Kind::Write, lanes[writer][0], lanes[writer][1]);
              EXPECT_EQ(!found.verdicts.empty(), must_conflict)
                  << a << b << c << d << " writer " << writer << " barrier " << barrier_after;
            }
}

TEST(Shadow, ReadersOfDifferentGroups) {
  for (const bool third_group_writes : {false, true}) {
    Granule<DeviceMemory, OneWorker> granule;
    granule.access(Kind::Read, 0, 0);
    granule.access(Kind::Read, 0, 1);
    granule.access(Kind::Read, 1, 0);
    granule.start_group();
    granule.access(Kind::Read, 0, 0);
    granule.group_barrier(true, true);
    if (third_group_writes) granule.start_group();
    const Sink found = granule.access(Kind::Write, 0, 0);
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts[0], Verdict::OtherGroupRace);
  }
}

TEST(Shadow, AtomicsOfSeveralThreadsConflictWithEachPlainAccess) {
  Granule<DeviceMemory, OneWorker> granule;
  granule.access(Kind::AtomicWrite, 0, 0);
  EXPECT_TRUE(granule.access(Kind::AtomicWrite, 0, 1).verdicts.empty());
  EXPECT_EQ(granule.access(Kind::Read, 0, 1).verdicts, std::vector{Verdict::Race});

  Granule<DeviceMemory, OneWorker> groups;
  groups.access(Kind::AtomicWrite, 0, 0);
  groups.start_group();
  EXPECT_TRUE(groups.access(Kind::AtomicWrite, 0, 0).verdicts.empty());
  groups.group_barrier(true, true);
  EXPECT_EQ(groups.access(Kind::Read, 0, 0).verdicts, std::vector{Verdict::OtherGroupRace});
}

TEST(Shadow, PlainWriteIsNotHiddenByAnAtomicOfTheSameThread) {
  Granule<ThreadgroupMemory, OneWorker> granule;
  granule.access(Kind::Write, 0, 0);
  granule.access(Kind::AtomicWrite, 0, 0);
  EXPECT_EQ(granule.access(Kind::AtomicWrite, 0, 1).verdicts, std::vector{Verdict::Race});
}

TEST(Shadow, ThreadgroupMemoryIsUnwrittenInEachGroup) {
  Granule<ThreadgroupMemory, OneWorker> granule;
  EXPECT_TRUE(granule.access(Kind::Read, 0, 0, true).read_unwritten);
  granule.access(Kind::Write, 0, 0);
  EXPECT_FALSE(granule.access(Kind::Read, 0, 0, true).read_unwritten);
  granule.start_group();
  EXPECT_TRUE(granule.access(Kind::Read, 0, 0, true).read_unwritten);
  EXPECT_TRUE(granule.access(Kind::AtomicWrite, 0, 0, true).read_unwritten);
  EXPECT_FALSE(granule.access(Kind::AtomicWrite, 0, 0, true).read_unwritten);
}

TEST(Shadow, FirstAccessesOfTheLaunchAreCountedOnce) {
  Granule<DeviceMemory, SeveralWorkers> granule;
  EXPECT_EQ(granule.access(Kind::Read, 0, 0).first_reads, 1u);
  EXPECT_EQ(granule.access(Kind::Read, 1, 0).first_reads, 0u);
  EXPECT_EQ(granule.access(Kind::Write, 0, 0).first_writes, 1u);
  EXPECT_EQ(granule.access(Kind::Write, 0, 0).first_writes, 0u);
  granule.start_group();
  EXPECT_EQ(granule.access(Kind::Read, 0, 0).first_reads, 0u);
}

TEST(Shadow, CollectivesActForTheirWholeScope) {
  Granule<ThreadgroupMemory, OneWorker> granule;
  granule.access(Kind::Read, 0, kWholeSubgroup);
  EXPECT_EQ(granule.access(Kind::Write, 1, 5).verdicts, std::vector{Verdict::Race});
  granule.group_barrier(false, true);
  granule.access(Kind::Read, 0, kWholeSubgroup);
  EXPECT_TRUE(granule.access(Kind::Write, 0, 5).verdicts.empty());
  // The lane that stored need not be the one that the collective reads with.
  EXPECT_EQ(granule.access(Kind::Read, 0, kWholeSubgroup).verdicts, std::vector{Verdict::Race});
  granule.subgroup_barrier(0, false, true);
  EXPECT_TRUE(granule.access(Kind::Read, 0, kWholeSubgroup).verdicts.empty());
  EXPECT_EQ(granule.access(Kind::Read, kWholeGroup, kWholeSubgroup).verdicts, std::vector{Verdict::Race});
  granule.group_barrier(false, true);
  EXPECT_TRUE(granule.access(Kind::Read, kWholeGroup, kWholeSubgroup).verdicts.empty());
}

TEST(Shadow, CellsAreSmall) { EXPECT_EQ(3 * sizeof(Stamp) + 3 * sizeof(Site), 30u); }

}  // namespace
}  // namespace tilewright::msl_emulator::runner
