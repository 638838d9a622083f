#include "proof/extent_bounded.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "analysis/roles.h"
#include "proof/domain_questions.h"
#include "proof/issuer.h"
#include "proof/load_forwardable.h"
#include "proof/matrix_text.h"
#include "proof/statement.h"
#include "support/check.h"
#include "tile/printer.h"

namespace tilewright::proof {

using analysis::Access;
using analysis::AccessDimension;
using tile::AxisId;
using tile::OpId;

namespace {

struct Operand {
  const Access* load = nullptr;
  AxisId step_axis, outer_axis;  ///< of the load; the mma may know them by other names
  std::string relabelled;        ///< "q: k, r: m": axes of the load and of the mma, where they differ
  std::size_t step = 0;          ///< dimension of the contraction axis
  std::size_t outer = 0;         ///< dimension of the other axis
};

template <class Family>
class ExtentProver {
 public:
  ExtentProver(const Subject& subject, OpId op, const sets::Context& context)
      : subject_(subject),
        program_(subject.program),
        op_(op),
        context_(context),
        mma_(*analysis::as_mma(program_, op)),
        roles_(analysis::mma_roles(program_, op)) {}

  Verdict<Family> run() {
    if (!roles_.batch.empty() || roles_.rows.size() != 1 || roles_.columns.size() != 1 ||
        roles_.contraction.size() != 1)
      return broken(Family::kNotRank2, "not one row, one column and one contraction axis", op_);
    if (auto other = find(mma_.a, roles_.rows[0], a_)) return *other;
    if (auto other = find(mma_.b, roles_.columns[0], b_)) return *other;
    for (const Operand* operand : {&a_, &b_})
      if (auto other = ask_origins(*operand)) return *other;
    if (auto other = ask_lengths()) return *other;
    return Issuer::issue<Family>(certificate());
  }

 private:
  using Answer = std::optional<Verdict<Family>>;

  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }

  AxisId step() const { return roles_.contraction[0]; }

  /// Through relabellings to the load, with the names that it has for the two axes.
  const Access* find_load(tile::ValueId value, Operand& operand) const {
    OpId op = subject_.uses.definitions[value].op;
    for (; only_relabels(program_, op); op = subject_.uses.definitions[value].op) {
      const auto& reindex = std::get<tile::ReindexOp>(program_.op(op).payload);
      const auto from = program_.list(program_.value(reindex.operand).axes);
      const auto coords = program_.list(reindex.coords);
      AxisId step = operand.step_axis, outer = operand.outer_axis;
      for (std::size_t i = 0; i < coords.size(); ++i) {
        const AxisId to = program_.index()[coords[i]].axis();
        if (to == operand.step_axis) step = from[i];
        if (to == operand.outer_axis) outer = from[i];
      }
      operand.step_axis = step;
      operand.outer_axis = outer;
      value = reindex.operand;
    }
    const Access* load = subject_.accesses.of(op);
    return load == nullptr || load->is_store || load->value != value ? nullptr : load;
  }

  void name_axes(AxisId outer, Operand& operand) const {
    for (const auto& [of_load, of_mma] : {std::pair(operand.outer_axis, outer), std::pair(operand.step_axis, step())})
      if (of_load != of_mma)
        operand.relabelled += fmt::format("{}{}: {}", operand.relabelled.empty() ? "" : ", ",
                                          program_.axes()[of_load].label, program_.axes()[of_mma].label);
  }

  Answer find(tile::ValueId value, AxisId outer, Operand& operand) {
    operand.step_axis = step();
    operand.outer_axis = outer;
    const Access* load = find_load(value, operand);
    if (load == nullptr)
      return broken(Family::kNotALoad, value_text(program_, value) + " is no load, nor a relabelling of one", op_);
    name_axes(outer, operand);
    const auto forwardable = prove_load_forwardable(subject_, load->op);
    if (const auto* refuted = std::get_if<Refuted>(&forwardable))
      return Refuted{Family::kNotForwardable, refuted->witness};
    if (const auto* unknown = std::get_if<Unknown>(&forwardable))
      return Unknown{Family::kNotForwardable, unknown->reason};
    for (const Premise& premise : std::get<Proved<LoadForwardable>>(forwardable).certificate().premises)
      if (std::find(premises_.begin(), premises_.end(), premise) == premises_.end()) premises_.push_back(premise);
    if (load->bounds != tile::BoundsPolicy::Zero)
      return broken(Family::kAssumed, "the load promises its bounds", load->op);
    if (const auto fault = form_fault(program_, *load)) return Unknown{Family::kNotAffine, *fault};
    const auto at_step = load->unit_dimension_of(operand.step_axis);
    const auto at_outer = load->unit_dimension_of(operand.outer_axis);
    if (!at_step || !at_outer)
      return broken(Family::kNotProjected,
                    fmt::format("axis {} has no unit dimension of its own",
                                program_.axes()[at_step ? operand.outer_axis : operand.step_axis].label),
                    load->op);
    operand.load = load;
    operand.step = *at_step;
    operand.outer = *at_outer;
    return std::nullopt;
  }

  Answer ask_origins(const Operand& operand) const {
    const DomainQuestions questions(subject_, operand.load->domain, context_);
    for (std::size_t d = 0; d < operand.load->dimensions.size(); ++d) {
      const AccessDimension& dimension = operand.load->dimensions[d];
      const bool is_step = d == operand.step, is_outer = d == operand.outer;
      const bool prefix_is_enough = is_outer && std::is_same_v<Family, ExtentBoundedMn>;
      // The origin of the contraction, every coordinate of the others; of a prefix only that it begins inside.
      const AxisId axis = is_step || prefix_is_enough ? dimension.unit->axis : AxisId{};
      DomainAnswer answer = questions.at_least_zero(dimension.expr, axis);
      if (!answer.holds())
        return verdict_of<Family>(std::move(answer), is_step            ? Family::kOriginBelowZero
                                                     : prefix_is_enough ? Family::kOriginBelowZero
                                                     : is_outer         ? Family::kOuterOutside
                                                                        : Family::kFixedOutside);
      if (prefix_is_enough) continue;
      answer = questions.below(dimension.expr, axis, dimension.extent);
      if (!answer.holds())
        return verdict_of<Family>(std::move(answer), is_step    ? Family::kOriginPastEnd
                                                     : is_outer ? Family::kOuterOutside
                                                                : Family::kFixedOutside);
    }
    return std::nullopt;
  }

  /// Where the forms are not equal, sets decide over the domain of the load in more regions, with the axis of the
  /// other.
  Answer ask_lengths() const {
    const auto a = length(a_), b = length(b_);
    if (a && b && *a == *b) return std::nullopt;
    const bool a_is_inner = a_.load->domain.dimensions.size() >= b_.load->domain.dimensions.size();
    const Operand &inner = a_is_inner ? a_ : b_, &other = a_is_inner ? b_ : a_;
    analysis::OverDomain domain = inner.load->domain;
    if (domain.find(other.step_axis) == nullptr) domain.dimensions.push_back(*other.load->domain.find(other.step_axis));
    const DomainQuestions questions(subject_, domain, context_);
    DomainAnswer answer = questions.equal(remaining(a_), remaining(b_));
    if (answer.holds()) return std::nullopt;
    return verdict_of<Family>(std::move(answer), Family::kLengthsDiffer);
  }

  std::optional<analysis::AffineForm> length(const Operand& operand) const {
    const AccessDimension& dimension = operand.load->dimensions[operand.step];
    const auto extent = analysis::affine_form(program_, dimension.extent, subject_.ranges);
    return extent ? analysis::add_scaled(*extent, dimension.unit->origin, -1) : std::nullopt;
  }

  static DomainQuestions::Remaining remaining(const Operand& operand) {
    const AccessDimension& dimension = operand.load->dimensions[operand.step];
    return {dimension.extent, dimension.expr, operand.step_axis};
  }

  std::string length_text(const Operand& operand) const {
    const AccessDimension& dimension = operand.load->dimensions[operand.step];
    return fmt::format("{} - ({} at {} = 0)", tile::print_index(program_, dimension.extent),
                       tile::print_index(program_, dimension.expr), program_.axes()[operand.step_axis].label);
  }

  std::string load_text(const Operand& operand) const {
    const std::string text = access_text(program_, *operand.load);
    return operand.relabelled.empty() ? text : text + " relabelled " + operand.relabelled;
  }

  Certificate certificate() const {
    Certificate certificate = certificate_of(subject_, op_);
    certificate.premises = premises_;
    const auto& axes = program_.axes();
    certificate.fields = {{"mma", op_text(program_, op_)},
                          {"axes", fmt::format("row {}, column {}, contraction {} in {}", axes[roles_.rows[0]].label,
                                               axes[roles_.columns[0]].label, axes[step()].label,
                                               tile::print_index(program_, axes[step()].extent))},
                          {"a", load_text(a_)},
                          {"a_extents", extents_text(program_, a_.load->object)},
                          {"b", load_text(b_)},
                          {"b_extents", extents_text(program_, b_.load->object)},
                          {"a_length", length_text(a_)},
                          {"b_length", length_text(b_)}};
    return certificate;
  }

  const Subject& subject_;
  const tile::Program& program_;
  OpId op_;
  const sets::Context& context_;
  const tile::MmaOp& mma_;
  analysis::MmaRoles roles_;
  Operand a_, b_;
  std::vector<Premise> premises_;
};

}  // namespace

Verdict<ExtentBoundedK> prove_extent_bounded_k(const Subject& subject, OpId op, const sets::Context& context) {
  TW_CHECK(analysis::as_mma(subject.program, op) != nullptr);
  return ExtentProver<ExtentBoundedK>(subject, op, context).run();
}

Verdict<ExtentBoundedMn> prove_extent_bounded_mn(const Subject& subject, OpId op, const sets::Context& context) {
  TW_CHECK(analysis::as_mma(subject.program, op) != nullptr);
  return ExtentProver<ExtentBoundedMn>(subject, op, context).run();
}

}  // namespace tilewright::proof
