#include "bench/operands.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilewright::bench {

float input_element(std::size_t input, std::uint64_t element) {
  // The finalizer of a 64-bit hash; its upper 24 bits fill a float's mantissa.
  std::uint64_t x = (element + 1) * 0x9E3779B97F4A7C15U + (input + 1) * 0xD1B54A32D192ED03U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  x ^= x >> 31;
  return static_cast<float>(static_cast<std::int64_t>(x >> 40) - (std::int64_t{1} << 23)) * 0x1p-23F;
}

Result<Operands> Operands::make(const Problem& problem) {
  Operands operands;
  const std::vector<OperandInfo> infos = operand_infos(problem);
  for (const OperandInfo& info : infos) {
    TW_TRY(auto buffer, driver::GuardedBuffer::make(DataType::F32, info.elements()));
    operands.buffers_.push_back(std::move(buffer));
  }
  for (std::size_t i = 0; i + 1 < infos.size(); ++i) {
    const std::span<float> values = floats(operands.buffers_[i]);
    for (std::size_t at = 0; at < values.size(); ++at) values[at] = input_element(i, at);
  }
  operands.poison();
  return operands;
}

void Operands::poison() const { std::ranges::fill(floats(buffers_.back()), std::numeric_limits<float>::quiet_NaN()); }

std::int64_t Operands::harmed_guard_bytes() const {
  std::int64_t harmed = 0;
  for (const driver::GuardedBuffer& buffer : buffers_) harmed += buffer.harmed_guard_bytes();
  return harmed;
}

}  // namespace tilewright::bench
