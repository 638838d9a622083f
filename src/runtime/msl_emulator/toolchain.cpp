#include "runtime/msl_emulator/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::msl_emulator {

namespace {

struct NeededProgram {
  std::string_view versioned;  ///< the name in a folder of PATH
  std::string_view plain;      ///< the name in LLVM's own folder
  std::string_view package;
};
constexpr NeededProgram kClang{"clang-19", "clang", "clang-19"};
constexpr NeededProgram kOpt{"opt-19", "opt", "llvm-19"};

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_program(const NeededProgram& program, std::string_view path,
                                        const std::string& llvm_folder) {
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(folder.size() < path.size() ? folder.size() + 1 : path.size());
    // A relative folder would make the program depend on where the caller stands.
    if (!folder.starts_with('/')) continue;
    const std::filesystem::path candidate = std::filesystem::path(folder) / program.versioned;
    if (is_program(candidate)) return candidate.string();
  }
  const std::filesystem::path candidate = std::filesystem::path(llvm_folder) / program.plain;
  if (is_program(candidate)) return candidate.string();
  return std::nullopt;
}

std::string absolute_path(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

Result<Toolchain> find_toolchain_in(const std::string& path, const std::string& llvm_folder, std::string shim_folder,
                                    std::string runner, std::string cache_folder) {
  Toolchain found;
  Diags missing;
  const auto need = [&](const NeededProgram& program, std::string& into) {
    if (std::optional<std::string> at = find_program(program, path, llvm_folder)) {
      into = std::move(*at);
      return;
    }
    missing.push_back(
        {DiagCode::ToolMissing,
         fmt::format("the program {} is neither in PATH nor in {}", program.versioned, llvm_folder),
         {},
         fmt::format("install the Debian package {}: apt-get install {}", program.package, program.package),
         {}});
  };
  need(kClang, found.clang);
  need(kOpt, found.opt);
  if (!missing.empty()) return std::unexpected(std::move(missing));
  found.shim_folder = absolute_path(shim_folder);
  found.runner = absolute_path(runner);
  found.cache_folder = absolute_path(cache_folder);
  return found;
}

Result<Toolchain> find_toolchain(std::string shim_folder, std::string runner, std::string cache_folder) {
  const char* path = std::getenv("PATH");
  return find_toolchain_in(path == nullptr ? "" : path, "/usr/lib/llvm-19/bin", std::move(shim_folder),
                           std::move(runner), std::move(cache_folder));
}

}  // namespace tilewright::msl_emulator
