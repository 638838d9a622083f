#include "driver/emulated_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/emulate.h"

namespace tilewright::driver {

namespace {

namespace emu = msl_emulator;

/// From this version on there are tensors, which C++ for OpenCL cannot express.
constexpr int kMetal40 = 400;

std::string source_line(const std::string& text, std::uint32_t number) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < number && at < text.size(); ++line)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return number == 0 ? std::string() : text.substr(at, text.find('\n', at) - at);
}

std::string party_text(const emu::Party& party) {
  std::string text = fmt::format("group ({})", fmt::join(party.group, ","));
  if (party.thread) text = fmt::format("thread {} of ", *party.thread) + text;
  if (!party.thread && party.subgroup) text = fmt::format("SIMD group {} of ", *party.subgroup) + text;
  return party.action.empty() ? text : text + ": " + party.action;
}

Diag diag_of(std::string_view entry, const std::string& text, const emu::Report& report, const EmulationHints& hints) {
  const bool late = report.kind == emu::ReportKind::Timeout;
  Diag diag{late ? DiagCode::EmulatorTimeout : DiagCode::EmulatorReport,
            fmt::format("kernel {}: {}: {}", entry, emu::report_kind_name(report.kind), report.message),
            {},
            std::string(late ? hints.on_timeout : hints.on_report),
            {}};
  const auto place = [&](std::uint32_t line) { return SourcePlace{report.file, line, 1, 0, source_line(text, line)}; };
  if (report.line != 0) diag.place = place(report.line);
  for (const emu::Party& party : report.parties)
    diag.notes.push_back({party_text(party), party.line == 0 ? SourcePlace{} : place(party.line)});
  return diag;
}

}  // namespace

Result<emu::CompiledLibrary> compile_emitted(std::string path, std::string text, int language_version, bool checks) {
  TW_TRY(const emu::Toolchain tools, emulator_toolchain());
  emu::CompileRequest request;
  request.path = std::move(path);
  request.text = std::move(text);
  request.dialect = language_version >= kMetal40 ? emu::Dialect::Cpp20 : emu::Dialect::OpenCl;
  request.metal_version = language_version;
  request.checks = checks;
  return emu::compile(request, tools);
}

Diags emulation_faults(std::string_view entry, const std::string& text, const emu::LaunchResult& result,
                       const EmulationHints& hints) {
  Diags faults;
  for (const emu::Report& report : result.reports) faults.push_back(diag_of(entry, text, report, hints));
  if (result.schedules_disagree)
    faults.push_back(Diag{DiagCode::EmulatorReport,
                          fmt::format("kernel {}: the order in which threads run changes its result", entry),
                          {},
                          std::string(hints.on_report),
                          {}});
  return faults;
}

}  // namespace tilewright::driver
