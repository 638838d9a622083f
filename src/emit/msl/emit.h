// Emits kernel IR as Metal Shading Language text for the families scalar, metal.simdgroup8x8 and metal.mpp.
//
// MSL 3.1; MSL 4.0 for a program with tensor operations.
//
// One text for a program: a comment that says what it is and how to launch it, the functions that it needs beyond
// Metal's, and one `kernel void` for each kernel. The text is made to be read (docs/metal.md): buffers, allocations and
// coordinates keep their names, a value that is used once stands where it is used, a carry is a variable that the loop
// updates in place. Indices are 32 bits wide where kernel/index_ranges.h shows that they fit, else 64.
//
// The text has the meaning of the kernel interpreter, bit for bit. Freedoms: the last bits of Exp, Log, Tanh, Sin and
// Cos; the payload of a NaN; the order in which SubgroupReduceOp adds, in which f16 and bf16 are added in f32.
//
// The same program and the same options give the same text. Nothing is shared between calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/errors.h>

#include "artifact/artifact.h"
#include "kernel/program.h"

namespace tilewright::emit_msl {

/// Of the device. The defaults hold for every Apple GPU since the M1, but for private memory, which is the most that
/// one thread may keep in arrays of its own (Metal states no limit).
struct Limits {
  std::int64_t workers_per_group = 1024;
  std::int64_t shared_bytes = 32768;
  std::int64_t private_bytes = 131072;
  std::int64_t buffers = 31;
};

struct EmitOptions {
  /// Inputs that only tensor operations read are bound as tensor handles, where the kernels say how they lie
  /// (kernel::MatrixOrigin); else everything is a buffer.
  bool tensor_handles = false;
  std::string target = "metal-simdgroup";
  std::string device;  ///< name of the profile, for the record; may be empty
  Limits limits;
  std::string bindings;     ///< "M=64 N=64", for the record; may be empty
  std::string note;         ///< lines for the record; may be empty
  std::string plan;         ///< text of the plan, which the comment on top quotes; may be empty
  std::string plan_digest;  ///< for the record; may be empty
  /// Names for the coordinates of each kernel's tasks; a kernel without names, or with another number of them, has
  /// task0, task1, ..
  std::vector<std::vector<std::string>> coordinates;
  /// Of each kernel, for the record; fewer: not known.
  std::vector<artifact::FenceRecord> fences;
};

/// Premise: kernel/verifier.h accepts the program. Failures: Unsupported (what Metal or this emitter does not have,
/// by name), GridTooLarge (more tasks than a grid numbers).
Result<artifact::Artifact> emit(const kernel::Program& program, const EmitOptions& options = {});

}  // namespace tilewright::emit_msl
