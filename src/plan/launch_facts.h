// Launch facts: everything that planning one launch stands on, gathered once from the program and the proofs.
//
// The facts depend on the target's family and on the switches of the compilation, never on a coefficient. The planner
// tries several of these (views or none, window 1 or 2) and keeps one; the verifier of a stored plan makes the one that
// the plan names, and compares.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "plan/group_workload.h"
#include "plan/options.h"
#include "proof/subject.h"
#include "realize/admission.h"
#include "realize/materialization.h"
#include "realize/matrix_match.h"
#include "realize/pipeline_window.h"
#include "realize/view_forwarding.h"
#include "sets/context.h"

namespace tilewright::plan {

enum class Forwarding : std::uint8_t {
  None,     ///< every operand is a snapshot in shared storage
  Strict,   ///< views of tiles that lie inside their input
  Guarded,  ///< also views that end inside the tile, where a capability allows
};
std::string_view forwarding_name(Forwarding forwarding);  ///< "none", "strict", "guarded"

struct FactsRequest {
  realize::AtomFamily family{};
  Forwarding forwarding = Forwarding::None;
  /// Pipeline regions that run with window 2, sorted; each must be legal. The others are ordered.
  std::vector<tile::OpId> overlapped;
  std::int64_t shared_memory_bytes = 0;  ///< of a group: bounds the second versions of pipelines
  bool pads_rows = false;                ///< rows of operands that meet in a bank are set apart
};

/// An mma and what became of it.
struct MmaFacts {
  tile::OpId op;
  std::expected<realize::MatrixMatch, realize::Refusal> match;
};

struct LaunchFacts {
  std::uint32_t launch = 0;
  realize::AdmissionAnswer admission;
  realize::Materialization materialization;  ///< without forwarded views
  realize::ViewForwarding forwarding;
  std::vector<realize::PipelineWindow> windows;
  std::vector<MmaFacts> mmas;  ///< in the order of the text
  GroupWorkload workload;      ///< its matrices are the matched mmas, in order

  /// Every mma that may be reassociated is matched.
  bool all_matched(const tile::Program& program) const;
  std::vector<const realize::MatrixMatch*> matches() const;
};

/// Premise: launch < number of launches. The fault says which count has no number.
std::expected<LaunchFacts, realize::MaterializationFault> launch_facts(const proof::Subject& subject,
                                                                       std::uint32_t launch,
                                                                       const CompileSwitches& switches,
                                                                       bool fuse_epilogues, const FactsRequest& request,
                                                                       const sets::Context& context);

}  // namespace tilewright::plan
