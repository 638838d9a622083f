#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "plan/launch_planner.h"
#include "realize/fragment_layout.h"
#include "support/check.h"

namespace tilewright::plan {

using realize::MatrixMatch;
using tile::OpId;
using tile::ValueId;

namespace {

constexpr std::int64_t kMostPrefetchScalars = 256;

class CooperativeWriter {
 public:
  CooperativeWriter(const proof::Subject& subject, const Trial& trial, const PlanningRequest& request,
                    PlannedLaunch& launch)
      : subject_(subject), trial_(trial), request_(request), launch_(launch), plan_(launch.plan) {}

  void run() {
    const GroupChoice& choice = *trial_.solution->choice;
    plan_.mapping = LaunchMapping::Cooperative;
    plan_.threads = choice.threads;
    plan_.shared_memory_bytes = choice.shared_memory_bytes;
    plan_.family = family_of(request_.switches).value_or(realize::AtomFamily::Simdgroup8x8);
    plan_.forwarding = forwarding();
    plan_.cost_basis = choice.cost_basis;
    plan_.cost = choice.cost;
    plan_.optimized = choice.optimized;
    plan_.max_copy_batch = request_.options.enabled ? request_.options.max_copy_batch : 1;
    plan_.coalesce_group_barriers = request_.options.coalesce_group_barriers;
    plan_.elide_independent_subgroup_barriers = request_.options.elide_independent_subgroup_barriers;
    note(trial_.facts.forwarding.findings);
    if (trial_.facts.materialization.relies_on_noalias) needs_.insert("noalias");
    write_matrices(choice);
    write_views();
    write_pipelines();
    write_tiles();
    close_needs();
    launch_.needs.assign(needs_.begin(), needs_.end());
  }

 private:
  /// What a capability is built on is needed too (target/capability.h).
  void close_needs() {
    if (needs_.contains("bounded_mnk 1")) needs_.insert("bounded_k 1");
    const bool newer = needs_.contains("bounded_k 1") || needs_.contains("bounded_store 1") ||
                       needs_.contains("element_epilogue 1") || needs_.contains("element_epilogue 2");
    if (newer && needs_.erase("metal_mpp 1") > 0) needs_.insert("metal_mpp 2");
  }

  /// What the views are, whatever was allowed.
  Forwarding forwarding() const {
    const realize::ViewForwarding& forwarded = trial_.facts.forwarding;
    if (!forwarded.any()) return Forwarding::None;
    const bool bounded = std::any_of(forwarded.mmas.begin(), forwarded.mmas.end(),
                                     [](const realize::MmaViews& mma) { return mma.kind != realize::ViewKind::Plain; });
    return bounded ? Forwarding::Guarded : Forwarding::Strict;
  }

  void note(const std::vector<proof::Finding>& findings) {
    for (const proof::Finding& finding : findings) {
      const auto& known = launch_.report.findings;
      const bool asked = std::any_of(known.begin(), known.end(), [&](const proof::Finding& one) {
        return one.family == finding.family && one.operation == finding.operation && one.question == finding.question;
      });
      if (!asked) launch_.report.findings.push_back(finding);
    }
  }

  template <class Family>
  void use(const proof::Proved<Family>& token) {
    plan_.proofs.push_back({std::string(Family::kId), OpId{token.certificate().operation}});
    for (const proof::Premise& premise : token.certificate().premises)
      if (premise.by == proof::Guarantor::Caller || premise.by == proof::Guarantor::Launch) needs_.insert("noalias");
  }

  void write_matrices(const GroupChoice& choice) {
    const std::vector<const MatrixMatch*> matches = trial_.facts.matches();
    for (std::size_t i = 0; i < matches.size() && !choice.matrices.empty(); ++i) {
      note(matches[i]->findings);
      plan_.matrices.push_back(matrix_plan(*matches[i], choice.matrices[i]));
    }
    if (plan_.matrices.empty()) return;
    needs_.insert("cooperative_matrix 1");
    const bool overwrites = std::any_of(plan_.matrices.begin(), plan_.matrices.end(),
                                        [](const MatrixPlan& matrix) { return matrix.overwrites; });
    if (plan_.family == realize::AtomFamily::MetalMpp) needs_.insert(overwrites ? "metal_mpp 2" : "metal_mpp 1");
  }

  MatrixPlan matrix_plan(const MatrixMatch& match, const realize::MatrixDistribution& distribution) {
    MatrixPlan matrix;
    matrix.op = match.form.op;
    matrix.distribution = distribution;
    use_layout(match, distribution);
    if (distribution.persistent_accumulator) {
      matrix.region = match.region;
      use(*match.closed);
    }
    if (distribution.direct_accumulator_store) write_sink(match, matrix);
    if (match.overwrite && (match.workload.accumulator_iterations == 0 || distribution.direct_accumulator_store)) {
      matrix.overwrites = true;
      use(*match.overwrite);
    }
    if (const realize::MmaViews* views = trial_.facts.forwarding.of(match.form.op)) write_operands(*views, matrix);
    return matrix;
  }

  /// Who owns which atom, proved: every atom of the tile is computed once.
  void use_layout(const MatrixMatch& match, const realize::MatrixDistribution& distribution) {
    if (distribution.is_collective()) return;  // how the device shares it is its own contract
    if (distribution.is_one_atom()) {
      const auto jobs = realize::atom_jobs(match.workload, plan_.threads / request_.limits.subgroup_size);
      TW_CHECK(jobs.has_value());
      use_cover(match.form.op, jobs->exact_cover, "the jobs of all subgroups are the atoms of the tile, each once");
      return;
    }
    const auto layout = realize::fragment_layout(distribution);
    TW_CHECK(layout.has_value());
    use_cover(match.form.op, layout->owner.exact_cover, "every atom of the tile has one fragment of one subgroup");
    use_cover(match.form.op, layout->inverse.exact_cover, "every fragment of every subgroup is one atom of the tile");
  }

  void use_cover(OpId op, const proof::Proved<proof::MapExactCover>& token, const std::string& question) {
    plan_.proofs.push_back({std::string(proof::MapExactCover::kId), op});
    note({proof::finding_of(proof::Verdict<proof::MapExactCover>(token), op.index, question, {})});
  }

  void write_sink(const MatrixMatch& match, MatrixPlan& matrix) {
    matrix.sink = match.sink;
    if (match.sink_needs_compact_rows) needs_.insert(fmt::format("compact_rows op {}", match.sink.index));
    if (match.direct) use(*match.direct);
    if (match.epilogue) {
      matrix.fuses_epilogue = true;
      use(*match.epilogue);
      if (match.operands) use(*match.operands);
      needs_.insert(match.operands ? "element_epilogue 2" : "element_epilogue 1");
      for (OpId load : match.operands_with_free_rows) needs_.insert(fmt::format("compact_rows op {}", load.index));
    }
    if (match.sink_inside) use(*match.sink_inside);
    if (match.sink_prefix) {
      matrix.stores_a_prefix = true;
      use(*match.sink_prefix);
      needs_.insert("bounded_store 1");
    }
  }

  void write_operands(const realize::MmaViews& views, MatrixPlan& matrix) {
    for (std::size_t side = 0; side < 2; ++side) matrix.from_view[side] = views.operand[side].has_value();
    if (!matrix.from_view[0] && !matrix.from_view[1]) return;
    matrix.view = views.kind;
    if (views.bounded_k) {
      use(*views.bounded_k);
      needs_.insert("bounded_k 1");
    }
    if (views.bounded_mnk) {
      use(*views.bounded_mnk);
      needs_.insert("bounded_mnk 1");
    }
  }

  void write_views() {
    for (const realize::ForwardedView& view : trial_.facts.forwarding.views) {
      plan_.views.push_back(view.load);
      if (view.needs_compact_rows) needs_.insert(fmt::format("compact_rows op {}", view.load.index));
      use(view.forwardable);
      if (view.inside) use(*view.inside);
    }
  }

  bool is_overlapped(OpId region) const {
    return std::find(trial_.overlapped.begin(), trial_.overlapped.end(), region) != trial_.overlapped.end();
  }

  void write_pipelines() {
    const std::int64_t budget = std::min(request_.options.max_pipeline_prefetch_scalars_per_lane, kMostPrefetchScalars);
    for (const realize::PipelineWindow& window : trial_.facts.windows) {
      PipelinePlan pipeline{window.region, 1, 0, 0};
      if (is_overlapped(window.region)) {
        pipeline.window = 2;
        pipeline.cut = window.cut;
        if (window.relies_on_noalias) needs_.insert("noalias");
      } else if (window.may_reorder() && is_resident(window.region) &&
                 plan_.family == realize::AtomFamily::Simdgroup8x8) {
        const auto scalars = realize::late_prefetch_scalars(subject_, trial_.facts.materialization, window,
                                                            resident_operations(), plan_.threads);
        if (scalars && *scalars <= budget) {
          pipeline.cut = window.cut;
          pipeline.prefetch_scalars_per_lane = *scalars;
          if (window.relies_on_noalias) needs_.insert("noalias");
        }
      }
      plan_.pipelines.push_back(pipeline);
    }
  }

  std::set<OpId> resident_operations() const {
    std::set<OpId> operations;
    for (const MatrixPlan& matrix : plan_.matrices)
      if (matrix.region.valid()) operations.insert(matrix.op);
    return operations;
  }

  bool is_resident(OpId region) const {
    return std::any_of(plan_.matrices.begin(), plan_.matrices.end(),
                       [&](const MatrixPlan& matrix) { return matrix.region == region; });
  }

  /// What is left of the reference's storage: residency takes the next value of the carry, direct output the carry too.
  void write_tiles() {
    std::set<ValueId> gone;
    const std::vector<const MatrixMatch*> matches = trial_.facts.matches();
    for (std::size_t i = 0; i < plan_.matrices.size(); ++i) {
      const MatrixPlan& matrix = plan_.matrices[i];
      if (!matrix.region.valid()) continue;
      const auto& region = std::get<tile::RegionOp>(subject_.program.op(matrix.region).payload);
      const auto& body = subject_.program.block(region.body);
      gone.insert(subject_.program.list(subject_.program.op(matrix.op).results)[0]);
      if (!matrix.sink.valid()) continue;
      gone.insert(subject_.program.list(body.args)[matches[i]->carry]);
      gone.insert(matches[i]->epilogue_values.begin(), matches[i]->epilogue_values.end());
    }
    for (const realize::StoredTile& tile : trial_.facts.materialization.tiles)
      if (!gone.contains(tile.value)) plan_.tiles.push_back({tile.value, tile.bytes, tile.row_padding_elements});
  }

  const proof::Subject& subject_;
  const Trial& trial_;
  const PlanningRequest& request_;
  PlannedLaunch& launch_;
  LaunchPlan& plan_;
  std::set<std::string> needs_;
};

}  // namespace

void write_cooperative(const proof::Subject& subject, const Trial& trial, const PlanningRequest& request,
                       PlannedLaunch& launch) {
  CooperativeWriter(subject, trial, request, launch).run();
}

}  // namespace tilewright::plan
