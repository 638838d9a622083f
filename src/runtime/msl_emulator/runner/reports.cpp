#include "runtime/msl_emulator/runner/reports.h"

#include <bit>

namespace tilewright::msl_emulator::runner {

namespace {

/// Adds the lane to the party that waits at the same site, or as a new one.
void add_waiting(ReportRecord& report, Worker& worker, const Lane& lane) {
  const Site site = lane.returned ? Site{0} : place_site(worker, lane.meeting.place);
  const Action action = lane.returned ? Action::Returned : Action::Waits;
  for (std::uint32_t i = 0; i < report.party_count; ++i) {
    PartyRecord& party = report.parties[i];
    if (party.site != site || party.action != action) continue;
    ++party.lanes;
    if (lane.inputs.thread_index_in_threadgroup < party.thread) {
      party.thread = lane.inputs.thread_index_in_threadgroup;
      party.subgroup = lane.inputs.simdgroup_index_in_threadgroup;
    }
    return;
  }
  if (report.party_count < kMaxParties) report.parties[report.party_count++] = lane_party(worker, lane, action, site);
}

}  // namespace

PartyRecord lane_party(const Worker& worker, const Lane& lane, Action action, Site site) {
  PartyRecord party;
  party.group = worker.group;
  party.subgroup = lane.inputs.simdgroup_index_in_threadgroup;
  party.thread = lane.inputs.thread_index_in_threadgroup;
  party.site = site;
  party.lanes = 1;
  party.action = action;
  return party;
}

ReportRecord lane_report(Worker& worker, std::uint32_t kind, Detail detail, Site site) {
  ReportRecord report;
  report.kind = kind;
  report.detail = detail;
  report.party_count = 1;
  if (worker.lane != nullptr) {
    report.parties[0] = lane_party(worker, *worker.lane, Action::Runs, site);
  } else {
    report.parties[0].group = worker.group;
    report.parties[0].site = site;
    report.parties[0].action = Action::Runs;
  }
  if (worker.collective.running) {
    if (lane_of(worker.collective.actor.self) == kWholeSubgroup) report.parties[0].thread = kNone;
    if (subgroup_of(worker.collective.actor.self) == kWholeGroup) report.parties[0].subgroup = kNone;
  }
  return report;
}

void report_partial_subgroup(Worker& worker, const Subgroup& subgroup, std::uint32_t lanes) {
  ReportRecord report;
  report.kind = EMU_BARRIER_DIVERGENCE;
  report.detail = Detail::PartialSubgroup;
  report.numbers = {std::popcount(lanes), subgroup.lane_count, 0, 0};
  // Those who wait at the operation come first: the report is about them.
  for (std::uint32_t pass = 0; pass < 2; ++pass)
    for (std::uint32_t lane = 0; lane < subgroup.lane_count; ++lane) {
      const Lane& one = worker.lanes[subgroup.index * EMU_SIMD_WIDTH + lane];
      if (((lanes & one.bit) != 0) == (pass == 0)) add_waiting(report, worker, one);
    }
  if (subgroup.lane_count < EMU_SIMD_WIDTH && std::popcount(lanes) == static_cast<int>(subgroup.lane_count))
    report.detail = Detail::NarrowSubgroup;
  worker.engine->log.add(report);
}

void report_stalled_group(Worker& worker) {
  ReportRecord report;
  report.kind = EMU_BARRIER_DIVERGENCE;
  report.detail = worker.returned != 0 ? Detail::Returned : Detail::Plain;
  for (std::uint32_t pass = 0; pass < 2; ++pass)
    for (std::uint32_t i = 0; i < worker.lane_count; ++i)
      if (worker.lanes[i].returned == (pass == 1)) add_waiting(report, worker, worker.lanes[i]);
  worker.engine->log.add(report);
}

}  // namespace tilewright::msl_emulator::runner
