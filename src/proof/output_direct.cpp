#include "proof/output_direct.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/recurrence_closed.h"
#include "proof/statement.h"
#include "support/check.h"

namespace tilewright::proof {

using analysis::Access;
using analysis::Use;
using tile::OpId;

namespace {

class OutputProver {
 public:
  OutputProver(const Subject& subject, OpId op) : subject_(subject), program_(subject.program), op_(op) {}

  Verdict<OutputDirect> run() {
    const auto closed = prove_recurrence_closed(subject_, op_);
    if (const auto* refuted = std::get_if<Refuted>(&closed)) return Refuted{OutputDirect::kNotClosed, refuted->witness};
    if (const auto* unknown = std::get_if<Unknown>(&closed)) return Unknown{OutputDirect::kNotClosed, unknown->reason};
    const CarryOfMma found = *carry_of_mma(subject_, op_);
    if (program_.value(found.carry->argument).element != tile::kF32)
      return broken(OutputDirect::kNotF32, "the accumulator is no f32 tile", op_);
    const auto literal = literal_of(program_, found.carry->init);
    if (!literal)
      return broken_by(OutputDirect::kInitNotLiteral,
                       fmt::format("the initial value is no literal: {} of {}", value_text(program_, found.carry->init),
                                   place_text(program_, found.recurrence->region)));
    if (auto wrong = ask_sink(found)) return *wrong;
    Certificate certificate = certificate_of(subject_, op_);
    certificate.fields = {{"update", op_text(program_, op_)},
                          {"region", region_text(program_, found.recurrence->region)},
                          {"axes", axes_text(program_, found.carry->argument)},
                          {"init", literal_text(*literal)},
                          {"result", value_text(program_, found.carry->result)},
                          {"sink", fmt::format("op {} {}", store_->op.index, access_text(program_, *store_))},
                          {"projection", projection_}};
    return Issuer::issue<OutputDirect>(std::move(certificate));
  }

 private:
  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }

  std::optional<Verdict<OutputDirect>> ask_sink(const CarryOfMma& found) {
    const auto& uses = subject_.uses.of(found.carry->result);
    if (uses.empty()) return broken(OutputDirect::kResultUnused, "nothing uses the result", found.recurrence->region);
    if (uses.size() > 1)
      return broken_by(OutputDirect::kSeveralUses, "the result has another use: " + use_text(program_, uses.back()));
    const Use& use = uses.front();
    const tile::OpPayload& payload = program_.op(use.op).payload;
    if (std::holds_alternative<tile::CastOp>(payload))
      return broken(OutputDirect::kNarrowingCast, "the result is converted before it is stored", use.op);
    const Access* store = subject_.accesses.of(use.op);
    if (store == nullptr || !store->is_store)
      return broken_by(OutputDirect::kComputed, "not a store uses the result: " + use_text(program_, use));
    return ask_store(found, *store);
  }

  std::optional<Verdict<OutputDirect>> ask_store(const CarryOfMma& found, const Access& store) {
    const auto& store_nest = subject_.walk.nest(store.op);
    const auto& region_nest = subject_.walk.nest(found.recurrence->region);
    if (subject_.walk.places[store.op].block != subject_.walk.places[found.recurrence->region].block) {
      const bool conditional = store_nest.branches.size() > region_nest.branches.size();
      return broken(conditional ? OutputDirect::kConditional : OutputDirect::kOtherBlock,
                    "the store stands in a block of its own", store.op);
    }
    if (program_.object(store.object).kind == tile::ObjectKind::Memory)
      return broken(OutputDirect::kMemory, "the store goes to explicit memory", store.op);
    const auto axes = program_.list(program_.value(found.carry->result).axes);
    for (const analysis::Dimension& dimension : store.domain.dimensions)
      if (!dimension.is_coord() && std::find(axes.begin(), axes.end(), dimension.axis) == axes.end())
        return broken(OutputDirect::kExtraAxis, "the store broadcasts the result", store.op);
    if (const auto fault = form_fault(program_, store)) return Unknown{OutputDirect::kNotAffine, *fault};
    for (tile::AxisId axis : axes) {
      const auto at = store.unit_dimension_of(axis);
      const std::string& label = program_.axes()[axis].label;
      if (!at)
        return broken(OutputDirect::kNotProjected, fmt::format("axis {} has no unit dimension of its own", label),
                      store.op);
      projection_ += fmt::format("{}{} to dimension {}", projection_.empty() ? "" : ", ", label, *at);
    }
    store_ = &store;
    return std::nullopt;
  }

  const Subject& subject_;
  const tile::Program& program_;
  OpId op_;
  const Access* store_ = nullptr;
  std::string projection_;
};

}  // namespace

Verdict<OutputDirect> prove_output_direct(const Subject& subject, OpId op) { return OutputProver(subject, op).run(); }

}  // namespace tilewright::proof
