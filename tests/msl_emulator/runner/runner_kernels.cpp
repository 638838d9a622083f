#include "msl_emulator/runner/runner_kernels.h"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/msl_emulator/toolchain.h"

namespace tilewright::msl_emulator::runner_test {

namespace {

std::string kernels_path() { return std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/msl_emulator/runner/kernels.metal"; }

CompiledLibrary compiled(bool checks) {
  CompileRequest request;
  request.path = kernels_path();
  request.checks = checks;
  auto library = compile(request, toolchain());
  if (!library) ADD_FAILURE() << render(library.error());
  return library ? std::move(*library) : CompiledLibrary{};
}

}  // namespace

Toolchain toolchain() {
  auto found = find_toolchain(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl", TILEWRIGHT_MSL_RUNNER, "");
  if (!found) ADD_FAILURE() << render(found.error());
  return found ? *found : Toolchain{};
}

const CompiledLibrary& library() {
  static const CompiledLibrary kLibrary = compiled(true);
  return kLibrary;
}

const CompiledLibrary& unchecked_library() {
  static const CompiledLibrary kLibrary = compiled(false);
  return kLibrary;
}

LaunchRequest request(const std::string& kernel, Uint3 groups, Uint3 threads, std::vector<BufferBinding> buffers) {
  LaunchRequest result;
  result.kernel = kernel;
  result.threadgroups = groups;
  result.threads_per_threadgroup = threads;
  result.buffers = std::move(buffers);
  result.workers = 1;
  return result;
}

LaunchResult run(const LaunchRequest& request, const CompiledLibrary& of) {
  auto result = launch(of, request, toolchain());
  if (!result) ADD_FAILURE() << render(result.error());
  return result ? std::move(*result) : LaunchResult{};
}

std::uint32_t line_of(const std::string& mark) {
  std::ifstream file(kernels_path());
  std::string line;
  for (std::uint32_t number = 1; std::getline(file, line); ++number)
    if (line.ends_with("// <- " + mark)) return number;
  ADD_FAILURE() << "no line is marked " << mark;
  return 0;
}

std::string describe(const LaunchResult& result) {
  std::string text = fmt::format("finished {}\n", result.finished);
  for (const Report& report : result.reports)
    text += fmt::format("{} {}:{} x{} {}\n", report_kind_name(report.kind), report.file, report.line, report.count,
                        report.message);
  for (const std::string& note : result.notes) text += note + "\n";
  return text;
}

}  // namespace tilewright::msl_emulator::runner_test
