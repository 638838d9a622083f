#include "runtime/cpu/loader.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

namespace tilewright::runtime_cpu {

namespace {

namespace orc = llvm::orc;

/// LLVM's errors must be looked at on every path; this takes one and gives ours.
std::unexpected<Diags> link_failure(const std::string& program, llvm::Error error) {
  return failure(DiagCode::InternalError,
                 fmt::format("the code of '{}' does not link: {}", program, llvm::toString(std::move(error))));
}

using Unary = float (*)(float);
using Binary = float (*)(float, float);
using Ternary = float (*)(float, float, float);

/// Everything that generated code can reach outside of itself.
orc::SymbolMap host_symbols(orc::ExecutionSession& session, const std::string& prefix) {
  orc::SymbolMap symbols;
  const auto add = [&](const char* name, auto* function) {
    symbols[session.intern(prefix + name)] = {orc::ExecutorAddr::fromPtr(function),
                                              llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add("sinf", static_cast<Unary>(::sinf));
  add("cosf", static_cast<Unary>(::cosf));
  add("floorf", static_cast<Unary>(::floorf));
  add("fmodf", static_cast<Binary>(::fmodf));
  add("fmaf", static_cast<Ternary>(::fmaf));
  add("memcpy", ::memcpy);
  add("memmove", ::memmove);
  add("memset", ::memset);
  return symbols;
}

}  // namespace

/// A session of its own for each artifact: nothing is shared, so that loads need no lock.
struct LoadedArtifact::Code {
  explicit Code(std::unique_ptr<orc::ExecutorProcessControl> process)
      : session(std::move(process)),
        linker(session, std::make_unique<llvm::jitlink::InProcessMemoryManager>(session.getPageSize())) {
    session.setErrorReporter([this](llvm::Error error) {
      if (!fault.empty()) fault += "; ";
      fault += llvm::toString(std::move(error));
    });
  }
  ~Code() {
    if (llvm::Error error = session.endSession()) llvm::consumeError(std::move(error));
  }

  std::string fault;  ///< what the linker reported beside its result; declared first: the session outlives nothing
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer linker;
};

LoadedArtifact::LoadedArtifact(std::unique_ptr<Code> code) : code_(std::move(code)) {}
LoadedArtifact::LoadedArtifact(LoadedArtifact&&) noexcept = default;
LoadedArtifact& LoadedArtifact::operator=(LoadedArtifact&&) noexcept = default;
LoadedArtifact::~LoadedArtifact() = default;

Result<LoadedArtifact> load(const artifact::Artifact& artifact) {
  if (artifact.kind != artifact::CodeKind::Object) {
    return failure(DiagCode::InternalError,
                   fmt::format("'{}' holds text, not code for this processor", artifact.program));
  }
  auto process = orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!process) return link_failure(artifact.program, process.takeError());
  LoadedArtifact loaded(std::make_unique<LoadedArtifact::Code>(std::move(*process)));
  loaded.bindings_ = artifact.bindings;
  LoadedArtifact::Code& code = *loaded.code_;
  const bool underscore = code.session.getTargetTriple().isOSBinFormatMachO();
  const std::string prefix = underscore ? "_" : "";

  orc::JITDylib& library = code.session.createBareJITDylib("kernels");
  if (llvm::Error error = library.define(orc::absoluteSymbols(host_symbols(code.session, prefix)))) {
    return link_failure(artifact.program, std::move(error));
  }
  if (llvm::Error error = code.linker.add(library, llvm::MemoryBuffer::getMemBufferCopy(artifact.code, "kernels"))) {
    return link_failure(artifact.program, std::move(error));
  }
  for (const artifact::Launch& launch : artifact.launches) {
    llvm::Expected<orc::ExecutorSymbolDef> symbol = code.session.lookup({&library}, prefix + launch.entry);
    if (!symbol) {
      std::unexpected<Diags> failed = link_failure(artifact.program, symbol.takeError());
      if (!code.fault.empty()) failed.error().front().notes.push_back({code.fault, {}});
      return failed;
    }
    loaded.launches_.push_back({launch, symbol->getAddress().toPtr<Entry>()});
  }
  return loaded;
}

}  // namespace tilewright::runtime_cpu
