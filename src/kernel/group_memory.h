// Memory that the workers of a group share: every access is checked against its object, against asynchronous copies,
// and against earlier accesses that nothing orders.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernel/access_order.h"
#include "kernel/group_state.h"
#include "kernel/op_rules.h"
#include "kernel/printer.h"

namespace tilewright::kernel {

/// A copy that was issued and not waited for.
struct Flight {
  MemoryRef destination, source;
  std::uint64_t destination_begin = 0, source_begin = 0, count = 0;
  OpId op;
  std::size_t worker = 0;  ///< who issued it
  /// Of those who issued it together; empty for a copy of one worker.
  std::uint32_t first_subgroup = 0, last_subgroup = 0;
};

class GroupMemory : public GroupState {
 public:
  GroupMemory(const Program& program, const Kernel& kernel, Objects& objects, FaultLog& faults)
      : GroupState(program, kernel, faults), clocks_(subgroups_), objects_(objects) {
    histories_.resize(program.buffers.size() + program.allocations.size());
    for (BufferId id : program.buffers.ids())
      history({id, {}}).resize(static_cast<std::size_t>(program.buffers[id].count));
  }

 protected:
  /// A new group: allocations start indeterminate, and nothing has happened yet.
  void begin_group() {
    clocks_ = GroupClocks(subgroups_);
    flights_.clear();
    for (AllocationId id : kernel_.allocations) {
      Object& object = objects_.allocations[id.index];
      const auto count = static_cast<std::uint64_t>(program_.allocations[id].count);
      object.count = is_private({{}, id}) ? count * workers_ : count;
      object.make_own();
      object.count = count;
      history({{}, id}).assign(is_private({{}, id}) ? 0 : count, {});
    }
  }
  void end_kernel() {
    for (AllocationId id : kernel_.allocations) objects_.allocations[id.index].drop_own();
  }

  Object& at(MemoryRef memory) { return objects_.at(memory); }
  std::vector<ElementHistory>& history(MemoryRef memory) {
    return histories_[memory.buffer.valid() ? memory.buffer.index : program_.buffers.size() + memory.allocation.index];
  }
  static std::string toucher_text(const Toucher& by, std::size_t workers) {
    if (by.worker < workers) return fmt::format("worker {} of group {}", by.worker, by.group);
    return fmt::format("subgroup {} of group {}", by.subgroup, by.group);
  }

  void memory_fault(OpId id, MemoryRef memory, std::uint64_t element, const char* what) {
    if (!faults_.claim(id)) return;
    faults_.add(DiagCode::MemoryFault,
                fmt::format("{} {} element {} of {}, which has {}", where(id), what, static_cast<std::int64_t>(element),
                            memory_label(program_, memory), at(memory).count));
  }

  Toucher toucher(std::size_t worker, std::size_t subgroup, MemoryRef memory, FenceProxy proxy, OpId id) {
    const OrderedMemory order = memory.buffer.valid() ? OrderedMemory::Device : OrderedMemory::Shared;
    return {
        static_cast<std::uint64_t>(group_),
        static_cast<std::uint32_t>(worker),
        static_cast<std::uint32_t>(subgroup),
        {clocks_.of(order, FenceProxy::Generic).epoch(subgroup), clocks_.of(order, FenceProxy::Async).epoch(subgroup)},
        id.index,
        proxy,
        0,
        0};
  }

  /// Records the access; one that nothing orders behind an earlier one is a fault.
  void order(OpId id, MemoryRef memory, std::uint64_t element, const Toucher& by, bool is_write) {
    const OrderedMemory which = memory.buffer.valid() ? OrderedMemory::Device : OrderedMemory::Shared;
    ElementHistory& past = history(memory)[element];
    const auto conflict = is_write ? past.write(by, clocks_, which) : past.read(by, clocks_, which);
    if (!conflict || !faults_.claim(id)) return;
    faults_.add(DiagCode::AccessRace,
                fmt::format("{}: {} {} element {} of {}, and no fence orders that behind '{}' by {}", where(id),
                            toucher_text(by, workers_), is_write ? "writes" : "reads", element,
                            memory_label(program_, memory), op_text(conflict->op), toucher_text(*conflict, workers_)));
  }
  std::string op_text(std::uint32_t op) const { return print_op(program_, program_.ops[OpId{op}]); }

  void check_flights(OpId id, MemoryRef memory, std::uint64_t element, bool is_write, std::size_t worker) {
    for (const auto& [token, flight] : flights_) {
      const bool lands = flight.destination == memory && element - flight.destination_begin < flight.count;
      const bool leaves = is_write && flight.source == memory && element - flight.source_begin < flight.count;
      const bool own = !is_private(memory) || flight.worker == worker;
      if ((lands || leaves) && own && flight.op != id && faults_.claim(id))
        faults_.add(
            DiagCode::MemoryFault,
            fmt::format("{} touches element {} of {}, which belongs to an asynchronous copy until it is waited for",
                        where(id), element, memory_label(program_, memory)));
    }
  }

  /// The copy is complete for all who issued it together.
  void complete(const Flight& flight) {
    const auto mark = [&](MemoryRef memory, std::uint64_t begin) {
      std::vector<ElementHistory>& past = history(memory);
      for (std::uint64_t i = begin; i < past.size() && i - begin < flight.count; ++i)
        past[i].over(flight.op.index, flight.first_subgroup, flight.last_subgroup);
    };
    mark(flight.destination, flight.destination_begin);
    mark(flight.source, flight.source_begin);
  }

  bool is_private(MemoryRef memory) const {
    return memory.allocation.valid() && program_.allocations[memory.allocation].space == AllocationSpace::Private;
  }

  /// One element read by a worker (worker < workers_) or by a subgroup as a whole.
  Lane read(OpId id, MemoryRef memory, std::uint64_t element, std::size_t worker, std::size_t subgroup,
            FenceProxy proxy = FenceProxy::Generic) {
    const Object& object = at(memory);
    if (element >= object.count) return memory_fault(id, memory, element, "reads"), 0;
    const std::uint64_t place = is_private(memory) ? worker * object.count + element : element;
    if (object.tracked && object.written[place] == 0)
      return memory_fault(id, memory, element, "reads before it is written"), 0;
    if (!flights_.empty()) check_flights(id, memory, element, false, worker);
    if (!is_private(memory)) order(id, memory, element, toucher(worker, subgroup, memory, proxy, id), false);
    const Lane value = object.get(place);
    return object.scalar == ScalarType::I1 ? Lane{value != 0} : value;
  }
  void write(OpId id, MemoryRef memory, std::uint64_t element, Lane value, std::size_t worker, std::size_t subgroup,
             FenceProxy proxy = FenceProxy::Generic) {
    Object& object = at(memory);
    if (element >= object.count) return memory_fault(id, memory, element, "writes");
    if (!flights_.empty()) check_flights(id, memory, element, true, worker);
    if (!is_private(memory)) order(id, memory, element, toucher(worker, subgroup, memory, proxy, id), true);
    object.put(is_private(memory) ? worker * object.count + element : element, value);
  }

  GroupClocks clocks_;
  std::map<Lane, Flight> flights_;

 private:
  Objects& objects_;
  std::vector<std::vector<ElementHistory>> histories_;  ///< buffers, then allocations
};

}  // namespace tilewright::kernel
