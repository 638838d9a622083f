// <metal_type_traits>: the standard's names, on the compiler's built-in traits. Names that MSL does not have (void_t,
// is_empty, result_of) stay out: kernels define them in namespace metal themselves.
#pragma once
#pragma clang system_header

#include "scalars.h"

namespace metal {

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
template <bool v>
using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

// A function's parameter of this type is not deduced from.
template <class T>
struct emu_identity {
  using type = T;
};
template <class T>
using emu_identity_t = typename emu_identity<T>::type;

template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

template <bool condition, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
template <bool condition, class T, class F>
using conditional_t = typename conditional<condition, T, F>::type;

template <class... B>
struct conjunction : bool_constant<(bool(B::value) && ...)> {};
template <class... B>
struct disjunction : bool_constant<(bool(B::value) || ...)> {};
template <class B>
struct negation : bool_constant<!bool(B::value)> {};
template <class... B>
constexpr bool conjunction_v = (bool(B::value) && ...);
template <class... B>
constexpr bool disjunction_v = (bool(B::value) || ...);
template <class B>
constexpr bool negation_v = !bool(B::value);

// The private spellings, which kernels use.
template <class... B>
using _conjunction = conjunction<B...>;
template <class... B>
using _disjunction = disjunction<B...>;
template <class B>
using _negation = negation<B>;

// Address spaces are qualifiers of OpenCL's types: a template argument deduced from device memory carries one.
template <class T>
struct remove_addrspace {
  using type = T;
};
#if defined(EMU_OPENCL)
#define EMU_REMOVE_SPACE(space)            \
  template <class T>                       \
  struct remove_addrspace<space T> {       \
    using type = T;                        \
  };                                       \
  template <class T>                       \
  struct remove_addrspace<const space T> { \
    using type = const T;                  \
  };
EMU_REMOVE_SPACE(__global)
EMU_REMOVE_SPACE(__local)
EMU_REMOVE_SPACE(__constant)
EMU_REMOVE_SPACE(__private)
EMU_REMOVE_SPACE(__generic)
#undef EMU_REMOVE_SPACE
#endif
template <class T>
using remove_addrspace_t = typename remove_addrspace<T>::type;

#define EMU_TRANSFORM(name, ...) \
  template <class T>             \
  struct name {                  \
    using type = __VA_ARGS__;    \
  };                             \
  template <class T>             \
  using name##_t = __VA_ARGS__;
EMU_TRANSFORM(remove_const, __remove_const(T))
EMU_TRANSFORM(remove_volatile, __remove_volatile(T))
EMU_TRANSFORM(remove_cv, __remove_cv(T))
EMU_TRANSFORM(remove_reference, __remove_reference_t(T))
EMU_TRANSFORM(remove_pointer, __remove_pointer(T))
EMU_TRANSFORM(remove_extent, __remove_extent(T))
EMU_TRANSFORM(remove_all_extents, __remove_all_extents(T))
EMU_TRANSFORM(add_const, const T)
EMU_TRANSFORM(add_volatile, volatile T)
EMU_TRANSFORM(add_cv, const volatile T)
EMU_TRANSFORM(add_pointer, __add_pointer(T))
EMU_TRANSFORM(add_lvalue_reference, __add_lvalue_reference(T))
EMU_TRANSFORM(add_rvalue_reference, __add_rvalue_reference(T))
EMU_TRANSFORM(decay, remove_addrspace_t<__decay(T)>)
EMU_TRANSFORM(make_signed, __make_signed(T))
EMU_TRANSFORM(make_unsigned, __make_unsigned(T))
EMU_TRANSFORM(underlying_type, __underlying_type(T))
#undef EMU_TRANSFORM

// Of a type as it is written and of the same type in a memory: the address space does not matter.
template <class T>
using emu_plain_t = __remove_cv(remove_addrspace_t<T>);
template <class T>
constexpr bool emu_is_half_float = __is_same(emu_plain_t<T>, half) || __is_same(emu_plain_t<T>, bfloat);

/// One element to another type; clang has no conversion between the two 16-bit floats.
template <class To, class From>
inline __attribute__((always_inline)) constexpr To emu_to(From from) {
  if constexpr (emu_is_half_float<To> && emu_is_half_float<From> && !__is_same(To, From))
    return To(float(from));
  else
    return To(from);
}

#define EMU_QUERY(name, ...)                         \
  template <class T>                                 \
  struct name : bool_constant<bool(__VA_ARGS__)> {}; \
  template <class T>                                 \
  constexpr bool name##_v = __VA_ARGS__;
EMU_QUERY(is_void, __is_void(T))
EMU_QUERY(is_integral, __is_integral(T))
EMU_QUERY(is_floating_point, __is_floating_point(T) || emu_is_half_float<T>)
EMU_QUERY(is_arithmetic, __is_arithmetic(T) || emu_is_half_float<T>)
EMU_QUERY(is_scalar, __is_scalar(T) || emu_is_half_float<T>)
EMU_QUERY(is_fundamental, __is_fundamental(T) || emu_is_half_float<T>)
EMU_QUERY(is_signed, __is_signed(T) || emu_is_half_float<T>)
EMU_QUERY(is_unsigned, __is_unsigned(T))
EMU_QUERY(is_array, __is_array(T))
EMU_QUERY(is_pointer, __is_pointer(T))
EMU_QUERY(is_reference, __is_reference(T))
EMU_QUERY(is_lvalue_reference, __is_lvalue_reference(T))
EMU_QUERY(is_rvalue_reference, __is_rvalue_reference(T))
EMU_QUERY(is_enum, __is_enum(T))
EMU_QUERY(is_class, __is_class(T))
EMU_QUERY(is_union, __is_union(T))
EMU_QUERY(is_function, __is_function(T))
EMU_QUERY(is_object, __is_object(T))
EMU_QUERY(is_const, __is_const(T))
EMU_QUERY(is_volatile, __is_volatile(T))
EMU_QUERY(is_trivial, __is_trivial(T))
EMU_QUERY(is_trivially_copyable, __is_trivially_copyable(T))
EMU_QUERY(is_standard_layout, __is_standard_layout(T))
EMU_QUERY(is_default_constructible, __is_constructible(T))
EMU_QUERY(is_copy_constructible, __is_constructible(T, const T&))
EMU_QUERY(is_trivially_default_constructible, __is_trivially_constructible(T))
#undef EMU_QUERY

#define EMU_RELATION(name, trait)              \
  template <class T, class U>                  \
  struct name : bool_constant<trait(T, U)> {}; \
  template <class T, class U>                  \
  constexpr bool name##_v = trait(T, U);
EMU_RELATION(is_same, __is_same)
EMU_RELATION(is_base_of, __is_base_of)
EMU_RELATION(is_convertible, __is_convertible)
EMU_RELATION(is_assignable, __is_assignable)
#undef EMU_RELATION
template <class T, class... A>
struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class... A>
constexpr bool is_constructible_v = __is_constructible(T, A...);

template <class T>
__add_rvalue_reference(T) declval() noexcept;

template <class... T>
struct common_type;
template <class T>
struct common_type<T> {
  using type = __decay(T);
};
template <class T, class U, class... R>
struct common_type<T, U, R...> : common_type<__decay(decltype(false ? declval<T>() : declval<U>())), R...> {};
template <class... T>
using common_type_t = typename common_type<T...>::type;

template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T>
constexpr size_t alignment_of_v = alignof(T);
template <class T>
struct rank : integral_constant<size_t, __array_rank(T)> {};
template <class T, unsigned i = 0>
struct extent : integral_constant<size_t, __array_extent(T, i)> {};

}  // namespace metal
