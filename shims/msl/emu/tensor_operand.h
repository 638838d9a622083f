// Operands of tensor operations at run time: a piece of memory, or the registers of the lanes of a scope.
//
// Each lane hands the description of its own operands to the collective; the body works for all of them.
#pragma once
#pragma clang system_header

#include "cooperative_layout.h"

namespace emu_tensors {

/// Dimension 0 is the inner one. A promised extent is a static one: the operation does not look for the edge.
struct emu_memory {
  char* data;
  int type;
  long extents[2], strides[2], limits[2];
  bool promised[2];
};

/// The part of a cooperative tensor that one lane holds.
struct emu_registers {
  void* values;
  int type;
  int capacity;
  const int* elements;  ///< of each slot: row * columns + column, or -1
  int rows, columns;    ///< of the whole tile
};

struct emu_operand {
  bool cooperative;
  emu_memory memory;
  emu_registers registers;
};

template <class Tensor>
EMU_UNCHECKED emu_memory emu_describe(const Tensor& tensor) {
  static_assert(Tensor::emu_rank <= 2, "operations take tensors of rank 2: slice and wrap the others");
  emu_memory memory{};
  memory.data = reinterpret_cast<char*>(const_cast<typename Tensor::value_type*>(tensor.emu_data));
  memory.type = emu_scalar_of<typename Tensor::value_type>;
  for (unsigned d = 0; d < 2; ++d) {
    const bool real = d < Tensor::emu_rank;
    memory.extents[d] = real ? tensor.emu_extents[d] : 1;
    memory.strides[d] = real ? tensor.emu_strides[d] : tensor.emu_extents[0];
    memory.limits[d] = real ? tensor.emu_limits[d] : 1;
    memory.promised[d] = real && Tensor::get_static_extent(d) != metal::dynamic_extent;
  }
  return memory;
}

EMU_UNCHECKED inline bool emu_same_memory(const emu_memory& a, const emu_memory& b) {
  bool same = a.data == b.data;
  for (int d = 0; d < 2; ++d) same = same && a.extents[d] == b.extents[d] && a.strides[d] == b.strides[d];
  return same;
}

/// Which operand a report is about.
enum emu_part : int { EMU_PART_LEFT, EMU_PART_RIGHT, EMU_PART_DESTINATION, EMU_PART_SOURCE };

/// The sentence for one of the four parts.
#define EMU_TENSOR_TEXT(part, before, after)                                      \
  ((part) == ::emu_tensors::EMU_PART_LEFT          ? before "left operand" after  \
   : (part) == ::emu_tensors::EMU_PART_RIGHT       ? before "right operand" after \
   : (part) == ::emu_tensors::EMU_PART_DESTINATION ? before "destination" after   \
                                                   : before "source" after)

EMU_UNCHECKED inline void emu_misuse(const char* text, long n0 = 0, long n1 = 0, long n2 = 0, long n3 = 0) {
  emu_fault(EMU_MPP_MISUSE, text, n0, n1, n2, n3, 0);
}

EMU_UNCHECKED inline void emu_check_stride(const emu_memory& memory, int part) {
  if (memory.strides[0] == 1 || memory.extents[0] <= 1) return;
  emu_misuse(EMU_TENSOR_TEXT(part, "the ",
                             " has an inner stride of %0: it must be 1, a transpose is a flag of the descriptor"),
             memory.strides[0]);
}

/// An operand that is read must have elements; false: it has none. The device may read a row all the same.
EMU_UNCHECKED inline bool emu_check_not_empty(emu_memory& memory, int part) {
  if (memory.extents[0] > 0 && memory.extents[1] > 0) return true;
  emu_misuse(
      EMU_TENSOR_TEXT(part, "the ", " is empty (inner extent %0, outer %1) and is read all the same: skip empty tiles"),
      memory.extents[0], memory.extents[1]);
  if (emu_option(EMU_OPTION_ZERO_EXTENT_READ) == 0) return false;
  for (int d = 0; d < 2; ++d) {
    if (memory.extents[d] <= 0) memory.extents[d] = memory.limits[d] = 1;
  }
  return true;
}

/// How many elements of a dimension an operation that wants `wanted` of them touches. A static extent is a promise that
/// they are there; a broken one is reported, and kept to only if the device would not notice.
EMU_UNCHECKED inline long emu_reach(const emu_memory& memory, int dimension, long wanted, int part,
                                    bool overread = false) {
  const long extent = memory.extents[dimension];
  if (!memory.promised[dimension]) return wanted < extent || overread ? wanted : (extent < 0 ? 0 : extent);
  long there = extent < wanted ? extent : wanted;
  if (extent < wanted) {
    emu_misuse(
        EMU_TENSOR_TEXT(part, "the ",
                        " has a static extent of %0 in dimension %1, the operation touches %2: static extents are"
                        " not checked for the edge"),
        extent, dimension, wanted);
  }
  if (memory.limits[dimension] < there) {
    emu_misuse(EMU_TENSOR_TEXT(part, "the ",
                               " is a static slice of %0 elements in dimension %1 past the edge, %2 are left: use a"
                               " dynamic slice there"),
               extent, dimension, memory.limits[dimension]);
    there = memory.limits[dimension] < 0 ? 0 : memory.limits[dimension];
  }
  const bool unnoticed = part != EMU_PART_DESTINATION && emu_option(EMU_OPTION_OVERREAD_STATIC_K) != 0;
  return unnoticed ? wanted : there;
}

/// Tells the runner of a read or write of `inner` x `outer` elements from the origin.
EMU_UNCHECKED inline void emu_touch(const emu_memory& memory, long inner, long outer, bool write) {
  if (inner <= 0 || outer <= 0) return;
  const unsigned bytes = emu_scalar_bytes(memory.type);
  const long row = memory.strides[1] * static_cast<long>(bytes);
  if (memory.strides[0] == 1) {
    emu_access(memory.data, bytes, static_cast<unsigned>(outer), static_cast<unsigned long>(inner) * bytes, row, write,
               EMU_COUNT_TENSOR);
    return;
  }
  for (long r = 0; r < outer; ++r) {
    emu_access(memory.data + r * row, bytes, static_cast<unsigned>(inner), bytes,
               memory.strides[0] * static_cast<long>(bytes), write, EMU_COUNT_TENSOR);
  }
}

EMU_UNCHECKED inline void** emu_first_lane(void** lanes, unsigned int count) {
  unsigned int i = 0;
  while (i + 1 < count && lanes[i] == nullptr) ++i;
  return lanes + i;
}

/// The layouts count on 32 lanes in each SIMD group.
EMU_UNCHECKED inline void emu_check_scope(void** lanes, unsigned int count, int simdgroups) {
  if (simdgroups == 0) return;
  unsigned int present = 0;
  for (unsigned int i = 0; i < count; ++i) present += lanes[i] != nullptr ? 1 : 0;
  if (present == static_cast<unsigned int>(simdgroups) * EMU_SIMD_WIDTH) return;
  emu_misuse("the scope of the operation has %0 threads of the %1 of its SIMD groups", present,
             simdgroups * EMU_SIMD_WIDTH);
}

/// Waits for the lanes of a scope of that many SIMD groups (0: one thread) and does the work once.
EMU_INLINE EMU_UNCHECKED void emu_run_in_scope(int simdgroups, const char* file, unsigned int line, unsigned int column,
                                               void* argument, emu_collective_body body) {
  if (simdgroups == 0) {
    emu_lane_operation(file, line, column, EMU_TENSOR_OPERATION, argument, body);
  } else if (simdgroups == 1) {
    emu_simd_collective(file, line, column, EMU_TENSOR_OPERATION, argument, body);
  } else {
    emu_threadgroup_collective(file, line, column, EMU_TENSOR_OPERATION, argument, body,
                               static_cast<unsigned int>(simdgroups));
  }
}

}  // namespace emu_tensors
