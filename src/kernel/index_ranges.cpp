#include "kernel/index_ranges.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>

#include "kernel/arithmetic.h"
#include "support/checked_math.h"

namespace tilewright::kernel {

namespace {

__extension__ using Wide = __int128;

/// Before it is known whether the type holds it.
struct WideRange {
  Wide low, high;
};
WideRange widened(const IndexRange& range) { return {range.low, range.high}; }
WideRange hull(std::initializer_list<Wide> corners) { return {std::min(corners), std::max(corners)}; }
IndexRange joined(const IndexRange& a, const IndexRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

WideRange sum(const WideRange& a, const WideRange& b) { return {a.low + b.low, a.high + b.high}; }
WideRange product(const IndexRange& a, const IndexRange& b) {
  return hull({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high});
}

class RangeWalk {
 public:
  RangeWalk(const Program& program, const Kernel& kernel, std::vector<IndexRange>& ranges, std::vector<bool>& wraps)
      : program_(program), kernel_(kernel), ranges_(ranges), wraps_(wraps) {}

  void run() {
    if (kernel_.groups == 0) task_coordinates(kernel_.body);
    block(kernel_.body);
  }

 private:
  ScalarType scalar(ValueId value) const { return program_.values[value].scalar; }
  bool is_integer(ValueId value) const { return !is_float_scalar(scalar(value)); }
  IndexRange& of(ValueId value) { return ranges_[value.index]; }

  void set(ValueId value, const IndexRange& range) { of(value) = range; }
  /// What leaves the type wraps to anything in it.
  void set_exact(ValueId value, const WideRange& range) {
    const IndexRange all = range_of_type(scalar(value));
    const bool wraps = range.low < all.low || range.high > all.high;
    wraps_[value.index] = wraps;
    set(value, wraps ? all : IndexRange{static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)});
  }

  void task_coordinates(BlockId body) {
    const std::vector<ValueId>& args = program_.blocks[body].args;
    if (kernel_.ranges) {
      const std::int64_t tasks = std::max<std::int64_t>(kernel_.task_extents[0], 1);
      set(args[0], {0, tasks - 1});
      set(args[1], {1, tasks});
      return;
    }
    for (std::size_t i = 0; i < args.size(); ++i)
      set(args[i], {0, std::max<std::int64_t>(kernel_.task_extents[i] - 1, 0)});
  }

  void block(BlockId id) {
    for (OpId op : program_.blocks[id].ops)
      std::visit([&](const auto& payload) { visit(payload, program_.ops[op]); }, program_.ops[op].payload);
  }

  // ---- Operations that give any number ----------------------------------------------------------------------------

  template <class Payload>
  void visit(const Payload&, const Op& op) {
    for (ValueId result : op.results) set(result, range_of_type(scalar(result)));
  }

  // ---- Arithmetic --------------------------------------------------------------------------------------------------

  void visit(const ConstOp& payload, const Op& op) {
    if (is_integer(op.results[0])) set(op.results[0], {payload.integer, payload.integer});
  }
  void visit(const UnaryOp& payload, const Op& op) {
    if (!is_integer(op.results[0])) return;
    const IndexRange a = of(payload.operand);
    if (payload.kind == UnaryKind::Not) return set(op.results[0], {1 - a.high, 1 - a.low});
    if (payload.kind == UnaryKind::Neg) return set_exact(op.results[0], {-Wide{a.high}, -Wide{a.low}});
    if (payload.kind == UnaryKind::Abs) {
      const Wide low = a.low > 0 ? Wide{a.low} : a.high < 0 ? -Wide{a.high} : Wide{0};
      return set_exact(op.results[0], {low, std::max(Wide{a.high}, -Wide{a.low})});
    }
    set(op.results[0], range_of_type(scalar(op.results[0])));
  }
  void visit(const BinaryOp& payload, const Op& op) {
    const ValueId result = op.results[0];
    if (!is_integer(result)) return;
    const IndexRange a = of(payload.lhs), b = of(payload.rhs);
    switch (payload.kind) {
      case BinaryKind::Add:
        return set_exact(result, sum(widened(a), widened(b)));
      case BinaryKind::Sub:
        return set_exact(result, {Wide{a.low} - b.high, Wide{a.high} - b.low});
      case BinaryKind::Mul:
        return set_exact(result, product(a, b));
      case BinaryKind::Max:
        return set(result, {std::max(a.low, b.low), std::max(a.high, b.high)});
      case BinaryKind::Min:
        return set(result, {std::min(a.low, b.low), std::min(a.high, b.high)});
      case BinaryKind::FloorDiv:
        return set(result, quotient(a, b, scalar(result)));
      case BinaryKind::FloorMod:
        return set(result, rest(a, b, scalar(result)));
      case BinaryKind::Shl:
      case BinaryKind::Shr:
        return shift(payload.kind, result, a, b);
      case BinaryKind::And:
      case BinaryKind::Or:
      case BinaryKind::Xor:
        return set(result, bits(payload.kind, a, b, scalar(result)));
      case BinaryKind::Div:
      case BinaryKind::Fmod:
        return;
    }
  }
  static IndexRange quotient(const IndexRange& a, const IndexRange& b, ScalarType scalar) {
    if (b.low <= 0) return range_of_type(scalar);
    const auto [low, high] = std::minmax(
        {floor_div(a.low, b.low), floor_div(a.low, b.high), floor_div(a.high, b.low), floor_div(a.high, b.high)});
    return {low, high};
  }
  static IndexRange rest(const IndexRange& a, const IndexRange& b, ScalarType scalar) {
    if (b.low <= 0) return range_of_type(scalar);
    if (a.low >= 0 && a.high < b.low) return a;
    if (a.is_point() && b.is_point()) return {floor_mod(a.low, b.low), floor_mod(a.low, b.low)};
    return {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
  }
  void shift(BinaryKind kind, ValueId result, const IndexRange& a, const IndexRange& count) {
    const std::int64_t width = scalar(result) == ScalarType::I32 ? 32 : 64;
    const bool known = count.is_point() && count.low >= 0 && count.low < width;
    if (known && kind == BinaryKind::Shl) {
      const Wide factor = Wide{1} << count.low;
      return set_exact(result, {Wide{a.low} * factor, Wide{a.high} * factor});
    }
    if (known && a.low >= 0) return set(result, {a.low >> count.low, a.high >> count.low});
    wraps_[result.index] = kind == BinaryKind::Shl;
    set(result, range_of_type(scalar(result)));
  }
  static IndexRange bits(BinaryKind kind, const IndexRange& a, const IndexRange& b, ScalarType scalar) {
    if (scalar == ScalarType::I1) return truths(kind, a, b);
    if (a.low < 0 || b.low < 0) return range_of_type(scalar);
    if (kind == BinaryKind::And) return {0, std::min(a.high, b.high)};
    const int width = std::bit_width(static_cast<std::uint64_t>(std::max(a.high, b.high)));
    return {0, static_cast<std::int64_t>((std::uint64_t{1} << width) - 1)};
  }

  static IndexRange truths(BinaryKind kind, const IndexRange& a, const IndexRange& b) {
    if (kind == BinaryKind::And) return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (kind == BinaryKind::Or) return {std::max(a.low, b.low), std::max(a.high, b.high)};
    return a.is_point() && b.is_point() ? IndexRange{a.low ^ b.low, a.low ^ b.low} : IndexRange{0, 1};
  }

  void visit(const CompareOp& payload, const Op& op) {
    const ValueId result = op.results[0];
    const bool known = is_integer(payload.lhs);
    set(result, known ? compared(payload.kind, of(payload.lhs), of(payload.rhs)) : IndexRange{0, 1});
  }
  static IndexRange compared(CompareKind kind, const IndexRange& a, const IndexRange& b) {
    const auto certain = [](bool yes, bool no) { return IndexRange{yes ? 1 : 0, no ? 0 : 1}; };
    const bool apart = a.high < b.low || b.high < a.low, same = a.is_point() && a == b;
    switch (kind) {
      case CompareKind::Lt:
        return certain(a.high < b.low, a.low >= b.high);
      case CompareKind::Le:
        return certain(a.high <= b.low, a.low > b.high);
      case CompareKind::Gt:
        return certain(a.low > b.high, a.high <= b.low);
      case CompareKind::Ge:
        return certain(a.low >= b.high, a.high < b.low);
      case CompareKind::Eq:
        return certain(same, apart);
      case CompareKind::Ne:
        return certain(apart, same);
    }
    return {0, 1};
  }

  void visit(const FmaOp& payload, const Op& op) {
    if (!is_integer(op.results[0])) return;
    const WideRange multiplied = product(of(payload.a), of(payload.b));
    set_exact(op.results[0], multiplied);
    if (!wraps_[op.results[0].index]) set_exact(op.results[0], sum(multiplied, widened(of(payload.c))));
  }
  void visit(const SelectOp& payload, const Op& op) {
    const IndexRange chosen = of(payload.condition);
    if (chosen.is_point()) return set(op.results[0], of(chosen.low != 0 ? payload.if_true : payload.if_false));
    set(op.results[0], joined(of(payload.if_true), of(payload.if_false)));
  }
  void visit(const CastOp& payload, const Op& op) {
    const ValueId result = op.results[0];
    const IndexRange all = range_of_type(scalar(result));
    const bool kept = is_integer(payload.operand) && is_integer(result) && scalar(result) != ScalarType::I1;
    set(result, kept && of(payload.operand).within(all) ? of(payload.operand) : all);
  }

  // ---- Lanes, workers, fragments -----------------------------------------------------------------------------------

  void visit(const SplatOp& payload, const Op& op) { set(op.results[0], of(payload.operand)); }
  void visit(const ExtractOp& payload, const Op& op) { set(op.results[0], of(payload.operand)); }
  void visit(const ZipOp& payload, const Op& op) { set(op.results[0], joined(of(payload.lhs), of(payload.rhs))); }
  void visit(const ShuffleOp& payload, const Op& op) { set(op.results[0], of(payload.operand)); }
  void visit(const FragmentFillOp& payload, const Op& op) { set(op.results[0], of(payload.scalar)); }
  void visit(const IotaOp&, const Op& op) { set(op.results[0], {0, program_.values[op.results[0]].lanes - 1}); }
  void visit(const FragmentCoordinateOp& payload, const Op& op) {
    const ValueType type = program_.values[op.results[0]];
    set(op.results[0], {0, (payload.axis == FragmentAxis::Row ? type.rows : type.columns) - 1});
  }
  void visit(const WorkerOp& payload, const Op& op) {
    const Group& group = kernel_.group;
    const std::int64_t count = payload.query == WorkerQuery::Worker ? group.workers
                               : payload.query == WorkerQuery::Lane ? group.subgroup_size
                                                                    : group.workers / group.subgroup_size;
    set(op.results[0], {0, count - 1});
  }
  void visit(const GroupOrdinalOp&, const Op& op) {
    set(op.results[0], {0, std::max<std::int64_t>(kernel_.groups - 1, 0)});
  }
  void combined(LaneFold kind, ValueId result, ValueId operand, std::int64_t count) {
    if (!is_integer(result)) return;
    const IndexRange a = of(operand);
    if (kind != LaneFold::Add) return set(result, a);
    set_exact(result, hull({Wide{a.low}, Wide{a.low} * count, Wide{a.high}, Wide{a.high} * count}));
  }
  void visit(const FoldLanesOp& payload, const Op& op) {
    combined(payload.kind, op.results[0], payload.operand, program_.values[payload.operand].lanes);
  }
  void visit(const SubgroupReduceOp& payload, const Op& op) {
    combined(payload.kind, op.results[0], payload.operand, kernel_.group.subgroup_size);
  }

  // ---- Control -----------------------------------------------------------------------------------------------------

  void visit(const IfOp& payload, const Op& op) {
    block(payload.then_block);
    if (payload.else_block.valid()) block(payload.else_block);
    for (std::size_t i = 0; i < op.results.size(); ++i)
      set(op.results[i],
          joined(of(program_.blocks[payload.then_block].yields[i]), of(program_.blocks[payload.else_block].yields[i])));
  }

  void visit(const LoopOp& payload, const Op& op) {
    const Block& body = program_.blocks[payload.body];
    const IndexRange low = of(payload.low), high = of(payload.high);
    set(body.args[0], {low.low, std::max(low.low, checked_sub(high.high, 1).value_or(INT64_MIN))});
    for (std::size_t i = 0; i < payload.inits.size(); ++i) set(body.args[i + 1], of(payload.inits[i]));
    // A carry that leaves its range can be anything: every round widens at least one.
    for (bool stable = false; !stable;) {
      block(payload.body);
      stable = true;
      for (std::size_t i = 0; i < payload.inits.size(); ++i) {
        if (!is_integer(body.args[i + 1]) || of(body.yields[i]).within(of(body.args[i + 1]))) continue;
        set(body.args[i + 1], range_of_type(scalar(body.args[i + 1])));
        stable = false;
      }
    }
    for (std::size_t i = 0; i < payload.inits.size(); ++i) set(op.results[i], of(body.args[i + 1]));
  }
  void visit(const TaskLoopOp& payload, const Op&) {
    task_coordinates(payload.body);
    block(payload.body);
  }
  void visit(const RolesOp& payload, const Op&) {
    for (const Role& role : payload.roles) block(role.block);
  }

  const Program& program_;
  const Kernel& kernel_;
  std::vector<IndexRange>& ranges_;
  std::vector<bool>& wraps_;
};

}  // namespace

IndexRange range_of_type(ScalarType scalar) {
  if (scalar == ScalarType::I1) return {0, 1};
  if (scalar == ScalarType::I32) return kRangeOfI32;
  return {};
}

IndexRanges index_ranges(const Program& program, const Kernel& kernel) {
  IndexRanges result;
  result.ranges_.resize(program.values.size());
  result.wraps_.assign(program.values.size(), false);
  RangeWalk(program, kernel, result.ranges_, result.wraps_).run();
  return result;
}

}  // namespace tilewright::kernel
