#include "report/bench_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace tilewright::report {

namespace {

using bench::BenchReport;
using bench::ContestantTimes;
using bench::Role;
using bench::ShapeReport;
using bench::TimeState;

constexpr std::size_t kColumnWidth = 11;

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

/// The names of the columns between ours and the ratios, in the order in which they first appear.
std::vector<std::string> columns_of(const BenchReport& report) {
  std::vector<std::string> names;
  for (const ShapeReport& shape : report.shapes)
    for (const ContestantTimes& times : shape.times)
      if (times.role != Role::Ours && times.role != Role::Candidate &&
          std::find(names.begin(), names.end(), times.name) == names.end())
        names.push_back(times.name);
  return names;
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
    line += fmt::format(" {:>{}}", cell(shape.problem, find(shape, name, false)), std::max(kColumnWidth, name.size()));
  line += fmt::format(" {:>{}} {:>6} {:>6} {:>6}", cell(shape.problem, find(shape, "", true)), kColumnWidth,
                      share(shape.ratio_vs_best_peer), share(shape.of_peak ? shape.of_peak : shape.of_copy),
                      share(shape.lane_cover));
  if (shape.falls_short) line += "  short";
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string table(const BenchReport& report) {
  const std::vector<std::string> columns = columns_of(report);
  std::size_t label_width = 5;
  for (const ShapeReport& shape : report.shapes) label_width = std::max(label_width, label(report, shape).size());
  std::string text = fmt::format("{:<{}}", "shape", label_width);
  for (const std::string& name : columns) text += fmt::format(" {:>{}}", name, std::max(kColumnWidth, name.size()));
  text += fmt::format(" {:>{}} {:>6} {:>6} {:>6}\n", "tilewright", kColumnWidth, "ratio", "peak", "lanes");
  for (const bool short_ones : {false, true})
    for (const ShapeReport& shape : report.shapes)
      if ((shape.falls_short || shape.is_wrong) == short_ones) text += shape_line(report, shape, columns, label_width);
  return text;
}

std::string peer_lines(const BenchReport& report) {
  std::string text;
  for (const bench::PeerReport& peer : report.peers) {
    if (peer.present)
      text += fmt::format("  {:<16} {}{}{}\n", peer.name, peer.version, peer.core.empty() ? "" : ", " + peer.core,
                          peer.reason.empty() ? "" : "; " + peer.reason);
    else
      text += fmt::format("  {:<16} absent: {}\n", peer.name, peer.reason);
  }
  return text;
}

/// What was not timed and why: one line a contestant and reason, with how often.
std::string untimed_lines(const BenchReport& report) {
  std::map<std::pair<std::string, std::string>, int> counts;
  std::string text;
  for (const ShapeReport& shape : report.shapes)
    for (const ContestantTimes& times : shape.times) {
      if (times.state == TimeState::Timed) continue;
      if (times.state == TimeState::Refused)
        ++counts[{times.name, times.reason}];
      else
        text += fmt::format("  {} {} {}: {}\n", times.name, times.state == TimeState::Wrong ? "is wrong at" : "died at",
                            label(report, shape), times.reason);
    }
  for (const auto& [key, count] : counts)
    text += fmt::format("  {}: not for {} shape{}: {}\n", key.first, count, count == 1 ? "" : "s", key.second);
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
  text += fmt::format("{} thread{}, up to {} rounds, {} run{}, {:.1f} s\n\npeers\n", report.threads,
                      report.threads == 1 ? "" : "s", report.rounds, report.runs, report.runs == 1 ? "" : "s",
                      report.seconds);
  text += peer_lines(report) + "\nmedians in GFLOP/s, of row programs in GB/s\n" + table(report);
  if (report.geomean_vs_best_peer)
    text += fmt::format("geometric mean against the best peer {:.3f}\n", *report.geomean_vs_best_peer);
  return text + pair_lines(report) + regret_lines(report) + untimed_lines(report);
}

}  // namespace tilewright::report
