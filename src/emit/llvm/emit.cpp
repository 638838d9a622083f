// The stages of the emitter in their order.
#include "emit/llvm/emit.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include "emit/common/bindings.h"
#include "emit/llvm/emit_internal.h"
#include "support/check.h"
#include "support/result.h"

namespace tilewright::emit_llvm {

namespace {

std::vector<std::string> flags_of(const EmitOptions& options, const Machine& machine) {
  std::vector<std::string> flags{"ieee-strict", "fp-contract=off", fmt::format("opt-level={}", options.opt_level)};
  if (options.noalias) flags.push_back("noalias");
  if (machine.vector_bits != 0) flags.push_back(fmt::format("vector-bits={}", machine.vector_bits));
  if (!machine.converts_f16) flags.push_back("f16-by-parts");
  if (!options.features.empty()) flags.push_back("features=" + options.features);
  return flags;
}

struct Optimized {
  Machine machine;
  Built built;
};
/// A processor runs tasks of one worker.
Result<void> refuse_groups(const kernel::Program& program) {
  for (const kernel::Kernel& kernel : program.kernels)
    if (kernel.group != kernel::Group{} || kernel.groups != 0)
      return failure(DiagCode::Unsupported,
                     fmt::format("kernel {} is run by groups of {} workers; the CPU runs tasks of one worker",
                                 kernel.name, kernel.group.workers),
                     "lower the program for the CPU, or emit it for a GPU target");
  return {};
}

Result<Optimized> build_and_optimize(const kernel::Program& program, const EmitOptions& options) {
  TW_TRY_VOID(refuse_groups(program));
  TW_TRY_VOID(check_symbol_prefix(options.symbol_prefix));
  TW_TRY(Machine machine, make_machine(options));
  TW_TRY(Built built, build_module(program, options, machine));
  const bool vectorize = options.opt_level < 2 || has_scalar_loops(program);
  optimize(*built.module, machine, vectorize ? options.opt_level : 1);
  return Optimized{std::move(machine), std::move(built)};
}

}  // namespace

EmitOptions options_for(const target::HostFacts& host) { return {.cpu = host.name, .features = host.features}; }

Result<artifact::Artifact> emit(const kernel::Program& program, const EmitOptions& options) {
  TW_TRY(Optimized optimized, build_and_optimize(program, options));
  artifact::Artifact artifact;
  artifact.program = program.name;
  artifact.target = "cpu:" + (options.cpu.empty() ? std::string("baseline") : options.cpu);
  artifact.kind = artifact::CodeKind::Object;
  artifact.bindings = emit::bindings_of(program);
  artifact.flags = flags_of(options, optimized.machine);
  TW_TRY(artifact.code, generate_code(*optimized.built.module, optimized.machine, llvm::CodeGenFileType::ObjectFile));
  TW_TRY(artifact.externals, undefined_symbols(artifact.code));
  artifact.launches = std::move(optimized.built.launches);
  return artifact;
}

Result<std::string> emit_llvm_text(const kernel::Program& program, const EmitOptions& options) {
  TW_TRY(Optimized optimized, build_and_optimize(program, options));
  std::string text;
  llvm::raw_string_ostream stream(text);
  optimized.built.module->print(stream, nullptr);
  return stream.str();
}

Result<std::string> emit_assembly_text(const kernel::Program& program, const EmitOptions& options) {
  TW_TRY(Optimized optimized, build_and_optimize(program, options));
  return generate_code(*optimized.built.module, optimized.machine, llvm::CodeGenFileType::AssemblyFile);
}

}  // namespace tilewright::emit_llvm
