// Integer functions against 128-bit arithmetic.
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::shim_test {

namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kCount = 128;

template <class T>
std::vector<T> integers_of(std::size_t count) {
  using Limits = std::numeric_limits<T>;
  const T edges[] = {0, 1, T(-1), Limits::max(), Limits::min(), T(Limits::max() - 1), T(Limits::min() + 1), 2, 31, 33};
  std::mt19937_64 random(7);
  std::vector<T> values(count);
  for (T& value : values) value = random() % 3 == 0 ? edges[random() % std::size(edges)] : static_cast<T>(random());
  return values;
}

template <class T>
T saturated(Wide value) {
  const Wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

template <class T>
T bits_of(T value, int offset, int count) {
  if (count == 0) return 0;
  constexpr int kBits = 8 * int{sizeof(T)};
  using U = std::make_unsigned_t<T>;
  const U up = static_cast<U>(static_cast<U>(value) << (kBits - offset - count));
  return static_cast<T>(static_cast<T>(up) >> (kBits - count));
}

template <class T>
T with_bits(T base, T insert, int offset, int count) {
  using U = std::make_unsigned_t<T>;
  const U ones = static_cast<U>(count == 8 * int{sizeof(T)} ? ~U{0} : (U{1} << count) - 1U);
  const U mask = static_cast<U>(ones << offset);
  return static_cast<T>((static_cast<U>(base) & static_cast<U>(~mask)) |
                        (static_cast<U>(static_cast<U>(insert) << offset) & mask));
}

template <class T>
T reversed(T value) {
  using U = std::make_unsigned_t<T>;
  U from = static_cast<U>(value), to = 0;
  for (std::size_t i = 0; i < 8 * sizeof(T); ++i, from = static_cast<U>(from >> 1))
    to = static_cast<U>((to << 1) | (from & 1));
  return static_cast<T>(to);
}

/// In the order of kernels/integer.metal.
template <class T>
std::vector<T> expected_of(T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * int{sizeof(T)};
  const auto ua = static_cast<U>(a);
  const Wide x = a, y = b, z = c, high = (x * y) >> kBits;
  const T low = std::min(b, c), top = std::max(b, c), mid = std::max(std::min(a, b), std::min(std::max(a, b), c));
  std::vector<T> values;
  const auto push = [&](auto value) { values.push_back(static_cast<T>(value)); };
  push(x < 0 ? -x : x);
  push(x < y ? y - x : x - y);
  push(saturated<T>(x + y));
  push(saturated<T>(x - y));
  push((x + y) >> 1);
  push((x + y + 1) >> 1);
  push(high);
  push(high + z);
  push(std::rotl(ua, static_cast<int>(static_cast<U>(b) & (kBits - 1))));
  push(std::popcount(ua));
  push(std::countl_zero(ua));
  push(std::countr_zero(ua));
  push(reversed(a));
  push(std::min(a, b));
  push(std::max(a, b));
  push(std::min(std::max(a, low), top));
  push(std::min(a, low));
  push(std::max(a, top));
  push(mid);
  push(bits_of(a, 1, 5));
  push(a);
  push(0);
  push(with_bits(a, b, 2, 4));
  push(b);
  push(saturated<T>(x + y));
  push(high);
  // 2^64 squared is past 128 signed bits.
  if (sizeof(T) < 8) push(saturated<T>(x * y + z));
  return values;
}

template <class T>
void compare(const std::string& name, Dialect dialect) {
  constexpr std::size_t kFunctions = 27;
  std::vector<T> in = integers_of<T>(3 * kCount), out(kFunctions * kCount);
  std::vector<std::uint32_t> count = {kCount};
  run_clean("integer.metal", dialect, "integer_" + name, kCount / 32, 32,
            {bytes_of(in), bytes_of(out), bytes_of(count)});
  for (std::size_t i = 0; i < kCount; ++i) {
    const T a = in[i], b = in[kCount + i], c = in[2 * kCount + i];
    const std::vector<T> expected = expected_of(a, b, c);
    for (std::size_t f = 0; f < expected.size(); ++f)
      EXPECT_EQ(+out[f * kCount + i], +expected[f])
          << name << " function " << f << " of " << +a << ' ' << +b << ' ' << +c;
  }
}

class IntegerFunctions : public InDialect {};
INSTANTIATE_TEST_SUITE_P(Dialects, IntegerFunctions, ::testing::Values(Dialect::OpenCl, Dialect::Cpp20),
                         name_of_dialect);

TEST_P(IntegerFunctions, OfAllTypes) {
  compare<std::int8_t>("char", GetParam());
  compare<std::uint8_t>("uchar", GetParam());
  compare<std::int16_t>("short", GetParam());
  compare<std::uint16_t>("ushort", GetParam());
  compare<std::int32_t>("int", GetParam());
  compare<std::uint32_t>("uint", GetParam());
  compare<std::int64_t>("long", GetParam());
}

}  // namespace

}  // namespace tilewright::msl_emulator::shim_test
