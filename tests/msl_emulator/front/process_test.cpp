#include "runtime/msl_emulator/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

namespace tilewright::msl_emulator {
namespace {

ProcessResult shell(const std::string& script, ProcessLimits limits = {}) {
  const Result<ProcessResult> result = run_process({"/bin/sh", "-c", script}, limits);
  EXPECT_TRUE(result);
  return result ? *result : ProcessResult{};
}

TEST(Process, BothStreamsAndTheStatus) {
  const ProcessResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.end, ProcessEnd::Exited);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(shell("exit 0").ok());
}

TEST(Process, LargeOutputsDoNotBlock) {
  const ProcessResult result = shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2");
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output.size(), 3'000'000u);
  EXPECT_EQ(result.errors.size(), 2'000'000u);
}

TEST(Process, SignalsAreTold) {
  const ProcessResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.end, ProcessEnd::Signalled);
  EXPECT_EQ(result.status, SIGSEGV);
}

TEST(Process, TimeAndOutputAreBounded) {
  ProcessLimits limits;
  limits.seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  // The child of the shell keeps the streams open; it is killed with the shell.
  EXPECT_EQ(shell("sleep 30; true", limits).end, ProcessEnd::TimedOut);
  EXPECT_EQ(shell("exec >&- 2>&-; sleep 30", limits).end, ProcessEnd::TimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  limits.seconds = 30;
  limits.output_bytes = 100'000;
  EXPECT_EQ(shell("yes", limits).end, ProcessEnd::TooMuchOutput);
}

TEST(Process, MemoryIsBounded) {
  ProcessLimits limits;
  limits.memory_bytes = std::uint64_t{256} << 20;
  EXPECT_EQ(shell("sleep 0.1; ulimit -v", limits).output, "262144\n");
}

TEST(Process, ItSeesNoEnvironmentAndNoInput) {
  ASSERT_EQ(::setenv("TILEWRIGHT_SECRET", "x", 1), 0);
  const ProcessResult result = shell("cat; env | grep -c SECRET");
  EXPECT_EQ(result.output, "0\n");
  ::unsetenv("TILEWRIGHT_SECRET");
}

TEST(Process, AMissingProgramIsNamed) {
  const auto result = run_process({"/nonexistent/clang"}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, DiagCode::ToolMissing);
  EXPECT_NE(result.error()[0].message.find("/nonexistent/clang"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::msl_emulator
