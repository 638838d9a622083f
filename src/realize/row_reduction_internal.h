// Shared by the parts of row_reduction_facts: the structure of a launch, its sweeps, and its accesses. Internal.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/accesses.h"
#include "proof/subject.h"
#include "realize/row_reduction_facts.h"
#include "tile/program.h"

namespace tilewright::realize {

template <class T>
using RowResult = std::expected<T, Refusal>;

struct RowLoop {
  bool is_joint = false;
  std::vector<tile::CoordId> coords;
  std::vector<std::int64_t> extents;  ///< at least 0
  std::int64_t iterations = 1;
  std::set<tile::OpId> merged;     ///< reduce operations of the body that its carries take in
  std::set<std::uint32_t> direct;  ///< carries of a reduce region that fold its iterations themselves
};

/// A launch that holds nothing but what the family knows, with the role of each axis and loop.
struct RowStructure {
  const proof::Subject* subject = nullptr;
  std::uint32_t launch = 0;
  std::int64_t programs = 1;
  std::vector<tile::OpId> ops;  ///< inside the launch, in the order of the text
  std::set<tile::AxisId> row_axes, folded_axes;
  std::map<tile::OpId, RowLoop> loops;  ///< all regions inside the launch

  const tile::Program& program() const { return subject->program; }
  std::uint32_t order(tile::OpId op) const { return subject->walk.places[op].order; }
  std::int64_t extent(tile::AxisId axis) const;
  /// The one element axis among these; none for a row value.
  tile::AxisId element_axis(const std::vector<tile::AxisId>& axes) const;
  tile::AxisId element_axis(tile::ValueId value) const;
  /// Product of the extents of the row axes among these.
  std::int64_t rows_of(const std::vector<tile::AxisId>& axes) const;
  /// The joint loop whose body holds op; none outside.
  tile::OpId joint_loop_of(tile::OpId op) const;
  /// Stepped loops around op, outermost first, and the product of their iterations.
  std::vector<tile::OpId> stepped_loops_of(tile::OpId op) const;
  std::int64_t executions_of(tile::OpId op) const;
  /// What op's elements are, when its domain has this element axis (or none).
  RowSpan span_of(tile::OpId op, tile::AxisId element_axis) const;
};

RowResult<RowStructure> scan_row_structure(const proof::Subject& subject, std::uint32_t launch,
                                           const RowReductionRules& rules);

/// Where the elements of an operation stand: e = iteration * extent + position.
struct RowPosition {
  const RowStructure* structure = nullptr;
  tile::OpId op;
  tile::AxisId element_axis;

  RowSpan span() const { return structure->span_of(op, element_axis); }
  /// k when the form is e + k at every element, whatever the program, row and iteration of stepped loops.
  std::optional<std::int64_t> offset_from_element(const analysis::AffineForm& form) const;
};

/// From which element on the whole access lies outside of its object: at most `elements`, which stands for never.
std::int64_t dead_from(const RowPosition& position, const analysis::Access& access, std::int64_t elements);
/// From which element on a fold of `contribution` adds nothing but its identity.
std::int64_t dead_from(const RowPosition& position, tile::ValueId contribution, tile::FoldKind fold,
                       bool plus_zero_is_neutral);

/// What happens to the elements: sweeps, reads, and how values reach them.
struct RowFlow {
  struct Reach {
    std::set<std::uint32_t> sweeps;  ///< that evaluate the value at their own elements
    bool is_crossing = false;        ///< also evaluated at elements of other workers
    bool is_moved = false;           ///< also evaluated at other elements or rows than those of the sweep
  };
  std::vector<RowSweep> sweeps;  ///< not in the order of the text
  std::map<tile::OpId, Reach> loads;
  bool payload_known = true;
};
RowFlow trace_row_flow(const RowStructure& structure);

/// Legality of all loads and stores; fills premises, store proofs and reads_written_buffer.
RowResult<void> check_row_accesses(const RowStructure& structure, const RowFlow& flow, RowReductionWorkload& workload);

/// Fills reads and reused_inputs.
void collect_row_reads(const RowStructure& structure, const RowFlow& flow, RowReductionWorkload& workload);

/// The accesses of two operations with equal keys touch equal elements of equal objects at equal positions.
std::string access_key(const RowStructure& structure, const analysis::Access& access);

}  // namespace tilewright::realize
