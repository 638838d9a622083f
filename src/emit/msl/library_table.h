// The definitions of emit/msl/library.h, in the order of the enumerators, which is the order of the text.
#pragma once

#include <array>
#include <string_view>

#include "emit/msl/library.h"

namespace tilewright::emit_msl {

struct Definition {
  std::string_view name;
  std::string_view text;
  std::array<Function, 2> needs{Function::Count, Function::Count};
};

inline constexpr std::array<Definition, kFunctionCount> kDefinitions{{
    {"Lanes", R"(
// N numbers of one thread.
template <typename T, int N>
struct Lanes {
  T at[N];
};
)"},
    {"padded", R"(
// The place of element e when `pad` places are left free behind every `row` elements.
template <int row, int pad>
inline int padded(int e) {
  return e + e / row * pad;
}
)"},
    {"wrapping_add", R"(
inline int wrapping_add(int a, int b) { return int(uint(a) + uint(b)); }
inline long wrapping_add(long a, long b) { return long(ulong(a) + ulong(b)); }
)"},
    {"wrapping_sub", R"(
inline int wrapping_sub(int a, int b) { return int(uint(a) - uint(b)); }
inline long wrapping_sub(long a, long b) { return long(ulong(a) - ulong(b)); }
)"},
    {"wrapping_mul", R"(
inline int wrapping_mul(int a, int b) { return int(uint(a) * uint(b)); }
inline long wrapping_mul(long a, long b) { return long(ulong(a) * ulong(b)); }
)"},
    {"wrapping_neg", R"(
inline int wrapping_neg(int a) { return int(0u - uint(a)); }
inline long wrapping_neg(long a) { return long(0ul - ulong(a)); }
)"},
    {"magnitude", R"(
// Without a sign; that of the least number is that number.
inline int magnitude(int a) { return a < 0 ? int(0u - uint(a)) : a; }
inline long magnitude(long a) { return a < 0 ? long(0ul - ulong(a)) : a; }
)"},
    {"shift_left", R"(
// By a count modulo the width.
inline int shift_left(int a, int count) { return int(uint(a) << (uint(count) & 31u)); }
inline long shift_left(long a, long count) { return long(ulong(a) << (ulong(count) & 63ul)); }
)"},
    {"shift_right", R"(
// Zeros move in; by a count modulo the width.
inline int shift_right(int a, int count) { return int(uint(a) >> (uint(count) & 31u)); }
inline long shift_right(long a, long count) { return long(ulong(a) >> (ulong(count) & 63ul)); }
)"},
    {"floor_div", R"(
// Rounds towards minus infinity; by 0 gives 0.
inline int floor_div(int a, int b) {
  if (b == 0) return 0;
  if (b == -1) return int(0u - uint(a));
  return a / b - int(a % b != 0 && (a < 0) != (b < 0));
}
inline long floor_div(long a, long b) {
  if (b == 0) return 0;
  if (b == -1) return long(0ul - ulong(a));
  return a / b - long(a % b != 0 && (a < 0) != (b < 0));
}
)"},
    {"floor_mod", R"(
// With the sign of b; by 0 gives 0.
inline int floor_mod(int a, int b) {
  if (b == 0 || b == -1) return 0;
  const int rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline long floor_mod(long a, long b) {
  if (b == 0 || b == -1) return 0;
  const long rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
)"},
    {"larger", R"(
inline long larger(long a, long b) { return a > b ? a : b; }
)"},
    {"smaller", R"(
inline long smaller(long a, long b) { return a < b ? a : b; }
)"},
    {"saturating_step", R"(
// The next index of a loop; past the last number that there is, the loop is over.
inline long saturating_step(long i, long step) {
  return i > 9223372036854775807L - step ? 9223372036854775807L : i + step;
}
)"},
    {"ieee_max", R"(
// The maximum of IEEE 754-2019: a NaN wins, and -0 is below +0. Metal's max drops NaN.
inline float ieee_max(float a, float b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
)"},
    {"ieee_min", R"(
// The minimum of IEEE 754-2019: a NaN wins, and -0 is below +0. Metal's min drops NaN.
inline float ieee_min(float a, float b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
)"},
    {"to_int", R"(
// Truncates; what does not fit saturates, a NaN gives 0.
inline int to_int(float x) {
  if (isnan(x)) return 0;
  if (x >= 2147483648.0f) return 2147483647;
  return x < -2147483648.0f ? -2147483647 - 1 : int(x);
}
)"},
    {"to_long", R"(
// Truncates; what does not fit saturates, a NaN gives 0.
inline long to_long(float x) {
  if (isnan(x)) return 0;
  if (x >= 9223372036854775808.0f) return 9223372036854775807L;
  return x < -9223372036854775808.0f ? -9223372036854775807L - 1 : long(x);
}
)"},
    {"odd_float", R"(
// Exact, or with a last bit that says that more follows: the next rounding, to bfloat, is then the only one.
inline float odd_float(long n) {
  const ulong size = n < 0 ? 0ul - ulong(n) : ulong(n);
  int dropped = 0;
  while (size >> dropped >= 16777216ul) ++dropped;
  const ulong kept = size >> dropped;
  const float magnitude = float((kept | ulong((kept << dropped) != size)) << dropped);
  return n < 0 ? -magnitude : magnitude;
}
)"},
    {"order_key", R"(
// Integers in the order of the floats, -0 below +0.
inline int order_key(float x) {
  const int bits = as_type<int>(x);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
)"},
    {"ordered_float", R"(
// The float of an order_key.
inline float ordered_float(int key) { return as_type<float>(key < 0 ? key ^ 0x7fffffff : key); }
)"},
    {"subgroup_max",
     R"(
// Of all lanes: a NaN wins, and -0 is below +0. simd_max drops NaN.
inline float subgroup_max(float x) { return ordered_float(simd_max(isnan(x) ? 0x7fffffff : order_key(x))); }
)",
     {Function::OrderKey, Function::OrderedFloat}},
    {"subgroup_min",
     R"(
// Of all lanes: a NaN wins, and -0 is below +0. simd_min drops NaN.
inline float subgroup_min(float x) { return ordered_float(simd_min(isnan(x) ? -0x7fffffff - 1 : order_key(x))); }
)",
     {Function::OrderKey, Function::OrderedFloat}},
    {"exchange_xor", R"(
// Metal exchanges no 64-bit numbers.
inline long exchange_xor(long x, ushort mask) { return as_type<long>(simd_shuffle_xor(as_type<uint2>(x), mask)); }
)"},
    {"exchange_down", R"(
// Metal exchanges no 64-bit numbers.
inline long exchange_down(long x, ushort delta) { return as_type<long>(simd_shuffle_down(as_type<uint2>(x), delta)); }
)"},
    {"exchange_index", R"(
// Metal exchanges no 64-bit numbers.
inline long exchange_index(long x, ushort lane) { return as_type<long>(simd_broadcast(as_type<uint2>(x), lane)); }
)"},
    {"subgroup_sum",
     R"(
inline long subgroup_sum(long x) {
  for (ushort step = 16; step != 0; step /= 2) x = wrapping_add(x, exchange_xor(x, step));
  return x;
}
)",
     {Function::WrappingAdd, Function::ExchangeXor}},
    {"subgroup_max_long",
     R"(
inline long subgroup_max_long(long x) {
  for (ushort step = 16; step != 0; step /= 2) x = larger(x, exchange_xor(x, step));
  return x;
}
)",
     {Function::Larger, Function::ExchangeXor}},
    {"subgroup_min_long",
     R"(
inline long subgroup_min_long(long x) {
  for (ushort step = 16; step != 0; step /= 2) x = smaller(x, exchange_xor(x, step));
  return x;
}
)",
     {Function::Smaller, Function::ExchangeXor}},
    {"fragment_row", R"(
// Where the two elements of a lane lie in an 8x8 matrix, which is the same on every Apple GPU: this row, and two columns.
inline int fragment_row(int lane) { return lane / 16 * 4 + lane / 2 % 4; }
)"},
    {"fragment_column", R"(
inline int fragment_column(int lane) { return lane / 8 % 2 * 4 + lane % 2 * 2; }
)"},
    {"zero_products", R"(
// What the products of 0 with `count` numbers do to a sum. 1: one is a NaN. 2: one is +0, which makes +0 of -0.
template <typename Numbers>
inline ushort zero_products(Numbers numbers, long step, int count) {
  ushort found = 0;
  for (int k = 0; k < count; ++k) {
    const uint bits = as_type<uint>(float(numbers[k * step]));
    found |= (bits & 0x7f800000u) == 0x7f800000u ? 1 : bits >> 31 == 0u ? 2 : 0;
  }
  return found;
}
)"},
    {"add_zero_products",
     R"(
// Adds the product of an operand that has no element here, all 0, and the other one: that has the first `present` of
// `lines` rows (columns), each of `depth` numbers, and 0 in the rest. Each lane looks at some of them.
template <int lines, typename Sums, typename Numbers>
inline void add_zero_products(thread Sums& sums, bool by_row, Numbers numbers, long line_step, long step, int present,
                              int depth, int lane) {
  ushort found[(lines + 31) / 32];
  for (int part = 0; part * 32 < lines; ++part) {
    const int own = part * 32 + lane;
    found[part] = depth > 0 ? 2 : 0;
    if (own < present) found[part] = zero_products(numbers + own * line_step, step, depth);
  }
  for (ushort e = 0; e < sums.get_capacity(); ++e) {
    const auto place = sums.get_multidimensional_index(e);
    const int own = by_row ? place[1] : place[0];
    ushort kind = 0;
    for (int part = 0; part * 32 < lines; ++part) {
      const ushort other = simd_shuffle(found[part], ushort(own & 31));
      if (own / 32 == part) kind = other;
    }
    if (!sums.is_valid_element(e)) continue;
    if ((kind & 1) != 0)
      sums[e] = NAN;
    else if ((kind & 2) != 0 && as_type<uint>(sums[e]) == 0x80000000u)
      sums[e] = 0.0f;
  }
}
)",
     {Function::ZeroProducts, Function::Count}},
}};

}  // namespace tilewright::emit_msl
