#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/msl_emulator/build_object.h"
#include "runtime/msl_emulator/compile_cache.h"
#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/front/clang_messages.h"
#include "runtime/msl_emulator/front/preprocess.h"
#include "runtime/msl_emulator/front/rewrite.h"
#include "runtime/msl_emulator/front/tokens.h"
#include "runtime/msl_emulator/object_check.h"
#include "runtime/msl_emulator/scratch_folder.h"
#include "support/files.h"

namespace tilewright::msl_emulator {

namespace {

constexpr std::uint64_t kMslFileLimitBytes = std::uint64_t{16} << 20;

Result<std::string> text_of(const CompileRequest& request) {
  std::string text;
  if (request.text) {
    text = *request.text;
  } else {
    TW_TRY(text, read_file(request.path, kMslFileLimitBytes));
  }
  if (text.size() > kMslFileLimitBytes)
    return failure(DiagCode::KernelCompile,
                   fmt::format("expected a text of at most {} bytes, found {}", kMslFileLimitBytes, text.size()));
  const std::size_t null = text.find('\0');
  if (null == std::string::npos) return text;
  const auto line =
      static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(null), '\n'));
  return failure(Diag{DiagCode::KernelCompile,
                      "the text has a byte that is 0; it is no MSL",
                      {request.path, line + 1, 1, 1, {}},
                      {},
                      {}});
}

bool names_tensors(const std::string& text) {
  for (const char* word : {"MetalPerformancePrimitives", "<metal_tensor>", "<metal_cooperative_tensor>"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

/// One compile: the request and what it goes through.
class Compilation {
 public:
  Compilation(const CompileRequest& request, const Toolchain& toolchain, std::string text)
      : request_(request),
        toolchain_(toolchain),
        text_(std::move(text)),
        cache_(toolchain.cache_folder),
        fingerprint_(toolchain_fingerprint(toolchain)),
        key_(request_key(text_, request, fingerprint_)),
        files_(request.path, text_, readable_folders(request, toolchain)) {}

  Result<CompiledLibrary> run() {
    if (std::optional<CompiledLibrary> known = cache_.find(key_)) return std::move(*known);
    TW_TRY(ScratchFolder scratch, ScratchFolder::make(toolchain_.cache_folder));
    scratch_ = std::make_shared<ScratchFolder>(std::move(scratch));
    const bool tensors_likely = request_.metal_version >= kTensorVersion && names_tensors(text_);
    const Dialect first = request_.dialect.value_or(tensors_likely ? Dialect::Cpp20 : Dialect::OpenCl);
    Result<void> made = attempt(first);
    if (!made && first == Dialect::OpenCl) made = otherwise(std::move(made).error());
    if (!made) return std::unexpected(with_version_hint(std::move(made).error()));
    cache_.keep(key_, object_, library_, included_, readable_folders(request_, toolchain_));
    return std::move(library_);
  }

 private:
  /// Before that version the headers of tensors are empty, which clang's messages do not say.
  Diags with_version_hint(Diags faults) const {
    const bool too_old = request_.metal_version < kTensorVersion && names_tensors(text_);
    if (too_old && faults[0].code == DiagCode::KernelCompile && faults[0].hint.empty())
      faults[0].hint = "the text names tensors, which --metal 4.0 has";
    return faults;
  }

  /// Everything in one dialect; the library is complete then.
  Result<void> attempt(Dialect dialect) {
    beyond_opencl_.clear();
    TW_TRY(Preprocessed preprocessed, preprocess(text_, request_, dialect, toolchain_, scratch_->path(), files_));
    if (dialect == Dialect::OpenCl && preprocessed.uses_tensors) beyond_opencl_ = "it includes tensors";
    TW_TRY(RewrittenText rewritten, rewrite_for(dialect, std::move(preprocessed.text)));
    if (beyond_opencl_.empty()) beyond_opencl_ = rewritten.beyond_opencl;
    library_.entries = std::move(rewritten.entries);
    library_.dialect = dialect;
    library_.checks = request_.checks;
    included_ = std::move(preprocessed.files);
    object_ = object_key(rewritten.text, dialect, request_.checks, fingerprint_);
    if (std::optional<std::string> path = cache_.find_object(object_)) {
      library_.object_path = std::move(*path);
      return {};
    }
    TW_TRY_VOID(build(dialect, rewritten.text));
    std::string made = scratch_->path() + kObjectName;
    std::optional<std::string> kept = cache_.keep_object(object_, made);
    if (!kept) library_.owner = scratch_;
    library_.object_path = kept ? std::move(*kept) : std::move(made);
    if (cache_.enabled()) cache_.shrink();
    return {};
  }

  /// After a failure in OpenCl. The language has gaps that MSL has not; a text that falls into one is compiled in the
  /// other dialect when no dialect was asked for. A conflict of address spaces is a fault of the text.
  Result<void> otherwise(Diags faults) {
    if (faults[0].code != DiagCode::KernelCompile) return std::unexpected(std::move(faults));
    const std::string known_gap = !beyond_opencl_.empty() ? beyond_opencl_ : refused_by_tensors(faults);
    const bool conflict = std::any_of(faults.begin(), faults.end(), is_address_space_conflict);
    if (request_.dialect || (conflict && known_gap.empty())) {
      if (failed_in_compiler_ && compiles_as_cpp20())
        faults.back().hint = "the text compiles with --dialect=c++20, which does not check address spaces";
      return std::unexpected(std::move(faults));
    }
    if (known_gap.empty() && !failed_in_compiler_) return std::unexpected(std::move(faults));
    Result<void> made = attempt(Dialect::Cpp20);
    if (!made) return known_gap.empty() ? std::unexpected(std::move(faults)) : std::move(made);
    const std::string why = known_gap.empty()
                                ? fmt::format("OpenCL refuses line {}: {}", faults[0].place.line, faults[0].message)
                                : known_gap;
    library_.note =
        fmt::format("compiled as {}, which does not check address spaces: {}", dialect_name(Dialect::Cpp20), why);
    return {};
  }

  /// Headers of tensors refuse OpenCl with an #error.
  std::string refused_by_tensors(const Diags& faults) const {
    for (const Diag& fault : faults) {
      const std::string& file = fault.place.file;
      if (is_inside(file, toolchain_.shim_folder) &&
          (file.find("tensor") != std::string::npos || file.find("MetalPerformancePrimitives") != std::string::npos))
        return "it includes tensors";
    }
    return {};
  }

  Result<RewrittenText> rewrite_for(Dialect dialect, std::string preprocessed) {
    Result<RewrittenText> result =
        rewrite(std::move(preprocessed), {dialect, toolchain_.shim_folder, request_.constants, request_.kernels});
    if (result) return result;
    for (Diag& diag : result.error()) {
      files_.complete(diag.place, {});
      for (Note& note : diag.notes) files_.complete(note.place, {});
    }
    return result;
  }

  Result<void> build(Dialect dialect, const std::string& rewritten) {
    std::ofstream(scratch_->path() + kRewrittenName, std::ios::binary) << rewritten;
    for (const BuildStage& stage : build_stages(toolchain_, dialect, request_.checks, scratch_->path())) {
      TW_TRY(const ProcessResult run, run_process(stage.command, {}));
      if (run.ok()) continue;
      failed_in_compiler_ = true;
      return std::unexpected(failed_stage(stage, run));
    }
    return check_object(scratch_->path() + kObjectName);
  }

  Diags failed_stage(const BuildStage& stage, const ProcessResult& run) {
    if (run.end == ProcessEnd::TimedOut)
      return {{DiagCode::KernelCompile, fmt::format("{} took longer than 60 s", stage.what), {}, {}, {}}};
    Diags diags = clang_errors(run.errors, toolchain_.shim_folder, files_);
    if (!diags.empty()) return diags;
    const std::string end = run.end == ProcessEnd::Signalled ? fmt::format("was stopped by signal {}", run.status)
                                                             : std::string("failed without a message");
    return {{DiagCode::KernelCompile, fmt::format("{} {}", stage.what, end), {}, {}, {}}};
  }

  bool compiles_as_cpp20() {
    const auto preprocessed = preprocess(text_, request_, Dialect::Cpp20, toolchain_, scratch_->path(), files_);
    if (!preprocessed) return false;
    const auto rewritten = rewrite_for(Dialect::Cpp20, preprocessed->text);
    if (!rewritten) return false;
    std::ofstream(scratch_->path() + kRewrittenName, std::ios::binary) << rewritten->text;
    const auto run = run_process(syntax_stage(toolchain_, Dialect::Cpp20, scratch_->path()).command, {});
    return run && run->ok();
  }

  const CompileRequest& request_;
  const Toolchain& toolchain_;
  std::string text_;
  CompileCache cache_;
  Hash128 fingerprint_;
  Hash128 key_;
  SourceFiles files_;
  std::shared_ptr<ScratchFolder> scratch_;
  CompiledLibrary library_;
  Hash128 object_;
  std::vector<std::string> included_;
  std::string beyond_opencl_;
  bool failed_in_compiler_ = false;
};

}  // namespace

std::string_view dialect_name(Dialect dialect) { return dialect == Dialect::OpenCl ? "opencl" : "c++20"; }

Result<CompiledLibrary> compile(const CompileRequest& request, const Toolchain& toolchain) {
  const auto start = std::chrono::steady_clock::now();
  TW_TRY(std::string text, text_of(request));
  TW_TRY(CompiledLibrary library, Compilation(request, toolchain, std::move(text)).run());
  library.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return library;
}

}  // namespace tilewright::msl_emulator
