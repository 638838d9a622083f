#include "runtime/msl_emulator/front/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "runtime/msl_emulator/front/tokens.h"
#include "runtime/msl_emulator/process.h"
#include "support/files.h"
#include "support/number_text.h"

namespace tilewright::msl_emulator {

namespace {

std::string canonical_or_empty(const std::string& path) {
  std::error_code error;
  std::string real = std::filesystem::canonical(path, error).string();
  return error ? std::string{} : real;
}

std::string folder_of_source(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool is_macro_name(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const auto part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), part) && !(name[0] >= '0' && name[0] <= '9');
}

/// `target: a b\ c \` of a dependency file.
std::vector<std::string> dependency_paths(std::string_view text) {
  std::vector<std::string> paths;
  std::string path;
  const std::size_t colon = text.find(": ");
  for (std::size_t i = colon == std::string_view::npos ? 0 : colon + 2; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\n';
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (c == '\\' && next != '\n') {
      path += next;
      ++i;
    } else if (c == '$' && next == '$') {
      path += c;
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\\') {
      if (!path.empty()) paths.push_back(std::exchange(path, {}));
    } else {
      path += c;
    }
  }
  return paths;
}

/// Where the preprocessed text enters a file that the predicate picks.
template <class Pick>
SourcePlace place_of_include(std::string_view text, Pick pick) {
  SourcePlace here{"", 0, 1, 1, {}};
  for (std::uint32_t number = 0; !text.empty();) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with("# ") || line.size() < 3 || line[2] < '0' || line[2] > '9') {
      ++number;
      continue;
    }
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open == std::string_view::npos || close == open) continue;
    std::string name(line.substr(open + 1, close - open - 1));
    if (line.substr(close).find(" 1") != std::string_view::npos && pick(name)) {
      here.line = number;
      return here;
    }
    here.file = std::move(name);
    number = static_cast<std::uint32_t>(parse_uint64(line.substr(2, line.find(' ', 2) - 2)).value_or(1));
  }
  return {};
}

std::vector<std::string> preprocess_command(const CompileRequest& request, Dialect dialect, const Toolchain& toolchain,
                                            const std::string& source, const std::string& dependencies) {
  std::vector<std::string> command{toolchain.clang, "-E"};
  for (std::string& argument : language_arguments(dialect)) command.push_back(std::move(argument));
  for (const char* argument :
       {"-nostdinc", "-nostdinc++", "-w", "-fno-color-diagnostics", "-fno-diagnostics-show-line-numbers",
        "-ferror-limit=20", "-D__METAL__=1", "-D__METAL_MACOS__=1"})
    command.emplace_back(argument);
  command.push_back(fmt::format("-D__METAL_VERSION__={}", request.metal_version));
  if (request.metal_version >= kTensorVersion) command.emplace_back("-D__HAVE_TENSOR__=1");
  command.emplace_back(dialect == Dialect::OpenCl ? "-DEMU_OPENCL=1" : "-DEMU_CPP20=1");
  for (const std::string& define : request.defines) command.push_back("-D" + define);
  command.insert(command.end(), {"-iquote", folder_of_source(request.path), "-I" + toolchain.shim_folder});
  for (const std::string& path : request.include_paths) command.push_back("-I" + path);
  command.insert(command.end(), {"-include", toolchain.shim_folder + "/emu/launch.h"});
  command.insert(command.end(), {"-MD", "-MF", dependencies, "-MT", "kernel", source});
  return command;
}

Result<void> check_defines(const CompileRequest& request) {
  for (const std::string& define : request.defines)
    if (!is_macro_name(define))
      return failure(DiagCode::KernelCompile,
                     fmt::format("expected NAME or NAME=VALUE as a definition, found '{}'", define));
  return {};
}

/// What was read, sorted into the result. KernelCompile: a file that must not be.
Result<void> sort_dependencies(const std::vector<std::string>& paths, const std::string& source,
                               const Toolchain& toolchain, SourceFiles& files, Preprocessed& result) {
  const std::string shim = canonical_or_empty(toolchain.shim_folder);
  for (const std::string& path : paths) {
    if (path == source) continue;
    const std::string real = canonical_or_empty(path);
    if (!files.may_read(path)) {
      const auto same = [&](const std::string& name) { return name == path; };
      Diag diag{DiagCode::KernelCompile,
                fmt::format("'{}' is outside the folders that this text may include from", path),
                place_of_include(result.text, same),
                "allow its folder with an include path",
                {}};
      files.complete(diag.place, {});
      return failure(std::move(diag));
    }
    if (!is_inside(real, shim)) {
      result.files.push_back(real);
      continue;
    }
    const std::string name = real.substr(shim.size() + 1);
    if (name.starts_with("MetalPerformancePrimitives/") || name == "metal_tensor" || name == "metal_cooperative_tensor")
      result.uses_tensors = true;
  }
  return {};
}

}  // namespace

std::vector<std::string> language_arguments(Dialect dialect) {
  if (dialect == Dialect::Cpp20) return {"-x", "c++", "-std=c++23", "-Xclang", "-cl-single-precision-constant"};
  return {"-x",
          "clcpp",
          "-cl-std=clc++2021",
          "-cl-no-stdinc",
          "--target=x86_64-linux-gnu",
          "-Xclang",
          "-cl-ext=+cl_khr_fp16",
          "-cl-single-precision-constant"};
}

std::vector<std::string> readable_folders(const CompileRequest& request, const Toolchain& toolchain) {
  std::vector<std::string> folders{canonical_or_empty(folder_of_source(request.path)),
                                   canonical_or_empty(toolchain.shim_folder)};
  for (const std::string& path : request.include_paths) folders.push_back(canonical_or_empty(path));
  std::erase(folders, "");
  return folders;
}

Result<Preprocessed> preprocess(const std::string& text, const CompileRequest& request, Dialect dialect,
                                const Toolchain& toolchain, const std::string& scratch_folder, SourceFiles& files) {
  TW_TRY_VOID(check_defines(request));
  const std::string source = scratch_folder + "/source.metal";
  const std::string dependencies = scratch_folder + "/dependencies";
  std::string escaped;
  for (const char c : request.path) escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  std::ofstream(source, std::ios::binary) << "# 1 \"" << escaped << "\"\n" << text;
  TW_TRY(ProcessResult run, run_process(preprocess_command(request, dialect, toolchain, source, dependencies), {}));
  if (run.end == ProcessEnd::TimedOut)
    return failure(DiagCode::KernelCompile, "the preprocessor took longer than 60 s");
  if (run.end == ProcessEnd::TooMuchOutput)
    return failure(DiagCode::KernelCompile, "the text grows beyond 32 MiB when its macros and includes are expanded");
  Preprocessed result;
  result.text = std::move(run.output);
  if (const Result<std::string> read = read_file(dependencies))
    TW_TRY_VOID(sort_dependencies(dependency_paths(*read), source, toolchain, files, result));
  if (run.ok()) return result;
  Diags diags = clang_errors(run.errors, toolchain.shim_folder, files);
  if (diags.empty())
    diags.push_back({DiagCode::KernelCompile,
                     run.end == ProcessEnd::Signalled
                         ? fmt::format("the preprocessor was stopped by signal {}", run.status)
                         : std::string("the preprocessor refused the text"),
                     {},
                     {},
                     {}});
  return std::unexpected(std::move(diags));
}

}  // namespace tilewright::msl_emulator
