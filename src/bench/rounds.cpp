#include "bench/rounds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "support/number_text.h"

namespace tilewright::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPrepareSeconds = 600;
constexpr double kWarmBelowNs = 2e7;  ///< longer calls need no warm caches

double number(const Fields& fields, std::size_t i) {
  return i < fields.size() ? parse_double(fields[i]).value_or(0) : 0;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Fields prepare_order(const Problem& problem, std::size_t variant, const CandidateSettings& settings) {
  Fields order = {std::string(kPrepare),
                  std::string(bench_program_name(problem.program)),
                  std::to_string(problem.shape.m),
                  std::to_string(problem.shape.n),
                  std::to_string(problem.shape.k),
                  std::to_string(variant),
                  settings.plan};
  for (const auto& [name, value] : settings.settings) order.insert(order.end(), {name, value});
  return order;
}

}  // namespace

Result<ProblemRun> ProblemRunner::run(const Problem& problem, double seconds) {
  entries_.clear();
  run_ = {};
  const auto start = Clock::now();
  TW_TRY_VOID(prepare_all(problem));
  time_rounds(seconds > 0 ? std::max(seconds - seconds_since(start), 1e-3) : 0);
  for (Worker& worker : roster_.workers)
    if (worker.is_alive()) worker.ask({std::string(kRelease)}, kPrepareSeconds);
  return collect();
}

Result<void> ProblemRunner::prepare_all(const Problem& problem) {
  TW_TRY(const auto operands, Operands::make(problem));
  const Reference reference = Reference::make(problem, operands);
  run_.checked = reference.extent();
  const std::span<float> values = operands.output_values();
  const auto judge = [&] {
    return output_.read(values) ? reference.check(values) : Verdict{false, "its output is too short"};
  };
  const bool rows = is_row_program(problem.program);
  for (const Contestant& contestant : roster_.contestants)
    if (contestant.role != Role::Copy || rows) prepare(problem, contestant, {}, judge);
  if (!request_.candidates) return {};
  const CandidateList list = request_.list_candidates(problem);
  run_.candidates_note = list.note;
  for (const CandidateSettings& settings : list.candidates) {
    const Contestant& ours = roster_.contestants.front();
    prepare(problem, {settings.name, Role::Candidate, ours.worker, ours.variant}, settings, judge);
  }
  return {};
}

void ProblemRunner::prepare(const Problem& problem, const Contestant& contestant, const CandidateSettings& settings,
                            const std::function<Verdict()>& judge) {
  Entry& entry = entries_.emplace_back();
  entry.contestant = contestant;
  entry.times.name = contestant.name;
  entry.times.role = contestant.role;
  output_.clear();
  const Answer answer =
      roster_.workers[contestant.worker].ask(prepare_order(problem, contestant.variant, settings), kPrepareSeconds);
  if (!answer.is(kReady)) return leave(entry, answer);
  entry.slot = answer.fields[1];
  entry.rough_ns = std::max(number(answer.fields, 3), 0.1);
  entry.multiply_adds = number(answer.fields, 4);
  const bool computes = contestant.role != Role::Copy && contestant.role != Role::Peak;
  Verdict verdict = computes ? judge() : Verdict{};
  if (number(answer.fields, 2) > 0) verdict = {false, "it wrote " + answer.fields[2] + " bytes beside the operands"};
  if (verdict.ok) return;
  entry.times.state = TimeState::Wrong;
  entry.times.reason = verdict.fault;
}

void ProblemRunner::leave(Entry& entry, const Answer& answer) {
  entry.times.state = answer.gone ? TimeState::Gone : TimeState::Refused;
  entry.times.reason = answer.reason;
  const std::size_t peer = roster_.peer_of_worker[entry.contestant.worker];
  if (answer.gone && peer != Roster::kNoPeer && roster_.peers[peer].reason.empty())
    roster_.peers[peer].reason = answer.reason;
}

void ProblemRunner::time_rounds(double seconds) {
  const auto start = Clock::now();
  double longest = 0;
  for (int round = 0; round < request_.rounds; ++round) {
    const double spent = seconds_since(start);
    if (round > 0 && seconds > 0 && spent + longest > seconds) break;
    for (std::size_t turn = 0; turn < entries_.size(); ++turn)
      time_once(entries_[rotated_turn(static_cast<std::size_t>(round), turn, entries_.size())]);
    longest = std::max(longest, seconds_since(start) - spent);
  }
}

void ProblemRunner::time_once(Entry& entry) {
  if (entry.times.state != TimeState::Timed) return;
  const double calls = std::clamp(std::ceil(request_.sample_seconds * 1e9 / entry.rough_ns), 1.0, 1e8);
  const int warm = entry.rough_ns < kWarmBelowNs ? 1 : 0;
  const double expected_seconds = (calls + 1) * entry.rough_ns * 1e-9;
  const Answer answer = roster_.workers[entry.contestant.worker].ask(
      {std::string(kSample), entry.slot, std::to_string(static_cast<std::int64_t>(calls)), std::to_string(warm),
       std::string(request_.processor_clock ? kProcessorClock : kWallClock)},
      60 + 50 * expected_seconds);
  if (answer.is(kTime))
    entry.times.ns.push_back(number(answer.fields, 1));
  else
    leave(entry, answer);
}

ProblemRun ProblemRunner::collect() {
  for (Entry& entry : entries_) {
    if (entry.contestant.role != Role::Peak) {
      run_.times.push_back(std::move(entry.times));
      continue;
    }
    for (const double ns : entry.times.ns) run_.peak_flops.push_back(2 * entry.multiply_adds / (ns * 1e-9));
  }
  return std::move(run_);
}

}  // namespace tilewright::bench
