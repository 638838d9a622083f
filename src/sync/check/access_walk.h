// One walk through the regions around an access, which collects its places. Internal to sync/check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sync/check/places.h"

namespace tilewright::sync {

class AccessWalk {
 public:
  /// count_out: loops that all workers run together are counted out too, where their bounds are numbers.
  AccessWalk(PlaceFinder& finder, const MemoryAccess& access, bool count_out);

  Places run();
  /// Whether every worker has an iteration of the loop, wherever it stands.
  bool surely_runs(const kernel::LoopOp& loop);

 private:
  using Active = std::vector<std::uint8_t>;  ///< by worker: whether it may come here

  // ---- Regions ----
  void enter(std::size_t depth, const Active& active);
  void enter_loop(std::size_t depth, const kernel::LoopOp& loop, kernel::OpId op, const Active& active);
  void count_iterations(std::size_t depth, const kernel::LoopOp& loop, kernel::OpId op, const Form& low,
                        const Form& trips, const Active& active);
  void reach(const Active& active);
  Active unmasked(kernel::ValueId mask, const Active& active);
  /// Iterations of each worker, or unknown.
  Form trips_of(const kernel::LoopOp& loop, const Form& low, const Form& high) const;

  // ---- Places ----
  void add(const Form& first, const Form& down, std::int64_t rows, std::int64_t columns, const Active& active);
  void give_up() { known_ = false; }
  Form places_form(const Form& element);

  // ---- Values ----
  const Form& value(kernel::ValueId id);
  Form computed(kernel::ValueId id);
  Form alike(kernel::ValueId id);
  Form argument(kernel::ValueId id);
  bool is_constant(kernel::ValueId id) const;
  Form of(const kernel::Op& op, kernel::ValueId id);
  Form worker_number(kernel::WorkerQuery query) const;
  Form cast(const kernel::CastOp& op, kernel::ValueId id);
  Form select(const kernel::SelectOp& op);
  Form shuffled(const kernel::ShuffleOp& op);
  /// One answer for all workers, or one a worker.
  std::vector<Truth> truth(kernel::ValueId condition);
  std::size_t workers() const { return static_cast<std::size_t>(finder_.kernel_.group.workers); }

  PlaceFinder& finder_;
  const MemoryAccess& access_;
  bool count_out_;
  bool known_ = true;
  bool any_ = false;  ///< whether a place was added
  std::int64_t iterations_ = 0;
  std::map<kernel::ValueId, Form> forms_;  ///< in the iterations that stand
  std::map<kernel::OpId, Form> counted_;   ///< index of the loops that are being counted out
  std::set<kernel::OpId> own_;             ///< loops in which each worker is on its own
  std::set<Owner> owners_;
  Places result_;
};

}  // namespace tilewright::sync
