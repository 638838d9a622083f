#include "runtime/msl_emulator/source_lines.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/msl_emulator/process.h"

namespace tilewright::msl_emulator {

namespace {

namespace fs = std::filesystem;

/// It comes in the same package as opt-19, so it lies beside it.
std::string find_symbolizer(const Toolchain& toolchain) {
  const fs::path beside = fs::path(toolchain.opt).parent_path();
  std::error_code error;
  for (const fs::path& candidate :
       {beside / "llvm-symbolizer-19", beside / "llvm-symbolizer", fs::path("/usr/bin/llvm-symbolizer-19"),
        fs::path("/usr/lib/llvm-19/bin/llvm-symbolizer")})
    if (candidate.is_absolute() && fs::is_regular_file(candidate, error)) return candidate.string();
  return {};
}

bool is_inside(const std::string& file, const std::string& folder) {
  return !folder.empty() && file.starts_with(folder) && (folder.ends_with('/') || file[folder.size()] == '/');
}

/// Innermost first in the answer. A place without a line is nobody's.
SourceLine choose_frame(const nlohmann::json& frames, const std::string& shim_folder) {
  SourceLine chosen;
  for (const nlohmann::json& frame : frames) {
    const SourceLine line{frame.value("FileName", ""), frame.value("Line", 0u)};
    if (line.line == 0 || line.file.empty()) continue;
    chosen = line;
    if (!is_inside(line.file, shim_folder)) break;
  }
  return chosen;
}

}  // namespace

std::map<std::uint64_t, SourceLine> find_source_lines(const CompiledLibrary& library, const Toolchain& toolchain,
                                                      const std::vector<std::uint64_t>& addresses,
                                                      std::vector<std::string>& notes) {
  std::map<std::uint64_t, SourceLine> lines;
  if (addresses.empty()) return lines;
  const std::string program = find_symbolizer(toolchain);
  if (program.empty()) {
    notes.emplace_back("reports have no lines: llvm-symbolizer-19 is not installed (Debian package llvm-19)");
    return lines;
  }
  std::vector<std::string> arguments{program, "--output-style=JSON", "--obj=" + library.object_path};
  for (const std::uint64_t address : addresses) arguments.push_back(fmt::format("{:#x}", address));
  const Result<ProcessResult> run = run_process(arguments, {});
  const auto answer = nlohmann::json::parse(run && run->ok() ? run->output : "", nullptr, false);
  if (!answer.is_array()) {
    notes.push_back(fmt::format("reports have no lines: {} failed", program));
    return lines;
  }
  for (std::size_t i = 0; i < answer.size() && i < addresses.size(); ++i) {
    const nlohmann::json& one = answer[i];
    if (!one.is_object() || !one.contains("Symbol") || !one["Symbol"].is_array()) continue;
    const SourceLine line = choose_frame(one["Symbol"], toolchain.shim_folder);
    if (line.line != 0) lines[addresses[i]] = line;
  }
  return lines;
}

}  // namespace tilewright::msl_emulator
