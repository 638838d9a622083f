#include "proof/store_bounded_prefix.h"

#include <limits>

#include <fmt/format.h>

#include "proof/domain_questions.h"
#include "proof/issuer.h"
#include "proof/matrix_text.h"
#include "proof/statement.h"
#include "support/check.h"
#include "tile/printer.h"

namespace tilewright::proof {

using analysis::Access;
using analysis::AccessDimension;

namespace {

constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max();

class PrefixProver {
 public:
  PrefixProver(const Subject& subject, const Access& access, const sets::Context& context)
      : program_(subject.program), subject_(subject), access_(access), questions_(subject, access.domain, context) {}

  Verdict<StoreBoundedPrefix> run() {
    if (access_.bounds != tile::BoundsPolicy::Zero)
      return broken(StoreBoundedPrefix::kAssumed, "the store promises its bounds");
    if (const auto fault = form_fault(program_, access_)) return Unknown{StoreBoundedPrefix::kNotAffine, *fault};
    for (const AccessDimension& dimension : access_.dimensions)
      if (auto other = ask(dimension)) return *other;
    Certificate certificate = certificate_of(subject_, access_.op);
    if (is_open_)
      certificate.premises.push_back(
          {Guarantor::Launch,
           fmt::format("every extent of {} is at most {}", program_.object(access_.object).name, kMostExtent)});
    certificate.fields = {{"access", access_text(program_, access_)},
                          {"extents", extents_text(program_, access_.object)},
                          {"domain", domain_text(program_, access_.domain)},
                          {"lengths", lengths_.empty() ? "none" : lengths_}};
    return Issuer::issue<StoreBoundedPrefix>(std::move(certificate));
  }

 private:
  using Answer = std::optional<Verdict<StoreBoundedPrefix>>;

  Refuted broken(std::string_view code, std::string_view what) const {
    return broken_by(code, fmt::format("{}: {}", what, place_text(program_, access_.op)));
  }

  Answer ask(const AccessDimension& dimension) {
    const std::string text = tile::print_index(program_, dimension.expr);
    is_open_ = is_open_ || !dimension.constant_extent;
    if (dimension.constant_extent && *dimension.constant_extent > kMostExtent)
      return broken(StoreBoundedPrefix::kTooLarge, fmt::format("extent {} leaves int32", *dimension.constant_extent));
    const bool is_pure = dimension.over_axes.empty();
    if (!is_pure && !dimension.unit)
      return broken(StoreBoundedPrefix::kNotProjected, text + " is no axis with an origin");
    const tile::AxisId axis = is_pure ? tile::AxisId{} : dimension.unit->axis;
    if (!is_pure && !access_.unit_dimension_of(axis))
      return broken(StoreBoundedPrefix::kSharedAxis,
                    fmt::format("axis {} moves several dimensions", program_.axes()[axis].label));
    DomainAnswer answer = questions_.at_least_zero(dimension.expr, axis);
    const auto code = is_pure ? StoreBoundedPrefix::kOriginOutside : StoreBoundedPrefix::kOriginBelowZero;
    if (answer.holds() && is_pure) answer = questions_.below(dimension.expr, {}, dimension.extent);
    if (!answer.holds()) return verdict_of<StoreBoundedPrefix>(std::move(answer), code);
    if (is_pure) return std::nullopt;
    lengths_ += fmt::format("{}{}: clamp({} - ({} at {} = 0), 0, {})", lengths_.empty() ? "" : ", ",
                            program_.axes()[axis].label, tile::print_index(program_, dimension.extent), text,
                            program_.axes()[axis].label, tile::print_index(program_, program_.axes()[axis].extent));
    return std::nullopt;
  }

  const tile::Program& program_;
  const Subject& subject_;
  const Access& access_;
  DomainQuestions questions_;
  bool is_open_ = false;
  std::string lengths_;
};

}  // namespace

Verdict<StoreBoundedPrefix> prove_store_bounded_prefix(const Subject& subject, tile::OpId op,
                                                       const sets::Context& context) {
  const Access* access = subject.accesses.of(op);
  TW_CHECK(access != nullptr && access->is_store);
  return PrefixProver(subject, *access, context).run();
}

}  // namespace tilewright::proof
