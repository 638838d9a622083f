#include "realize/view_forwarding.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analysis/roles.h"
#include "proof/question_text.h"
#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::realize {

using tile::OpId;
using tile::ValueId;

namespace {

class Forwarder {
 public:
  Forwarder(const proof::Subject& subject, std::uint32_t launch, const ForwardingRequest& request,
            const sets::Context& context)
      : subject_(subject), program_(subject.program), request_(request), context_(context) {
    for (OpId op : subject.walk.order)
      if (subject.walk.places[op].launch == launch && analysis::as_mma(program_, op) != nullptr) mmas_.push_back(op);
  }

  ViewForwarding run() {
    for (OpId op : mmas_) ask(op);
    drop_loads_that_some_use_refuses();
    number_views();
    return std::move(made_);
  }

 private:
  struct Asked {
    OpId op;
    OperandLoads loads;
    std::array<bool, 2> taken{};
    MmaViews views;
  };

  void ask(OpId op) {
    Asked asked{op, operand_loads(program_, *analysis::as_mma(program_, op)), {}, {op, {}, {}, {}, {}}};
    const auto form = mma_form(subject_, op);
    std::array<bool, 2> candidate{};
    for (std::size_t side = 0; side < 2; ++side)
      candidate[side] = form && asked.loads.load[side].valid() && is_forwardable(asked.loads.load[side]) &&
                        is_rectangle(asked.loads, side, *form);
    for (std::size_t side = 0; side < 2; ++side)
      asked.taken[side] = candidate[side] && is_inside(asked.loads.load[side]);
    if (form) refuse_computed(asked);
    const bool all_plain = asked.taken[0] && asked.taken[1];
    if (!all_plain && candidate[0] && candidate[1] && may_be_bounded(op) && ask_bounded(op, asked.views))
      asked.taken = {true, true};
    asked_.push_back(std::move(asked));
  }

  void refuse_computed(const Asked& asked) {
    for (std::size_t side = 0; side < 2; ++side)
      if (!asked.loads.load[side].valid())
        refused(asked.op, kViewComputed,
                fmt::format("operand {} is computed; a load, or a relabelling of one, could be read where it lies",
                            side == 0 ? "a" : "b"));
  }

  /// The tile of an operand ends inside the input.
  bool may_be_bounded(OpId op) {
    if (!request_.bounded_k && !request_.bounded_mnk)
      return refused(op, kViewCapability, "the tile ends inside the input, and bounded_k and bounded_mnk are off");
    return request_.guarded;
  }

  bool ask_bounded(OpId op, MmaViews& views) {
    if (request_.bounded_k) {
      const auto verdict = proof::prove_extent_bounded_k(subject_, op, context_);
      note(verdict, op, "may stop at the end of K");
      if (const auto* proved = std::get_if<proof::Proved<proof::ExtentBoundedK>>(&verdict)) {
        views.bounded_k = *proved;
        views.kind = ViewKind::BoundedK;
        return true;
      }
    }
    if (!request_.bounded_mnk)
      return refused(op, kViewCapability, "rows or columns end inside the tile, and bounded_mnk is off");
    const auto verdict = proof::prove_extent_bounded_mn(subject_, op, context_);
    note(verdict, op, "may stop at the ends of M, N and K");
    const auto* proved = std::get_if<proof::Proved<proof::ExtentBoundedMn>>(&verdict);
    if (proved == nullptr) return false;
    views.bounded_mnk = *proved;
    views.kind = ViewKind::BoundedMnk;
    return true;
  }

  bool is_forwardable(OpId load) {
    if (!forwardable_.contains(load)) {
      const auto verdict = proof::prove_load_forwardable(subject_, load);
      note(verdict, load, "may be read where it is used");
      const auto* proved = std::get_if<proof::Proved<proof::LoadForwardable>>(&verdict);
      forwardable_.emplace(load, proved == nullptr ? std::nullopt : std::optional(*proved));
    }
    return forwardable_.at(load).has_value();
  }

  /// Row and contraction axis of a, contraction and column axis of b: in the dimensions of the input.
  bool is_rectangle(const OperandLoads& loads, std::size_t side, const MmaForm& form) {
    const OpId load = loads.load[side];
    const analysis::Access& access = *subject_.accesses.of(load);
    const tile::AxisId first = axis_behind(program_, loads.chain[side], side == 0 ? form.row : form.contraction);
    const tile::AxisId second = axis_behind(program_, loads.chain[side], side == 0 ? form.contraction : form.column);
    const auto orientation = first.valid() && second.valid() ? analysis::orientation(access, first, second)
                                                             : std::optional<analysis::Orientation>();
    if (!orientation) return refused(load, kViewNotProjected, "the tile is no rectangle of the input");
    const RowLayout layout = row_layout(program_, access.object, *orientation);
    if (layout != RowLayout::Other && !is_within_reach(program_, access.object, *orientation, first, second))
      return refused(load, kViewReach, "rows of the tile lie further apart than 2147483647 elements");
    switch (layout) {
      case RowLayout::Other:
        return refused(load, kViewStrides, "the declared strides leave no compact rows");
      case RowLayout::Free:
        free_rows_.insert(load);
        return true;
      case RowLayout::Compact:
        return true;
    }
    return false;
  }

  bool refused(OpId op, std::string_view code, std::string reason) {
    made_.refusals.push_back({code, std::move(reason), {}, op});
    return false;
  }

  bool is_inside(OpId load) {
    if (!inside_.contains(load)) {
      const auto verdict = proof::prove_access_in_bounds(subject_, load, proof::DomainPart::All, context_);
      note(verdict, load, "stays inside at every point");
      const auto* proved = std::get_if<proof::Proved<proof::AccessInBounds>>(&verdict);
      inside_.emplace(load, proved == nullptr ? std::nullopt : std::optional(*proved));
    }
    return inside_.at(load).has_value();
  }

  /// A snapshot that one mma still needs has to be made, so the others read it too.
  void drop_loads_that_some_use_refuses() {
    for (bool changed = true; changed;) {
      changed = false;
      std::set<OpId> refused;
      for (const Asked& asked : asked_)
        for (std::size_t side = 0; side < 2; ++side)
          if (!asked.taken[side] && asked.loads.load[side].valid()) refused.insert(asked.loads.load[side]);
      for (Asked& asked : asked_) changed = drop(asked, refused) || changed;
    }
  }

  bool drop(Asked& asked, const std::set<OpId>& copied) {
    bool changed = false;
    for (std::size_t side = 0; side < 2; ++side)
      if (asked.taken[side] && copied.contains(asked.loads.load[side])) {
        asked.taken[side] = false;
        changed = true;
        refused(asked.op, kViewShared,
                fmt::format("operand {} is copied, because another mma needs the copy", side == 0 ? "a" : "b"));
      }
    // A bounded view is one statement about both operands.
    if (changed && asked.views.kind != ViewKind::Plain) {
      asked.taken = {false, false};
      asked.views = {asked.op, {}, {}, {}, {}};
    }
    return changed;
  }

  void number_views() {
    std::map<std::uint32_t, std::size_t> numbers;
    for (Asked& asked : asked_)
      for (std::size_t side = 0; side < 2; ++side)
        if (asked.taken[side]) numbers.emplace(subject_.walk.places[asked.loads.load[side]].order, 0);
    for (auto& [order, number] : numbers) {
      const OpId load = subject_.walk.order[order];
      number = made_.views.size();
      made_.views.push_back({load, {}, *forwardable_.at(load), inside_.at(load), free_rows_.contains(load)});
    }
    for (Asked& asked : asked_) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (!asked.taken[side]) continue;
        const std::size_t number = numbers.at(subject_.walk.places[asked.loads.load[side]].order);
        asked.views.operand[side] = number;
        std::vector<ValueId>& values = made_.views[number].values;
        values.insert(values.end(), asked.loads.chain[side].begin(), asked.loads.chain[side].end());
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
      }
      made_.mmas.push_back(std::move(asked.views));
    }
  }

  template <class Family>
  void note(const proof::Verdict<Family>& verdict, OpId op, std::string_view what) {
    made_.findings.push_back(proof::finding_of(verdict, op.index, proof::question_about(subject_, op, what),
                                               proof::common_premises(subject_)));
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  ForwardingRequest request_;
  const sets::Context& context_;
  std::vector<OpId> mmas_;
  std::vector<Asked> asked_;
  std::map<OpId, std::optional<proof::Proved<proof::LoadForwardable>>> forwardable_;
  std::map<OpId, std::optional<proof::Proved<proof::AccessInBounds>>> inside_;
  std::set<OpId> free_rows_;
  ViewForwarding made_;
};

}  // namespace

std::string_view view_kind_name(ViewKind kind) {
  constexpr std::string_view kNames[] = {"plain", "bounded_k", "bounded_mnk"};
  return kNames[static_cast<std::size_t>(kind)];
}

tile::AxisId axis_behind(const tile::Program& program, const std::vector<ValueId>& chain, tile::AxisId axis) {
  for (std::size_t i = chain.size(); i-- > 1;) {
    const auto& reindex = std::get<tile::ReindexOp>(program.op(program.value(chain[i]).def).payload);
    const auto coords = program.list(reindex.coords);
    const auto axes = program.list(program.value(reindex.operand).axes);
    tile::AxisId found;
    for (std::size_t d = 0; d < coords.size(); ++d)
      if (program.index()[coords[d]].axis() == axis) found = axes[d];
    axis = found;
    if (!axis.valid()) break;
  }
  return axis;
}

namespace {

/// Densely laid out, elements along the dimension follow each other: those behind it have one point each.
bool ends_rows(const tile::Program& program, const tile::Object& object, std::size_t dimension) {
  for (std::size_t d = dimension + 1; d < object.rank(); ++d)
    if (program.index().as_constant(object.extents[d]) != 1) return false;
  return true;
}

}  // namespace

RowLayout row_layout(const tile::Program& program, tile::ObjectId object, const analysis::Orientation& orientation) {
  const tile::Object& declared = program.object(object);
  if (declared.kind == tile::ObjectKind::Temp || declared.rank() < 2) return RowLayout::Compact;
  const auto number = [&](tile::IndexId id) { return program.index().as_constant(id); };
  if (declared.strides.empty())
    return ends_rows(program, declared, std::max(orientation.row_dimension, orientation.column_dimension))
               ? RowLayout::Free
               : RowLayout::Other;
  const auto is_compact = [&](std::size_t inner, std::size_t outer) {
    const auto step = number(declared.strides[inner]), rows = number(declared.strides[outer]);
    const auto extent = number(declared.extents[inner]);
    return step == 1 && rows && extent && *rows >= *extent;
  };
  const bool compact = is_compact(orientation.row_dimension, orientation.column_dimension) ||
                       is_compact(orientation.column_dimension, orientation.row_dimension);
  return compact ? RowLayout::Compact : RowLayout::Other;
}

bool is_within_reach(const tile::Program& program, tile::ObjectId object, const analysis::Orientation& orientation,
                     tile::AxisId row, tile::AxisId column) {
  const tile::Object& declared = program.object(object);
  const auto number = [&](tile::IndexId id) { return program.index().as_constant(id); };
  std::vector<std::int64_t> strides;
  std::int64_t dense = 1;
  for (std::size_t d = declared.rank(); d-- > 0;) {
    const auto stride = declared.strides.empty() ? std::optional(dense) : number(declared.strides[d]);
    const auto extent = number(declared.extents[d]);
    const auto next = extent ? checked_mul(dense, std::max<std::int64_t>(*extent, 1)) : std::nullopt;
    if (!stride || !next) return false;
    strides.insert(strides.begin(), *stride);
    dense = *next;
  }
  std::int64_t furthest = 0;
  for (const auto& [dimension, axis] :
       {std::pair(orientation.row_dimension, row), {orientation.column_dimension, column}}) {
    const std::int64_t extent = *number(declared.extents[dimension]);
    const std::int64_t last = std::min(tile::bound_extent(program, axis), extent) - 1;
    const auto step = checked_mul(std::max<std::int64_t>(last, 0), strides[dimension]);
    const auto sum = step ? checked_add(furthest, *step) : std::nullopt;
    if (!sum) return false;
    furthest = *sum;
  }
  return furthest <= INT32_MAX;
}

RowLayout vector_layout(const tile::Program& program, tile::ObjectId object, std::size_t dimension) {
  const tile::Object& declared = program.object(object);
  if (declared.kind == tile::ObjectKind::Temp)
    return declared.rank() == dimension + 1 ? RowLayout::Compact : RowLayout::Other;
  if (declared.strides.empty()) return ends_rows(program, declared, dimension) ? RowLayout::Free : RowLayout::Other;
  return program.index().as_constant(declared.strides[dimension]) == 1 ? RowLayout::Compact : RowLayout::Other;
}

const MmaViews* ViewForwarding::of(OpId mma) const {
  const auto found = std::find_if(mmas.begin(), mmas.end(), [&](const MmaViews& one) { return one.op == mma; });
  return found == mmas.end() ? nullptr : &*found;
}

ViewForwarding forward_views(const proof::Subject& subject, std::uint32_t launch, const ForwardingRequest& request,
                             const sets::Context& context) {
  return Forwarder(subject, launch, request, context).run();
}

Materialization without_views(Materialization materialization, const proof::Subject& subject,
                              const ViewForwarding& forwarding) {
  std::set<ValueId> gone;
  for (const ForwardedView& view : forwarding.views) gone.insert(view.values.begin(), view.values.end());
  for (ValueId value : gone) materialization.residence[value] = Residence::Folded;
  std::erase_if(materialization.tiles, [&](const StoredTile& tile) { return gone.contains(tile.value); });
  std::erase_if(materialization.work, [&](const ElementWork& work) {
    const auto results = subject.program.list(subject.program.op(work.op).results);
    const bool makes_a_value = work.kind == WorkKind::Copy || work.kind == WorkKind::Compute;
    return makes_a_value && results.size() == 1 && gone.contains(results[0]);
  });
  return materialization;
}

}  // namespace tilewright::realize
