#include "analysis/physical_extent.h"

#include <algorithm>
#include <expected>

#include "analysis/roles.h"
#include "support/checked_math.h"

namespace tilewright::analysis {

namespace {

/// first + step * t over t = 0 .. trips - 1.
struct Progression {
  std::int64_t first = 0, step = 0, trips = 1;

  std::optional<std::int64_t> last() const {
    const auto way = checked_mul(step, trips - 1);
    return way ? checked_add(first, *way) : std::nullopt;
  }
};

MeanExtent nominal(NominalReason reason, std::int64_t extent = 0) { return {extent, 1, reason}; }

/// The form over the coordinates of a domain, when one coordinate at most moves it.
std::expected<Progression, NominalReason> progression_of(const OverDomain& domain, const AffineForm& form) {
  for (const Dimension& d : domain.dimensions)
    if (d.is_coord() && d.constant_extent.value_or(0) < 1) return std::unexpected(NominalReason::NotStatic);
  if (!domain.is_exact()) return std::unexpected(NominalReason::Conditional);
  Progression result{form.constant, 0, 1};
  for (const Term& term : form.terms) {
    const Leaf leaf = term.factors[0];
    if (term.factors.size() != 1 || leaf.kind != tile::IndexKind::Coord)
      return std::unexpected(NominalReason::NotAffine);
    const Dimension* dimension = domain.find(tile::CoordId{leaf.index});
    if (dimension == nullptr) return std::unexpected(NominalReason::NotAffine);
    if (dimension->constant_extent == 1) continue;
    if (result.trips != 1) return std::unexpected(NominalReason::NotAffine);
    result.step = term.coefficient;
    result.trips = *dimension->constant_extent;
  }
  return result;
}

MeanExtent mean_of(const Progression& progression, std::optional<std::int64_t> cap) {
  const auto last = progression.last();
  if (!last) return nominal(NominalReason::TooLarge);
  if (progression.first < 1 || *last < 1 || (cap && *cap < 1)) return nominal(NominalReason::EndNotPositive);
  const auto sum = capped_series_sum(cap, progression.first, progression.step, progression.trips);
  if (!sum) return nominal(NominalReason::TooLarge);
  return {*sum, progression.trips, NominalReason::None};
}

std::int64_t nominal_extent(const tile::Program& program, const std::vector<tile::AxisId>& axes) {
  std::optional<std::int64_t> product = 1;
  for (tile::AxisId axis : axes) {
    const auto extent = program.index().as_constant(program.axes()[axis].extent);
    product = product && extent ? checked_mul(*product, *extent) : std::nullopt;
  }
  return product.value_or(0);
}

struct Remainder {
  AffineForm form;  ///< extent - origin: what is left of the object where the tile begins
  std::int64_t extent = 0;
};

std::expected<Remainder, NominalReason> remainder_of(const tile::Program& program, const Accesses& accesses,
                                                     tile::ValueId operand, tile::AxisId axis) {
  const tile::OpId def = program.value(operand).def;
  const Access* load = def.valid() ? accesses.of(def) : nullptr;
  if (load == nullptr || load->bounds != tile::BoundsPolicy::Zero || load->fallback != FallbackKind::PositiveZero)
    return std::unexpected(NominalReason::OperandsNotLoads);
  const auto d = load->unit_dimension_of(axis);
  if (!d) return std::unexpected(NominalReason::NoUnitProjection);
  const AccessDimension& dimension = load->dimensions[*d];
  if (dimension.constant_extent.value_or(0) < 1) return std::unexpected(NominalReason::NotStatic);
  const auto form = add_scaled(AffineForm{*dimension.constant_extent, {}}, dimension.unit->origin, -1);
  if (!form) return std::unexpected(NominalReason::TooLarge);
  return Remainder{*form, *dimension.constant_extent};
}

}  // namespace

std::optional<std::int64_t> capped_series_sum(std::optional<std::int64_t> cap, std::int64_t first, std::int64_t step,
                                              std::int64_t trips) {
  if (trips < 1) return std::nullopt;
  const auto last = Progression{first, step, trips}.last();
  if (!last || first < 1 || *last < 1 || (cap && *cap < 1)) return std::nullopt;
  // Both ends are positive, so that neither their sum nor their difference leaves 64 unsigned bits, and the terms from
  // the large end down to the cap are the first ones.
  __extension__ using Wide = __int128;
  const Wide high = std::max(first, *last), low = std::min(first, *last);
  const Wide stride = step < 0 ? -Wide{step} : Wide{step};
  Wide capped = 0;
  if (cap && high >= *cap) capped = stride == 0 ? trips : std::min<Wide>(trips, (high - *cap) / stride + 1);
  const Wide rest = trips - capped;
  // rest < 2^63 and each term < 2^63: the product stays below 2^127.
  const Wide series = rest == 0 ? 0 : rest * (low + (high - capped * stride)) / 2;
  const Wide sum = series + (cap ? capped * *cap : 0);
  if (sum > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

MeanExtent mean_over(const OverDomain& domain, const AffineForm& form, std::optional<std::int64_t> cap) {
  const auto progression = progression_of(domain, form);
  return progression ? mean_of(*progression, cap) : nominal(progression.error());
}

MeanExtent mean_over(const tile::Program& program, const OverDomain& domain, tile::IndexId expr,
                     const LeafRanges& ranges) {
  const tile::IndexNode& node = program.index()[expr];
  std::optional<std::int64_t> cap;
  if (node.kind == tile::IndexKind::Min) {
    cap = program.index().as_constant(node.rhs);
    expr = node.lhs;
    if (!cap) {
      cap = program.index().as_constant(node.lhs);
      expr = node.rhs;
    }
    if (!cap) return nominal(NominalReason::NotAffine);
  }
  const auto form = affine_form(program, expr, ranges);
  return form ? mean_over(domain, *form, cap) : nominal(NominalReason::NotAffine);
}

MeanExtent mean_physical_k(const tile::Program& program, const Walk& walk, const Accesses& accesses, tile::OpId op) {
  const MmaRoles roles = mma_roles(program, op);
  const std::int64_t nominal_k = nominal_extent(program, roles.contraction);
  if (roles.contraction.size() != 1) return nominal(NominalReason::NoSingleAxis, nominal_k);
  if (nominal_k < 1) return nominal(NominalReason::NotStatic, nominal_k);
  const tile::MmaOp& mma = *as_mma(program, op);
  const auto a = remainder_of(program, accesses, mma.a, roles.contraction[0]);
  if (!a) return nominal(a.error(), nominal_k);
  const auto b = remainder_of(program, accesses, mma.b, roles.contraction[0]);
  if (!b) return nominal(b.error(), nominal_k);
  if (a->form != b->form) return nominal(NominalReason::OperandsDiffer, nominal_k);
  const auto progression = progression_of(over_domain(program, walk, op), a->form);
  if (!progression) return nominal(progression.error(), nominal_k);
  // An origin before the object leaves more than the whole object.
  const std::int64_t extent = std::min(a->extent, b->extent);
  const auto last = progression->last();
  if (progression->first > extent || (last && *last > extent)) return nominal(NominalReason::EndNotPositive, nominal_k);
  const MeanExtent mean = mean_of(*progression, nominal_k);
  return mean.is_known() ? mean : nominal(mean.nominal, nominal_k);
}

std::string_view nominal_reason_name(NominalReason reason) {
  switch (reason) {
    case NominalReason::None:
      return "known";
    case NominalReason::OperandsNotLoads:
      return "the operands are not both loads with zero bounds";
    case NominalReason::NoSingleAxis:
      return "there are several contraction axes";
    case NominalReason::NoUnitProjection:
      return "the contraction axis is no unit projection of a load";
    case NominalReason::OperandsDiffer:
      return "the operands do not end at the same step";
    case NominalReason::NotStatic:
      return "an extent is no positive number";
    case NominalReason::Conditional:
      return "the mma stands in a branch";
    case NominalReason::NotAffine:
      return "what is left is not affine in one coordinate";
    case NominalReason::EndNotPositive:
      return "the first or last iteration has nothing left, or begins before the object";
    case NominalReason::TooLarge:
      return "the sum does not fit 64 bits";
  }
  return {};
}

}  // namespace tilewright::analysis
