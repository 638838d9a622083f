#include "corpus_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/msl_emulator/toolchain.h"

namespace tilewright::msl_emulator::corpus {

Result<Toolchain> test_toolchain() {
  return find_toolchain(std::string(TILEWRIGHT_SOURCE_DIR) + "/shims/msl", TILEWRIGHT_MSL_RUNNER, "");
}

CompileRequest compile_request(const CaseFile& file, const Section* section, Dialect dialect) {
  CompileRequest request;
  request.path = file.path;
  request.text = section == nullptr ? file.text : text_of_section(file, *section);
  request.defines = file.defines;
  request.constants = file.constants;
  request.dialect = dialect;
  request.metal_version = file.metal_version;
  return request;
}

Result<CaseRun> launch_case(const Case& one, const CompiledLibrary& library, const Toolchain& toolchain,
                            const Schedules& schedules) {
  CaseRun run;
  LaunchRequest request;
  request.kernel = one.kernel;
  request.threadgroups = one.groups;
  request.threads_per_threadgroup = one.threads_per_group;
  request.threads = one.grid;
  request.threadgroup_memory = one.threadgroup_memory;
  request.device = one.device;
  request.first_schedule = schedules.first;
  request.schedules = schedules.count;
  request.seed = schedules.seed;
  request.workers = schedules.workers;
  request.timeout_seconds = one.timeout_seconds;
  run.buffers.reserve(one.buffers.size());
  for (const CaseBuffer& buffer : one.buffers) {
    run.buffers.push_back(filled(buffer.element, buffer.count, buffer.fill));
    BufferBinding binding;
    binding.index = buffer.index;
    binding.label = "buffer";
    binding.bytes = run.buffers.back();
    binding.initialized = buffer.fill.rule != Rule::Uninitialized;
    binding.read_only = buffer.read_only;
    binding.tensor_extents = buffer.tensor_extents;
    binding.tensor_strides = buffer.tensor_strides;
    request.buffers.push_back(std::move(binding));
  }
  TW_TRY(run.result, launch(library, request, toolchain));
  return run;
}

std::vector<std::string> judge_results(const Case& one, const CaseRun& run) {
  std::vector<std::string> complaints;
  for (const CaseResult& wanted : one.results) {
    for (std::size_t i = 0; i < one.buffers.size(); ++i) {
      const CaseBuffer& buffer = one.buffers[i];
      if (buffer.index != wanted.index) continue;
      const std::vector<std::byte> expected = filled(buffer.element, buffer.count, wanted.fill);
      const auto differs = std::mismatch(expected.begin(), expected.end(), run.buffers[i].begin());
      if (differs.first == expected.end()) continue;
      const auto byte = static_cast<std::size_t>(differs.first - expected.begin());
      complaints.push_back(
          fmt::format("buffer {} differs at element {}", wanted.index, byte / element_bytes(buffer.element)));
    }
  }
  return complaints;
}

}  // namespace tilewright::msl_emulator::corpus
