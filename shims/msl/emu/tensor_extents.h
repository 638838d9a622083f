// Extents of tensors, innermost first: what is known at compile time is in the type, the rest is stored.
#pragma once
#pragma clang system_header

namespace metal {

constexpr __SIZE_TYPE__ dynamic_extent = static_cast<__SIZE_TYPE__>(-1);
/// The other spelling of "take it from the tensors", for descriptors.
template <class T>
constexpr T dynamic_length_v = static_cast<T>(~(1ull << (8 * sizeof(T) - 1)));

template <class Index, __SIZE_TYPE__... Extents>
struct extents {
  using index_type = Index;
  using size_type = __SIZE_TYPE__;
  using rank_type = __SIZE_TYPE__;

  static constexpr rank_type rank() { return sizeof...(Extents); }
  static constexpr rank_type rank_dynamic() { return ((Extents == dynamic_extent ? 1 : 0) + ... + 0); }
  static constexpr size_type static_extent(rank_type dimension) {
    constexpr size_type all[sizeof...(Extents) + 1] = {Extents..., 0};
    return all[dimension];
  }

  constexpr extents() : emu_values{static_cast<Index>(Extents == dynamic_extent ? 0 : Extents)..., 0} {}

  /// One value a dimension, or one a dynamic dimension; what is static stays as it is.
  template <class... Values>
    requires(sizeof...(Values) > 0 && (__is_convertible(Values, Index) && ...) &&
             (sizeof...(Values) == sizeof...(Extents) || sizeof...(Values) == rank_dynamic()))
  constexpr extents(Values... values) : extents() {
    const Index given[] = {static_cast<Index>(values)...};
    rank_type next = 0;
    for (rank_type d = 0; d < rank(); ++d) {
      if (static_extent(d) != dynamic_extent) continue;
      emu_values[d] = given[sizeof...(Values) == sizeof...(Extents) ? d : next];
      ++next;
    }
  }

  constexpr Index extent(rank_type dimension) const { return emu_values[dimension]; }

  Index emu_values[sizeof...(Extents) + 1];
};

}  // namespace metal

namespace emu_tensors {

template <class Index>
struct emu_dynamic {
  template <class Position, Position... Positions>
  using of = metal::extents<Index, (Positions | metal::dynamic_extent)...>;
};

}  // namespace emu_tensors

namespace metal {

template <class Index, __SIZE_TYPE__ Rank>
using dextents = __make_integer_seq<emu_tensors::emu_dynamic<Index>::template of, __SIZE_TYPE__, Rank>;

}  // namespace metal
