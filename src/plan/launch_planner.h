// Planning one launch, and the launches of one program. Internal to src/plan.
#pragma once

#include "plan/plan_program.h"
#include "plan/planning_call.h"
#include "realize/elementwise.h"

namespace tilewright::plan {

struct PlannedLaunch {
  LaunchPlan plan;
  LaunchReport report;
  std::vector<std::string> needs;
};

/// What one call checks and asks for all programs that it plans; nothing when no matrix operation may be used.
Result<std::optional<PlanningCall>> begin_planning(const PlanningRequest& request);
/// plan_program() within a call; null as above.
Result<PlannedProgram> plan_bound_program(const proof::Subject& subject, const PlanningRequest& request,
                                          const PlanningCall* call, const sets::Context& context);

class LaunchPlanner {
 public:
  LaunchPlanner(const proof::Subject& subject, const PlanningRequest& request, const PlanningCall* call,
                const sets::Context& context, std::uint32_t launch);

  Result<PlannedLaunch> run();

 private:
  bool try_vector();
  bool try_elementwise();
  Result<bool> try_rows();
  Result<bool> try_cooperative();
  /// The best trial with guarded views, else with strict ones or none.
  Result<std::optional<std::size_t>> try_views(bool pads_rows);
  Result<void> try_forwarding(Forwarding forwarding, bool pads_rows);
  Result<void> add_trial(const FactsRequest& wanted, LaunchFacts facts);
  std::optional<std::size_t> best_trial(Forwarding forwarding) const;
  bool guarded_views_are_allowed() const;
  void take(std::size_t trial);
  /// Why the views of a trial that was dropped are copies, and why an epilogue runs over storage.
  void explain_dropped_views();
  void explain_unbounded_stores(const Trial& trial);
  void explain_epilogue(const Trial& trial);
  void take_scalar(std::string why, std::int64_t threads = 0);
  void refuse(std::string subject, realize::Refusal why);
  /// The same about an operation, which the refusal need not name.
  void refuse(std::string subject, tile::OpId op, realize::Refusal why);

  const proof::Subject& subject_;
  const PlanningRequest& request_;
  const PlanningCall* call_;  ///< null when no matrix operation may be used
  const sets::Context& context_;
  std::uint32_t launch_;
  PlannedLaunch made_;
};

/// Programs and the grid of the last two domains.
void write_grid(const realize::LaunchGrid& grid, LaunchPlan& plan);

void write_elementwise(const proof::Subject& subject, const realize::ElementwiseFacts& facts, std::int64_t threads,
                       PlannedLaunch& launch);

/// What a row-reduction choice decides. Premise: it has a plan.
void write_rows(const proof::Subject& subject, const realize::RowReductionWorkload& workload,
                const RowReductionChoice& choice, PlannedLaunch& launch);

/// What a contraction decides: the mapping that the choice takes.
void write_vector(const proof::Subject& subject, const realize::Contraction& contraction, const VectorChoice& choice,
                  PlannedLaunch& launch);

/// The walk that the options ask for, proved, onto the plan of the launch. PlanRefused when it cannot be kept.
Result<void> walk_launch(const proof::Subject& subject, const PlanningRequest& request, std::uint32_t launch,
                         PlannedLaunch& planned);

/// Fills in what the trial decides. Premise: its solution has a choice with one distribution a matched mma.
void write_cooperative(const proof::Subject& subject, const Trial& trial, const PlanningRequest& request,
                       PlannedLaunch& launch);

}  // namespace tilewright::plan
