#include "runtime/msl_emulator/report_text.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::msl_emulator {

namespace {

using runner::Action;
using runner::Detail;
using runner::kNone;
using runner::PartyRecord;
using runner::ReportRecord;
using runner::SiteRecord;

std::string text_at(const runner::Answer& answer, std::uint32_t offset) {
  if (offset >= answer.strings.size()) return {};
  const char* begin = answer.strings.data() + offset;
  return std::string(begin, strnlen(begin, std::min<std::size_t>(answer.strings.size() - offset, 4096)));
}

/// What one report is made of, with the names at hand.
class Sentence {
 public:
  Sentence(const RecordedFaults& run, const LaunchPlan& plan, const std::map<std::uint64_t, SourceLine>& lines,
           const ReportRecord& record)
      : run_(run), plan_(plan), lines_(lines), record_(record) {}

  Report make() const {
    Report report;
    report.kind = static_cast<ReportKind>(record_.kind);
    report.count = record_.count;
    report.schedule = run_.schedule;
    report.object = object_name();
    if (record_.slot != kNone || record_.variable != kNone) {
      report.byte_offset = record_.offset;
      report.element = record_.offset / static_cast<std::int64_t>(element_bytes());
    }
    if (report.kind == ReportKind::Limit) report.byte_offset = report.element = std::nullopt;
    for (std::uint32_t i = 0; i < record_.party_count; ++i) report.parties.push_back(party(record_.parties[i]));
    if (!report.parties.empty()) {
      report.file = report.parties[0].file;
      report.line = report.parties[0].line;
    }
    report.message = message(report);
    return report;
  }

 private:
  std::uint64_t element_bytes() const {
    if (record_.slot != kNone && run_.element_bytes[record_.slot] != 0) return run_.element_bytes[record_.slot];
    if (record_.element_bytes != 0) return record_.element_bytes;
    return std::clamp<std::uint64_t>(record_.bytes, 1, 16);
  }

  std::string object_name() const {
    if (record_.slot != kNone) return plan_.slots[record_.slot].name;
    if (record_.variable != kNone) return run_.variables[record_.variable].name;
    return {};
  }

  std::string object_text() const {
    if (record_.slot != kNone) return fmt::format("buffer '{}'", object_name());
    if (record_.variable != kNone) return fmt::format("threadgroup variable '{}'", object_name());
    return "memory";
  }

  std::uint64_t object_bytes() const {
    if (record_.slot != kNone) return plan_.slots[record_.slot].bytes.size();
    return record_.variable != kNone ? run_.variables[record_.variable].bytes : 0;
  }

  SourceLine line_of(std::uint32_t site) const {
    const auto found = run_.sites.find(site);
    if (found == run_.sites.end()) return {};
    const SiteRecord& record = found->second;
    if (record.kind == SiteRecord::Text) return {run_.texts.at(record.file), record.line};
    const auto line = lines_.find(record.code_offset - 1);
    return line == lines_.end() ? SourceLine{} : line->second;
  }

  static std::string action_text(const PartyRecord& party) {
    const std::string bytes =
        party.bytes == 0 ? "" : fmt::format(" of {} byte{}", party.bytes, party.bytes == 1 ? "" : "s");
    switch (party.action) {
      case Action::Read:
        return "read" + bytes;
      case Action::Write:
        return "write" + bytes;
      case Action::AtomicRead:
        return "atomic read" + bytes;
      case Action::AtomicWrite:
        return "atomic operation" + bytes;
      case Action::CollectiveRead:
        return "read" + bytes + " by a collective operation";
      case Action::CollectiveWrite:
        return "write" + bytes + " by a collective operation";
      case Action::Waits:
        return "waits";
      case Action::Returned:
        return "returned";
      case Action::Runs:
        return "runs";
      case Action::Actions:
        break;
    }
    return "acts";
  }

  Party party(const PartyRecord& record) const {
    Party party;
    party.group = record.group;
    if (record.subgroup != kNone) party.subgroup = record.subgroup;
    if (record.thread != kNone) party.thread = record.thread;
    const SourceLine line = line_of(record.site);
    party.file = line.file;
    party.line = line.line;
    party.action = action_text(record);
    return party;
  }

  std::string who(std::uint32_t i) const {
    const PartyRecord& party = record_.parties[i];
    std::string text = "the group";
    if (party.several != 0)
      text = "several threads";
    else if (party.thread != kNone)
      text = fmt::format("thread {}", party.thread);
    else if (party.subgroup != kNone)
      text = fmt::format("SIMD group {}", party.subgroup);
    if (party.known_group == 0) return text + " of another group";
    return text + fmt::format(" of group ({}, {}, {})", party.group[0], party.group[1], party.group[2]);
  }

  std::string where(std::uint32_t i) const {
    const SourceLine line = line_of(record_.parties[i].site);
    return line.line == 0 ? std::string() : fmt::format(" at {}:{}", line.file, line.line);
  }

  std::string access() const {
    const std::int64_t offset = record_.offset;
    return fmt::format("{} at byte {} (element {}) of {}", action_text(record_.parties[0]), offset,
                       offset / static_cast<std::int64_t>(element_bytes()), object_text());
  }

  std::string bounds() const {
    if (record_.slot == kNone && record_.variable == kNone)
      return fmt::format("{} in threadgroup memory where no variable lies", action_text(record_.parties[0]));
    if (record_.detail == Detail::PageFault)
      return fmt::format("an access near byte {} of {}, which has {} bytes (found by the page, without checks)",
                         record_.offset, object_text(), object_bytes());
    const std::uint64_t bytes = object_bytes();
    return fmt::format("{}, which has {} byte{} ({} element{}), by {}", access(), bytes, bytes == 1 ? "" : "s",
                       bytes / element_bytes(), bytes / element_bytes() == 1 ? "" : "s", who(0));
  }

  std::string conflict() const {
    std::string text =
        fmt::format("{} by {} and {} by {}{}", access(), who(0), action_text(record_.parties[1]), who(1), where(1));
    const std::string_view memory = record_.variable != kNone ? "mem_threadgroup" : "mem_device";
    switch (record_.detail) {
      case Detail::OtherGroup:
        return text + ": threadgroups run in no order";
      case Detail::GroupFence:
        return text + fmt::format(": the threadgroup_barrier between them does not name mem_flags::{}", memory);
      case Detail::SubgroupFence:
        return text + fmt::format(": the simdgroup_barrier between them does not name mem_flags::{}", memory);
      default:
        return text + ": no barrier orders them";
    }
  }

  std::string divergence() const {
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; i < record_.party_count; ++i) {
      const PartyRecord& party = record_.parties[i];
      const std::string_view does = party.action == Action::Returned
                                        ? (party.lanes == 1 ? "has returned" : "have returned")
                                    : party.lanes == 1 ? "waits"
                                                       : "wait";
      parts.push_back(fmt::format("{} thread{} (first: {}) {}{}", party.lanes, party.lanes == 1 ? "" : "s",
                                  party.thread, does, where(i)));
    }
    std::string_view head = "a barrier is not reached by all threads";
    std::string tail;
    if (record_.detail == Detail::Plain) head = "threads wait at different barriers";
    if (record_.detail == Detail::PartialSubgroup)
      tail = fmt::format("; it needs all {} lanes of the SIMD group", record_.numbers[1]);
    if (record_.detail == Detail::PartialSubgroup)
      head = "part of a SIMD group reaches an operation that needs all of it";
    if (record_.detail == Detail::NarrowSubgroup)
      return fmt::format("an operation of a whole SIMD group runs in one of {} lanes; it needs 32", record_.numbers[1]);
    const Uint3& group = record_.parties[0].group;
    return fmt::format("{} in group ({}, {}, {}): {}{}", head, group[0], group[1], group[2], fmt::join(parts, ", "),
                       tail);
  }

  std::string wild() const {
    switch (record_.detail) {
      case Detail::StackOverflow:
        return fmt::format("stack overflow: {} needs more than {} bytes of stack", who(0), record_.numbers[0]);
      case Detail::Division:
        return fmt::format("an integer division by zero, or one that overflows, by {}", who(0));
      case Detail::SystemCall:
        return fmt::format("the kernel asks the system for service {}; it may not", record_.numbers[0]);
      case Detail::Instruction:
        return fmt::format("{} reaches an instruction that cannot be executed: undefined behaviour in the kernel",
                           who(0));
      case Detail::Signal:
        return fmt::format("an access to address {:#x}, which is no memory of the kernel, by {} (signal {})",
                           record_.address, who(0), record_.numbers[0]);
      default:
        return fmt::format("{} at address {:#x}, which is no memory of the kernel, by {}",
                           action_text(record_.parties[0]), record_.address, who(0));
    }
  }

  std::string limit() const {
    switch (record_.detail) {
      case Detail::ThreadgroupMemory:
        return fmt::format("the threadgroup memory of the kernel comes to {} bytes with '{}'; the device has {}",
                           record_.numbers[0], object_name(), record_.numbers[1]);
      case Detail::VariableTooLarge:
        return fmt::format("threadgroup variable '{}' has {} bytes; the device has {}", object_name(),
                           record_.numbers[0], record_.numbers[1]);
      case Detail::TooManyVariables:
        return fmt::format("more than {} threadgroup variables", record_.numbers[0]);
      default:
        return fmt::format("more than {} barriers and groups on one worker", record_.numbers[0]);
    }
  }

  /// %0..%3 of the shim's sentence.
  std::string shim_text() const {
    const std::string& text = run_.texts.at(record_.text);
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '3')
        result += fmt::format("{}", record_.numbers[static_cast<std::size_t>(text[++i] - '0')]);
      else
        result += text[i];
    }
    return result;
  }

  std::string message(const Report& report) const {
    if (record_.detail == Detail::ShimText) return shim_text();
    switch (report.kind) {
      case ReportKind::OutOfBounds:
        return bounds();
      case ReportKind::UninitializedRead:
        return fmt::format("{}, which has not been written {}, by {}", access(),
                           record_.variable != kNone ? "in this group" : "at all", who(0));
      case ReportKind::Race:
      case ReportKind::WrongFence:
        return conflict();
      case ReportKind::BarrierDivergence:
        return divergence();
      case ReportKind::ReadonlyWrite:
        if (record_.detail == Detail::ObjectWrite)
          return fmt::format("{} to a constant of the program by {}", action_text(record_.parties[0]), who(0));
        if (record_.detail == Detail::AbsentBuffer)
          return fmt::format("{} to buffer {}, which is optional and not bound, by {}", action_text(record_.parties[0]),
                             record_.numbers[0], who(0));
        return fmt::format("{}, which is read-only, by {}", access(), who(0));
      case ReportKind::MppMisuse:
        return fmt::format("the operation is declared for {} SIMD groups; the threadgroup has {}", record_.numbers[0],
                           record_.numbers[1]);
      case ReportKind::Limit:
        return limit();
      case ReportKind::Misaligned:
        return fmt::format("{}: its address is no multiple of {}", access(),
                           record_.element_bytes != 0 ? record_.element_bytes : record_.bytes);
      case ReportKind::WildAccess:
        return wild();
      case ReportKind::Timeout:
        return fmt::format("the time is over; {} was running", who(0));
      case ReportKind::CompileError:
        break;
    }
    return std::string(report_kind_name(report.kind));
  }

  const RecordedFaults& run_;
  const LaunchPlan& plan_;
  const std::map<std::uint64_t, SourceLine>& lines_;
  const ReportRecord& record_;
};

/// A record whose numbers a kernel cannot have made up to lead beyond an array.
bool is_valid(ReportRecord& record, const RecordedFaults& run, const LaunchPlan& plan) {
  if (record.kind > static_cast<std::uint32_t>(ReportKind::CompileError) || record.detail >= Detail::Details)
    return false;
  if (record.party_count == 0 || record.party_count > record.parties.size()) return false;
  if (record.slot != kNone && record.slot >= plan.slots.size()) return false;
  if (record.variable != kNone && record.variable >= run.variables.size()) return false;
  if ((record.kind == static_cast<std::uint32_t>(ReportKind::Race) ||
       record.kind == static_cast<std::uint32_t>(ReportKind::WrongFence)) &&
      record.detail != Detail::ShimText && record.party_count < 2)
    return false;
  for (const PartyRecord& party : record.parties)
    if (party.action >= Action::Actions) return false;
  return true;
}

auto place_key(const Report& report) { return std::tie(report.file, report.line, report.kind, report.object); }

std::vector<std::tuple<std::string, std::uint32_t, std::string>> other_places(const Report& report) {
  std::vector<std::tuple<std::string, std::uint32_t, std::string>> places;
  for (std::size_t i = 1; i < report.parties.size(); ++i)
    places.emplace_back(report.parties[i].file, report.parties[i].line, report.parties[i].action.substr(0, 4));
  return places;
}

auto party_key(const Report& report) {
  const Party party = report.parties.empty() ? Party{} : report.parties[0];
  return std::tuple(report.schedule, party.group[2], party.group[1], party.group[0], party.subgroup.value_or(kNone),
                    party.thread.value_or(kNone), report.byte_offset.value_or(0), report.message);
}

bool same_fault(const Report& a, const Report& b) {
  if (place_key(a) != place_key(b) || other_places(a) != other_places(b)) return false;
  // Of what has no place the sentence is all that tells it apart.
  return a.line != 0 || a.message == b.message;
}

}  // namespace

std::string_view report_kind_name(ReportKind kind) {
  constexpr std::array<std::string_view, 12> kNames{
      "out_of_bounds", "uninitialized_read", "race",       "barrier_divergence",
      "wrong_fence",   "readonly_write",     "mpp_misuse", "limit",
      "misaligned",    "wild_access",        "timeout",    "compile_error"};
  return kNames[static_cast<std::size_t>(kind)];
}

RecordedFaults copy_faults(const runner::Answer& answer, const LaunchPlan& plan, std::uint32_t schedule) {
  RecordedFaults run;
  run.schedule = schedule;
  run.dropped = answer.reports_dropped.load();
  const std::uint32_t variables = std::min<std::uint32_t>(answer.variable_count.load(), runner::kMaxVariables);
  for (std::uint32_t i = 0; i < variables; ++i)
    run.variables.push_back({text_at(answer, answer.variables[i].name), answer.variables[i].bytes});
  // Memory that the host sizes is called by the parameter that points to it.
  for (RecordedFaults::Variable& variable : run.variables)
    for (const Parameter& parameter : plan.entry->parameters)
      if (parameter.role == ParameterRole::Threadgroup && !parameter.name.empty() &&
          variable.name == fmt::format("threadgroup({})", parameter.index))
        variable.name = parameter.name;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) run.element_bytes.push_back(answer.slots[i].element_bytes);
  const std::uint32_t reports = std::min<std::uint32_t>(answer.report_count.load(), runner::kMaxReports);
  run.texts[0] = "";
  for (std::uint32_t i = 0; i < reports; ++i) {
    ReportRecord record = answer.reports[i];
    if (!is_valid(record, run, plan)) continue;
    run.texts[record.text] = text_at(answer, record.text);
    for (std::uint32_t p = 0; p < record.party_count; ++p) {
      const std::uint32_t site = record.parties[p].site;
      if (site == 0 || site > runner::kMaxSites) continue;
      run.sites[site] = answer.sites[site];
      run.texts[run.sites[site].file] = text_at(answer, run.sites[site].file);
    }
    run.reports.push_back(record);
  }
  return run;
}

std::vector<std::uint64_t> code_addresses(const std::vector<RecordedFaults>& runs) {
  std::vector<std::uint64_t> addresses;
  // The recorded offset is behind the instruction.
  for (const RecordedFaults& run : runs)
    for (const auto& [number, site] : run.sites)
      if (site.kind == SiteRecord::Code) addresses.push_back(site.code_offset - 1);
  std::ranges::sort(addresses);
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
  return addresses;
}

std::vector<Report> reports_of(const std::vector<RecordedFaults>& runs, const LaunchPlan& plan,
                               const std::map<std::uint64_t, SourceLine>& lines) {
  std::vector<Report> reports;
  for (const RecordedFaults& run : runs)
    for (const ReportRecord& record : run.reports) reports.push_back(Sentence(run, plan, lines, record).make());
  return merge_reports(std::move(reports));
}

std::vector<Report> merge_reports(std::vector<Report> reports) {
  std::ranges::sort(reports, [](const Report& a, const Report& b) {
    if (place_key(a) != place_key(b)) return place_key(a) < place_key(b);
    const auto places_a = other_places(a), places_b = other_places(b);
    if (places_a != places_b) return places_a < places_b;
    return party_key(a) < party_key(b);
  });
  std::vector<Report> merged;
  for (Report& report : reports) {
    if (!merged.empty() && same_fault(merged.back(), report))
      merged.back().count += report.count;
    else
      merged.push_back(std::move(report));
  }
  return merged;
}

}  // namespace tilewright::msl_emulator
