// Why a mapping of a matrix workload is not legal: the constraint that it breaks, with the numbers.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "support/named_number.h"

namespace tilewright::realize {

/// One entry a cause. The rule of each is the text that constraint_rule() gives.
enum class MatrixConstraint : std::uint8_t {
  Family,
  SubgroupSize,
  PartialSubgroup,
  HalfZeroGrid,
  GridCount,
  CoverageRows,
  CoverageColumns,
  CollectiveShape,
  OneAtomFamily,
  CollectiveFamily,
  CollectiveSubgroups,
  OperationExtents,
  FragmentBudget,
  ResidencyRectangle,
  ResidencyRecurrence,
  DirectResidency,
  DirectProof,
};
inline constexpr std::size_t kMatrixConstraints = 17;

/// "fragment_budget", stable.
std::string_view constraint_name(MatrixConstraint constraint);
/// The rule as a sentence, without numbers.
std::string_view constraint_rule(MatrixConstraint constraint);

class MatrixRefusal {
 public:
  MatrixRefusal(MatrixConstraint constraint, std::initializer_list<NamedNumber> numbers);

  MatrixConstraint constraint() const { return constraint_; }
  std::span<const NamedNumber> numbers() const { return {numbers_.data(), count_}; }
  bool operator==(const MatrixRefusal&) const = default;

 private:
  MatrixConstraint constraint_;
  std::uint8_t count_ = 0;
  std::array<NamedNumber, 4> numbers_{};
};

/// "fragment_budget: <rule> (fragment_scalars 88, budget 64)".
std::string refusal_text(const MatrixRefusal& refusal);

}  // namespace tilewright::realize
