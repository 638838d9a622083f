// The template of the running machine: filled from host facts, and from nothing else.
#include "target/host_profile.h"

#include "target/profile_text.h"
#include "target/shipped.h"

namespace tilewright::target::host_test {
namespace {

DeviceProfile completed(const std::string& features) {
  return complete_for_host(shipped_profile("host-cpu"), {"znver5", features, 6});
}

TEST(HostProfile, TakesTheFactsOfTheHost) {
  const DeviceProfile device = completed("+avx,+avx2,+avx512f,-avx512fp16,+sse2");
  EXPECT_EQ(device.name, "host-cpu");
  EXPECT_EQ(device.processor, "znver5");
  EXPECT_EQ(device.features, "+avx,+avx2,+avx512f,-avx512fp16,+sse2");
  EXPECT_EQ(device.figures.cores->value, 6);
  EXPECT_EQ(device.figures.cores->evidence, Evidence::Detected);
  EXPECT_EQ(device.figures.vector_bytes->value, 64);
  EXPECT_EQ(device.figures.vector_registers->value, 32);
  EXPECT_FALSE(device.figures.l2_cache_bytes);
  const auto back = load_profile(shipped(), DataText{"printed", print_profile(device)});
  ASSERT_TRUE(back) << render(back.error());
  EXPECT_EQ(*back, device);
}

TEST(HostProfile, VectorsFollowTheWidestFeature) {
  const auto vectors = [](const std::string& features) {
    const DeviceFigures figures = completed(features).figures;
    return figures.vector_bytes ? std::pair{figures.vector_bytes->value, figures.vector_registers->value}
                                : std::pair<std::int64_t, std::int64_t>{0, 0};
  };
  EXPECT_EQ(vectors("+sse2,+avx512f"), (std::pair<std::int64_t, std::int64_t>{64, 32}));
  EXPECT_EQ(vectors("+avx2,+avx,-avx512f,+sse2"), (std::pair<std::int64_t, std::int64_t>{32, 16}));
  EXPECT_EQ(vectors("+sse2,-avx"), (std::pair<std::int64_t, std::int64_t>{16, 16}));
  EXPECT_EQ(vectors("+neon"), (std::pair<std::int64_t, std::int64_t>{16, 32}));
  for (const char* none : {"", "-avx512f,-avx,-sse2", "+avx512", "+sse", "avx", "+xavx"})
    EXPECT_EQ(vectors(none), (std::pair<std::int64_t, std::int64_t>{0, 0})) << none;
}

TEST(HostProfile, LeavesEverythingElseAlone) {
  const HostFacts host{"znver5", "+avx512f", 6};
  for (const char* name : {"apple-m1", "h200"}) {
    const DeviceProfile device = shipped_profile(name);
    EXPECT_FALSE(is_host_template(device));
    EXPECT_EQ(complete_for_host(device, host), device);
  }
  DeviceProfile other = shipped_profile("host-cpu");
  EXPECT_TRUE(is_host_template(other));
  other.processor = "skylake";
  EXPECT_EQ(complete_for_host(other, host), other);
  DeviceProfile own = shipped_profile("host-cpu");
  own.figures.cores = Figure{2, Evidence::Prior, "a test"};
  EXPECT_EQ(complete_for_host(own, host).figures.cores->value, 2);
  EXPECT_EQ(complete_for_host(own, host).figures.vector_bytes->value, 64);
}

}  // namespace
}  // namespace tilewright::target::host_test
