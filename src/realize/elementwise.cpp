#include "realize/elementwise.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/effects.h"
#include "proof/store_cover.h"
#include "realize/admission.h"
#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::realize {

using tile::OpId;

namespace {

bool is_pointwise(const tile::OpPayload& payload) {
  return std::visit(tile::Overloaded{
                        [](const tile::ConstantOp&) { return true; },
                        [](const tile::IndexValueOp&) { return true; },
                        [](const tile::UnaryOp&) { return true; },
                        [](const tile::BinaryOp&) { return true; },
                        [](const tile::SelectOp&) { return true; },
                        [](const tile::CastOp&) { return true; },
                        [](const tile::BroadcastOp&) { return true; },
                        [](const tile::LoadOp&) { return true; },
                        [](const tile::StoreOp&) { return true; },
                        [](const auto&) { return false; },
                    },
                    payload);
}

class ElementwiseFinder {
 public:
  ElementwiseFinder(const proof::Subject& subject, std::uint32_t launch, const sets::Context& context)
      : subject_(subject), program_(subject.program), launch_(launch), context_(context) {
    const OpId region = subject.walk.launches[launch];
    for (OpId op : subject.walk.order)
      if (op != region && subject.walk.places[op].launch == launch) ops_.push_back(op);
  }

  std::expected<ElementwiseFacts, Refusal> run() {
    if (shared_scope(subject_, launch_).valid())
      return std::unexpected(Refusal{ElementwiseCodes::kFixedScope, "the program says who runs a region"});
    for (OpId op : ops_)
      if (auto fault = form_fault(op)) return std::unexpected(std::move(*fault));
    if (made_.stores.empty()) return std::unexpected(Refusal{ElementwiseCodes::kNoStore, "the launch stores nothing"});
    if (made_.scalar_temporaries > kMostScalarTemporaries)
      return std::unexpected(
          Refusal{ElementwiseCodes::kTooManyTemporaries,
                  fmt::format("{} shared values, the limit is {}", made_.scalar_temporaries, kMostScalarTemporaries),
                  {{"scalar_temporaries", made_.scalar_temporaries}, {"limit", kMostScalarTemporaries}}});
    for (OpId store : made_.stores) {
      if (auto fault = domain_fault(store)) return std::unexpected(std::move(*fault));
      if (auto fault = alias_fault(store)) return std::unexpected(std::move(*fault));
      const auto verdict = proof::prove_store_cover(subject_, store, context_);
      const auto* proved = std::get_if<proof::Proved<proof::MapExactCover>>(&verdict);
      if (proved == nullptr)
        return std::unexpected(
            Refusal{ElementwiseCodes::kNotCovered,
                    fmt::format("the store is not proved to write each element of {} once", name_of(store)),
                    {},
                    store});
      made_.covers.push_back(*proved);
    }
    return std::move(made_);
  }

 private:
  const std::string& name_of(OpId store) const {
    return program_.object(std::get<tile::StoreOp>(program_.op(store).payload).object).name;
  }

  std::optional<Refusal> form_fault(OpId op) {
    const tile::Op& node = program_.op(op);
    if (!is_pointwise(node.payload))
      return Refusal{ElementwiseCodes::kNotPointwise, "this is no work on single elements", {}, op};
    for (tile::ValueId value : program_.list(node.results)) {
      if (program_.value(value).placement != tile::MemorySpace::Auto)
        return Refusal{ElementwiseCodes::kPlaced, "a tile has a placement"};
      const bool is_free = std::holds_alternative<tile::ConstantOp>(node.payload) ||
                           std::holds_alternative<tile::IndexValueOp>(node.payload);
      if (!is_free && subject_.uses.of(value).size() > 1) ++made_.scalar_temporaries;
    }
    if (std::holds_alternative<tile::StoreOp>(node.payload)) made_.stores.push_back(op);
    return std::nullopt;
  }

  std::optional<Refusal> domain_fault(OpId store) {
    std::int64_t elements = 1;
    for (tile::AxisId axis : analysis::own_axes(program_, store)) {
      const auto product = checked_mul(elements, tile::bound_extent(program_, axis));
      if (!product) return Refusal{ElementwiseCodes::kDomainsDiffer, "the elements of a store do not fit 64 bits"};
      elements = *product;
    }
    if (store == made_.stores.front()) made_.elements_per_program = elements;
    // A worker has the same element of every store only where they run over the same axes in the same order.
    if (analysis::own_axes(program_, store) == analysis::own_axes(program_, made_.stores.front())) return std::nullopt;
    return Refusal{ElementwiseCodes::kDomainsDiffer, "the stores run over different axes, or in another order"};
  }

  /// A worker may read its element after another has stored: nothing that is stored may be touched elsewhere.
  std::optional<Refusal> alias_fault(OpId store) const {
    const tile::ObjectId object = std::get<tile::StoreOp>(program_.op(store).payload).object;
    for (OpId op : ops_) {
      if (op == store) continue;
      const tile::OpPayload& payload = program_.op(op).payload;
      const auto* load = std::get_if<tile::LoadOp>(&payload);
      const auto* other = std::get_if<tile::StoreOp>(&payload);
      if (load == nullptr && other == nullptr) continue;
      const tile::ObjectId touched = load != nullptr ? load->object : other->object;
      if (program_.object(touched).scalar_input()) continue;
      if (analysis::may_alias(program_, object, touched, subject_.assumptions.aliasing))
        return Refusal{ElementwiseCodes::kAliasing,
                       fmt::format("{} is stored, and {} may overlap it", program_.object(object).name,
                                   program_.object(touched).name)};
    }
    return std::nullopt;
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  std::uint32_t launch_;
  const sets::Context& context_;
  std::vector<OpId> ops_;
  ElementwiseFacts made_;
};

}  // namespace

std::expected<ElementwiseFacts, Refusal> elementwise_facts(const proof::Subject& subject, std::uint32_t launch,
                                                           const sets::Context& context) {
  return ElementwiseFinder(subject, launch, context).run();
}

}  // namespace tilewright::realize
