// Random kernel programs: the emulated text against the interpreter. Many programs share one text, since compiling is
// what takes the time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_count.h"
#include "emulated.h"
#include "kernel/printer.h"
#include "kernel/random_program.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// Programs of one set of buffers, one after the other. All ids move by what is there already.
class Joined {
 public:
  void add(const Program& other) {
    if (program_.buffers.empty()) program_.name = other.name, program_.buffers = other.buffers;
    const auto moved = [](auto id, std::size_t by) {
      if (id.valid()) id.index += static_cast<std::uint32_t>(by);
      return id;
    };
    const std::size_t values = program_.values.size(), ops = program_.ops.size(), blocks = program_.blocks.size();
    const std::size_t allocations = program_.allocations.size();
    for (ValueType type : other.values) program_.values.push_back(type);
    for (const Allocation& allocation : other.allocations) program_.allocations.push_back(allocation);
    for (Op op : other.ops) {
      for_each_operand(op.payload, [&](ValueId& id) { id = moved(id, values); });
      for_each_memory(op.payload,
                      [&](MemoryRef& memory) { memory.allocation = moved(memory.allocation, allocations); });
      for_each_block(op.payload, [&](BlockId& id) { id = moved(id, blocks); });
      for (ValueId& id : op.results) id = moved(id, values);
      program_.ops.push_back(std::move(op));
    }
    for (Block block : other.blocks) {
      for (ValueId& id : block.args) id = moved(id, values);
      for (OpId& id : block.ops) id = moved(id, ops);
      for (ValueId& id : block.yields) id = moved(id, values);
      program_.blocks.push_back(std::move(block));
    }
    for (Kernel kernel : other.kernels) {
      kernel.name = fmt::format("k{}", program_.kernels.size());
      for (AllocationId& id : kernel.allocations) id = moved(id, allocations);
      kernel.body = moved(kernel.body, blocks);
      program_.kernels.push_back(std::move(kernel));
    }
  }
  const Program& program() const { return program_; }

 private:
  Program program_;
};

/// What the emulator can compare bit for bit: one task a launch, since several write the same elements, and no
/// functions whose last bits are the device's, since a last bit may decide a comparison.
Program comparable(std::uint64_t seed, int size) {
  Program program = random_program(seed, size);
  for (Op& op : program.ops)
    if (auto* unary = std::get_if<UnaryOp>(&op.payload); unary != nullptr)
      for (UnaryKind kind : {UnaryKind::Exp, UnaryKind::Log, UnaryKind::Tanh, UnaryKind::Sin, UnaryKind::Cos})
        if (unary->kind == kind) unary->kind = UnaryKind::Floor;
  for (Kernel& kernel : program.kernels)
    for (std::int64_t& extent : kernel.task_extents) extent = std::min<std::int64_t>(extent, 1);
  return program;
}

std::string fault_of(std::uint64_t first, std::uint64_t count, int size) {
  Joined joined;
  for (std::uint64_t seed = first; seed < first + count; ++seed) joined.add(comparable(seed, size));
  return compare_with_interpreter(joined.program(), BufferBytes(joined.program(), first + 1));
}

void expect_agreement_of(std::uint64_t first, std::uint64_t count, int size) {
  if (fault_of(first, count, size).empty()) return;
  for (int smaller = 1; smaller <= size; ++smaller)
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const std::string fault = fault_of(seed, 1, smaller);
      if (!fault.empty())
        FAIL() << fmt::format("seed {}, size {}: {}\n{}", seed, smaller, fault, print(comparable(seed, smaller)));
    }
  FAIL() << fmt::format("seeds {} to {}: {}", first, first + count - 1, fault_of(first, count, size));
}

TEST(RandomMetal, Small) {
  const auto batches = static_cast<std::uint64_t>(case_count(2, 2));
  for (std::uint64_t batch = 0; batch < batches; ++batch) expect_agreement_of(20 * batch, 20, 6);
}

TEST(RandomMetal, Large) { expect_agreement_of(1000, 6, 20); }

}  // namespace
}  // namespace tilewright::emit_msl
