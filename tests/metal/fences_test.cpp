// Every barrier of emitted kernels taken out: the emulator and the fence checker agree. Where neither objects, the rule
// of coalescing keeps the fence for a reason that docs/synchronization.md lists.
#include "metal/metal_kernel.h"
#include "sync/check.h"
#include "sync/drop_fences.h"

namespace tilewright::driver {
namespace {

/// The text without the barrier of this number.
std::string without_barrier(std::string text, std::size_t number) {
  const std::string call = "threadgroup_barrier(";
  std::size_t at = text.find(call);
  for (; number > 0 && at != std::string::npos; --number) at = text.find(call, at + 1);
  EXPECT_NE(at, std::string::npos);
  const std::size_t end = text.find(';', at);
  return text.replace(at, end - at, "");
}

bool emulator_objects(const MetalCase& one, const std::string& text) {
  MetalKernel changed = one.metal();
  changed.emulated = std::make_shared<MetalKernel::Emulated>();
  changed.text.code = text;
  const auto launch = check_launch(one.kernel.impl().bound, changed.rules, one.buffers.arguments());
  EXPECT_TRUE(launch);
  const auto result = emulate_kernel(changed, *launch, 1);
  if (!result) {
    EXPECT_EQ(result.error()[0].code, DiagCode::EmulatorReport) << render(result.error());
  }
  return !result;
}

void take_each_barrier_out(const std::string& line, const Settings& settings, int& objected, int& silent) {
  SCOPED_TRACE(line);
  auto one = metal_case(line, settings);
  ASSERT_TRUE(one);
  const kernel::Program& program = one->metal().lowered;
  std::size_t number = 0;
  for (std::size_t k = 0; k < program.kernels.size(); ++k)
    for (std::uint32_t identity : sync::compiler_fence_sites(program, program.kernels[k])) {
      const kernel::Program less = sync::without_fences(program, k, {identity});
      const bool checker = !sync::unordered_accesses(less, k, {.distinct_buffers = true}).empty();
      const bool emulator = emulator_objects(*one, without_barrier(one->metal().text.code, number++));
      EXPECT_EQ(checker, emulator) << "kernel " << k << " fence " << identity;
      ++(emulator ? objected : silent);
    }
}

TEST(MetalFences, EmulatorAndCheckerAgreeAboutEach) {
  int objected = 0, silent = 0;
  take_each_barrier_out("gemm M=70 N=40 K=40 BM=32 BN=32 BK=16", {}, objected, silent);
  take_each_barrier_out("gemm M=64 N=64 K=48 BM=32 BN=32 BK=16", {{"retain_accumulators", "false"}}, objected, silent);
  take_each_barrier_out("gemm_bias_gelu M=33 N=32 K=32 BM=32 BN=32 BK=16", {}, objected, silent);
  take_each_barrier_out("attention B=1 Hq=1 Hkv=1 Lq=17 Lk=33 D=16 Dv=16 scale=0.3 BQ=16 BK=16", {}, objected, silent);
  take_each_barrier_out("softmax N=3 C=600 BC=128", {{"metal_subgroup_reductions", "true"}, {"noalias", "true"}},
                        objected, silent);
  EXPECT_GT(objected, 15);
  std::printf("%d barriers: both object; %d: neither\n", objected, silent);
}

}  // namespace
}  // namespace tilewright::driver
