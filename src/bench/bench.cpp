#include "bench/bench.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "bench/machine.h"
#include "bench/roster.h"
#include "bench/rounds.h"

namespace tilewright::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// The timed contestant of that role with the least median; null: none.
const ContestantTimes* best_of(const std::vector<ContestantTimes>& times, Role role) {
  const ContestantTimes* best = nullptr;
  for (const ContestantTimes& each : times) {
    if (each.role != role || each.state != TimeState::Timed || each.ns.empty()) continue;
    if (best == nullptr || median_of(each.ns) < median_of(best->ns)) best = &each;
  }
  return best;
}

/// Ratios need rounds in which both took a turn: a contestant that died has fewer.
std::optional<double> round_ratio(const std::vector<double>& above, const std::vector<double>& below) {
  const std::size_t rounds = std::min(above.size(), below.size());
  if (rounds == 0) return std::nullopt;
  return median_ratio({above.data(), rounds}, {below.data(), rounds});
}

/// What the runs of one problem say together.
ShapeReport merge(const Problem& problem, const std::vector<ProblemRun>& runs, const BenchRequest& request,
                  std::int64_t lanes) {
  ShapeReport shape;
  shape.problem = problem;
  shape.checked = runs.front().checked;
  shape.lane_cover = is_row_program(problem.program) ? 1 : lane_cover(problem.shape.n, lanes);
  shape.times = runs.front().times;
  std::vector<double> peaks, of_peak, of_copy;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const ProblemRun& run = runs[r];
    for (std::size_t i = 0; r > 0 && i < std::min(shape.times.size(), run.times.size()); ++i) {
      ContestantTimes& into = shape.times[i];
      into.ns.insert(into.ns.end(), run.times[i].ns.begin(), run.times[i].ns.end());
      if (into.state == TimeState::Timed && run.times[i].state != TimeState::Timed) {
        into.state = run.times[i].state;
        into.reason = run.times[i].reason;
      }
    }
    peaks.insert(peaks.end(), run.peak_flops.begin(), run.peak_flops.end());
    const ContestantTimes* const ours = best_of(run.times, Role::Ours);
    if (ours == nullptr) continue;
    if (const ContestantTimes* const peer = best_of(run.times, Role::Peer))
      shape.ratios.push_back(*round_ratio(peer->ns, ours->ns));
    if (const ContestantTimes* const copy = best_of(run.times, Role::Copy))
      of_copy.push_back(*round_ratio(copy->ns, ours->ns));
    std::vector<double> ideal_ns;
    for (const double flops : run.peak_flops) ideal_ns.push_back(2e9 * multiply_adds(problem) / flops);
    if (const auto ratio = round_ratio(ideal_ns, ours->ns); ratio && *ratio > 0) of_peak.push_back(*ratio);
  }
  for (ContestantTimes& each : shape.times)
    if (!each.ns.empty()) each.spread = spread_of(each.ns);
  if (!peaks.empty()) shape.peak_flops = median_of(peaks);
  if (!of_peak.empty()) shape.of_peak = median_of(of_peak);
  if (!of_copy.empty()) shape.of_copy = median_of(of_copy);
  if (const ContestantTimes* const peer = best_of(shape.times, Role::Peer)) shape.best_peer = peer->name;
  shape.is_wrong = shape.times.front().state == TimeState::Wrong;
  if (!shape.ratios.empty()) {
    shape.ratio_vs_best_peer = median_of(shape.ratios);
    const double best = *std::max_element(shape.ratios.begin(), shape.ratios.end());
    const bool is_small = !is_row_program(problem.program) && multiply_adds(problem) < request.floor_multiply_adds;
    shape.falls_short = best < request.floor && !is_small;
  }
  return shape;
}

bool enters_mean(const ShapeReport& shape, const BenchRequest& request) {
  return shape.ratio_vs_best_peer &&
         (is_row_program(shape.problem.program) || multiply_adds(shape.problem) >= request.mean_multiply_adds);
}

void summarize(BenchReport& report, const BenchRequest& request) {
  std::vector<double> ratios;
  for (const ShapeReport& shape : report.shapes)
    if (enters_mean(shape, request)) ratios.push_back(*shape.ratio_vs_best_peer);
  report.geomean_vs_best_peer = geometric_mean(ratios);
  const bool has_pairs = request.suite.pairs && report.left_out.empty();
  for (std::size_t i = 0; has_pairs && i + 1 < report.shapes.size(); i += 2) {
    const ShapeReport &ragged = report.shapes[i], &even = report.shapes[i + 1];
    if (!ragged.times.front().spread || !even.times.front().spread) continue;
    const double each = ragged.times.front().spread->median / multiply_adds(ragged.problem);
    const double other = even.times.front().spread->median / multiply_adds(even.problem);
    report.pairs.push_back({shape_text(ragged.problem), shape_text(even.problem), each / other});
  }
  for (const ShapeReport& shape : report.shapes) {
    const ContestantTimes* const best = best_of(shape.times, Role::Candidate);
    const ContestantTimes* const ours = best_of(shape.times, Role::Ours);
    if (best == nullptr || ours == nullptr) continue;
    const auto count = std::count_if(shape.times.begin(), shape.times.end(), [](const ContestantTimes& each) {
      return each.role == Role::Candidate && each.spread;
    });
    report.regrets.push_back(
        {shape.problem, best->name, static_cast<std::size_t>(count), *round_ratio(ours->ns, best->ns) - 1});
  }
}

class BenchRun {
 public:
  BenchRun(const BenchRequest& request, const OutputFile& output) : request_(request), output_(output) {}

  Result<BenchReport> run() {
    const auto start = Clock::now();
    std::vector<std::vector<ProblemRun>> runs(request_.suite.problems.size());
    for (int run = 0; run < request_.runs; ++run) TW_TRY_VOID(run_once(run, runs));
    report_.suite = request_.suite.name;
    report_.threads = request_.threads;
    report_.runs = request_.runs;
    report_.rounds = request_.rounds;
    report_.processor_clock = request_.processor_clock;
    report_.floor = request_.floor;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Problem& problem = request_.suite.problems[i];
      if (runs[i].empty())
        report_.left_out.push_back(problem);
      else
        report_.shapes.push_back(merge(problem, runs[i], request_, report_.machine.lanes));
    }
    summarize(report_, request_);
    report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(report_);
  }

 private:
  Result<void> run_once(int run, std::vector<std::vector<ProblemRun>>& runs) {
    const auto start = Clock::now();
    say("starting the contestants");
    TW_TRY(Roster roster, make_roster(request_, output_));
    if (run == 0) report_.machine = machine_facts(roster.peak_name);
    ProblemRunner runner(request_, output_, roster);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Problem& problem = request_.suite.problems[i];
      say("run " + std::to_string(run + 1) + " of " + std::to_string(request_.runs) + ", " + std::to_string(i + 1) +
          " of " + std::to_string(runs.size()) + ": " + std::string(bench_program_name(problem.program)) + " " +
          shape_text(problem));
      const double spent = std::chrono::duration<double>(Clock::now() - start).count();
      const double left = request_.seconds / request_.runs - spent;
      if (request_.seconds > 0 && left <= 0 && (run > 0 || i > 0)) break;
      // What a problem leaves over is shared by those after it.
      const double share = request_.seconds > 0 ? std::max(left / static_cast<double>(runs.size() - i), 1e-3) : 0;
      TW_TRY(auto one, runner.run(problem, share));
      if (!one.candidates_note.empty()) report_.candidates_note = one.candidates_note;
      runs[i].push_back(std::move(one));
    }
    if (run == 0) report_.peers = roster.peers;
    return {};
  }

  void say(const std::string& what) const {
    if (request_.progress) request_.progress(what);
  }

  const BenchRequest& request_;
  const OutputFile& output_;
  BenchReport report_;
};

}  // namespace

Result<BenchReport> run_bench(const BenchRequest& request) {
  TW_TRY(const auto output, OutputFile::make());
  return BenchRun(request, output).run();
}

Diags bench_faults(const BenchReport& report) {
  Diags faults;
  for (const ShapeReport& shape : report.shapes)
    if (shape.is_wrong)
      faults.push_back(Diag{DiagCode::CheckFailed,
                            std::string(bench_program_name(shape.problem.program)) + " " + shape_text(shape.problem) +
                                " is wrong: " + shape.times.front().reason,
                            {},
                            "tilewright run --check says more",
                            {}});
  return faults;
}

}  // namespace tilewright::bench
