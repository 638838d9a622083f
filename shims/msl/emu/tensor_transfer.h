// load and store of a cooperative tensor: the tile of the whole scope from or to memory, clipped by the extents.
#pragma once
#pragma clang system_header

#include "tensor_operand.h"

namespace emu_tensors {

/// What each lane hands over: its registers, and the memory, which is the same for all.
struct emu_transfer {
  emu_registers registers;
  emu_memory memory;
  int rows, columns;
  int simdgroups;
};

EMU_UNCHECKED inline void emu_check_transfer(void** lanes, unsigned int count, const emu_transfer& first) {
  emu_check_scope(lanes, count, first.simdgroups);
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    if (emu_same_memory(static_cast<emu_transfer*>(lanes[i])->memory, first.memory)) continue;
    emu_misuse("lane %0 of the scope gives another tensor than the first one: the call must be uniform", i);
    return;
  }
}

EMU_UNCHECKED inline void emu_load_body(void** lanes, unsigned int count) {
  emu_transfer first = *static_cast<emu_transfer*>(*emu_first_lane(lanes, count));
  emu_check_transfer(lanes, count, first);
  emu_check_stride(first.memory, EMU_PART_SOURCE);
  const bool any = emu_check_not_empty(first.memory, EMU_PART_SOURCE);
  const long inner = any ? emu_reach(first.memory, 0, first.columns, EMU_PART_SOURCE) : 0;
  const long outer = any ? emu_reach(first.memory, 1, first.rows, EMU_PART_SOURCE) : 0;
  emu_touch(first.memory, inner, outer, false);
  const unsigned bytes = emu_scalar_bytes(first.memory.type);
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    const emu_registers& own = static_cast<emu_transfer*>(lanes[i])->registers;
    for (int slot = 0; slot < own.capacity; ++slot) {
      const int element = own.elements[slot];
      if (element < 0) continue;
      const long row = element / first.columns;
      const long column = element % first.columns;
      const bool there = row < outer && column < inner;
      const long from = row * first.memory.strides[1] + column * first.memory.strides[0];
      emu_copy_element(own.values, slot, there ? first.memory.data : nullptr, from, bytes);
    }
  }
}

EMU_UNCHECKED inline void emu_store_body(void** lanes, unsigned int count) {
  const emu_transfer& first = *static_cast<emu_transfer*>(*emu_first_lane(lanes, count));
  emu_check_transfer(lanes, count, first);
  emu_check_stride(first.memory, EMU_PART_DESTINATION);
  const long inner = emu_reach(first.memory, 0, first.columns, EMU_PART_DESTINATION);
  const long outer = emu_reach(first.memory, 1, first.rows, EMU_PART_DESTINATION);
  emu_touch(first.memory, inner, outer, true);
  const unsigned bytes = emu_scalar_bytes(first.memory.type);
  long unwritten = 0, unwritten_row = 0, unwritten_column = 0;
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    const emu_registers& own = static_cast<emu_transfer*>(lanes[i])->registers;
    for (int slot = 0; slot < own.capacity; ++slot) {
      const int element = own.elements[slot];
      if (element < 0) continue;
      const long row = element / first.columns;
      const long column = element % first.columns;
      if (row >= outer || column >= inner) continue;
      if (emu_is_poison(own.values, slot, own.type) && unwritten++ == 0) {
        unwritten_row = row;
        unwritten_column = column;
      }
      const long to = row * first.memory.strides[1] + column * first.memory.strides[0];
      emu_copy_element(first.memory.data, to, own.values, slot, bytes);
    }
  }
  if (unwritten != 0) {
    emu_fault(EMU_UNINITIALIZED_READ,
              "%0 elements of the cooperative tensor are stored that nothing wrote, the first at row %1, column %2",
              unwritten, unwritten_row, unwritten_column, 0, 0);
  }
}

}  // namespace emu_tensors
