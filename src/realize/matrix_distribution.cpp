#include "realize/matrix_distribution.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/checked_math.h"

namespace tilewright::realize {

namespace {

using FirstFault = std::optional<MatrixRefusal>;

constexpr std::int64_t kTooMany = INT64_MAX;
/// An 8 x 8 fragment, shared by the 32 lanes of a subgroup.
constexpr std::int64_t kScalarsAFragment = kAtomExtent * kAtomExtent / kSubgroupSize;

std::int64_t or_too_many(std::optional<std::int64_t> value) { return value.value_or(kTooMany); }

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) { return or_too_many(checked_add(a, b)); }
std::int64_t saturating_product(std::int64_t a, std::int64_t b) { return or_too_many(checked_mul(a, b)); }

bool multiplies_to(std::int64_t a, std::int64_t b, std::int64_t expected) {
  const auto value = checked_mul(a, b);
  return value && *value == expected;
}

FirstFault group_fault(const MatrixWorkload& workload, const MatrixDistribution& distribution,
                       const GroupShape& group) {
  if (distribution.family != workload.family)
    return MatrixRefusal(MatrixConstraint::Family, {{"family", static_cast<std::int64_t>(distribution.family)},
                                                    {"workload_family", static_cast<std::int64_t>(workload.family)}});
  if (group.subgroup_size != kSubgroupSize)
    return MatrixRefusal(MatrixConstraint::SubgroupSize,
                         {{"subgroup_size", group.subgroup_size}, {"expected", kSubgroupSize}});
  if (group.threads < kSubgroupSize || group.threads % kSubgroupSize != 0)
    return MatrixRefusal(MatrixConstraint::PartialSubgroup,
                         {{"threads", group.threads}, {"subgroup_size", kSubgroupSize}});
  return std::nullopt;
}

FirstFault one_atom_fault(const MatrixWorkload& workload, const MatrixDistribution& distribution) {
  if (distribution.atom_rows != 0 || distribution.atom_columns != 0)
    return MatrixRefusal(MatrixConstraint::HalfZeroGrid, {{"subgroups_m", 0},
                                                          {"subgroups_n", 0},
                                                          {"atom_rows", distribution.atom_rows},
                                                          {"atom_columns", distribution.atom_columns}});
  if (workload.family != AtomFamily::Simdgroup8x8) return MatrixRefusal(MatrixConstraint::OneAtomFamily, {});
  return std::nullopt;
}

FirstFault rectangle_fault(const MatrixWorkload& workload, const MatrixDistribution& d, const GroupShape& group) {
  const std::int64_t subgroups = group.threads / kSubgroupSize;
  if (d.subgroups_m < 1 || d.subgroups_n < 1)
    return MatrixRefusal(MatrixConstraint::HalfZeroGrid,
                         {{"subgroups_m", d.subgroups_m}, {"subgroups_n", d.subgroups_n}});
  if (!multiplies_to(d.subgroups_m, d.subgroups_n, subgroups))
    return MatrixRefusal(MatrixConstraint::GridCount,
                         {{"subgroups_m", d.subgroups_m}, {"subgroups_n", d.subgroups_n}, {"subgroups", subgroups}});
  if (d.atom_rows < 1 || !multiplies_to(d.subgroups_m, d.atom_rows, workload.atom_rows()))
    return MatrixRefusal(
        MatrixConstraint::CoverageRows,
        {{"tile_atom_rows", workload.atom_rows()}, {"subgroups_m", d.subgroups_m}, {"atom_rows", d.atom_rows}});
  if (d.atom_columns < 1 || !multiplies_to(d.subgroups_n, d.atom_columns, workload.atom_columns()))
    return MatrixRefusal(MatrixConstraint::CoverageColumns, {{"tile_atom_columns", workload.atom_columns()},
                                                             {"subgroups_n", d.subgroups_n},
                                                             {"atom_columns", d.atom_columns}});
  return std::nullopt;
}

FirstFault collective_fault(const MatrixWorkload& workload, const MatrixDistribution& d, const GroupShape& group) {
  if (d.subgroups_m != 1 || d.subgroups_n != 1 || d.atom_rows != workload.atom_rows() ||
      d.atom_columns != workload.atom_columns())
    return MatrixRefusal(MatrixConstraint::CollectiveShape, {{"subgroups_m", d.subgroups_m},
                                                             {"subgroups_n", d.subgroups_n},
                                                             {"atom_rows", d.atom_rows},
                                                             {"atom_columns", d.atom_columns}});
  if (workload.family != AtomFamily::MetalMpp) return MatrixRefusal(MatrixConstraint::CollectiveFamily, {});
  if (group.threads < 2 * kSubgroupSize)
    return MatrixRefusal(MatrixConstraint::CollectiveSubgroups, {{"subgroups", group.threads / kSubgroupSize}});
  return std::nullopt;
}

FirstFault operation_fault(const MatrixDistribution& d) {
  if (d.family != AtomFamily::MetalMpp || d.atom_rows % 2 == 0 || d.atom_columns % 2 == 0) return std::nullopt;
  return MatrixRefusal(MatrixConstraint::OperationExtents,
                       {{"operation_rows", saturating_product(d.atom_rows, kAtomExtent)},
                        {"operation_columns", saturating_product(d.atom_columns, kAtomExtent)}});
}

FirstFault accumulator_fault(const MatrixWorkload& workload, const MatrixDistribution& d) {
  if (d.persistent_accumulator && d.is_one_atom()) return MatrixRefusal(MatrixConstraint::ResidencyRectangle, {});
  if (d.persistent_accumulator && !workload.has_recurrence())
    return MatrixRefusal(MatrixConstraint::ResidencyRecurrence,
                         {{"accumulator_iterations", workload.accumulator_iterations}});
  if (d.direct_accumulator_store && !d.persistent_accumulator)
    return MatrixRefusal(MatrixConstraint::DirectResidency, {});
  if (d.direct_accumulator_store && !workload.has_direct_output)
    return MatrixRefusal(MatrixConstraint::DirectProof, {{"has_direct_output", 0}});
  return std::nullopt;
}

std::string_view accumulator_text(const MatrixDistribution& distribution) {
  if (distribution.direct_accumulator_store) return "direct output";
  return distribution.persistent_accumulator ? "resident accumulator" : "shared accumulator";
}

}  // namespace

std::string_view operation_scope_name(OperationScope scope) {
  switch (scope) {
    case OperationScope::Subgroup:
      return "subgroup";
    case OperationScope::Group:
      return "group";
  }
  return {};
}

std::string distribution_text(const MatrixDistribution& d) {
  if (d.is_collective())
    return fmt::format("one operation of the whole group on {}x{} fragments, {}", d.atom_rows, d.atom_columns,
                       accumulator_text(d));
  if (d.is_one_atom()) return "one atom at a time";
  return fmt::format("{}x{} subgroups of {}x{} fragments, {}", d.subgroups_m, d.subgroups_n, d.atom_rows,
                     d.atom_columns, accumulator_text(d));
}

std::int64_t fragment_scalars_per_lane(const MatrixWorkload& workload, const MatrixDistribution& d,
                                       const GroupShape& group) {
  if (d.is_collective()) {
    // M*N / threads, rounded up: the result of one operation is spread over all its workers.
    const std::int64_t elements = saturating_product(workload.rows, workload.columns);
    return elements == kTooMany ? kTooMany : elements / group.threads + (elements % group.threads == 0 ? 0 : 1);
  }
  if (d.is_one_atom()) return 3 * kScalarsAFragment;
  std::int64_t fragments = saturating_product(d.atom_rows, d.atom_columns);
  if (d.family == AtomFamily::Simdgroup8x8)
    fragments = saturating_sum(saturating_sum(fragments, d.atom_rows), d.atom_columns);
  return saturating_product(fragments, kScalarsAFragment);
}

std::int64_t least_fragment_budget(AtomFamily family) {
  switch (family) {
    case AtomFamily::Simdgroup8x8:
      return 3 * kScalarsAFragment;
    case AtomFamily::MetalMpp:
      return 2 * kScalarsAFragment;
  }
  return 0;
}

std::int64_t released_bytes(const MatrixWorkload& workload, const MatrixDistribution& distribution) {
  if (distribution.direct_accumulator_store) return direct_release_bytes(workload);
  return distribution.persistent_accumulator ? resident_release_bytes(workload) : 0;
}

FirstFault why_illegal(const MatrixWorkload& workload, const MatrixDistribution& distribution, const GroupShape& group,
                       std::int64_t max_fragment_scalars_per_lane) {
  if (FirstFault fault = group_fault(workload, distribution, group)) return fault;
  FirstFault shape;
  if (distribution.is_collective())
    shape = collective_fault(workload, distribution, group);
  else if (distribution.is_one_atom())
    shape = one_atom_fault(workload, distribution);
  else
    shape = rectangle_fault(workload, distribution, group);
  if (shape) return shape;
  if (FirstFault fault = operation_fault(distribution)) return fault;
  const std::int64_t scalars = fragment_scalars_per_lane(workload, distribution, group);
  if (scalars > max_fragment_scalars_per_lane || scalars == kTooMany)
    return MatrixRefusal(MatrixConstraint::FragmentBudget,
                         {{"fragment_scalars", scalars}, {"budget", max_fragment_scalars_per_lane}});
  return accumulator_fault(workload, distribution);
}

}  // namespace tilewright::realize
