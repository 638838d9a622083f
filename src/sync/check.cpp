#include "sync/check.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kernel/op_rules.h"
#include "kernel/printer.h"
#include "sync/check/meeting.h"
#include "sync/check/paths.h"
#include "sync/check/places.h"

namespace tilewright::sync {

namespace {

class FenceCheck {
 public:
  FenceCheck(const kernel::Program& program, const kernel::Kernel& kernel, const CheckPremises& premises)
      : program_(program),
        kernel_(kernel),
        premises_(premises),
        facts_(kernel::uniformity(program, kernel)),
        finder_(program, kernel, facts_),
        open_(open_pairs(program, kernel, facts_, finder_.loops_that_run(), premises.distinct_buffers)) {}

  std::vector<UnorderedPair> run() {
    if (open_.not_followed) {
      const std::string text = op_text(*open_.not_followed);
      return {{*open_.not_followed, *open_.not_followed, text, text, "the kernel",
               "the order of rings, roles and asynchronous copies is not followed"}};
    }
    std::set<std::pair<kernel::OpId, kernel::OpId>> reported;
    std::vector<UnorderedPair> unordered_pairs;
    for (const OpenPair& pair : open_.pairs) {
      const auto ops = std::pair(open_.accesses[pair.earlier].op, open_.accesses[pair.later].op);
      if (reported.contains(ops) || is_of_own_parts(pair) || is_of_own_elements(pair)) continue;
      const auto meeting = meet(pair);
      if (!meeting) continue;
      reported.insert(ops);
      unordered_pairs.push_back(unordered(pair, *meeting));
    }
    return unordered_pairs;
  }

 private:
  bool is_of_own_parts(const OpenPair& pair) const {
    if (!premises_.disjoint_parts || pair.loop.valid()) return false;
    const std::optional<Part> earlier = part(pair.earlier), later = part(pair.later);
    return earlier && later && *earlier == *later && (earlier->stored || later->stored);
  }

  /// Element by element, whoever of the group has one loads and stores it at one place.
  bool is_of_own_elements(const OpenPair& pair) const {
    const auto by_group = [&](std::uint32_t access) {
      return open_.accesses[access].unit == AccessUnit::Group && part(access, true);
    };
    return !pair.loop.valid() && by_group(pair.earlier) && by_group(pair.later) &&
           *part(pair.earlier, true) == *part(pair.later, true);
  }

  /// The part of a matrix that a subgroup or group loads or stores; nothing for any other access.
  struct Part {
    kernel::MemoryRef memory;
    kernel::ValueId index, row_stride;
    bool transposed = false;
    kernel::FragmentPart part;
    std::uint16_t rows = 0, columns = 0;
    bool stored = false;
    /// The same place, whatever is done there.
    bool operator==(const Part& other) const {
      return memory == other.memory && index == other.index && row_stride == other.row_stride &&
             transposed == other.transposed && part == other.part && rows == other.rows && columns == other.columns;
    }
  };
  std::optional<Part> part(std::uint32_t access, bool or_whole = false) const {
    const kernel::Op& op = program_.ops[open_.accesses[access].op];
    std::optional<Part> found;
    const auto take = [&](const auto& made, kernel::ValueId fragment, bool stored) {
      const kernel::ValueType type = program_.values[fragment];
      found = {made.memory, made.index, made.row_stride, made.transposed, made.part, type.rows, type.columns, stored};
    };
    if (const auto* store = std::get_if<kernel::FragmentStoreOp>(&op.payload)) take(*store, store->fragment, true);
    if (const auto* load = std::get_if<kernel::FragmentLoadOp>(&op.payload)) take(*load, op.results[0], false);
    return found && (or_whole || !found->part.is_whole()) ? found : std::nullopt;
  }

  std::string op_text(kernel::OpId op) const { return kernel::print_op(program_, program_.ops[op]); }

  const Places& places(std::uint32_t access, CommonLoops loops) {
    const auto key = std::pair(access, loops);
    auto known = places_.find(key);
    if (known == places_.end()) known = places_.emplace(key, finder_.places_of(open_.accesses[access], loops)).first;
    return known->second;
  }

  /// Either view of the loops may show that they never meet.
  std::optional<Meeting> meet(const OpenPair& pair) {
    const auto meeting = meet(pair, CommonLoops::Symbols);
    return meeting ? meet(pair, CommonLoops::CountedOut) : meeting;
  }
  std::optional<Meeting> meet(const OpenPair& pair, CommonLoops loops) {
    const bool subgroups_apart = (pair.gap & kNoOwnFence) == 0;
    const bool one_object = open_.accesses[pair.earlier].memory == open_.accesses[pair.later].memory;
    const Places &earlier = places(pair.earlier, loops), &later = places(pair.later, loops);
    if (premises_.subgroups_are_programs && open_.accesses[pair.earlier].memory.buffer.valid())
      return subgroups_apart ? std::nullopt : meet_within_subgroups(pair, earlier, later, one_object);
    if (one_object) return find_meeting(finder_, earlier, later, pair, loop_step(pair.loop), subgroups_apart);
    // Where two buffers overlap is not known.
    const Places anywhere{false, {}, {}, earlier.owners};
    return find_meeting(finder_, anywhere, later, pair, 1, subgroups_apart);
  }
  std::optional<Meeting> meet_within_subgroups(const OpenPair& pair, const Places& earlier, const Places& later,
                                               bool one_object) const {
    std::set<std::uint32_t> subgroups;
    for (Owner owner : earlier.owners) subgroups.insert(finder_.subgroup_of(owner));
    for (std::uint32_t subgroup : subgroups) {
      Places mine = of_subgroup(earlier, subgroup);
      if (!one_object) mine.known = false;
      if (auto meeting = find_meeting(finder_, mine, of_subgroup(later, subgroup), pair, loop_step(pair.loop), false))
        return meeting;
    }
    return std::nullopt;
  }
  Places of_subgroup(const Places& all, std::uint32_t subgroup) const {
    Places part{all.known, all.terms, {}, {}};
    for (const Place& place : all.places)
      if (finder_.subgroup_of(place.owner) == subgroup) part.places.push_back(place);
    for (Owner owner : all.owners)
      if (finder_.subgroup_of(owner) == subgroup) part.owners.push_back(owner);
    return part;
  }
  std::int64_t loop_step(kernel::OpId op) const {
    if (!op.valid()) return 1;
    const auto* loop = std::get_if<kernel::LoopOp>(&program_.ops[op].payload);
    return loop == nullptr ? 1 : loop->step;
  }

  std::string owner_text(Owner owner) const {
    const auto workers = static_cast<Owner>(kernel_.group.workers);
    return owner < workers ? fmt::format("worker {}", owner) : fmt::format("subgroup {}", owner - workers);
  }

  UnorderedPair unordered(const OpenPair& pair, const Meeting& meeting) const {
    const MemoryAccess &earlier = open_.accesses[pair.earlier], &later = open_.accesses[pair.later];
    std::string object = kernel::memory_label(program_, earlier.memory);
    if (earlier.memory != later.memory) object += ", which may overlap " + kernel::memory_label(program_, later.memory);
    const std::string when =
        pair.loop.valid() ? fmt::format(", the latter in a later iteration of '{}'", op_text(pair.loop)) : "";
    const std::string where = meeting.number ? "can meet at one element" : "may meet at one element";
    return {earlier.op,
            later.op,
            op_text(earlier.op),
            op_text(later.op),
            std::move(object),
            fmt::format("{} and {}{} {}; {}", owner_text(meeting.earlier), owner_text(meeting.later), when, where,
                        fences_text(pair))};
  }
  static const char* fences_text(const OpenPair& pair) {
    if ((pair.gap & kNoFenceAtAll) != 0) return "no fence stands on the way";
    if ((pair.gap & kNoOwnFence) != 0) return "no fence on the way orders this memory";
    return "the fences on the way are those of a subgroup alone";
  }

  const kernel::Program& program_;
  const kernel::Kernel& kernel_;
  CheckPremises premises_;
  kernel::UniformityFacts facts_;
  PlaceFinder finder_;
  OpenPairs open_;
  std::map<std::pair<std::uint32_t, CommonLoops>, Places> places_;  ///< by access
};

}  // namespace

std::vector<UnorderedPair> unordered_accesses(const kernel::Program& program, std::size_t kernel,
                                              const CheckPremises& premises) {
  const kernel::Kernel& checked = program.kernels.at(kernel);
  if (checked.group.workers <= 1) return {};
  return FenceCheck(program, checked, premises).run();
}

std::string unordered_text(const UnorderedPair& pair) {
  return fmt::format("'{}' and '{}' (operations {} and {}): {}: {}", pair.first_text, pair.second_text,
                     pair.first.index, pair.second.index, pair.object, pair.reason);
}

}  // namespace tilewright::sync
