#include "emit_mpp/planned_text.h"

#include <vector>

#include "support/half.h"

namespace tilewright::emit_msl {

namespace {

BufferBytes with_exact_numbers(const kernel::Program& program) {
  BufferBytes memory(program);
  std::uint32_t seed = 11;
  for (kernel::BufferId id : program.buffers.ids()) {
    const kernel::Buffer& buffer = program.buffers[id];
    if (buffer.kind == kernel::BufferKind::Temporary) continue;
    std::vector<float> numbers;
    std::vector<std::uint16_t> halves;
    for (std::int64_t i = 0; i < buffer.count; ++i) {
      seed = seed * 1664525u + 1013904223u;
      numbers.push_back(static_cast<float>(static_cast<int>(seed >> 30) - 1));
      halves.push_back(buffer.scalar == kernel::ScalarType::BF16 ? f32_to_bf16(numbers.back())
                                                                 : f32_to_f16(numbers.back()));
    }
    if (buffer.scalar == kernel::ScalarType::F32)
      memory.set(id, numbers);
    else
      memory.set(id, halves);
  }
  return memory;
}

}  // namespace

std::optional<Operations> run_both(const lower::testing::PlannedRun& run, std::uint64_t seed) {
  CountsOfBoth counts;
  const std::string fault = compare_with_interpreter(run.kernels, with_exact_numbers(run.kernels), 0,
                                                     {.schedules = 2, .seed = seed}, &counts);
  EXPECT_EQ(fault, "");
  if (!fault.empty()) return std::nullopt;
  Operations found;
  for (const plan::LaunchPlan& launch : run.plan.planned.plan.launches)
    found.planned += launch.cost.metal_mpp_operations * static_cast<double>(launch.programs);
  for (const kernel::Counts& one : counts.interpreted)
    if (const auto atoms = one.atoms.find("metal.mpp"); atoms != one.atoms.end())
      found.interpreted += static_cast<double>(atoms->second);
  for (const msl_emulator::LaunchResult& one : counts.emulated)
    found.emulated += static_cast<double>(one.counters.tensor_operations);
  return found;
}

}  // namespace tilewright::emit_msl
