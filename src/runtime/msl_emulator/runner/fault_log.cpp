#include "runtime/msl_emulator/runner/fault_log.h"

#include <mutex>
#include <tuple>

namespace tilewright::msl_emulator::runner {

namespace {

/// Faults of the same kind at the same places in the same object.
bool same_fault(const ReportRecord& a, const ReportRecord& b) {
  if (a.kind != b.kind || a.detail != b.detail || a.slot != b.slot || a.variable != b.variable || a.text != b.text ||
      a.party_count != b.party_count)
    return false;
  for (std::uint32_t i = 0; i < a.party_count; ++i)
    if (a.parties[i].site != b.parties[i].site || a.parties[i].action != b.parties[i].action) return false;
  return true;
}

std::uint32_t key_of(const ReportRecord& report) {
  std::uint32_t key = report.kind;
  const auto mix = [&key](std::uint32_t value) { key = (key ^ value) * 0x9e3779b1u; };
  mix(static_cast<std::uint32_t>(report.detail));
  mix(report.slot);
  mix(report.variable);
  mix(report.text);
  for (std::uint32_t i = 0; i < report.party_count; ++i) mix(report.parties[i].site);
  return key >> 16;
}

auto order_of(const ReportRecord& report) {
  const PartyRecord& party = report.parties[0];
  return std::tuple(party.group[2], party.group[1], party.group[0], party.subgroup, party.thread, report.offset);
}

}  // namespace

void FaultLog::add(const ReportRecord& report) {
  const std::lock_guard guard(lock_);
  std::uint32_t at = key_of(report) % kEntries;
  for (; by_key_[at] != 0; at = (at + 1) % kEntries) {
    ReportRecord& known = answer_.reports[by_key_[at] - 1u];
    if (!same_fault(known, report)) continue;
    const std::uint64_t count = known.count + 1;
    if (order_of(report) < order_of(known)) known = report;
    known.count = count;
    return;
  }
  const std::uint32_t number = answer_.report_count.load(std::memory_order_relaxed);
  if (number == kMaxReports) {
    answer_.reports_dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  answer_.reports[number] = report;
  answer_.reports[number].count = 1;
  answer_.report_count.store(number + 1, std::memory_order_release);
  by_key_[at] = static_cast<std::uint16_t>(number + 1);
}

}  // namespace tilewright::msl_emulator::runner
