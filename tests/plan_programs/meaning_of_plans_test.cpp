// Plans come from the meaning: names and the order of independent declarations change no byte.
#include "planned.h"
#include "tile/parser.h"
#include "tile/printer.h"

namespace tilewright::plan {
namespace {

const Sizes kSizes{{"M", 100}, {"N", 96}, {"K", 90}, {"BM", 32}, {"BN", 64}, {"BK", 32}};

std::string plan_text_of(const std::string& text, const Sizes& sizes, Family family) {
  return print_plan(planned(text, sizes, planning_request(family)).plan);
}

Sizes renamed(const Sizes& sizes, const std::map<std::string, std::string>& names) {
  Sizes made;
  for (const auto& [name, value] : sizes) made[names.contains(name) ? names.at(name) : name] = value;
  return made;
}

TEST(PlanMeaning, NamesChangeNothing) {
  const std::string text = library_text("gemm");
  for (Family family : {Family::Simdgroup, Family::Mpp}) {
    const std::string plan = plan_text_of(text, kSizes, family);
    EXPECT_EQ(plan, plan_text_of(replaced(text, {{"program gemm", "program other"}}), kSizes, family));
    EXPECT_EQ(plan, plan_text_of(replaced(text, {{"BM", "ROWS"}, {"BN", "COLS"}, {"BK", "STEP"}}),
                                 renamed(kSizes, {{"BM", "ROWS"}, {"BN", "COLS"}, {"BK", "STEP"}}), family));
    EXPECT_EQ(plan, plan_text_of(replaced(text, {{" A: ", " left: "},
                                                 {"= A[", "= left["},
                                                 {" B: ", " right: "},
                                                 {"= B[", "= right["},
                                                 {" C: ", " product: "},
                                                 {" C[", " product["}}),
                                 kSizes, family));
    EXPECT_EQ(
        plan,
        plan_text_of(
            replaced(text, {{"acc", "sum_of_products"}, {"a[m", "x[m"}, {"b[k", "y[k"}, {"mma(a, b", "mma(x, y"}}),
            kSizes, family));
  }
}

TEST(PlanMeaning, TheOrderOfDeclarationsChangesNothing) {
  const std::string text = library_text("gemm");
  for (Family family : {Family::Simdgroup, Family::Mpp}) {
    const std::string plan = plan_text_of(text, kSizes, family);
    EXPECT_EQ(plan, plan_text_of(
                        replaced(text, {{"  in A: T[M, K]\n  in B: T[K, N]\n", "  in B: T[K, N]\n  in A: T[M, K]\n"}}),
                        kSizes, family));
    EXPECT_EQ(plan, plan_text_of(replaced(text, {{"gemm(M, N, K;", "gemm(K, N, M;"}}), kSizes, family));
  }
}

TEST(PlanMeaning, AnotherProgramHasAnotherPlan) {
  Sizes other = kSizes;
  other["K"] = 91;
  EXPECT_NE(plan_text_of(library_text("gemm"), kSizes, Family::Simdgroup),
            plan_text_of(library_text("gemm"), other, Family::Simdgroup));
  EXPECT_NE(plan_text_of(library_text("gemm"), kSizes, Family::Simdgroup),
            plan_text_of(library_text("gemm_nt"), kSizes, Family::Simdgroup));
}

TEST(PlanMeaning, PlanningTwiceGivesTheSameBytes) {
  for (const char* name : {"gemm", "mlp", "attention", "conv2d"}) {
    const Sizes sizes =
        std::string(name) == "gemm"  ? kSizes
        : std::string(name) == "mlp" ? Sizes{{"N", 64}, {"D", 64}, {"H", 48}, {"C", 10}}
        : std::string(name) == "attention"
            ? Sizes{{"B", 1}, {"Hq", 2}, {"Hkv", 1}, {"Lq", 33}, {"Lk", 65}, {"D", 16}, {"Dv", 16}}
            : Sizes{{"N", 1}, {"H", 9}, {"W", 9}, {"C", 16}, {"F", 16}, {"R", 3}, {"S", 3}, {"pad", 1}, {"stride", 1}};
    EXPECT_EQ(plan_text_of(library_text(name), sizes, Family::Mpp),
              plan_text_of(library_text(name), sizes, Family::Mpp));
  }
}

}  // namespace
}  // namespace tilewright::plan
