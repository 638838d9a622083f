#include "runtime/cpu/run.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "compiled.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TW_TEST_WITH_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(TW_TEST_WITH_ASAN)
/// AddressSanitizer would end the test of memory that does not exist.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }  // NOLINT
#endif

namespace tilewright::runtime_cpu {
namespace {

using namespace kernel;

/// Each task fills a tile of scratch memory with its ordinal, folds it, and stores the sum: workers that shared scratch
/// would disturb each other.
Program scratch_program(std::int64_t tasks, std::int64_t tile) {
  Builder b("scratch");
  const BufferId out = b.argument("out", ScalarType::I64, Access::Write, tasks);
  const std::vector<ValueId> at = b.begin_kernel("scratch", {tasks});
  const AllocationId memory = b.allocation("tile", AllocationSpace::Private, ScalarType::I64, tile);
  const ValueId zero = b.const_i64(0), end = b.const_i64(tile);
  b.loop(zero, end, 1, [&](ValueId i) { b.store(memory, i, b.add(at[0], i)); });
  const std::vector<ValueId> sum =
      b.loop(zero, end, 1, {zero}, [&](ValueId i, const std::vector<ValueId>& carries) -> std::vector<ValueId> {
        return {b.add(carries[0], b.load(memory, b.sub(b.const_i64(tile - 1), i)))};
      });
  b.store(out, at[0], sum[0]);
  b.end_kernel();
  return b.finish();
}

std::vector<std::int64_t> scratch_sums(std::int64_t tasks, std::int64_t tile) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(tasks));
  for (std::int64_t task = 0; task < tasks; ++task)
    sums[static_cast<std::size_t>(task)] = tile * task + tile * (tile - 1) / 2;
  return sums;
}

TEST(Run, EveryTaskRunsOnceOnAnyNumberOfThreads) {
  for (std::int64_t tasks : {0, 1, 2, 7, 1000, 20000}) {
    const LoadedArtifact code = loaded(scratch_program(tasks, 100));
    for (int threads : {0, 1, 2, 4}) {
      std::vector<std::int64_t> out(static_cast<std::size_t>(tasks), -1);
      void* bindings[] = {out.data()};
      const auto ran = run(code, bindings, {.threads = threads});
      ASSERT_TRUE(ran) << render(ran.error());
      EXPECT_EQ(out, scratch_sums(tasks, 100)) << tasks << " tasks, " << threads << " threads";
    }
  }
}

TEST(Run, AWorkspaceServesDifferentPrograms) {
  Workspace workspace;
  for (std::int64_t tile : {1000, 10, 4000}) {
    for (int threads : {2, 1, 3}) {
      const LoadedArtifact code = loaded(scratch_program(500, tile));
      std::vector<std::int64_t> out(500, -1);
      void* bindings[] = {out.data()};
      ASSERT_TRUE(run(code, bindings, {.threads = threads, .workspace = &workspace}));
      EXPECT_EQ(out, scratch_sums(500, tile));
    }
  }
}

TEST(Run, ThreadsOfTheCallerRunTheSameCode) {
  const LoadedArtifact code = loaded(scratch_program(2000, 200));
  std::vector<std::thread> callers;
  std::vector<std::vector<std::int64_t>> outs(3, std::vector<std::int64_t>(2000, -1));
  for (std::vector<std::int64_t>& out : outs) {
    callers.emplace_back([&] {
      void* bindings[] = {out.data()};
      EXPECT_TRUE(run(code, bindings, {.threads = 2}));
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::vector<std::int64_t>& out : outs) EXPECT_EQ(out, scratch_sums(2000, 200));
}

TEST(Run, LaunchesAreInOrder) {
  constexpr std::int64_t kCount = 30000;
  Builder b("order");
  const BufferId out = b.argument("out", ScalarType::I64, Access::Write, kCount);
  const BufferId temp = b.temporary("temp", ScalarType::I64, kCount);
  std::vector<ValueId> at = b.begin_kernel("fill", {kCount});
  b.store(temp, at[0], b.mul(at[0], 3));
  b.end_kernel();
  at = b.begin_kernel("mirror", {kCount});
  b.store(out, at[0], b.load(temp, b.sub(b.const_i64(kCount - 1), at[0])));
  b.end_kernel();
  const LoadedArtifact code = loaded(b.finish());
  std::vector<std::int64_t> result(kCount);
  void* bindings[] = {result.data(), nullptr};
  ASSERT_TRUE(run(code, bindings, {.threads = 2}));
  for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(result[static_cast<std::size_t>(i)], 3 * (kCount - 1 - i));
}

TEST(Run, MissingMemoryIsRefused) {
  const LoadedArtifact code = loaded(scale_program(4));
  float factor = 1;
  std::vector<float> x(4);
  void* two_missing[] = {&factor, nullptr, nullptr};
  const auto null = run(code, two_missing, {});
  ASSERT_FALSE(null);
  ASSERT_EQ(null.error().size(), 2u);
  EXPECT_EQ(null.error()[0].code, DiagCode::MissingArgument);
  EXPECT_NE(null.error()[1].message.find("'y'"), std::string::npos);
  void* too_few[] = {&factor, x.data()};
  const auto few = run(code, too_few, {});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error()[0].code, DiagCode::MissingArgument);
}

TEST(Run, BuffersWithoutElementsNeedNoMemory) {
  const LoadedArtifact code = loaded(scale_program(0));
  float factor = 1;
  void* bindings[] = {&factor, nullptr, nullptr};
  EXPECT_TRUE(run(code, bindings, {}));
}

TEST(Run, MemoryThatDoesNotExistIsNamed) {
  for (std::int64_t count : {std::int64_t{1} << 50, INT64_MAX / 4}) {
    Builder b("large");
    b.temporary("enormous", ScalarType::F32, count);
    b.begin_kernel("nothing", {1});
    b.end_kernel();
    const LoadedArtifact code = loaded(b.finish());
    void* bindings[] = {nullptr};
    const auto ran = run(code, bindings, {});
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error()[0].code, DiagCode::OutOfMemory);
    EXPECT_NE(ran.error()[0].message.find("bytes"), std::string::npos);
  }
  Builder b("large");
  b.begin_kernel("nothing", {1});
  b.allocation("tile", AllocationSpace::Private, ScalarType::F32, std::int64_t{1} << 50);
  b.end_kernel();
  const LoadedArtifact code = loaded(b.finish());
  const auto ran = run(code, {}, {});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error()[0].code, DiagCode::OutOfMemory);
}

#if defined(__x86_64__)
/// A caller that flushes subnormals and rounds towards zero gets the results of everybody else, and keeps its settings.
TEST(Run, TheCallersRoundingIsNotUsedAndKept) {
  const LoadedArtifact code = loaded(scale_program(60000));
  const unsigned before = _mm_getcsr();
  const unsigned odd = before | 0x8040u | 0x6000u;  // flush to zero, denormals are zero, round towards zero
  for (int threads : {1, 2}) {
    float factor = 0.1f;
    std::vector<float> x(60000, 0x1p-130f), y(60000);
    void* bindings[] = {&factor, x.data(), y.data()};
    _mm_setcsr(odd);
    const bool ran = run(code, bindings, {.threads = threads}).has_value();
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    ASSERT_TRUE(ran);
    EXPECT_EQ(after & 0xffc0u, odd & 0xffc0u);
    const float expected = 0x1p-130f * factor;
    ASSERT_NE(expected, 0.0f);
    EXPECT_EQ(std::count(y.begin(), y.end(), expected), 60000);
  }
}
#endif

}  // namespace
}  // namespace tilewright::runtime_cpu
