#include "realize/matrix_match.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/physical_extent.h"
#include "analysis/roles.h"
#include "proof/question_text.h"
#include "support/check.h"

namespace tilewright::realize {

using analysis::Access;
using tile::OpId;
using tile::ValueId;

namespace {

class Matcher {
 public:
  Matcher(const proof::Subject& subject, const Materialization& materialization, const ViewForwarding& forwarding,
          const MatchRequest& request, const sets::Context& context)
      : subject_(subject),
        program_(subject.program),
        materialization_(materialization),
        forwarding_(forwarding),
        request_(request),
        context_(context) {}

  std::expected<MatrixMatch, Refusal> run(OpId op) {
    auto form = mma_form(subject_, op);
    if (!form) return std::unexpected(std::move(form.error()));
    made_.form = *form;
    mma_ = analysis::as_mma(program_, op);
    if (auto fault = operand_fault()) return std::unexpected(std::move(*fault));
    if (materialization_.executions[op] == 0)
      return std::unexpected(Refusal{MatchCodes::kNeverRuns, "a loop around it has no iteration"});
    MatrixWorkload& workload = made_.workload;
    workload.family = request_.family;
    workload.rows = form->rows;
    workload.columns = form->columns;
    workload.contraction = form->depth;
    workload.executions = materialization_.executions[op];
    workload.starts_from_literal = is_literal(mma_->c);
    add_means();
    ask_recurrence();
    if (made_.closed && is_placed(initial_value()))
      refuse(kPlacedAccumulator, "the program wants to have the accumulator in memory", made_.region);
    else if (made_.closed)
      ask_output();
    ask_overwrite();
    return std::move(made_);
  }

 private:
  // ---- Operands ----------------------------------------------------------------------------------------------------

  const MmaViews* views() const { return forwarding_.of(made_.form.op); }

  std::optional<Refusal> operand_fault() const {
    const std::array<ValueId, 2> operands{mma_->a, mma_->b};
    for (std::size_t side = 0; side < 2; ++side) {
      const bool viewed = views() != nullptr && views()->operand[side].has_value();
      if (viewed || materialization_.residence[operands[side]] == Residence::Stored) continue;
      return Refusal{MatchCodes::kNotStored, fmt::format("operand {} has no storage", side == 0 ? "a" : "b")};
    }
    return std::nullopt;
  }

  /// Means are facts of cost: of the physical extents, where the views end inside the tile.
  void add_means() {
    const MmaViews* of = views();
    if (of == nullptr || of->kind == ViewKind::Plain || !of->operand[0] || !of->operand[1]) return;
    const auto k = analysis::mean_physical_k(program_, subject_.walk, subject_.accesses, made_.form.op);
    if (k.is_known()) made_.workload.mean_contraction = k.mean();
    if (of->kind != ViewKind::BoundedMnk) return;
    made_.workload.mean_rows = mean_of(forwarding_.views[*of->operand[0]], 0, made_.form.rows);
    made_.workload.mean_columns = mean_of(forwarding_.views[*of->operand[1]], 1, made_.form.columns);
  }

  /// The mean of what is left of the object behind the origin of the row or column axis; 0 when it is not known.
  double mean_of(const ForwardedView& view, std::size_t side, std::int64_t tile) const {
    const Access* load = subject_.accesses.of(view.load);
    const OperandLoads loads = operand_loads(program_, *mma_);
    const tile::AxisId axis = axis_behind(program_, loads.chain[side], side == 0 ? made_.form.row : made_.form.column);
    const auto at = axis.valid() ? load->unit_dimension_of(axis) : std::nullopt;
    if (!at || !load->dimensions[*at].unit || !load->dimensions[*at].constant_extent) return 0;
    analysis::AffineForm extent;
    extent.constant = *load->dimensions[*at].constant_extent;
    const auto left = analysis::add_scaled(extent, load->dimensions[*at].unit->origin, -1);
    if (!left) return 0;
    const auto mean = analysis::mean_over(load->domain, *left, tile);
    return mean.is_known() ? mean.mean() : 0;
  }

  // ---- Proofs ------------------------------------------------------------------------------------------------------

  template <class Family>
  const proof::Proved<Family>* note(const proof::Verdict<Family>& verdict, OpId op, std::string_view what) {
    made_.findings.push_back(proof::finding_of(verdict, op.index, proof::question_about(subject_, op, what),
                                               proof::common_premises(subject_)));
    return std::get_if<proof::Proved<Family>>(&verdict);
  }

  std::int64_t total(WorkKind kind, OpId op, std::uint32_t part = 0) const {
    std::int64_t elements = 0;
    for (const ElementWork& work : materialization_.work)
      if (work.kind == kind && work.op == op && work.part == part) elements += work.total();
    return elements;
  }

  void ask_recurrence() {
    const OpId op = made_.form.op;
    const auto verdict = proof::prove_recurrence_closed(subject_, op);
    const auto* proved = note(verdict, op, "is the whole update of a carry");
    const auto carry = proof::carry_of_mma(subject_, op);
    if (proved == nullptr || !carry || !carry->recurrence->constant_trips) return;
    made_.closed = *proved;
    made_.region = carry->recurrence->region;
    made_.carry = carry->carry->index;
    made_.workload.accumulator_iterations = *carry->recurrence->constant_trips;
    made_.workload.recurrence_elements = total(WorkKind::Update, made_.region, made_.carry);
  }

  void ask_output() {
    const OpId op = made_.form.op;
    const auto verdict = proof::prove_output_direct(subject_, op);
    const auto* proved = note(verdict, op, "accumulates what one store writes");
    const ValueId result = program_.list(program_.op(made_.region).results)[made_.carry];
    if (proved != nullptr) {
      const auto use = subject_.uses.single_use(result);
      TW_CHECK(use.has_value());
      if (sink_is_guarded_by_proof(use->op)) take_direct(*proved, use->op);
    } else if (request_.fuse_epilogues && request_.family == AtomFamily::MetalMpp) {
      ask_epilogue(result);
    }
  }

  void take_direct(const proof::Proved<proof::OutputDirect>& token, OpId sink) {
    made_.direct = token;
    made_.sink = sink;
    made_.workload.has_direct_output = true;
    made_.workload.direct_output_elements =
        total(WorkKind::Fill, made_.region, made_.carry) + total(WorkKind::Sink, sink);
  }

  bool refuse(std::string_view code, std::string reason, OpId where) {
    made_.refusals.push_back({code, std::move(reason), {}, where});
    return false;
  }

  /// Rows and columns of the tile each move one dimension of the output by 1, and its rows are compact.
  bool sink_is_a_rectangle(OpId sink) {
    const Access& store = *subject_.accesses.of(sink);
    const auto orientation = analysis::orientation(store, made_.form.row, made_.form.column);
    if (!orientation) return refuse(kOutputNotProjected, "the tile is no rectangle of the output", sink);
    const RowLayout layout = row_layout(program_, store.object, *orientation);
    made_.sink_needs_compact_rows = layout == RowLayout::Free;
    if (layout != RowLayout::Other) return true;
    return refuse(kOutputStrides, "the declared strides of the output leave no compact rows", sink);
  }

  /// A matrix like the output, or a row or column whose elements follow each other.
  bool operand_has_rows(OpId load) {
    const Access& access = *subject_.accesses.of(load);
    const auto orientation = analysis::orientation(access, made_.form.row, made_.form.column);
    RowLayout layout = RowLayout::Other;
    if (orientation) {
      layout = row_layout(program_, access.object, *orientation);
    } else {
      for (tile::AxisId axis : {made_.form.row, made_.form.column})
        if (const auto dimension = access.unit_dimension_of(axis))
          layout = vector_layout(program_, access.object, *dimension);
    }
    if (layout == RowLayout::Free) made_.operands_with_free_rows.push_back(load);
    if (layout != RowLayout::Other) return true;
    return refuse(kOperandStrides, "the declared strides of an operand leave no compact rows", load);
  }

  /// Nothing is read beside the accumulator, or the owner of each element may read it.
  bool operands_are_congruent(OpId sink) {
    const std::vector<OpId> loads = proof::operands_of(subject_, sink);
    if (loads.empty()) return true;
    const auto verdict = proof::prove_operands_congruent(subject_, sink);
    const auto* proved = note(verdict, sink, "may read its operands itself");
    if (proved == nullptr) return false;
    for (OpId load : loads)
      if (!operand_has_rows(load)) return false;
    made_.operands = *proved;
    return true;
  }

  /// Every coordinate inside, or, with the capability, a prefix of each axis.
  bool sink_is_guarded_by_proof(OpId sink) {
    if (!sink_is_a_rectangle(sink)) return false;
    const auto inside = proof::prove_access_in_bounds(subject_, sink, proof::DomainPart::All, context_);
    if (const auto* proved = note(inside, sink, "stays inside at every point")) {
      made_.sink_inside = *proved;
      return true;
    }
    if (!request_.bounded_store || request_.family != AtomFamily::MetalMpp) return false;
    const auto prefix = proof::prove_store_bounded_prefix(subject_, sink, context_);
    const auto* proved = note(prefix, sink, "writes a prefix of its tile");
    if (proved != nullptr) made_.sink_prefix = *proved;
    return proved != nullptr;
  }

  /// The one store behind the accumulator, and what stands between them.
  void ask_epilogue(ValueId result) {
    const analysis::PureSlice slice = analysis::pure_uses_of(program_, subject_.uses, result);
    const Access* store = slice.exits.size() == 1 ? subject_.accesses.of(slice.exits[0].op) : nullptr;
    if (store == nullptr || !store->is_store) {
      refuse(kEpilogueSink, "an epilogue ends in exactly one store", made_.region);
      return;
    }
    if (!literal_start()) {
      refuse(kEpilogueInit, "an epilogue needs an accumulator that begins as a literal", made_.region);
      return;
    }
    const OpId sink = store->op;
    const std::vector<ValueId> made = made_for(sink);
    if (const auto placed = std::ranges::find_if(made, [&](ValueId value) { return is_placed(value); });
        placed != made.end()) {
      refuse(kPlacedEpilogue, "the program wants to have a tile on the way to the output in memory",
             program_.value(*placed).def);
      return;
    }
    const auto operands = request_.load_operands ? proof::EpilogueOperands::Loads : proof::EpilogueOperands::None;
    const auto verdict = proof::prove_epilogue_same_owner(subject_, sink, operands);
    const auto* proved = note(verdict, sink, "writes a function of one accumulator");
    if (proved == nullptr || !operands_are_congruent(sink) || !sink_is_guarded_by_proof(sink)) return;
    made_.epilogue = *proved;
    made_.sink = sink;
    made_.workload.has_direct_output = true;
    // The scalar work of the epilogue remains, in fragments; only the initial fill goes.
    made_.workload.direct_output_elements = total(WorkKind::Fill, made_.region, made_.carry);
    release(made, sink);
  }

  /// Operands, and what pure operations make of them and of the accumulator on the way to the store.
  std::vector<ValueId> made_for(OpId sink) const {
    std::vector<ValueId> values;
    for (OpId load : proof::operands_of(subject_, sink)) values.push_back(subject_.accesses.of(load)->value);
    const ValueId stored = subject_.accesses.of(sink)->value;
    for (OpId op : analysis::pure_sources_of(program_, subject_.uses, stored).ops)
      values.push_back(program_.list(program_.op(op).results)[0]);
    return values;
  }

  /// The storage of what only the epilogue uses.
  void release(const std::vector<ValueId>& values, OpId sink) {
    const auto in_epilogue = [&](const analysis::Use& use) {
      if (use.op == sink) return true;
      const auto results = program_.list(program_.op(use.op).results);
      return results.size() == 1 && std::ranges::find(values, results[0]) != values.end();
    };
    for (ValueId value : values) {
      const StoredTile* tile = materialization_.tile_of(value);
      if (tile == nullptr || !std::ranges::all_of(subject_.uses.of(value), in_epilogue)) continue;
      made_.epilogue_values.push_back(value);
      made_.workload.epilogue_storage_bytes += tile->bytes;
    }
  }

  ValueId initial_value() const {
    const auto& region = std::get<tile::RegionOp>(program_.op(made_.region).payload);
    return program_.list(region.inits)[made_.carry];
  }
  bool literal_start() const { return is_literal(initial_value()); }
  bool is_placed(ValueId value) const { return program_.value(value).placement != tile::MemorySpace::Auto; }

  bool is_literal(ValueId value) const {
    const OpId maker = program_.value(value).def;
    return maker.valid() && !is_placed(value) && std::holds_alternative<tile::ConstantOp>(program_.op(maker).payload);
  }

  void ask_overwrite() {
    if (request_.family != AtomFamily::MetalMpp) return;
    const OpId op = made_.form.op;
    const auto verdict = proof::prove_overwrite_allowed(subject_, op);
    const auto* proved = note(verdict, op, "may overwrite its accumulator");
    if (proved == nullptr) return;
    made_.overwrite = *proved;
    made_.workload.overwrites_accumulator = true;
  }

  const proof::Subject& subject_;
  const tile::Program& program_;
  const Materialization& materialization_;
  const ViewForwarding& forwarding_;
  const MatchRequest& request_;
  const sets::Context& context_;
  const tile::MmaOp* mma_ = nullptr;
  MatrixMatch made_;
};

}  // namespace

std::expected<MatrixMatch, Refusal> match_matrix(const proof::Subject& subject, const Materialization& materialization,
                                                 const ViewForwarding& forwarding, OpId op, const MatchRequest& request,
                                                 const sets::Context& context) {
  return Matcher(subject, materialization, forwarding, request, context).run(op);
}

}  // namespace tilewright::realize
