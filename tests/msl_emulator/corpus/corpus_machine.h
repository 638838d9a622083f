// Compiles and launches what the corpus holds.
#pragma once

#include <string>
#include <vector>

#include "corpus_case.h"

namespace tilewright::msl_emulator::corpus {

/// The tools of this machine, the shim of the tree, the runner of this build, and no cache.
Result<Toolchain> test_toolchain();

/// The request for the whole file, or for one section of it.
CompileRequest compile_request(const CaseFile& file, const Section* section, Dialect dialect);

/// Which of the schedules to run, with how many threads of the runner.
struct Schedules {
  std::uint32_t first = 0, count = 1;
  std::uint64_t seed = 0;
  std::uint32_t workers = 0;
};

struct CaseRun {
  LaunchResult result;
  std::vector<std::vector<std::byte>> buffers;  ///< in the order of the case
};
Result<CaseRun> launch_case(const Case& one, const CompiledLibrary& library, const Toolchain& toolchain,
                            const Schedules& schedules);

/// Complaints about what the launch left in the buffers that the case names.
std::vector<std::string> judge_results(const Case& one, const CaseRun& run);

}  // namespace tilewright::msl_emulator::corpus
