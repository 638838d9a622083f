#include "proof/overwrite_allowed.h"

#include <fmt/format.h>

#include "analysis/roles.h"
#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/recurrence_closed.h"
#include "proof/statement.h"
#include "support/check.h"

namespace tilewright::proof {

using tile::OpId;

namespace {

class OverwriteProver {
 public:
  OverwriteProver(const Subject& subject, OpId op)
      : subject_(subject), program_(subject.program), op_(op), mma_(*analysis::as_mma(program_, op)) {}

  Verdict<OverwriteAllowed> run() const {
    if (!mma_.reassociate) return broken(OverwriteAllowed::kOrdered, "the order of the sum is fixed", op_);
    const bool is_carry = subject_.uses.definitions[mma_.c].kind == analysis::DefinitionKind::RegionCarry;
    return is_carry ? ask_recurrence() : ask_accumulator(mma_.c, "standalone");
  }

 private:
  Refuted broken(std::string_view code, std::string_view what, OpId where) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, where)));
  }

  Verdict<OverwriteAllowed> ask_recurrence() const {
    const auto closed = prove_recurrence_closed(subject_, op_);
    if (const auto* refuted = std::get_if<Refuted>(&closed))
      return Refuted{OverwriteAllowed::kNotClosed, refuted->witness};
    if (const auto* unknown = std::get_if<Unknown>(&closed))
      return Unknown{OverwriteAllowed::kNotClosed, unknown->reason};
    const CarryOfMma found = *carry_of_mma(subject_, op_);
    const OpId region = found.recurrence->region;
    if (!found.recurrence->constant_trips)
      return Unknown{OverwriteAllowed::kTripsOpen, "the trips are no number: " + place_text(program_, region)};
    if (*found.recurrence->constant_trips != 1)
      return broken(OverwriteAllowed::kTripsNotOne,
                    fmt::format("the region has {} iterations", *found.recurrence->constant_trips), region);
    return ask_accumulator(found.carry->init, "one iteration");
  }

  Verdict<OverwriteAllowed> ask_accumulator(tile::ValueId value, std::string_view form) const {
    const auto literal = literal_of(program_, value);
    const std::string named = value_text(program_, value);
    if (!literal) return broken(OverwriteAllowed::kNotLiteral, named + " is no literal", op_);
    if (*literal == tile::Literal::of(-0.0)) return broken(OverwriteAllowed::kNegativeZero, named + " is -0", op_);
    if (!is_positive_zero(*literal))
      return broken(OverwriteAllowed::kNotZero, fmt::format("{} is {}", named, literal_text(*literal)), op_);
    Certificate certificate = certificate_of(subject_, op_);
    certificate.fields = {{"mma", op_text(program_, op_)},
                          {"form", std::string(form)},
                          {"accumulator", named},
                          {"literal", literal_text(*literal)}};
    return Issuer::issue<OverwriteAllowed>(std::move(certificate));
  }

  const Subject& subject_;
  const tile::Program& program_;
  OpId op_;
  const tile::MmaOp& mma_;
};

}  // namespace

Verdict<OverwriteAllowed> prove_overwrite_allowed(const Subject& subject, OpId op) {
  TW_CHECK(analysis::as_mma(subject.program, op) != nullptr);
  return OverwriteProver(subject, op).run();
}

}  // namespace tilewright::proof
