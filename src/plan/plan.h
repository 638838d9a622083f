// Plans: every decision about a bound program on a target, as a value. What lowers, synchronizes and emits only obeys.
//
// A plan speaks of operations and values by their ids in the bound program, and of the program by the hash of its
// meaning; it holds no name of the program's, and no option or switch that was in force: only decisions, and what they
// need of the target and of the launch. So renaming changes nothing, and a trial that was dropped leaves no trace. What
// was asked for, and why each other candidate lost, stands in the report (plan/plan_program.h).
//
// The text (print_plan, parse_plan) is one field a line, with sections indented below their heads; docs/planner.md
// shows one. It begins with "tilewright plan 2" and ends with a digest of all lines before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/cost_features.h"
#include "plan/launch_facts.h"
#include "plan/vector_plan.h"
#include "proof/verdict.h"
#include "realize/matrix_distribution.h"
#include "realize/row_reduction.h"
#include "realize/vector_mapping.h"
#include "realize/view_forwarding.h"
#include "support/hash.h"
#include "support/result.h"
#include "tile/program.h"

namespace tilewright::plan {

/// How the work of a launch is dealt out.
enum class LaunchMapping : std::uint8_t {
  Scalar,        ///< the reference: each worker runs whole programs or elements, one after the other
  Elementwise,   ///< a grid of programs x elements, one element a worker
  RowReduction,  ///< subgroups share the rows of a program
  Cooperative,   ///< a group shares one program, its tiles and its matrix operations
  Vector,        ///< one product, cut anew into rectangles of vector registers; a worker takes a range of them
};
/// "scalar", "elementwise", "row_reduction", "cooperative", "vector".
std::string_view mapping_name(LaunchMapping mapping);

/// One matrix operation. Residency and direct output stand in the distribution.
struct MatrixPlan {
  tile::OpId op;
  realize::MatrixDistribution distribution;
  std::array<bool, 2> from_view{};  ///< a, b: read where the input lies; else from shared storage
  realize::ViewKind view = realize::ViewKind::Plain;
  bool overwrites = false;       ///< D = A*B
  bool fuses_epilogue = false;   ///< the scalar work up to the sink runs on the fragments
  bool stores_a_prefix = false;  ///< the sink is guarded by lengths, not proved inside
  tile::OpId region;             ///< whose carry stays in fragments; or none
  tile::OpId sink;               ///< the store of a direct output; or none
  bool operator==(const MatrixPlan&) const = default;
};

struct PipelinePlan {
  tile::OpId region;
  std::int64_t window = 1;  ///< 1 or 2
  std::uint32_t cut = 0;    ///< of window 2: segments of the producer
  /// Of window 1: the copies of the next iteration wait in this many scalars of each worker; 0: they do not.
  std::int64_t prefetch_scalars_per_lane = 0;
  bool operator==(const PipelinePlan&) const = default;
};

struct TilePlan {
  tile::ValueId value;
  std::int64_t bytes = 0;                 ///< with the padding
  std::int64_t row_padding_elements = 0;  ///< after each row of the last axis
  bool operator==(const TilePlan&) const = default;
};

/// Of a row reduction.
struct RowPlan {
  realize::RowMapping mapping;
  std::int64_t striped_scalars_per_worker = 0;
  bool operator==(const RowPlan&) const = default;
};

/// Of the reference on a processor core: how many elements one worker computes side by side, where they lie so.
struct LanePlan {
  std::int64_t lanes = 1;       ///< f32 of a vector
  std::int64_t registers = 16;  ///< vectors that a loop may keep
  bool masks = false;           ///< edges are masked; else what is left is done one by one
  bool operator==(const LanePlan&) const = default;
};

/// Of a contraction on a processor core.
struct VectorPlan {
  realize::VectorMapping mapping;
  VectorCost cost;
  bool operator==(const VectorPlan&) const = default;
};

/// A proof that a decision stands on. Its certificate is made anew when a stored plan is verified.
struct ProofUse {
  std::string family;
  tile::OpId op;
  bool operator==(const ProofUse&) const = default;
};

struct LaunchPlan {
  std::uint32_t launch = 0;
  LaunchMapping mapping = LaunchMapping::Scalar;
  bool automatic_cooperative = false;  ///< admitted without being told to
  std::int64_t programs = 0;
  std::int64_t program_grid_rows = 1, program_grid_columns = 1;    ///< the last two domains; earlier ones are batches
  std::int64_t program_order_rows = 1, program_order_columns = 1;  ///< the rectangle of the walk
  std::int64_t threads = 0;                                        ///< of a group
  std::int64_t shared_memory_bytes = 0;
  realize::AtomFamily family{};  ///< of the matrices
  Forwarding forwarding = Forwarding::None;
  std::vector<tile::OpId> views;     ///< loads that are forwarded, in the order of the text
  std::vector<TilePlan> tiles;       ///< the shared storage that is left, in the order of the text
  std::vector<MatrixPlan> matrices;  ///< in the order of the text
  std::vector<PipelinePlan> pipelines;
  std::optional<RowPlan> rows;
  std::optional<VectorPlan> vector;
  std::optional<LanePlan> lanes;
  std::int64_t max_copy_batch = 1;
  bool coalesce_group_barriers = false;
  bool elide_independent_subgroup_barriers = false;  ///< where the proof of the kernel allows
  std::int64_t elementwise_elements_per_program = 0;
  std::int64_t elementwise_scalar_temporaries = 0;
  std::string cost_basis;  ///< "none" when nothing was priced
  PlanCost cost;
  bool optimized = false;  ///< false: the reference was kept
  std::vector<ProofUse> proofs;
  bool operator==(const LaunchPlan&) const = default;
};

struct Plan {
  Hash128 program;  ///< tile::meaning_hash of the bound program
  std::string target;
  std::string device;
  std::vector<std::string> needs;  ///< of target and launch: "noalias", "metal_mpp 2"; sorted
  std::vector<LaunchPlan> launches;
  bool operator==(const Plan&) const = default;
};

/// Whether a decision of the launch stands on this finding.
bool uses_proof(const LaunchPlan& launch, const proof::Finding& finding);

std::string print_plan(const Plan& plan);
/// Back. PlanInvalid with the line for any other text, a wrong digest included.
Result<Plan> parse_plan(std::string_view text, std::string_view label);
Hash128 plan_digest(const Plan& plan);

}  // namespace tilewright::plan
