// One problem, prepared and timed once by every contestant of a roster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/reference.h"
#include "bench/roster.h"

namespace tilewright::bench {

struct ProblemRun {
  std::vector<ContestantTimes> times;  ///< without the peak
  std::vector<double> peak_flops;      ///< one a round
  std::string checked;
  std::string candidates_note;
};

class ProblemRunner {
 public:
  ProblemRunner(const BenchRequest& request, const OutputFile& output, Roster& roster)
      : request_(request), output_(output), roster_(roster) {}

  /// At least one round; then up to the request's, while `seconds` last (0: no limit). OutOfMemory.
  Result<ProblemRun> run(const Problem& problem, double seconds);

 private:
  /// What takes turns.
  struct Entry {
    Contestant contestant;
    ContestantTimes times;
    std::string slot;
    double rough_ns = 0, multiply_adds = 0;
  };

  Result<void> prepare_all(const Problem& problem);
  void prepare(const Problem& problem, const Contestant& contestant, const CandidateSettings& settings,
               const std::function<Verdict()>& judge);
  void time_rounds(double seconds);
  void time_once(Entry& entry);
  void leave(Entry& entry, const Answer& answer);
  ProblemRun collect();

  const BenchRequest& request_;
  const OutputFile& output_;
  Roster& roster_;
  std::vector<Entry> entries_;
  ProblemRun run_;
};

}  // namespace tilewright::bench
