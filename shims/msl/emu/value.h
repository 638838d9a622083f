// What a function of the library sees of its arguments: a scalar, or a vector for a vector, a selection or a packed
// vector; and the type of the result.
#pragma once
#pragma clang system_header

#include "packed.h"

namespace metal {

template <class A, bool = is_arithmetic_v<A>>
struct emu_value {};
template <class A>
struct emu_value<A, true> {
  using type = A;
  using element = A;
  static constexpr int width = 1;
};
template <>
struct emu_value<double, true> : emu_value<float, true> {};
template <class T, int N>
struct emu_value<vec<T, N>, false> {
  using type = vec<T, N>;
  using element = T;
  static constexpr int width = N;
};
template <class V, class T, int N, int... I>
struct emu_value<emu_selection<V, T, N, I...>, false> : emu_value<V, false> {};
template <class V, class T, int N>
struct emu_value<emu_packed<V, T, N>, false> : emu_value<V, false> {};
template <class A>
using emu_value_t = typename emu_value<A>::type;
template <class A>
using emu_element_t = typename emu_value<A>::element;

/// A vector of that many, or the scalar.
template <class T, int N>
struct emu_widen {
  using type = vec<T, N>;
};
template <class T>
struct emu_widen<T, 1> {
  using type = T;
};
template <class T, int N>
using emu_widen_t = typename emu_widen<T, N>::type;

// Two scalars meet in C++'s common type, but small integers stay small when they agree, and the two 16-bit floats meet
// in float. A scalar beside a vector takes the vector's element type.
template <class A, class B>
struct emu_meet {
  using type = __remove_cv(decltype(A() + B()));
};
template <class A>
struct emu_meet<A, A> {
  using type = A;
};
template <>
struct emu_meet<half, bfloat> {
  using type = float;
};
template <>
struct emu_meet<bfloat, half> {
  using type = float;
};
template <class A, class B, int M, int N>
struct emu_join {
  static_assert(M == N || M == 1 || N == 1, "vectors of different widths");
  using type = vec<conditional_t<(M > 1), A, B>, (M > N ? M : N)>;
};
template <class A, class B>
struct emu_join<A, B, 1, 1> {
  using type = typename emu_meet<A, B>::type;
};
template <class A, class B>
struct emu_joined {
  using type = typename emu_join<emu_element_t<A>, emu_element_t<B>, emu_value<A>::width, emu_value<B>::width>::type;
};
template <class A, class... R>
struct emu_result;
template <class A>
struct emu_result<A> {
  using type = emu_value_t<A>;
};
template <class A, class B, class... R>
struct emu_result<A, B, R...> : emu_result<typename emu_joined<A, B>::type, R...> {};
template <class... A>
using emu_result_t = typename emu_result<A...>::type;

// Functions of real numbers give float for integers, and for scalars of bfloat, which MSL promotes.
template <class T, int width>
using emu_real_element = conditional_t<is_floating_point_v<T> && !(width == 1 && __is_same(T, bfloat)), T, float>;
template <class... A>
using emu_real_t =
    emu_widen_t<emu_real_element<emu_element_t<emu_result_t<A...>>, emu_value<emu_result_t<A...>>::width>,
                emu_value<emu_result_t<A...>>::width>;
template <class R>
struct emu_promoted {
  using type = R;
};
template <>
struct emu_promoted<bfloat> {
  using type = float;
};
/// Of functions of integers and real numbers.
template <class... A>
using emu_number_t = typename emu_promoted<emu_result_t<A...>>::type;
template <class... A>
using emu_truth_t = emu_widen_t<bool, emu_value<emu_result_t<A...>>::width>;

template <class F, class R, class V, class... W>
EMU_INLINE void emu_each_element(R& r, W... w) {
  for (int i = 0; i < emu_value<V>::width; ++i) r[i] = emu_to<emu_element_t<R>>(F::at(w[i]...));
}

/// F::at(element, ...) of each element; the arguments are first made values of type V.
template <class F, class R, class V, class... A>
EMU_INLINE R emu_each(A... a) {
  constexpr int width = emu_value<V>::width;
  if constexpr (width == 1) {
    return emu_to<R>(F::at(emu_to<V>(a)...));
  } else {
    R r;
    emu_each_element<F, R, V>(r, V(a)...);
    return r;
  }
}
/// One argument: float for the two 16-bit floats, itself otherwise.
template <class T>
struct emu_wide {
  using type = T;
};
template <>
struct emu_wide<half> {
  using type = float;
};
template <>
struct emu_wide<bfloat> {
  using type = float;
};
template <class T>
using emu_wide_t = typename emu_wide<T>::type;

template <class To, class From>
EMU_INLINE constexpr To emu_bits(From from) {
  return __builtin_bit_cast(To, from);
}

/// Reinterprets the bits of a value of the same size.
template <class To, class From>
EMU_INLINE To emu_as_type(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_type keeps the size");
  To to;
  __builtin_memcpy((void*)&to, (const void*)&from, sizeof(To));
  return to;
}

}  // namespace metal

/// A selection or a packed vector stands for the vector that it gives.
template <class To, class From, class Value = metal::emu_value_t<From>>
EMU_INLINE To as_type(From from) {
  return metal::emu_as_type<To>(Value(from));
}
namespace metal {
using ::as_type;
}
