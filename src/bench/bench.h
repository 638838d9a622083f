// Side-by-side runs: a request in, what was measured out.
//
// Every library runs in a process of its own, so that the idle threads of one take nothing from another. For each
// problem every contestant first computes it once on a poisoned output, which is compared with FP64 here, in the bench.
// Then rounds: in each, every contestant and the loop of multiply-adds take a turn, in an order that rotates; a ratio
// is the median of the ratios of the rounds, in which what drifts falls out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/candidates.h"
#include "bench/library.h"
#include "bench/peer_search.h"
#include "bench/statistics.h"
#include "bench/suites.h"

namespace tilewright::bench {

struct BenchRequest {
  std::string program;  ///< path of this binary, which contestants are started from
  Suite suite;
  int threads = 1;
  int rounds = 11;
  int runs = 1;                  ///< each with new processes
  double seconds = 0;            ///< for everything; rounds become fewer, then problems are left out. 0: no limit
  double sample_seconds = 5e-3;  ///< a turn takes as many calls as fill this, one at least
  /// Count the time that the process had a processor, in place of the time that passed. Premise: one thread.
  bool processor_clock = false;
  double floor = 0.97;                  ///< a shape falls short below this ratio to the best peer
  double floor_multiply_adds = 0x1p18;  ///< only shapes with this many fall short
  double mean_multiply_adds = 0x1p12;   ///< only shapes with this many enter the mean
  PeerSearch search;
  std::vector<LibraryKind> peers = peer_kinds();
  bool candidates = false;
  CandidateLister list_candidates = planner_candidates;
  std::function<void(const std::string&)> progress;  ///< what is done now
};

struct MachineFacts {
  std::string processor;  ///< as the system calls it
  std::string llvm_name;  ///< as the code generator calls it
  int cores = 1;
  std::string vectors;                                    ///< what the peak is of
  std::int64_t lanes = 1;                                 ///< floats a vector
  std::int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;  ///< 0: unknown
};

enum class Role : std::uint8_t { Ours, Peer, Copy, Peak, Candidate };

struct PeerReport {
  std::string name;  ///< the kind, with its version where there are several
  std::string kind, version, core, file;
  bool present = false;
  std::string reason;  ///< of one that is absent or has ended
};

enum class TimeState : std::uint8_t { Timed, Wrong, Refused, Gone };

struct ContestantTimes {
  std::string name;
  Role role = Role::Peer;
  TimeState state = TimeState::Timed;
  std::string reason;            ///< of another state than Timed
  std::vector<double> ns;        ///< of one call, one a round
  std::optional<Spread> spread;  ///< over the rounds of all runs
};

struct ShapeReport {
  Problem problem;
  std::vector<ContestantTimes> times;  ///< ours first
  std::string checked;                 ///< what of each output was compared
  double peak_flops = 0;               ///< a second, of the loop in the same rounds; 0: unknown
  std::string best_peer;               ///< of those that are right; empty: none
  std::vector<double> ratios;          ///< time of the best peer to ours, one a run
  std::optional<double> ratio_vs_best_peer, of_peak, of_copy;
  double lane_cover = 1;
  bool falls_short = false;
  bool is_wrong = false;  ///< ours
};

struct PairReport {
  std::string ragged, even;
  double per_multiply_add_ratio = 0;  ///< of our times
};

struct RegretReport {
  Problem problem;
  std::string best;       ///< candidate
  std::size_t count = 0;  ///< candidates timed
  double regret = 0;      ///< our time to that of the best, less 1
};

struct BenchReport {
  std::string suite;
  MachineFacts machine;
  std::vector<PeerReport> peers;
  int threads = 1, rounds = 0, runs = 1;
  bool processor_clock = false;
  double floor = 0;
  std::vector<ShapeReport> shapes;
  std::vector<Problem> left_out;  ///< for want of time
  std::optional<double> geomean_vs_best_peer;
  std::vector<PairReport> pairs;
  std::vector<RegretReport> regrets;
  std::string candidates_note;  ///< why there are no regrets, when they were asked for
  double seconds = 0;
};

/// Peers that are absent, refuse, fail or die are reported, never errors. Errors: ToolMissing, OutOfMemory.
Result<BenchReport> run_bench(const BenchRequest& request);

/// CheckFailed for each shape that we computed wrongly.
Diags bench_faults(const BenchReport& report);

}  // namespace tilewright::bench
