// A copy of one argument between guards, with poison wherever the program has no contents.
#pragma once

#include <cstdint>
#include <utility>

#include <tilewright/array.h>

#include "driver/element.h"
#include "driver/guarded_buffer.h"
#include "driver/view_range.h"
#include "support/result.h"

namespace tilewright::driver {

/// Bytes of memory that a view's elements take, each counted once.
__uint128_t touched_bytes(const ArrayView& view);

class PoisonedCopy {
 public:
  /// Elements of `original` are copied when `with_contents`, poisoned otherwise. Everything beside the view is poisoned
  /// too, or, in a buffer larger than kPoisonedElements, that many elements on either side of the view.
  static constexpr std::int64_t kPoisonedElements = std::int64_t{1} << 20;
  static Result<PoisonedCopy> make(const ArrayView& original, Poison poison, bool with_contents);

  /// The original's view on the copy.
  const ArrayView& view() const { return view_; }
  std::uint32_t poison_bits() const { return bits_; }

  std::uint32_t bits_at(std::int64_t position) const { return load_bits(view_.type, at(position)); }

  /// Elements that differ from the original's. Premise: made with contents.
  std::int64_t changed_elements() const;
  /// Bytes of the guards and elements beside the view that changed. Overwrites the view's elements with poison.
  std::int64_t count_outside_writes();

 private:
  PoisonedCopy(GuardedBuffer buffer, const ArrayView& original) : buffer_(std::move(buffer)), original_(original) {}

  std::byte* at(std::int64_t position) const {
    return view_.data + position * static_cast<std::int64_t>(data_type_bytes(view_.type));
  }
  void poison_range(ElementRange range);

  GuardedBuffer buffer_;
  ArrayView original_, view_;
  std::uint32_t bits_ = 0;
  ElementRange poisoned_;  ///< around the view; empty when the view itself is too large
};

}  // namespace tilewright::driver
