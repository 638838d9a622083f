// Emits kernel IR as machine code for the CPU, through LLVM.
//
// The emitted code has the meaning of the kernel interpreter, bit for bit: strict IEEE arithmetic, no contraction, no
// reassociation, subnormals kept. Exp, Tanh and Log are arithmetic, at most 2 units in the last place from the exact
// number and the same in scalars and vectors; Sin and Cos are calls of sinf and cosf. Two freedoms remain: the payload
// and the sign of a NaN that arithmetic makes, and signalling NaNs, which a widening conversion may leave as they are.
//
// Memory: the allocations of a kernel lie in the scratch block of the worker; temporaries and allocations overlap
// nothing else. Argument buffers may overlap each other unless `noalias` is set.
//
// The same program and the same options give the same bytes. Nothing is shared between calls: any number of threads may
// emit at once.
#pragma once

#include <string>

#include <tilewright/errors.h>

#include "artifact/artifact.h"
#include "kernel/program.h"
#include "target/host_facts.h"

namespace tilewright::emit_llvm {

struct EmitOptions {
  std::string cpu;            ///< LLVM's name of the processor; empty: the baseline of the architecture
  std::string features;       ///< "+avx2,-fma", applied on top of the processor's own
  int opt_level = 2;          ///< 0: no IR passes; 1: scalar cleanup; 2: and vectors in loops that have none
  bool noalias = false;       ///< promise: no two argument buffers overlap
  std::string symbol_prefix;  ///< of the names of entries: letters, digits, '_', no digit first; empty: "tw"
};

/// Options for the machine that `host` describes.
EmitOptions options_for(const target::HostFacts& host);

/// Premise: kernel/verifier.h accepts the program. Failures: BadOption (processor or features that LLVM does not know;
/// a prefix that no name begins with), SizeOverflow and TileTooLarge (task counts and allocations beyond 64 bits),
/// Unsupported (kernels of groups).
Result<artifact::Artifact> emit(const kernel::Program& program, const EmitOptions& options);

/// The LLVM IR after all passes.
Result<std::string> emit_llvm_text(const kernel::Program& program, const EmitOptions& options);

/// The assembly of the object that emit() gives.
Result<std::string> emit_assembly_text(const kernel::Program& program, const EmitOptions& options);

}  // namespace tilewright::emit_llvm
