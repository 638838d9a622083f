// Planning a contraction for one kind of processor core (cpu.vector): every register rectangle that the registers hold,
// priced by the basis cpu_vector_v1, and the cheapest of them.
//
// The space: rows x vectors with rows * vectors + vectors + 1 registers at most, with the columns or the rows of the
// product as lanes, the right operand read in place or packed in groups of 1, 2, 4, .. panels, the depth in one pass or
// in passes of some lengths. A candidate that another
// one with the same tiles and panels repeats is left out. Legality is the registers alone; every candidate computes the
// same sums. The price is in cycles of a core, roughly; it ranks and is no time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/cost_priors.h"
#include "realize/contraction.h"
#include "realize/vector_mapping.h"
#include "support/result.h"

namespace tilewright::plan {

/// A core as the planner sees it.
struct VectorTarget {
  std::int64_t lanes = 4;              ///< f32 of a vector register
  std::int64_t registers = 16;         ///< vector registers
  bool masks = false;                  ///< loads and stores of some lanes cost as much as those of all
  std::int64_t near_bytes = 32 << 10;  ///< of the cache next to the core
  std::int64_t far_bytes = 512 << 10;  ///< of the one behind it, the core's own
  bool operator==(const VectorTarget&) const = default;
};

/// What decides about a mapping of a contraction.
struct VectorWorkload {
  std::int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  struct Operand {
    std::int64_t outer_step = 0, depth_step = 0;  ///< elements
    std::int64_t bytes = 4;                       ///< of an element
    bool operator==(const Operand&) const = default;
  };
  Operand a, b;
  std::int64_t output_row_step = 0, output_column_step = 0;  ///< of the first store
  bool may_reassociate = false;                              ///< the order of the sums is free
  std::int64_t epilogue_operations = 0;                      ///< scalar operations of an element beside the product
};
VectorWorkload vector_workload(const proof::Subject& subject, const realize::Contraction& contraction);

/// What a mapping does, counted over the whole launch (docs/planner.md).
struct VectorCost {
  double vector_fmas = 0;       ///< fused multiply-adds of whole vectors
  double lane_cover = 1;        ///< the part of their lanes that belongs to the product
  double excess_loads = 0;      ///< cycles in which loads keep the multipliers waiting
  double excess_latency = 0;    ///< cycles in which too few sums are under way
  double left_loads = 0;        ///< elements of the left operand that are spread over lanes
  double near_panel_bytes = 0;  ///< of the right operand, read from beyond the near cache
  double far_panel_bytes = 0;   ///< beyond the far cache
  double far_right_bytes = 0;  ///< of the right operand, read from beyond the far cache: to be copied, or by every tile
  double page_touches = 0;     ///< rows of the right operand that begin in another page
  double left_bytes = 0;       ///< of the left operand, read anew from beyond the far cache
  double left_lines = 0;       ///< of the left operand, each for one step of the depth
  double packed_bytes = 0;     ///< of panels that are copied
  double strided_elements = 0;      ///< copied or stored one at a time
  double far_strided_elements = 0;  ///< likewise, of operands beyond the far cache
  double rectangles = 0;            ///< begun and ended
  double output_vectors = 0;        ///< stored, and computed by the epilogue
  double output_touches = 0;        ///< rows of rectangles that begin in another page of a large output
  double lane_folds = 0;            ///< vectors of partial sums that are folded to one number
  double partial_vectors = 0;       ///< of sums that wait between passes, read and written
  double score = 0;                 ///< cycles, roughly
  bool operator==(const VectorCost&) const = default;
};
struct VectorCostRow {
  std::string_view name;
  double VectorCost::* member;
  double CostPriors::* price;  ///< null: detail, not priced by itself
  std::string_view meaning;
};
std::span<const VectorCostRow> vector_cost_rows();

struct VectorCandidate {
  realize::VectorMapping mapping;
  VectorCost cost;
};

struct VectorChoice {
  std::vector<VectorCandidate> candidates;  ///< in a fixed order
  std::size_t chosen = 0;                   ///< lowest score; the first of equals
};

/// Premise: nothing of the workload is 0.
VectorChoice plan_contraction(const VectorWorkload& workload, const VectorTarget& target, const CostPriors& priors);
/// What one mapping costs.
VectorCost vector_cost(const VectorWorkload& workload, const VectorTarget& target,
                       const realize::VectorMapping& mapping, const CostPriors& priors);
/// Why a mapping is not one of the space; empty when it is.
std::string vector_mapping_fault(const VectorWorkload& workload, const VectorTarget& target,
                                 const realize::VectorMapping& mapping);
/// "6x4 vectors of 16, packed 2 panels at a time"
std::string vector_mapping_text(const realize::VectorMapping& mapping);

}  // namespace tilewright::plan
