#include "emulated.h"

#include <map>
#include <random>
#include <utility>

#include "runtime/msl_emulator/toolchain.h"
#include "tilewright/errors.h"

namespace tilewright::msl_emulator::shim_test {

namespace {

const Toolchain& toolchain() {
  static const Toolchain kFound = [] {
    Result<Toolchain> result =
        find_toolchain(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl", TILEWRIGHT_MSL_RUNNER, "");
    EXPECT_TRUE(result) << (result ? "" : render(result.error()));
    return result ? *result : Toolchain{};
  }();
  return kFound;
}

}  // namespace

const Result<CompiledLibrary>& library_of(const std::string& file, Dialect dialect) {
  static std::map<std::pair<std::string, Dialect>, Result<CompiledLibrary>> compiled;
  const auto key = std::pair(file, dialect);
  auto found = compiled.find(key);
  if (found == compiled.end()) {
    CompileRequest request;
    request.path = std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/msl_emulator/shim/kernels/" + file;
    request.dialect = dialect;
    found = compiled.emplace(key, compile(request, toolchain())).first;
  }
  return found->second;
}

LaunchResult run(const std::string& file, Dialect dialect, const std::string& kernel, std::uint32_t groups,
                 std::uint32_t threads, std::initializer_list<std::span<std::byte>> buffers,
                 std::uint64_t threadgroup_bytes) {
  const Result<CompiledLibrary>& library = library_of(file, dialect);
  if (!library) {
    ADD_FAILURE() << render(library.error());
    return {};
  }
  LaunchRequest request;
  request.kernel = kernel;
  request.threadgroups = {groups, 1, 1};
  request.threads_per_threadgroup = {threads, 1, 1};
  request.workers = 1;
  std::uint32_t index = 0;
  for (const std::span<std::byte> buffer : buffers) {
    BufferBinding binding;
    binding.index = index++;
    binding.bytes = buffer;
    request.buffers.push_back(binding);
  }
  if (threadgroup_bytes != 0) request.threadgroup_memory = {{0, threadgroup_bytes}};
  Result<LaunchResult> result = launch(*library, request, toolchain());
  if (!result) {
    ADD_FAILURE() << kernel << ": " << render(result.error());
    return {};
  }
  return *std::move(result);
}

void run_clean(const std::string& file, Dialect dialect, const std::string& kernel, std::uint32_t groups,
               std::uint32_t threads, std::initializer_list<std::span<std::byte>> buffers,
               std::uint64_t threadgroup_bytes) {
  const LaunchResult result = run(file, dialect, kernel, groups, threads, buffers, threadgroup_bytes);
  EXPECT_TRUE(result.finished) << kernel;
  for (const Report& report : result.reports)
    ADD_FAILURE() << kernel << ": " << report_kind_name(report.kind) << " at " << report.file << ":" << report.line
                  << ": " << report.message;
}

std::vector<float> table_of(std::size_t count, double low, double high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> table(count);
  for (float& value : table) value = static_cast<float>(low + (high - low) * static_cast<double>(random() % 256) / 256);
  return table;
}

std::string name_of_dialect(const ::testing::TestParamInfo<Dialect>& info) {
  return info.param == Dialect::OpenCl ? "opencl" : "cpp20";
}

}  // namespace tilewright::msl_emulator::shim_test
