// SlotPool: the allocations of one kernel, reused by values that are not needed at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/builder.h"
#include "tile/program.h"

namespace tilewright::lower {

using SlotId = Id<struct SlotTag>;

class SlotPool {
 public:
  explicit SlotPool(kernel::Builder& builder) : builder_(builder) {}

  /// A slot nobody uses: the smallest released one that is large enough, or a new allocation. The caller holds it.
  SlotId take(kernel::ScalarType scalar, std::int64_t count, kernel::AllocationSpace space, const std::string& name);
  /// A slot is free again when it is not held and no value lives in it.
  void hold(SlotId slot) { ++slots_[slot].holds; }
  void release(SlotId slot);
  void add_value(SlotId slot, tile::ValueId value) { slots_[slot].values.push_back(value); }
  void drop_value(SlotId slot, tile::ValueId value);

  kernel::AllocationId allocation(SlotId slot) const { return slots_[slot].allocation; }
  kernel::AllocationSpace space(SlotId slot) const { return slots_[slot].space; }
  kernel::ScalarType scalar(SlotId slot) const { return slots_[slot].scalar; }
  /// Values whose elements lie in the slot and may still be read.
  const std::vector<tile::ValueId>& values(SlotId slot) const { return slots_[slot].values; }

 private:
  struct Slot {
    kernel::AllocationId allocation;
    kernel::AllocationSpace space{};
    kernel::ScalarType scalar{};
    std::int64_t count = 0;
    int holds = 0;
    std::vector<tile::ValueId> values;
  };
  bool idle(const Slot& slot) const { return slot.holds == 0 && slot.values.empty(); }

  kernel::Builder& builder_;
  IdVector<SlotId, Slot> slots_;
};

}  // namespace tilewright::lower
