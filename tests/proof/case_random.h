// Numbers for property tests from a printed seed, the same on every machine.
#pragma once

#include <cstdint>

namespace tilewright::proof {

class CaseRandom {
 public:
  explicit CaseRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  /// In low .. high.
  std::int64_t number(std::int64_t low, std::int64_t high) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    const std::uint64_t word = (state_ * 0x2545f4914f6cdd1du) >> 33;
    return low + static_cast<std::int64_t>(word % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int parts, int of) { return number(1, of) <= parts; }

 private:
  std::uint64_t state_;
};

}  // namespace tilewright::proof
