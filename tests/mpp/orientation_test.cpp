// Products of tensor operations in all sixteen orientations of A, B, C and D, on the emulator: five depths each, with
// and without a nonzero C of its own, rows and columns that end inside tiles and subgroups, padded and offset buffers,
// canaries around every output, several orders of threads and layouts of cooperative tensors.
#include <algorithm>

#include "case_count.h"
#include "product_text.h"
#include "remarks.h"
#include "tensor_case.h"

namespace tilewright::mpp {
namespace {

Product oriented(Product one, unsigned bits) {
  one.a_by_column = (bits & 1) != 0;
  one.b_by_column = (bits & 2) != 0;
  one.c_by_column = (bits & 4) != 0;
  one.d_by_column = (bits & 8) != 0;
  return one;
}

/// K = 7, 8, 24, 61, 1033; the last subgroups of most have no row or no column.
std::vector<Product> five_depths(unsigned bits) {
  const auto start = [&](unsigned bit, const char* literal) { return (bits >> bit) % 2 == 0 ? literal : "C"; };
  std::vector<Product> products{
      {.m = 65, .n = 33, .k = 7, .start = start(0, "0.0")},
      {.m = 48, .n = 40, .k = 8, .bk = 8, .start = "C"},
      {.m = 64, .n = 64, .k = 24, .bk = 24, .start = start(1, "-1.5")},
      {.m = 37, .n = 70, .k = 61, .bm = 32, .bn = 64, .start = "C"},
      {.m = 33, .n = 20, .k = 1033, .bm = 32, .bn = 16, .bk = 64, .start = start(2, "0.0")},
  };
  for (Product& one : products) one = oriented(one, bits);
  return products;
}

/// Row strides longer than the rows, offsets in front.
std::string padded_views(const std::vector<Product>& products) {
  std::string words;
  const auto add = [&](const std::string& name, bool by_column, int rows, int columns, int padding) {
    const int inner = by_column ? rows : columns;
    words += " view:" + name + "=offset:" + std::to_string(padding + 2) +
             ",strides:" + std::to_string(inner + padding) + "x1";
  };
  for (std::size_t at = 0; at < products.size(); at += 2) {
    const Product& one = products[at];
    const std::string t = std::to_string(at);
    add("A" + t, one.a_by_column, one.m, one.k, 3);
    add("D" + t, one.d_by_column, one.out_rows(), one.out_columns(), 5);
  }
  return words;
}

class MppOrientations : public testing::TestWithParam<unsigned> {};

TEST_P(MppOrientations, FiveDepths) {
  if (GetParam() * 5 % 16 >= static_cast<unsigned>(case_count(16, 8))) GTEST_SKIP() << "one in a share";
  const std::vector<Product> products = five_depths(GetParam());
  auto made = tensor_case("p set:schedules=2 set:layouts=4" + padded_views(products), program_of(products));
  ASSERT_TRUE(made);
  for (std::size_t at = 0; at < products.size(); ++at) {
    const plan::LaunchPlan& plan = made->launch(at);
    ASSERT_EQ(plan.matrices.size(), 1u) << at;
    EXPECT_EQ(plan.views.size(), 2u) << at << ": A and B are read where they lie";
    if (!products[at].loads_start()) {
      EXPECT_TRUE(plan.matrices[0].distribution.direct_accumulator_store) << at;
      EXPECT_EQ(plan.shared_memory_bytes, 0) << at;
    }
  }
  expect_right(*made, "orientation " + std::to_string(GetParam()));
}

/// A tile of A and one of B would be 640 KiB. The operands are shorter than the tile, and so are their rows.
TEST(MppLongSteps, NothingIsStaged) {
  constexpr std::int64_t kTiles = (128 + 32) * 1024 * 4;
  const Product step{.m = 130, .n = 33, .k = 61, .bm = 128, .bn = 32, .bk = 1024};
  std::vector<Product> products{step, oriented(step, 11), oriented(step, 14), oriented(step, 5)};
  products[1].k = 1033;
  products[2].k = 7;
  products[2].start = "2.5";
  products[3].k = 1025;
  auto made = tensor_case("p set:schedules=2 set:layouts=3", program_of(products));
  ASSERT_TRUE(made);
  for (std::size_t at = 0; at < products.size(); ++at) {
    EXPECT_EQ(made->launch(at).shared_memory_bytes, 0) << at;
    EXPECT_EQ(made->launch(at).views.size(), 2u) << at;
  }
  expect_right_when_filled(*made, "BK = 1024");
  const auto run = driver::run_metal(made->kernel, made->buffers.arguments());
  ASSERT_TRUE(run) << render(run.error());
  for (const driver::KernelCounts& kernel : run->kernels)
    EXPECT_EQ(kernel.emulated->threadgroup_bytes, 0u) << kernel.name;
  // Without the capability the tiles are staged, which is refused with their bytes.
  const auto strict = plan_case("p set:bounded_k=0 set:bounded_mnk=0", program_of({step}));
  ASSERT_TRUE(strict);
  EXPECT_EQ(strict->planned.plan.launches[0].mapping, plan::LaunchMapping::Scalar);
  const std::vector<std::string> said = remarks(strict->planned.launches[0]);
  EXPECT_TRUE(std::ranges::any_of(said, [&](const std::string& remark) {
    return remark.find(std::to_string(kTiles)) != std::string::npos;
  })) << testing::PrintToString(said);
}

INSTANTIATE_TEST_SUITE_P(All, MppOrientations, testing::Range(0u, 16u));

}  // namespace
}  // namespace tilewright::mpp
