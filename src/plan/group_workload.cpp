#include "plan/group_workload.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string>

#include "support/checked_math.h"

namespace tilewright::plan {

namespace {

void add_group_fault(Diags& faults, DiagCode code, std::string message) {
  faults.push_back({code,
                    "group workload: " + std::move(message),
                    {},
                    "this is a fault of the analysis that made the workload",
                    {}});
}

void check_count(Diags& faults, std::string_view name, std::int64_t value, std::int64_t least) {
  if (value < least)
    add_group_fault(faults, DiagCode::GroupCount,
                    fmt::format("{} is expected to be at least {}, found {}", name, least, value));
}

void check_families(Diags& faults, const GroupWorkload& workload) {
  for (std::size_t i = 1; i < workload.matrices.size(); ++i)
    if (workload.matrices[i].family != workload.matrices[0].family)
      return add_group_fault(
          faults, DiagCode::GroupFamilies,
          fmt::format("matrix 0 is of {}, matrix {} of {}", realize::atom_family_name(workload.matrices[0].family), i,
                      realize::atom_family_name(workload.matrices[i].family)));
}

/// By subtraction from the total: the sum of the subsets is never formed.
void check_group_elements(Diags& faults, const GroupWorkload& workload) {
  std::int64_t left = workload.independent_elements;
  for (std::size_t i = 0; i < workload.matrices.size(); ++i)
    for (const std::int64_t subset :
         {workload.matrices[i].recurrence_elements, workload.matrices[i].direct_output_elements}) {
      if (subset > left)
        return add_group_fault(faults, DiagCode::GroupElements,
                               fmt::format("matrix {} removes {} elements, but only {} of the group's {} are left", i,
                                           subset, left, workload.independent_elements));
      left -= subset;
    }
}

void check_group_storage(Diags& faults, const GroupWorkload& workload) {
  std::int64_t left = workload.shared_memory_bytes;
  for (std::size_t i = 0; i < workload.matrices.size(); ++i) {
    const realize::MatrixWorkload& matrix = workload.matrices[i];
    std::int64_t released = 0;
    if (matrix.has_direct_output)
      released = realize::direct_release_bytes(matrix);
    else if (matrix.has_recurrence())
      released = realize::resident_release_bytes(matrix);
    if (released > left)
      return add_group_fault(faults, DiagCode::GroupStorage,
                             fmt::format("matrix {} could release {} bytes, but only {} of the group's {} are left", i,
                                         released, left, workload.shared_memory_bytes));
    left -= released;
  }
}

}  // namespace

Result<void> validate(const GroupWorkload& workload) {
  Diags faults;
  check_count(faults, "programs", workload.programs, 0);
  check_count(faults, "independent_elements", workload.independent_elements, 0);
  check_count(faults, "max_independent_elements", workload.max_independent_elements, 1);
  check_count(faults, "shared_memory_bytes", workload.shared_memory_bytes, 0);
  check_count(faults, "max_collective_outputs", workload.max_collective_outputs, 0);
  check_families(faults, workload);
  for (std::size_t i = 0; i < workload.matrices.size(); ++i) {
    auto result = realize::validate(workload.matrices[i]);
    if (result) continue;
    for (Diag& fault : result.error()) {
      fault.message = fmt::format("matrix {}: {}", i, fault.message);
      faults.push_back(std::move(fault));
    }
  }
  // The sums mean something only when every part does.
  if (faults.empty()) {
    check_group_elements(faults, workload);
    check_group_storage(faults, workload);
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

}  // namespace tilewright::plan
