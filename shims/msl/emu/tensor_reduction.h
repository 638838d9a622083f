// reduce_rows and reduce_columns: one value for each row or column of a destination, held by the lanes that hold
// elements of it.
//
// The default identity is that of a sum, 0, whatever the operation: the maximum of a negative row is then 0. That is
// how the interface is; pass reduction_operation_identity<T>::max_identity or min_identity.
#pragma once
#pragma clang system_header

#include "limits.h"

#include "matmul.h"

namespace mpp::tensor_ops {

enum class reduction_operation { sum, max, min };

template <class Element>
struct reduction_operation_identity {
  static constexpr Element sum_identity = static_cast<Element>(0);
  static constexpr Element max_identity = metal::numeric_limits<Element>::lowest();
  static constexpr Element min_identity = metal::numeric_limits<Element>::max();
};

}  // namespace mpp::tensor_ops

namespace emu_tensors {

struct emu_reduction {
  emu_registers source, destination;
  int operation;
  bool rows;
  unsigned identity;  ///< the bits of an element
};

template <class Sum>
EMU_INLINE EMU_UNCHECKED Sum emu_combine(int operation, Sum a, Sum b) {
  if (operation == static_cast<int>(mpp::tensor_ops::reduction_operation::sum)) return a + b;
  if constexpr (__is_same(Sum, float)) {
    return operation == static_cast<int>(mpp::tensor_ops::reduction_operation::max) ? __builtin_fmaxf(a, b)
                                                                                    : __builtin_fminf(a, b);
  } else {
    const bool less = static_cast<int>(a) < static_cast<int>(b);
    return less == (operation == static_cast<int>(mpp::tensor_ops::reduction_operation::max)) ? b : a;
  }
}

/// The tile of all lanes in `tile`, row by row.
template <class Sum>
EMU_UNCHECKED void emu_gather_source(void** lanes, unsigned int count, Sum* tile) {
  long unwritten = 0, first = 0;
  int columns = 1;
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    const emu_registers& own = static_cast<emu_reduction*>(lanes[i])->source;
    columns = own.columns;
    for (int slot = 0; slot < own.capacity; ++slot) {
      const int element = own.elements[slot];
      if (element < 0) continue;
      tile[element] = emu_read<Sum>(own.values, slot, own.type);
      if (!emu_is_poison(own.values, slot, own.type)) continue;
      if (unwritten++ == 0) first = element;
      tile[element] = emu_unknown<Sum>();
    }
  }
  if (unwritten == 0) return;
  emu_fault(EMU_UNINITIALIZED_READ,
            "%0 elements of the cooperative source are reduced that nothing wrote, the first at row %1, column %2",
            unwritten, first / columns, first % columns, 0, 0);
}

template <class Sum>
EMU_UNCHECKED void emu_reduce_body(void** lanes, unsigned int count) {
  const emu_reduction& call = *static_cast<emu_reduction*>(*emu_first_lane(lanes, count));
  emu_check_scope(lanes, count, 1);
  emu_count(EMU_COUNTER_TENSOR_OPERATIONS, 1);
  const emu_registers& source = call.source;
  const int length = call.rows ? source.rows : source.columns;
  const int depth = call.rows ? source.columns : source.rows;
  const unsigned long elements = static_cast<unsigned long>(source.rows) * static_cast<unsigned long>(source.columns);
  Sum* tile = static_cast<Sum*>(emu_scratch(0, elements * sizeof(Sum)));
  Sum* reduced = static_cast<Sum*>(emu_scratch(1, static_cast<unsigned long>(length) * sizeof(Sum)));
  emu_gather_source(lanes, count, tile);
  for (int line = 0; line < length; ++line) {
    Sum sum = emu_read<Sum>(&call.identity, 0, call.source.type);
    for (int i = 0; i < depth; ++i) {
      sum = emu_combine(call.operation, sum, tile[call.rows ? line * source.columns + i : i * source.columns + line]);
    }
    reduced[line] = sum;
  }
  for (unsigned int i = 0; i < count; ++i) {
    if (lanes[i] == nullptr) continue;
    const emu_registers& own = static_cast<emu_reduction*>(lanes[i])->destination;
    for (int slot = 0; slot < own.capacity; ++slot) {
      const int line = own.elements[slot];
      if (line >= 0) emu_write(own.values, slot, own.type, reduced[line]);
    }
  }
}

template <bool Rows, class Source, class Destination, class Element>
void emu_reduce(Source& source, Destination& destination, mpp::tensor_ops::reduction_operation operation,
                Element identity, const char* file, unsigned int line, unsigned int column) {
  using Layout = typename Source::layout;
  using Reduced = typename Destination::layout;
  static_assert(Layout::rank == 2, "reduce_rows and reduce_columns reduce a destination of matmul2d");
  static_assert(Layout::simdgroups == 1, "reductions need an operation of the scope execution_simdgroup");
  if constexpr (Reduced::rank == 1) {
    static_assert(
        Reduced::of_rows == Rows,
        "reduce_rows writes to a row reduction destination, reduce_columns to a column reduction destination");
    static_assert(__is_same(typename Reduced::tile, Layout), "the reduction destination belongs to another operation");
  } else {
    static_assert(Reduced::rank == 1, "the destination is not one of the reduction destinations of matmul2d");
  }
  emu_reduction call{source.emu_describe_registers(), destination.emu_describe_registers(), static_cast<int>(operation),
                     Rows, 0};
  __builtin_memcpy(&call.identity, &identity, sizeof(Element));
  emu_run_in_scope(Layout::simdgroups, file, line, column, &call, &emu_reduce_body<emu_sum_of<Element>>);
}

}  // namespace emu_tensors

namespace mpp::tensor_ops {

template <class Element, class SourceExtents, class DestinationExtents, class SourceLayout, class DestinationLayout>
void reduce_rows(metal::cooperative_tensor<Element, SourceExtents, SourceLayout>& source,
                 metal::cooperative_tensor<Element, DestinationExtents, DestinationLayout>& destination,
                 reduction_operation operation = reduction_operation::sum,
                 Element identity = reduction_operation_identity<Element>::sum_identity, EMU_PLACE) {
  emu_tensors::emu_reduce<true>(source, destination, operation, identity, emu_file, emu_line, emu_column);
}

template <class Element, class SourceExtents, class DestinationExtents, class SourceLayout, class DestinationLayout>
void reduce_columns(metal::cooperative_tensor<Element, SourceExtents, SourceLayout>& source,
                    metal::cooperative_tensor<Element, DestinationExtents, DestinationLayout>& destination,
                    reduction_operation operation = reduction_operation::sum,
                    Element identity = reduction_operation_identity<Element>::sum_identity, EMU_PLACE) {
  emu_tensors::emu_reduce<false>(source, destination, operation, identity, emu_file, emu_line, emu_column);
}

/// Whether map_iterator of `destination` finds every element of `source`.
template <class SourceElement, class DestinationElement, class SourceExtents, class DestinationExtents,
          class SourceLayout, class DestinationLayout>
bool is_iterator_compatible(
    const metal::cooperative_tensor<SourceElement, SourceExtents, SourceLayout>& source,
    const metal::cooperative_tensor<DestinationElement, DestinationExtents, DestinationLayout>& destination) {
  if constexpr (DestinationLayout::rank == 1 && SourceLayout::rank == 2) {
    return __is_same(typename DestinationLayout::tile, SourceLayout);
  } else if constexpr (DestinationLayout::rank == 2 && SourceLayout::rank == 2) {
    return emu_tensors::emu_is_convertible_layout(source.emu_map.layout, destination.emu_map.layout);
  } else {
    return __is_same(SourceLayout, DestinationLayout);
  }
}

}  // namespace mpp::tensor_ops
