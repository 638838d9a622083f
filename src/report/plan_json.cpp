#include <utility>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "plan/cost_basis.h"
#include "proof/question_text.h"
#include "realize/shared_rows.h"
#include "report/plan_report.h"
#include "report/plan_words.h"
#include "report/schema.h"

namespace tilewright::report {

namespace {

using Json = nlohmann::ordered_json;
using driver::PlanReport;

Json id_json(tile::OpId op) { return op.valid() ? Json(op.index) : Json(nullptr); }

Json values_json(const std::vector<plan::OptionValue>& values) {
  Json json = Json::object();
  for (const plan::OptionValue& value : values)
    std::visit([&](const auto& one) { json[value.name] = one; }, value.value);
  return json;
}

Json bindings_json(const Bindings& bindings) {
  Json json = Json::object();
  for (const auto& [name, number] : bindings.numbers) json[name] = number;
  for (const auto& [name, type] : bindings.types) json[name] = data_type_name(type);
  return json;
}

Json cost_json(const plan::PlanCost& cost) {
  Json json = Json::object();
  for (const plan::CostFeatureRow& row : plan::cost_feature_rows())
    std::visit([&](auto member) { json[std::string(row.name)] = cost.*member; }, row.member);
  return json;
}

Json distribution_json(const realize::MatrixDistribution& distribution) {
  return {{"kind", distribution.is_one_atom()     ? "atoms"
                   : distribution.is_collective() ? "collective"
                                                  : "rectangle"},
          {"family", realize::atom_family_name(distribution.family)},
          {"scope", realize::operation_scope_name(distribution.scope)},
          {"subgroups_m", distribution.subgroups_m},
          {"subgroups_n", distribution.subgroups_n},
          {"atom_rows", distribution.atom_rows},
          {"atom_columns", distribution.atom_columns},
          {"persistent_accumulator", distribution.persistent_accumulator},
          {"direct_accumulator_store", distribution.direct_accumulator_store}};
}

template <class Numbers>
Json numbers_json(const Numbers& numbers) {
  Json json = Json::object();
  for (const auto& number : numbers) json[std::string(number.name)] = number.value;
  return json;
}

class PlanJson {
 public:
  explicit PlanJson(const PlanReport& report) : report_(report) {}

  Json run() {
    const plan::Plan& plan = report_.planned.plan;
    Json json = {{"schema", kPlanSchema},
                 {"program", report_.program},
                 {"target", plan.target},
                 {"device", report_.device.name},
                 {"bindings", bindings_json(report_.bindings)},
                 {"options", values_json(plan::option_values(report_.request.options))},
                 {"switches", values_json(plan::option_values(report_.request.switches))},
                 {"limits",
                  {{"max_threads", report_.request.limits.max_threads},
                   {"subgroup_size", report_.request.limits.subgroup_size},
                   {"shared_memory_bytes", report_.request.limits.shared_memory_bytes}}},
                 {"milliseconds", report_.milliseconds},
                 {"from_file", report_.from_file},
                 {"automatic", automatic_json()},
                 {"plan", plan_json()},
                 {"families", families()},
                 {"captures", captures()},
                 {"candidates", Json::array()},
                 {"ranking", Json::array()},
                 {"refusals", Json::array()},
                 {"proofs", Json::array()},
                 {"trials", Json::array()},
                 {"optimality", Json::array()}};
    for (std::size_t i = 0; i < plan.launches.size(); ++i) add_launch(i, json);
    return json;
  }

 private:
  /// Of a stored plan: what would be chosen today, launch by launch; null without a stored plan, or where the planner
  /// has none.
  Json automatic_json() const {
    if (!report_.automatic) return nullptr;
    Json launches = Json::array();
    for (const plan::LaunchPlan& today : report_.automatic->launches) {
      const plan::LaunchPlan& stored = report_.planned.plan.launches[today.launch];
      const bool both = today.cost.priced && stored.cost.priced;
      launches.push_back(
          {{"launch", today.launch},
           {"same", today == stored},
           {"mapping", plan::mapping_name(today.mapping)},
           {"threads", today.threads},
           {"shared_memory_bytes", today.shared_memory_bytes},
           {"kernel_score", today.cost.priced ? Json(today.cost.kernel_score) : Json(nullptr)},
           {"stored_distance", both ? Json(stored.cost.kernel_score - today.cost.kernel_score) : Json(nullptr)}});
    }
    return launches;
  }

  /// Side by side; their scores are of different bases.
  Json families() const {
    Json all = Json::array();
    for (const driver::FamilyPlan& family : report_.families) {
      Json launches = Json::array();
      for (const driver::FamilyLaunch& launch : family.launches)
        launches.push_back({{"mapping", launch.mapping},
                            {"threads", launch.threads},
                            {"shared_memory_bytes", launch.shared_memory_bytes},
                            {"cost_basis", launch.cost_basis},
                            {"kernel_score", launch.kernel_score ? Json(*launch.kernel_score) : Json(nullptr)}});
      const auto score = family.kernel_score();
      all.push_back({{"family", family.family},
                     {"target", family.target},
                     {"taken", family.taken},
                     {"preference", family.taken && report_.target_is_named && family.family != "scalar"},
                     {"bindings", bindings_json(family.bindings)},
                     {"kernel_score", score ? Json(*score) : Json(nullptr)},
                     {"launches", launches},
                     {"refusal", family.refusal.empty() ? Json(nullptr) : Json(family.refusal)}});
    }
    return all;
  }

  Json plan_json() const {
    const plan::Plan& plan = report_.planned.plan;
    Json json = {{"program_hash", hash_text(plan.program)},
                 {"digest", hash_text(plan::plan_digest(plan))},
                 {"needs", plan.needs},
                 {"groups", Json::array()},
                 {"text", plan::print_plan(plan)}};
    for (const plan::LaunchPlan& launch : plan.launches) json["groups"].push_back(group_json(launch));
    return json;
  }

  /// What a lowering of the launch finds; null where there is none.
  void add_fences(const plan::LaunchPlan& launch, Json& json) const {
    const bool known = launch.launch < report_.fences.size();
    const artifact::FenceRecord fences = known ? report_.fences[launch.launch] : artifact::FenceRecord{};
    json["group_barrier_sites_before"] = known ? Json(fences.sites_before) : Json(nullptr);
    json["group_barrier_sites_after"] = known ? Json(fences.sites_after) : Json(nullptr);
    const auto& independent = fences.independent_subgroups;
    json["independent_subgroups"] = independent ? Json(*independent) : Json(nullptr);
    json["independent_subgroups_reason"] = fences.reason.empty() ? Json(nullptr) : Json(fences.reason);
  }

  Json group_json(const plan::LaunchPlan& launch) const {
    Json json = {{"name", report_.program},
                 {"launch", launch.launch},
                 {"mapping", plan::mapping_name(launch.mapping)},
                 {"automatic_cooperative", launch.automatic_cooperative},
                 {"metal_mpp", !launch.matrices.empty() && launch.family == realize::AtomFamily::MetalMpp},
                 {"programs", launch.programs},
                 {"program_grid_rows", launch.program_grid_rows},
                 {"program_grid_columns", launch.program_grid_columns},
                 {"program_order_rows", launch.program_order_rows},
                 {"program_order_columns", launch.program_order_columns},
                 {"threads", launch.threads},
                 {"shared_memory_bytes", launch.shared_memory_bytes},
                 {"candidates_considered", counts(launch.launch).first},
                 {"candidates_rejected", counts(launch.launch).second},
                 {"max_copy_batch", launch.max_copy_batch},
                 {"coalesce_group_barriers", launch.coalesce_group_barriers},
                 {"elide_independent_subgroup_barriers", launch.elide_independent_subgroup_barriers},
                 {"elementwise_elements_per_program", launch.elementwise_elements_per_program},
                 {"elementwise_scalar_temporaries", launch.elementwise_scalar_temporaries},
                 {"forwarding", plan::forwarding_name(launch.forwarding)},
                 {"prefetched_pipeline_loops", 0},
                 {"prefetch_storage_scalars_per_lane", 0},
                 {"optimized", launch.optimized},
                 {"cost_basis", launch.cost_basis},
                 {"cost", launch.cost.priced ? cost_json(launch.cost) : Json(nullptr)}};
    add_fences(launch, json);
    add_rows_of(launch, json);
    add_vector_of(launch, json);
    add_storage(launch, json);
    add_matrices(launch, json);
    return json;
  }

  /// Candidates of the search that made the plan, and how many of them are not legal; 0 for a plan from a file.
  std::pair<std::uint64_t, std::uint64_t> counts(std::uint32_t number) const {
    const plan::LaunchReport& launch = report_.planned.launches[number];
    if (launch.vector) return {launch.vector->candidates.size(), 0};
    if (launch.rows && launch.rows->plan)
      return {static_cast<std::uint64_t>(launch.rows->candidates_considered),
              static_cast<std::uint64_t>(launch.rows->candidates_rejected)};
    const plan::Trial* chosen = launch.chosen();
    if (chosen == nullptr || !chosen->solution) return {0, 0};
    return {chosen->solution->candidates_considered, chosen->solution->candidates_rejected};
  }

  /// Field names of background 3.2, for a launch that is a row reduction.
  void add_rows_of(const plan::LaunchPlan& launch, Json& json) const {
    const auto& reported = report_.planned.launches[launch.launch].rows;
    if (!launch.rows || !reported || !reported->plan) return;
    const plan::RowReductionPlan& rows = *reported->plan;
    json["reduction_subgroups_per_program"] = rows.reduction_subgroups_per_program;
    json["reduction_programs_per_group"] = rows.reduction_programs_per_group;
    json["reduction_operations"] = rows.reduction_operations;
    json["reduction_elements"] = rows.reduction_elements;
    json["reduction_unroll_factor"] = rows.reduction_unroll_factor;
    json["reduction_lane_elements"] = rows.reduction_lane_elements;
    json["reduction_threadgroups"] = rows.reduction_threadgroups;
    json["reduction_scalar_rounds"] = rows.reduction_scalar_rounds;
    json["reduction_lane_utilization"] = rows.reduction_lane_utilization;
    json["reduction_payload_accesses_known"] = rows.reduction_payload_accesses_known;
    json["reduction_payload_accesses_per_program"] = rows.reduction_payload_accesses_per_program;
    json["reduction_payload_accesses_per_worker"] = rows.reduction_payload_accesses_per_worker;
    json["striped_storage_scalars_per_worker"] = rows.striped_storage_scalars_per_worker;
  }

  /// The mapping of one product on a processor, and every candidate.
  void add_vector_of(const plan::LaunchPlan& launch, Json& json) const {
    if (!launch.vector) return;
    json["vector"] = mapping_json(launch.vector->mapping, launch.vector->cost);
    json["vector_candidates"] = Json::array();
    if (const auto& choice = report_.planned.launches[launch.launch].vector)
      for (const plan::VectorCandidate& each : choice->candidates)
        json["vector_candidates"].push_back(mapping_json(each.mapping, each.cost));
  }

  static Json mapping_json(const realize::VectorMapping& mapping, const plan::VectorCost& cost) {
    Json features;
    for (const plan::VectorCostRow& row : plan::vector_cost_rows()) features[row.name] = cost.*row.member;
    return {{"lanes", mapping.lanes},   {"rows", mapping.rows},       {"vectors", mapping.vectors},
            {"unroll", mapping.unroll}, {"swaps", mapping.swaps},     {"depth_lanes", mapping.depth_lanes},
            {"packs", mapping.packs},   {"group", mapping.group},     {"pass", mapping.pass},
            {"score", cost.score},      {"cost", std::move(features)}};
  }

  void add_storage(const plan::LaunchPlan& launch, Json& json) const {
    json["views"] = Json::array();
    for (tile::OpId view : launch.views) json["views"].push_back(view.index);
    json["tiles"] = Json::array();
    for (const plan::TilePlan& tile : launch.tiles) {
      const auto rows = realize::shared_rows(report_.bound, tile.value, tile.row_padding_elements);
      json["tiles"].push_back({{"value", tile.value.index},
                               {"name", proof::value_text(report_.bound, tile.value)},
                               {"bytes", tile.bytes},
                               {"row_padding_elements", tile.row_padding_elements},
                               {"row_stride_elements", rows ? Json(rows->stride_elements) : Json(nullptr)},
                               {"bank_conflict_ways", rows ? Json(rows->conflict_ways) : Json(nullptr)}});
    }
    std::int64_t loops = 0, scalars = 0;
    json["pipelines"] = Json::array();
    for (const plan::PipelinePlan& pipeline : launch.pipelines) {
      loops += pipeline.prefetch_scalars_per_lane > 0 ? 1 : 0;
      scalars += pipeline.prefetch_scalars_per_lane;
      json["pipelines"].push_back({{"region", pipeline.region.index},
                                   {"window", pipeline.window},
                                   {"cut", pipeline.cut},
                                   {"prefetch_scalars_per_lane", pipeline.prefetch_scalars_per_lane}});
    }
    json["prefetched_pipeline_loops"] = loops;
    json["prefetch_storage_scalars_per_lane"] = scalars;
  }

  void add_matrices(const plan::LaunchPlan& launch, Json& json) const {
    json["matrices"] = Json::array();
    for (const plan::MatrixPlan& matrix : launch.matrices) {
      Json one = distribution_json(matrix.distribution);
      one["operation"] = matrix.op.index;
      one["text"] = operation_text(report_, matrix.op);
      one["a_from_view"] = matrix.from_view[0];
      one["b_from_view"] = matrix.from_view[1];
      one["view"] = realize::view_kind_name(matrix.view);
      one["overwrites"] = matrix.overwrites;
      one["relaxed_precision"] = uses_relaxed_precision(report_, launch, matrix);
      one["fuses_epilogue"] = matrix.fuses_epilogue;
      one["stores_a_prefix"] = matrix.stores_a_prefix;
      one["region"] = id_json(matrix.region);
      one["sink"] = id_json(matrix.sink);
      json["matrices"].push_back(std::move(one));
    }
  }

  Json captures() const {
    Json json = Json::array();
    for (const plan::CaptureOutcome& capture : report_.captures)
      json.push_back({{"bindings", bindings_json({capture.numbers, {}})},
                      {"kernel_score", capture.is_priced() ? Json(capture.kernel_score) : Json(nullptr)},
                      {"unpriced_launches", capture.unpriced_launches},
                      {"chosen", capture.is_chosen},
                      {"code", capture.fault ? Json(diag_code_name(capture.fault->code)) : Json(nullptr)},
                      {"outcome", outcome_text(capture)}});
    return json;
  }

  void add_launch(std::size_t number, Json& json) const {
    const plan::LaunchReport& launch = report_.planned.launches[number];
    for (const plan::Trial& trial : launch.trials) {
      Json overlapped = Json::array();
      for (tile::OpId region : trial.overlapped) overlapped.push_back(region.index);
      json["trials"].push_back({{"launch", launch.launch},
                                {"forwarding", plan::forwarding_name(trial.forwarding)},
                                {"overlapped", overlapped},
                                {"pads_rows", trial.pads_rows},
                                {"chosen", trial.chosen},
                                {"outcome", trial.outcome}});
    }
    for (const plan::LaunchRefusal& refusal : launch.refusals)
      json["refusals"].push_back({{"launch", launch.launch},
                                  {"subject", refusal.subject},
                                  {"operation", id_json(refusal.why.op)},
                                  {"code", refusal.why.code},
                                  {"reason", refusal.why.reason},
                                  {"numbers", numbers_json(refusal.why.numbers)}});
    if (const plan::Trial* shown = launch.shown(); shown != nullptr) add_solution(launch.launch, *shown, json);
    if (launch.rows) add_rows(launch.launch, *launch.rows, json);
    const plan::LaunchPlan& plan = report_.planned.plan.launches[number];
    for (const proof::Finding& finding : launch.findings) json["proofs"].push_back(proof_json(plan, finding));
  }

  static void add_rows(std::uint32_t launch, const plan::RowReductionChoice& rows, Json& json) {
    for (const plan::PricedRowCandidate& priced : rows.candidates) {
      const realize::RowCandidate& candidate = priced.candidate;
      Json one = {{"launch", launch},
                  {"threads", candidate.threads},
                  {"reduction_subgroups_per_program", candidate.mapping.subgroups_per_program},
                  {"reduction_programs_per_group", candidate.mapping.programs_per_group},
                  {"reduction_threadgroups", candidate.threadgroups},
                  {"reduction_scalar_rounds", candidate.scalar_rounds},
                  {"shared_memory_bytes", candidate.shared_memory_bytes},
                  {"legal", !candidate.refusal},
                  {"eligible", priced.is_eligible},
                  {"score", priced.score ? Json(*priced.score) : Json(nullptr)},
                  {"kernel_score", priced.score ? Json(priced.kernel_score) : Json(nullptr)}};
      if (candidate.refusal) {
        one["code"] = candidate.refusal->code;
        one["reason"] = candidate.refusal->reason;
        one["numbers"] = numbers_json(candidate.refusal->numbers);
      }
      json["candidates"].push_back(std::move(one));
    }
  }

  void add_solution(std::uint32_t launch, const plan::Trial& trial, Json& json) const {
    const plan::Solution& solution = *trial.solution;
    const auto matches = trial.facts.matches();
    for (const plan::WidthRecord& width : solution.widths) {
      if (width.refusal)
        json["refusals"].push_back(
            {{"launch", launch},
             {"subject", "width"},
             {"operation", width.refusal->matrix ? id_json(matches[*width.refusal->matrix]->form.op) : Json(nullptr)},
             {"threads", width.threads},
             {"code", plan::constraint_name(width.refusal->constraint)},
             {"reason", refusal_text(*width.refusal, trial, report_.bound)},
             {"numbers", numbers_json(width.refusal->numbers)}});
      for (std::size_t i = 0; i < width.matrices.size(); ++i)
        for (const plan::CandidateRecord& candidate : width.matrices[i])
          add_candidate(launch, width, matches[i]->form.op, candidate, json);
    }
    for (const plan::RankedPlan& ranked : solution.ranking) {
      Json matrices = Json::array();
      for (const realize::MatrixDistribution& distribution : ranked.matrices)
        matrices.push_back(distribution_json(distribution));
      json["ranking"].push_back({{"launch", launch},
                                 {"threads", ranked.threads},
                                 {"shared_memory_bytes", ranked.shared_memory_bytes},
                                 {"kernel_score", ranked.kernel_score},
                                 {"matrices", matrices}});
    }
    add_optimality(launch, solution, json);
  }

  static void add_candidate(std::uint32_t launch, const plan::WidthRecord& width, tile::OpId operation,
                            const plan::CandidateRecord& candidate, Json& json) {
    Json one = {{"launch", launch},
                {"threads", width.threads},
                {"operation", operation.index},
                {"distribution", distribution_json(candidate.distribution)},
                {"legal", !candidate.refusal},
                {"released_bytes", candidate.released_bytes}};
    if (candidate.refusal) {
      one["code"] = realize::constraint_name(candidate.refusal->constraint());
      one["reason"] = refusal_text(*candidate.refusal);
      one["numbers"] = numbers_json(candidate.refusal->numbers());
    } else {
      // Of one operation alone: what no candidate removes, setup and waves belong to the whole group.
      Json cost = cost_json(candidate.cost);
      cost["operation_score"] = cost["score"];
      for (const char* key : {"score", "concurrent_waves", "kernel_score"}) cost.erase(key);
      one["cost"] = std::move(cost);
    }
    json["candidates"].push_back(std::move(one));
  }

  static void add_optimality(std::uint32_t launch, const plan::Solution& solution, Json& json) {
    const plan::Optimality& optimality = solution.optimality;
    Json pruned = Json::object();
    for (const plan::PruneCount& one : optimality.pruned) pruned[one.rule] = one.count;
    json["optimality"].push_back(
        {{"launch", launch},
         {"widths", optimality.widths},
         {"combinations", optimality.combinations ? Json(*optimality.combinations) : Json(nullptr)},
         {"pruned", pruned},
         {"largest_frontier", optimality.largest_frontier},
         {"runner_up_threads", optimality.runner_up ? Json(optimality.runner_up->threads) : Json(nullptr)},
         {"runner_up_kernel_score", optimality.runner_up ? Json(optimality.runner_up->kernel_score) : Json(nullptr)},
         {"runner_up_distance", optimality.runner_up_distance}});
  }

  static Json proof_json(const plan::LaunchPlan& plan, const proof::Finding& finding) {
    return {{"launch", plan.launch},
            {"id", finding.family},
            {"operation", id_json(tile::OpId{finding.operation})},
            {"question", finding.question},
            {"verdict", proof::kind_name(finding.kind)},
            {"code", finding.code.empty() ? Json(nullptr) : Json(finding.code)},
            {"reason", finding.reason.empty() ? Json(nullptr) : Json(finding.reason)},
            {"used", plan::uses_proof(plan, finding)}};
  }

  const PlanReport& report_;
};

}  // namespace

std::string plan_json(const PlanReport& report) {
  return PlanJson(report).run().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
