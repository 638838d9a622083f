// Random index expressions as text, for laws over all points of small domains.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tilewright::analysis {

struct ExpressionChoice {
  std::vector<std::string> leaves;
  std::vector<std::string> numbers;
  bool any_divisor = false;  ///< else divisors are positive literals
};

/// A function of the generator's state alone.
class ExpressionGenerator {
 public:
  ExpressionGenerator(std::uint64_t seed, ExpressionChoice choice) : random_(seed), choice_(std::move(choice)) {}

  std::string make(int depth) {
    if (depth == 0 || below(6) == 0) return pick(below(3) == 0 ? choice_.numbers : choice_.leaves);
    const std::string a = make(depth - 1);
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
        return "(" + a + " + " + make(depth - 1) + ")";
      case 3:
      case 4:
        return "(" + a + " - " + make(depth - 1) + ")";
      case 5:
      case 6:
        return "(" + a + " * " + pick(choice_.numbers) + ")";
      case 7:
        return "(" + a + " * " + make(depth - 1) + ")";
      case 8:
        return "(" + a + " / " + divisor(depth) + ")";
      case 9:
        return "(" + a + " % " + divisor(depth) + ")";
      case 10:
        return "ceildiv(" + a + ", " + divisor(depth) + ")";
      case 11:
        return "min(" + a + ", " + make(depth - 1) + ")";
      case 12:
        return "max(" + a + ", " + make(depth - 1) + ")";
      default:
        return bits(a);
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::string divisor(int depth) {
    if (choice_.any_divisor && below(2) == 0) return make(depth - 1);
    return std::to_string(1 + below(8));
  }

  std::string bits(const std::string& a) {
    switch (below(4)) {
      case 0:
        return "(" + a + " & " + pick({"1", "3", "7", "5"}) + ")";
      case 1:
        return "(" + a + " ^ " + pick({"0", "3"}) + ")";
      case 2:
        return "(" + a + " << " + pick({"0", "1", "3"}) + ")";
      default:
        return "(" + a + " >> " + pick({"0", "1", "2"}) + ")";
    }
  }

  std::mt19937_64 random_;
  ExpressionChoice choice_;
};

}  // namespace tilewright::analysis
