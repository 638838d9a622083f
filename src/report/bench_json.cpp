#include <nlohmann/json.hpp>

#include "report/bench_report.h"
#include "report/schema.h"

namespace tilewright::report {

namespace {

using Json = nlohmann::ordered_json;
using bench::ContestantTimes;
using bench::Role;
using bench::TimeState;

const char* role_word(Role role) {
  switch (role) {
    case Role::Ours:
      return "ours";
    case Role::Peer:
      return "peer";
    case Role::Copy:
      return "copy";
    case Role::Peak:
      return "peak";
    case Role::Candidate:
      break;
  }
  return "candidate";
}

const char* state_word(TimeState state) {
  switch (state) {
    case TimeState::Timed:
      return "timed";
    case TimeState::Wrong:
      return "wrong";
    case TimeState::Refused:
      return "refused";
    case TimeState::Gone:
      break;
  }
  return "gone";
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json contestant_json(const bench::Problem& problem, const ContestantTimes& times) {
  Json json = {{"name", times.name},
               {"role", role_word(times.role)},
               {"state", state_word(times.state)},
               {"reason", text_or_null(times.reason)},
               {"median_ns", nullptr},
               {"min_ns", nullptr},
               {"max_ns", nullptr},
               {"gflops", nullptr},
               {"gbytes_per_second", nullptr},
               {"rounds", times.ns.size()}};
  if (!times.spread) return json;
  json["median_ns"] = times.spread->median;
  json["min_ns"] = times.spread->min;
  json["max_ns"] = times.spread->max;
  if (!bench::is_row_program(problem.program))
    json["gflops"] = 2 * bench::multiply_adds(problem) / times.spread->median;
  json["gbytes_per_second"] = bench::operand_bytes(problem) / times.spread->median;
  return json;
}

Json shape_json(const bench::BenchReport& report, const bench::ShapeReport& shape) {
  Json contestants = Json::array();
  for (const ContestantTimes& times : shape.times) contestants.push_back(contestant_json(shape.problem, times));
  return {{"program", bench::bench_program_name(shape.problem.program)},
          {"m", shape.problem.shape.m},
          {"n", shape.problem.shape.n},
          {"k", shape.problem.shape.k},
          {"threads", report.threads},
          {"contestants", std::move(contestants)},
          {"best_peer", text_or_null(shape.best_peer)},
          {"ratio_vs_best_peer", or_null(shape.ratio_vs_best_peer)},
          {"ratios", shape.ratios},
          {"of_peak", or_null(shape.of_peak)},
          {"of_copy", or_null(shape.of_copy)},
          {"peak_gflops", shape.peak_flops > 0 ? Json(shape.peak_flops * 1e-9) : Json(nullptr)},
          {"lane_cover", shape.lane_cover},
          {"checked", shape.checked},
          {"ok", !shape.is_wrong},
          {"falls_short", shape.falls_short}};
}

Json machine_json(const bench::MachineFacts& machine) {
  return {{"processor", text_or_null(machine.processor)},
          {"llvm_name", text_or_null(machine.llvm_name)},
          {"cores", machine.cores},
          {"vectors", text_or_null(machine.vectors)},
          {"l1_bytes", machine.l1_bytes},
          {"l2_bytes", machine.l2_bytes},
          {"l3_bytes", machine.l3_bytes}};
}

Json peers_json(const bench::BenchReport& report) {
  Json peers = Json::array();
  for (const bench::PeerReport& peer : report.peers)
    peers.push_back({{"name", peer.name},
                     {"kind", peer.kind},
                     {"version", text_or_null(peer.version)},
                     {"core", text_or_null(peer.core)},
                     {"file", text_or_null(peer.file)},
                     {"present", peer.present},
                     {"reason", text_or_null(peer.reason)}});
  return peers;
}

}  // namespace

std::string bench_json(const bench::BenchReport& report) {
  Json shapes = Json::array(), pairs = Json::array(), regrets = Json::array();
  for (const bench::ShapeReport& shape : report.shapes) shapes.push_back(shape_json(report, shape));
  for (const bench::PairReport& pair : report.pairs)
    pairs.push_back(
        {{"ragged", pair.ragged}, {"even", pair.even}, {"per_multiply_add_ratio", pair.per_multiply_add_ratio}});
  for (const bench::RegretReport& regret : report.regrets)
    regrets.push_back({{"m", regret.problem.shape.m},
                       {"n", regret.problem.shape.n},
                       {"k", regret.problem.shape.k},
                       {"best", regret.best},
                       {"candidates", regret.count},
                       {"regret", regret.regret}});
  Json left_out = Json::array();
  for (const bench::Problem& problem : report.left_out)
    left_out.push_back({{"program", bench::bench_program_name(problem.program)},
                        {"m", problem.shape.m},
                        {"n", problem.shape.n},
                        {"k", problem.shape.k}});
  const Json json = {{"schema", kSchema},
                     {"suite", report.suite},
                     {"machine", machine_json(report.machine)},
                     {"threads", report.threads},
                     {"rounds", report.rounds},
                     {"runs", report.runs},
                     {"clock", report.processor_clock ? "processor" : "wall"},
                     {"floor", report.floor},
                     {"peers", peers_json(report)},
                     {"shapes", std::move(shapes)},
                     {"geomean_vs_best_peer", or_null(report.geomean_vs_best_peer)},
                     {"pairs", std::move(pairs)},
                     {"regrets", std::move(regrets)},
                     {"left_out", std::move(left_out)},
                     {"candidates_note", text_or_null(report.candidates_note)},
                     {"seconds", report.seconds}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
