#include "lower_group/planned_run.h"

#include "driver/check.h"
#include "driver/kernel_impl.h"
#include "driver/request.h"
#include "driver/run.h"
#include "driver/run_buffers.h"
#include "driver/view_range.h"
#include "kernel/printer.h"
#include "kernel/verifier.h"
#include "lower/lower_planned.h"
#include "programs/request_line.h"
#include "proof/subject.h"
#include "sync/synchronize.h"
#include "tile/bind.h"

namespace tilewright::lower::testing {

namespace {

/// Fails the test and gives nothing.
template <class T>
std::optional<T> expected(Result<T> result, const std::string& line) {
  if (result) return std::move(*result);
  ADD_FAILURE() << line << "\n" << render(result.error());
  return std::nullopt;
}

/// A problem on its way.
struct Problem {
  driver::RunRequest request;
  std::optional<Program> program;
  driver::Values values;
  std::optional<Kernel> interp;  ///< of the tile interpreter: what buffers there are
  LaunchLayout layout;
};

std::optional<Problem> prepare(const std::string& line, const std::string& text) {
  Problem problem{driver::request_of_line(line, Target::Interp), std::nullopt, {}, std::nullopt, {}};
  problem.program = expected(text.empty() ? Program::load(problem.request.program) : Program::parse(text), line);
  if (!problem.program) return std::nullopt;
  auto values = expected(driver::resolve_values(*problem.program, problem.request.assignments), line);
  if (!values) return std::nullopt;
  problem.values = std::move(*values);
  CompileOptions options;
  options.target = Target::Interp;
  options.layouts = driver::layouts_of(problem.request);
  problem.interp = expected(compile(*problem.program, problem.values.bindings, options), line);
  if (!problem.interp) return std::nullopt;
  for (const auto& [id, strides] : problem.interp->impl().rules.strides) {
    const std::vector<std::int64_t> extents = tile::bound_extents(problem.interp->impl().bound, id);
    std::vector<std::int64_t> used = strides;
    for (std::size_t d = 0; d < used.size(); ++d)
      if (extents[d] <= 1) used[d] = 0;
    problem.layout.buffers[id] = make_buffer_layout(extents, used).value();
  }
  return problem;
}

std::optional<PlannedRun> lower_problem(const Problem& problem, const std::string& line, const Settings& settings,
                                        const std::string& target) {
  PlanOptions options;
  options.target = target;
  options.settings = settings;
  options.layouts = driver::layouts_of(problem.request);
  auto plan = expected(driver::plan_report(*problem.program, problem.values.bindings, options), line);
  if (!plan) return std::nullopt;
  const proof::Subject subject =
      proof::make_subject(plan->bound, proof::launch_assumptions(plan->request.switches.noalias));
  LaunchLayout layout = problem.layout;
  layout.names_matrices = target == "metal-mpp";
  auto kernels = expected(lower_planned(subject, layout, plan->planned.plan, sets::Context()), line);
  if (!kernels) return std::nullopt;
  if (const auto sound = kernel::verify(*kernels); !sound) {
    ADD_FAILURE() << line << "\n" << render(sound.error()) << kernel::print(*kernels);
    return std::nullopt;
  }
  sync::SyncRequest request;
  for (const plan::LaunchPlan& launch : plan->planned.plan.launches)
    request.kernels.push_back({.coalesce = launch.coalesce_group_barriers,
                               .elide = launch.elide_independent_subgroup_barriers,
                               .premises = {{{proof::Guarantor::Launch, "buffers do not overlap"}},
                                            {{proof::Guarantor::Proof, "subgroups have rectangles of their own"}}},
                               .subgroups_are_programs = launch.rows && launch.rows->mapping.programs_per_group > 1});
  auto ordered = expected(sync::synchronize(*kernels, request), line);
  if (!ordered) return std::nullopt;
  return PlannedRun{std::move(*plan), std::move(ordered->program), std::move(ordered->facts), {}, false};
}

/// Pointers for the kernels' buffers.
std::vector<std::byte*> bases_of(const Problem& problem, const tile::Program& bound, const Arguments& arguments) {
  std::vector<std::byte*> bases;
  for (tile::ObjectId id : bound.objects().ids()) {
    const tile::Object& object = bound.object(id);
    if (object.kind == tile::ObjectKind::Memory) continue;
    if (object.kind == tile::ObjectKind::Temp) {
      bases.push_back(nullptr);
      continue;
    }
    const ArrayView& view = arguments.at(object.name);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
    const auto given = problem.layout.buffers.find(id);
    const std::int64_t low = given == problem.layout.buffers.end() ? 0 : given->second.low;
    const bool empty = driver::element_range(view)->empty();
    bases.push_back(empty ? view.data : view.data + (view.offset + low) * bytes);
  }
  return bases;
}

}  // namespace

std::optional<PlannedRun> lower_line(const std::string& line, const Settings& settings, const std::string& text,
                                     const std::string& target) {
  const auto problem = prepare(line, text);
  return problem ? lower_problem(*problem, line, settings, target) : std::nullopt;
}

std::optional<PlannedRun> run_planned(const std::string& line, const Settings& settings, const std::string& text,
                                      const std::string& target) {
  const auto problem = prepare(line, text);
  if (!problem) return std::nullopt;
  auto run = lower_problem(*problem, line, settings, target);
  if (!run) return std::nullopt;
  auto buffers = expected(driver::RunBuffers::make(*problem->interp, problem->request, problem->values), line);
  if (!buffers) return std::nullopt;
  const driver::Launcher launcher = [&](const Arguments& arguments) -> Result<void> {
    auto counts = kernel::interpret(run->kernels, bases_of(*problem, run->plan.bound, arguments));
    if (!counts) return std::unexpected(std::move(counts.error()));
    run->counts = std::move(*counts);
    return {};
  };
  run->right = true;
  for (const driver::Fill& fill : {driver::Fill{}, driver::Fill{driver::Fill::Kind::Random, 7}}) {
    buffers->set_contents(fill);
    const auto report = expected(driver::check_launcher(run->plan.bound, problem->interp->impl().rules,
                                                        buffers->arguments(), launcher, CheckOptions{}),
                                 line);
    if (!report) return std::nullopt;
    run->right = run->right && report->ok();
    EXPECT_TRUE(report->ok()) << line << "\n" << kernel::print(run->kernels);
  }
  return run;
}

}  // namespace tilewright::lower::testing
