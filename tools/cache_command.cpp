// tilewright cache: shows and clears the compiled kernels of a folder.
#include <cstdio>

#include "command.h"
#include "driver/cache_folder.h"
#include "report/cache_report.h"

namespace tilewright::cli {

namespace {

constexpr const char* kCacheFooter =
    "Kernels for the CPU are kept where --cache or the variable TILEWRIGHT_CACHE names a folder. What the emulator "
    "keeps "
    "there is not touched.\n\n"
    "  tilewright run gemm M=512 N=512 K=512 --cache ~/.cache/tilewright\n"
    "  tilewright cache show --cache ~/.cache/tilewright";

int show(const std::string& folder, bool json) {
  const auto report = driver::show_cache(folder);
  if (!report) return fail(report.error(), json);
  std::fputs((json ? report::cache_json(*report) : report::cache_text(*report)).c_str(), stdout);
  return 0;
}

int clear(const std::string& folder, bool json) {
  const auto report = driver::clear_cache(folder);
  if (!report) return fail(report.error(), json);
  std::fputs((json ? report::cache_clear_json(*report) : report::cache_clear_text(*report)).c_str(), stdout);
  return 0;
}

}  // namespace

int cache_command(const Words& words) {
  CLI::App app("Shows or clears a folder of compiled kernels.", "tilewright cache");
  std::string action, given;
  bool json = false;
  app.add_option("show|clear", action, "What to do")->type_name("");
  app.add_option("--cache", given, "The folder; default: the variable TILEWRIGHT_CACHE")->type_name("DIR");
  app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
  app.footer(kCacheFooter);
  if (const auto status = read_options(app, words)) return *status;

  if (action != "show" && action != "clear")
    return fail({Diag{DiagCode::Usage,
                      "cache expects show or clear, found " + (action.empty() ? "neither" : "'" + action + "'"),
                      {},
                      "tilewright cache show",
                      {}}},
                json);
  const std::string base = cache_base(given);
  if (base.empty())
    return fail({Diag{DiagCode::Usage, "no folder is named", {}, "--cache DIR, or the variable TILEWRIGHT_CACHE", {}}},
                json);
  const std::string folder = driver::cpu_cache_folder(base);
  return action == "show" ? show(folder, json) : clear(folder, json);
}

}  // namespace tilewright::cli
