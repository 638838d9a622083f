#include "proof/operands_congruent.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/range.h"
#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/statement.h"
#include "support/check.h"
#include "tile/printer.h"

namespace tilewright::proof {

using analysis::Access;
using analysis::AccessDimension;
using tile::OpId;
using tile::ValueId;

namespace {

class CongruenceProver {
 public:
  using Other = std::optional<Verdict<OperandsCongruent>>;

  CongruenceProver(const Subject& subject, const Access& store)
      : subject_(subject), program_(subject.program), store_(store) {}

  Verdict<OperandsCongruent> run() {
    const std::vector<OpId> operands = operands_of(subject_, store_.op);
    if (operands.empty()) return broken(OperandsCongruent::kNone, "no tile is read for it", store_.op);
    if (auto other = ask_launch()) return *other;
    std::string texts, extents;
    for (OpId op : operands) {
      const Access& load = *subject_.accesses.of(op);
      if (auto other = ask_object(load)) return *other;
      if (auto other = ask_axes(load)) return *other;
      if (auto other = ask_bounds(load)) return *other;
      texts += fmt::format("{}op {} {}", texts.empty() ? "" : "; ", op.index, access_text(program_, load));
      extents += fmt::format("{}{}", extents.empty() ? "" : "; ", extents_text(program_, load.object));
    }
    Certificate certificate = certificate_of(subject_, store_.op);
    if (promised_) certificate.premises.push_back(alias_premise(subject_));
    certificate.fields = {{"sink", access_text(program_, store_)},
                          {"sink_extents", extents_text(program_, store_.object)},
                          {"operands", texts},
                          {"extents", extents}};
    return Issuer::issue<OperandsCongruent>(std::move(certificate));
  }

 private:
  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }
  Unknown unknown(std::string_view code, std::string_view what, OpId where) const {
    return {code, fmt::format("{}: {}", what, place_text(program_, where))};
  }

  // ---- Nothing changes what is read --------------------------------------------------------------------------------

  Other ask_launch() const {
    const auto effects = analysis::launch_effects(program_, subject_.walk)[subject_.walk.places[store_.op].launch];
    if (!effects.opaque.empty())
      return broken(OperandsCongruent::kOpaque, "a call in the launch may do anything", effects.opaque.front());
    if (!effects.barriers.empty())
      return broken(OperandsCongruent::kBarrier, "a barrier in the launch orders the load", effects.barriers.front());
    return std::nullopt;
  }

  Other ask_object(const Access& load) {
    if (program_.object(load.object).kind == tile::ObjectKind::Memory)
      return broken(OperandsCongruent::kMemory, "it is loaded from explicit memory", load.op);
    for (const Access& other : subject_.accesses.all) {
      if (!other.is_store || subject_.walk.places[other.op].launch != subject_.walk.places[store_.op].launch) continue;
      if (other.object == load.object) {
        if (other.op == store_.op && same_elements(load)) continue;
        return broken(OperandsCongruent::kWritten, "the object is written in the launch", other.op);
      }
      if (analysis::may_alias(program_, other.object, load.object, subject_.assumptions.aliasing))
        return unknown(OperandsCongruent::kAliasing, "an overlapping buffer may be written", other.op);
      promised_ = promised_ || analysis::may_alias(program_, other.object, load.object, {});
    }
    return std::nullopt;
  }

  bool same_elements(const Access& load) const {
    for (std::size_t d = 0; d < load.dimensions.size(); ++d) {
      const auto &read = load.dimensions[d].form, &written = store_.dimensions[d].form;
      if (!read || !written || *read != *written) return false;
    }
    return true;
  }

  // ---- Where it is read --------------------------------------------------------------------------------------------

  Other ask_axes(const Access& load) const {
    if (subject_.walk.places[load.op].block != subject_.walk.places[store_.op].block)
      return broken(OperandsCongruent::kOtherBlock, "the load stands in another block than the store", load.op);
    if (const auto fault = form_fault(program_, load)) return Unknown{OperandsCongruent::kNotAffine, *fault};
    const auto has = [](const Access& access, tile::AxisId axis) {
      return std::ranges::any_of(access.domain.dimensions, [&](const analysis::Dimension& dimension) {
        return !dimension.is_coord() && dimension.axis == axis;
      });
    };
    for (const analysis::Dimension& dimension : load.domain.dimensions) {
      if (dimension.is_coord()) continue;
      const std::string& label = program_.axes()[dimension.axis].label;
      if (!has(store_, dimension.axis))
        return broken(OperandsCongruent::kOtherAxes, fmt::format("the store has no axis {}", label), load.op);
      if (!load.unit_dimension_of(dimension.axis))
        return broken(OperandsCongruent::kNotProjected, fmt::format("axis {} has no unit dimension of its own", label),
                      load.op);
    }
    return std::nullopt;
  }

  Other ask_bounds(const Access& load) const {
    if (load.bounds == tile::BoundsPolicy::Assume) return std::nullopt;
    for (const AccessDimension& dimension : load.dimensions)
      if (!is_bounded_by_the_store(dimension) && !is_surely_inside(dimension, load))
        return unknown(OperandsCongruent::kOutside,
                       fmt::format("the output does not bound {}", tile::print_index(program_, dimension.expr)),
                       load.op);
    return std::nullopt;
  }

  bool is_bounded_by_the_store(const AccessDimension& dimension) const {
    // What the author promises of the store is no test of its bounds.
    if (!dimension.form || store_.bounds == tile::BoundsPolicy::Assume) return false;
    return std::ranges::any_of(store_.dimensions, [&](const AccessDimension& written) {
      if (!written.form || *written.form != *dimension.form) return false;
      if (written.extent == dimension.extent) return true;
      return written.constant_extent && dimension.constant_extent &&
             *written.constant_extent <= *dimension.constant_extent;
    });
  }

  bool is_surely_inside(const AccessDimension& dimension, const Access& load) const {
    const auto range = analysis::over_range(program_, dimension.expr, load.domain, subject_.ranges);
    if (!range || !dimension.constant_extent) return false;
    return range->empty() || (range->low >= 0 && range->high < *dimension.constant_extent);
  }

  const Subject& subject_;
  const tile::Program& program_;
  const Access& store_;
  bool promised_ = false;
};

}  // namespace

std::vector<OpId> operands_of(const Subject& subject, OpId store) {
  const Access* access = subject.accesses.of(store);
  TW_CHECK(access != nullptr && access->is_store);
  std::vector<OpId> loads;
  for (ValueId leaf : analysis::pure_sources_of(subject.program, subject.uses, access->value).leaves) {
    const OpId by = subject.uses.definitions[leaf].op;
    if (subject.uses.definitions[leaf].kind == analysis::DefinitionKind::Op && subject.accesses.of(by) != nullptr &&
        !subject.program.value(leaf).axes.empty())
      loads.push_back(by);
  }
  std::ranges::sort(loads);
  return loads;
}

Verdict<OperandsCongruent> prove_operands_congruent(const Subject& subject, OpId op) {
  const Access* store = subject.accesses.of(op);
  TW_CHECK(store != nullptr && store->is_store);
  return CongruenceProver(subject, *store).run();
}

}  // namespace tilewright::proof
