// Hazards of devices that are mimicked on request: static k cut short or read over, a row read of an empty operand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::mpp {
namespace {

struct HazardRun {
  std::string reports;
  std::vector<double> d;
};

/// 16 x 16 destination of operands full of ones, in a buffer of 64 x 64; `k` is what the tensors hold.
HazardRun run_hazard(const std::string& kernel, const DeviceModel& device, int k) {
  const Result<CompiledLibrary>& library = library_of("hazards.metal");
  if (!library) return {describe(library.error()), {}};
  Buffer a('f', 64 * 64);
  Buffer b('f', 64 * 64);
  a.fill(1);
  b.fill(1);
  Buffer d('f', 16 * 16);
  Buffer extent = Buffer::of('n', std::vector<double>{static_cast<double>(k)});
  Launch launch{kernel, {1, 1, 1}, 32, {&a, &b, &d, &extent}};
  launch.device = device;
  const Result<LaunchResult> result = run(*library, launch);
  if (!result) return {describe(result.error()), {}};
  HazardRun run{describe(result->reports), {}};
  for (std::size_t i = 0; i < d.size(); ++i) run.d.push_back(d.get(i));
  return run;
}

TEST(MatmulHazards, AStaticKOf48IsCutTo32) {
  EXPECT_EQ(run_hazard("static_k", {}, 48).d, std::vector<double>(256, 48));
  DeviceModel device;
  device.truncate_static_k = true;
  const HazardRun cut = run_hazard("static_k", device, 48);
  EXPECT_EQ(cut.d, std::vector<double>(256, 32));
  EXPECT_EQ(cut.reports, "");
  EXPECT_EQ(run_hazard("dynamic_k", device, 48).d, std::vector<double>(256, 48));
}

TEST(MatmulHazards, AStaticKReadsOverAShorterTensor) {
  EXPECT_EQ(run_hazard("static_k", {}, 20).d, std::vector<double>(256, 20));
  DeviceModel device;
  device.overread_static_k = true;
  EXPECT_EQ(run_hazard("static_k", device, 20).d, std::vector<double>(256, 48));
  EXPECT_EQ(run_hazard("dynamic_k", device, 20).d, std::vector<double>(256, 20));
}

TEST(MatmulHazards, AStaticSlicePastTheEdgeReadsWhatLiesThere) {
  const HazardRun strict = run_hazard("static_slice", {}, 8);
  EXPECT_NE(strict.reports.find("past the edge, 8 are left"), std::string::npos) << strict.reports;
  EXPECT_EQ(strict.d[0], 8);
  EXPECT_EQ(strict.d[8 * 16], 0);
  DeviceModel device;
  device.overread_static_k = true;
  const HazardRun over = run_hazard("static_slice", device, 8);
  EXPECT_NE(over.reports.find("past the edge, 8 are left"), std::string::npos) << over.reports;
  EXPECT_EQ(over.d[8 * 16], 8);
}

TEST(MatmulHazards, AnEmptyOperandReadsARow) {
  const HazardRun strict = run_hazard("dynamic_k", {}, 0);
  EXPECT_NE(strict.reports.find("the left operand is empty"), std::string::npos) << strict.reports;
  EXPECT_EQ(strict.d, std::vector<double>(256, 0));
  DeviceModel device;
  device.zero_extent_reads_row = true;
  const HazardRun row = run_hazard("dynamic_k", device, 0);
  EXPECT_NE(row.reports.find("the left operand is empty"), std::string::npos) << row.reports;
  EXPECT_EQ(row.d, std::vector<double>(256, 1));
}

}  // namespace
}  // namespace tilewright::msl_emulator::mpp
