// Matrix matches: an mma of a program as a matrix workload, with the proofs that make it more than one atom at a time.
//
// The facts are those that seed 1 lists for a candidate: a closed recurrence allows to keep the accumulator in
// fragments, a literal start and one complete store allow to publish it straight to the output, a positive-zero start
// with one iteration allows to overwrite. Each is a token here, or a finding that says what is missing.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

#include "proof/access_in_bounds.h"
#include "proof/epilogue_same_owner.h"
#include "proof/operands_congruent.h"
#include "proof/output_direct.h"
#include "proof/overwrite_allowed.h"
#include "proof/recurrence_closed.h"
#include "proof/store_bounded_prefix.h"
#include "proof/subject.h"
#include "realize/materialization.h"
#include "realize/matrix_workload.h"
#include "realize/mma_form.h"
#include "realize/view_forwarding.h"
#include "sets/context.h"

namespace tilewright::realize {

struct MatchRequest {
  AtomFamily family = AtomFamily::Simdgroup8x8;
  bool bounded_store = false;   ///< a store may publish a proved prefix of its tile
  bool fuse_epilogues = false;  ///< scalar work between accumulator and store may join direct output
  bool load_operands = false;   ///< and may read tiles beside the accumulator
};

/// Codes of why an output is not direct that no proof has.
inline constexpr std::string_view kOutputNotProjected = "output_not_projected";
inline constexpr std::string_view kOutputStrides = "output_strides";
inline constexpr std::string_view kOperandStrides = "operand_strides";
inline constexpr std::string_view kEpilogueInit = "epilogue_init";
inline constexpr std::string_view kEpilogueSink = "epilogue_sink";
inline constexpr std::string_view kPlacedAccumulator = "placed_accumulator";
inline constexpr std::string_view kPlacedEpilogue = "placed_epilogue";

struct MatrixMatch {
  MmaForm form;
  MatrixWorkload workload;
  tile::OpId region;                           ///< of the closed recurrence; or none
  std::uint32_t carry = 0;                     ///< of that region
  tile::OpId sink;                             ///< the store of a direct output; or none
  std::vector<tile::ValueId> epilogue_values;  ///< tiles between accumulator and sink that vanish with direct output

  bool sink_needs_compact_rows = false;             ///< for the launch to check: the strides of the output are free
  std::vector<tile::OpId> operands_with_free_rows;  ///< likewise, of loads that the epilogue reads

  std::optional<proof::Proved<proof::RecurrenceClosed>> closed;
  std::optional<proof::Proved<proof::OutputDirect>> direct;
  std::optional<proof::Proved<proof::EpilogueSameOwner>> epilogue;
  std::optional<proof::Proved<proof::OperandsCongruent>> operands;  ///< where the epilogue reads tiles
  std::optional<proof::Proved<proof::AccessInBounds>> sink_inside;
  std::optional<proof::Proved<proof::StoreBoundedPrefix>> sink_prefix;
  std::optional<proof::Proved<proof::OverwriteAllowed>> overwrite;

  std::vector<proof::Finding> findings;  ///< every question that was asked, in order
  std::vector<Refusal> refusals;         ///< why the output is not direct, beyond what the proofs say
};

/// Premises: `op` is an mma of a launch that `materialization` (views taken out) describes; forwarding is of the same
/// launch. Refused: as mma_form, and an operand that has neither storage nor a view (kNotStored), an mma that
/// no program executes (kNeverRuns).
std::expected<MatrixMatch, Refusal> match_matrix(const proof::Subject& subject, const Materialization& materialization,
                                                 const ViewForwarding& forwarding, tile::OpId op,
                                                 const MatchRequest& request, const sets::Context& context);

}  // namespace tilewright::realize
