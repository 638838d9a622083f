#include "proof/recurrence_closed.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "analysis/effects.h"
#include "analysis/roles.h"
#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/statement.h"
#include "support/check.h"

namespace tilewright::proof {

using analysis::OpenReason;
using tile::OpId;

namespace {

std::string_view code_of(OpenReason reason) {
  switch (reason) {
    case OpenReason::AccumulatorDiffers:
      return RecurrenceClosed::kAccumulatorDiffers;
    case OpenReason::CarryIsOperand:
      return RecurrenceClosed::kCarryIsOperand;
    case OpenReason::CarryObserved:
      return RecurrenceClosed::kCarryObserved;
    case OpenReason::ResultObserved:
      return RecurrenceClosed::kResultObserved;
    case OpenReason::YieldIsNoMma:
    case OpenReason::YieldIsUnchanged:
    case OpenReason::MmaInInnerBlock:
      break;
  }
  return RecurrenceClosed::kNotYielded;
}

class RecurrenceProver {
 public:
  RecurrenceProver(const Subject& subject, OpId op) : subject_(subject), program_(subject.program), op_(op) {}

  Verdict<RecurrenceClosed> run() const {
    const analysis::Nest& nest = subject_.walk.nest(op_);
    if (nest.role == analysis::BlockRole::Then || nest.role == analysis::BlockRole::Else)
      return broken(RecurrenceClosed::kInBranch, "the mma stands in a branch", op_);
    if (nest.regions.empty() || !iterates(nest.regions.back().kind))
      return broken(RecurrenceClosed::kNoLoop, "no serial or pipeline region holds the mma", op_);
    const auto found = carry_of_mma(subject_, op_);
    if (!found) return broken(RecurrenceClosed::kNotYielded, "the result is no next value of the region", op_);
    if (!found->carry->is_closed()) return open(found->carry->faults.front());
    if (const OpId region = found->recurrence->region; holds_another_mma(region))
      if (const OpId source = source_in(region); source.valid())
        return broken(RecurrenceClosed::kSeveralMma, "an operand may come from another mma of the region", source);
    return ask_trips(*found, nest.regions.back());
  }

 private:
  static bool iterates(tile::RegionKind kind) {
    return kind == tile::RegionKind::Serial || kind == tile::RegionKind::Pipeline;
  }

  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }

  Refuted open(const analysis::OpenFault& fault) const {
    std::string what = analysis::to_text(program_, fault);
    what += ": " + (fault.observers.empty() ? place_text(program_, op_) : use_text(program_, fault.observers.front()));
    return broken_by(code_of(fault.reason), std::move(what));
  }

  bool holds_another_mma(OpId region) const {
    return std::any_of(subject_.walk.order.begin(), subject_.walk.order.end(), [&](OpId op) {
      return op != op_ && analysis::as_mma(program_, op) != nullptr && subject_.walk.encloses(region, op);
    });
  }

  /// An mma of the region that an operand is made of, or a load that its stores may reach; none when there is none.
  OpId source_in(OpId region) const {
    const tile::MmaOp& mma = *analysis::as_mma(program_, op_);
    const analysis::Effects effects = analysis::effects_of(program_, region);
    std::vector<tile::ValueId> open{mma.a, mma.b};
    std::set<tile::ValueId> seen;
    while (!open.empty()) {
      const tile::ValueId value = open.back();
      open.pop_back();
      const analysis::Definition& made_by = subject_.uses.definitions[value];
      const bool is_inside = made_by.op == region || subject_.walk.encloses(region, made_by.op);
      if (!is_inside || !seen.insert(value).second) continue;
      if (analysis::as_mma(program_, made_by.op) != nullptr) return made_by.op;
      const analysis::Access* load = subject_.accesses.of(made_by.op);
      if (load != nullptr && (!effects.opaque.empty() ||
                              std::count(effects.may_write.begin(), effects.may_write.end(), load->object) != 0))
        return made_by.op;
      add_sources(made_by, open);
    }
    return {};
  }

  void add_sources(const analysis::Definition& made_by, std::vector<tile::ValueId>& open) const {
    const tile::OpPayload& payload = program_.op(made_by.op).payload;
    const auto add_yield = [&](tile::BlockId block) {
      if (block.valid()) open.push_back(program_.list(program_.block(block).yields)[made_by.position]);
    };
    if (const auto* region = std::get_if<tile::RegionOp>(&payload)) {
      open.push_back(program_.list(region->inits)[made_by.position]);
      add_yield(region->body);
    } else if (const auto* branch = std::get_if<tile::IfOp>(&payload)) {
      open.push_back(branch->condition);
      open.push_back(program_.list(branch->inits)[made_by.position]);
      add_yield(branch->then_block);
      add_yield(branch->else_block);
    } else {
      tile::for_each_operand(program_, payload, [&](tile::ValueId operand) { open.push_back(operand); });
    }
  }

  Verdict<RecurrenceClosed> ask_trips(const CarryOfMma& found, const analysis::NestRegion& region) const {
    const auto trips = found.recurrence->constant_trips;
    if (trips == 0) return broken(RecurrenceClosed::kZeroTrip, "the region has no iteration", region.region);
    if (!trips && !region.surely_runs)
      return Unknown{RecurrenceClosed::kMaybeZeroTrip,
                     "the region may have no iteration: " + place_text(program_, region.region)};
    Certificate certificate = certificate_of(subject_, op_);
    certificate.fields = {{"region", region_text(program_, found.recurrence->region)},
                          {"update", op_text(program_, op_)},
                          {"carry", fmt::format("{}", found.carry->index)},
                          {"axes", axes_text(program_, found.carry->argument)},
                          {"init", value_text(program_, found.carry->init)},
                          {"result", value_text(program_, found.carry->result)},
                          {"trips", trips ? fmt::format("{}", *trips) : "at least 1"}};
    return Issuer::issue<RecurrenceClosed>(std::move(certificate));
  }

  const Subject& subject_;
  const tile::Program& program_;
  OpId op_;
};

}  // namespace

Verdict<RecurrenceClosed> prove_recurrence_closed(const Subject& subject, OpId op) {
  TW_CHECK(analysis::as_mma(subject.program, op) != nullptr);
  return RecurrenceProver(subject, op).run();
}

std::optional<CarryOfMma> carry_of_mma(const Subject& subject, OpId op) {
  const tile::ValueId result = subject.program.list(subject.program.op(op).results)[0];
  for (const analysis::Recurrence& recurrence : subject.recurrences) {
    const auto& region = std::get<tile::RegionOp>(subject.program.op(recurrence.region).payload);
    if (region.body != subject.walk.places[op].block) continue;
    for (const analysis::Carry& carry : recurrence.carries)
      if (carry.yield == result) return CarryOfMma{&recurrence, &carry};
  }
  return std::nullopt;
}

}  // namespace tilewright::proof
