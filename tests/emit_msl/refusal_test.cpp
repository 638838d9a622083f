// What is refused, with the words that say why; launches and their sizes.
#include <gtest/gtest.h>

#include "emit/msl/emit.h"
#include "kernel/group_programs.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// Emitting fails with one diagnostic that holds the words.
void expect_refusal(const Program& program, DiagCode code, const std::string& words, const EmitOptions& options = {}) {
  const Result<artifact::Artifact> emitted = emit(program, options);
  ASSERT_FALSE(emitted) << words;
  ASSERT_FALSE(emitted.error().empty());
  EXPECT_EQ(emitted.error()[0].code, code) << render(emitted.error());
  EXPECT_NE(emitted.error()[0].message.find(words), std::string::npos) << render(emitted.error());
  EXPECT_FALSE(emitted.error()[0].hint.empty());
}
void expect_refusal(const std::string& text, DiagCode code, const std::string& words, const EmitOptions& options = {}) {
  expect_refusal(parsed(text), code, words, options);
}

/// One kernel of those lines.
std::string program_of(const std::vector<std::int64_t>& tasks, const std::string& group,
                       const std::string& lines = "") {
  std::string names;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    names += (i == 0 ? "%t" : ", %t") + std::to_string(i) + ": " + std::to_string(tasks[i]);
  return "kernel program p {\n kernel k tasks(" + names + ") " + group + " {\n" + lines + "\n}\n}\n";
}
constexpr const char* kPair = "group 64 of 32";

artifact::Launch launch_of_tasks(const std::vector<std::int64_t>& tasks, const std::string& group = "") {
  const Result<artifact::Artifact> emitted = emit(parsed(program_of(tasks, group)));
  EXPECT_TRUE(emitted);
  return emitted ? emitted->launches.at(0) : artifact::Launch{};
}

using Groups = std::array<std::int64_t, 3>;

TEST(MetalLaunches, AThreadATask) {
  EXPECT_EQ(launch_of_tasks({}).group->groups, (Groups{1, 1, 1}));
  EXPECT_EQ(launch_of_tasks({}).group->workers, 1);
  EXPECT_EQ(launch_of_tasks({200}).group->workers, 200);
  EXPECT_EQ(launch_of_tasks({10, 100}).group->groups, (Groups{4, 1, 1}));
  EXPECT_EQ(launch_of_tasks({10, 100}).group->workers, 256);
  EXPECT_EQ(launch_of_tasks({10, 0}).group->groups, (Groups{0, 0, 0}));
  EXPECT_EQ(launch_of_tasks({10, 0}).task_count, 0);
  // 2^32 threads are the last that a position of 32 bits numbers.
  EXPECT_EQ(launch_of_tasks({65536, 65536}).group->groups, (Groups{16777216, 1, 1}));
}

TEST(MetalLaunches, AGroupATask) {
  EXPECT_EQ(launch_of_tasks({7}, kPair).group->groups, (Groups{7, 1, 1}));
  EXPECT_EQ(launch_of_tasks({3, 5}, kPair).group->groups, (Groups{5, 3, 1}));
  EXPECT_EQ(launch_of_tasks({2, 3, 5}, kPair).group->groups, (Groups{30, 1, 1}));
  EXPECT_EQ(launch_of_tasks({4294967295}, kPair).group->groups, (Groups{4294967295, 1, 1}));
  EXPECT_EQ(launch_of_tasks({1073741824, 4294967295}, kPair).group->groups, (Groups{4294967295, 1073741824, 1}));
}

TEST(MetalLaunches, GridsOver32BitsAreRefused) {
  expect_refusal(program_of({65536, 65537}, ""), DiagCode::GridTooLarge, "needs 4295032832 threads, one a task");
  expect_refusal(program_of({4294967296}, kPair), DiagCode::GridTooLarge, "needs 4294967296 groups");
  expect_refusal(program_of({2, 4294967296}, kPair), DiagCode::GridTooLarge, "needs 4294967296 groups");
}

TEST(MetalRefusals, GroupsThatMetalDoesNotHave) {
  expect_refusal(program_of({1}, "group 64 of 16", "fence 0 compiler subgroup orders shared"), DiagCode::Unsupported,
                 "counts on subgroups of 16; those of Metal have 32");
  expect_refusal(program_of({1}, "group 48 of 16", "%l: i64 = lane"), DiagCode::Unsupported, "subgroups of 16");
  // Where nothing asks who is in a subgroup, its size is anything.
  EXPECT_TRUE(emit(parsed(program_of({1}, "group 48 of 16", "fence 0 compiler group orders shared"))));
  EmitOptions narrow;
  narrow.limits.workers_per_group = 896;
  expect_refusal(program_of({1}, "group 1024 of 32"), DiagCode::Unsupported, "groups of 1024 workers; the limit is 896",
                 narrow);
  expect_refusal(kRingCopy, DiagCode::Unsupported, "kernel copy is persistent");
  expect_refusal(kAsyncReverse, DiagCode::Unsupported, "Metal has no asynchronous copies");
}

TEST(MetalRefusals, Memory) {
  const auto program = [](const std::string& allocation) { return program_of({1}, kPair, "alloc big: " + allocation); };
  EXPECT_TRUE(emit(parsed(program("f32[8192] shared"))));
  expect_refusal(program("f32[8193] shared"), DiagCode::Unsupported,
                 "with allocation big of 32772 bytes there are 32772 bytes of shared memory; the limit is 32768");
  expect_refusal(program("f32[8192] shared row 64 pad 1"), DiagCode::Unsupported, "allocation big of 33280 bytes");
  expect_refusal(program("f32[100000] private"), DiagCode::Unsupported,
                 "allocation big of 400000 bytes there are 400000 bytes of private memory of one thread");
  expect_refusal(program("f32[64] shared row 32 swizzle 2 0 0"), DiagCode::Unsupported, "allocation big is swizzled");
}

TEST(MetalRefusals, Atoms) {
  const std::string gemm = kStagedGemm;
  expect_refusal(replaced(gemm, "atom metal.simdgroup8x8", "atom metal.mpp"), DiagCode::Unsupported,
                 "metal.mpp is made from views of memory");
  const auto sixteen = [](const std::string& type) {
    return program_of({1}, "group 32 of 32", "%x: f32 = const 0.0\n%f: f32." + type + " = fragment_fill %x");
  };
  EXPECT_TRUE(emit(parsed(sixteen("8x8"))));
  expect_refusal(sixteen("16x8"), DiagCode::Unsupported, "f32.16x8 is no matrix of Metal's SIMD groups");
}

TEST(MetalRefusals, FencesThatOrderMoreThanWhoComes) {
  expect_refusal(program_of({1}, kPair, "fence 0 compiler subgroup scope group orders shared"), DiagCode::Unsupported,
                 "orders the memory of those who come to it");
}

TEST(MetalRefusals, StridesThatMayBeNegative) {
  expect_refusal(R"(kernel program p {
    buffer A: f32[64] read
    kernel k tasks(%t: 2) group 32 of 32 {
      %3: i64 = const -8
      %s: i64 = mul %t, %3
      %0: i64 = const 0
      %f: f32.8x8 = fragment_load A[%0] stride %s
    }
  })",
                 DiagCode::Unsupported, "the row stride may be negative");
}

TEST(MetalRefusals, MoreBuffersThanMetalNumbers) {
  std::string text = "kernel program p {\n";
  for (int i = 0; i < 32; ++i) text += "buffer b" + std::to_string(i) + ": f32[1] write\n";
  text += "kernel k tasks() {\n%0: i64 = const 0\n%x: f32 = const 1.0\nstore b31[%0] = %x\n}\n}";
  expect_refusal(text, DiagCode::Unsupported, "takes buffer b31 as number 31; Metal numbers 31");
}

}  // namespace
}  // namespace tilewright::emit_msl
