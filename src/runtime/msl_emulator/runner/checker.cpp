#include "runtime/msl_emulator/runner/checker.h"

#include "runtime/msl_emulator/runner/end.h"
#include "runtime/msl_emulator/runner/reports.h"

namespace tilewright::msl_emulator::runner {

namespace {

Action action_of(bool is_write, bool is_atomic, bool is_collective) {
  if (is_atomic) return is_write ? Action::AtomicWrite : Action::AtomicRead;
  if (is_collective) return is_write ? Action::CollectiveWrite : Action::CollectiveRead;
  return is_write ? Action::Write : Action::Read;
}

void name_actor(PartyRecord& party, Stamp stamp) {
  const std::uint32_t subgroup = subgroup_of(stamp), lane = lane_of(stamp);
  party.several = subgroup == kSeveral ? 1 : 0;
  if (subgroup >= kWholeGroup) return;
  party.subgroup = subgroup;
  if (lane < kWholeSubgroup) party.thread = subgroup * EMU_SIMD_WIDTH + lane;
}

PartyRecord present_party(const Worker& worker, const Access& access) {
  PartyRecord party;
  party.group = worker.group;
  party.site = access.site;
  party.action = action_of(access.is_write, access.is_atomic, access.is_collective);
  party.bytes = access.bytes;
  name_actor(party, access.actor->self);
  return party;
}

PartyRecord past_party(const Worker& worker, Stamp past, Site site, bool was_write) {
  PartyRecord party;
  party.group = worker.group;
  party.site = site;
  const bool collective = lane_of(past) == kWholeSubgroup;
  party.action = action_of(was_write, (past & kAtomic) != 0, collective);
  name_actor(party, past);
  if (!worker.clock.owns(past)) {
    std::uint64_t group = 0;
    party.known_group = worker.engine->find_group(interval_of(past), group) ? 1 : 0;
    if (party.known_group != 0) party.group = worker.engine->group_position(group);
  }
  return party;
}

/// The variable that an offset is closest to: the last that begins at or before it.
const Variable& nearest_variable(const Worker& worker, std::uint64_t inside) {
  std::uint32_t nearest = worker.variable_count > 1 ? 1 : 0;
  for (std::uint32_t i = 1; i < worker.variable_count; ++i)
    if (static_cast<std::int64_t>(worker.variables[i].begin) <= static_cast<std::int64_t>(inside)) nearest = i;
  return worker.variables[nearest];
}

void name_object(ReportRecord& report, const Worker& worker, std::uint64_t address, std::uint64_t inside) {
  const auto slot = static_cast<std::uint32_t>((address - kArenaBegin) >> kSlotShift);
  report.offset = static_cast<std::int64_t>(inside);
  if (slot == worker.own_slot) {
    const Variable& variable = nearest_variable(worker, inside);
    report.variable = variable.id;
    report.offset -= static_cast<std::int64_t>(variable.begin);
  } else if (slot < kBuffers) {
    report.slot = slot;
  }
}

ReportRecord report_of(const Worker& worker, const Access& access, std::uint32_t kind, std::uint64_t inside) {
  ReportRecord report;
  report.kind = kind;
  report.bytes = access.bytes;
  report.element_bytes = access.element_bytes;
  report.address = access.address;
  name_object(report, worker, access.address, inside);
  report.party_count = 1;
  report.parties[0] = present_party(worker, access);
  return report;
}

}  // namespace

void report_access(Worker& worker, const Access& access, std::uint32_t kind, std::uint64_t offset) {
  // Of a misaligned access the caller knows no offset in the slot.
  const std::uint64_t inside =
      kind == EMU_MISALIGNED ? ((access.address - kArenaBegin) & (kSlotBytes - 1)) - kSlotMiddle : offset;
  worker.engine->log.add(report_of(worker, access, kind, inside));
}

void report_conflict(Worker& worker, const Access& access, std::uint64_t offset, Stamp past, Site past_site,
                     bool past_was_write, Verdict verdict) {
  const bool wrong_fence = verdict == Verdict::WrongGroupFence || verdict == Verdict::WrongSubgroupFence;
  ReportRecord report = report_of(worker, access, wrong_fence ? EMU_WRONG_FENCE : EMU_RACE, offset);
  if (verdict == Verdict::OtherGroupRace) report.detail = Detail::OtherGroup;
  if (verdict == Verdict::WrongGroupFence) report.detail = Detail::GroupFence;
  if (verdict == Verdict::WrongSubgroupFence) report.detail = Detail::SubgroupFence;
  report.parties[1] = past_party(worker, past, past_site, past_was_write);
  report.party_count = 2;
  worker.engine->log.add(report);
}

void check_elsewhere(Worker& worker, const Access& access) {
  if (worker.engine->object.contains(access.address, access.bytes)) {
    if (!access.is_write) return;
    ReportRecord report;
    report.kind = EMU_READONLY_WRITE;
    report.detail = Detail::ObjectWrite;
    report.bytes = access.bytes;
    report.party_count = 1;
    report.parties[0] = present_party(worker, access);
    worker.engine->log.add(report);
    stop_launch(worker);
  }
  report_wild(worker, access);
}

void report_absent_write(Worker& worker, const Access& access) {
  ReportRecord report;
  report.kind = EMU_READONLY_WRITE;
  report.detail = Detail::AbsentBuffer;
  report.bytes = access.bytes;
  report.numbers[0] = static_cast<std::int64_t>((access.address - slot_begin(kAbsentSlot)) / kAbsentBytes);
  report.party_count = 1;
  report.parties[0] = present_party(worker, access);
  worker.engine->log.add(report);
}

void report_wild(Worker& worker, const Access& access) {
  ReportRecord report;
  report.kind = EMU_WILD_ACCESS;
  report.bytes = access.bytes;
  report.address = access.address;
  report.party_count = 1;
  report.parties[0] = present_party(worker, access);
  worker.engine->log.add(report);
  stop_launch(worker);
}

void want_finer_granule(Worker& worker, const Access& access) {
  const std::uint64_t bits = access.address | access.bytes;
  const std::uint32_t shift = (bits & 1) != 0 ? 0 : 1;
  Answer& answer = worker.engine->answer;
  const auto slot = static_cast<std::uint32_t>((access.address - kArenaBegin) >> kSlotShift);
  if (slot == worker.own_slot)
    answer.wanted_threadgroup_granule_shift = shift;
  else
    answer.slots[slot].wanted_granule_shift = shift;
  end_with(RunStatus::FinerGranule);
}

}  // namespace tilewright::msl_emulator::runner
