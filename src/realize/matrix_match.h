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
};

struct MatrixMatch {
  MmaForm form;
  MatrixWorkload workload;
  tile::OpId region;                           ///< of the closed recurrence; or none
  std::uint32_t carry = 0;                     ///< of that region
  tile::OpId sink;                             ///< the store of a direct output; or none
  std::vector<tile::ValueId> epilogue_values;  ///< tiles between accumulator and sink that vanish with direct output

  bool sink_needs_compact_rows = false;  ///< for the launch to check: the strides of the output are free

  std::optional<proof::Proved<proof::RecurrenceClosed>> closed;
  std::optional<proof::Proved<proof::OutputDirect>> direct;
  std::optional<proof::Proved<proof::EpilogueSameOwner>> epilogue;
  std::optional<proof::Proved<proof::AccessInBounds>> sink_inside;
  std::optional<proof::Proved<proof::StoreBoundedPrefix>> sink_prefix;
  std::optional<proof::Proved<proof::OverwriteAllowed>> overwrite;

  std::vector<proof::Finding> findings;  ///< every question that was asked, in order
};

/// Premises: `op` is an mma of a launch that `materialization` (views taken out) describes; forwarding is of the same
/// launch. Refused: as mma_form, and an operand that has neither storage nor a view (kNotStored), an mma that
/// no program executes (kNeverRuns).
std::expected<MatrixMatch, Refusal> match_matrix(const proof::Subject& subject, const Materialization& materialization,
                                                 const ViewForwarding& forwarding, tile::OpId op,
                                                 const MatchRequest& request, const sets::Context& context);

}  // namespace tilewright::realize
