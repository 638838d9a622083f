#include "proof/epilogue_same_owner.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/recurrence_closed.h"
#include "proof/statement.h"
#include "support/check.h"

namespace tilewright::proof {

using analysis::Access;
using tile::OpId;
using tile::ValueId;

namespace {

std::set<tile::AxisId> axis_set(const tile::Program& program, ValueId value) {
  const auto axes = program.list(program.value(value).axes);
  return {axes.begin(), axes.end()};
}

class EpilogueProver {
 public:
  EpilogueProver(const Subject& subject, const Access& store, EpilogueOperands operands)
      : subject_(subject),
        program_(subject.program),
        store_(store),
        may_load_(operands == EpilogueOperands::Loads),
        made_of_(analysis::pure_sources_of(program_, subject.uses, store.value)) {}

  Verdict<EpilogueSameOwner> run() {
    if (auto other = find_accumulator()) return *other;
    if (auto fault = ask_leaves()) return *fault;
    if (auto fault = ask_producers()) return *fault;
    if (auto fault = ask_consumers()) return *fault;
    if (auto fault = ask_sink()) return *fault;
    Certificate certificate = certificate_of(subject_, store_.op);
    certificate.fields = {{"accumulator", value_text(program_, accumulator_)},
                          {"update", fmt::format("op {} {}", mma_.index, op_text(program_, mma_))},
                          {"axes", axes_text(program_, accumulator_)},
                          {"producers", producers_.empty() ? "none" : producers_},
                          {"sink", access_text(program_, store_)}};
    if (const std::string operands = operands_text(); !operands.empty())
      certificate.fields.push_back({"operands", operands});
    return Issuer::issue<EpilogueSameOwner>(std::move(certificate));
  }

 private:
  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }

  std::optional<Verdict<EpilogueSameOwner>> find_accumulator() {
    for (ValueId leaf : made_of_.leaves) {
      const analysis::Definition& definition = subject_.uses.definitions[leaf];
      if (definition.kind != analysis::DefinitionKind::RegionResult || is_number(leaf)) continue;
      accumulator_ = leaf;
      region_ = definition.op;
      break;
    }
    if (!accumulator_.valid())
      return broken(EpilogueSameOwner::kNoAccumulator, "no result of a region reaches the store", store_.op);
    for (const analysis::Recurrence& recurrence : subject_.recurrences)
      for (const analysis::Carry& carry : recurrence.carries)
        if (carry.result == accumulator_ && carry.is_closed()) mma_ = *carry.closed_mma;
    if (!mma_.valid())
      return broken(EpilogueSameOwner::kNotClosed, value_text(program_, accumulator_) + " is no closed update",
                    region_);
    const auto closed = prove_recurrence_closed(subject_, mma_);
    if (const auto* refuted = std::get_if<Refuted>(&closed))
      return Refuted{EpilogueSameOwner::kNotClosed, refuted->witness};
    if (const auto* unknown = std::get_if<Unknown>(&closed))
      return Unknown{EpilogueSameOwner::kNotClosed, unknown->reason};
    return std::nullopt;
  }

  bool is_number(ValueId value) const { return program_.value(value).axes.empty(); }

  std::string operands_text() const {
    std::vector<std::string> texts;
    for (ValueId leaf : made_of_.leaves)
      if (leaf != accumulator_) texts.push_back(value_text(program_, leaf));
    std::ranges::sort(texts);
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::optional<Refuted> ask_leaves() const {
    for (ValueId leaf : made_of_.leaves) {
      if (leaf == accumulator_ || is_number(leaf)) continue;
      const analysis::Definition& definition = subject_.uses.definitions[leaf];
      const OpId by = definition.op;
      const bool loaded = definition.kind == analysis::DefinitionKind::Op && subject_.accesses.of(by) != nullptr;
      if (loaded && may_load_ && !is_in_memory_as_float(program_.value(leaf).element.data))
        return broken(EpilogueSameOwner::kElementType, "fragments are loaded from memory of floats", by);
      if (loaded && may_load_) continue;
      if (loaded) return broken(EpilogueSameOwner::kOtherLoad, "another buffer reaches the store", by);
      return broken(EpilogueSameOwner::kOtherValue, value_text(program_, leaf) + " reaches the store", by);
    }
    return std::nullopt;
  }

  static bool is_in_memory_as_float(DataType type) {
    return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16;
  }
  bool is_kept_in_fragments(ValueId value) const {
    const DataType type = program_.value(value).element.data;
    return is_in_memory_as_float(type) || type == DataType::Bool;
  }

  /// Whether it moves elements is a matter of the operation; whether it is the same owner's, of the axes.
  std::optional<Refuted> ask_producers() {
    std::set<ValueId> dependent{accumulator_};
    const auto full = axis_set(program_, accumulator_);
    std::size_t count = 0;
    for (OpId op : made_of_.ops) {
      const tile::OpPayload& payload = program_.op(op).payload;
      const ValueId result = program_.list(program_.op(op).results)[0];
      const auto axes = axis_set(program_, result);
      if (std::holds_alternative<tile::IndexValueOp>(payload))
        return broken(EpilogueSameOwner::kIndexValue, "a value depends on its coordinates", op);
      if (std::holds_alternative<tile::ReindexOp>(payload) || std::holds_alternative<tile::GatherOp>(payload) ||
          std::holds_alternative<tile::ReduceOp>(payload) || std::holds_alternative<tile::MmaOp>(payload))
        return broken(EpilogueSameOwner::kMovesElements, "elements of other coordinates are read", op);
      bool depends = false;
      tile::for_each_operand(program_, payload, [&](ValueId operand) { depends |= dependent.contains(operand); });
      if (depends) dependent.insert(result);
      const bool fits = depends ? axes == full : std::includes(full.begin(), full.end(), axes.begin(), axes.end());
      if (!fits) return broken(EpilogueSameOwner::kAxesDiffer, "the axes are not those of the accumulator", op);
      if (!is_number(result) && !is_kept_in_fragments(result))
        return broken(EpilogueSameOwner::kElementType, "fragments hold no integers", op);
      if (std::holds_alternative<tile::ConstantOp>(payload)) continue;
      if (++count > kMostProducers)
        return broken(EpilogueSameOwner::kTooMany, fmt::format("more than {} operations", kMostProducers), op);
      producers_ += fmt::format("{}op {} {}", producers_.empty() ? "" : ", ", op.index, op_text(program_, op));
    }
    return std::nullopt;
  }

  std::optional<Refuted> ask_consumers() const {
    const analysis::PureSlice reached = analysis::pure_uses_of(program_, subject_.uses, accumulator_);
    for (const analysis::Use& use : reached.exits) {
      if (use.op == store_.op) continue;
      const Access* access = subject_.accesses.of(use.op);
      if (access != nullptr && access->is_store)
        return broken(EpilogueSameOwner::kSecondSink, "another store publishes it", use.op);
      return broken_by(EpilogueSameOwner::kExtraConsumer, "another use reads it: " + use_text(program_, use));
    }
    for (OpId op : reached.ops)
      if (std::find(made_of_.ops.begin(), made_of_.ops.end(), op) == made_of_.ops.end())
        return broken(EpilogueSameOwner::kExtraConsumer, "another operation reads it", op);
    return std::nullopt;
  }

  std::optional<Refuted> ask_sink() const {
    if (program_.object(store_.object).kind == tile::ObjectKind::Memory)
      return broken(EpilogueSameOwner::kMemory, "the store goes to explicit memory", store_.op);
    if (!is_in_memory_as_float(program_.object(store_.object).element.data))
      return broken(EpilogueSameOwner::kElementType, "fragments are stored to memory of floats", store_.op);
    if (subject_.walk.places[store_.op].block != subject_.walk.places[region_].block)
      return broken(EpilogueSameOwner::kOtherBlock, "the store stands in a block of its own", store_.op);
    std::set<tile::AxisId> axes;
    for (const analysis::Dimension& dimension : store_.domain.dimensions)
      if (!dimension.is_coord()) axes.insert(dimension.axis);
    if (axes != axis_set(program_, accumulator_))
      return broken(EpilogueSameOwner::kAxesDiffer, "the axes are not those of the accumulator", store_.op);
    return std::nullopt;
  }

  const Subject& subject_;
  const tile::Program& program_;
  const Access& store_;
  bool may_load_;
  analysis::PureSources made_of_;
  ValueId accumulator_;
  OpId region_, mma_;
  std::string producers_;
};

}  // namespace

Verdict<EpilogueSameOwner> prove_epilogue_same_owner(const Subject& subject, OpId op, EpilogueOperands operands) {
  const Access* store = subject.accesses.of(op);
  TW_CHECK(store != nullptr && store->is_store);
  return EpilogueProver(subject, *store, operands).run();
}

}  // namespace tilewright::proof
