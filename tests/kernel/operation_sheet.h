// Programs that apply one operation after the other to values at which something special happens.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernel/builder.h"

namespace tilewright::kernel {

const std::vector<float>& special_floats();
/// Bits of values of the type.
std::vector<std::uint64_t> special_values(ScalarType scalar);

/// Whether the type has the operation, and all targets agree on every bit of it.
bool accepts(ScalarType scalar, UnaryKind kind);
bool accepts(ScalarType scalar, BinaryKind kind);

/// A program whose kernels each apply one operation to all elements of three operands.
class Sheet {
 public:
  Sheet(ScalarType scalar, std::uint16_t lanes, const std::vector<std::vector<std::uint64_t>>& operands)
      : lanes_(lanes), builder_("sheet") {
    count_ = static_cast<std::int64_t>((operands[0].size() + lanes - 1) / lanes * lanes);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      inputs_.push_back(builder_.argument(fmt::format("in{}", i), scalar, Access::Read, count_));
      std::vector<std::byte> bytes(static_cast<std::size_t>(count_) * scalar_bytes(scalar));
      for (std::size_t element = 0; element < operands[i].size(); ++element)
        std::memcpy(bytes.data() + element * scalar_bytes(scalar), &operands[i][element], scalar_bytes(scalar));
      contents_.push_back(std::move(bytes));
    }
  }

  template <class Body>
  void kernel(const std::string& name, ScalarType result, Body&& body) {
    const BufferId out = builder_.argument("out_" + name, result, Access::Write, count_);
    kernel_to(name, out, lanes_, body);
  }
  /// For results with one lane.
  template <class Body>
  void fold(const std::string& name, ScalarType result, Body&& body) {
    const BufferId out = builder_.argument("out_" + name, result, Access::Write, count_ / lanes_);
    kernel_to(name, out, 1, body);
  }

  Program finish() { return builder_.finish(); }
  /// What the first buffers of the program hold, one an operand.
  const std::vector<std::vector<std::byte>>& contents() const { return contents_; }

 private:
  template <class Body>
  void kernel_to(const std::string& name, BufferId out, std::uint16_t out_lanes, Body& body) {
    const std::vector<ValueId> at = builder_.begin_kernel(name, {count_ / lanes_});
    const ValueId index = builder_.mul(at[0], lanes_);
    std::vector<ValueId> operands;
    for (BufferId input : inputs_) operands.push_back(builder_.load(input, index, lanes_));
    builder_.store(out, builder_.mul(at[0], out_lanes), body(builder_, operands));
    builder_.end_kernel();
  }

  std::uint16_t lanes_;
  std::int64_t count_ = 0;
  Builder builder_;
  std::vector<BufferId> inputs_;
  std::vector<std::vector<std::byte>> contents_;
};

}  // namespace tilewright::kernel
