// A run of matmul2d: checks of what is only known at run time, then gather, multiply, scatter.
//
// Numerics. Sums are FP32, each the chain of fused multiply-adds over ascending k from zero; multiply_accumulate adds
// the old destination last, as the library of M5 does; a narrower destination is rounded once, to nearest even.
// relaxed_precision changes nothing, unless the launch asks for what M5 does: float operands then lose the low 13 bits
// of their mantissas. 8-bit inputs give exact sums modulo 2^32.
#pragma once
#pragma clang system_header

#include "matmul_kernel.h"
#include "matmul_rules.h"

namespace emu_tensors {

struct emu_tile_view;
using emu_gather = void (*)(const emu_tile_view&, long, long, long, long, const void*);

/// What each lane hands over.
struct emu_matmul {
  emu_operand parts[3];  ///< by emu_part
  emu_gather gathers[3];
  int m, n, k;         ///< k as in the descriptor
  bool transposed[3];  ///< by emu_part; the destination never
  bool accumulate;
  bool relaxed;
  int simdgroups;  ///< of the scope; 0: one thread
};

/// An operand as the run uses it: which part of the tile is there.
struct emu_tile_view {
  const emu_operand* operand;
  emu_memory memory;
  int part;
  long rows, columns;  ///< of the tile as stored
  long rows_there, columns_there;
};

constexpr long kEmuDepth = 256;  ///< k is worked off in pieces of this

EMU_UNCHECKED inline long emu_round_up(long value, long step) { return (value + step - 1) / step * step; }

EMU_UNCHECKED inline void emu_check_matmul_uniform(void** lanes, unsigned int count, const emu_matmul& first) {
  for (int part = 0; part < 3; ++part) {
    if (first.parts[part].cooperative) continue;
    for (unsigned int i = 0; i < count; ++i) {
      if (lanes[i] == nullptr) continue;
      const emu_memory& own = static_cast<emu_matmul*>(lanes[i])->parts[part].memory;
      if (emu_same_memory(own, first.parts[part].memory)) continue;
      emu_misuse(
          EMU_TENSOR_TEXT(part, "lane %0 of the scope gives another ", " than the first: the call must be uniform"), i);
      break;
    }
  }
}

/// Dynamic k comes from the tensors; a static one the device may shorten.
EMU_UNCHECKED inline long emu_resolve_k(const emu_matmul& call, const emu_memory& left, const emu_memory& right) {
  if (!emu_is_dynamic_k(call.k)) {
    const bool memory = !call.parts[EMU_PART_LEFT].cooperative || !call.parts[EMU_PART_RIGHT].cooperative;
    return memory && emu_option(EMU_OPTION_TRUNCATE_STATIC_K) != 0 ? call.k - call.k % 32 : call.k;
  }
  const long by_left = left.extents[call.transposed[EMU_PART_LEFT] ? 1 : 0];
  const long by_right = right.extents[call.transposed[EMU_PART_RIGHT] ? 0 : 1];
  if (by_left != by_right) {
    emu_misuse("dynamic k is %0 by the extents of the left operand and %1 by those of the right one", by_left,
               by_right);
  }
  return by_left < by_right ? by_left : by_right;
}

EMU_UNCHECKED inline emu_tile_view emu_view_input(const emu_matmul& call, int part, const emu_memory& memory, bool any,
                                                  long k) {
  const bool left = part == EMU_PART_LEFT;
  const long across = left ? call.m : call.n;
  const bool k_is_inner = left != call.transposed[part];
  emu_tile_view view{&call.parts[part], memory, part, k_is_inner ? across : k, k_is_inner ? k : across, 0, 0};
  if (view.operand->cooperative) {
    view.rows_there = view.rows;
    view.columns_there = view.columns;
  } else if (any) {
    const bool overread = !emu_is_dynamic_k(call.k) && emu_option(EMU_OPTION_OVERREAD_STATIC_K) != 0;
    view.columns_there = emu_reach(view.memory, 0, view.columns, part, overread && k_is_inner);
    view.rows_there = emu_reach(view.memory, 1, view.rows, part, overread && !k_is_inner);
    emu_touch(view.memory, view.columns_there, view.rows_there, false);
  }
  return view;
}

EMU_UNCHECKED inline emu_tile_view emu_view_destination(const emu_matmul& call) {
  emu_tile_view view{&call.parts[EMU_PART_DESTINATION],
                     call.parts[EMU_PART_DESTINATION].memory,
                     EMU_PART_DESTINATION,
                     call.m,
                     call.n,
                     call.m,
                     call.n};
  if (view.operand->cooperative) return view;
  emu_check_stride(view.memory, EMU_PART_DESTINATION);
  view.columns_there = emu_reach(view.memory, 0, view.columns, EMU_PART_DESTINATION);
  view.rows_there = emu_reach(view.memory, 1, view.rows, EMU_PART_DESTINATION);
  if (call.accumulate) emu_touch(view.memory, view.columns_there, view.rows_there, false);
  return view;
}

/// Whether a byte of the destination is one of the input's; exact as to rows.
EMU_UNCHECKED inline bool emu_views_overlap(const emu_tile_view& a, const emu_tile_view& b) {
  const long a_bytes = a.columns_there * static_cast<long>(emu_scalar_bytes(a.memory.type));
  const long b_bytes = b.columns_there * static_cast<long>(emu_scalar_bytes(b.memory.type));
  const long a_step = a.memory.strides[1] * static_cast<long>(emu_scalar_bytes(a.memory.type));
  const long b_step = b.memory.strides[1] * static_cast<long>(emu_scalar_bytes(b.memory.type));
  if (a_bytes <= 0 || b_bytes <= 0 || a.rows_there <= 0 || b.rows_there <= 0 || a_step < 0 || b_step < 0) return false;
  const char* a_end = a.memory.data + (a.rows_there - 1) * a_step + a_bytes;
  const char* b_end = b.memory.data + (b.rows_there - 1) * b_step + b_bytes;
  if (a.memory.data >= b_end || b.memory.data >= a_end) return false;
  for (long i = 0; i < a.rows_there; ++i) {
    const char* a_row = a.memory.data + i * a_step;
    // The rows of b that can touch this one: those that begin less than b_bytes before it, and before its end.
    long j = b_step > 0 ? (a_row - b.memory.data - b_bytes) / b_step : 0;
    for (j = j < 0 ? 0 : j; j < b.rows_there; ++j) {
      const char* b_row = b.memory.data + j * b_step;
      if (b_row >= a_row + a_bytes) break;
      if (b_row + b_bytes > a_row) return true;
    }
  }
  return false;
}

EMU_UNCHECKED inline void emu_check_overlap(const emu_tile_view& destination, const emu_tile_view& input) {
  if (destination.operand->cooperative || input.operand->cooperative || !emu_views_overlap(destination, input)) return;
  emu_misuse(EMU_TENSOR_TEXT(input.part, "the destination overlaps the ",
                             ": elements may be overwritten before they are read"));
}

/// Where the elements of a stored tile go: out[row * row_step + column * column_step].
template <class Sum>
struct emu_target {
  Sum* out;
  long row_step, column_step;
};

/// The part [row0, row1) x [column0, column1) of a tile in memory; what is not there stays as it is.
template <class Sum, int Type>
EMU_UNCHECKED void emu_gather_rows(const emu_tile_view& view, long row0, long row1, long column0, long column1,
                                   const void* target) {
  const emu_target<Sum> to = *static_cast<const emu_target<Sum>*>(target);
  if (row1 > view.rows_there) row1 = view.rows_there;
  if (column1 > view.columns_there) column1 = view.columns_there;
  const long step = view.memory.strides[0];
  for (long r = row0; r < row1; ++r) {
    const char* row = view.memory.data + r * view.memory.strides[1] * static_cast<long>(emu_scalar_bytes(Type));
    Sum* out = to.out + (r - row0) * to.row_step;
#pragma clang loop unroll_count(4)
    for (long c = column0; c < column1; ++c) out[(c - column0) * to.column_step] = emu_read<Sum>(row, c * step, Type);
  }
}

/// A whole cooperative tile, out of the registers of all lanes. Elements that nothing wrote are reported.
template <class Sum>
EMU_UNCHECKED void emu_gather_registers(void** lanes, unsigned int count, int part, long columns, emu_target<Sum> to) {
  const bool dense = to.row_step == columns && to.column_step == 1;
  long unwritten = 0, first_unwritten = 0;
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    const emu_registers& own = static_cast<emu_matmul*>(lanes[i])->parts[part].registers;
    for (int slot = 0; slot < own.capacity; ++slot) {
      const int element = own.elements[slot];
      if (element < 0) continue;
      Sum value = emu_read<Sum>(own.values, slot, own.type);
      if (emu_is_poison(own.values, slot, own.type)) {
        if (unwritten++ == 0) first_unwritten = element;
        value = emu_unknown<Sum>();
      }
      to.out[dense ? element : (element / columns) * to.row_step + (element % columns) * to.column_step] = value;
    }
  }
  if (unwritten == 0) return;
  emu_fault(EMU_UNINITIALIZED_READ,
            EMU_TENSOR_TEXT(part, "%0 elements of the cooperative ",
                            " are read that nothing wrote, the first at row %1, column %2: fill it, or begin with"
                            " mode::multiply"),
            unwritten, first_unwritten / columns, first_unwritten % columns, 0, 0);
}

template <class Sum>
EMU_UNCHECKED void emu_clear(Sum* values, long count) {
  for (long i = 0; i < count; ++i) values[i] = 0;
}

/// Half and bfloat have no such bits. NaN and Inf stay what they are.
EMU_UNCHECKED inline void emu_drop_relaxed_bits(float* values, long count) {
  for (long i = 0; i < count; ++i) {
    const unsigned int bits = __builtin_bit_cast(unsigned int, values[i]);
    if ((bits & 0x7f800000u) != 0x7f800000u) values[i] = __builtin_bit_cast(float, bits & ~0x1fffu);
  }
}
EMU_UNCHECKED inline void emu_drop_relaxed_bits(unsigned*, long) {}

/// sums[m][width] = left * right
template <class Sum>
EMU_UNCHECKED void emu_multiply_views(void** lanes, unsigned int count, const emu_matmul& call,
                                      const emu_tile_view& left, const emu_tile_view& right, long k, Sum* sums,
                                      long width) {
  const long height = emu_round_up(call.m, 4);
  const long depth = k < kEmuDepth ? k : kEmuDepth;
  const bool drops = call.relaxed && emu_option(EMU_OPTION_RELAXED_F32) != 0;
  Sum* a = static_cast<Sum*>(emu_scratch(0, static_cast<unsigned long>(height * depth) * sizeof(Sum)));
  Sum* b = static_cast<Sum*>(emu_scratch(1, static_cast<unsigned long>(width * depth) * sizeof(Sum)));
  for (long k0 = 0; k0 < k; k0 += depth) {
    const long k1 = k0 + depth < k ? k0 + depth : k;
    emu_clear(a, height * depth);
    emu_clear(b, width * depth);
    const emu_target<Sum> to_a =
        call.transposed[EMU_PART_LEFT] ? emu_target<Sum>{a, 1, depth} : emu_target<Sum>{a, depth, 1};
    const emu_target<Sum> to_b =
        call.transposed[EMU_PART_RIGHT] ? emu_target<Sum>{b, 1, width} : emu_target<Sum>{b, width, 1};
    if (left.operand->cooperative) {
      emu_gather_registers(lanes, count, EMU_PART_LEFT, left.columns, to_a);
    } else if (call.transposed[EMU_PART_LEFT]) {
      call.gathers[EMU_PART_LEFT](left, k0, k1, 0, call.m, &to_a);
    } else {
      call.gathers[EMU_PART_LEFT](left, 0, call.m, k0, k1, &to_a);
    }
    if (right.operand->cooperative) {
      emu_gather_registers(lanes, count, EMU_PART_RIGHT, right.columns, to_b);
    } else if (call.transposed[EMU_PART_RIGHT]) {
      call.gathers[EMU_PART_RIGHT](right, 0, call.n, k0, k1, &to_b);
    } else {
      call.gathers[EMU_PART_RIGHT](right, k0, k1, 0, call.n, &to_b);
    }
    if (drops) {
      emu_drop_relaxed_bits(a, height * depth);
      emu_drop_relaxed_bits(b, width * depth);
    }
    emu_multiply(a, depth, b, width, sums, width, height, width, k1 - k0);
  }
}

template <class Sum>
EMU_UNCHECKED void emu_add_destination(void** lanes, unsigned int count, const emu_matmul& call,
                                       const emu_tile_view& destination, Sum* sums, long width) {
  Sum* old = static_cast<Sum*>(emu_scratch(3, static_cast<unsigned long>(destination.rows * width) * sizeof(Sum)));
  emu_clear(old, destination.rows * width);
  const emu_target<Sum> to{old, width, 1};
  if (destination.operand->cooperative) {
    emu_gather_registers(lanes, count, EMU_PART_DESTINATION, destination.columns, to);
  } else {
    call.gathers[EMU_PART_DESTINATION](destination, 0, destination.rows, 0, destination.columns, &to);
  }
  for (long i = 0; i < destination.rows * width; ++i) sums[i] = old[i] + sums[i];
}

template <class Sum>
EMU_UNCHECKED void emu_scatter(void** lanes, unsigned int count, const emu_tile_view& destination, const Sum* sums,
                               long width) {
  if (!destination.operand->cooperative) {
    const emu_memory& memory = destination.memory;
    emu_touch(memory, destination.columns_there, destination.rows_there, true);
    for (long r = 0; r < destination.rows_there; ++r) {
      for (long c = 0; c < destination.columns_there; ++c) {
        emu_write(memory.data, r * memory.strides[1] + c * memory.strides[0], memory.type, sums[r * width + c]);
      }
    }
    return;
  }
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    const emu_registers& own = static_cast<emu_matmul*>(lanes[i])->parts[EMU_PART_DESTINATION].registers;
    for (int slot = 0; slot < own.capacity; ++slot) {
      const int element = own.elements[slot];
      if (element < 0) continue;
      const long at = width == destination.columns
                          ? element
                          : (element / destination.columns) * width + element % destination.columns;
      emu_write(own.values, slot, own.type, sums[at]);
    }
  }
}

template <class Sum>
EMU_UNCHECKED void emu_run_views(void** lanes, unsigned int count, const emu_matmul& call, const emu_tile_view& left,
                                 const emu_tile_view& right, const emu_tile_view& destination, long k) {
  const long width = emu_round_up(call.n, 8);
  const long height = emu_round_up(call.m, 4);
  Sum* sums = static_cast<Sum*>(emu_scratch(2, static_cast<unsigned long>(height * width) * sizeof(Sum)));
  emu_clear(sums, height * width);
  if (k > 0) emu_multiply_views(lanes, count, call, left, right, k, sums, width);
  if (call.accumulate) emu_add_destination(lanes, count, call, destination, sums, width);
  emu_scatter(lanes, count, destination, sums, width);
}

/// Sum: float, or unsigned where the destination is of integers.
template <class Sum>
EMU_UNCHECKED void emu_matmul_body(void** lanes, unsigned int count) {
  const emu_matmul& call = *static_cast<emu_matmul*>(*emu_first_lane(lanes, count));
  emu_check_scope(lanes, count, call.simdgroups);
  emu_check_matmul_uniform(lanes, count, call);
  emu_memory inputs[2];
  bool any[2];
  for (int part = 0; part < 2; ++part) {
    inputs[part] = call.parts[part].memory;
    any[part] = true;
    if (call.parts[part].cooperative) continue;
    emu_check_stride(inputs[part], part);
    any[part] = emu_check_not_empty(inputs[part], part);
  }
  const long k = emu_resolve_k(call, inputs[0], inputs[1]);
  const emu_tile_view left = emu_view_input(call, EMU_PART_LEFT, inputs[0], any[0], k);
  const emu_tile_view right = emu_view_input(call, EMU_PART_RIGHT, inputs[1], any[1], k);
  const emu_tile_view destination = emu_view_destination(call);
  emu_check_overlap(destination, left);
  emu_check_overlap(destination, right);
  emu_count(EMU_COUNTER_TENSOR_OPERATIONS, 1);
  emu_count_matmul(static_cast<unsigned long>(call.m), static_cast<unsigned long>(call.n),
                   static_cast<unsigned long>(k < 0 ? 0 : k));
  emu_run_views<Sum>(lanes, count, call, left, right, destination, k);
}

}  // namespace emu_tensors
