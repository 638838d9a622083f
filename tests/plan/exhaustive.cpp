#include "plan/exhaustive.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace tilewright::plan {

namespace {

using realize::AtomFamily;
using realize::MatrixDistribution;
using realize::MatrixWorkload;

struct PricedMap {
  MatrixDistribution distribution;
  double score = 0;
  std::int64_t released = 0;
};

double longer_by(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a > b ? a : b) / static_cast<double>(a > b ? b : a) - 1;
}

double kept_elements(const MatrixWorkload& w, const MatrixDistribution& d, bool all) {
  std::int64_t kept = 0;
  if (all || !d.persistent_accumulator) kept += w.recurrence_elements;
  if (all || !d.direct_accumulator_store) kept += w.direct_output_elements;
  return static_cast<double>(kept);
}

std::int64_t lane_state(const MatrixDistribution& d) {
  if (d.subgroups_m == 0) return 6;
  const std::int64_t results = d.atom_rows * d.atom_columns;
  return 2 * (d.family == AtomFamily::MetalMpp ? results : results + d.atom_rows + d.atom_columns);
}

double pressure(const MatrixDistribution& d, const CostPriors& p) {
  const double ratio = static_cast<double>(lane_state(d)) / static_cast<double>(p.preferred_fragment_scalars_per_lane);
  return ratio > 1 ? ratio : 1;
}

std::int64_t publications(const MatrixWorkload& w, const MatrixDistribution& d) {
  const std::int64_t results = w.rows * w.columns / 64;
  return results * (d.persistent_accumulator ? w.executions / w.accumulator_iterations : w.executions);
}

double simdgroup_score(const MatrixWorkload& w, const MatrixDistribution& d, std::int64_t G, const CostPriors& p) {
  const std::int64_t steps = w.contraction / 8 * w.executions;
  const std::int64_t atoms = w.rows * w.columns / 64;
  const std::int64_t inputs = d.subgroups_m == 0 ? 2 * atoms * steps : G * (d.atom_rows + d.atom_columns) * steps;
  const std::int64_t accumulators = d.direct_accumulator_store ? 0 : 2 * publications(w, d);
  const std::int64_t stores = d.direct_accumulator_store ? publications(w, d) : 0;
  const double work = static_cast<double>(atoms * steps) * p.matrix_issue +
                      static_cast<double>(inputs + accumulators + stores) * p.shared_fragment_transfer;
  const double missing = static_cast<double>(std::min(p.preferred_subgroups, atoms)) / static_cast<double>(G);
  return work * pressure(d, p) * (missing > 1 ? missing : 1) + kept_elements(w, d, false) * p.independent_element;
}

double mpp_score(const MatrixWorkload& w, const MatrixDistribution& d, std::int64_t G, const CostPriors& p,
                 int version) {
  const double E = static_cast<double>(w.executions);
  const double depth =
      version != 2 && w.mean_contraction > 0 ? w.mean_contraction / 8 : static_cast<double>(w.contraction) / 8;
  const double atoms = static_cast<double>(w.rows * w.columns) / 64;
  const double issues = atoms * depth * E;
  const auto results = static_cast<double>(publications(w, d));
  const bool overwrite = w.overwrites_accumulator && (w.accumulator_iterations == 0 || d.direct_accumulator_store);
  double work = issues * p.matrix_issue;
  if (!d.direct_accumulator_store) work += results * p.shared_fragment_transfer;
  work += static_cast<double>(G * (d.atom_rows + d.atom_columns)) * depth * E * p.metal_mpp_memory_fragment;
  work += static_cast<double>(w.rows) / 8 * depth * E * p.metal_mpp_lhs_footprint;
  work += static_cast<double>(w.columns) / 8 * depth * E * p.metal_mpp_rhs_footprint;
  if (d.direct_accumulator_store) work += results * p.metal_mpp_output_fragment;
  work += static_cast<double>(G * w.executions) * p.metal_mpp_tensor_operation;
  if (!overwrite) work += results * p.metal_mpp_accumulator_init;
  work += atoms * E * longer_by(w.rows, w.columns) * p.metal_mpp_tile_aspect;
  const double local = issues * longer_by(d.atom_rows, d.atom_columns);
  if (d.atom_rows > d.atom_columns) work += local * p.metal_mpp_local_row_aspect;
  if (d.atom_rows < d.atom_columns) work += local * p.metal_mpp_local_column_aspect;
  if (version == 4 && w.mean_rows > 0)
    work += issues * (1 - w.mean_rows / static_cast<double>(w.rows)) * p.metal_mpp_row_edge;
  if (version == 4 && w.mean_columns > 0)
    work += issues * (1 - w.mean_columns / static_cast<double>(w.columns)) * p.metal_mpp_column_edge;
  const auto groups = static_cast<double>(G);
  return work * pressure(d, p) / groups + kept_elements(w, d, version == 2) * p.metal_mpp_independent_element / groups;
}

class Exhaustion {
 public:
  Exhaustion(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options)
      : workload_(workload), limits_(limits), options_(options) {
    if (options.cost_basis.starts_with("metal_mpp_memory_v")) version_ = options.cost_basis.back() - '0';
  }

  ExhaustiveResult run() {
    for (std::int64_t threads = 32; threads <= limits_.max_threads; threads += 32)
      if (options_.threads_per_group == 0 || options_.threads_per_group == threads) at_width(threads);
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.key < b.key; });
    for (const Found& found : found_) result_.plans.push_back(found.plan);
    return std::move(result_);
  }

 private:
  struct Found {
    std::tuple<double, std::int64_t, double, std::int64_t, std::vector<std::int64_t>> key;
    RankedPlan plan;
  };

  void at_width(std::int64_t threads) {
    maps_.clear();
    for (const MatrixWorkload& matrix : workload_.matrices) maps_.push_back(maps_of(matrix, threads / 32));
    choose(threads, 0, 0, {});
  }

  /// Sums are formed operation by operation, as the contract of the scores says.
  void choose(std::int64_t threads, double score, std::int64_t released,
              const std::vector<MatrixDistribution>& chosen) {
    if (chosen.size() < maps_.size()) {
      for (const PricedMap& map : maps_[chosen.size()]) {
        std::vector<MatrixDistribution> more = chosen;
        more.push_back(map.distribution);
        choose(threads, score + map.score, released + map.released, more);
      }
      return;
    }
    ++result_.combinations;
    std::int64_t bytes = workload_.shared_memory_bytes - released;
    while (bytes % limits_.shared_granule_bytes != 0) ++bytes;
    const double kernel = kernel_score(score, threads / 32);
    std::vector<std::int64_t> grid;
    for (const MatrixDistribution& d : chosen) grid.push_back(d.subgroups_m);
    found_.push_back({{kernel, threads, score, -released, grid}, {threads, chosen, bytes, kernel}});
  }

  double kernel_score(double operations, std::int64_t G) const {
    const CostPriors& p = options_.cost;
    std::int64_t others = workload_.independent_elements;
    for (const MatrixWorkload& w : workload_.matrices) others -= w.recurrence_elements + w.direct_output_elements;
    const auto elements = static_cast<double>(others);
    const auto programs = static_cast<double>(workload_.programs);
    const auto groups = static_cast<double>(G);
    if (version_ == 0) {
      const double program = operations + elements * p.independent_element + groups * p.subgroup_setup;
      return program * std::max(1.0, programs / static_cast<double>(p.preferred_concurrent_programs));
    }
    const double program = operations + elements * p.metal_mpp_independent_element / groups + p.metal_mpp_group_setup;
    return program * std::max(1.0, programs * groups / static_cast<double>(p.metal_mpp_concurrent_subgroups));
  }

  std::vector<PricedMap> maps_of(const MatrixWorkload& w, std::int64_t G) const {
    std::vector<PricedMap> maps;
    if (version_ == 0) add(maps, w, G, {});
    for (std::int64_t gm = 1; gm <= G; ++gm)
      for (std::int64_t rm = 1; rm <= w.rows / 8; ++rm)
        for (std::int64_t gn = 1; gn <= G; ++gn)
          for (std::int64_t rn = 1; rn <= w.columns / 8; ++rn) {
            if (gm * gn != G || 8 * gm * rm != w.rows || 8 * gn * rn != w.columns) continue;
            if (version_ != 0 && 8 * rm % 16 != 0 && 8 * rn % 16 != 0) continue;
            MatrixDistribution d{
                .family = w.family, .subgroups_m = gm, .subgroups_n = gn, .atom_rows = rm, .atom_columns = rn};
            d.persistent_accumulator = w.accumulator_iterations > 0 && options_.retain_accumulators;
            d.direct_accumulator_store =
                d.persistent_accumulator && w.has_direct_output && options_.direct_accumulator_store;
            if (lane_state(d) <= options_.max_fragment_scalars_per_lane) add(maps, w, G, d);
          }
    return maps;
  }

  void add(std::vector<PricedMap>& maps, const MatrixWorkload& w, std::int64_t G, const MatrixDistribution& d) const {
    PricedMap map{d, 0, 0};
    map.score = version_ == 0 ? simdgroup_score(w, d, G, options_.cost) : mpp_score(w, d, G, options_.cost, version_);
    if (d.persistent_accumulator) map.released = w.rows * w.columns * 4;
    if (d.direct_accumulator_store) map.released = w.rows * w.columns * 8 + w.epilogue_storage_bytes;
    maps.push_back(map);
  }

  const GroupWorkload& workload_;
  const Limits& limits_;
  const PlannerOptions& options_;
  int version_ = 0;  ///< of metal_mpp_memory; 0: the reference basis
  std::vector<std::vector<PricedMap>> maps_;
  std::vector<Found> found_;
  ExhaustiveResult result_;
};

}  // namespace

ExhaustiveResult all_plans(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options) {
  return Exhaustion(workload, limits, options).run();
}

ExhaustiveResult fitting_plans(const ExhaustiveResult& all, std::int64_t limit_bytes) {
  ExhaustiveResult fitting{{}, all.combinations};
  for (const RankedPlan& plan : all.plans)
    if (plan.shared_memory_bytes <= limit_bytes) fitting.plans.push_back(plan);
  return fitting;
}

}  // namespace tilewright::plan
