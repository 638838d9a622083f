// Matrix workloads: what one matrix multiplication of a group program does, as numbers. The input of everything that
// maps it onto subgroups and prices the mapping.
//
// A workload is made of facts. `has_direct_output` and the recurrence say that a proof exists (output.direct,
// recurrence.closed); whoever fills them in holds the tokens. They are never preferences. The means are facts of cost
// alone and allow nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "realize/metal_units.h"
#include "support/result.h"

namespace tilewright::realize {

/// Ways to do a matrix multiplication on a Metal device that this planner can map.
enum class AtomFamily : std::uint8_t {
  Simdgroup8x8,  ///< fragments of 8 x 8 elements in registers, loaded and stored one by one; the reference family
  MetalMpp,      ///< tensor operations that read their operands from memory when they run
};
std::string_view atom_family_name(AtomFamily family);  ///< "metal.simdgroup8x8", "metal.mpp"

/// One multiplication of a rows x contraction tile with a contraction x columns tile, and what surrounds it. U, V and Q
/// below are rows, columns and contraction in atoms.
struct MatrixWorkload {
  AtomFamily family = AtomFamily::Simdgroup8x8;
  std::int64_t rows = 0, columns = 0, contraction = 0;  ///< elements; positive multiples of kAtomExtent
  std::int64_t executions = 1;                          ///< E: times that a program runs it; at least 1
  /// Iterations of the closed recurrence around it, a divisor of executions; 0: no recurrence is proved.
  std::int64_t accumulator_iterations = 0;
  bool has_direct_output = false;  ///< the final accumulator may be stored straight to its sink; needs a recurrence
  bool overwrites_accumulator = false;  ///< one iteration from positive zero: D = A*B will do
  bool starts_from_literal = false;     ///< C is a literal and no carry: its fragments are filled, never loaded
  double mean_contraction = 0;          ///< mean physical K over all executions; 0: unknown, taken as nominal
  double mean_rows = 0;                 ///< mean physical M over all programs; 0: unknown, taken as nominal
  double mean_columns = 0;              ///< the same of N
  /// Scalar elements of the group's code that vanish with residency (the copy of D to C), and further ones that vanish
  /// with direct output (the fill of C and the scalar sink). The sets are disjoint.
  std::int64_t recurrence_elements = 0, direct_output_elements = 0;
  /// Bytes of the temporaries of an epilogue that vanish with direct output; needs has_direct_output.
  std::int64_t epilogue_storage_bytes = 0;

  bool has_recurrence() const { return accumulator_iterations > 0; }
  std::int64_t atom_rows() const { return rows / kAtomExtent; }                ///< U
  std::int64_t atom_columns() const { return columns / kAtomExtent; }          ///< V
  std::int64_t atom_contraction() const { return contraction / kAtomExtent; }  ///< Q
  bool operator==(const MatrixWorkload&) const = default;
};

/// Every fault of the value, each with the field and its number. WorkloadExtent: rows, columns or contraction.
/// WorkloadExecutions. WorkloadIterations: negative, or no divisor of the executions. WorkloadDirectOutput: without a
/// recurrence. WorkloadMeanExtent: not finite, negative, or above the nominal extent. WorkloadElements: negative, or a
/// direct subset without direct output, or a recurrence subset without recurrence. WorkloadEpilogue: bytes that are
/// negative or lack direct output. WorkloadStorage: the released bytes do not fit 64 bits.
Result<void> validate(const MatrixWorkload& workload);

/// Bytes of shared storage that leave the group with a resident accumulator (D: 4*M*N) and with direct output (C and D:
/// 8*M*N, and the epilogue). Premise: the workload is valid.
std::int64_t resident_release_bytes(const MatrixWorkload& workload);
std::int64_t direct_release_bytes(const MatrixWorkload& workload);

}  // namespace tilewright::realize
