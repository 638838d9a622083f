#include "kernel/objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/printer.h"
#include "support/check.h"

namespace tilewright::kernel {

namespace {

Object object_of(ScalarType scalar, std::int64_t count, MemoryKind kind) {
  Object made;
  made.count = static_cast<std::uint64_t>(count);
  made.element_bytes = scalar_bytes(scalar);
  made.scalar = scalar;
  made.kind = kind;
  return made;
}

}  // namespace

void Object::make_own() {
  own.resize(count * element_bytes);
  written.assign(count, 0);
  base = own.data();
  tracked = true;
}

Objects::Objects(const Program& program, std::span<std::byte* const> bases) {
  TW_CHECK(bases.size() == program.buffers.size());
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const Buffer& buffer = program.buffers[BufferId{static_cast<std::uint32_t>(i)}];
    Object made = object_of(buffer.scalar, buffer.count, MemoryKind::Buffer);
    if (buffer.kind == BufferKind::Temporary) {
      made.make_own();
    } else {
      TW_CHECK(bases[i] != nullptr || buffer.count == 0);
      made.base = bases[i];
    }
    buffers.push_back(std::move(made));
  }
  for (const Allocation& allocation : program.allocations) {
    const auto kind = allocation.space == AllocationSpace::Private ? MemoryKind::Private : MemoryKind::Shared;
    allocations.push_back(object_of(allocation.scalar, allocation.count, kind));
  }
}

bool FaultLog::claim(OpId op) {
  if (reported_[op.index] || stopped()) return false;
  reported_[op.index] = true;
  return true;
}

void FaultLog::add(DiagCode code, std::string message) {
  if (!stopped()) diags_.push_back({code, std::move(message), {}, {}, {}});
}

std::string FaultLog::where(const Kernel& kernel, std::span<const std::int64_t> task, OpId op) const {
  return fmt::format("kernel {}, task ({}): '{}'", kernel.name, fmt::join(task, ", "),
                     print_op(program_, program_.ops[op]));
}

}  // namespace tilewright::kernel
