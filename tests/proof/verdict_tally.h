// How often a property test saw each verdict, and what share of its cases each of them must have.
#pragma once

#include <array>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "proof/verdict.h"

namespace tilewright::proof {

class VerdictTally {
 public:
  explicit VerdictTally(std::string family) : family_(std::move(family)) {}

  template <class Family>
  void add(const Verdict<Family>& verdict) {
    ++counts_[verdict.index()];
  }
  void add(Finding::Kind kind) { ++counts_[static_cast<std::size_t>(kind)]; }
  int total() const { return counts_[0] + counts_[1] + counts_[2]; }

  /// Prints the counts. Each of these kinds must be at least a quarter of all cases, or a fifth where there are too few
  /// cases for a quarter to be told from chance.
  void expect_quarters(std::initializer_list<Finding::Kind> kinds = {Finding::Kind::Proved, Finding::Kind::Refuted,
                                                                     Finding::Kind::Unknown}) const {
    std::printf("%-21s %6d cases: proved %d, refuted %d, unknown %d\n", family_.c_str(), total(), counts_[0],
                counts_[1], counts_[2]);
    const int parts = total() >= 4000 ? 4 : 5;
    if (total() < 100) return;
    for (const Finding::Kind kind : kinds)
      EXPECT_GE(counts_[static_cast<std::size_t>(kind)] * parts, total()) << family_ << ": " << kind_name(kind);
  }

 private:
  std::string family_;
  std::array<int, 3> counts_{};
};
static_assert(static_cast<int>(Finding::Kind::Proved) == 0 && static_cast<int>(Finding::Kind::Refuted) == 1 &&
              static_cast<int>(Finding::Kind::Unknown) == 2);

}  // namespace tilewright::proof
