#include "support/spelling.h"

#include <gtest/gtest.h>

#include <string>

namespace tilewright {
namespace {

TEST(Spelling, DistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("abc", "abd"), 1u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("abc", "xabc"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("Acc", "aCC"), 0u);
}

TEST(Spelling, DistanceIsSymmetric) {
  for (const char* a : {"accumulator", "acc", "", "cca", "ab"})
    for (const char* b : {"accum", "caa", "ba", "b"})
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
}

TEST(Spelling, GuessesTheNearestName) {
  EXPECT_EQ(did_you_mean("acum", {"accum", "sum", "bias"}), "did you mean 'accum'?");
  EXPECT_EQ(did_you_mean("a", {"A", "b"}), "did you mean 'A'?");
  EXPECT_EQ(did_you_mean("xy", {"xa", "xb"}), "did you mean 'xa'?");
}

TEST(Spelling, GuessesNothingFromFarNames) {
  EXPECT_EQ(did_you_mean("query", {"key", "value"}), "");
  EXPECT_EQ(did_you_mean("x", {"y", "z"}), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(did_you_mean("", {"a"}), "");
  EXPECT_EQ(did_you_mean(std::string(1000, 'a'), {"a"}), "");
}

}  // namespace
}  // namespace tilewright
