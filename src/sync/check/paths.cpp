#include "sync/check/paths.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tilewright::sync {

namespace {

constexpr std::uint8_t kOpen = kNoGroupFence | kNoOwnFence | kNoFenceAtAll;

/// An access that a path leads to or comes from, with what does not stand in between.
struct Reach {
  std::uint32_t access = 0;
  std::uint8_t gap = 0;
};

/// What a piece of a block looks like from outside.
struct Piece {
  std::vector<Reach> first;  ///< what may happen after its begin
  std::vector<Reach> last;   ///< what may have happened before its end
  /// Of paths through, by memory (shared, device).
  std::array<std::uint8_t, 2> through{kOpen, kOpen};
};

class PathWalk {
 public:
  PathWalk(const kernel::Program& program, const kernel::UniformityFacts& facts, const std::set<kernel::OpId>& running,
           bool distinct_buffers)
      : program_(program), facts_(facts), running_(running), distinct_buffers_(distinct_buffers) {}

  OpenPairs run(const kernel::Kernel& kernel) {
    block(kernel.body);
    return std::move(result_);
  }

 private:
  // ---- Pieces ------------------------------------------------------------------------------------------------------

  Piece block(kernel::BlockId id) {
    Piece all;
    for (kernel::OpId op : program_.blocks[id].ops) {
      const kernel::OpPayload& payload = program_.ops[op].payload;
      follow(all, std::visit([&](const auto& p) { return piece(p, op); }, payload));
    }
    return all;
  }

  static std::size_t memory_class(kernel::MemoryRef memory) { return memory.buffer.valid() ? 1 : 0; }
  std::uint8_t passed(const Reach& reach, const Piece& piece) const {
    return reach.gap & piece.through[memory_class(result_.accesses[reach.access].memory)];
  }

  /// `all` and then `next`.
  void follow(Piece& all, const Piece& next) {
    pair_up(all.last, next.first, {}, false);
    for (const Reach& reach : next.first) add(all.first, {reach.access, passed(reach, all)});
    std::vector<Reach> last;
    for (const Reach& reach : all.last) add(last, {reach.access, passed(reach, next)});
    for (const Reach& reach : next.last) add(last, reach);
    all.last = std::move(last);
    for (std::size_t i = 0; i < 2; ++i) all.through[i] &= next.through[i];
  }
  static void add(std::vector<Reach>& list, Reach reach) {
    if ((reach.gap & kNoGroupFence) != 0) list.push_back(reach);
  }
  static void add_all(std::vector<Reach>& list, const std::vector<Reach>& more) {
    list.insert(list.end(), more.begin(), more.end());
  }

  void pair_up(const std::vector<Reach>& before, const std::vector<Reach>& after, kernel::OpId loop, bool next_only) {
    for (const Reach& a : before)
      for (const Reach& b : after)
        if (const std::uint8_t gap = a.gap & b.gap; (gap & kNoGroupFence) != 0 && may_share(a.access, b.access))
          result_.pairs.push_back({a.access, b.access, gap, loop, next_only});
  }
  bool may_share(std::uint32_t first, std::uint32_t second) const {
    const MemoryAccess &a = result_.accesses[first], &b = result_.accesses[second];
    if (!a.writes && !b.writes) return false;
    if (a.memory == b.memory) return true;
    if (!a.memory.buffer.valid() || !b.memory.buffer.valid() || distinct_buffers_) return false;
    const auto is_ours = [&](const MemoryAccess& access) {
      return program_.buffers[access.memory.buffer].kind == kernel::BufferKind::Temporary;
    };
    return !is_ours(a) && !is_ours(b);
  }

  // ---- Control -----------------------------------------------------------------------------------------------------

  /// What computes values.
  template <class Payload>
  Piece piece(const Payload&, kernel::OpId) {
    return {};
  }

  Piece piece(const kernel::LoopOp& loop, kernel::OpId op) {
    const auto low = constant(loop.low), high = constant(loop.high);
    std::int64_t after_first = 0;
    const bool once = low && high && (__builtin_add_overflow(*low, loop.step, &after_first) || after_first >= *high);
    return repeated(loop.body, op, !running_.contains(op), once);
  }
  Piece piece(const kernel::TaskLoopOp& tasks, kernel::OpId op) { return repeated(tasks.body, op, true, false); }

  Piece repeated(kernel::BlockId body, kernel::OpId op, bool may_skip, bool once) {
    Piece inside = within(body, {op, false});
    for (std::size_t memory = 0; memory < 2 && !once; ++memory) {
      const bool next_only = (inside.through[memory] & kNoGroupFence) == 0;
      pair_up(of_memory(inside.last, memory), of_memory(inside.first, memory), op, next_only);
    }
    if (may_skip) inside.through = {kOpen, kOpen};
    return inside;
  }
  std::vector<Reach> of_memory(const std::vector<Reach>& list, std::size_t memory) const {
    std::vector<Reach> chosen;
    for (const Reach& reach : list)
      if (memory_class(result_.accesses[reach.access].memory) == memory) chosen.push_back(reach);
    return chosen;
  }

  Piece piece(const kernel::IfOp& branch, kernel::OpId op) {
    Piece then_arm = within(branch.then_block, {op, true});
    Piece else_arm = branch.else_block.valid() ? within(branch.else_block, {op, false}) : Piece{};
    const bool one_way = facts_.of(branch.condition) == kernel::Uniformity::Group;
    // Where workers part, those of one arm meet those of the other, and any of them may have had nothing to do.
    if (!one_way) {
      pair_up(then_arm.last, else_arm.first, {}, false);
      then_arm.through = {kOpen, kOpen};
    }
    add_all(then_arm.first, else_arm.first);
    add_all(then_arm.last, else_arm.last);
    for (std::size_t i = 0; i < 2; ++i) then_arm.through[i] |= else_arm.through[i];
    return then_arm;
  }

  Piece within(kernel::BlockId body, Surrounding around) {
    around_.push_back(around);
    Piece inside = block(body);
    around_.pop_back();
    return inside;
  }

  // ---- Fences and accesses -----------------------------------------------------------------------------------------

  static Piece piece(const kernel::FenceOp& fence, kernel::OpId) {
    Piece made;
    const std::array<bool, 2> orders{fence.memory.shared, fence.memory.device};
    for (std::size_t i = 0; i < 2; ++i) {
      if (!orders[i])
        made.through[i] = kNoGroupFence | kNoOwnFence;
      else
        made.through[i] = fence.participants == kernel::Participants::Group ? 0 : kNoGroupFence;
    }
    return made;
  }

  Piece piece(const kernel::LoadOp& load, kernel::OpId op) {
    return access({op, load.memory, false, AccessUnit::Worker, 0, around_});
  }
  Piece piece(const kernel::StoreOp& store, kernel::OpId op) {
    return access({op, store.memory, true, AccessUnit::Worker, 0, around_});
  }
  Piece piece(const kernel::FragmentLoadOp& load, kernel::OpId op) {
    return access({op, load.memory, false, unit_of(load.participants), 0, around_});
  }
  Piece piece(const kernel::FragmentStoreOp& store, kernel::OpId op) {
    return access({op, store.memory, true, unit_of(store.participants), 0, around_});
  }
  Piece piece(const kernel::AtomOp& atom, kernel::OpId op) {
    Piece both;
    std::size_t operand = 0;
    for (const kernel::AtomOperand* view : {&atom.a, &atom.b}) {
      if (!view->fragment.valid())
        follow(both, access({op, view->view.memory, false, unit_of(atom.participants), operand, around_}));
      ++operand;
    }
    return both;
  }

  static AccessUnit unit_of(kernel::Participants participants) {
    return participants == kernel::Participants::Subgroup ? AccessUnit::Subgroup : AccessUnit::Group;
  }

  Piece access(MemoryAccess made) {
    const kernel::MemoryRef memory = made.memory;
    if (memory.allocation.valid() && program_.allocations[memory.allocation].space == kernel::AllocationSpace::Private)
      return {};
    if (memory.buffer.valid() && program_.buffers[memory.buffer].kind == kernel::BufferKind::Scalar) return {};
    const auto number = static_cast<std::uint32_t>(result_.accesses.size());
    result_.accesses.push_back(std::move(made));
    if (result_.accesses.back().writes) result_.pairs.push_back({number, number, kOpen, {}, false});
    return {{{number, kOpen}}, {{number, kOpen}}, {kOpen, kOpen}};
  }

  Piece piece(const kernel::AsyncCopyOp&, kernel::OpId op) { return unknown(op); }
  Piece piece(const kernel::WaitOp&, kernel::OpId op) { return unknown(op); }
  Piece piece(const kernel::RingOp&, kernel::OpId op) { return unknown(op); }
  Piece piece(const kernel::RolesOp&, kernel::OpId op) { return unknown(op); }
  Piece unknown(kernel::OpId op) {
    if (!result_.not_followed) result_.not_followed = op;
    return {};
  }

  Piece piece(const kernel::ConstOp& number, kernel::OpId op) {
    constants_[program_.ops[op].results[0]] = number.integer;
    return {};
  }
  std::optional<std::int64_t> constant(kernel::ValueId value) const {
    const auto known = constants_.find(value);
    return known == constants_.end() ? std::nullopt : std::optional(known->second);
  }

  const kernel::Program& program_;
  const kernel::UniformityFacts& facts_;
  const std::set<kernel::OpId>& running_;
  bool distinct_buffers_;
  std::vector<Surrounding> around_;
  std::map<kernel::ValueId, std::int64_t> constants_;
  OpenPairs result_;
};

}  // namespace

OpenPairs open_pairs(const kernel::Program& program, const kernel::Kernel& kernel, const kernel::UniformityFacts& facts,
                     const std::set<kernel::OpId>& running, bool distinct_buffers) {
  return PathWalk(program, facts, running, distinct_buffers).run(kernel);
}

}  // namespace tilewright::sync
