// The processor that code is made for.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include "emit/llvm/emit_internal.h"
#include "support/result.h"

namespace tilewright::emit_llvm {

namespace {

/// LLVM's table of targets is filled once for the process; afterwards it is only read.
void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

llvm::CodeGenOptLevel code_generation_level(int opt_level) {
  return opt_level == 0 ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::Default;
}

/// LLVM warns on stderr about a feature that it does not know and goes on; here that is an error.
Result<void> check_features(const llvm::MCSubtargetInfo& facts, const std::string& features) {
  const auto known = facts.getAllProcessorFeatures();
  const llvm::SubtargetFeatures asked(features);
  for (const std::string& feature : asked.getFeatures()) {
    const llvm::StringRef name = llvm::StringRef(feature).drop_front();
    const bool found = std::any_of(known.begin(), known.end(), [&](const auto& entry) { return name == entry.Key; });
    if (!found || (feature[0] != '+' && feature[0] != '-')) {
      return failure(DiagCode::BadOption, fmt::format("'{}' is not a processor feature", feature),
                     "write +NAME or -NAME, separated by commas");
    }
  }
  return {};
}

}  // namespace

Result<Machine> make_machine(const EmitOptions& options) {
  initialize_llvm();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    return failure(DiagCode::Unsupported, fmt::format("no code generator for '{}': {}", triple, error));
  }
  const std::unique_ptr<llvm::MCSubtargetInfo> plain(target->createMCSubtargetInfo(triple, "", ""));
  if (!options.cpu.empty() && !plain->isCPUStringValid(options.cpu)) {
    return failure(DiagCode::BadOption, fmt::format("'{}' is not a processor of {}", options.cpu, triple),
                   "leave the processor empty for the baseline of the architecture");
  }
  TW_TRY_VOID(check_features(*plain, options.features));

  llvm::TargetOptions target_options;
  target_options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  Machine machine;
  machine.target.reset(target->createTargetMachine(triple, options.cpu, options.features, target_options,
                                                   llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                   code_generation_level(options.opt_level)));
  if (machine.target == nullptr) {
    return failure(DiagCode::Unsupported, fmt::format("no code generator for '{}'", triple));
  }
  const bool x86 = llvm::Triple(triple).isX86();
  const std::unique_ptr<llvm::MCSubtargetInfo> facts(
      target->createMCSubtargetInfo(triple, options.cpu, options.features));
  machine.converts_f16 = !x86 || facts->checkFeatures("+f16c") || facts->checkFeatures("+avx512f");
  machine.fuses = !x86 || facts->checkFeatures("+fma") || facts->checkFeatures("+avx512f");
  machine.scales = x86 && facts->checkFeatures("+avx512f");
  machine.ranges = x86 && facts->checkFeatures("+avx512dq");
  machine.vector_bits = x86 && facts->checkFeatures("+avx512f") ? 512 : 0;
  return machine;
}

}  // namespace tilewright::emit_llvm
