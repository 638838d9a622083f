// The library's programs by their plans: fences coalesced, checked, and taken out one by one.
#include <algorithm>
#include <cctype>

#include "case_count.h"
#include "kernel/test_memory.h"
#include "lower_group/planned_run.h"
#include "programs/problem_lines.h"
#include "sync/check.h"
#include "sync/coalesce.h"
#include "sync/drop_fences.h"
#include "sync/synchronize.h"

namespace tilewright::sync::lowered_test {
namespace {

using lower::testing::Settings;

/// What a run of the interpreter shows.
struct Outcome {
  bool races = false;
  std::uint64_t ops = 0;
  std::vector<std::vector<std::byte>> memory;
};
Outcome run(const kernel::Program& program) {
  const kernel::TestMemory memory(program, 3);
  const auto counts = kernel::interpret(program, memory.bases());
  Outcome outcome{!counts, 0, memory.blocks()};
  if (counts)
    for (const kernel::Counts& kernel : *counts) outcome.ops += kernel.ops;
  else
    for (const Diag& fault : counts.error()) EXPECT_EQ(fault.code, DiagCode::AccessRace) << render(fault);
  return outcome;
}

/// A launch refuses a written buffer that overlaps another one.
SyncRequest request_for(const kernel::Program& program) {
  KernelRequest request;
  request.premises.distinct_buffers =
      proof::Premise{proof::Guarantor::Launch, "a buffer that is written overlaps no other (checked at launch)"};
  return {std::vector<KernelRequest>(program.kernels.size(), request)};
}

bool is_unordered(const kernel::Program& program) {
  for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel)
    if (!unordered_accesses(program, kernel, {.distinct_buffers = true}).empty()) return true;
  return false;
}

/// Why the rule keeps a fence.
std::string kept_by(const kernel::Program& program, std::size_t kernel, std::uint32_t identity) {
  for (const FenceVerdict& answer : redundant_fences(program, kernel)) {
    if (answer.identity != identity) continue;
    if (const auto* unknown = std::get_if<proof::Unknown>(&answer.verdict)) return std::string(unknown->code);
    if (const auto* refuted = std::get_if<proof::Refuted>(&answer.verdict)) return std::string(refuted->code);
  }
  return "proved";
}

/// Checker and interpreter agree about every fence that is left; what neither misses the rule has a reason to keep.
void take_each_out(const kernel::Program& program) {
  for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel)
    for (std::uint32_t identity : compiler_fence_sites(program, program.kernels[kernel])) {
      const kernel::Program less = without_fences(program, kernel, {identity});
      const bool objects = is_unordered(less);
      EXPECT_EQ(objects, run(less).races) << "kernel " << kernel << " fence " << identity;
      if (!objects) {
        EXPECT_NE(kept_by(program, kernel, identity), "proved") << "kernel " << kernel << " fence " << identity;
      }
    }
}

/// Runs of this many operations are repeated for every fence.
constexpr std::uint64_t kShortRun = kSanitized ? 50'000 : 1'000'000;

void check_line(const std::string& line, const Settings& settings) {
  std::string options;
  for (const auto& [name, value] : settings) options += " " + name + "=" + value;
  SCOPED_TRACE(line + options);
  const auto lowered = lower::testing::lower_line(line, settings);
  if (!lowered) return;
  const kernel::Program& reference = lowered->kernels;
  if (std::ranges::all_of(reference.kernels, [](const kernel::Kernel& kernel) { return kernel.group.workers <= 1; }))
    return;
  const auto made = synchronize(reference, request_for(reference));
  ASSERT_TRUE(made) << render(made.error());
  ASSERT_FALSE(is_unordered(reference));
  const Outcome before = run(reference), after = run(made->program);
  EXPECT_FALSE(before.races);
  EXPECT_FALSE(after.races);
  EXPECT_EQ(before.memory, after.memory);
  for (const KernelFences& facts : made->facts) EXPECT_LE(facts.sites_after, facts.sites_before);
  if (after.ops < kShortRun) take_each_out(made->program);
}

class LoweredPrograms : public ::testing::TestWithParam<const char*> {};

TEST_P(LoweredPrograms, FencesAreCoalescedAndTheRestIsNeeded) {
  check_line(GetParam(), {});
  check_line(GetParam(), {{"noalias", "true"}});
}

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// With sanitizers every fifth.
std::vector<const char*> lines() {
  std::vector<const char*> chosen;
  for (std::size_t i = 0; i < std::size(driver::kProblemLines); i += kSanitized ? 5 : 1)
    chosen.push_back(driver::kProblemLines[i]);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(All, LoweredPrograms, ::testing::ValuesIn(lines()), test_name);

class LoweredOptions : public ::testing::TestWithParam<const char*> {};

TEST_P(LoweredOptions, FencesAreCoalescedAndTheRestIsNeeded) {
  const Settings each[] = {{{"retain_accumulators", "false"}}, {{"direct_accumulator_store", "false"}},
                           {{"max_copy_batch", "4"}},          {{"max_pipeline_prefetch_scalars_per_lane", "0"}},
                           {{"pad_shared_rows", "true"}},      {{"pipeline_window", "1"}},
                           {{"pipeline_window", "2"}},         {{"threads_per_group", "32"}},
                           {{"threads_per_group", "96"}},      {{"threads_per_group", "256"}},
                           {{"program_order_rows", "3"}}};
  for (std::size_t i = 0; i < std::size(each); i += kSanitized ? 4 : 1) check_line(GetParam(), each[i]);
}

INSTANTIATE_TEST_SUITE_P(
    All, LoweredOptions,
    ::testing::Values("gemm M=40 N=36 K=19 BM=32 BN=32 BK=16", "gemm M=32 N=32 K=32 T=f16 BM=32 BN=32 BK=16",
                      "gemm_bias_gelu M=33 N=8 K=24 BM=32 BN=32 BK=16", "mlp N=8 D=17 H=40 C=10 BM=32 BN=32 BK=16",
                      "batched_gemm G=2 M=33 N=10 K=17 BM=32 BN=32 BK=16",
                      "attention B=1 Hq=2 Hkv=1 Lq=17 Lk=33 D=16 Dv=8 scale=0.3 causal=1 BQ=16 BK=16"),
    test_name);

}  // namespace
}  // namespace tilewright::sync::lowered_test
