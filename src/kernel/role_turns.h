// Roles take turns: one runs until it waits for something or ends, then the next one that can go on. So a run with
// roles is as deterministic as one without.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace tilewright::kernel {

/// Thrown out of wait() when every role waits: the roles unwind.
struct AllRolesWait {};

class RoleTurns {
 public:
  explicit RoleTurns(std::size_t roles) : roles_(roles) {}

  /// Called by the thread of a role: returns when it is its turn for the first time.
  void begin(std::size_t role);
  /// Returns when the condition holds and it is the role's turn. Conditions are looked at while no role runs.
  void wait(std::size_t role, std::function<bool()> condition);
  void end(std::size_t role);
  /// No role goes on: those that wait, and those that will, unwind.
  void stop();

 private:
  struct Role {
    bool done = false;
    std::function<bool()> condition;  ///< empty: it can run
  };

  void pass_on(std::size_t from);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Role> roles_;
  std::size_t turn_ = 0;
  bool stuck_ = false;
};

}  // namespace tilewright::kernel
