// The workers of a group while a kernel runs: their values, which of them run, and whether they come together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernel/objects.h"
#include "kernel/role_turns.h"

namespace tilewright::kernel {

using Mask = std::vector<std::uint8_t>;  ///< by worker: whether it runs

class GroupState {
 public:
  /// The workers that run a block: all of the group, or those of a role.
  struct Team {
    std::size_t first_subgroup = 0, last_subgroup = 0;
    std::size_t role = 0;
    RoleTurns* turns = nullptr;
  };

  GroupState(const Program& program, const Kernel& kernel, FaultLog& faults)
      : program_(program),
        kernel_(kernel),
        faults_(faults),
        workers_(static_cast<std::size_t>(kernel.group.workers)),
        subgroup_size_(static_cast<std::size_t>(kernel.group.subgroup_size)),
        subgroups_(workers_ / subgroup_size_) {
    std::size_t slots = 0;
    for (const ValueType& type : program.values) {
      first_.push_back(slots);
      slots += units(type) * per_unit(type);
    }
    slots_.resize(slots);
  }

 protected:
  std::size_t units(ValueType type) const { return type.is_fragment() ? subgroups_ : workers_; }
  static std::size_t per_unit(ValueType type) {
    return type.is_fragment() ? std::size_t{type.rows} * type.columns : type.lanes;
  }
  ValueType type(ValueId id) const { return program_.values[id]; }
  Lane* slots(ValueId id, std::size_t unit) {
    return slots_.data() + first_[id.index] + unit * per_unit(program_.values[id]);
  }
  Lane& lane(ValueId id, std::size_t worker) { return *slots(id, worker); }

  std::size_t subgroup_of(std::size_t worker) const { return worker / subgroup_size_; }
  std::size_t first_worker(std::size_t subgroup) const { return subgroup * subgroup_size_; }

  /// The workers, or for a fragment the subgroups, that run. A subgroup runs when one of its workers does.
  template <class F>
  void each_unit(ValueType type, const Mask& mask, F&& f) {
    if (!type.is_fragment()) {
      for (std::size_t worker = 0; worker < workers_; ++worker)
        if (mask[worker] != 0) f(worker);
      return;
    }
    for (std::size_t subgroup = 0; subgroup < subgroups_; ++subgroup)
      if (active_lanes(subgroup, mask) != 0) f(subgroup);
  }
  std::size_t active_lanes(std::size_t subgroup, const Mask& mask) const {
    const auto begin = mask.begin() + static_cast<std::ptrdiff_t>(first_worker(subgroup));
    return static_cast<std::size_t>(std::count(begin, begin + static_cast<std::ptrdiff_t>(subgroup_size_), 1));
  }

  void copy_values(const std::vector<ValueId>& from, std::span<const ValueId> to, const Mask& mask) {
    // All at once: a source may be among the targets.
    std::vector<Lane> held;
    for (ValueId id : from)
      each_unit(type(id), mask, [&](std::size_t unit) {
        held.insert(held.end(), slots(id, unit), slots(id, unit) + per_unit(type(id)));
      });
    const Lane* next = held.data();
    for (ValueId id : to)
      each_unit(type(id), mask, [&](std::size_t unit) {
        std::copy_n(next, per_unit(type(id)), slots(id, unit));
        next += per_unit(type(id));
      });
  }

  template <class F>
  void each_subgroup(const Mask& mask, F&& f) {
    for (std::size_t s = 0; s < subgroups_; ++s)
      if (active_lanes(s, mask) != 0) f(s);
  }

  std::string where(OpId id) const { return faults_.where(kernel_, task_, id); }

  /// Whether all participants that run at all are there; for subgroups each by itself.
  bool converges(OpId id, Participants participants, const Mask& mask, const Team& team) {
    std::size_t there = 0;
    bool whole = true;
    for (std::size_t s = team.first_subgroup; s < team.last_subgroup; ++s) {
      const std::size_t lanes = active_lanes(s, mask);
      there += lanes;
      whole = whole && (lanes == 0 || lanes == subgroup_size_);
    }
    const std::size_t all = (team.last_subgroup - team.first_subgroup) * subgroup_size_;
    if (participants == Participants::Group) whole = there == all;
    if (whole) return there != 0;
    if (faults_.claim(id))
      faults_.add(DiagCode::ConvergenceFault, fmt::format("{} is reached by {} of {} workers", where(id), there, all));
    return false;
  }

  /// Whether the value is the same in all workers that run of each subgroup.
  bool uniform(OpId id, ValueId value, const Mask& mask) {
    for (std::size_t s = 0; s < subgroups_; ++s) {
      std::optional<Lane> seen;
      for (std::size_t worker = first_worker(s); worker < first_worker(s + 1); ++worker) {
        if (mask[worker] == 0) continue;
        if (seen && *seen != lane(value, worker)) {
          if (faults_.claim(id))
            faults_.add(DiagCode::ConvergenceFault,
                        fmt::format("{}: %{} differs between workers of subgroup {}", where(id), value.index, s));
          return false;
        }
        seen = lane(value, worker);
      }
    }
    return true;
  }

  const Program& program_;
  const Kernel& kernel_;
  FaultLog& faults_;
  std::size_t workers_, subgroup_size_, subgroups_;
  std::int64_t group_ = 0;
  std::vector<std::int64_t> task_;

 private:
  std::vector<std::size_t> first_;  ///< by value: its first slot
  std::vector<Lane> slots_;
};

}  // namespace tilewright::kernel
