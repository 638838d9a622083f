// Which lane runs next, and in which orders: lanes, SIMD groups and groups are permuted by the number of the schedule.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

namespace tilewright::msl_emulator::runner {

/// A small generator; the same numbers on every machine.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

/// position -> number. Schedule 0 is the natural order, 1 the reverse, the others are random.
inline std::array<std::uint8_t, 32> order_of_32(std::uint32_t schedule, std::uint64_t seed) {
  std::array<std::uint8_t, 32> order{};
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  if (schedule == 1)
    for (std::uint32_t i = 0; i < 32; ++i) order[i] = static_cast<std::uint8_t>(31 - i);
  if (schedule < 2) return order;
  SplitMix random(seed);
  for (std::uint32_t i = 31; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

/// The i-th group of a schedule: i -> (factor * i + shift) mod count, a permutation since factor and count share no
/// divisor.
class GroupOrder {
 public:
  GroupOrder(std::uint64_t count, std::uint32_t schedule, std::uint64_t seed) : count_(count) {
    if (schedule == 0 || count < 2) return;
    factor_ = count - 1;
    shift_ = count - 1;
    if (schedule == 1) return;
    SplitMix random(seed);
    shift_ = random.below(count);
    do factor_ = 1 + random.below(count - 1);
    while (std::gcd(factor_, count) != 1);
  }
  std::uint64_t at(std::uint64_t i) const {
    return static_cast<std::uint64_t>((static_cast<__uint128_t>(factor_) * i + shift_) % count_);
  }

 private:
  std::uint64_t count_ = 1, factor_ = 1, shift_ = 0;
};

}  // namespace tilewright::msl_emulator::runner
