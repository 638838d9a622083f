// Kernel programs to run, made ready in one call.
#pragma once

#include <gtest/gtest.h>

#include "emit/llvm/emit.h"
#include "kernel/builder.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/loader.h"

namespace tilewright::runtime_cpu {

inline artifact::Artifact emitted(const kernel::Program& program) {
  auto artifact = emit_llvm::emit(program, emit_llvm::options_for(detect_host()));
  if (!artifact) ADD_FAILURE() << render(artifact.error());
  return artifact.value_or(artifact::Artifact{});
}

inline LoadedArtifact loaded(const kernel::Program& program) {
  auto code = load(emitted(program));
  if (!code) ADD_FAILURE() << render(code.error());
  return std::move(code).value();
}

/// y[task] = x[task] * factor.
inline kernel::Program scale_program(std::int64_t tasks) {
  kernel::Builder b("scale");
  const kernel::BufferId factor = b.scalar("factor", kernel::ScalarType::F32);
  const kernel::BufferId x = b.argument("x", kernel::ScalarType::F32, kernel::Access::Read, tasks);
  const kernel::BufferId y = b.argument("y", kernel::ScalarType::F32, kernel::Access::Write, tasks);
  const std::vector<kernel::ValueId> at = b.begin_kernel("scale", {tasks});
  b.store(y, at[0], b.mul(b.load(x, at[0]), b.load(factor, b.const_i64(0))));
  b.end_kernel();
  return b.finish();
}

}  // namespace tilewright::runtime_cpu
