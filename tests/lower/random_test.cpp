// Random programs of the tile IR's generator, and the standard library at awkward sizes.
#include "case_count.h"
#include "lower/lowering_case.h"
#include "support/files.h"
#include "tile/generator.h"
#include "tile/printer.h"

namespace tilewright::lower::testing {
namespace {

void run_random(std::uint64_t first, int count, std::size_t size, Fill fill) {
  int ran = 0;
  const std::uint64_t end = first + static_cast<std::uint64_t>(count);
  for (std::uint64_t seed = first; seed < end && !::testing::Test::HasFailure(); ++seed) {
    const auto made = tile::generate_program(seed, {.size = size, .legal = true, .interpretable = true});
    const auto bound = tile::bind(made.family, made.bindings);
    ASSERT_TRUE(bound) << "seed " << seed << "\n" << render(bound.error());
    if (expect_same_results(*bound, {fill, static_cast<std::uint32_t>(seed), {}, {}})) ++ran;
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "seed " << seed << "\n" << tile::print_program(*bound);
  }
  EXPECT_GT(ran, count / 2);
}

TEST(LowerRandom, SmallPrograms) { run_random(1, case_count(600, 12), 6, Fill::Small); }
TEST(LowerRandom, LargePrograms) { run_random(10'000, case_count(150, 12), 30, Fill::Small); }
TEST(LowerRandom, SpecialNumbers) { run_random(20'000, case_count(300, 12), 12, Fill::Special); }

std::optional<tile::Program> library_program(const std::string& name, const Numbers& numbers,
                                             const std::map<std::string, DataType>& types) {
  const auto text = read_file(std::string(TILEWRIGHT_SOURCE_DIR) + "/programs/" + name + ".tile");
  if (!text) {
    ADD_FAILURE() << render(text.error());
    return std::nullopt;
  }
  return bound_program(*text, numbers, types);
}

struct LibraryCase {
  std::string name;
  Numbers numbers;
};

TEST(LowerLibrary, ProgramsAtAwkwardSizes) {
  const std::vector<LibraryCase> cases = {
      {"gemm", {{"M", 65}, {"N", 33}, {"K", 70}}},
      {"gemm_nt", {{"M", 5}, {"N", 66}, {"K", 33}}},
      {"gemm_tn", {{"M", 5}, {"N", 66}, {"K", 33}}},
      {"gemm_tt", {{"M", 5}, {"N", 66}, {"K", 33}}},
      {"gemm_bias_gelu", {{"M", 9}, {"N", 7}, {"K", 5}}},
      {"gemm_bias_relu", {{"M", 9}, {"N", 7}, {"K", 0}}},
      {"gemm_alpha_beta", {{"M", 9}, {"N", 7}, {"K", 40}}},
      {"batched_gemm", {{"G", 3}, {"M", 9}, {"N", 7}, {"K", 40}}},
      {"conv2d", {{"N", 2}, {"H", 7}, {"W", 6}, {"C", 3}, {"F", 5}, {"R", 3}, {"S", 2}, {"pad", 1}, {"stride", 2}}},
      {"attention", {{"B", 1}, {"Hq", 4}, {"Hkv", 2}, {"Lq", 35}, {"Lk", 41}, {"D", 6}, {"Dv", 7}, {"causal", 1}}},
      {"softmax", {{"N", 6}, {"C", 300}}},
      {"cross_entropy", {{"N", 6}, {"C", 130}}},
      {"layernorm", {{"N", 6}, {"C", 130}}},
      {"residual_layernorm", {{"N", 6}, {"C", 130}}},
      {"rmsnorm", {{"N", 6}, {"C", 130}}},
      {"rope", {{"B", 2}, {"L", 9}, {"H", 2}, {"D", 6}}},
      {"rowsum", {{"N", 6}, {"C", 130}}},
      {"swiglu", {{"N", 5}, {"C", 135}}},
      {"mlp", {{"N", 5}, {"D", 9}, {"H", 33}, {"C", 3}}},
  };
  for (const LibraryCase& one : cases)
    for (const auto type : {DataType::F32, DataType::BF16}) {
      SCOPED_TRACE(one.name);
      const auto bound = library_program(one.name, one.numbers, {{"T", type}});
      if (!bound) continue;
      std::string why_not;
      EXPECT_TRUE(expect_same_results(*bound, {Fill::Special, 41, {}, {}}, &why_not)) << why_not;
    }
}

}  // namespace
}  // namespace tilewright::lower::testing
