// Reports that are about a lane or a group, not about one access.
#pragma once

#include <cstdint>

#include "runtime/msl_emulator/runner/engine.h"

namespace tilewright::msl_emulator::runner {

/// The lane that runs, at a site.
PartyRecord lane_party(const Worker& worker, const Lane& lane, Action action, Site site);

/// A report with the running lane as its one party; a worker that runs none is named by its group.
ReportRecord lane_report(Worker& worker, std::uint32_t kind, Detail detail, Site site);

/// A collective or simdgroup_barrier that `lanes` of the SIMD group reached and the others did not.
void report_partial_subgroup(Worker& worker, const Subgroup& subgroup, std::uint32_t lanes);
/// Nothing in the group can go on.
void report_stalled_group(Worker& worker);

}  // namespace tilewright::msl_emulator::runner
