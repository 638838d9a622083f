// Every shipped profile and atom loads, is consistent, and is told in full by the docs.
#include "target/shipped.h"

#include <set>

#include "driver/faults.h"
#include "target/atom_legality.h"
#include "target/figure_table.h"
#include "target/group_limits.h"
#include "target/profile_text.h"

namespace tilewright::target::shipped_test {
namespace {

std::vector<DeviceProfile> all_profiles() {
  std::vector<DeviceProfile> profiles;
  for (const auto& [name, text] : shipped().profiles) profiles.push_back(shipped_profile(name));
  return profiles;
}

TEST(Shipped, TheWholeListIsThere) {
  std::vector<std::string> names;
  for (const auto& [name, text] : shipped().profiles) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"apple-m1", "apple-m1-max", "apple-m1-pro", "apple-m2", "apple-m2-max",
                                             "apple-m2-pro", "apple-m3", "apple-m3-max", "apple-m3-pro", "apple-m4",
                                             "apple-m4-max", "apple-m4-pro", "apple-m5", "apple-m5-pro",
                                             "generic-metal", "generic-metal4", "h200", "host-cpu"}));
  names.clear();
  for (const auto& [name, text] : shipped().atoms) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"cpu.vector", "cuda.ffma", "cuda.wgmma", "metal.mpp", "metal.simdgroup8x8",
                                             "scalar"}));
}

TEST(Shipped, EveryProfileIsConsistent) {
  for (const DeviceProfile& device : all_profiles()) {
    SCOPED_TRACE(device.name);
    EXPECT_NE(find_atom(device, "scalar"), nullptr);
    for (const AtomDescriptor& atom : device.atoms) EXPECT_FALSE(why_unavailable(device, atom)) << atom.name;
    for (const FigureInfo& info : figure_table()) {
      const auto& figure = info.of(device);
      if (!figure) continue;
      EXPECT_GE(figure->value, info.least) << info.name;
      EXPECT_LE(figure->value, info.greatest) << info.name;
      EXPECT_NE(figure->source, "") << info.name;
      EXPECT_NE(figure->evidence, Evidence::Detected) << info.name;
    }
    // A limit decides what is legal: nobody's judgement.
    for (const FigureInfo& info : figure_table()) {
      if (info.section != FigureSection::Limits || !info.of(device)) continue;
      EXPECT_EQ(info.of(device)->evidence, Evidence::Specified) << info.name;
    }
    if (device.kind == DeviceKind::Cpu) continue;
    EXPECT_EQ(max_group_workers(device) % device.limits.subgroup_size->value, 0);
    const auto& per_core = device.figures.shared_memory_bytes_per_core;
    EXPECT_TRUE(!per_core || per_core->value >= max_group_shared_bytes(device));
  }
}

TEST(Shipped, PeaksAgreeWithTheirFactors) {
  int compared = 0;
  for (const DeviceProfile& device : all_profiles()) {
    const DeviceFigures& f = device.figures;
    const auto at_most = [](const std::optional<Figure>& measured, const std::optional<Figure>& peak) {
      return !measured || !peak || measured->value <= peak->value;
    };
    EXPECT_TRUE(at_most(f.fp32_measured_gflops, f.fp32_gflops)) << device.name;
    EXPECT_TRUE(at_most(f.memory_measured_mb_per_s, f.memory_bandwidth_mb_per_s)) << device.name;
    if (!f.fp32_gflops || !f.cores || !f.clock_mhz || !f.fp32_flops_per_core_cycle) continue;
    ++compared;
    const std::int64_t product = f.cores->value * f.clock_mhz->value * f.fp32_flops_per_core_cycle->value / 1000;
    EXPECT_LE(std::abs(product - f.fp32_gflops->value) * 100, product) << device.name;
  }
  EXPECT_EQ(compared, 7);  // M1, M2 and H200
}

TEST(Shipped, PrintedProfilesLoadBack) {
  for (const DeviceProfile& device : all_profiles()) {
    const auto back = load_profile(shipped(), DataText{"printed", print_profile(device)});
    ASSERT_TRUE(back) << render(back.error());
    EXPECT_EQ(*back, device) << device.name;
    EXPECT_EQ(print_profile(*back), print_profile(device));
  }
}

TEST(Shipped, TheMetalLimitsStandOnceAndReachEveryChip) {
  for (const DeviceProfile& device : all_profiles()) {
    if (device.kind != DeviceKind::Metal) continue;
    EXPECT_EQ(device.limits, shipped_profile("generic-metal").limits) << device.name;
    EXPECT_EQ(max_group_workers(device), 1024);
    EXPECT_EQ(max_group_shared_bytes(device), 32768);
    const bool tensors = device.name != "generic-metal";
    EXPECT_EQ(find_atom(device, "metal.mpp") != nullptr, tensors) << device.name;
    EXPECT_EQ(capability_version(device, Capability::MetalMpp), tensors ? 2 : 0);
    EXPECT_EQ(has_hazard(device, Hazard::StaticKTruncated), tensors);
    EXPECT_TRUE(has_capability(device, Capability::CooperativeMatrix));
    EXPECT_TRUE(has_hazard(device, Hazard::MemNoneNoFence));
  }
}

TEST(Shipped, FiguresOfThePublicTables) {
  const DeviceProfile max = shipped_profile("apple-m1-max");
  EXPECT_EQ(max.figures.cores->value, 32);
  EXPECT_EQ(max.figures.fp32_gflops->value, 10617);
  EXPECT_EQ(max.figures.memory_bandwidth_mb_per_s->value, 400000);
  EXPECT_EQ(max.figures.concurrent_subgroups->value, 512);
  EXPECT_EQ(max.figures.concurrent_subgroups->evidence, Evidence::Prior);
  EXPECT_EQ(max.figures.matrix_8x8_f32_cycles->value, 18);
  EXPECT_TRUE(has_hazard(max, Hazard::AsyncCopyHang));
  EXPECT_EQ(max.msl_version->major, 4);
  const DeviceProfile m2 = shipped_profile("apple-m2-max");
  EXPECT_FALSE(m2.figures.concurrent_subgroups);
  EXPECT_FALSE(has_hazard(m2, Hazard::AsyncCopyHang));
  EXPECT_EQ(m2.figures.matrix_8x8_f32_cycles->value, 18);
  const DeviceProfile m3 = shipped_profile("apple-m3");
  EXPECT_FALSE(m3.figures.fp32_gflops);
  EXPECT_FALSE(m3.figures.matrix_8x8_f32_cycles);
  EXPECT_FALSE(shipped_profile("apple-m5-pro").figures.fp32_measured_gflops);
  const DeviceProfile h200 = shipped_profile("h200");
  EXPECT_EQ(max_group_shared_bytes(h200), 227 * 1024);
  EXPECT_EQ(h200.limits.shared_memory_plain_bytes->value, 48 * 1024);
  EXPECT_FALSE(h200.msl_version);
  EXPECT_EQ(max_group_workers(shipped_profile("host-cpu")), 1);
}

TEST(Shipped, TheDocsNameEveryProfileFieldAndSwitch) {
  const auto read = read_file(TILEWRIGHT_SOURCE_DIR "/docs/targets.md");
  TW_EXPECT_VALUE(read);
  const auto expect_named = [&](std::string_view name) {
    EXPECT_NE(read->find("`" + std::string(name) + "`"), std::string::npos) << name;
  };
  for (const auto& [name, text] : shipped().profiles) expect_named(name);
  for (const auto& [name, text] : shipped().atoms) expect_named(name);
  for (const FigureInfo& info : figure_table()) expect_named(info.name);
  for (const CapabilityInfo& info : kCapabilities) expect_named(info.name);
  for (const HazardInfo& info : kHazards) expect_named(info.name);
  for (std::string_view name : kEvidenceNames) expect_named(name);
}

TEST(Shipped, NamesOfTablesAreUnique) {
  std::set<std::string_view> names;
  for (const FigureInfo& info : figure_table()) EXPECT_TRUE(names.insert(info.name).second) << info.name;
  for (const CapabilityInfo& info : kCapabilities) EXPECT_TRUE(names.insert(info.name).second) << info.name;
  for (const HazardInfo& info : kHazards) EXPECT_TRUE(names.insert(info.name).second) << info.name;
}

}  // namespace
}  // namespace tilewright::target::shipped_test
