#include "lower/slot_pool.h"

#include <algorithm>

namespace tilewright::lower {

SlotId SlotPool::take(kernel::ScalarType scalar, std::int64_t count, kernel::AllocationSpace space,
                      const std::string& name) {
  count = std::max<std::int64_t>(count, 1);
  SlotId best;
  for (SlotId id : slots_.ids()) {
    const Slot& slot = slots_[id];
    if (!idle(slot) || slot.scalar != scalar || slot.space != space || slot.count < count) continue;
    if (!best.valid() || slot.count < slots_[best].count) best = id;
  }
  if (!best.valid()) {
    const kernel::AllocationId made = builder_.allocation(name.empty() ? "t" : name, space, scalar, count);
    best = slots_.push_back(Slot{made, space, scalar, count, 0, {}});
  }
  hold(best);
  return best;
}

void SlotPool::release(SlotId slot) {
  TW_CHECK(slots_[slot].holds > 0);
  --slots_[slot].holds;
}

void SlotPool::drop_value(SlotId slot, tile::ValueId value) {
  std::vector<tile::ValueId>& values = slots_[slot].values;
  const auto found = std::find(values.begin(), values.end(), value);
  TW_CHECK(found != values.end());
  values.erase(found);
}

}  // namespace tilewright::lower
