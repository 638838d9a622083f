#include "report/bench_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::report {

namespace {

using bench::BenchReport;
using bench::ContestantTimes;
using bench::Role;
using bench::ShapeReport;
using bench::TimeState;

constexpr std::size_t kColumnWidth = 9, kCoreWidth = 48;

/// Billions a second: operations, or bytes for programs of rows.
double rate(const bench::Problem& problem, double ns) {
  return bench::is_row_program(problem.program) ? bench::operand_bytes(problem) / ns
                                                : 2 * bench::multiply_adds(problem) / ns;
}

std::string rate_text(double value) { return value < 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value); }

std::string cell(const bench::Problem& problem, const ContestantTimes* times) {
  if (times == nullptr) return "";
  switch (times->state) {
    case TimeState::Wrong:
      return "WRONG";
    case TimeState::Gone:
      return "died";
    case TimeState::Refused:
      return "-";
    case TimeState::Timed:
      break;
  }
  return times->spread ? rate_text(rate(problem, times->spread->median)) : "-";
}

std::string share(const std::optional<double>& value) { return value ? fmt::format("{:.2f}", *value) : ""; }

/// The names of the columns before ours, in the order in which they first appear: of those that did anything.
std::vector<std::string> columns_of(const BenchReport& report) {
  std::vector<std::string> names;
  for (const ShapeReport& shape : report.shapes)
    for (const ContestantTimes& times : shape.times)
      if (times.role != Role::Ours && times.role != Role::Candidate && times.state != TimeState::Refused &&
          std::find(names.begin(), names.end(), times.name) == names.end())
        names.push_back(times.name);
  return names;
}

/// "onednn-3.2.0:matmul" as the lines of a narrow column's head.
std::vector<std::string> head_lines(const std::string& name) {
  std::vector<std::string> lines(1);
  for (const char c : name) {
    if (c == '-' || c == ':')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

std::string head(const std::vector<std::string>& columns, std::size_t label_width) {
  std::size_t height = 1;
  for (const std::string& name : columns) height = std::max(height, head_lines(name).size());
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    const bool is_last = line + 1 == height;
    text += fmt::format("{:<{}}", is_last ? "shape" : "", label_width);
    for (const std::string& name : columns) {
      const std::vector<std::string> lines = head_lines(name);
      const std::size_t blank = height - lines.size();
      text += fmt::format(" {:>{}}", line < blank ? "" : lines[line - blank], kColumnWidth);
    }
    if (is_last) text += fmt::format(" {:>11} {:>6} {:>6} {:>6}", "tilewright", "ratio", "peak", "lanes");
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  return text;
}

const ContestantTimes* find(const ShapeReport& shape, const std::string& name, bool ours) {
  for (const ContestantTimes& times : shape.times)
    if (ours ? times.role == Role::Ours : times.role != Role::Candidate && times.name == name) return &times;
  return nullptr;
}

std::string label(const BenchReport& report, const ShapeReport& shape) {
  std::set<bench::BenchProgram> programs;
  for (const ShapeReport& each : report.shapes) programs.insert(each.problem.program);
  const std::string text = bench::shape_text(shape.problem);
  return programs.size() == 1 ? text : fmt::format("{} {}", bench::bench_program_name(shape.problem.program), text);
}

std::string shape_line(const BenchReport& report, const ShapeReport& shape, const std::vector<std::string>& columns,
                       std::size_t label_width) {
  std::string line = fmt::format("{:<{}}", label(report, shape), label_width);
  for (const std::string& name : columns)
    line += fmt::format(" {:>{}}", cell(shape.problem, find(shape, name, false)), kColumnWidth);
  line += fmt::format(" {:>11} {:>6} {:>6} {:>6}", cell(shape.problem, find(shape, "", true)),
                      share(shape.ratio_vs_best_peer), share(shape.of_copy ? shape.of_copy : shape.of_peak),
                      share(shape.lane_cover));
  if (shape.falls_short) line += "  short";
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string table(const BenchReport& report) {
  const std::vector<std::string> columns = columns_of(report);
  std::size_t label_width = 5;
  for (const ShapeReport& shape : report.shapes) label_width = std::max(label_width, label(report, shape).size());
  std::string text = head(columns, label_width);
  for (const bool short_ones : {false, true})
    for (const ShapeReport& shape : report.shapes)
      if ((shape.falls_short || shape.is_wrong) == short_ones) text += shape_line(report, shape, columns, label_width);
  return text;
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width) + "..";
}

std::string peer_lines(const BenchReport& report) {
  std::string text;
  for (const bench::PeerReport& peer : report.peers) {
    if (!peer.present) {
      text += fmt::format("  {:<18} absent: {}\n", peer.name, peer.reason);
      continue;
    }
    text += fmt::format("  {:<18} {}", peer.name, peer.version);
    if (!peer.core.empty()) text += ", " + cut(peer.core, kCoreWidth);
    if (!peer.reason.empty()) text += "; " + peer.reason;
    text += "\n";
  }
  return text;
}

/// What was not timed and why. Refusals for one reason are one line.
std::string untimed_lines(const BenchReport& report) {
  struct Refusals {
    std::vector<std::string> names;
    std::set<std::string> shapes;
  };
  std::map<std::string, Refusals> refusals;
  std::string text;
  for (const ShapeReport& shape : report.shapes)
    for (const ContestantTimes& times : shape.times) {
      if (times.state == TimeState::Wrong || times.state == TimeState::Gone)
        text += fmt::format("  {} {} {}: {}\n", times.name, times.state == TimeState::Wrong ? "is wrong at" : "died at",
                            label(report, shape), times.reason);
      if (times.state != TimeState::Refused) continue;
      Refusals& same = refusals[times.reason];
      same.shapes.insert(label(report, shape));
      if (std::ranges::find(same.names, times.name) == same.names.end()) same.names.push_back(times.name);
    }
  for (const auto& [reason, same] : refusals)
    text += fmt::format("  {} ({} shape{}): {}\n", fmt::join(same.names, ", "), same.shapes.size(),
                        same.shapes.size() == 1 ? "" : "s", reason);
  return text.empty() ? text : "not timed\n" + text;
}

std::string pair_lines(const BenchReport& report) {
  if (report.pairs.empty()) return "";
  std::string text = "time a multiply-add, ragged to even\n";
  for (const bench::PairReport& pair : report.pairs)
    text += fmt::format("  {:<18} {:<18} {:.3f}\n", pair.ragged, pair.even, pair.per_multiply_add_ratio);
  return text;
}

std::string regret_lines(const BenchReport& report) {
  if (report.regrets.empty())
    return report.candidates_note.empty() ? "" : "candidates: none. " + report.candidates_note + "\n";
  std::string text = "the planner's choice against the best candidate\n";
  double sum = 0, worst = 0;
  for (const bench::RegretReport& regret : report.regrets) {
    text += fmt::format("  {:<18} {:>3} timed, best {}, regret {:.1f} %\n", bench::shape_text(regret.problem),
                        regret.count, regret.best, 100 * regret.regret);
    sum += regret.regret;
    worst = std::max(worst, regret.regret);
  }
  return text + fmt::format("  mean {:.1f} %, worst {:.1f} %\n", 100 * sum / static_cast<double>(report.regrets.size()),
                            100 * worst);
}

}  // namespace

std::string bench_text(const BenchReport& report) {
  const bench::MachineFacts& machine = report.machine;
  std::string text = fmt::format("{} ({}), {} core{}{}\n", machine.processor.empty() ? "unknown" : machine.processor,
                                 machine.llvm_name, machine.cores, machine.cores == 1 ? "" : "s",
                                 machine.vectors.empty() ? "" : ", " + machine.vectors);
  text += fmt::format("{} thread{}, up to {} rounds, {} run{}, {:.1f} s{}\n\npeers\n", report.threads,
                      report.threads == 1 ? "" : "s", report.rounds, report.runs, report.runs == 1 ? "" : "s",
                      report.seconds, report.processor_clock ? ", by the time of the processor" : "");
  text += peer_lines(report) + "\nmedians in GFLOP/s, of row programs in GB/s\n" + table(report);
  if (report.geomean_vs_best_peer)
    text += fmt::format("geometric mean against the best peer {:.3f}\n", *report.geomean_vs_best_peer);
  if (!report.left_out.empty()) {
    text += "left out for want of time:";
    for (const bench::Problem& problem : report.left_out)
      text += fmt::format(" {} {}", bench::bench_program_name(problem.program), bench::shape_text(problem));
    text += "\n";
  }
  return text + pair_lines(report) + regret_lines(report) + untimed_lines(report);
}

}  // namespace tilewright::report
