// The contestants of one run and their processes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/bench.h"
#include "bench/worker.h"

namespace tilewright::bench {

struct Contestant {
  std::string name;
  Role role = Role::Peer;
  std::size_t worker = 0;   ///< in the roster
  std::size_t variant = 0;  ///< of its library
};

struct Roster {
  std::vector<Worker> workers;
  std::vector<std::size_t> peer_of_worker;  ///< index in peers, or none: kNoPeer
  std::vector<Contestant> contestants;      ///< ours first, the peak last
  std::vector<PeerReport> peers;
  std::string peak_name;

  static constexpr std::size_t kNoPeer = ~std::size_t{0};
};

/// Starts everything that can be had for problems of these kinds. ToolMissing: this binary cannot start itself.
Result<Roster> make_roster(const BenchRequest& request, const OutputFile& output);

}  // namespace tilewright::bench
