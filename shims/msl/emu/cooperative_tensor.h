// cooperative_tensor<>: a tile that the lanes of a scope hold together, each in registers of its own.
//
// Element, extents (innermost first) and a layout. The layouts are made by matmul2d: a tile, or one value for each row
// or column of a destination. A fresh tensor is indeterminate: its elements have the poison pattern, which operations
// and stores report.
#pragma once
#pragma clang system_header

#include "array.h"

#include "tensor.h"
#include "tensor_transfer.h"

namespace emu_tensors {

/// An index into the slots of a lane, with the place where it is used.
struct emu_slot_index {
  unsigned long value;
  const char* file;
  unsigned int line, column;
  template <class Index>
    requires(__is_convertible(Index, long))
  constexpr emu_slot_index(Index index, EMU_PLACE)
      : value(static_cast<unsigned long>(static_cast<long>(index))),
        file(emu_file),
        line(emu_line),
        column(emu_column) {}
};

struct emu_overrun {
  unsigned long index;
  long capacity;
};

EMU_UNCHECKED inline void emu_overrun_body(void** lanes, unsigned int) {
  const emu_overrun& overrun = *static_cast<emu_overrun*>(lanes[0]);
  emu_misuse("index %0 of a cooperative tensor of which a lane holds %1 elements", static_cast<long>(overrun.index),
             overrun.capacity);
}

__attribute__((noinline, cold)) EMU_UNCHECKED inline void emu_report_overrun(const emu_slot_index& slot,
                                                                             long capacity) {
  emu_overrun overrun{slot.value, capacity};
  emu_lane_operation(slot.file, slot.line, slot.column, EMU_TENSOR_OPERATION, &overrun, &emu_overrun_body);
}

EMU_INLINE EMU_UNCHECKED int emu_lane_in_scope(int simdgroups) {
  if (simdgroups == 0) return 0;
  const emu_lane* lane = emu_this_lane();
  return static_cast<int>(simdgroups == 1 ? lane->thread_index_in_simdgroup : lane->thread_index_in_threadgroup);
}

/// Layout of a tile. Rows and columns as stored, in a scope of that many SIMD groups (0: one thread).
template <unsigned Role, int Rows, int Columns, bool Transposed, int Simdgroups, class Coordinate>
struct emu_tile {
  using coordinate = Coordinate;
  static constexpr unsigned role = Role;
  static constexpr int rows = Rows, columns = Columns, simdgroups = Simdgroups, rank = 2;
  static constexpr int lanes = Simdgroups == 0 ? 1 : Simdgroups * 32;
  static constexpr int slots = emu_slots(Rows, Columns, lanes);
  using extents = metal::extents<Coordinate, Columns, Rows>;

  emu_layout layout = emu_choose_layout(Rows, Columns, Transposed, lanes, Role);
  int held[slots];

  EMU_UNCHECKED emu_tile() { emu_list_elements(layout, emu_lane_in_scope(Simdgroups), held, slots); }
  EMU_INLINE EMU_UNCHECKED int capacity() const { return layout.capacity; }
  EMU_INLINE EMU_UNCHECKED int element(int slot) const { return slot < 0 || slot >= slots ? -1 : held[slot]; }
  /// The row and column of an element; outside the tile for what is not valid.
  EMU_INLINE EMU_UNCHECKED metal::array<Coordinate, 2> coordinates(int element) const {
    if (element < 0) return {static_cast<Coordinate>(Columns), static_cast<Coordinate>(Rows)};
    return {static_cast<Coordinate>(element % Columns), static_cast<Coordinate>(element / Columns)};
  }
  EMU_INLINE EMU_UNCHECKED emu_registers registers(void* values, int type) const {
    return {values, type, layout.capacity, held, Rows, Columns};
  }
};

/// Fills the distinct rows (or columns) among the elements that a lane holds; how many there are.
EMU_UNCHECKED inline int emu_list_lines(const emu_registers& tile, bool rows, int* held) {
  int count = 0;
  for (int slot = 0; slot < tile.capacity; ++slot) {
    if (tile.elements[slot] < 0) continue;
    const int line = rows ? tile.elements[slot] / tile.columns : tile.elements[slot] % tile.columns;
    int i = 0;
    while (i < count && held[i] != line) ++i;
    if (i == count) held[count++] = line;
  }
  return count;
}

/// Layout of one value for each row (or column) of a destination: a lane holds those of which it has elements.
template <bool OfRows, class Tile>
struct emu_reduced {
  using coordinate = typename Tile::coordinate;
  static constexpr bool of_rows = OfRows;
  static constexpr int length = OfRows ? Tile::rows : Tile::columns;
  static constexpr int rows = 1, columns = length, simdgroups = Tile::simdgroups, rank = 1;
  static constexpr int slots = length < Tile::slots ? length : Tile::slots;
  using tile = Tile;
  using extents = metal::extents<coordinate, length>;

  Tile whole;
  int held[slots];

  EMU_UNCHECKED emu_reduced() {
    const int count = emu_list_lines(whole.registers(nullptr, EMU_NO_SCALAR), OfRows, held);
    for (int i = count; i < slots; ++i) held[i] = -1;
  }
  EMU_INLINE EMU_UNCHECKED int capacity() const {
    return whole.layout.capacity < slots ? whole.layout.capacity : slots;
  }
  EMU_INLINE EMU_UNCHECKED int element(int slot) const { return slot < 0 || slot >= slots ? -1 : held[slot]; }
  EMU_INLINE EMU_UNCHECKED metal::array<coordinate, 1> coordinates(int element) const {
    return {static_cast<coordinate>(element < 0 ? length : element)};
  }
  EMU_INLINE EMU_UNCHECKED emu_registers registers(void* values, int type) const {
    return {values, type, capacity(), held, rows, columns};
  }
};

/// Walks the slots of one lane, those that hold nothing too.
template <class Owner>
struct emu_slot_iterator {
  using value_type = typename Owner::element_type;
  Owner* owner;
  long slot;
  const char* file;
  unsigned int line, column;

  value_type& operator*() const { return (*owner)[emu_slot_index(slot, file, line, column)]; }
  emu_slot_iterator& operator++() { return *this += 1; }
  emu_slot_iterator& operator--() { return *this += -1; }
  emu_slot_iterator operator++(int) { return (*this += 1) + -1; }
  emu_slot_iterator operator--(int) { return (*this += -1) + 1; }
  emu_slot_iterator& operator+=(long steps) {
    slot += steps;
    return *this;
  }
  emu_slot_iterator operator+(long steps) const { return {owner, slot + steps, file, line, column}; }
  long operator-(const emu_slot_iterator& other) const { return slot - other.slot; }
  bool operator==(const emu_slot_iterator& other) const { return slot == other.slot; }
  bool is_valid_element() const { return owner->is_valid_element(slot); }
  auto get_multidimensional_index() const { return owner->get_multidimensional_index(slot); }
};

}  // namespace emu_tensors

namespace metal {

template <class Element, class Extents, class Layout>
class cooperative_tensor {
 public:
  using element_type = Element;
  using value_type = Element;
  using extents_type = Extents;
  using layout = Layout;
  using iterator = emu_tensors::emu_slot_iterator<cooperative_tensor>;
  using const_iterator = emu_tensors::emu_slot_iterator<const cooperative_tensor>;

  EMU_UNCHECKED cooperative_tensor() {
    const bool zeroed = emu_is_output() && emu_option(EMU_OPTION_ZERO_COOPERATIVE) != 0;
    if (zeroed) {
      for (Element& value : emu_values) value = Element(0);
    } else {
      emu_tensors::emu_poison(emu_values, Layout::slots + 1, emu_tensors::emu_scalar_of<Element>);
    }
  }

  static constexpr __SIZE_TYPE__ get_rank() { return Layout::rank; }
  static constexpr __SIZE_TYPE__ get_static_extent(__SIZE_TYPE__ dimension) {
    return Extents::static_extent(dimension);
  }
  static constexpr __SIZE_TYPE__ get_extent(__SIZE_TYPE__ dimension) { return Extents::static_extent(dimension); }

  /// Slots of each lane, the same for all lanes; not all of them need hold an element.
  unsigned short get_capacity() const { return static_cast<unsigned short>(emu_map.capacity()); }

  Element& operator[](emu_tensors::emu_slot_index index) { return emu_values[emu_checked(index)]; }
  const Element& operator[](emu_tensors::emu_slot_index index) const { return emu_values[emu_checked(index)]; }

  Element get(emu_tensors::emu_slot_index index) const {
    return emu_holds(index.value) ? emu_values[index.value] : Element(0);
  }
  void set(emu_tensors::emu_slot_index index, Element value) {
    if (emu_holds(index.value)) emu_values[index.value] = value;
  }

  template <class Index>
    requires(__is_convertible(Index, long))
  bool is_valid_element(Index index) const {
    return emu_map.element(static_cast<int>(index)) >= 0;
  }
  bool is_valid_element(const Element* element) const { return is_valid_element(element - emu_values); }
  template <class Owner>
  bool is_valid_element(emu_tensors::emu_slot_iterator<Owner> position) const {
    return is_valid_element(position.slot);
  }

  /// [0]: column, [1]: row; of a reduction only [0].
  template <class Index>
    requires(__is_convertible(Index, long))
  auto get_multidimensional_index(Index index) const {
    return emu_map.coordinates(emu_map.element(static_cast<int>(index)));
  }
  template <class Owner>
  auto get_multidimensional_index(emu_tensors::emu_slot_iterator<Owner> position) const {
    return get_multidimensional_index(position.slot);
  }

  iterator begin(EMU_PLACE) { return {this, 0, emu_file, emu_line, emu_column}; }
  iterator end(EMU_PLACE) { return {this, emu_map.capacity(), emu_file, emu_line, emu_column}; }
  const_iterator begin(EMU_PLACE) const { return {this, 0, emu_file, emu_line, emu_column}; }
  const_iterator end(EMU_PLACE) const { return {this, emu_map.capacity(), emu_file, emu_line, emu_column}; }

  /// Where this lane holds what an element of another tensor of the same operation belongs to; end() if it does not.
  template <class Owner>
  iterator map_iterator(emu_tensors::emu_slot_iterator<Owner> position, EMU_PLACE) {
    const auto& other = position.owner->emu_map;
    const int element = other.element(static_cast<int>(position.slot));
    const int wanted = element < 0 ? -1 : emu_project(other, element);
    int slot = 0;
    while (slot < emu_map.capacity() && (wanted < 0 || emu_map.element(slot) != wanted)) ++slot;
    return {this, slot, emu_file, emu_line, emu_column};
  }

  /// Elements past the extents of the tensor become 0.
  template <class Tensor>
  void load(const Tensor& tensor, EMU_PLACE) {
    emu_move<Tensor>(tensor, &emu_tensors::emu_load_body, emu_file, emu_line, emu_column);
  }
  /// Elements past the extents of the tensor are dropped.
  template <class Tensor>
  void store(const Tensor& tensor, EMU_PLACE) const {
    static_assert(!__is_const(typename Tensor::element_type), "store into a tensor of constant elements");
    emu_move<Tensor>(tensor, &emu_tensors::emu_store_body, emu_file, emu_line, emu_column);
  }

  EMU_INLINE EMU_UNCHECKED emu_tensors::emu_registers emu_describe_registers() const {
    return emu_map.registers(const_cast<Element*>(emu_values), emu_tensors::emu_scalar_of<Element>);
  }

  Layout emu_map;
  Element emu_values[Layout::slots + 1];  ///< the last one takes what is out of capacity

 private:
  static constexpr bool emu_is_output() {
    if constexpr (Layout::rank == 1) {
      return true;
    } else {
      return Layout::role == emu_tensors::EMU_DESTINATION;
    }
  }

  bool emu_holds(unsigned long slot) const {
    return slot < static_cast<unsigned long>(emu_map.capacity()) && emu_map.element(static_cast<int>(slot)) >= 0;
  }

  EMU_INLINE EMU_UNCHECKED unsigned long emu_checked(const emu_tensors::emu_slot_index& index) const {
    if (index.value < static_cast<unsigned long>(emu_map.capacity())) return index.value;
    emu_tensors::emu_report_overrun(index, emu_map.capacity());
    return Layout::slots;
  }

  /// The number of the element here that an element of another layout belongs to.
  template <class Other>
  static int emu_project(const Other& other, int element) {
    const auto at = other.coordinates(element);
    if constexpr (Layout::rank == Other::rank && Layout::rank == 1) {
      return static_cast<int>(at[0]);
    } else if constexpr (Layout::rank == 1) {
      return static_cast<int>(at[Layout::of_rows ? 1 : 0]);
    } else {
      static_assert(Other::rank == 2, "map_iterator leads from a tile to a reduction of it, or to a tile");
      return static_cast<int>(at[1]) * Layout::columns + static_cast<int>(at[0]);
    }
  }

  template <class Tensor>
  void emu_move(const Tensor& tensor, emu_collective_body body, const char* file, unsigned int line,
                unsigned int column) const {
    static_assert(emu_tensors::emu_is_tensor<Tensor>, "a cooperative tensor is loaded from and stored to a tensor");
    static_assert(__is_same(typename Tensor::value_type, Element),
                  "load and store do not convert: the element types must be the same");
    static_assert(Tensor::emu_rank == Layout::rank, "load and store need a tensor of the same rank");
    emu_tensors::emu_transfer transfer{emu_describe_registers(), emu_tensors::emu_describe(tensor), Layout::rows,
                                       Layout::columns, Layout::simdgroups};
    emu_tensors::emu_run_in_scope(Layout::simdgroups, file, line, column, &transfer, body);
  }
};

}  // namespace metal

namespace emu_tensors {

template <class T>
constexpr bool emu_is_cooperative = false;
template <class Element, class Extents, class Layout>
constexpr bool emu_is_cooperative<metal::cooperative_tensor<Element, Extents, Layout>> = true;
template <class T>
constexpr bool emu_is_cooperative<const T> = emu_is_cooperative<T>;

template <class Element, class Layout>
using emu_cooperative = metal::cooperative_tensor<Element, typename Layout::extents, Layout>;

}  // namespace emu_tensors
