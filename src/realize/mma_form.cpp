#include "realize/mma_form.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "analysis/roles.h"
#include "realize/metal_units.h"
#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::realize {

using tile::AxisId;
using tile::OpId;
using tile::ValueId;

namespace {

class FormFinder {
 public:
  FormFinder(const proof::Subject& subject, OpId op)
      : subject_(subject), program_(subject.program), op_(op), mma_(*analysis::as_mma(program_, op)) {}

  std::expected<MmaForm, Refusal> run() {
    if (!mma_.reassociate) return refused(MatchCodes::kOrdered, "the order of the sum is fixed");
    if (auto fault = type_fault()) return std::unexpected(std::move(*fault));
    if (auto fault = place_fault()) return std::unexpected(std::move(*fault));
    const analysis::MmaRoles roles = analysis::mma_roles(program_, op_);
    for (AxisId axis : roles.batch)
      if (extent(axis) != 1)
        return refused(MatchCodes::kSeveralAxes, fmt::format("batch axis {} has extent {}", label(axis), extent(axis)),
                       {{"extent", extent(axis)}, {"expected", 1}});
    MmaForm form{op_, {}, {}, {}, 0, 0, 0};
    if (auto fault = choose(roles.rows, "row", form.row, form.rows)) return std::unexpected(std::move(*fault));
    if (auto fault = choose(roles.columns, "column", form.column, form.columns))
      return std::unexpected(std::move(*fault));
    if (auto fault = choose(roles.contraction, "contraction", form.contraction, form.depth))
      return std::unexpected(std::move(*fault));
    return form;
  }

 private:
  static std::unexpected<Refusal> refused(std::string_view code, std::string reason,
                                          std::vector<NamedNumber> numbers = {}) {
    return std::unexpected(Refusal{code, std::move(reason), std::move(numbers)});
  }
  std::int64_t extent(AxisId axis) const { return tile::bound_extent(program_, axis); }
  const std::string& label(AxisId axis) const { return program_.axes()[axis].label; }
  DataType type(ValueId value) const { return program_.value(value).element.data; }

  std::optional<Refusal> type_fault() const {
    const DataType a = type(mma_.a), b = type(mma_.b), c = type(mma_.c);
    if (a == b && is_float(a) && c == DataType::F32) return std::nullopt;
    return Refusal{MatchCodes::kElementTypes,
                   fmt::format("{} x {} onto {}", data_type_name(a), data_type_name(b), data_type_name(c))};
  }

  std::optional<Refusal> place_fault() const {
    const analysis::Nest& nest = subject_.walk.nest(op_);
    for (std::size_t i = 1; i < nest.regions.size(); ++i)
      if (nest.regions[i].kind == tile::RegionKind::Parallel)
        return Refusal{MatchCodes::kNestedParallel, "a parallel region stands between the launch and the mma"};
    if (!nest.branches.empty()) return Refusal{MatchCodes::kConditional, "the mma stands in a branch"};
    for (ValueId value : {mma_.a, mma_.b, mma_.c, program_.list(program_.op(op_).results)[0]})
      if (program_.value(value).placement != tile::MemorySpace::Auto)
        return Refusal{MatchCodes::kPlaced, fmt::format("value {} has a placement", program_.value(value).name)};
    return std::nullopt;
  }

  /// The one axis of a role that has more than one point; the first when all have one.
  std::optional<Refusal> choose(const std::vector<AxisId>& role, std::string_view name, AxisId& axis,
                                std::int64_t& length) const {
    for (AxisId one : role) {
      if (extent(one) == 1 && axis.valid()) continue;
      if (axis.valid() && length != 1)
        return Refusal{MatchCodes::kSeveralAxes,
                       fmt::format("{} axes {} ({}) and {} ({})", name, label(axis), length, label(one), extent(one)),
                       {{"extent", length}, {"other_extent", extent(one)}}};
      axis = one;
      length = extent(one);
    }
    if (axis.valid() && length > 0 && length % kAtomExtent == 0) return std::nullopt;
    return Refusal{MatchCodes::kExtentGranule,
                   fmt::format("{} extent {} is no positive multiple of {}", name,
                               axis.valid() ? fmt::format("{}", length) : "1", kAtomExtent),
                   {{"extent", axis.valid() ? length : 1}, {"multiple_of", kAtomExtent}}};
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  OpId op_;
  const tile::MmaOp& mma_;
};

/// Every coordinate is an axis: the same elements under other names.
bool relabels(const tile::Program& program, const tile::ReindexOp& reindex) {
  const auto coords = program.list(reindex.coords);
  return std::all_of(coords.begin(), coords.end(),
                     [&](tile::IndexId coord) { return program.index()[coord].kind == tile::IndexKind::Axis; });
}

}  // namespace

std::expected<MmaForm, Refusal> mma_form(const proof::Subject& subject, OpId op) {
  TW_CHECK(analysis::as_mma(subject.program, op) != nullptr);
  return FormFinder(subject, op).run();
}

OperandLoads operand_loads(const tile::Program& program, const tile::MmaOp& mma) {
  OperandLoads found;
  const std::array<ValueId, 2> operands{mma.a, mma.b};
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<ValueId> chain{operands[side]};
    while (true) {
      const OpId maker = program.value(chain.back()).def;
      if (!maker.valid()) break;
      const tile::OpPayload& payload = program.op(maker).payload;
      const auto* reindex = std::get_if<tile::ReindexOp>(&payload);
      if (std::holds_alternative<tile::LoadOp>(payload)) {
        found.load[side] = maker;
        found.chain[side].assign(chain.rbegin(), chain.rend());
      }
      if (reindex == nullptr || !relabels(program, *reindex)) break;
      chain.push_back(reindex->operand);
    }
  }
  return found;
}

}  // namespace tilewright::realize
