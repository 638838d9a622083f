// Which lane holds which element of a cooperative tensor, and in which slot.
//
// The layout is opaque by the rules of MPP: a kernel may only ask. So the emulator may choose, and a seed makes it
// choose otherwise; a kernel that assumes a layout then fails. All layouts are bijections between the valid (lane,
// slot) pairs of the scope and the elements, and the same for all element types of one operation.
//
//   linear     dealt round robin; for one thread slot = element
//   fragment8  8x8 pieces dealt to the SIMD groups in rows of pieces; in a piece the map of simdgroup_matrix, 2 slots a
//              lane; of the matrix as multiplied, whether it is stored transposed or not. As public code has it for
//              the devices before M5.
//   fragment16 16x16 pieces with the map of M5, 8 slots a lane; of the matrix as stored
//   shuffled   (lane, slot) numbered, the number permuted by a multiplication modulo the count; some slots hold nothing
#pragma once
#pragma clang system_header

#include "tensor_scalar.h"

namespace emu_tensors {

enum emu_layout_kind : int { EMU_LINEAR, EMU_FRAGMENT8, EMU_FRAGMENT16, EMU_SHUFFLED };

/// What a cooperative tensor is for: the layout may depend on it.
enum emu_role : unsigned { EMU_LEFT, EMU_RIGHT, EMU_DESTINATION };

struct emu_layout {
  int rows, columns;  ///< of the tile as stored
  bool transposed;    ///< stored the other way round than it is multiplied
  int lanes;          ///< of the scope
  int capacity;       ///< slots of each lane
  emu_layout_kind kind;
  unsigned multiplier, offset;  ///< of a shuffled one
};

constexpr int emu_ceil_div(int value, int divisor) { return (value + divisor - 1) / divisor; }

constexpr int emu_base_capacity(emu_layout_kind kind, int rows, int columns, int lanes) {
  if (kind == EMU_LINEAR) return emu_ceil_div(rows * columns, lanes);
  const int edge = kind == EMU_FRAGMENT16 ? 16 : 8;
  return emu_ceil_div((rows / edge) * (columns / edge), lanes / 32) * (edge * edge / 32);
}

constexpr emu_layout_kind emu_natural_kind(int rows, int columns, int lanes) {
  return lanes == 1 || rows % 8 != 0 || columns % 8 != 0 ? EMU_LINEAR : EMU_FRAGMENT8;
}

constexpr bool emu_fits_fragment16(int rows, int columns, int lanes) {
  return lanes > 1 && rows % 16 == 0 && columns % 16 == 0;
}

constexpr int kEmuSpareSlots = 2;  ///< the most that a shuffled layout adds

/// Enough for each layout that may be chosen at run time.
constexpr int emu_slots(int rows, int columns, int lanes) {
  const int natural = emu_base_capacity(emu_natural_kind(rows, columns, lanes), rows, columns, lanes);
  const int sixteen =
      emu_fits_fragment16(rows, columns, lanes) ? emu_base_capacity(EMU_FRAGMENT16, rows, columns, lanes) : 0;
  return (natural > sixteen ? natural : sixteen) + kEmuSpareSlots;
}

EMU_UNCHECKED inline unsigned long emu_mix(unsigned long value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ul;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebul;
  return value ^ (value >> 31);
}

EMU_UNCHECKED inline unsigned emu_common_divisor(unsigned a, unsigned b) {
  while (b != 0) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Two thirds of the seeds give each role a layout of its own; the others let a destination be used as an input.
EMU_UNCHECKED inline emu_layout emu_choose_layout(int rows, int columns, bool transposed, int lanes, unsigned role) {
  emu_layout layout{rows, columns, transposed, lanes, 0, emu_natural_kind(rows, columns, lanes), 1, 0};
  const unsigned long seed = emu_option(EMU_OPTION_LAYOUT_SEED);
  const bool like_m5 = emu_option(EMU_OPTION_M5_LAYOUT) != 0 && emu_fits_fragment16(rows, columns, lanes);
  if (like_m5) layout.kind = EMU_FRAGMENT16;
  layout.capacity = emu_base_capacity(layout.kind, rows, columns, lanes);
  if (seed == 0 || like_m5) return layout;
  const unsigned long parts = (static_cast<unsigned long>(rows) << 40) ^ (static_cast<unsigned long>(columns) << 20) ^
                              (static_cast<unsigned long>(lanes) << 4) ^ (seed % 3 == 0 ? 0 : role + 1);
  const unsigned long random = emu_mix(emu_mix(seed) ^ parts);
  layout.kind = EMU_SHUFFLED;
  layout.capacity += static_cast<int>(random % (kEmuSpareSlots + 1));
  const unsigned places = static_cast<unsigned>(lanes) * static_cast<unsigned>(layout.capacity);
  layout.multiplier = static_cast<unsigned>(random >> 8) % places | 1u;
  while (emu_common_divisor(layout.multiplier, places) != 1) layout.multiplier += 2;
  layout.multiplier %= places;
  layout.offset = static_cast<unsigned>(random >> 40) % places;
  return layout;
}

EMU_UNCHECKED inline void emu_list_fragments(const emu_layout& layout, int lane, int* held) {
  const bool large = layout.kind == EMU_FRAGMENT16;
  const int edge = large ? 16 : 8;
  const int slots = edge * edge / 32;
  const bool turned = layout.transposed && !large;
  const int across = (turned ? layout.rows : layout.columns) / edge;
  const int down = (turned ? layout.columns : layout.rows) / edge;
  const int first = (lane / 32) * (layout.capacity / slots);
  int piece_row = first / across;
  int piece_column = first % across;
  const int l = lane % 32;
  for (int slot = 0; slot < layout.capacity; slot += slots) {
    for (int j = 0; j < slots; ++j) {
      const int row = piece_row * edge + 4 * (l >> 4) + ((l >> 1) & 3) + 8 * (j >> 2);
      const int column = piece_column * edge +
                         (large ? 8 * ((l >> 3) & 1) + 4 * (l & 1) + (j & 3) : 4 * ((l >> 3) & 1) + 2 * (l & 1) + j);
      held[slot + j] = turned ? column * layout.columns + row : row * layout.columns + column;
      if (piece_row >= down) held[slot + j] = -1;
    }
    if (++piece_column == across) {
      piece_column = 0;
      ++piece_row;
    }
  }
}

/// The element of each slot of a lane, row * columns + column, or -1 where the slot holds nothing.
EMU_UNCHECKED inline void emu_list_elements(const emu_layout& layout, int lane, int* held, int slots) {
  for (int slot = layout.capacity; slot < slots; ++slot) held[slot] = -1;
  if (layout.kind == EMU_FRAGMENT8 || layout.kind == EMU_FRAGMENT16) return emu_list_fragments(layout, lane, held);
  const int elements = layout.rows * layout.columns;
  if (layout.kind == EMU_LINEAR) {
    for (int slot = 0; slot < layout.capacity; ++slot) {
      const int element = slot * layout.lanes + lane;
      held[slot] = element < elements ? element : -1;
    }
    return;
  }
  const unsigned places = static_cast<unsigned>(layout.lanes) * static_cast<unsigned>(layout.capacity);
  const unsigned long first = static_cast<unsigned>(lane) * static_cast<unsigned>(layout.capacity);
  unsigned place = static_cast<unsigned>((first * layout.multiplier + layout.offset) % places);
  for (int slot = 0; slot < layout.capacity; ++slot) {
    held[slot] = place < static_cast<unsigned>(elements) ? static_cast<int>(place) : -1;
    place += layout.multiplier;
    if (place >= places) place -= places;
  }
}

/// The same element in the same slot, everywhere.
EMU_UNCHECKED inline bool emu_is_convertible_layout(const emu_layout& a, const emu_layout& b) {
  return a.rows == b.rows && a.columns == b.columns && a.transposed == b.transposed && a.lanes == b.lanes &&
         a.capacity == b.capacity && a.kind == b.kind && a.multiplier == b.multiplier && a.offset == b.offset;
}

}  // namespace emu_tensors
