// Mean physical K against enumeration, and every reason to keep the nominal extent.
#include "analysis/physical_extent.h"

#include <gtest/gtest.h>

#include "analysis/programs.h"

namespace tilewright::analysis {
namespace {

using tile::Program;

MeanExtent mean_k(const Program& program, std::size_t n = 0) {
  const Walk w = walk(program);
  return mean_physical_k(program, w, accesses(program, w, over_leaf_ranges(program)),
                         ops_of<tile::MmaOp>(program).at(n));
}

TEST(PhysicalExtent, CappedSeriesAgainstEnumeration) {
  for (std::int64_t first = -3; first <= 20; ++first)
    for (std::int64_t step = -4; step <= 4; ++step)
      for (std::int64_t trips = 0; trips <= 9; ++trips)
        for (std::int64_t cap = -1; cap <= 24; ++cap) {
          const bool capped = cap >= 0;  // -1 stands for none
          std::int64_t sum = 0;
          bool valid = trips >= 1 && (!capped || cap >= 1);
          for (std::int64_t t = 0; t < trips; ++t) {
            const std::int64_t term = first + step * t;
            sum += capped ? std::min(cap, term) : term;
            valid &= term >= 1;
          }
          const auto found = capped_series_sum(capped ? std::optional(cap) : std::nullopt, first, step, trips);
          ASSERT_EQ(found, valid ? std::optional(sum) : std::nullopt)
              << first << " + " << step << " t, " << trips << " trips, cap " << cap;
        }
}

TEST(PhysicalExtent, CappedSeriesAtTheEndsOf64Bits) {
  EXPECT_EQ(capped_series_sum(INT64_MAX, INT64_MAX, 0, 1), INT64_MAX);
  EXPECT_EQ(capped_series_sum(std::nullopt, INT64_MAX, -1, 2), std::nullopt);
  EXPECT_EQ(capped_series_sum(1, INT64_MAX, 0, INT64_MAX), INT64_MAX);
  EXPECT_EQ(capped_series_sum(2, INT64_MAX, 0, INT64_MAX), std::nullopt);
  EXPECT_EQ(capped_series_sum(1, INT64_MAX, -1, INT64_MAX), INT64_MAX);
  EXPECT_EQ(capped_series_sum(std::nullopt, 1, 1, INT64_MAX), std::nullopt);
  EXPECT_EQ(capped_series_sum(std::nullopt, 1, INT64_MAX, 3), std::nullopt);
  EXPECT_EQ(capped_series_sum(8, INT64_MAX, INT64_MIN, 1), 8);
}

TEST(PhysicalExtent, GemmForEveryK) {
  for (const char* name : {"gemm", "gemm_nt", "gemm_tn", "gemm_tt"})
    for (std::int64_t K = 1; K <= 70; ++K)
      for (std::int64_t block : {1, 3, 8, 16, 32}) {
        if (name != std::string("gemm") && K % 23 != 0) continue;
        const Program program =
            bound_program(library_text(name), {{"M", 70}, {"N", 33}, {"K", K}, {"BM", 32}, {"BN", 32}, {"BK", block}});
        std::int64_t sum = 0, count = 0;
        for (std::int64_t origin = 0; origin < K; origin += block, ++count) sum += std::min(block, K - origin);
        ASSERT_EQ(sum, K);
        const MeanExtent mean = mean_k(program);
        ASSERT_TRUE(mean.is_known()) << nominal_reason_name(mean.nominal);
        ASSERT_EQ(mean.sum * count, sum * mean.count) << name << " K " << K << " BK " << block;
        ASSERT_DOUBLE_EQ(mean.mean(), static_cast<double>(sum) / static_cast<double>(count));
      }
  // Three nominal iterations of 16 over 45: 45 / 3.
  const MeanExtent seed = mean_k(bound_program(library_text("gemm"), {{"M", 32}, {"N", 64}, {"K", 45}, {"BK", 16}}));
  EXPECT_EQ(seed.sum, 45);
  EXPECT_EQ(seed.count, 3);
}

/// A product over k: 8 whose operands begin at an origin, inside a loop over s, t.
Program product(const std::string& origin_a, const std::string& origin_b, const std::string& loop = "serial s in 3",
                const std::string& more = "") {
  return bound_program(
      "program p(N) {\n in A: f32[8, 20]\n in B: f32[20, 8]\n in flag: f32\n out C: f32[8, 8]\n parallel i in 2 {\n"
      " axis m: 8, k: 8, n: 8\n acc[m, n] = 0.0\n " +
          loop + " {\n a[m, k] = A[m, " + origin_a + " + k]" + more + "\n b[k, n] = B[" + origin_b +
          " + k, n]\n acc = mma(a, b, acc)\n }\n C[m, n] = acc\n }\n}\n",
      {{"N", 1}});
}

TEST(PhysicalExtent, EitherDirectionAndConstants) {
  const MeanExtent up = mean_k(product("s*8", "s*8"));
  EXPECT_EQ(up.sum, 20);
  EXPECT_EQ(up.count, 3);
  const MeanExtent down = mean_k(product("16 - s*8", "16 - s*8"));
  EXPECT_EQ(down.sum, 20);
  EXPECT_EQ(down.count, 3);
  const MeanExtent constant = mean_k(product("15", "15"));
  EXPECT_EQ(constant.sum, 5);
  EXPECT_EQ(constant.count, 1);
  const MeanExtent outer = mean_k(product("i*13", "13*i"));
  EXPECT_EQ(outer.sum, 8 + 7);
  EXPECT_EQ(outer.count, 2);
  const MeanExtent one_trip = mean_k(product("s*8 + t*8", "s*8 + t*8", "serial s in 3, t in 1"));
  EXPECT_EQ(one_trip.sum, 20);
}

TEST(PhysicalExtent, ReasonsToStayNominal) {
  auto reason = [](const Program& program) {
    const MeanExtent mean = mean_k(program);
    EXPECT_EQ(mean.sum, 8);
    EXPECT_EQ(mean.count, 1);
    EXPECT_NE(nominal_reason_name(mean.nominal), "");
    return mean.nominal;
  };
  EXPECT_EQ(reason(product("s*8", "s*8 + 1")), NominalReason::OperandsDiffer);
  EXPECT_EQ(reason(product("s*8 + t*4", "s*8 + t*4", "serial s in 2, t in 2")), NominalReason::NotAffine);
  EXPECT_EQ(reason(product("s*8", "s*8", "serial s in i + 1")), NominalReason::NotStatic);
  EXPECT_EQ(reason(product("s*8", "s*8", "serial s in 4")), NominalReason::EndNotPositive) << "24 is past 20";
  EXPECT_EQ(reason(product("s*8 - 1", "s*8 - 1")), NominalReason::EndNotPositive) << "begins before the object";
  EXPECT_EQ(reason(product("s*8", "s*8", "serial s in 3", " else 1.0")), NominalReason::OperandsNotLoads);
  EXPECT_EQ(reason(product("s*8", "s*8", "serial s in 3", " assume")), NominalReason::OperandsNotLoads);
  EXPECT_EQ(reason(product("s*8 + k", "s*8")), NominalReason::NoUnitProjection);
  EXPECT_EQ(reason(product("s / 2 * 8", "s / 2 * 8")), NominalReason::NoUnitProjection) << "no affine form";
  EXPECT_EQ(reason(product("0", "0", "if flag > 0.0")), NominalReason::Conditional);
}

TEST(PhysicalExtent, OfExpressions) {
  const Program program = bound_program(R"(program p(N) {
    out Y: f32[64]
    parallel i in 2 {
      serial s in 5 {
        Y[min(8, 37 - s*8)] = 0.0
        Y[min(37 - s*8, 8)] = 0.0
        Y[min(8 + s, 10)] = 0.0
        Y[37 - s*8] = 0.0
        Y[37 - max(s*8, 29)] = 0.0
        Y[min(s + 1, i + 1)] = 0.0
      }
    }
  })",
                                        {{"N", 1}});
  const Walk w = walk(program);
  const LeafRanges ranges = over_leaf_ranges(program);
  std::vector<MeanExtent> means;
  for (tile::OpId op : stores_of(program, "Y"))
    means.push_back(mean_over(program, over_domain(program, w, op),
                              program.list(std::get<tile::StoreOp>(program.op(op).payload).coords)[0], ranges));
  EXPECT_EQ(means[0].sum, 37);
  EXPECT_EQ(means[0].count, 5);
  EXPECT_EQ(means[1].sum, 37);
  EXPECT_EQ(means[2].sum, 8 + 9 + 10 + 10 + 10);
  EXPECT_EQ(means[3].sum, 37 + 29 + 21 + 13 + 5);
  EXPECT_EQ(means[4].nominal, NominalReason::NotAffine) << "the cap must stand at the root";
  EXPECT_EQ(means[5].nominal, NominalReason::NotAffine);
}

}  // namespace
}  // namespace tilewright::analysis
