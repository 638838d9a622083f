#include "driver/poisoned_copy.h"

#include <algorithm>

namespace tilewright::driver {

namespace {

/// Which elements of the buffer are poisoned as a block: all, or the surroundings of the view.
ElementRange surroundings(std::int64_t elements, ElementRange view) {
  constexpr std::int64_t kMost = PoisonedCopy::kPoisonedElements;
  if (elements <= 16 * kMost) return {0, elements};
  const ElementRange wide{view.begin - std::min(view.begin, kMost), view.end + std::min(elements - view.end, kMost)};
  return wide.end - wide.begin <= 16 * kMost ? wide : ElementRange{};
}

}  // namespace

__uint128_t touched_bytes(const ArrayView& view) {
  __uint128_t count = 1;
  for (std::int64_t extent : without_repeats(view).extents) count *= static_cast<__uint128_t>(extent);
  return count * data_type_bytes(view.type);
}

Result<PoisonedCopy> PoisonedCopy::make(const ArrayView& original, Poison poison, bool with_contents) {
  const ElementRange range = element_range(original).value();
  TW_TRY(GuardedBuffer buffer, GuardedBuffer::make(original.type, original.elements));
  PoisonedCopy copy(std::move(buffer), original);
  copy.view_ = original;
  copy.view_.data = copy.buffer_.data();
  // The poison beside contents is another one: copied into an output it must not pass for the output's own.
  copy.bits_ = driver::poison_bits(original.type, poison) ^ (with_contents ? 1U : 0U);
  copy.poisoned_ = surroundings(original.elements, range);
  copy.poison_range(copy.poisoned_);
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(original.type));
  for_each_element(without_repeats(original), [&](std::int64_t, std::int64_t position) {
    const std::uint32_t bits = with_contents ? load_bits(original.type, original.data + position * bytes) : copy.bits_;
    store_bits(original.type, copy.at(position), bits);
  });
  return copy;
}

void PoisonedCopy::poison_range(ElementRange range) {
  for (std::int64_t i = range.begin; i < range.end; ++i) store_bits(view_.type, at(i), bits_);
}

std::int64_t PoisonedCopy::changed_elements() const {
  std::int64_t changed = 0;
  const auto bytes = static_cast<std::int64_t>(data_type_bytes(original_.type));
  for_each_element(without_repeats(original_), [&](std::int64_t, std::int64_t position) {
    changed += bits_at(position) != load_bits(original_.type, original_.data + position * bytes) ? 1 : 0;
  });
  return changed;
}

std::int64_t PoisonedCopy::count_outside_writes() {
  for_each_element(without_repeats(view_),
                   [&](std::int64_t, std::int64_t position) { store_bits(view_.type, at(position), bits_); });
  std::int64_t harmed = buffer_.harmed_guard_bytes();
  for (std::int64_t i = poisoned_.begin; i < poisoned_.end; ++i) harmed += bits_at(i) != bits_ ? 1 : 0;
  return harmed;
}

}  // namespace tilewright::driver
