#include <gtest/gtest.h>

#include "runtime/cpu/host.h"

namespace tilewright::runtime_cpu {
namespace {

TEST(Host, IsDetectedTheSameEveryTime) {
  const target::HostFacts facts = detect_host();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GE(facts.cores, 1);
  EXPECT_EQ(facts, detect_host());
#if defined(__x86_64__)
  EXPECT_NE(facts.features.find("+sse2"), std::string::npos);
#endif
}

}  // namespace
}  // namespace tilewright::runtime_cpu
