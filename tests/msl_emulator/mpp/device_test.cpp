// What devices do that is mimicked on request: static k cut short or read over, a row read of an empty operand, the low
// bits of relaxed operands dropped.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
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

/// A NaN whose mantissa is all in the bits that a relaxed operand loses; conversions would set others.
constexpr std::uint32_t kLowNan = 0x7f800001;

/// 16 x 16 of 64 x 64 operands: `first` at the start of A (a NaN of floats: kLowNan), `a` elsewhere in it, `b` in B.
std::vector<double> product_of(const std::string& kernel, bool truncates, Type type, double first, double a, double b) {
  const Result<CompiledLibrary>& library = library_of("hazards.metal");
  EXPECT_TRUE(library) << describe(library.error());
  if (!library) return {};
  Buffer left(type, 64 * 64), right(type, 64 * 64), d('f', 16 * 16);
  left.fill(a);
  right.fill(b);
  left.set(0, first);
  if (type == 'f' && std::isnan(first)) std::memcpy(left.bytes().data(), &kLowNan, sizeof kLowNan);
  Launch launch{kernel, {1, 1, 1}, 32, {&left, &right, &d}};
  launch.device.truncate_relaxed_f32 = truncates;
  const Result<LaunchResult> result = run(*library, launch);
  EXPECT_TRUE(result) << describe(result.error());
  if (!result) return {};
  EXPECT_EQ(describe(result->reports), "");
  std::vector<double> found;
  for (std::size_t i = 0; i < d.size(); ++i) found.push_back(d.get(i));
  return found;
}

/// The largest number that 10 bits of mantissa cut to x.
double just_below_the_next(double x) { return x * (1 + 0x1p-10 - 0x1p-23); }

TEST(RelaxedProducts, LoseTheLowBitsOfFloatsWhereTheDeviceDropsThem) {
  const double ragged = just_below_the_next(1);
  for (const char* kernel : {"strict_float", "relaxed_float"})
    EXPECT_EQ(product_of(kernel, false, 'f', 1, 1, ragged)[17], 64 * ragged) << kernel;
  EXPECT_EQ(product_of("strict_float", true, 'f', 1, 1, ragged)[17], 64 * ragged);
  EXPECT_EQ(product_of("relaxed_float", true, 'f', 1, 1, ragged), std::vector<double>(256, 64));
  EXPECT_EQ(product_of("relaxed_float", true, 'f', just_below_the_next(-2), 1, 1)[0], 63 - 2);
  // Ten bits stay, the range of exponents too, and so do numbers without further bits.
  EXPECT_EQ(product_of("relaxed_float", true, 'f', 1 + 0x1p-10, 1, 1)[0], 64 + 0x1p-10);
  EXPECT_EQ(product_of("relaxed_float", true, 'f', 0x1p-136, 0, 1)[0], 0x1p-136);
  EXPECT_EQ(product_of("relaxed_float", true, 'f', 0x1p-137, 0, 1)[0], 0);
  EXPECT_EQ(product_of("relaxed_float", true, 'f', -0x1.fffffep127, 0, 1)[0], -0x1.ffcp127);
}

TEST(RelaxedProducts, NaNAndInfinityStay) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(product_of("relaxed_float", true, 'f', infinity, 1, 1)[0], infinity);
  EXPECT_EQ(product_of("relaxed_float", true, 'f', -infinity, 1, 1)[0], -infinity);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(product_of("relaxed_float", true, 'f', nan, 1, 1)[0]));
}

TEST(RelaxedProducts, NarrowTypesHaveNoSuchBits) {
  const double half = 1 + 0x1p-10, bfloat = 1 + 0x1p-7;
  EXPECT_EQ(product_of("relaxed_half", true, 'h', 1, 1, half), std::vector<double>(256, 64 * half));
  EXPECT_EQ(product_of("relaxed_half", true, 'h', 0x3p-24, 0, 1)[0], 0x3p-24);
  EXPECT_EQ(product_of("relaxed_bfloat", true, 'b', 1, 1, bfloat), std::vector<double>(256, 64 * bfloat));
}

}  // namespace
}  // namespace tilewright::msl_emulator::mpp
