#include <gtest/gtest.h>

#include "msl_emulator/runner/runner_kernels.h"

namespace tilewright::msl_emulator::runner_test {
namespace {

/// The message of a launch that is refused with a code.
std::string refusal(const LaunchRequest& request, DiagCode code, const Toolchain& tools = toolchain()) {
  const auto result = launch(library(), request, tools);
  if (result) {
    ADD_FAILURE() << "not refused";
    return {};
  }
  EXPECT_EQ(diag_code_name(result.error()[0].code), diag_code_name(code)) << render(result.error());
  return render(result.error());
}

bool names(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class LaunchErrors : public testing::Test {
 protected:
  std::vector<float> a_ = std::vector<float>(64), b_ = a_, c_ = a_;
  LaunchRequest good_ = request("add", {1, 1, 1}, {64, 1, 1}, {binding(0, a_), binding(1, b_), binding(2, c_)});
};

TEST_F(LaunchErrors, UnknownKernel) {
  good_.kernel = "subtract";
  EXPECT_TRUE(names(refusal(good_, DiagCode::KernelUnknown), "between_groups"));
}

TEST_F(LaunchErrors, Bindings) {
  LaunchRequest missing = good_;
  missing.buffers.pop_back();
  EXPECT_TRUE(names(refusal(missing, DiagCode::KernelBinding), "c [[buffer(2)]]"));
  LaunchRequest superfluous = good_;
  superfluous.buffers.push_back(binding(9, c_));
  EXPECT_TRUE(names(refusal(superfluous, DiagCode::KernelBinding), "no buffer 9"));
  LaunchRequest twice = good_;
  twice.buffers.push_back(binding(2, c_));
  refusal(twice, DiagCode::KernelBinding);
  LaunchRequest memory = good_;
  memory.threadgroup_memory = {{0, 64}};
  EXPECT_TRUE(names(refusal(memory, DiagCode::KernelBinding), "threadgroup memory 0"));
  LaunchRequest overlapping = good_;
  overlapping.buffers[2].bytes = overlapping.buffers[1].bytes.subspan(4);
  EXPECT_TRUE(names(refusal(overlapping, DiagCode::KernelBinding), "overlap"));
  LaunchRequest circular = good_;
  circular.buffers[2].same_memory_as = 2;
  refusal(circular, DiagCode::KernelBinding);
  circular.buffers[2].same_memory_as = 12;
  refusal(circular, DiagCode::KernelBinding);
}

TEST_F(LaunchErrors, Sizes) {
  LaunchRequest launch = good_;
  launch.threads_per_threadgroup = {1025, 1, 1};
  EXPECT_TRUE(names(refusal(launch, DiagCode::LaunchSize), "1024"));
  launch.threads_per_threadgroup = {0, 1, 1};
  refusal(launch, DiagCode::LaunchSize);
  launch = good_;
  launch.device.max_threads_per_threadgroup = 32;
  refusal(launch, DiagCode::LaunchSize);
  launch = good_;
  launch.threadgroups = {1u << 27, 1, 1};
  EXPECT_TRUE(names(refusal(launch, DiagCode::LaunchSize), "8589934592"));
  launch.threadgroups = {1u << 20, 1u << 20, 1u << 20};
  refusal(launch, DiagCode::LaunchSize);
  launch = good_;
  launch.memory_limit_bytes = 100;
  EXPECT_TRUE(names(refusal(launch, DiagCode::LaunchSize), "100"));
  // Elements of one byte have more shadow than is known before the kernel is asked for them.
  std::vector<std::uint8_t> bytes(1 << 16);
  LaunchRequest small = request("small_elements", {1, 1, 1}, {64, 1, 1}, {binding(0, bytes)});
  small.memory_limit_bytes = 1 << 20;
  EXPECT_TRUE(names(refusal(small, DiagCode::LaunchSize), "1048576"));
  std::vector<int> in(64), out(64);
  LaunchRequest memory = request("reverse", {1, 1, 1}, {64, 1, 1}, {binding(0, in), binding(1, out)});
  memory.threadgroup_memory = {{0, 35}};
  EXPECT_TRUE(names(refusal(memory, DiagCode::LaunchSize), "multiple of 16"));
}

TEST_F(LaunchErrors, Runner) {
  Toolchain tools = toolchain();
  tools.runner = "/nonexistent/tilewright-msl-runner";
  EXPECT_TRUE(names(refusal(good_, DiagCode::EmulatorRunner, tools), tools.runner));
  tools.runner = "/bin/false";
  EXPECT_TRUE(names(refusal(good_, DiagCode::EmulatorRunner, tools), "status 1"));
  CompiledLibrary broken = library();
  broken.object_path = "/nonexistent/kernel.so";
  const auto result = launch(broken, good_, toolchain());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, DiagCode::EmulatorRunner);
}

TEST_F(LaunchErrors, MemoryIsStatedBefore) {
  const MemoryEstimate estimate = estimate_memory(library(), good_);
  EXPECT_EQ(estimate.buffer_bytes, 3u * 256);
  EXPECT_LE(estimate.shadow_bytes, 3u * 256 * 8);
  EXPECT_GT(estimate.stack_bytes, 0u);
}

}  // namespace
}  // namespace tilewright::msl_emulator::runner_test
