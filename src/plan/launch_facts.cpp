#include "plan/launch_facts.h"

#include <algorithm>

#include "analysis/roles.h"
#include "realize/shared_rows.h"
#include "support/checked_math.h"

namespace tilewright::plan {

using realize::AtomFamily;
using tile::OpId;

namespace {

class FactsMaker {
 public:
  FactsMaker(const proof::Subject& subject, const CompileSwitches& switches, bool fuse_epilogues,
             const FactsRequest& request, const sets::Context& context)
      : subject_(subject), switches_(switches), fuse_epilogues_(fuse_epilogues), request_(request), context_(context) {}

  std::expected<LaunchFacts, realize::MaterializationFault> run(std::uint32_t launch) {
    made_.launch = launch;
    made_.admission = realize::admit_cooperative(subject_, launch);
    auto materialization = realize::materialize(subject_, launch);
    if (!materialization) return std::unexpected(std::move(materialization.error()));
    made_.forwarding = forwarding(launch);
    made_.materialization = realize::without_views(std::move(*materialization), subject_, made_.forwarding);
    if (request_.pads_rows)
      made_.materialization = realize::with_padded_rows(std::move(made_.materialization), subject_);
    const std::int64_t storage = made_.materialization.storage_bytes();
    made_.windows = realize::pipeline_windows(subject_, made_.materialization,
                                              std::max<std::int64_t>(request_.shared_memory_bytes - storage, 0));
    match_all();
    if (!count(storage))
      return std::unexpected(realize::MaterializationFault{"the elements or bytes of the launch do not fit 64 bits"});
    return std::move(made_);
  }

 private:
  realize::ViewForwarding forwarding(std::uint32_t launch) const {
    if (request_.forwarding == Forwarding::None) return {};
    const bool guarded = request_.forwarding == Forwarding::Guarded;
    return realize::forward_views(subject_, launch, {guarded, switches_.bounded_k > 0, switches_.bounded_mnk > 0},
                                  context_);
  }

  bool is_overlapped(OpId region) const {
    return std::find(request_.overlapped.begin(), request_.overlapped.end(), region) != request_.overlapped.end();
  }

  void match_all() {
    const bool mpp = request_.family == AtomFamily::MetalMpp;
    const realize::MatchRequest request{request_.family, mpp && switches_.bounded_store > 0,
                                        mpp && fuse_epilogues_ && switches_.element_epilogue > 0,
                                        switches_.element_epilogue > 1};
    for (OpId op : subject_.walk.order) {
      if (analysis::as_mma(subject_.program, op) == nullptr) continue;
      if (subject_.walk.places[op].launch != made_.launch) continue;
      auto match = realize::match_matrix(subject_, made_.materialization, made_.forwarding, op, request, context_);
      if (match && is_overlapped(match->region)) forget_recurrence(*match);
      made_.mmas.push_back({op, std::move(match)});
    }
  }

  /// Prologue, steady state and drain keep the accumulator in the storage of the reference.
  static void forget_recurrence(realize::MatrixMatch& match) {
    realize::MatrixWorkload& workload = match.workload;
    workload.accumulator_iterations = 0;
    workload.recurrence_elements = 0;
    workload.has_direct_output = false;
    workload.direct_output_elements = 0;
    workload.epilogue_storage_bytes = 0;
    workload.overwrites_accumulator = false;
    match.closed.reset();
    match.direct.reset();
    match.epilogue.reset();
    match.operands.reset();
    match.operands_with_free_rows.clear();
    match.overwrite.reset();
    match.sink_inside.reset();
    match.sink_prefix.reset();
    match.epilogue_values.clear();
    match.region = {};
    match.sink = {};
  }

  /// False: a sum does not fit 64 bits.
  bool count(std::int64_t storage) {
    const realize::Materialization& made = made_.materialization;
    GroupWorkload& workload = made_.workload;
    workload.programs = made.programs;
    workload.independent_elements = made.independent_elements();
    workload.max_independent_elements = made.widest_elements();
    workload.max_collective_outputs = made.most_collective_outputs;
    workload.shared_memory_bytes = storage;
    for (const realize::PipelineWindow& window : made_.windows)
      if (is_overlapped(window.region) && !add(workload.shared_memory_bytes, window.version_bytes)) return false;
    for (const MmaFacts& mma : made_.mmas) {
      if (mma.match) {
        workload.matrices.push_back(mma.match->workload);
        continue;
      }
      // A contraction that no family takes is scalar work of the group.
      for (const realize::ElementWork& work : made.work)
        if (work.kind == realize::WorkKind::Contraction && work.op == mma.op &&
            !add(workload.independent_elements, work.total()))
          return false;
    }
    return true;
  }

  static bool add(std::int64_t& sum, std::int64_t more) {
    const auto both = checked_add(sum, more);
    if (both) sum = *both;
    return both.has_value();
  }

  const proof::Subject& subject_;
  const CompileSwitches& switches_;
  bool fuse_epilogues_;
  const FactsRequest& request_;
  const sets::Context& context_;
  LaunchFacts made_;
};

}  // namespace

std::string_view forwarding_name(Forwarding forwarding) {
  constexpr std::string_view kNames[] = {"none", "strict", "guarded"};
  return kNames[static_cast<std::size_t>(forwarding)];
}

bool LaunchFacts::all_matched(const tile::Program& program) const {
  return std::all_of(mmas.begin(), mmas.end(), [&](const MmaFacts& mma) {
    return mma.match.has_value() || !analysis::as_mma(program, mma.op)->reassociate;
  });
}

std::vector<const realize::MatrixMatch*> LaunchFacts::matches() const {
  std::vector<const realize::MatrixMatch*> all;
  for (const MmaFacts& mma : mmas)
    if (mma.match) all.push_back(&*mma.match);
  return all;
}

std::expected<LaunchFacts, realize::MaterializationFault> launch_facts(const proof::Subject& subject,
                                                                       std::uint32_t launch,
                                                                       const CompileSwitches& switches,
                                                                       bool fuse_epilogues, const FactsRequest& request,
                                                                       const sets::Context& context) {
  return FactsMaker(subject, switches, fuse_epilogues, request, context).run(launch);
}

}  // namespace tilewright::plan
