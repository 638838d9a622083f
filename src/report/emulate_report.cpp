#include "report/emulate_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/errors_report.h"
#include "report/schema.h"
#include "support/counted.h"
#include "support/files.h"

namespace tilewright::report {

namespace {

using Json = nlohmann::ordered_json;
namespace emu = msl_emulator;

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::pair<std::uint64_t, const char*> kUnits[] = {
      {std::uint64_t{1} << 30, "GiB"}, {std::uint64_t{1} << 20, "MiB"}, {std::uint64_t{1} << 10, "KiB"}};
  for (const auto& [size, unit] : kUnits)
    if (bytes >= size) return fmt::format("{:.3g} {}", static_cast<double>(bytes) / static_cast<double>(size), unit);
  return fmt::format("{} B", bytes);
}

/// Lines of source files, read once each; nothing for a file that cannot be read.
class SourceLines {
 public:
  std::string line(const std::string& file, std::uint32_t number) {
    auto [at, is_new] = files_.try_emplace(file);
    if (is_new) {
      const auto text = read_file(file);
      if (text) split(*text, at->second);
    }
    return number >= 1 && number <= at->second.size() ? at->second[number - 1] : std::string();
  }

 private:
  static void split(std::string_view text, std::vector<std::string>& lines) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines.emplace_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  std::map<std::string, std::vector<std::string>> files_;
};

std::string who(const emu::Party& party) {
  std::string text;
  if (party.thread)
    text = fmt::format("thread {} of ", *party.thread);
  else if (party.subgroup)
    text = fmt::format("SIMD group {} of ", *party.subgroup);
  return text + fmt::format("group ({})", fmt::join(party.group, ","));
}

std::string party_line(const emu::Party& party) {
  std::string text = fmt::format("    {}", who(party));
  if (!party.action.empty()) text += ": " + party.action;
  if (party.line != 0) text += fmt::format(" at {}:{}", party.file, party.line);
  return text + "\n";
}

std::string report_text(const emu::Report& report, SourceLines& sources) {
  std::string text;
  if (report.line != 0) text += fmt::format("{}:{}: ", report.file, report.line);
  text += fmt::format("{}: {}", emu::report_kind_name(report.kind), report.message);
  if (report.count > 1) text += fmt::format(" ({} times)", report.count);
  text += "\n";
  if (const std::string line = sources.line(report.file, report.line); !line.empty())
    text += fmt::format("  {:>4} | {}\n", report.line, line);
  for (const emu::Party& party : report.parties) text += party_line(party);
  return text;
}

std::string space_line(std::string_view name, const emu::AddressSpaceCounts& counts) {
  return fmt::format("  {:<12} {} read, {} written; {} and {} of 8x8 fragments\n", name, bytes_text(counts.read_bytes),
                     bytes_text(counts.written_bytes), counted(counts.fragment_loads, "load"),
                     counted(counts.fragment_stores, "store"));
}

std::string counter_lines(const emu::Counters& counters) {
  std::string text = "counters\n";
  text += fmt::format("  operations   {} 8x8, {} MPP, {} simd ({} with part of the lanes)\n", counters.matrix_8x8,
                      counters.tensor_operations, counters.simd_operations, counters.partial_simd_operations);
  for (const emu::MatmulCount& matmul : counters.matmuls)
    text +=
        fmt::format("               {} of {}x{}x{}\n", counted(matmul.runs, "matmul"), matmul.m, matmul.n, matmul.k);
  text += fmt::format("  barriers     {} of threadgroups, {} of SIMD groups\n", counters.threadgroup_barriers,
                      counters.simdgroup_barriers);
  text += space_line("device", counters.device);
  text += space_line("threadgroup", counters.threadgroup);
  text += fmt::format("  {:<12} {} a group\n", "", bytes_text(counters.threadgroup_bytes));
  return text;
}

/// "996 of 1000 elements not written" for an output that the kernel left in part.
std::string unwritten_text(const driver::EmulatedOutput& output) {
  const driver::EmulatedBuffer& buffer = output.buffer;
  if (buffer.initialized || !output.written_bytes || buffer.element == nullptr) return {};
  const std::uint64_t elements = buffer.data.size() / buffer.element->bytes;
  const std::uint64_t written = *output.written_bytes / buffer.element->bytes;
  return written >= elements ? ""
                             : fmt::format("  {} of {} not written", elements - written, counted(elements, "element"));
}

std::string buffer_line(const driver::EmulatedOutput& output) {
  const driver::EmulatedBuffer& buffer = output.buffer;
  std::string text = fmt::format("  {:>2} {:<12}", output.index, output.name);
  if (buffer.same_memory_as) {
    text += fmt::format(" the memory of buffer {}", *buffer.same_memory_as);
  } else {
    if (buffer.element != nullptr)
      text += fmt::format(" {}[{}]", buffer.element->name, fmt::join(buffer.shape, ", "));
    else
      text += fmt::format(" {}", counted(buffer.data.size(), "byte"));
    text += "  " + buffer.contents;
  }
  if (buffer.read_only) text += "  read only";
  text += unwritten_text(output);
  if (!output.file.empty()) text += "  -> " + output.file;
  return text + "\n";
}

/// "(4,1,1) groups of (64,1,1) threads", with the threads in all where those were asked for.
std::string launch_text(const driver::EmulateReport& report) {
  std::string text = fmt::format("({}) groups of ({}) threads", fmt::join(report.result.threadgroups, ","),
                                 fmt::join(report.threads_per_threadgroup, ","));
  if (report.threads) text += fmt::format(" for ({}) threads in all", fmt::join(*report.threads, ","));
  return text;
}

Json optional_json(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }
Json optional_json(const std::optional<std::uint32_t>& value) { return value ? Json(*value) : Json(nullptr); }

Json report_json(const emu::Report& report) {
  Json json = {{"kind", emu::report_kind_name(report.kind)},
               {"message", report.message},
               {"object", report.object},
               {"byte_offset", optional_json(report.byte_offset)},
               {"element", optional_json(report.element)},
               {"file", report.file},
               {"line", report.line},
               {"count", report.count},
               {"schedule", report.schedule},
               {"parties", Json::array()}};
  for (const emu::Party& party : report.parties)
    json["parties"].push_back({{"group", party.group},
                               {"subgroup", optional_json(party.subgroup)},
                               {"thread", optional_json(party.thread)},
                               {"file", party.file},
                               {"line", party.line},
                               {"action", party.action}});
  return json;
}

Json space_json(const emu::AddressSpaceCounts& counts) {
  return {{"fragment_loads", counts.fragment_loads},
          {"fragment_stores", counts.fragment_stores},
          {"read_bytes", counts.read_bytes},
          {"written_bytes", counts.written_bytes}};
}

Json counters_json(const emu::Counters& counters) {
  Json json = {{"matrix_8x8", counters.matrix_8x8},
               {"tensor_operations", counters.tensor_operations},
               {"matmuls", Json::array()},
               {"device", space_json(counters.device)},
               {"threadgroup", space_json(counters.threadgroup)},
               {"threadgroup_barriers", counters.threadgroup_barriers},
               {"simdgroup_barriers", counters.simdgroup_barriers},
               {"simd_operations", counters.simd_operations},
               {"partial_simd_operations", counters.partial_simd_operations},
               {"threadgroup_bytes", counters.threadgroup_bytes},
               {"buffers", Json::array()}};
  for (const emu::MatmulCount& matmul : counters.matmuls)
    json["matmuls"].push_back({{"m", matmul.m}, {"n", matmul.n}, {"k", matmul.k}, {"runs", matmul.runs}});
  for (const emu::BufferCounts& buffer : counters.buffers)
    json["buffers"].push_back({{"index", buffer.index},
                               {"read_bytes", buffer.read_bytes},
                               {"written_bytes", buffer.written_bytes},
                               {"distinct_read_bytes", buffer.distinct_read_bytes},
                               {"distinct_written_bytes", buffer.distinct_written_bytes}});
  return json;
}

Json buffers_json(const driver::EmulateReport& report) {
  Json json = Json::array();
  for (const driver::EmulatedOutput& output : report.buffers) {
    const driver::EmulatedBuffer& buffer = output.buffer;
    json.push_back({{"index", output.index},
                    {"name", output.name},
                    {"type", buffer.element == nullptr ? Json(nullptr) : Json(buffer.element->name)},
                    {"shape", buffer.shape},
                    {"bytes", buffer.data.size()},
                    {"contents", buffer.contents},
                    {"written_bytes", output.written_bytes ? Json(*output.written_bytes) : Json(nullptr)},
                    {"file", output.file.empty() ? Json(nullptr) : Json(output.file)}});
  }
  return json;
}

Json outputs_json(const driver::EmulateReport& report) {
  Json json = Json::array();
  for (const driver::EmulatedOutput& output : report.buffers)
    if (!output.file.empty()) json.push_back({{"index", output.index}, {"name", output.name}, {"file", output.file}});
  return json;
}

}  // namespace

std::string emulate_memory_text(const emu::MemoryEstimate& memory) {
  return fmt::format("memory: buffers {}, shadow {}, stacks {}", bytes_text(memory.buffer_bytes),
                     bytes_text(memory.shadow_bytes), bytes_text(memory.stack_bytes));
}

std::string emulate_text(const driver::EmulateReport& report) {
  std::string text = fmt::format("{}: {}, {}, {}\n", report.entry.name, launch_text(report),
                                 counted(report.schedules, "schedule"), report.checks ? "checked" : "not checked");
  text += emulate_memory_text(report.memory) + "\n";
  text += fmt::format("compiled as {} in {:.0f} ms{}, ran in {:.1f} ms\n", emu::dialect_name(report.dialect),
                      report.compile_ms, report.from_cache ? " (cached)" : "", report.result.run_ms);
  if (!report.note.empty()) text += "note: " + report.note + "\n";
  SourceLines sources;
  for (const emu::Report& found : report.result.reports) text += report_text(found, sources);
  for (const std::string& note : report.result.notes) text += "note: " + note + "\n";
  if (report.result.schedules_disagree) text += "note: the schedules leave different bytes, without a report\n";
  if (std::ranges::count(report.result.threadgroups, 0) > 0) text += "note: the grid is empty, so nothing ran\n";
  text += report.ok() ? "ok: no report\n"
                      : fmt::format("{}{}\n", counted(report.result.reports.size(), "report"),
                                    report.result.finished ? "" : "; the launch did not come to its end");
  if (!report.buffers.empty()) text += "buffers\n";
  for (const driver::EmulatedOutput& output : report.buffers) text += buffer_line(output);
  return text + counter_lines(report.result.counters);
}

std::string emulate_json(const driver::EmulateReport& report) {
  Json json = {
      {"schema", kSchema},
      {"file", report.path},
      {"kernel", report.entry.name},
      {"dialect", emu::dialect_name(report.dialect)},
      {"threadgroups", report.result.threadgroups},
      {"threads_per_threadgroup", report.threads_per_threadgroup},
      {"schedules", report.schedules},
      {"checks", report.checks},
      {"ok", report.ok()},
      {"finished", report.result.finished},
      {"reports", Json::array()},
      {"counters", counters_json(report.result.counters)},
      {"buffers", buffers_json(report)},
      {"outputs", outputs_json(report)},
      {"memory",
       {{"buffer_bytes", report.memory.buffer_bytes},
        {"shadow_bytes", report.memory.shadow_bytes},
        {"stack_bytes", report.memory.stack_bytes},
        {"peak_bytes", report.result.peak_memory_bytes}}},
      {"times",
       {{"compile_ms", report.compile_ms}, {"from_cache", report.from_cache}, {"run_ms", report.result.run_ms}}}};
  for (const emu::Report& found : report.result.reports) json["reports"].push_back(report_json(found));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string emulate_failure_json(const Diags& diags) {
  Json json = Json::parse(errors_json(diags));
  json["reports"] = Json::array();
  for (const Diag& diag : diags)
    if (diag.code == DiagCode::KernelCompile)
      json["reports"].push_back({{"kind", emu::report_kind_name(emu::ReportKind::CompileError)},
                                 {"message", diag.message},
                                 {"file", diag.place.file},
                                 {"line", diag.place.line}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
