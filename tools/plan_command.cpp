// tilewright plan: how a program is mapped onto a target, and why.
#include <cstdio>

#include "command.h"
#include "driver/option_list.h"
#include "driver/plan.h"
#include "report/option_report.h"
#include "report/plan_report.h"
#include "support/files.h"

namespace tilewright::cli {

namespace {

constexpr const char* kPlanFooter =
    "Parameters that are not given are chosen too.\n\n"
    "  tilewright plan gemm M=512 N=2048 K=1024\n"
    "  tilewright plan gemm M=512 N=2048 K=1024 BM=32 BN=64 BK=32 --set threads_per_group=128\n"
    "  tilewright plan attention B=1 Hq=8 Hkv=8 Lq=1024 Lk=1024 D=64 Dv=64 --target metal-mpp --device apple-m1-max\n\n"
    "docs/planner.md says what each number means.\n\n";

}  // namespace

int plan_command(const Words& words) {
  CLI::App app("Decides how a program is mapped onto a target, and says why.", "tilewright plan");
  driver::PlanRequest request;
  std::string save, file;
  bool json = false;
  app.add_option("PROGRAM", request.program, "A .tile file, or the name of a program that `tilewright list` shows")
      ->type_name("");
  app.add_option("NAME=VALUE", request.assignments, "Symbols and parameters (M=512 BM=32), types (T=f16)")
      ->type_name("");
  app.add_option("--target", request.options.target, "metal-simdgroup, metal-mpp, cpu or interp")
      ->type_name("TARGET")
      ->capture_default_str();
  app.add_option("--device", request.options.device, "A device profile, by name or file; default: the general one")
      ->type_name("PROFILE");
  app.add_option("--set", request.settings, "A planner option, compile switch or coefficient, listed below")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
  app.add_option("--save-plan", save, "Write the plan to a file")->type_name("FILE");
  app.add_option("--plan", file, "Verify and explain a stored plan in place of planning")->type_name("FILE");
  bool all = false;
  app.add_flag("--all", all, "List every refusal, not one line a constraint")->disable_flag_override();
  app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
  app.footer([] { return kPlanFooter + report::options_text(driver::list_options()); });
  if (const auto status = read_options(app, words)) return *status;
  if (request.program.empty())
    return fail(
        {Diag{DiagCode::Usage, "expected a program, found none", {}, "`tilewright list` shows what there is", {}}},
        json);
  if (app.count("--save-plan") > 0 && save.empty())
    return fail({Diag{DiagCode::BadOption, "--save-plan expects a file, found ''", {}, "--save-plan gemm.plan", {}}},
                json);
  if (app.count("--plan") > 0) request.plan_file = file;
  request.target_is_named = app.count("--target") > 0;

  const auto report = driver::plan_request(request);
  if (!report) return fail(report.error(), json);
  if (const auto print_times = stage_times_printer()) print_times({{"plan", report->milliseconds}});
  if (!save.empty())
    if (const auto written = write_file_atomically(save, plan::print_plan(report->planned.plan)); !written)
      return fail(written.error(), json);
  std::fputs((json ? report::plan_json(*report) : report::plan_text(*report, all)).c_str(), stdout);
  if (!save.empty() && !json) std::printf("\nsaved to %s\n", save.c_str());
  return 0;
}

}  // namespace tilewright::cli
