// The rules of atoms over all small shapes, against statements of their own; limits of groups at their boundaries.
#include "target/atom_legality.h"

#include <limits>

#include "target/group_limits.h"
#include "target/shipped.h"

namespace tilewright::target::legality_test {
namespace {

AtomShape tile(std::int64_t m, std::int64_t n, std::int64_t k, bool static_k = true) {
  return {m, n, k, static_k, AtomScope::Subgroup, 1, 1};
}

/// The rule of the headers as a table of residues, not as the loader and why_illegal state it.
bool mpp_takes(std::int64_t m, std::int64_t n) {
  const auto eighths = [](std::int64_t x) { return (x & 7) == 0 ? x >> 3 : 0; };
  const std::int64_t rows = eighths(m), columns = eighths(n);
  return rows != 0 && columns != 0 && ((rows & 1) == 0 || (columns & 1) == 0);
}

TEST(Mpp, ExtentsOverAllSmallShapes) {
  const AtomDescriptor atom = shipped_atom("metal.mpp");
  int legal = 0;
  for (std::int64_t m = 1; m <= 64; ++m)
    for (std::int64_t n = 1; n <= 64; ++n) {
      const auto refusal = why_illegal(atom, tile(m, n, 16));
      ASSERT_EQ(!refusal, mpp_takes(m, n)) << m << " " << n;
      legal += refusal ? 0 : 1;
      if (!refusal) continue;
      const AtomRule rule = m % 8 != 0   ? AtomRule::RowExtent
                            : n % 8 != 0 ? AtomRule::ColumnExtent
                                         : AtomRule::EitherExtent;
      EXPECT_EQ(refusal->rule, rule) << refusal->reason;
      for (const NamedNumber& number : refusal->numbers)
        EXPECT_NE(refusal->reason.find(std::to_string(number.value)), std::string::npos)
            << number.name << " in " << refusal->reason;
    }
  EXPECT_EQ(legal, 8 * 8 - 4 * 4);
}

TEST(Mpp, ContractionIsStaticBySixteenOrAnArgument) {
  const AtomDescriptor atom = shipped_atom("metal.mpp");
  for (std::int64_t k = 1; k <= 130; ++k) {
    EXPECT_EQ(!why_illegal(atom, tile(16, 8, k)), k % 16 == 0) << k;
    EXPECT_FALSE(why_illegal(atom, tile(16, 8, k, false))) << k;
  }
  const auto refusal = why_illegal(atom, tile(16, 16, 24));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "static k = 24: metal.mpp takes multiples of 16; as an argument k may be any");
  EXPECT_EQ(atom_rule_name(refusal->rule), "static_k");
  EXPECT_EQ(refusal->numbers[0], (NamedNumber{"k", 24}));
}

TEST(Mpp, OneSubgroupOrAllOfTheGroup) {
  const AtomDescriptor atom = shipped_atom("metal.mpp");
  for (AtomScope scope : {AtomScope::Worker, AtomScope::Subgroup, AtomScope::Subgroups, AtomScope::Group})
    for (std::int64_t group = 1; group <= 8; ++group)
      for (std::int64_t subgroups = 1; subgroups <= 9; ++subgroups) {
        const auto refusal = why_illegal(atom, {16, 16, 16, true, scope, subgroups, group});
        const bool one = scope == AtomScope::Subgroup && subgroups == 1;
        const bool all = scope == AtomScope::Group && subgroups == group;
        ASSERT_EQ(!refusal, one || all) << subgroups << " of " << group;
        if (!refusal) continue;
        const bool known = scope == AtomScope::Subgroup || scope == AtomScope::Group;
        EXPECT_EQ(refusal->rule, known ? AtomRule::Participants : AtomRule::Scope);
        EXPECT_NE(refusal->reason.find("one subgroup or all subgroups of the group"), std::string::npos);
      }
}

TEST(Mpp, RefusalsNameTheRule) {
  const AtomDescriptor atom = shipped_atom("metal.mpp");
  EXPECT_EQ(why_illegal(atom, tile(8, 8, 16))->reason,
            "m = 8 and n = 8: metal.mpp takes no pair in which neither is a multiple of 16");
  EXPECT_EQ(why_illegal(atom, tile(2, 16, 16))->reason, "m = 2: metal.mpp takes multiples of 8");
  EXPECT_EQ(why_illegal(atom, tile(16, 3, 16))->reason, "n = 3: metal.mpp takes multiples of 8");
  for (std::int64_t bad : {std::int64_t{0}, std::int64_t{-16}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(why_illegal(atom, tile(bad, 16, 16))->rule, AtomRule::Positive);
    EXPECT_EQ(why_illegal(atom, tile(16, bad, 16))->rule, AtomRule::Positive);
    EXPECT_EQ(why_illegal(atom, tile(16, 16, bad, false))->rule, AtomRule::Positive);
    EXPECT_EQ(why_illegal(atom, {16, 16, 16, true, AtomScope::Group, bad, bad})->rule, AtomRule::Positive);
  }
}

TEST(Mpp, ElementsStorageAndModes) {
  const AtomDescriptor atom = shipped_atom("metal.mpp");
  using enum DataType;
  EXPECT_FALSE(why_elements_illegal(atom, {BF16, F16, F32}));
  EXPECT_EQ(why_elements_illegal(atom, {F16, F16, F16})->rule, AtomRule::Elements);
  EXPECT_NE(why_elements_illegal(atom, {I32, I32, I32})->reason.find("i8 x i8 -> i32"), std::string::npos);
  using enum AtomStorage;
  EXPECT_FALSE(why_operand_illegal(atom, Device));
  EXPECT_FALSE(why_operand_illegal(atom, Shared));
  EXPECT_EQ(why_operand_illegal(atom, Fragment)->rule, AtomRule::OperandStorage);
  EXPECT_EQ(why_operand_illegal(atom, Device, Shared)->rule, AtomRule::LoadStorage);
  EXPECT_FALSE(why_result_illegal(atom, Cooperative));
  EXPECT_EQ(why_result_illegal(atom, Device)->rule, AtomRule::ResultStorage);
  EXPECT_FALSE(why_mode_illegal(atom, AtomMode::Multiply));
  const AtomDescriptor ffma = shipped_atom("cuda.ffma");
  EXPECT_EQ(why_mode_illegal(ffma, AtomMode::Multiply)->rule, AtomRule::Mode);
}

TEST(Simdgroup, ExactlyEightByEightByEight) {
  const AtomDescriptor atom = shipped_atom("metal.simdgroup8x8");
  for (std::int64_t m = 1; m <= 17; ++m)
    for (std::int64_t n = 1; n <= 17; ++n)
      for (std::int64_t k = 1; k <= 17; ++k)
        ASSERT_EQ(!why_illegal(atom, tile(m, n, k)), m == 8 && n == 8 && k == 8) << m << " " << n << " " << k;
  EXPECT_EQ(why_illegal(atom, tile(16, 8, 8))->reason, "m = 16: metal.simdgroup8x8 takes exactly 8");
  EXPECT_EQ(why_illegal(atom, tile(8, 8, 8, false))->rule, AtomRule::DynamicK);
  EXPECT_EQ(why_illegal(atom, {8, 8, 8, true, AtomScope::Group, 2, 2})->rule, AtomRule::Scope);
  EXPECT_FALSE(why_illegal(atom, {8, 8, 8, true, AtomScope::Subgroup, 1, 32}));
  using enum AtomStorage;
  EXPECT_FALSE(why_operand_illegal(atom, Fragment, Device));
  EXPECT_FALSE(why_operand_illegal(atom, Fragment, Shared));
  EXPECT_EQ(why_operand_illegal(atom, Fragment, Private)->rule, AtomRule::LoadStorage);
  EXPECT_EQ(why_operand_illegal(atom, Device)->rule, AtomRule::OperandStorage);
}

TEST(OtherAtoms, TheirExtents) {
  const AtomDescriptor vector = shipped_atom("cpu.vector");
  for (std::int64_t rows = 1; rows <= 20; ++rows)
    for (std::int64_t vectors = 1; vectors <= 6; ++vectors)
      EXPECT_EQ(!why_illegal(vector, {rows, vectors, 77, false, AtomScope::Worker, 1, 1}), rows <= 16 && vectors <= 4);
  EXPECT_EQ(why_illegal(vector, {6, 5, 7, false, AtomScope::Worker, 1, 1})->reason,
            "n = 5 vectors: cpu.vector takes any up to 4");
  EXPECT_EQ(why_illegal(vector, {6, 4, 7, true, AtomScope::Worker, 1, 1})->rule, AtomRule::StaticK);
  const AtomDescriptor wgmma = shipped_atom("cuda.wgmma");
  for (std::int64_t n = 1; n <= 300; ++n)
    EXPECT_EQ(!why_illegal(wgmma, {64, n, 16, true, AtomScope::Subgroups, 4, 8}), n % 8 == 0 && n <= 256) << n;
  EXPECT_EQ(why_illegal(wgmma, {64, 8, 16, true, AtomScope::Subgroups, 3, 8})->rule, AtomRule::Participants);
  EXPECT_EQ(why_illegal(wgmma, {64, 8, 16, true, AtomScope::Subgroups, 4, 3})->rule, AtomRule::Participants);
  EXPECT_EQ(wgmma.completion, AtomCompletion::Asynchronous);
  EXPECT_FALSE(why_illegal(shipped_atom("scalar"), {1, 1, 1, true, AtomScope::Worker, 1, 1}));
}

TEST(OnDevice, MissingCapabilityAndKind) {
  const AtomDescriptor mpp = shipped_atom("metal.mpp");
  DeviceProfile m1 = shipped_profile("apple-m1");
  EXPECT_FALSE(why_illegal_on(m1, mpp, tile(16, 16, 64)));
  EXPECT_EQ(why_illegal_on(m1, mpp, tile(8, 8, 64))->rule, AtomRule::EitherExtent);
  EXPECT_EQ(why_unavailable(shipped_profile("generic-metal"), mpp)->rule, AtomRule::Listed);
  EXPECT_EQ(why_unavailable(m1, shipped_atom("cuda.ffma"))->rule, AtomRule::Listed);
  m1.capabilities[Capability::MetalMpp].version = 1;
  const auto older = why_unavailable(m1, mpp);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->reason, "metal.mpp needs metal_mpp version 2, and apple-m1 has version 1");
  m1.capabilities.erase(Capability::MetalMpp);
  EXPECT_EQ(why_unavailable(m1, mpp)->reason, "metal.mpp needs metal_mpp version 2, and apple-m1 has none");
  m1.limits.subgroup_size->value = 16;
  EXPECT_EQ(why_unavailable(m1, mpp)->rule, AtomRule::SubgroupSize);
  m1.atoms.push_back(shipped_atom("cuda.ffma"));
  EXPECT_EQ(why_unavailable(m1, m1.atoms.back())->rule, AtomRule::Target);
}

TEST(OnDevice, GroupsFitTheDevice) {
  const AtomDescriptor mpp = shipped_atom("metal.mpp");
  const DeviceProfile m1 = shipped_profile("apple-m1");
  const auto in_group = [&](std::int64_t subgroups) {
    return why_illegal_on(m1, mpp, {16, 16, 64, true, AtomScope::Group, subgroups, subgroups});
  };
  EXPECT_FALSE(in_group(32));
  EXPECT_EQ(in_group(33)->rule, AtomRule::GroupSize);
  EXPECT_EQ(in_group(std::numeric_limits<std::int64_t>::max())->rule, AtomRule::GroupSize);
}

TEST(OnDevice, StaticKMeetsItsHazard) {
  const AtomDescriptor mpp = shipped_atom("metal.mpp");
  DeviceProfile m1 = shipped_profile("apple-m1");
  for (std::int64_t k = 16; k <= 256; k += 16) {
    EXPECT_EQ(!why_illegal_on(m1, mpp, tile(16, 16, k)), k % 32 == 0) << k;
    EXPECT_FALSE(why_illegal_on(m1, mpp, tile(16, 16, k, false)));
  }
  EXPECT_EQ(why_illegal_on(m1, mpp, tile(16, 16, 48))->rule, AtomRule::KnownHazard);
  EXPECT_NE(why_illegal_on(m1, mpp, tile(16, 16, 48))->reason.find("static_k_truncated"), std::string::npos);
  EXPECT_FALSE(why_illegal_on(m1, shipped_atom("metal.simdgroup8x8"), tile(8, 8, 8)));
  m1.hazards.erase(Hazard::StaticKTruncated);
  EXPECT_FALSE(why_illegal_on(m1, mpp, tile(16, 16, 48)));
}

TEST(GroupLimits, SharedMemoryIsChargedInGranules) {
  const DeviceProfile m1 = shipped_profile("apple-m1");
  for (std::int64_t bytes = 0; bytes <= 100; ++bytes) {
    const auto charged = charged_shared_bytes(m1, bytes);
    ASSERT_TRUE(charged);
    EXPECT_TRUE(*charged % 16 == 0 && *charged >= bytes && *charged < bytes + 16) << bytes;
  }
  EXPECT_EQ(charged_shared_bytes(m1, 140), 144);
  EXPECT_FALSE(charged_shared_bytes(m1, -1));
  EXPECT_FALSE(charged_shared_bytes(m1, std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(why_group_illegal(m1, 1024, 32768));
  const auto over = why_group_illegal(m1, 128, 32769);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->rule, GroupRule::SharedMemory);
  EXPECT_EQ(over->reason, "a group with 32769 bytes of shared memory (32784 rounded up): apple-m1 has 32768");
  EXPECT_EQ(why_group_illegal(m1, 128, -1)->rule, GroupRule::SharedMemory);
  EXPECT_EQ(why_group_illegal(m1, 128, std::numeric_limits<std::int64_t>::max())->rule, GroupRule::SharedMemory);
  const DeviceProfile h200 = shipped_profile("h200");
  EXPECT_FALSE(why_group_illegal(h200, 384, 232448));
  EXPECT_TRUE(why_group_illegal(h200, 384, 232449));
}

TEST(GroupLimits, WorkersAtTheBoundary) {
  DeviceProfile device = shipped_profile("apple-m1");
  for (std::int64_t limit : {31, 512, 896, 1024}) {
    device.limits.max_threads_per_group->value = limit;
    EXPECT_FALSE(why_group_illegal(device, limit, 0));
    EXPECT_EQ(why_group_illegal(device, limit + 1, 0)->rule, GroupRule::Workers);
    EXPECT_EQ(why_group_illegal(device, 0, 0)->rule, GroupRule::Workers);
  }
  const DeviceProfile host = shipped_profile("host-cpu");
  EXPECT_FALSE(why_group_illegal(host, 1, 0));
  EXPECT_EQ(group_rule_name(why_group_illegal(host, 2, 0)->rule), "workers");
  EXPECT_EQ(group_rule_name(why_group_illegal(host, 1, 1)->rule), "shared_memory");
}

TEST(Refusals, EveryRuleHasItsOwnName) {
  std::vector<std::string_view> names;
  for (int rule = 0; rule <= static_cast<int>(AtomRule::KnownHazard); ++rule)
    names.push_back(atom_rule_name(static_cast<AtomRule>(rule)));
  EXPECT_EQ(names.front(), "listed");
  EXPECT_EQ(names.back(), "known_hazard");
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace tilewright::target::legality_test
