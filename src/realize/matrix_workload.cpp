#include "realize/matrix_workload.h"

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::realize {

namespace {

constexpr std::string_view kWorkloadHint = "this is a fault of the analysis that made the workload";

void add_workload_fault(Diags& faults, DiagCode code, std::string message) {
  faults.push_back({code, "matrix workload: " + std::move(message), {}, std::string(kWorkloadHint), {}});
}

void check_matrix_extent(Diags& faults, std::string_view name, std::int64_t extent) {
  if (extent > 0 && extent % kAtomExtent == 0) return;
  add_workload_fault(
      faults, DiagCode::WorkloadExtent,
      fmt::format("{} is expected to be a positive multiple of {}, found {}", name, kAtomExtent, extent));
}

/// Against a nominal extent that is one; the fault of any other has been reported.
void check_mean_extent(Diags& faults, std::string_view name, double mean, std::int64_t nominal) {
  if (nominal <= 0 && std::isfinite(mean) && mean >= 0) return;
  if (std::isfinite(mean) && mean >= 0 && mean <= static_cast<double>(nominal)) return;
  add_workload_fault(faults, DiagCode::WorkloadMeanExtent,
                     fmt::format("{} is expected to lie in 0 .. {}, found {}", name, nominal, mean));
}

void check_recurrence(Diags& faults, const MatrixWorkload& w) {
  if (w.executions < 1)
    add_workload_fault(faults, DiagCode::WorkloadExecutions,
                       fmt::format("executions is expected to be at least 1, found {}", w.executions));
  if (w.accumulator_iterations < 0 ||
      (w.executions >= 1 && w.has_recurrence() && w.executions % w.accumulator_iterations != 0))
    add_workload_fault(faults, DiagCode::WorkloadIterations,
                       fmt::format("accumulator_iterations is expected to be 0 or a divisor of executions {}, found {}",
                                   w.executions, w.accumulator_iterations));
  if (w.has_direct_output && w.accumulator_iterations == 0)
    add_workload_fault(faults, DiagCode::WorkloadDirectOutput, "has_direct_output needs a recurrence, found none");
}

void check_matrix_elements(Diags& faults, std::string_view name, std::int64_t elements, bool removable) {
  if (elements < 0)
    add_workload_fault(faults, DiagCode::WorkloadElements,
                       fmt::format("{} is expected to be at least 0, found {}", name, elements));
  else if (elements > 0 && !removable)
    add_workload_fault(faults, DiagCode::WorkloadElements,
                       fmt::format("{} is {}, but nothing of the workload can remove them", name, elements));
}

std::optional<std::int64_t> storage_bytes(const MatrixWorkload& w, std::int64_t bytes_an_element, std::int64_t more) {
  const auto elements = checked_mul(w.rows, w.columns);
  const auto bytes = elements ? checked_mul(*elements, bytes_an_element) : std::nullopt;
  return bytes ? checked_add(*bytes, more) : std::nullopt;
}

void check_matrix_storage(Diags& faults, const MatrixWorkload& w) {
  if (w.epilogue_storage_bytes < 0)
    add_workload_fault(
        faults, DiagCode::WorkloadEpilogue,
        fmt::format("epilogue_storage_bytes is expected to be at least 0, found {}", w.epilogue_storage_bytes));
  else if (w.epilogue_storage_bytes > 0 && !w.has_direct_output)
    add_workload_fault(
        faults, DiagCode::WorkloadEpilogue,
        fmt::format("epilogue_storage_bytes is {}, but has_direct_output is false", w.epilogue_storage_bytes));
  else if (!storage_bytes(w, 8, w.epilogue_storage_bytes))
    add_workload_fault(
        faults, DiagCode::WorkloadStorage,
        fmt::format("the bytes of C, D ({} x {} elements each) and {} bytes of epilogue do not fit 64 bits", w.rows,
                    w.columns, w.epilogue_storage_bytes));
}

}  // namespace

std::string_view atom_family_name(AtomFamily family) {
  switch (family) {
    case AtomFamily::Simdgroup8x8:
      return "metal.simdgroup8x8";
    case AtomFamily::MetalMpp:
      return "metal.mpp";
  }
  return {};
}

Result<void> validate(const MatrixWorkload& workload) {
  Diags faults;
  check_matrix_extent(faults, "rows", workload.rows);
  check_matrix_extent(faults, "columns", workload.columns);
  check_matrix_extent(faults, "contraction", workload.contraction);
  check_mean_extent(faults, "mean_contraction", workload.mean_contraction, workload.contraction);
  check_mean_extent(faults, "mean_rows", workload.mean_rows, workload.rows);
  check_mean_extent(faults, "mean_columns", workload.mean_columns, workload.columns);
  check_recurrence(faults, workload);
  check_matrix_elements(faults, "recurrence_elements", workload.recurrence_elements,
                        workload.accumulator_iterations != 0);
  check_matrix_elements(faults, "direct_output_elements", workload.direct_output_elements, workload.has_direct_output);
  check_matrix_storage(faults, workload);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

std::int64_t resident_release_bytes(const MatrixWorkload& workload) {
  const auto bytes = storage_bytes(workload, 4, 0);
  TW_CHECK(bytes.has_value());
  return *bytes;
}

std::int64_t direct_release_bytes(const MatrixWorkload& workload) {
  const auto bytes = storage_bytes(workload, 8, workload.epilogue_storage_bytes);
  TW_CHECK(bytes.has_value());
  return *bytes;
}

}  // namespace tilewright::realize
