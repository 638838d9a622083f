// <metal_simdgroup>, <metal_quadgroup>. Lanes that do not arrive at the same call take no part. A lane that reads from
// one that takes no part gets the indeterminate pattern of abi.h. Reductions run upwards over the lanes in the type of
// the argument.
#pragma once
#pragma clang system_header

#include "common.h"
#include "limits.h"

namespace metal {

/// A value nobody wrote.
template <class T>
EMU_INLINE T emu_poison_element() {
  if constexpr (__is_same(T, float)) return emu_bits<float>(EMU_POISON_F32);
  if constexpr (__is_same(T, half)) return emu_bits<half>(ushort(EMU_POISON_F16));
  if constexpr (__is_same(T, bfloat)) return emu_bits<bfloat>(ushort(EMU_POISON_BF16));
  if constexpr (!is_floating_point_v<T>) return T(EMU_POISON_I32);
}
template <class V>
EMU_INLINE V emu_poison() {
  return V(emu_poison_element<emu_element_t<V>>());
}

EMU_INLINE uint emu_lane_index() { return emu_this_lane()->thread_index_in_simdgroup; }

// --- Exchanges: each lane names the lane that it reads from ---

enum : uint { EMU_FIRST_ACTIVE = 0x100, EMU_FILL = 0x200 };

/// `out` keeps what it had when the source takes no part.
template <class T>
struct emu_exchange {
  T in, fill, out;
  uint source;

  EMU_UNCHECKED static void run(void** lanes, uint lane_count) {
    uint first = 0;
    while (first < lane_count && lanes[first] == nullptr) ++first;
    for (uint i = 0; i < lane_count; ++i) {
      if (lanes[i] == nullptr) continue;
      emu_exchange* to = (emu_exchange*)lanes[i];
      const uint source = to->source == EMU_FIRST_ACTIVE ? first : to->source & ~uint(EMU_FILL);
      if (source >= lane_count || lanes[source] == nullptr) continue;
      const emu_exchange* from = (const emu_exchange*)lanes[source];
      to->out = to->source & EMU_FILL ? from->fill : from->in;
    }
  }
};

template <class V>
EMU_INLINE V emu_exchanged(V in, V fill, uint source, EMU_TEXT emu_file, uint emu_line, uint emu_column) {
  emu_exchange<V> exchange{in, fill, emu_poison<V>(), source};
  emu_simd_collective(EMU_AT, EMU_SIMD_OPERATION, &exchange, (emu_collective_body)&emu_exchange<V>::run);
  return exchange.out;
}

// Segments of `width` lanes; a source outside its segment is the lane itself.
EMU_INLINE uint emu_source_up(uint lane, uint delta, uint width) { return lane % width < delta ? lane : lane - delta; }
EMU_INLINE uint emu_source_down(uint lane, uint delta, uint width) {
  return lane % width + delta >= width ? lane : lane + delta;
}
EMU_INLINE uint emu_source_rotated(uint lane, uint shift, uint width) {
  return (lane & ~(width - 1)) + ((lane + shift) & (width - 1));
}

#define EMU_EXCHANGE(name, ...)                                      \
  template <class A, class V = emu_value_t<A>>                       \
  EMU_INLINE V name(A value, ushort parameter, EMU_PLACE) {          \
    const uint lane = emu_lane_index(), p = parameter;               \
    return emu_exchanged(V(value), V(value), (__VA_ARGS__), EMU_AT); \
  }
EMU_EXCHANGE(simd_broadcast, lane - lane + p)
EMU_EXCHANGE(simd_shuffle, lane - lane + p)
EMU_EXCHANGE(simd_shuffle_xor, lane ^ p)
EMU_EXCHANGE(simd_shuffle_up, emu_source_up(lane, p, 32))
EMU_EXCHANGE(simd_shuffle_down, emu_source_down(lane, p, 32))
EMU_EXCHANGE(simd_shuffle_rotate_up, emu_source_rotated(lane, 0u - p, 32))
EMU_EXCHANGE(simd_shuffle_rotate_down, emu_source_rotated(lane, p, 32))
EMU_EXCHANGE(quad_broadcast, (lane & ~3u) + p)
EMU_EXCHANGE(quad_shuffle, (lane & ~3u) + p)
EMU_EXCHANGE(quad_shuffle_xor, lane ^ (p & 3))
EMU_EXCHANGE(quad_shuffle_up, emu_source_up(lane, p, 4))
EMU_EXCHANGE(quad_shuffle_down, emu_source_down(lane, p, 4))
EMU_EXCHANGE(quad_shuffle_rotate_up, emu_source_rotated(lane, 0u - p, 4))
EMU_EXCHANGE(quad_shuffle_rotate_down, emu_source_rotated(lane, p, 4))
#undef EMU_EXCHANGE

template <class A, class V = emu_value_t<A>>
EMU_INLINE V simd_broadcast_first(A value, EMU_PLACE) {
  return emu_exchanged(V(value), V(value), uint(EMU_FIRST_ACTIVE), EMU_AT);
}

// Lanes without a source read the filling value of the lane where the shift would wrap to.
#define EMU_FILL_UP(name, width)                                                                           \
  template <class A, class B, class V = emu_value_t<A>>                                                    \
  EMU_INLINE V name(A value, B fill, ushort delta, ushort modulo = width, EMU_PLACE) {                     \
    const uint lane = emu_lane_index(), wrapped = emu_source_rotated(lane, 0u - delta, modulo);            \
    return emu_exchanged(V(value), V(fill), lane % modulo < delta ? wrapped | EMU_FILL : wrapped, EMU_AT); \
  }
#define EMU_FILL_DOWN(name, width)                                                                                   \
  template <class A, class B, class V = emu_value_t<A>>                                                              \
  EMU_INLINE V name(A value, B fill, ushort delta, ushort modulo = width, EMU_PLACE) {                               \
    const uint lane = emu_lane_index(), wrapped = emu_source_rotated(lane, delta, modulo);                           \
    return emu_exchanged(V(value), V(fill), lane % modulo + delta >= modulo ? wrapped | EMU_FILL : wrapped, EMU_AT); \
  }
EMU_FILL_UP(simd_shuffle_and_fill_up, 32)
EMU_FILL_DOWN(simd_shuffle_and_fill_down, 32)
EMU_FILL_UP(quad_shuffle_and_fill_up, 4)
EMU_FILL_DOWN(quad_shuffle_and_fill_down, 4)
#undef EMU_FILL_UP
#undef EMU_FILL_DOWN

// --- Reductions and scans ---

template <class V>
struct emu_lane_value {
  V in, out;
};
// F::start() and F::join(a, b) say what is done; `width` lanes are reduced together.
template <class V, class F, uint width>
struct emu_reduce {
  EMU_UNCHECKED static void run(void** lanes, uint lane_count) {
    for (uint base = 0; base < lane_count; base += width) {
      const uint end = base + width < lane_count ? base + width : lane_count;
      V total = F::template start<V>();
      for (uint i = base; i < end; ++i)
        if (lanes[i] != nullptr) total = F::join(total, ((emu_lane_value<V>*)lanes[i])->in);
      for (uint i = base; i < end; ++i)
        if (lanes[i] != nullptr) ((emu_lane_value<V>*)lanes[i])->out = total;
    }
  }
};
template <class V, class F, uint width, bool inclusive>
struct emu_scan {
  EMU_UNCHECKED static void run(void** lanes, uint lane_count) {
    V total = F::template start<V>();
    for (uint i = 0; i < lane_count; ++i) {
      if (i % width == 0) total = F::template start<V>();
      if (lanes[i] == nullptr) continue;
      emu_lane_value<V>* lane = (emu_lane_value<V>*)lanes[i];
      const V after = F::join(total, lane->in);
      lane->out = inclusive ? after : total;
      total = after;
    }
  }
};
template <class V>
EMU_INLINE V emu_reduced(V in, emu_collective_body body, EMU_TEXT emu_file, uint emu_line, uint emu_column) {
  emu_lane_value<V> lane{in, in};
  emu_simd_collective(EMU_AT, EMU_SIMD_OPERATION, &lane, body);
  return lane.out;
}

// Floating-point operands, which only the private functions take, are combined as bits.
struct emu_bit_and {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return T(a & b);
  }
};
struct emu_bit_or {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return T(a | b);
  }
};
struct emu_bit_xor {
  template <class T>
  EMU_INLINE static T at(T a, T b) {
    return T(a ^ b);
  }
};
template <class V, class F>
EMU_INLINE V emu_bitwise(V a, V b, F) {
  using T = emu_element_t<V>;
  if constexpr (is_floating_point_v<T>) {
    using U = emu_widen_t<conditional_t<sizeof(T) == 4, uint, ushort>, emu_value<V>::width>;
    return as_type<V>(emu_each<F, U, U>(as_type<U>(a), as_type<U>(b)));
  } else {
    return emu_each<F, V, V>(a, b);
  }
}

#define EMU_JOINING(name, first, ...)    \
  struct emu_join_##name {               \
    template <class V>                   \
    EMU_INLINE static V start() {        \
      using T = emu_element_t<V>;        \
      return V(T(first));                \
    }                                    \
    template <class V>                   \
    EMU_INLINE static V join(V a, V b) { \
      return V(__VA_ARGS__);             \
    }                                    \
  };
template <class T>
EMU_INLINE constexpr T emu_lowest() {
  return is_floating_point_v<T> ? T(-__builtin_inff()) : numeric_limits<T>::min();
}
template <class T>
EMU_INLINE constexpr T emu_highest() {
  return is_floating_point_v<T> ? T(__builtin_inff()) : numeric_limits<T>::max();
}
EMU_JOINING(sum, 0, a + b)
EMU_JOINING(product, 1, a* b)
EMU_JOINING(min, emu_highest<T>(), min(a, b))
EMU_JOINING(max, emu_lowest<T>(), max(a, b))
EMU_JOINING(and, ~ulong(0), emu_bitwise(a, b, emu_bit_and{}))
EMU_JOINING(or, 0, emu_bitwise(a, b, emu_bit_or{}))
EMU_JOINING(xor, 0, emu_bitwise(a, b, emu_bit_xor{}))
#undef EMU_JOINING

#define EMU_REDUCTION(name, joining, width)                                                                      \
  template <class A, class V = emu_value_t<A>>                                                                   \
  EMU_INLINE V name(A value, EMU_PLACE) {                                                                        \
    return emu_reduced(V(value), (emu_collective_body) & emu_reduce<V, emu_join_##joining, width>::run, EMU_AT); \
  }
#define EMU_SCAN(name, joining, width, inclusive)                                                                \
  template <class A, class V = emu_value_t<A>>                                                                   \
  EMU_INLINE V name(A value, EMU_PLACE) {                                                                        \
    return emu_reduced(V(value), (emu_collective_body) & emu_scan<V, emu_join_##joining, width, inclusive>::run, \
                       EMU_AT);                                                                                  \
  }
#define EMU_FOR_SCOPE(scope, width)                                \
  EMU_REDUCTION(scope##_sum, sum, width)                           \
  EMU_REDUCTION(scope##_product, product, width)                   \
  EMU_REDUCTION(scope##_min, min, width)                           \
  EMU_REDUCTION(scope##_max, max, width)                           \
  EMU_REDUCTION(scope##_and, and, width)                           \
  EMU_REDUCTION(scope##_or, or, width)                             \
  EMU_REDUCTION(scope##_xor, xor, width)                           \
  EMU_SCAN(scope##_prefix_inclusive_sum, sum, width, true)         \
  EMU_SCAN(scope##_prefix_exclusive_sum, sum, width, false)        \
  EMU_SCAN(scope##_prefix_inclusive_product, product, width, true) \
  EMU_SCAN(scope##_prefix_exclusive_product, product, width, false)
EMU_FOR_SCOPE(simd, 32)
EMU_FOR_SCOPE(quad, 4)
#undef EMU_FOR_SCOPE
#undef EMU_REDUCTION
#undef EMU_SCAN

// --- Votes ---

struct emu_vote {
  bool in;
  uint votes, active;

  EMU_UNCHECKED static void run(void** lanes, uint lane_count) {
    uint votes = 0, active = 0;
    for (uint i = 0; i < lane_count; ++i) {
      if (lanes[i] == nullptr) continue;
      active |= 1u << i;
      votes |= uint(((emu_vote*)lanes[i])->in) << i;
    }
    for (uint i = 0; i < lane_count; ++i) {
      if (lanes[i] == nullptr) continue;
      ((emu_vote*)lanes[i])->votes = votes;
      ((emu_vote*)lanes[i])->active = active;
    }
  }
};
EMU_INLINE emu_vote emu_voted(bool in, EMU_TEXT emu_file, uint emu_line, uint emu_column) {
  emu_vote vote{in, 0, 0};
  emu_simd_collective(EMU_AT, EMU_SIMD_OPERATION, &vote, (emu_collective_body)&emu_vote::run);
  return vote;
}

/// A bit for each lane of the group.
struct simd_vote {
  typedef ulong vote_t;
  vote_t emu_bits;
  EMU_INLINE explicit constexpr simd_vote(vote_t bits = 0) : emu_bits(bits) {}
  EMU_INLINE explicit constexpr operator vote_t() const { return emu_bits; }
  EMU_INLINE constexpr bool all() const { return emu_bits == 0xffffffffu; }
  EMU_INLINE constexpr bool any() const { return emu_bits != 0; }
};
struct quad_vote {
  typedef ushort vote_t;
  vote_t emu_bits;
  EMU_INLINE explicit constexpr quad_vote(vote_t bits = 0) : emu_bits(bits) {}
  EMU_INLINE explicit constexpr operator vote_t() const { return emu_bits; }
  EMU_INLINE constexpr bool all() const { return emu_bits == 0xf; }
  EMU_INLINE constexpr bool any() const { return emu_bits != 0; }
};

EMU_INLINE uint emu_quad_bits(uint bits) { return bits >> (emu_lane_index() & ~3u) & 0xf; }
EMU_INLINE bool emu_lowest_lane(uint active) { return emu_lane_index() == uint(__builtin_ctz(active)); }

EMU_INLINE simd_vote simd_ballot(bool value, EMU_PLACE) { return simd_vote(emu_voted(value, EMU_AT).votes); }
EMU_INLINE simd_vote simd_active_threads_mask(EMU_PLACE) { return simd_vote(emu_voted(true, EMU_AT).active); }
EMU_INLINE bool simd_any(bool value, EMU_PLACE) { return emu_voted(value, EMU_AT).votes != 0; }
EMU_INLINE bool simd_all(bool value, EMU_PLACE) {
  const emu_vote vote = emu_voted(value, EMU_AT);
  return vote.votes == vote.active;
}
EMU_INLINE bool simd_is_first(EMU_PLACE) { return emu_lowest_lane(emu_voted(true, EMU_AT).active); }
EMU_INLINE bool simd_is_helper_thread() { return false; }

EMU_INLINE quad_vote quad_ballot(bool value, EMU_PLACE) {
  return quad_vote(ushort(emu_quad_bits(emu_voted(value, EMU_AT).votes)));
}
EMU_INLINE quad_vote quad_active_threads_mask(EMU_PLACE) {
  return quad_vote(ushort(emu_quad_bits(emu_voted(true, EMU_AT).active)));
}
EMU_INLINE bool quad_any(bool value, EMU_PLACE) { return emu_quad_bits(emu_voted(value, EMU_AT).votes) != 0; }
EMU_INLINE bool quad_all(bool value, EMU_PLACE) {
  const emu_vote vote = emu_voted(value, EMU_AT);
  return emu_quad_bits(vote.votes) == emu_quad_bits(vote.active);
}
EMU_INLINE bool quad_is_first(EMU_PLACE) {
  return (emu_lane_index() & 3u) == uint(__builtin_ctz(emu_quad_bits(emu_voted(true, EMU_AT).active)));
}
EMU_INLINE bool quad_is_helper_thread() { return false; }
template <class A, class V = emu_value_t<A>>
EMU_INLINE V quad_broadcast_first(A value, EMU_PLACE) {
  const uint active = emu_quad_bits(emu_voted(true, EMU_AT).active);
  return emu_exchanged(V(value), V(value), (emu_lane_index() & ~3u) + uint(__builtin_ctz(active)), EMU_AT);
}

}  // namespace metal
