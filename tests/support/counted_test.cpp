#include "support/counted.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Counted, OneThingIsNotSeveral) {
  EXPECT_EQ(counted(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(counted(0, "launch", "launches"), "0 launches");
  EXPECT_EQ(counted(1, "candidate"), "1 candidate");
  EXPECT_EQ(counted(39, "candidate"), "39 candidates");
}

}  // namespace
}  // namespace tilewright
