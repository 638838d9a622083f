// matmul2d: D(m x n) = A(m x k) * B(k x n), by a scope of lanes.
#pragma once
#pragma clang system_header

#include "matmul_run.h"

namespace emu_tensors {

/// Element type of an operand, which is a tensor or a cooperative tensor.
template <class Operand>
using emu_element_of = typename Operand::value_type;

template <class Operand>
EMU_INLINE EMU_UNCHECKED emu_operand emu_describe_operand(const Operand& operand) {
  emu_operand described{};
  described.cooperative = emu_is_cooperative<Operand>;
  if constexpr (emu_is_cooperative<Operand>) {
    described.registers = operand.emu_describe_registers();
  } else {
    static_assert(Operand::emu_rank == 2, "matmul2d: operands have rank 2: slice and wrap the others");
    described.memory = emu_describe(operand);
  }
  return described;
}

/// How the operand is read, if it is in memory.
template <class Sum, class Operand>
constexpr emu_gather emu_gather_of() {
  if constexpr (emu_is_cooperative<Operand>) {
    return nullptr;
  } else {
    return &emu_gather_rows<Sum, emu_scalar_of<emu_element_of<Operand>>>;
  }
}

/// A cooperative operand was made for this tile, in this scope.
template <class Operand, int Rows, int Columns, int Simdgroups>
constexpr bool emu_fits_tile() {
  if constexpr (emu_is_cooperative<Operand>) {
    using Layout = typename Operand::layout;
    return Layout::rank == 2 && Layout::rows == Rows && Layout::columns == Columns && Layout::simdgroups == Simdgroups;
  } else {
    return true;
  }
}

template <class Operand, unsigned Role>
constexpr bool emu_has_role() {
  if constexpr (emu_is_cooperative<Operand>) {
    return Operand::layout::role == Role;
  } else {
    return true;
  }
}

EMU_UNCHECKED inline void emu_conversion_body(void**, unsigned int) {
  emu_misuse(
      "the layout of this cooperative tensor is not the one of the input: ask is_compatible_as_left_input or"
      " is_compatible_as_right_input, and go through memory if it says no");
}

/// An input made of a destination of another operation, slot by slot.
template <class Input, class Source>
Input emu_convert(const Source& source, const char* file, unsigned int line, unsigned int column) {
  static_assert(emu_is_cooperative<Source> && emu_has_role<Source, EMU_DESTINATION>(),
                "matmul2d: a cooperative input is made of a destination cooperative tensor of matmul2d");
  Input input;
  if (!emu_is_convertible_layout(source.emu_map.layout, input.emu_map.layout)) {
    emu_lane_operation(file, line, column, EMU_TENSOR_OPERATION, &input, &emu_conversion_body);
  }
  const int source_slots = source.emu_map.capacity();
  for (int slot = 0; slot < input.emu_map.capacity() && slot < source_slots; ++slot) {
    input.emu_values[slot] = static_cast<typename Input::element_type>(source.emu_values[slot]);
  }
  return input;
}

}  // namespace emu_tensors

namespace mpp::tensor_ops {

template <matmul2d_descriptor Descriptor, class Scope, class... Arguments>
class matmul2d {
  static constexpr int emu_simdgroups = emu_tensors::emu_simdgroups_of<Scope>;
  static_assert(emu_tensors::emu_size_rules<Descriptor, emu_simdgroups>::hold);

  // Tiles as stored: a transposed operand has rows and columns exchanged.
  static constexpr int emu_left_rows = Descriptor.transpose_left ? Descriptor.k : Descriptor.m;
  static constexpr int emu_left_columns = Descriptor.transpose_left ? Descriptor.m : Descriptor.k;
  static constexpr int emu_right_rows = Descriptor.transpose_right ? Descriptor.n : Descriptor.k;
  static constexpr int emu_right_columns = Descriptor.transpose_right ? Descriptor.k : Descriptor.n;

  template <class Coordinate>
  using emu_left_tile = emu_tensors::emu_tile<emu_tensors::EMU_LEFT, emu_left_rows, emu_left_columns,
                                              Descriptor.transpose_left, emu_simdgroups, Coordinate>;
  template <class Coordinate>
  using emu_right_tile = emu_tensors::emu_tile<emu_tensors::EMU_RIGHT, emu_right_rows, emu_right_columns,
                                               Descriptor.transpose_right, emu_simdgroups, Coordinate>;
  template <class Coordinate>
  using emu_destination_tile = emu_tensors::emu_tile<emu_tensors::EMU_DESTINATION, Descriptor.m, Descriptor.n, false,
                                                     emu_simdgroups, Coordinate>;

  template <class Left, class Right, class Element>
  static constexpr bool emu_check_types() {
    return emu_tensors::emu_type_rules<Left, Right, Element>::hold;
  }
  static constexpr bool emu_check_inputs() {
    return emu_tensors::emu_cooperative_input_rules<Descriptor, emu_simdgroups>::hold;
  }

 public:
  static constexpr matmul2d_descriptor descriptor = Descriptor;
  using scope = Scope;

  /// Whether the operation overwrites or adds is the descriptor's mode. The place is where a report points to.
  template <class Left, class Right, class Destination>
  void run(Left& left, Right& right, Destination& destination, EMU_PLACE) const {
    using namespace emu_tensors;
    static_assert((emu_is_tensor<Left> || emu_is_cooperative<Left>) &&
                      (emu_is_tensor<Right> || emu_is_cooperative<Right>) &&
                      (emu_is_tensor<Destination> || emu_is_cooperative<Destination>),
                  "matmul2d: operands are tensors or cooperative tensors");
    emu_check_types<emu_element_of<Left>, emu_element_of<Right>, emu_element_of<Destination>>();
    if constexpr (emu_is_cooperative<Left> || emu_is_cooperative<Right>) emu_check_inputs();
    static_assert(!__is_const(typename Destination::element_type), "matmul2d: the destination is constant");
    static_assert(
        emu_fits_tile<Left, emu_left_rows, emu_left_columns, emu_simdgroups>() && emu_has_role<Left, EMU_LEFT>(),
        "matmul2d: the cooperative left operand was not made by get_left_input_cooperative_tensor of this"
        " operation");
    static_assert(
        emu_fits_tile<Right, emu_right_rows, emu_right_columns, emu_simdgroups>() && emu_has_role<Right, EMU_RIGHT>(),
        "matmul2d: the cooperative right operand was not made by get_right_input_cooperative_tensor of this operation");
    static_assert(emu_fits_tile<Destination, Descriptor.m, Descriptor.n, emu_simdgroups>() &&
                      emu_has_role<Destination, EMU_DESTINATION>(),
                  "matmul2d: the cooperative destination was not made by get_destination_cooperative_tensor of this"
                  " operation");
    using Sum = emu_sum_of<emu_element_of<Destination>>;
    emu_matmul call{{emu_describe_operand(left), emu_describe_operand(right), emu_describe_operand(destination)},
                    {emu_gather_of<Sum, Left>(), emu_gather_of<Sum, Right>(), emu_gather_of<Sum, Destination>()},
                    Descriptor.m,
                    Descriptor.n,
                    Descriptor.k,
                    {Descriptor.transpose_left, Descriptor.transpose_right, false},
                    Descriptor.matmul_mode == matmul2d_descriptor::mode::multiply_accumulate,
                    Descriptor.relaxed_precision,
                    emu_simdgroups};
    emu_run_in_scope(emu_simdgroups, emu_file, emu_line, emu_column, &call, &emu_matmul_body<Sum>);
  }

  /// Left and Right are the types of the operands.
  template <class Left, class Right, class Element, class Coordinate = int, class... More>
  auto get_destination_cooperative_tensor() const {
    emu_check_types<emu_tensors::emu_element_of<Left>, emu_tensors::emu_element_of<Right>, Element>();
    return emu_tensors::emu_cooperative<Element, emu_destination_tile<Coordinate>>();
  }
  template <class Left, class Right, class Element, class Coordinate = int, class... More>
  auto get_row_reduction_destination_cooperative_tensor() const {
    return emu_tensors::emu_cooperative<Element, emu_tensors::emu_reduced<true, emu_destination_tile<Coordinate>>>();
  }
  template <class Left, class Right, class Element, class Coordinate = int, class... More>
  auto get_column_reduction_destination_cooperative_tensor() const {
    return emu_tensors::emu_cooperative<Element, emu_tensors::emu_reduced<false, emu_destination_tile<Coordinate>>>();
  }

  /// Left, Right and Destination are element types.
  template <class Left, class Right, class Destination, class Coordinate = int, class... More>
  auto get_left_input_cooperative_tensor() const {
    emu_check_inputs();
    emu_check_types<Left, Right, Destination>();
    return emu_tensors::emu_cooperative<Left, emu_left_tile<Coordinate>>();
  }
  template <class Left, class Right, class Destination, class Coordinate = int, class... More>
  auto get_right_input_cooperative_tensor() const {
    emu_check_inputs();
    emu_check_types<Left, Right, Destination>();
    return emu_tensors::emu_cooperative<Right, emu_right_tile<Coordinate>>();
  }

  /// An input that takes over the elements of a destination of another operation, if the layouts agree.
  template <class Left, class Right, class Destination, class Element, class Extents, class Layout>
  auto get_left_input_cooperative_tensor(const metal::cooperative_tensor<Element, Extents, Layout>& source,
                                         EMU_PLACE) const {
    emu_check_inputs();
    emu_check_types<Left, Right, Destination>();
    using Input = emu_tensors::emu_cooperative<Left, emu_left_tile<int>>;
    return emu_tensors::emu_convert<Input>(source, emu_file, emu_line, emu_column);
  }
  template <class Left, class Right, class Destination, class Element, class Extents, class Layout>
  auto get_right_input_cooperative_tensor(const metal::cooperative_tensor<Element, Extents, Layout>& source,
                                          EMU_PLACE) const {
    emu_check_inputs();
    emu_check_types<Left, Right, Destination>();
    using Input = emu_tensors::emu_cooperative<Right, emu_right_tile<int>>;
    return emu_tensors::emu_convert<Input>(source, emu_file, emu_line, emu_column);
  }
  template <class Left, class Right, class Destination, class Element, class Extents, class Layout>
  bool is_compatible_as_left_input(const metal::cooperative_tensor<Element, Extents, Layout>& source) const {
    const emu_left_tile<int> input;
    return emu_tensors::emu_is_convertible_layout(source.emu_map.layout, input.layout);
  }
  template <class Left, class Right, class Destination, class Element, class Extents, class Layout>
  bool is_compatible_as_right_input(const metal::cooperative_tensor<Element, Extents, Layout>& source) const {
    const emu_right_tile<int> input;
    return emu_tensors::emu_is_convertible_layout(source.emu_map.layout, input.layout);
  }
};

}  // namespace mpp::tensor_ops
