#include "analysis/recurrences.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "analysis/roles.h"
#include "support/checked_math.h"

namespace tilewright::analysis {

using tile::OpId;
using tile::RegionKind;
using tile::RegionOp;
using tile::ValueId;

namespace {

constexpr std::uint32_t kAccumulatorOperand = 2;

class CarryClassifier {
 public:
  CarryClassifier(const tile::Program& program, const Walk& walk, const Uses& uses, OpId region, tile::BlockId body)
      : program_(program), walk_(walk), uses_(uses), region_(region), body_(body) {}

  void classify(Carry& carry) const {
    const Definition& made_by = uses_.definitions[carry.yield];
    if (const auto reason = why_no_update(carry, made_by)) {
      carry.faults.push_back({*reason, {}});
      return;
    }
    const tile::MmaOp& mma = *as_mma(program_, made_by.op);
    if (mma.c != carry.argument) carry.faults.push_back({OpenReason::AccumulatorDiffers, {}});
    check_argument(carry, made_by.op, mma);
    std::vector<Use> others;
    for (const Use& use : uses_.of(carry.yield))
      if (use != Use{UseKind::Yield, region_, carry.index, body_}) others.push_back(use);
    if (!others.empty()) carry.faults.push_back({OpenReason::ResultObserved, std::move(others)});
    if (carry.faults.empty()) carry.closed_mma = made_by.op;
  }

 private:
  std::optional<OpenReason> why_no_update(const Carry& carry, const Definition& made_by) const {
    if (carry.yield == carry.argument) return OpenReason::YieldIsUnchanged;
    if (made_by.kind == DefinitionKind::RegionCarry)
      return made_by.op == region_ ? OpenReason::YieldIsNoMma : OpenReason::YieldIsUnchanged;
    if (walk_.places[made_by.op].block != body_) return OpenReason::YieldIsUnchanged;
    if (made_by.kind != DefinitionKind::Op) return OpenReason::MmaInInnerBlock;
    if (as_mma(program_, made_by.op) == nullptr) return OpenReason::YieldIsNoMma;
    return std::nullopt;
  }

  /// The carry may be used as the accumulator and nowhere else.
  void check_argument(Carry& carry, OpId mma_op, const tile::MmaOp& mma) const {
    std::set<OpId> sources;
    bool is_operand = false;
    for (ValueId operand : {mma.a, mma.b}) {
      const PureSources made_of = pure_sources_of(program_, uses_, operand);
      sources.insert(made_of.ops.begin(), made_of.ops.end());
      is_operand |= std::count(made_of.leaves.begin(), made_of.leaves.end(), carry.argument) != 0;
    }
    OpenFault operand{OpenReason::CarryIsOperand, {}}, observed{OpenReason::CarryObserved, {}};
    for (const Use& use : uses_.of(carry.argument)) {
      const bool by_mma = use.kind == UseKind::Operand && use.op == mma_op;
      if (by_mma && use.position == kAccumulatorOperand) continue;
      const bool into_operand = by_mma || (use.kind == UseKind::Operand && sources.contains(use.op));
      (into_operand ? operand : observed).observers.push_back(use);
    }
    if (is_operand) carry.faults.push_back(std::move(operand));
    if (!observed.observers.empty()) carry.faults.push_back(std::move(observed));
  }

  const tile::Program& program_;
  const Walk& walk_;
  const Uses& uses_;
  OpId region_;
  tile::BlockId body_;
};

}  // namespace

std::optional<std::int64_t> constant_trips(const tile::Program& program, const RegionOp& region) {
  std::optional<std::int64_t> trips = 1;
  bool surely_none = false;
  for (tile::CoordId coord : program.list(region.coords)) {
    const auto extent = program.index().as_constant(program.coords()[coord].extent);
    surely_none |= extent && *extent <= 0;
    trips = trips && extent ? checked_mul(*trips, *extent) : std::nullopt;
  }
  return surely_none ? 0 : trips;
}

std::vector<Recurrence> recurrences(const tile::Program& program, const Walk& walk, const Uses& uses) {
  std::vector<Recurrence> all;
  for (OpId op : walk.order) {
    const auto* region = std::get_if<RegionOp>(&program.op(op).payload);
    if (region == nullptr || (region->kind != RegionKind::Serial && region->kind != RegionKind::Pipeline)) continue;
    Recurrence recurrence{op, region->kind, {}, constant_trips(program, *region), walk.loop_depth(op)};
    const auto inits = program.list(region->inits);
    const auto arguments = program.list(program.block(region->body).args);
    const auto yields = program.list(program.block(region->body).yields);
    const auto results = program.list(program.op(op).results);
    const CarryClassifier classifier(program, walk, uses, op, region->body);
    for (std::uint32_t j = 0; j < inits.size(); ++j) {
      Carry carry{j, inits[j], arguments[j], yields[j], results[j], std::nullopt, {}};
      classifier.classify(carry);
      recurrence.carries.push_back(std::move(carry));
    }
    all.push_back(std::move(recurrence));
  }
  return all;
}

std::string to_text(const tile::Program& program, const OpenFault& fault) {
  auto sentence = [&](const char* text) {
    if (fault.observers.empty()) return std::string(text);
    const auto line = program.place(program.op(fault.observers[0].op).location).line;
    return fmt::format("{} (line {})", text, line);
  };
  switch (fault.reason) {
    case OpenReason::YieldIsNoMma:
      return sentence("the next value is not the result of an mma");
    case OpenReason::YieldIsUnchanged:
      return sentence("the iteration makes no next value");
    case OpenReason::MmaInInnerBlock:
      return sentence("an inner region or if makes the next value");
    case OpenReason::AccumulatorDiffers:
      return sentence("the mma accumulates onto another value than the carry");
    case OpenReason::CarryIsOperand:
      return sentence("the carry is an operand of its own mma");
    case OpenReason::CarryObserved:
      return sentence("the carry has another use");
    case OpenReason::ResultObserved:
      return sentence("the result of the mma has another use");
  }
  return {};
}

}  // namespace tilewright::analysis
