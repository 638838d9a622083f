#include "remarks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "driver/run_buffers.h"
#include "programs/request_line.h"

namespace tilewright::mpp {

std::optional<driver::PlanReport> plan_case(const std::string& line, const std::string& text) {
  auto made = [&]() -> Result<driver::PlanReport> {
    const driver::RunRequest request = driver::request_of_line(line, Target::MetalMpp);
    TW_TRY(const Program program, Program::parse(text));
    TW_TRY(const driver::Values values, driver::resolve_values(program, request.assignments));
    PlanOptions options{.target = "metal-mpp", .device = {}, .settings = request.settings, .layouts = {}};
    options.layouts = driver::layouts_of(request);
    return driver::plan_report(program, values.bindings, options);
  }();
  if (made) return std::move(*made);
  ADD_FAILURE() << line << "\n" << render(made.error()) << text;
  return std::nullopt;
}

std::vector<std::string> remarks(const plan::LaunchReport& report) {
  std::vector<std::string> all;
  for (const plan::LaunchRefusal& refusal : report.refusals)
    all.push_back(fmt::format("refusal {} {}: {}", refusal.subject, refusal.why.code, refusal.why.reason));
  for (const proof::Finding& finding : report.findings)
    if (finding.kind != proof::Finding::Kind::Proved)
      all.push_back(fmt::format("proof {} {} {}: {}", finding.family, proof::kind_name(finding.kind), finding.code,
                                finding.reason));
  for (const plan::Trial& trial : report.trials) all.push_back("trial " + trial.outcome);
  return all;
}

}  // namespace tilewright::mpp
