// Random programs of the tile IR's generator by the direct route: bit for bit what the typed interpreter gives.
#include "case_count.h"
#include "lower/lower_direct.h"
#include "lower/lowering_case.h"
#include "tile/generator.h"
#include "tile/printer.h"

namespace tilewright::lower::testing {
namespace {

/// A device with memory enough for any program, and operations of any extents: those of generated programs are small
/// and odd.
DirectDevice roomy_device() {
  DirectDevice device;
  device.name = "roomy";
  device.shared_memory_bytes = std::int64_t{1} << 30;
  device.tensor_operation.name = "metal.mpp";
  device.tensor_operation.participants = {{target::AtomScope::Subgroup, 1}};
  device.tensor_operation.extents.dynamic_k = true;
  for (DataType type : {DataType::F32, DataType::F16, DataType::BF16})
    device.tensor_operation.elements.push_back({type, type, DataType::F32});
  return device;
}

Result<kernel::Program> lower_roomy(const tile::Program& bound, const LaunchLayout& layout) {
  return lower_direct(bound, layout, roomy_device());
}

/// Programs with what the route refuses are left out; at least one in 20 runs.
void run_random(std::uint64_t first, int count, std::size_t size, Fill fill) {
  int ran = 0;
  const std::uint64_t end = first + static_cast<std::uint64_t>(count);
  for (std::uint64_t seed = first; seed < end && !::testing::Test::HasFailure(); ++seed) {
    const auto made = tile::generate_program(seed, {.size = size, .legal = true, .interpretable = true});
    const auto bound = tile::bind(made.family, made.bindings);
    ASSERT_TRUE(bound) << "seed " << seed << "\n" << render(bound.error());
    if (const auto lowered = lower_roomy(*bound, {}); !lowered) {
      EXPECT_EQ(lowered.error().front().code, DiagCode::Unsupported) << render(lowered.error());
      continue;
    }
    if (expect_same_results(*bound, {fill, static_cast<std::uint32_t>(seed), {}, {}, lower_roomy})) ++ran;
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "seed " << seed << "\n" << tile::print_program(*bound);
  }
  EXPECT_GE(ran, count / 20);
}

TEST(DirectRandom, SmallPrograms) { run_random(1, case_count(300, 12), 6, Fill::Small); }
TEST(DirectRandom, LargePrograms) { run_random(10'000, case_count(200, 12), 20, Fill::Small); }
TEST(DirectRandom, SpecialNumbers) { run_random(20'000, case_count(200, 12), 10, Fill::Special); }

}  // namespace
}  // namespace tilewright::lower::testing
