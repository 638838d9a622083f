#include "realize/matrix_refusal.h"

#include <iterator>

#include <fmt/format.h>

#include "realize/refusal.h"
#include "support/check.h"

namespace tilewright::realize {

namespace {

struct ConstraintRule {
  std::string_view name, text;
};

constexpr ConstraintRule kConstraintRules[] = {
    {"family", "a distribution belongs to the atom family of its workload"},
    {"subgroup_size", "a subgroup has 32 workers"},
    {"partial_subgroup", "a matrix operation needs complete subgroups"},
    {"half_zero_grid", "a grid of subgroups has both sides, or none (one atom at a time)"},
    {"grid_count", "the grid uses every subgroup of the group once"},
    {"coverage_rows", "the subgroups' rectangles cover the rows of atoms exactly"},
    {"coverage_columns", "the subgroups' rectangles cover the columns of atoms exactly"},
    {"collective_shape", "an operation of the whole group has one rectangle, the whole tile"},
    {"one_atom_family", "one atom at a time is a map of metal.simdgroup8x8 alone"},
    {"collective_family", "an operation of the whole group exists in metal.mpp alone"},
    {"collective_subgroups", "an operation of the whole group has at least two subgroups; with one it is a rectangle"},
    {"operation_extents", "rows and columns of a tensor operation are multiples of 8, and one of them of 16"},
    {"fragment_budget", "the fragments of a lane fit max_fragment_scalars_per_lane"},
    {"residency_rectangle",
     "an accumulator stays in fragments where a subgroup owns a rectangle, not one atom at a time"},
    {"residency_recurrence", "an accumulator stays in fragments only in a proved closed recurrence"},
    {"direct_residency", "only an accumulator that stays in fragments is stored straight to the output"},
    {"direct_proof", "storing straight to the output needs a proof of the whole life of the accumulator"},
};
static_assert(std::size(kConstraintRules) == kMatrixConstraints);

const ConstraintRule& rule_of(MatrixConstraint constraint) {
  return kConstraintRules[static_cast<std::size_t>(constraint)];
}

}  // namespace

std::string_view constraint_name(MatrixConstraint constraint) { return rule_of(constraint).name; }
std::string_view constraint_rule(MatrixConstraint constraint) { return rule_of(constraint).text; }

MatrixRefusal::MatrixRefusal(MatrixConstraint constraint, std::initializer_list<NamedNumber> numbers)
    : constraint_(constraint), count_(static_cast<std::uint8_t>(numbers.size())) {
  TW_CHECK(numbers.size() <= numbers_.size());
  std::size_t i = 0;
  for (const NamedNumber& number : numbers) numbers_[i++] = number;
}

std::string refusal_text(const MatrixRefusal& refusal) {
  return fmt::format("{}: {}{}", constraint_name(refusal.constraint()), constraint_rule(refusal.constraint()),
                     numbers_text(refusal.numbers()));
}

}  // namespace tilewright::realize
