// The memory of one problem: the same inputs in every process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/problem.h"
#include "driver/guarded_buffer.h"
#include "support/result.h"

namespace tilewright::bench {

class Operands {
 public:
  /// Inputs uniform in [-1, 1): element i of input j depends on i and j alone. OutOfMemory.
  static Result<Operands> make(const Problem& problem);

  const float* input(std::size_t i) const { return floats(buffers_[i]).data(); }
  std::span<const float> input_values(std::size_t i) const { return floats(buffers_[i]); }
  std::size_t input_count() const { return buffers_.size() - 1; }
  float* output() const { return floats(buffers_.back()).data(); }
  std::span<float> output_values() const { return floats(buffers_.back()); }

  /// NaN in every element of the output.
  void poison() const;
  /// Bytes around the operands that no longer hold their pattern.
  std::int64_t harmed_guard_bytes() const;

 private:
  static std::span<float> floats(const driver::GuardedBuffer& buffer) {
    return {reinterpret_cast<float*>(buffer.data()), static_cast<std::size_t>(buffer.elements())};
  }

  std::vector<driver::GuardedBuffer> buffers_;  ///< inputs, then the output
};

/// The value of an input's element, as above.
float input_element(std::size_t input, std::uint64_t element);

}  // namespace tilewright::bench
