// Each kernel of faults.metal is reported with its kind, at the line of its marker, and nowhere else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::mpp {
namespace {

struct Fault {
  std::string kernel, kind;
  std::uint32_t line = 0;
};

/// Kernel by kernel, the marker `// <- kind` that follows its head.
std::vector<Fault> read_faults() {
  std::ifstream file(kernel_path("faults.metal"));
  std::vector<Fault> faults;
  std::string text, kernel;
  for (std::uint32_t line = 1; std::getline(file, text); ++line) {
    if (text.starts_with("kernel void ")) kernel = text.substr(12, text.find('(') - 12);
    const std::size_t marker = text.find("// <- ");
    if (marker != std::string::npos) faults.push_back({kernel, text.substr(marker + 6), line});
  }
  return faults;
}

/// Two SIMD groups where the fault is between them.
std::uint32_t threads_of(const std::string& kernel) {
  static const std::set<std::string> kTwo{"unwritten_half_destination", "no_barrier_after_staging",
                                          "subgroups_share_a_tile", "scope_of_four_groups"};
  return kernel == "narrow_scope" ? 20 : kTwo.contains(kernel) ? 64 : 32;
}

/// What is the same under every layout is tried under some; this one depends on it.
std::vector<std::uint64_t> seeds_of(const std::string& kernel) {
  if (kernel == "converted_without_asking") return {1, 2};
  return {0, 1, 3};
}

struct FaultyLaunch {
  Buffer a = Buffer::random('f', 1600, 1), b = Buffer::random('f', 1600, 2), d = Buffer::random('f', 1600, 3);
};

Result<LaunchResult> launch_faulty(const CompiledLibrary& library, const std::string& kernel, std::uint64_t seed,
                                   FaultyLaunch& buffers, const DeviceModel& device = {}) {
  Launch launch{kernel, {1, 1, 1}, threads_of(kernel), {&buffers.a, &buffers.b, &buffers.d}, seed};
  launch.device = device;
  return run(library, launch);
}

TEST(TensorFaults, AreReportedWithKindAndLine) {
  const Result<CompiledLibrary>& library = library_of("faults.metal");
  ASSERT_TRUE(library) << describe(library.error());
  const std::vector<Fault> faults = read_faults();
  EXPECT_EQ(faults.size(), library->entries.size());
  for (const Fault& fault : faults) {
    for (const std::uint64_t seed : seeds_of(fault.kernel)) {
      SCOPED_TRACE(fmt::format("{} seed {}", fault.kernel, seed));
      FaultyLaunch buffers;
      const Result<LaunchResult> result = launch_faulty(*library, fault.kernel, seed, buffers);
      ASSERT_TRUE(result) << describe(result.error());
      ASSERT_FALSE(result->reports.empty());
      for (const Report& report : result->reports) {
        EXPECT_EQ(report_kind_name(report.kind), fault.kind) << describe(result->reports);
        EXPECT_EQ(report.line, fault.line) << describe(result->reports);
        EXPECT_TRUE(report.file.ends_with("faults.metal")) << report.file;
      }
    }
  }
}

std::string reports_of(const std::string& kernel, const DeviceModel& device = {}) {
  const Result<CompiledLibrary>& library = library_of("faults.metal");
  if (!library) return describe(library.error());
  FaultyLaunch buffers;
  const Result<LaunchResult> result = launch_faulty(*library, kernel, 0, buffers, device);
  return result ? describe(result->reports) : describe(result.error());
}

void expect_text(const std::string& kernel, const std::string& part) {
  const std::string found = reports_of(kernel);
  EXPECT_NE(found.find(part), std::string::npos) << kernel << ": " << found;
}

TEST(TensorFaults, NameTheNumbers) {
  expect_text("static_left_past_edge",
              "the left operand is a static slice of 16 elements in dimension 1 past the edge, 8 are left");
  expect_text("static_right_past_edge", "the right operand is a static slice of 16 elements in dimension 0");
  expect_text("static_destination_past_edge", "the destination is a static slice of 16 elements in dimension 0");
  expect_text("static_smaller_than_tile", "a static extent of 8 in dimension 1, the operation touches 16");
  expect_text("zero_extent_left", "the left operand is empty (inner extent 40, outer 0)");
  expect_text("zero_extent_load", "the source is empty (inner extent 40, outer -8)");
  expect_text("unwritten_destination", "256 elements of the cooperative destination are read that nothing wrote");
  expect_text("unwritten_input", "16 elements of the cooperative right operand are read that nothing wrote");
  expect_text("unwritten_store", "256 elements of the cooperative tensor are stored that nothing wrote");
  expect_text("unwritten_source_of_reduction", "256 elements of the cooperative source are reduced");
  expect_text("index_over_capacity", "index 8 of a cooperative tensor of which a lane holds 8 elements");
  expect_text("inner_stride_left", "the left operand has an inner stride of 40: it must be 1");
  expect_text("destination_is_left", "the destination overlaps the left operand");
  expect_text("k_disagrees", "dynamic k is 24 by the extents of the left operand and 40 by those of the right one");
  expect_text("narrow_scope", "the scope of the operation has 20 threads of the 32 of its SIMD groups");
  expect_text("lanes_disagree", "lane 31 of the scope gives another left operand");
}

TEST(TensorFaults, ZeroedDestinationsHideAMissingZero) {
  DeviceModel device;
  device.zero_cooperative_destinations = true;
  EXPECT_EQ(reports_of("unwritten_destination", device), "");
  EXPECT_EQ(reports_of("unwritten_half_destination", device), "");
  EXPECT_NE(reports_of("unwritten_input", device), "");
}

}  // namespace
}  // namespace tilewright::msl_emulator::mpp
