#include "proof/check/check_access.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/access_in_bounds.h"
#include "proof/check/axis_moves.h"
#include "proof/check/check_cover.h"
#include "proof/check/check_fields.h"
#include "proof/check/program_points.h"
#include "proof/check/program_scan.h"
#include "proof/map_exact_cover.h"
#include "support/check.h"
#include "tile/meaning.h"
#include "tile/printer.h"

namespace tilewright::proof {

using check::ProgramPoints;

namespace {

/// A load or store, read from the program.
struct Touch {
  bool store = false;
  tile::ObjectId object;
  std::vector<tile::IndexId> coords;
};

std::optional<Touch> touch_of(const tile::Program& program, tile::OpId op) {
  if (op.index >= program.ops().size()) return std::nullopt;
  const tile::OpPayload& payload = program.op(op).payload;
  if (const auto* load = std::get_if<tile::LoadOp>(&payload))
    return Touch{false, load->object, program.list(load->coords)};
  if (const auto* store = std::get_if<tile::StoreOp>(&payload))
    return Touch{true, store->object, program.list(store->coords)};
  return std::nullopt;
}

std::string joined(const tile::Program& program, const std::vector<tile::IndexId>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) text += (i == 0 ? "" : ", ") + tile::print_index(program, ids[i]);
  return text;
}

std::string point_text(const tile::Program& program, const ProgramPoints& points) {
  std::string text;
  for (const ProgramPoints::Dimension& dimension : points.dimensions()) {
    if (!text.empty()) text += ", ";
    text += dimension.coord.valid() ? program.coords()[dimension.coord].name : program.axes()[dimension.axis].label;
    text += " in " + tile::print_index(program, dimension.extent);
  }
  return text.empty() ? "one point" : text;
}

Certificate expected_head(std::string_view family, const tile::Program& program, tile::OpId op,
                          const Assumptions& assumptions) {
  return {std::string(family), tile::meaning_hash(program), op.index, check::head_premises(program, assumptions), {}};
}

std::string access_line(const tile::Program& program, const Touch& touch) {
  return fmt::format("{} {}[{}]", touch.store ? "store" : "load", program.object(touch.object).name,
                     joined(program, touch.coords));
}

std::string extents_line(const tile::Program& program, const Touch& touch) {
  const std::string text = joined(program, program.object(touch.object).extents);
  return text.empty() ? "1" : text;
}

std::unexpected<Diags> no_access() {
  return certificate_refused("operation", "expected a load or store of the program");
}

/// Runs f(points) -> what is wrong, or empty, at every choice of sizes; complete or sampled.
template <class F>
Result<void> at_all_sizes(const tile::Program& program, tile::OpId op, const Assumptions& assumptions,
                          const AccessCheckLimits& limits, F&& f) {
  ProgramPoints points(program, op);
  const auto trials = check::trial_sizes(program, assumptions);
  if (trials.empty()) return certificate_refused("statement", "no sizes were found that meet the requirements");
  std::int64_t budget = limits.total;
  for (const std::vector<std::int64_t>& sizes : trials) {
    points.set_sizes(sizes);
    std::string wrong;
    const auto coverage = points.visit(std::min(limits.points, budget), limits.samples, [&] {
      wrong = f(points);
      return wrong.empty();
    });
    budget -= points.steps();
    if (coverage == ProgramPoints::Coverage::Valueless) wrong = "an extent of the domain has no value";
    if (!wrong.empty()) return certificate_refused("statement", wrong);
  }
  return {};
}

/// The axis alone in one dimension with coefficient 1: at, with the axis at 0, is the origin.
struct UnitAxis {
  std::size_t dimension = 0;
  tile::AxisId axis;
};

std::vector<UnitAxis> unit_axes(const Touch& touch, const check::AxisMoves& moves) {
  std::vector<UnitAxis> found;
  for (std::size_t d = 0; d < touch.coords.size(); ++d)
    if (const auto axis = moves.unit_axis(d)) found.push_back({d, *axis});
  return found;
}

/// The whole tile of the point lies inside in every dimension that moves with one axis alone.
bool is_interior(const tile::Program& program, const Touch& touch, const ProgramPoints& points,
                 const std::vector<UnitAxis>& units) {
  return std::all_of(units.begin(), units.end(), [&](const UnitAxis& unit) {
    const auto at = points.value(touch.coords[unit.dimension]);
    const auto axis = points.axis(unit.axis), tile = points.value(program.axes()[unit.axis].extent);
    const auto extent = points.value(program.object(touch.object).extents[unit.dimension]);
    return at && axis && tile && extent && *at - *axis >= 0 && *at - *axis + *tile <= *extent;
  });
}

std::optional<bool> truth(const Guard& guard, const ProgramPoints& points) {
  bool all = true;
  for (const Clause& clause : guard) {
    const auto a = points.value(clause.lhs);
    const auto b = clause.rhs ? points.value(*clause.rhs) : std::optional<std::int64_t>(0);
    if (!a || !b) return std::nullopt;
    all = all && check::holds(clause.comparison, *a, *b);
  }
  return all;
}

std::string guard_line(const tile::Program& program, const Guard& guard) {
  constexpr std::string_view kSigns[] = {"<", "<=", ">", ">=", "==", "!="};
  std::string text;
  for (const Clause& clause : guard)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " && ", tile::print_index(program, clause.lhs),
                        kSigns[static_cast<std::size_t>(clause.comparison)],
                        clause.rhs ? tile::print_index(program, *clause.rhs) : "0");
  return text.empty() ? "true" : text;
}

}  // namespace

Result<void> check_access_in_bounds(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op, DomainPart part,
                                    const AccessCheckLimits& limits) {
  const auto touch = touch_of(program, op);
  if (!touch) return no_access();
  const bool interior = part == DomainPart::Interior;
  const ProgramPoints whole(program, op);
  Certificate expected = expected_head(AccessInBounds::kId, program, op, assumptions);
  expected.fields = {{"access", access_line(program, *touch)},
                     {"extents", extents_line(program, *touch)},
                     {"domain", point_text(program, whole)},
                     {"part", interior ? "interior" : "all"}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  std::vector<UnitAxis> units;
  if (interior) units = unit_axes(*touch, {program, op, touch->coords, assumptions, limits.points, limits.samples});
  return at_all_sizes(program, op, assumptions, limits, [&](const ProgramPoints& points) {
    if (interior && !is_interior(program, *touch, points, units)) return std::string();
    for (std::size_t d = 0; d < touch->coords.size(); ++d) {
      const auto at = points.value(touch->coords[d]);
      const auto extent = points.value(program.object(touch->object).extents[d]);
      if (!at || !extent || *at < 0 || *at >= *extent)
        return fmt::format("{} leaves 0 .. {} - 1", tile::print_index(program, touch->coords[d]), extent.value_or(0));
    }
    return std::string();
  });
}

Result<void> check_guard_equivalent(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op, const Guard& left,
                                    const Guard& right, const AccessCheckLimits& limits) {
  const auto touch = touch_of(program, op);
  if (!touch) return no_access();
  const ProgramPoints whole(program, op);
  Certificate expected = expected_head(GuardEquivalent::kId, program, op, assumptions);
  expected.fields = {{"access", access_line(program, *touch)},
                     {"domain", point_text(program, whole)},
                     {"left", guard_line(program, left)},
                     {"right", guard_line(program, right)}};
  TW_TRY_VOID(compare_certificates(certificate, expected));
  return at_all_sizes(program, op, assumptions, limits, [&](const ProgramPoints& points) {
    const auto a = truth(left, points), b = truth(right, points);
    if (!a || !b) return std::string("a guard has no value");
    return *a == *b ? std::string() : std::string("the guards differ at a point");
  });
}

Result<void> check_prefix_guard(const Certificate& certificate, const tile::Program& program,
                                const Assumptions& assumptions, tile::OpId op, const AccessCheckLimits& limits) {
  const auto touch = touch_of(program, op);
  if (!touch) return no_access();
  Guard bounds, prefix;
  for (std::size_t d = 0; d < touch->coords.size(); ++d) {
    const Clause upper{touch->coords[d], tile::Comparison::Lt, program.object(touch->object).extents[d]};
    bounds.push_back({touch->coords[d], tile::Comparison::Ge, std::nullopt});
    bounds.push_back(upper);
    prefix.push_back(upper);
  }
  return check_guard_equivalent(certificate, program, assumptions, op, bounds, prefix, limits);
}

std::optional<Result<void>> recheck_access(const tile::Program& program, const Assumptions& assumptions,
                                           const Finding& finding) {
  const tile::OpId op{finding.operation};
  if (finding.family == AccessInBounds::kId) {
    TW_CHECK(finding.part.has_value());
    return check_access_in_bounds(*finding.certificate, program, assumptions, op, *finding.part);
  }
  if (finding.family == GuardEquivalent::kId) return check_prefix_guard(*finding.certificate, program, assumptions, op);
  if (finding.family == MapExactCover::kId) return check_store_cover(*finding.certificate, program, assumptions, op);
  return std::nullopt;
}

}  // namespace tilewright::proof
