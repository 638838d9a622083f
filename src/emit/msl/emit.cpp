// The stages of the emitter in their order.
#include "emit/msl/emit.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emit/common/bindings.h"
#include "emit/msl/handles.h"
#include "emit/msl/header.h"
#include "emit/msl/kernel_text.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/result.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

constexpr int kBaseVersion = 310;
constexpr int kTensorVersion = 400;

/// The buffers that live operations of the block name.
void find_buffers(const KernelFacts& facts, BlockId block, std::vector<bool>& used) {
  for (OpId op : facts.program.blocks[block].ops) {
    if (!facts.placement.is_live(op)) continue;
    for_each_memory(facts.program.ops[op].payload, [&](MemoryRef memory) {
      if (memory.buffer.valid()) used[memory.buffer.index] = true;
    });
    for (BlockId nested : nested_blocks(facts.program.ops[op].payload)) find_buffers(facts, nested, used);
  }
}

artifact::Launch launch_of(const KernelFacts& facts, const LaunchGrid& grid, const std::string& entry) {
  artifact::Launch launch;
  launch.entry = entry;
  launch.task_extents = facts.kernel.task_extents;
  launch.task_count = grid.tasks;
  artifact::GroupLaunch group;
  group.groups = grid.groups;
  group.workers = grid.workers;
  group.subgroup_size = 32;
  group.shared_bytes = shared_bytes(facts.program, facts.kernel);
  std::vector<bool> used(facts.program.buffers.size());
  find_buffers(facts, facts.kernel.body, used);
  for (std::uint32_t i = 0; i < used.size(); ++i)
    if (used[i]) group.bindings.push_back(i);
  launch.group = std::move(group);
  return launch;
}

/// Of the atoms that live operations of the block make.
void add_families(const KernelFacts& facts, BlockId block, std::vector<std::string>& families) {
  for (OpId op : facts.program.blocks[block].ops) {
    if (!facts.placement.is_live(op)) continue;
    const OpPayload& payload = facts.program.ops[op].payload;
    const auto* atom = std::get_if<AtomOp>(&payload);
    if (atom != nullptr && std::ranges::find(families, atom->atom) == families.end()) families.push_back(atom->atom);
    for (BlockId nested : nested_blocks(payload)) add_families(facts, nested, families);
  }
}

std::vector<artifact::Binding> bindings_of(const Program& program) {
  std::vector<artifact::Binding> bindings = emit::bindings_of(program);
  for (BufferId id : program.buffers.ids())
    if (const auto& matrix = program.buffers[id].matrix)
      bindings[id.index].tensor = artifact::TensorBinding{{matrix->inner, matrix->outer}, {1, matrix->stride}};
  return bindings;
}

std::string bindings_flag(const std::vector<artifact::Binding>& bindings) {
  const bool any = std::ranges::any_of(bindings, [](const artifact::Binding& each) { return each.tensor.has_value(); });
  return any ? "tensor-bindings=handle" : "tensor-bindings=inline";
}

Result<void> check_buffers(const Program& program, const artifact::Launch& launch, const Limits& limits) {
  for (std::uint32_t index : launch.group->bindings)
    if (index >= limits.buffers)
      return failure(DiagCode::Unsupported,
                     fmt::format("kernel {} takes buffer {} as number {}; Metal numbers {}", launch.entry,
                                 program.buffers[BufferId{index}].name, index, limits.buffers),
                     "use fewer buffers in one program");
  return {};
}

}  // namespace

Result<artifact::Artifact> emit(const Program& given, const EmitOptions& options) {
  const Program program = with_tensor_handles(given, options.tensor_handles);
  artifact::Artifact artifact;
  artifact.program = program.name;
  artifact.target = options.target;
  artifact.kind = artifact::CodeKind::Text;
  artifact.bindings = bindings_of(program);
  if (!options.plan_digest.empty()) artifact.hashes["plan"] = options.plan_digest;
  Library library;
  NameTable entries;
  std::string kernels;
  bool tensors = false, relaxed = false;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& kernel = program.kernels[i];
    TW_TRY_VOID(check_group(program, kernel, options.limits));
    TW_TRY(const LaunchGrid grid, launch_grid(kernel));
    const KernelFacts facts(program, kernel);
    TW_TRY_VOID(check_operations(facts));
    tensors = tensors || !facts.tensors.operations().empty();
    relaxed = relaxed || std::ranges::any_of(facts.tensors.operations(),
                                             [](const Tensors::Used& used) { return used.operation.relaxed; });
    add_families(facts, kernel.body, artifact.families);
    const std::string entry = entries.fresh(kernel.name);
    artifact.launches.push_back(launch_of(facts, grid, entry));
    if (i < options.fences.size()) artifact.launches.back().group->fences = options.fences[i];
    TW_TRY_VOID(check_buffers(program, artifact.launches.back(), options.limits));
    const std::vector<std::string> none;
    const bool named = i < options.coordinates.size();
    kernels += "\n" + KernelText(facts, grid, entry, named ? options.coordinates[i] : none, library).run();
  }
  artifact.language_version = tensors ? kTensorVersion : kBaseVersion;
  artifact.flags = {tensors ? "msl-4.0" : "msl-3.1", "math-mode=safe", "fp-contract=off", "fp32-functions=precise"};
  if (relaxed) artifact.flags.emplace_back("relaxed-precision");
  if (options.tensor_handles) artifact.flags.push_back(bindings_flag(artifact.bindings));
  const std::string body = prelude(tensors) + library.text() + kernels;
  const std::string head = header(artifact, options);
  artifact.hashes["text"] = hash_text(hash128(head + body));
  artifact.code = head + fmt::format("// text {}\n", artifact.hashes["text"]) + body;
  return artifact;
}

}  // namespace tilewright::emit_msl
