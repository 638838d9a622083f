// IR passes and code generation.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include "emit/llvm/emit_internal.h"

namespace tilewright::emit_llvm {

namespace {

// LLVM's own O2 takes half as long again and gives slower loops: these kernels have no calls to inline, no exceptions
// and no recursive types. instcombine runs once a place; that it might find more is no error. Vectorization leaves
// short loops of known length; unrolled whole, they let the last licm keep what they update in registers across the
// loop around them.
constexpr const char* kScalarPasses =
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
    "instcombine<no-verify-fixpoint>,simplifycfg";
constexpr const char* kVectorPasses =
    "loop-mssa(licm),loop(indvars),loop-vectorize,loop(loop-unroll-full),instcombine<no-verify-fixpoint>,simplifycfg,"
    "early-cse,loop-mssa(licm)";

}  // namespace

void optimize(llvm::Module& module, const Machine& machine, int opt_level) {
  if (opt_level == 0) return;
  llvm::PassBuilder builder(machine.target.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  std::string text = kScalarPasses;
  if (opt_level > 1) text += std::string(",") + kVectorPasses;
  llvm::FunctionPassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, text));
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(kAsWritten)) passes.run(function, functions);
}

Result<std::string> generate_code(llvm::Module& module, const Machine& machine, llvm::CodeGenFileType kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.target->addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true)) {
    return failure(DiagCode::InternalError, "LLVM cannot write this kind of file for the host");
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace tilewright::emit_llvm
