#include "corpus_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace tilewright::msl_emulator::corpus {
namespace {

bool in_file(const CaseFile& file, const std::string& name) {
  const auto base = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  return base(name) == base(file.path);
}

bool at_one_of(const CaseFile& file, const std::vector<std::uint32_t>& lines, const std::string& name,
               std::uint32_t line) {
  return lines.empty() || (in_file(file, name) && std::find(lines.begin(), lines.end(), line) != lines.end());
}

bool has_two_accesses(ReportKind kind) { return kind == ReportKind::Race || kind == ReportKind::WrongFence; }

bool fits(const CaseFile& file, const Expectation& expected, const Report& report) {
  if (report.kind != expected.kind || !at_one_of(file, expected.lines, report.file, report.line)) return false;
  if (expected.object && *expected.object != report.object) return false;
  if (expected.byte_offset && expected.byte_offset != report.byte_offset) return false;
  if (expected.element && expected.element != report.element) return false;
  if (report.message.find(expected.text) == std::string::npos) return false;
  if (!has_two_accesses(report.kind)) return true;
  return std::all_of(report.parties.begin(), report.parties.end(),
                     [&](const Party& party) { return at_one_of(file, expected.lines, party.file, party.line); });
}

std::string expectation_text(const Expectation& expected) {
  std::string text = fmt::format("{} at line {}", report_kind_name(expected.kind), fmt::join(expected.lines, " or "));
  if (expected.object) text += fmt::format(" object \"{}\"", *expected.object);
  if (expected.byte_offset) text += fmt::format(" byte {}", *expected.byte_offset);
  if (expected.element) text += fmt::format(" element {}", *expected.element);
  if (!expected.text.empty()) text += fmt::format(" saying \"{}\"", expected.text);
  return text;
}

std::string party_text(const Party& party) {
  std::string text = fmt::format("group {}", fmt::join(party.group, ","));
  if (party.subgroup) text += fmt::format(" subgroup {}", *party.subgroup);
  if (party.thread) text += fmt::format(" thread {}", *party.thread);
  return text + fmt::format(" {}:{} {}", party.file, party.line, party.action);
}

bool says(const Diag& diag, const std::string& text) {
  return diag.message.find(text) != std::string::npos || diag.hint.find(text) != std::string::npos ||
         std::any_of(diag.notes.begin(), diag.notes.end(),
                     [&](const Note& note) { return note.message.find(text) != std::string::npos; });
}

}  // namespace

std::string report_text(const Report& report) {
  std::string text =
      fmt::format("{} at {}:{} object \"{}\"", report_kind_name(report.kind), report.file, report.line, report.object);
  if (report.byte_offset) text += fmt::format(" byte {}", *report.byte_offset);
  if (report.element) text += fmt::format(" element {}", *report.element);
  text += fmt::format(": {} (schedule {}, {} times)", report.message, report.schedule, report.count);
  for (const Party& party : report.parties) text += "; " + party_text(party);
  return text;
}

std::vector<std::string> judge_reports(const CaseFile& file, const Case& one, const LaunchResult& result) {
  std::vector<std::string> complaints;
  for (const Expectation& expected : one.expected) {
    const bool found = std::any_of(result.reports.begin(), result.reports.end(),
                                   [&](const Report& report) { return fits(file, expected, report); });
    if (!found) complaints.push_back("not reported: " + expectation_text(expected));
  }
  for (const Report& report : result.reports) {
    const auto names = [&](const Expectation& expected) { return fits(file, expected, report); };
    if (std::any_of(one.expected.begin(), one.expected.end(), names)) continue;
    if (std::any_of(one.allowed.begin(), one.allowed.end(), names)) continue;
    complaints.push_back("not expected: " + report_text(report));
  }
  if (one.expects_none && !result.finished) complaints.emplace_back("the launch did not finish");
  if (one.expects_none && result.schedules_disagree) complaints.emplace_back("the schedules left different results");
  return complaints;
}

std::vector<std::string> judge_error(const CaseFile& file, const ExpectedError& expected, const Diags& diags) {
  for (const Diag& diag : diags) {
    if (diag_code_name(diag.code) == expected.code && says(diag, expected.text) &&
        at_one_of(file, expected.lines, diag.place.file, diag.place.line)) {
      return {};
    }
  }
  return {fmt::format("no {} at line {} saying \"{}\" among:\n{}", expected.code, fmt::join(expected.lines, " or "),
                      expected.text, render(diags))};
}

}  // namespace tilewright::msl_emulator::corpus
