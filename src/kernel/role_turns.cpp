#include "kernel/role_turns.h"

#include <utility>

namespace tilewright::kernel {

void RoleTurns::begin(std::size_t role) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stuck_ || turn_ == role; });
  if (stuck_) throw AllRolesWait{};
}

void RoleTurns::wait(std::size_t role, std::function<bool()> condition) {
  std::unique_lock lock(mutex_);
  if (stuck_) throw AllRolesWait{};
  if (condition()) return;
  roles_[role].condition = std::move(condition);
  pass_on(role);
  changed_.wait(lock, [&] { return stuck_ || turn_ == role; });
  if (stuck_) throw AllRolesWait{};
  roles_[role].condition = nullptr;
}

void RoleTurns::end(std::size_t role) {
  const std::lock_guard lock(mutex_);
  roles_[role].done = true;
  pass_on(role);
}

/// To the next role that can run; when none can and not all are done, they are stuck.
void RoleTurns::pass_on(std::size_t from) {
  bool all_done = true;
  for (std::size_t step = 1; step <= roles_.size(); ++step) {
    const std::size_t next = (from + step) % roles_.size();
    if (roles_[next].done) continue;
    all_done = false;
    if (roles_[next].condition && !roles_[next].condition()) continue;
    turn_ = next;
    changed_.notify_all();
    return;
  }
  stuck_ = !all_done;
  changed_.notify_all();
}

void RoleTurns::stop() {
  const std::lock_guard lock(mutex_);
  stuck_ = true;
  changed_.notify_all();
}

}  // namespace tilewright::kernel
